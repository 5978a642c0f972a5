// The names that declarations give, and what imports bring into their file.
#pragma once

#include <string>
#include <vector>

#include "semantic/file_facts.h"
#include "semantic/symbols/outline.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// What a declaration is looked up by, those that facts.scm says aside (@define, @member). One that
// is used by an operator gives "operator" too.
void given_by(const Language& in, const Node& node, std::vector<std::string>* defines);

// The name of the type that a symbol is a member of, also from outside it: a receiver in Go, what
// an extension function extends. Empty when it is of none.
std::string type_of(const Outline& outline, const Outlined& symbol);

// The names, as far as it says them: of a path its last part, of a package in Go whatever it may be
// called. `node` is the import, or one name of it.
void bound_by(const Language& in, const Node& node, std::vector<std::string>* defines);

// A block of the file in Rust imports names for itself, which `imports_in` does not have.
bool imports_in_block(const Outline& outline);

// The names by which the file's code may call what a whole import brings. None where it does not
// say every one: a header, a wildcard, a package that may be called otherwise than its path ends.
std::vector<std::string> brought_names(const Language& in, const Node& node);

// It brings in more than it says: a header, a wildcard, a module run for its effects; in Rust a
// trait brings its methods.
bool imports_all(const Language& in, const Node& node);

// A statement among whose tokens is a word that brings in names it does not say: an include where
// it is run, a mixin.
bool brings_names(const Tree& tree, const Unit& unit);

// What a file imports, told by the tokens of each statement (import_modules.cc), in the order of
// the file. Scripts' require(), import() and `export from`, modules that Rust declares and files
// that C includes are imports here too.
std::vector<Import> imports_in(const Outline& outline);

}  // namespace gittxn::semantic
