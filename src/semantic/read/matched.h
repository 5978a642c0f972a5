// Expressions that do something for each of several things and have to do it for all of them: for
// names.cc alone.
#pragma once

#include <string_view>

#include "semantic/syntax.h"

namespace gittxn::semantic {

// The name is that of a constant of an enum in Java, Kotlin or PHP, or of a kind of a sealed type
// in Kotlin, for which such an expression does something, without a word for those that it does not
// name.
bool is_one_of_all(const Node& leaf, std::string_view language);

}  // namespace gittxn::semantic
