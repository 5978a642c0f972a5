// Constructors in C++ by which a type is made in other ways no more: for bound.cc alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// A type is made by the names of its fields, or as a copy, no more: it gets its first constructor,
// or one that takes such a type and is deleted, or moves one where none copies.
bool ends_ways_to_make(const Outlines& pair, const Outlined* was, const Outlined* is);

}  // namespace gittxn::semantic
