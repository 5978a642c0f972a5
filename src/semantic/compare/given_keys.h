// The keys of objects that others of a script, or of a module in Python, are given by name: for
// attributes.cc alone.
#pragma once

#include <set>
#include <string>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

struct GivenKeys {
  std::set<std::string, std::less<>> given;      // of what a variable is, or a function gives
  std::set<std::string, std::less<>> mentioned;  // of any object in it, or set there
};

GivenKeys given_keys(const Outline& outline, const Outlined& symbol);

}  // namespace gittxn::semantic
