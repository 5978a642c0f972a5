// Values, and bodies that say how they are used, as a signature does.
#pragma once

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// A function itself, or the value that a variable or a field is given; nullptr: none, or it is not
// known.
const Node* function_or_value(const Outline& outline, const Outlined& symbol);

// The same uses mean something else now. A value was a function, and its callers have to give other
// arguments; it was another name of a function or a type of the file, and is one of another; it was
// a type that Python makes by a call, and is made otherwise. A function in Python gave what it
// gives at once, and does so one by one, or the other way round. A function in C++, Go or Python
// calls a parameter with another count of arguments, which the parameter's type need not say. A
// value was a text, and is a number, or the other way round. A type in Rust has other parts without
// names, which all see. What a function in Python or a script gives, or a value there, has another
// form (results.h).
bool is_value_used_otherwise(const Outlines& pair, const Outlined& was, const Outlined& is);

// A value of a script is a function, takes what it took and may be given more.
bool is_value_of_more(const Outlines& pair, const Outlined& was, const Outlined& is);

// Arguments that a function of a script, or a value that is one, takes at most; -1: any number.
int most_arguments_in_script(const Outline& outline, const Outlined& symbol);

// A function in a script became a value that is one, or the other way round, and takes the same.
bool calls_stay_alike(const Outlines& pair, const Outlined& was, const Outlined& is);

}  // namespace gittxn::semantic
