// Something that is told by a text, an option, a route or a handler, and that both sides registered
// under one text at two places of one list.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// A statement (a decorator, an element of a list, a link of a chain) that is a call, told by the
// first text that it is given: `add_argument("--size", type=int)`, `app.get("/size", size)`.
struct Registration {
  std::string callee;             // empty: it is none
  std::vector<std::string> keys;  // its text, and the others that begin with "-"
};
Registration registration_of(const Node& statement);

// Two of one text in one block of the merged text, of which each side has one, where the block of
// the base has several with a text of its own each.
Broken registered_twice(const Sides<const Tree*>& sides, const Tree& merged);

}  // namespace gittxn::semantic
