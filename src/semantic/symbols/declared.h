// Variables and fields, and whether users see that they are declared in another way: for
// signatures.cc alone.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// The declaration changed in nothing but what stands beside it there, in a type that its value has,
// too, or in a promise of a script not to give it another value.
bool declared_alike(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
