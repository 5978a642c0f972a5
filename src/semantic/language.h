// The languages that are understood. A language is a grammar (cmake/grammars.cmake), a row in
// language.cc, and a folder languages/NAME with shape.scm, whose captures give nodes their roles:
//
//   @decl.KIND   a declaration of that kind class; @name in the same match names it, every @key is
//   part
//                of what tells it from others of that name (parameter types, a receiver)
//   @import      an import, told by its text
//   @members     a container: its declarations and imports have no order that matters
//   @set         a list without order and without doubles
//   @prefix      belongs to the node behind it, as a comment does
//   @leaf        never looked into: white space in it counts
//   @_WORD       no role: what a predicate of the pattern, #eq? or #any-of?, compares
//
// Pure and immutable after the first use; may be used by several threads at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct TSLanguage;
struct TSQuery;

namespace gittxn::semantic {

// A folder of languages/, as the build embeds it.
struct LanguageText {
  std::string_view name;
  std::string_view shape;
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
  kPrefix,
  kLeaf
};

struct Capture {
  Role role = Role::kNone;
  std::string_view kind;  // of a kDecl
};

// A predicate of a pattern: every node of the capture has one of these texts.
struct Condition {
  std::uint32_t capture = 0;
  std::vector<std::string_view> texts;
};

struct Language {
  std::string_view name;
  const TSLanguage* grammar = nullptr;
  const TSQuery* query = nullptr;
  std::vector<Capture> captures;                   // by capture index
  std::vector<std::vector<Condition>> conditions;  // by pattern index
  std::string fault;  // what is wrong with shape.scm; empty when nothing is
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
