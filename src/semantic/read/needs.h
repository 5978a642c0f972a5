// Names in Java and Rust of which the compiler needs more than that they are there, and functions
// that are called without being named: for names.cc alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "semantic/names.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// The arms of a match in Rust have one for whatever there is, without a condition.
bool takes_what_is_left(const Node& match_block);

// The name stands in a pattern in Rust that has to have all parts of its type, or is one of those
// that have to be all of its type's; nothing: in no pattern.
std::optional<bool> is_pattern_of_all(const Node& leaf);

// The name in Java is that of an annotation, which has to have all of its values, or of a type
// whose constructor is handed on.
bool is_made_in_java(const Node& leaf);

// The compiler has to know the value that the name stands for, a constant's in Java or Rust; or the
// name is that of a function in Java which is given a function, of a type of which a constructor is
// handed on, or of a trait in Rust of which a value of any type is.
bool is_needed_early(const Node& leaf, std::string_view language);

// The way in which C++ makes a value of a type, seen at the name of the type: by names of its
// fields with values, or from another value, which is a copy, most likely.
enum class GivenInCpp : std::uint8_t { kOther, kFields, kCopy };
GivenInCpp given_in_cpp(const Node& leaf);

// The name is one of a macro in Rust, is in its definition or is given to one that does not come
// with the language, or is in an attribute.
bool is_put_in(const Node& leaf);

// The arguments that a function of a script is called with by what it is given to: the element of a
// list, its place and the list, by `xs.map(parse)`; -1: it is given to nothing of that kind.
int arguments_given_by(const Node& leaf);

// Constructors in Java that are called without their names: by a constant of an enumeration, and by
// a constructor of a class that extends another one.
void silent_calls(const Node& leaf, std::vector<NameRead>* names);

}  // namespace gittxn::semantic
