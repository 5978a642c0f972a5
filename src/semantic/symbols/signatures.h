// The change of a signature, and whether users see it: for file_footprint.cc and renames.cc alone.
#pragma once

#include <string>
#include <vector>

#include "semantic/footprint.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Fills what a write says of how users see the change of a signature.
//
// `signed_alike`: of a function nothing changed but the names of its parameters, each in its place,
// in a language whose callers cannot say them, or what Python is told of types; of a variable or a
// field nothing but what one declaration declares beside it, a type that its value has, too, or in
// JavaScript that it is constant.
//
// `takes_more`: a function takes what it took and gives what it gave, and something more that may
// be left out; in C and C++ it promises not to change what it is given or called for; anything lets
// more use it. `receiver`: nothing changed but what a method is called for.
void note_users(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write);

// A method in C++ promises not to change what it is called for, and did not before: all that it
// calls for that has to promise it, too.
bool becomes_constant_method(const Outlines& pair, const Outlined* was, const Outlined* is);

// Names in the type that a function says it gives, or that a variable or a field says it has.
std::vector<std::string> types_said(const Outlined& symbol);

// The type that a function says it gives is another one.
bool gives_another_type(const Outlined* was, const Outlined* is);

// A macro that stood for a number is a constant of C or C++ now. The preprocessor does not know it.
bool stands_for_constant(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
