// The functions of a file, and the calls in it that mean one of them and nothing else.
//
// Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::semantic {

// By the key of their calls: "f" at the top of a file, "T.f" in a type, "new T" where it makes one.
// nullptr where another function of the file has the name.
using OwnFunctions = std::map<std::string, const Node*>;
OwnFunctions own_functions(const Tree& tree);

struct OwnCall {
  const Node* call = nullptr;
  const Node* arguments = nullptr;
};

// A plain name, one behind what stands for the own object in its type ("self", "this", the receiver
// in Go), and what makes an object. A call that is the member of something else is one of something
// else.
using OwnCalls = std::map<std::string, std::vector<OwnCall>>;
OwnCalls own_calls(const Tree& tree);

// "f()" of a key, for people.
std::string shown_function(std::string_view key);

}  // namespace gittxn::semantic
