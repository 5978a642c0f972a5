// The change of a signature, and whether users see it: for file_footprint.cc alone.
#pragma once

#include <string>
#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// The signature changed, and says the same to users: of a function in nothing but the names of its
// parameters, each in its place, in a language whose callers cannot say them, or in what Python is
// told of types; of a variable or a field in nothing but what one declaration declares beside it,
// and in a type that its value has, too.
bool signed_alike(const Outlines& pair, const Outlined* was, const Outlined* is);

// The function takes what it took and gives what it gave, and something more that may be left out;
// in C it promises not to change what it is given. In C and Go that is true of calls alone.
bool takes_more(const Outlines& pair, const Outlined* was, const Outlined* is);

// Names in the type that a function says it gives, or that a variable or a field says it has.
std::vector<std::string> types_said(const Outlined& symbol);

// The type that a function says it gives is another one.
bool gives_another_type(const Outlined* was, const Outlined* is);

// A macro that stands for a number, and did so before.
bool stays_number(const Outlined* was, const Outlined* is);

}  // namespace gittxn::semantic
