// The results of a function in Python or a script, as far as its text says: the values behind
// `return`, and of which form they are.
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

// The result of a function, or a value, has another form now: it was a number and is a pair, was a
// text and is a list, or is a part of what is given. False if that is not sure, or if both versions
// say the same type.
bool gives_otherwise(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
