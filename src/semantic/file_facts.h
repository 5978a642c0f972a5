// All that one file says of code: its symbols, the names that stand in each, and what it imports.
// What a catalogue keeps of a file, from one parse.
//
// A file that cannot be looked into is recorded as such, with the reason; the words in it are there
// as mentions, for a name in it may be a use. Names that are proven to be local (syntax.h) are left
// out: they are no use of anything elsewhere, but for parameters of tests in Python, which are made
// by functions of their names.
//
// Pure; any thread; bounded by Budget.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/names.h"
#include "semantic/symbol.h"

namespace gittxn::semantic {

// Why a file is one symbol.
enum class Opaque : std::uint8_t {
  kNo,
  kUnknownLanguage,
  kBinary,     // a byte 0 in it
  kTooLarge,   // over Budget::bytes
  kNotParsed,  // an error that no declaration holds, or over the rest of the budget
  kNotAFile,   // a link or a submodule
};
std::string_view opaque_reason(Opaque opaque);  // "it is binary"

// Lines [first, last], from 1.
struct Lines {
  std::uint32_t first = 0, last = 0;
  bool operator==(const Lines&) const = default;
};

// A symbol of several parts has one for each but the first.
struct SymbolPart {
  std::uint32_t symbol = 0;  // place in `symbols`
  Lines lines;
  bool operator==(const SymbolPart&) const = default;
};

// A name in a symbol; the same one with the same role counts once, at its first line.
struct Reference {
  std::string name;
  std::string qualifier;     // the name before it: "a" of "a.b" and of "a::b"
  std::string declared;      // in Go, the type of the parameter that the qualifier is: "*Mux"
  std::uint32_t symbol = 0;  // place in `symbols` of what it stands in
  std::uint32_t line = 0;
  std::int32_t arity = -1;  // arguments of a call; -1 when it is none
  UseRole role = UseRole::kPlain;
  bool of_local = false;  // the qualifier is a local name
  bool operator==(const Reference&) const = default;
};

// A name that an import binds in its file.
struct Binding {
  std::string local;
  std::string original;  // as it is called where it comes from; empty: the module itself
  bool operator==(const Binding&) const = default;
};

// One module that is imported, as the language writes it: "a.b", "..b" (Python), "./auth" (a
// script), "table.h", "<sys/types.h>", "example.com/shop/auth", "com.shop.Token",
// "crate::auth::Token".
struct Import {
  std::string module;
  std::uint32_t line = 0;
  std::vector<Binding> binds;
  bool all = false;  // brings in names that it does not say
  bool operator==(const Import&) const = default;
};

struct FileFacts {
  std::string language;  // empty when unknown
  Opaque opaque = Opaque::kNo;
  std::vector<Symbol> symbols;    // ids without the path: "/" is the file, "/Token#" a type in it
  std::vector<Lines> lines;       // of each symbol; of several parts the first
  std::vector<SymbolPart> parts;  // by symbol
  std::vector<Reference> references;  // by symbol, then by name
  std::vector<Import> imports;        // in the order of the file
};

// `name` is the file's name or path: with the text it tells the language.
FileFacts facts_of(std::string_view name, std::string_view text, const Budget& budget);
// Of what is not looked into: one symbol with `digest` as its bytes.
FileFacts opaque_facts(Opaque why, std::string_view digest);

// `id` of facts_of, in the file at `path`.
std::string id_in(std::string_view path, std::string_view id);

}  // namespace gittxn::semantic
