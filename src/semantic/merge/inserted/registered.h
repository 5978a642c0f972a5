// Something that is told by a text, an option, a route or a handler, and that both sides registered
// under one text at two places of one list.
//
// Pure.
#pragma once

#include <vector>

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// Both sides added nothing but calls of one callee, each told by the first text that it is given:
// `add_argument("--size", type=int)`, `app.get("/size", size)`. No text of one side is one of the
// other, no path of one side (`/a/:id`) may match one of the other, and the base has a call of the
// callee.
bool registered_apart(const Sides<std::vector<const Node*>>& statements);

// Two of one text in one block of the merged text, of which each side has one, where the block of
// the base has several with a text of its own each.
Broken registered_twice(const Sides<const Tree*>& sides, const Tree& merged);

}  // namespace gittxn::semantic
