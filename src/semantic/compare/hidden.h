// Symbols that no code of another file can name: for bound.cc alone.
#pragma once

#include <string_view>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// A private member in Java, Kotlin and TypeScript, and in PHP and C# where its type is in one file;
// in Go, whatever a program declares, for no other folder imports it; in C and C++ what is static
// or in a namespace without a name, outside of headers.
bool is_hidden(const Outline& outline, const Outlined& symbol);

// The word is in what the symbol says of that.
bool says_word(const Outlined& symbol, Capability capability, std::string_view word);

}  // namespace gittxn::semantic
