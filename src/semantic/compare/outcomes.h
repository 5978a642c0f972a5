// The ways in which a function in Python or a script may end without a result, and the events that
// they tell of, as far as its text says: for attributes.cc alone.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// "KeyError" of `raise KeyError(key)` in Python; kEndsInNothing of `return None` and `return null`.
using Outcomes = std::set<std::string, std::less<>>;

Outcomes outcomes_of(const Outline& outline, const Outlined& symbol);

// Those of `was` that a function with `is` has no more, where it fails in another way instead.
std::vector<std::string> gone_outcomes(const Outcomes& was, const Outcomes& is,
                                       const Outline& after);

// Events that Python or a script tells of, each with the name of what has it, as `bus` of
// `bus.emit('added')`; an empty name of `this`.
using Events = std::set<std::pair<std::string, std::string>>;
Events events_of(const Outline& outline);
// Those of `was` that nothing in a file with `is` has any more, where it has another one instead.
Events gone_events(const Events& was, const Events& is);

}  // namespace gittxn::semantic
