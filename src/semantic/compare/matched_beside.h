// A new constant or kind beside an expression that has to match all of them: for bound.cc and
// events.cc alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// Some expressions of the language have to do something for each (read/matched.h).
bool has_all_matched(std::string_view language);

// The other constants of the enum that a constant is one of, or in Kotlin the other kinds of the
// sealed type that a type is one of, in the file.
std::vector<std::string> matched_beside(const Outline& outline, const Outlined& symbol);

}  // namespace gittxn::semantic
