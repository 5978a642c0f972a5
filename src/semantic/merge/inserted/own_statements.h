// Statements that both sides inserted at one place, and by which each gives a value to fields that
// it adds itself: in a constructor mostly, what comes with a new parameter.
//
// Pure.
#pragma once

#include <vector>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// Either order of the two sides' statements does the same:
//   - each side gives a value to a field, or puts something into what a field has, and none does
//     so to a name that the base says, or that stands in the statements of the other side
//   - each statement says such a name, so that it belongs to what its side adds
//   - none leaves the function or the block, by an exception neither
//   - one side at most calls what may do anything; then the other one reads nothing that this could
//     change
// A constructor is taken for something that only makes a value, though it may do more.
// `statements`: those of each side; what the base has there is not looked at.
bool only_of_their_own(const Sides<const Tree*>& trees,
                       const Sides<std::vector<const Node*>>& statements);

// Both sides only put something into maps, each time under a text, `context["size"] = 3`. No text
// of one side is one of the other, and the values are made without a call and read neither what the
// other side puts something into nor what may be that.
bool put_under_other_keys(const Sides<const Tree*>& trees,
                          const Sides<std::vector<const Node*>>& statements);

// One side's statements are all imports of names, and the other side's say none of these names but
// in imports: either order does the same.
bool one_only_imports(const Sides<const Tree*>& trees,
                      const Sides<std::vector<const Node*>>& statements);

// `import` stands in a function of the base, and `tree` has it at the top of the file.
bool is_imported_above(const Tree& tree, const Node& import);

}  // namespace gittxn::semantic
