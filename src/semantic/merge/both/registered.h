// Something that is told by a text, an option, a route or a handler, and that both sides registered
// under one text at two places of one list.
//
// Pure.
#pragma once

#include <vector>

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// What both sides added is calls of one callee, each told by the first text that it is given,
// `add_argument("--size", type=int)`, `app.get("/size", size)`, and nothing else. No text of one
// side is one of the other, no path (`/a/:id`) of one may be one of the other, and the callee is
// told something in the base.
bool registered_apart(const Sides<std::vector<const Node*>>& statements);

// Two of one text in one block of the merged text, of which each side has one, where the block of
// the base has several with a text of its own each.
Broken registered_twice(const Sides<const Tree*>& sides, const Tree& merged);

}  // namespace gittxn::semantic
