// The ways in which a function in Python or a script may end without a result, and the events that
// a script tells of, as far as its text says: for attributes.cc alone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// "KeyError" of `raise KeyError(key)` in Python; kEndsInNothing of `return None` and `return null`.
using Outcomes = std::set<std::string, std::less<>>;

Outcomes outcomes_of(const Outline& outline, const Outlined& symbol);

// Those of `was` that a function with `is` has no more, where it fails in another way instead.
std::vector<std::string> gone_outcomes(const Outcomes& was, const Outcomes& is,
                                       const Outline& after);

// Names of the events that a script tells of.
Outcomes events_of(const Outline& outline);

}  // namespace gittxn::semantic
