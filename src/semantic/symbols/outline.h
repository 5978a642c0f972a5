// The symbols that a tree falls into: every token to one symbol and one capability of it. What
// symbol.h hashes and footprint.h compares; for these two alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "semantic/names.h"
#include "semantic/symbol.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// A statement of a body, a loose statement, or all of a symbol that is no body: what changes as
// one.
struct Unit {
  std::string code;                   // structure and tokens, as in the hashes
  std::vector<std::uint32_t> tokens;  // places in Tree::leaves()
  std::vector<std::string> defines;   // names that it binds for others
  bool loose = false;
};

// What stands in a container, in order.
struct Entry {
  std::string key;      // id of a member; structure and tokens of a statement
  bool ordered = true;  // its place among the others has a meaning
  bool member = false;
};

struct Outlined {
  std::string id, container, kind, name;
  std::size_t parent = 0;  // index of the container
  std::vector<std::string> defines;
  std::array<std::string, kCapabilities> code;  // structure and tokens; empty when it has none
  std::string docs;      // comments that are part of the contract, and doc strings
  std::string remarks;   // every comment
  std::string strings;   // the doc strings among `docs`, which programs can read
  std::string nameless;  // signature without its own name
  std::vector<Unit> units;
  std::vector<Entry> entries;
  std::vector<Extent> extents;
  std::vector<const Node*> nodes;  // of its parts
  bool opaque = false;
  bool member = false;  // of a type
  bool ordered = false;
  bool runs = false;       // when the file is loaded
  bool feeds_all = false;  // an import of names that it does not say
};

struct Outline {
  std::string path;
  const Language* language = nullptr;  // nullptr when unknown
  std::string text;                    // of a file without a tree
  std::unique_ptr<Tree> tree;          // nullptr of an opaque file
  std::vector<Outlined> symbols;       // the file first
  // The name of the default export of a script; empty: that has none.
  std::optional<std::string> by_default;
  bool opaque() const { return symbols.front().opaque; }
  std::string_view bytes() const { return tree == nullptr ? text : tree->text(); }
};

Outline outline_of(const Language* language, std::string_view path, std::string_view text,
                   const Budget& budget);

// Two versions of a file; one that is absent has no symbols.
struct Outlines {
  Outline before, after;
};
Outlines outlines_of(std::string_view path, const std::optional<std::string>& before,
                     const std::optional<std::string>& after, const Budget& budget);

// A name that a unit of a symbol has in it.
struct NameIn {
  NameRead read;
  const Node& leaf;
  bool own;  // part of what the symbol itself is called
};
void names_in(const Outline& outline, const Outlined& symbol, const Unit& unit,
              const std::function<void(NameIn)>& use);

// Of everything in a symbol that is no layout, its members aside.
std::string code_of(const Outlined& symbol);
std::string raw_of(const Outline& outline, const Outlined& symbol);

// --- the walk over one tree that gives every token to a symbol and a capability, and how symbols
// are called and hashed on it: for outline.cc and outliner.cc alone ---

// Appends one part of a tree as it is hashed: "\0" and lengths keep two different trees from the
// same bytes.
void put_code(std::string* out, char sign, std::string_view kind, std::string_view text);

// How a symbol is printed, behind the path and what its containers print: the descriptors of SCIP.
// "Token#", "validate(int).", "LIMIT.", "shop/", "MIN!", "DEBUG:"; of an implementation
// "impl#[Cart][Priced]". Two different declarations of one container have different ones.
std::string descriptor(std::string_view kind, std::string_view name, std::string_view detail);

// The place of an error: in a symbol, by its index, and there in a node of a list of declarations;
// nullptr where it is in no list.
struct Misfit {
  std::size_t symbol = 0;
  const Node* in = nullptr;
};

// Fills outline->symbols from its tree; what is in `opaque` is taken whole: a symbol of its own,
// "unknown" where it is no declaration.
std::vector<Misfit> outline_tree(Outline* outline, const std::unordered_set<const Node*>& opaque);

// Adds what a declaration or a statement has in it besides its own name (views.cc): the second name
// of `int a, b;`, a field that is a parameter, the keys of a table, a function that a condition
// declares. Such a symbol has no token: they all stay where they are, and it says what they are as
// they change. Only what has as much a name as its declaration, as a second one has, defines it.
void add_views(Outline* outline);

}  // namespace gittxn::semantic
