// Statements that both sides inserted at one place, and of which one side's do nothing where what
// that side added is not used.
//
// Pure.
#pragma once

#include <vector>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// Either order does the same for all who use one of the sides' features at most:
//   - one side only gives values to new local names, which calls nothing but clocks and reads
//     nothing that the other side may change, and the other side does something; or
//   - the statements of each side are such ones, or an `if` that asks for a name of its own, which
//     the side declares with a value that is none: a parameter with `None`, a field in Go. Those
//     give a value to nothing that the base says, or the other side
//   - none leaves the function or the block, by an exception neither
// `statements`: those of each side; what the base has there is not looked at.
bool does_nothing_unasked(const Sides<const Tree*>& trees,
                          const Sides<std::vector<const Node*>>& statements);

}  // namespace gittxn::semantic
