// Items of a list that are told by a name of their own, of which both sides added one of one name
// at two places.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// Two objects, or mappings, of one list of the merged text with the same "name", "id", "key" or
// "path", of which each side has one and the base none, where all others differ in it; two
// values in one ("MODE=fast", "flask>=2") that give one name something, where all do; or two
// fields of a struct in Go with one name in their tags.
Broken named_twice(const Sides<const Tree*>& sides, const Tree& merged);

}  // namespace gittxn::semantic
