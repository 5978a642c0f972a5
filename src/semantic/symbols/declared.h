// Variables and fields, and whether users see that they are declared in another way: for
// signatures.cc and values.cc alone.
#pragma once

#include "semantic/symbols/outline.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {

// The type that a value in Go says it has, in words; none: it does not say it.
Words type_of_value_in_go(const Outline& outline, const Node& value);

// The declaration changed in nothing but what stands beside it there, in a type that its value has,
// too, or in a promise of a script not to give it another value.
bool declared_alike(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
