// Numbers and letters that tell things apart, of which both sides gave the next one, or the same
// one, to something new; and rows of a table, to all of which one side gave one value more.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// The place of a node in its tree, which is of that version.
Span span_of_node(std::size_t version, const Tree& tree, const Node& node);

// One number for two new members of a type whose members are told apart by theirs; for two new
// constants or macros of one prefix ("FLAG_") that count on; or in two new rows of a list whose
// rows count up (1, 2, 3) or have a letter each. Or one side gave each row of a list more values,
// or fewer, and the other side added a row of the old length.
Broken both_number(const Sides<const Tree*>& sides);

}  // namespace gittxn::semantic
