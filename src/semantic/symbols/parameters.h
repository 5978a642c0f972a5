// Parameters of functions in Go, Python, scripts, Ruby, PHP, C# and Kotlin, and what callers may
// give: for signatures.cc and values.cc alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "semantic/syntax.h"

namespace gittxn::semantic {

enum class Callers : std::uint8_t { kOther, kSame, kMore };

// The arguments that callers may give, of two lists of parameters: some others, the same, or more.
Callers callers_with(std::string_view language, const Node& was, const Node& is);

// Each call that gives all arguments by their places is one of both, and the same one: nothing but
// names is different. In PHP, C# and Kotlin.
bool take_places_alike(std::string_view language, const Node& was, const Node& is);

// The parameters of a function in Python, one a line: a sign, the name, and behind "=" the value
// that it has when it is left out. Signs: " ", "*" and "@" of those that take the rest, "|" of the
// marks
// `*` and `/`.
std::string parameters_in_python(const Node& list);

}  // namespace gittxn::semantic
