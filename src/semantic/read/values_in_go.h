// Values of types in Go, and where they go: for names.cc alone.
#pragma once

#include "semantic/syntax.h"

namespace gittxn::semantic {

// `leaf` names the type of a value that may be given to an interface there: an argument, an element
// or a result, or a variable that is one of these behind it. Not where a pointer to it is taken, or
// where what takes it says the type itself. By the text of one function.
bool is_valued(const Tree& tree, const Node& leaf);

}  // namespace gittxn::semantic
