// What the kinds of nodes and declarations mean, for falling into symbols.
#pragma once

#include <initializer_list>
#include <string_view>

#include "semantic/symbol.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

bool is_any(std::string_view text, std::initializer_list<std::string_view> any_of);
bool has_any(std::string_view text, std::initializer_list<std::string_view> parts);

bool is_data(const Language& language);
// Of declarations.
bool is_data_kind(std::string_view kind);
bool is_function(std::string_view kind);

// Stands in a list of declarations and says who may see those behind it.
bool is_section(const Node& node);

// Its declarations may be symbols.
bool is_container(const Node& node);
// It has no name of its own for them, or holds a type that has: `struct { int a; } b;`, an unnamed
// namespace.
bool holds_members(const Node& node);
// A group of constants in Go of which each says its value: each is declared for itself. Where one
// repeats or counts (iota), it depends on what stands above it, and the group is one declaration.
bool is_group(const Node& node);
// A guard in C and C++ around all of a header, which is there so that it counts once: what it holds
// is declared as it would be without.
bool guards_file(const Node& node);
// Its children are statements.
bool is_block(const Node& node);
// What holds it (decorated, exported, a template) is a declaration of the same kind and name.
bool is_wrapped(const Node& node);

Capability capability_of(Fact part);

enum class Owner { kNone, kType };

// Whether the place of such a declaration among its neighbours has a meaning.
bool is_ordered(const Language& language, std::string_view kind, Owner owner);

// Whether words before a declaration say what others rely on. Nobody relies on those of an import;
// but what stands above cgo's is C.
bool has_contract(const Language& language, std::string_view kind, std::string_view text);

// Whether the code of a value does something when the file is loaded.
bool computes(std::string_view code);

// A file that is read by people alone.
bool is_prose(std::string_view path);

}  // namespace gittxn::semantic
