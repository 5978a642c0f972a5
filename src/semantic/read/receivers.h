// The type of what a member is asked of in Java and Rust, where the text around says it: for
// names.cc alone.
#pragma once

#include <string_view>

#include "semantic/syntax.h"

namespace gittxn::semantic {

// The type that the variable, parameter or field called `name` was declared with, where it is seen
// at `leaf`; empty where that is not said, or another one may be meant.
std::string_view declared_type_in_java(const Node& leaf, std::string_view name);

// The same of a variable or parameter in Rust, or the type whose function gave its value; without
// what a reference to it has more.
std::string_view declared_type_in_rust(const Node& leaf, std::string_view name);

}  // namespace gittxn::semantic
