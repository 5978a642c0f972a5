// The names that tokens read. Every identifier is one; so is every word of a token that cannot be
// looked into, and what stands in braces in a string (interpolation). A string that is nothing but
// a name, or names with dots between them, is a mention: code is found by its text at times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::semantic {

enum class UseRole : std::uint8_t {
  kPlain,
  kCall,
  kType,
  kSuper,   // what a type extends or implements
  kImport,  // in an import
  kMember,  // behind a '.' or an arrow
  kText,    // in a string, or in a file of an unknown language
};

// The name before a key of an object in a script, as a qualifier.
inline constexpr std::string_view kOfObject = "{}";

struct NameRead {
  std::string_view name;       // in the bytes of the tree
  std::string_view qualifier;  // the name before it: "a" of "a.b" and of "a::b"
  UseRole role = UseRole::kPlain;
  int arity = -1;  // arguments of a call; -1 when it is none
  // Arguments of the calls that what it is given to makes of it, as `xs.map(name)` does, or in Go
  // the values that a literal gives to one of the type by their places; -1: none.
  int handed = -1;
  // The names that a call's arguments say, sorted, "a,b"; "*" where one may stand for several.
  // Empty: each has its place.
  std::string named = {};
  bool set = false;  // something is given to it here, or what is there is changed
  int arguments() const { return arity < 0 ? handed : arity; }
  bool local = false;
  bool of_local = false;  // the name before it is local, or stands behind a value itself
  bool key = false;       // a key in Python, called by key_name() (more_reads.h)
  // A way in which the named function may end: the name is outcome_name().
  std::string_view outcome = {};
  // A type: what stands there may be one that has to have all of its parts. A constant of an enum:
  // an expression has to do something for each that is beside it. In C: the preprocessor reads it.
  bool made = false;
  // A value of the type in Go stands there, and may be given to an interface (values_in_go.h). In
  // Java and Rust: the compiler needs the value, or the function is given one (needs.h). In C++ one
  // of the type is made with the names of its fields, which is `made`, too, or as a copy.
  bool valued = false;
  // The type that the name before it was declared with, as a parameter or a variable, or the
  // function of a package in Go that was called to get it: "http.Request", "os.Open". In Java of a
  // field, too, in Rust the type whose function was called; without what these are told in `<...>`
  // (receivers.h); "&" of a type in Go to which a pointer may be given to an interface; "!" of a
  // name in a macro, which may put it behind others (needs.h).
  std::string_view declared = {};
};

// Of the token at place `leaf` of tree.leaves().
void names_of(const Tree& tree, std::uint32_t leaf, std::vector<NameRead>* names);

// Identifiers in any text, in order. Digits do not begin one.
std::vector<std::string_view> words_of(std::string_view text);
std::string_view first_word(std::string_view text);  // "" when there is none
bool is_identifier(std::string_view text);

}  // namespace gittxn::semantic
