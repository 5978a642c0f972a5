// The functions of a version, and what they give a value.
//
// Pure.
#pragma once

#include <map>
#include <string>

#include "semantic/syntax.h"

namespace gittxn::semantic {

using Functions = std::map<std::string, const Node*>;

// Functions by their paths; nullptr where there are several.
Functions functions_in(const Tree& tree);

// A value is given to a plain name here: "name = …", "let name = …", "T name = …".
bool is_given_here(const Node& leaf);

}  // namespace gittxn::semantic
