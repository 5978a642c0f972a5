// The lists in parentheses behind a name: the arguments of a call, and the parameters where it is
// declared.
//
// Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::semantic {

// The lists by the name before them, without what it is a member of and what is between "<" and
// ">", in the order of the text.
using Calls = std::map<std::string, std::vector<const Node*>>;

void find_calls(const Node& node, Calls* calls);

}  // namespace gittxn::semantic
