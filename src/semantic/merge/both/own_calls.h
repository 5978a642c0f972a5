// The functions of a file, and the calls in it that mean one of them and nothing else.
//
// Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// Functions by the key of their calls: "f" at the top of a file, "T.f" in a type, "new T" for a
// constructor. nullptr if another function of the file has the name.
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

// A function that all three versions have and that a side changed.
struct ChangedFunction {
  std::string key;
  Side side;
  const Node *base, *now, *there;  // in the base, in the side, and in the other one
};
std::vector<ChangedFunction> changed_functions(const Sides<const Tree*>& sides);

// "f()" of a key, for people.
std::string shown_function(std::string_view key);

}  // namespace gittxn::semantic
