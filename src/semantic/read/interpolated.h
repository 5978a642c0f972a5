// The names in code that stands in a string, of which a grammar makes one token: what a Python
// `f"..."` and a template of a script have between braces.
#pragma once

#include <string_view>
#include <vector>

#include "semantic/names.h"

namespace gittxn::semantic {

// The braces of that string hold code, and nothing but that.
bool holds_code(const Language& language, std::string_view text);

// Adds the names of `code`, which is in `string`. What stands behind a dot is a member there, too,
// and a name is local as it is beside the string.
void names_in_braces(const Tree& tree, const Node& string, std::string_view code,
                     std::vector<NameRead>* names);

}  // namespace gittxn::semantic
