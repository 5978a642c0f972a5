// Functions of C and C++, and whether callers see that their signatures changed: for signatures.cc
// alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Each call of `was` is a call of `is` that means the same: it may get more that may be left out,
// it promises not to change what it is given or what it is called for, or takes it by reference
// instead of by value; in any part that it is declared in.
bool calls_stay_in_c(const Outlined& was, const Outlined& is);

// Arguments that a call of it has at least and at most; -1: any number, or it is not known.
int least_arguments_in_c(const Outlined& symbol);
int most_arguments_in_c(const Outlined& symbol);

// A method that does not change what it is called for.
bool is_constant_method(const Outlined& symbol);

}  // namespace gittxn::semantic
