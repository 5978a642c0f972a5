// What a function in Python or a script gives, as far as its text says: the values behind `return`,
// and of which form they are.
#pragma once

#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// The node is a function or a class, whose `return` is its own.
bool is_within_itself(const Node& node);

// `None`, `null` or `undefined`.
bool is_nothing(const Node& node);

// The values that a function gives, not those that functions in it do; of an arrow its expression.
std::vector<const Node*> values_given_by(const Node& function);

// Who uses what a function gives, or a value, has another form of thing in hand now: a pair where
// there was a number, a list where there was a text, or what was given is a part of something.
// False where that is not sure, or where both say the same type.
bool gives_otherwise(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
