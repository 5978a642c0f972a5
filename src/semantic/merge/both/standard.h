// Names of a language's standard library, which no side of a merge can rename or remove.
//
// Pure.
#pragma once

#include <string_view>

#include "semantic/syntax.h"

namespace gittxn::semantic {

// Each use of `name` in the file is a member of something of the standard library: in Go of one of
// its packages, or of a parameter that has a type of one (`w.Write`, where w is an
// http.ResponseWriter); in Python of one of its modules; in scripts of an object that is always
// there.
bool is_of_library(const Tree& tree, std::string_view name);

}  // namespace gittxn::semantic
