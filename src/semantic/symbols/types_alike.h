// Types and constants that are declared otherwise, and are what they were for most who use them:
// for signatures.cc alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Nothing changed but what holds the values of an enum in C++; the values that a record in Java has
// beside those that it had, each of which is a symbol itself; or, of such a value and of a constant
// of a group in Go, what stands beside it.
bool declaration_stays_alike(const Outlines& pair, const Outlined& was, const Outlined& is);

// A template in C++ takes another parameter, which may be left out, behind those that it took.
bool template_takes_more(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
