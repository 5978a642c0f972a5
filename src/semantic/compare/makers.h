// Members by which a type is made in other ways no more, or stands for any of its kinds: for
// bound.cc alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// A type is made by the names of its fields, or as a copy, no more: it gets its first constructor,
// or one that takes such a type and is deleted, or moves one where none copies. A trait in Rust is
// no type of values of any type (`dyn`): it has a method that is told a type, gives one of its own,
// or is called for no value. A type in Go has a method no more, or another one, that an interface
// of the file asks for as before.
bool ends_ways_to_make(const Outlines& pair, const Outlined* was, const Outlined* is);

}  // namespace gittxn::semantic
