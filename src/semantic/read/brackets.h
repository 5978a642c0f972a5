// The brackets of C and C++ by their characters alone: a second opinion on where a body ends, for a
// grammar that stumbled over a macro may have ended it elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::semantic {

struct Brackets {
  std::size_t open = 0, close = 0;  // the places of "{" and "}", "(" and ")", "[" and "]"
  std::size_t depth = 0;            // brackets of any kind that are open around it
};

// Every pair, in the order in which they open. Nothing when the brackets of the text do not pair,
// when a string or a comment has no end, or when a branch of a conditional (#if) leaves others open
// than it found: then what is inside of what is for the preprocessor to say.
std::optional<std::vector<Brackets>> matched_brackets(std::string_view text);

// A function of C or C++ whose errors are all between the braces of its body or, in C, where it is
// known by its name alone, between the parentheses of its parameters; and of these the characters
// say that they are what the grammar takes for them: nothing outside was taken for a part of them.
bool errs_inside_only(const Tree& tree, const Node& function);

}  // namespace gittxn::semantic
