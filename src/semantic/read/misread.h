// Text that a grammar accepts though its language does not, where that puts what follows into
// something else, or takes it out: marked as an error in the flat tree, so that who looks at errors
// sees it.
//
//   Python  a suite without a statement; a statement that is no deeper than what it is in, or not
//           as deep as the others of its block
//   Ruby    an "end" that ends nothing, which the grammar takes for a name
//   Bash    the same of "fi", "done", "esac", "}" and the words before them, taken for a command
//   PHP     a here-document that goes on behind its own last line, to that of a later one
//
// What is valid and read as it is meant is never marked.
#pragma once

#include <string_view>

#include "semantic/language.h"
#include "semantic/read/flat_tree.h"

namespace gittxn::semantic {

// `tree` is of `text`. Time grows with both.
void mark_misread(const Language& language, std::string_view text, FlatTree* tree);

}  // namespace gittxn::semantic
