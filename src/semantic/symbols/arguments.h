// Counts of arguments, by which a call is told to mean another function: for signatures.cc alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Arguments that calls of a function have, at least and at most; -1: not known, any number.
struct Arguments {
  int least = -1, most = -1;
};

// Arguments of a function in C++, Go, Java or Rust, whose compilers count them. What a method is
// called for is none of them, although it stands among them where it is called by the name of its
// type.
Arguments arguments_of(const Outline& outline, const Outlined& symbol);

}  // namespace gittxn::semantic
