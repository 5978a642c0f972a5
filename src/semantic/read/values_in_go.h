// Values of types in Go, and where they go: for names.cc alone.
#pragma once

#include <cstdint>

#include "semantic/syntax.h"

namespace gittxn::semantic {

// `leaf` names the type of a value, or of what a pointer is taken to, that may be given to an
// interface there: an argument, an element or a result, or a variable that is one of these behind
// it. Not where what takes it says the type itself. By the text of one function.
enum class GivenInGo : std::uint8_t { kNo, kValue, kPointer };
GivenInGo given_in_go(const Tree& tree, const Node& leaf);

// `leaf` names the type of what a literal makes: the values that it gives to one of these by their
// places, at most; -1: none.
int placed_in_go(const Node& leaf);

}  // namespace gittxn::semantic
