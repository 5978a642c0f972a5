// The tokens of a file that mean one certain definition, which is at the top of a file of its own.
// Only what the language's rules leave no other meaning: the rest is known by its name alone. For
// mend.cc.
//
// Resolved are names of the file that defines them; in Python and scripts names that an import by
// name brings from there, and members of an imported module; in Go names of one package. Of what a
// local name, a parameter, another declaration or a wildcard may stand for, nothing is.
//
// Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/file_facts.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// True where the language's rules leave no other file of the tree than `to` for what `from`
// imports. The import has no bindings: it is the module that is asked about.
using LinkedTo = std::function<bool(std::string_view language, std::string_view from,
                                    const Import& import, std::string_view to)>;

struct Definition {
  std::string path;  // of the file
  std::string id;    // of the symbol; not in this file's version where it is asked of another one
  std::string name;
  std::string package = {};  // package_of its file
};

// The words by which a file in Go says what package it is of; empty in other languages.
std::string package_of(const Outline& outline);

// Whether the language is one of those above.
bool resolves_names(std::string_view language);

struct UsesFound {
  std::vector<std::size_t> places;  // where in the text they begin, sorted
  bool members_left = false;        // the name stands behind what is not known, too: "x.name"
};

// Nothing: in this file the name may mean something else, or what it means cannot be told.
// `outline` has the tree.
std::optional<UsesFound> uses_of(const Outline& outline, const Definition& definition,
                                 const LinkedTo& linked);

// Whether the name is in code anywhere in the file.
enum class Counted { kAll, kOfNoLocal };  // of no local: those that are proven to be one aside
bool has_name(const Tree& tree, std::string_view name, Counted names);
// Whether something is called by the name there that is no import: a local, a parameter, a
// declaration other than that of the symbol.
bool binds_name(const Outline& outline, std::string_view name, std::string_view symbol);

// True if the declaration is the same, token by token, once `renamed` has given each name of `x`
// its new one. Both at the top of their file, of one part.
using NewName = std::function<std::string_view(std::string_view)>;
bool same_but_names(const Outline& a, std::string_view x, const Outline& b, std::string_view y,
                    const NewName& renamed);

}  // namespace gittxn::semantic
