// The languages that are understood. A language is a grammar (cmake/grammars.cmake), a row in
// language.cc, and a folder languages/NAME with shape.scm, whose captures give nodes their roles:
//
//   @decl.KIND   a declaration of that kind class; @name in the same match names it, every @key is
//                part of what tells it from others of that name (parameter types, a receiver)
//   @import      an import, told by its text
//   @members     a container: its declarations and imports have no order that matters
//   @set         a list without order and without doubles
//   @list        a list of values: both sides may add some at one place, where each stands on lines
//   of
//                its own or all are strings
//   @free        may stand in any order beside declarations, though it is none
//   @keyed       told by its @key in a list with an order: what both sides add at one place, a
//                keyword argument or a parameter that may be left out, may stand in any order
//   @prefix      belongs to the node behind it, as a comment does
//   @leaf        never looked into: white space in it counts
//   @_WORD       no role: what a predicate of the pattern, #eq? or #any-of?, compares
//
// of two patterns that name one declaration the later one wins (patterns.h says what a pattern is),
//
// and with facts.scm, which says more of the nodes of code, for symbols and what they read. What it
// does not name is a signature, and a plain use: the strongest of each, so a gap in it is safe.
//
//   @body @visibility @contract @build   the capability (symbol.h) that the node's tokens belong to
//   @doc         words for people, part of the contract
//   @call @type @super   the role of a name
//   @local       bound from behind its statement to the end of the block around it
//   @parameter   bound in the function whose parameter list it is in
//   @define      defined where it is used: a second name of a statement, one declared global
//   @member      another name that a declaration gives: its second field, a property among
//   parameters
//
// Pure and immutable after the first use; may be used by several threads at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/read/patterns.h"

struct TSLanguage;

namespace gittxn::semantic {

// A folder of languages/, as the build embeds it.
struct LanguageText {
  std::string_view name;
  std::string_view shape;
  std::string_view facts;  // empty of data
};
std::span<const LanguageText> language_texts();

enum class Role : std::uint8_t {
  kNone,
  kDecl,
  kName,
  kKey,
  kImport,
  kMembers,
  kSet,
  kList,
  kPrefix,
  kFree,
  kKeyed,
  kLeaf
};

struct Capture {
  Role role = Role::kNone;
  std::string_view kind;  // of a kDecl
};

enum class Fact : std::uint8_t {
  kNone,
  kBody,
  kVisibility,
  kContract,
  kBuild,
  kDoc,
  kCall,
  kType,
  kSuper,
  kMember,
  kLocal,
  kParameter,
  kDefine
};
// Says where a node's tokens belong, not what a name is.
constexpr bool is_part(Fact fact) {
  return fact >= Fact::kBody && fact <= Fact::kDoc;
}

// A kind of node, by its name.
struct Kind {
  std::string_view name;
  bool comment = false;  // where such a node may stand anywhere
  bool quoted = false;   // white space at the ends of its parts counts, where it has a name
};

struct Language {
  std::string_view name;
  const TSLanguage* grammar = nullptr;
  std::vector<Kind> kinds;               // by symbol of the grammar; ERROR behind them
  std::vector<std::string_view> fields;  // by id; 0 is none
  std::vector<char> shape_text;  // `shape` has parts of it; a move leaves them where they are
  Patterns shape, facts;
  std::vector<Capture> captures;    // by capture index of `shape`
  std::vector<Fact> fact_captures;  // by capture index of `facts`
  std::string fault;                // what is wrong with the folder; empty when nothing is

  const Kind& kind(std::uint16_t symbol) const {
    return symbol == kErrorSymbol ? kinds.back() : kinds[symbol];
  }
};

// nullptr when there is no such language.
const Language* find_language(std::string_view name);
// By the name of a file; nullptr when it is unknown. A '.h' answers C: parse_best (syntax.h)
// decides.
const Language* language_of_path(std::string_view path);
// By the program that a first line "#!..." names; nullptr when it is no such line or unknown.
const Language* language_of_first_line(std::string_view text);
std::vector<const Language*> all_languages();

}  // namespace gittxn::semantic
