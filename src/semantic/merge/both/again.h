// Something that one side removed and the other moved, of which a merge of lines keeps what stands
// at the new place.
//
// Pure.
#pragma once

#include <string_view>

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// One side has a declaration less often than the base, in the same words and in the same thing, the
// other side as often, and the merged text, too. So it is told of things of which a file has
// several of one name: elements of an array of tables, overloads.
Broken removed_and_again(const Sides<const Tree*>& sides, const Tree& merged);

// The first of several declarations at the path; `last` if there is none.
const Node& declared_at(const Tree& tree, std::string_view path, const Node& last);

}  // namespace gittxn::semantic
