// Attributes and annotations that no caller has to do anything about: for signatures.cc alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Nothing of the declaration changed but such attributes in C++, Java or Rust, as `#[inline]`, and
// the names of parameters, each in its place.
bool only_hints(const Outlines& pair, const Outlined& was, const Outlined& is);

// A type in Rust derives what it derived, and more.
bool derives_more(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
