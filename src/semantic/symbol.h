// The symbols of one file, and a hash for each thing that somebody may rely on in one.
//
// Every token belongs to exactly one symbol and one capability of it, so that no change of code is
// without a changed hash: what nothing claims is `signature`, which everybody relies on. The hashes
// are of node kinds and tokens, not of layout: a reformatted file has the same ones but `raw`.
//
//   signature   what is declared, without what the others have
//   visibility  modifiers, export, the section of a class it stands in
//   body        block, value, members' braces; of a container its loose statements, in order
//   contract    comments before it, doc strings, annotations, throws, default values
//   build       conditional compilation around it, imports
//
// A container's members are symbols of their own and no part of it. Several declarations with the
// same id (overloads a language does not tell apart, a namespace opened again, a prototype and its
// definition) are one symbol of several parts, in order. What is declared inside a function or a
// value is part of that. Where it has a name for others it is a symbol besides, as is the second
// name of one declaration; but its tokens stay where they are, and it changes with them.
//
// Degrades, never guesses: a declaration that overlaps a parse error is opaque together with what
// it is in, or alone where brackets.cc proves that the error stayed inside; what is no declaration
// then is a symbol of the kind "unknown", named by its text, that may define every word in it. What
// the preprocessor alone can read is put away and stays a token (parse.h). An unknown language, an
// opaque file and one over the budget is one symbol. Of an opaque symbol every capability is the
// hash of its bytes.
//
// Ids never have a line in them and are printed as SCIP descriptors: "src/auth.py/" the file,
// "src/auth.py/Token#validate(int)." a function of a type. A symbol's id begins with its
// container's.
//
// Pure; any thread; bounded by Budget.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

enum class Capability : std::uint8_t { kSignature, kVisibility, kBody, kContract, kBuild };
inline constexpr std::size_t kCapabilities = 5;
std::string_view capability_name(Capability capability);

// Bytes [begin, end) of the file.
struct Extent {
  std::size_t begin = 0, end = 0;
  bool operator==(const Extent&) const = default;
};

struct Symbol {
  std::string id;
  std::string container;  // the id of what it is in; empty of the file itself
  std::string kind;       // kind class of shape.scm; "file", "import", "unknown"
  std::string name;       // as people say it, without what it is in; empty of the file
  // The names that looking this symbol up goes by: mostly `name` alone; all that one declaration or
  // import binds; none of the file.
  std::vector<std::string> defines;
  // SHA-256; empty when the symbol has nothing of it.
  std::array<Digest, kCapabilities> hashes;
  Digest nameless;     // signature with its own name left out: a renamed symbol keeps it
  Digest annotations;  // contract without the comments: what programs see of it
  Digest comments;     // every comment before and in it, those of members aside
  Digest order;        // of a container: its members, statements and separators as they follow
  Digest raw;          // its bytes, with comments before it and white space, members included
  std::vector<Extent> extents;  // of `raw`, one for each part; no part of the symbol's identity
  bool opaque = false;

  const Digest& operator[](Capability capability) const {
    return hashes[static_cast<std::size_t>(capability)];
  }
};

struct FileSymbols {
  std::string path;
  std::string language;         // empty when unknown
  bool opaque = false;          // one symbol, the whole file
  std::vector<Symbol> symbols;  // the file first, a container before its members
};

// `language` may be nullptr; else it is that of the path (language_of of syntax.h).
FileSymbols symbols_of(const Language* language, std::string_view path, std::string_view text,
                       const Budget& budget);

// The same of an outline (outline.h), for who needs more of it than the symbols.
struct Outline;
FileSymbols symbols_in(const Outline& outline);

// The name of a symbol alone: `total` of `Cart<int>::total`, `exports.total` and `:total`.
std::string short_name(std::string_view language, std::string_view kind, std::string_view name);

// Who reads: people and models decide on comments too, compilers and tests do not.
enum class Reader : std::uint8_t { kPerson, kTool };

// Whether a reader of the whole file saw the same: all is equal but layout. Of two versions of one
// path; opaque files are equal when their bytes are.
bool same_to(Reader reader, const FileSymbols& a, const FileSymbols& b);

}  // namespace gittxn::semantic
