#include "semantic/symbol.h"

#include <algorithm>

#include "base/hash.h"
#include "semantic/kinds.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {
namespace {

Digest digest_of(std::string_view code) {
  return code.empty() ? Digest() : sha256(code);
}

Symbol symbol_of(const Outline& outline, const Outlined& from) {
  Symbol symbol;
  symbol.id = from.id;
  symbol.container = from.container;
  symbol.kind = from.kind;
  symbol.name = from.name;
  symbol.defines = from.defines;
  symbol.extents = from.extents;
  symbol.opaque = from.opaque;
  symbol.raw = sha256(raw_of(outline, from));
  if (from.opaque) {
    symbol.hashes.fill(symbol.raw);
    symbol.nameless = symbol.annotations = symbol.comments = symbol.order = symbol.raw;
    return symbol;
  }
  for (std::size_t i = 0; i < kCapabilities; ++i) symbol.hashes[i] = digest_of(from.code[i]);
  constexpr auto kContract = static_cast<std::size_t>(Capability::kContract);
  if (!from.docs.empty()) {
    symbol.hashes[kContract] = sha256_fields({from.code[kContract], from.docs});
  }
  symbol.nameless = digest_of(from.nameless);
  symbol.annotations = digest_of(from.code[kContract] + from.strings);
  symbol.comments = digest_of(from.remarks);
  std::string order;
  for (const Entry& entry : from.entries) {
    order += std::to_string(entry.key.size()) + ":" + entry.key;
  }
  symbol.order = digest_of(order);
  return symbol;
}

// The name without what it is in and made for: "total" of `shop::Cart<int>::total`, "Cart" of
// `shop::Cart<int>`.
std::string_view last_of_path(std::string_view name) {
  const std::size_t sign = name.find("operator");  // in which these mean something else
  std::size_t from = 0, depth = 0;
  for (std::size_t i = 0; i < std::min(sign, name.size()); ++i) {
    depth += name[i] == '<' ? 1 : 0;
    depth -= name[i] == '>' && depth > 0 ? 1 : 0;
    if (name[i] == ':' && depth == 0) from = i + 1;
  }
  constexpr std::size_t kOperator = 8;
  const bool cast = sign != std::string_view::npos && name.size() > sign + kOperator + 1 &&
                    name[sign + kOperator] != '(';
  if (cast && is_word_byte(name[sign + kOperator])) name = name.substr(0, name.find('(', sign));
  name.remove_prefix(from);
  return sign == std::string_view::npos ? name.substr(0, name.find('<')) : name;
}

}  // namespace

std::string short_name(std::string_view language, std::string_view kind, std::string_view name) {
  if (kind == "import" || kind == "unknown" || kind == "guard") return std::string(name);
  if (language == "cpp") name = last_of_path(name);
  const bool path = is_any(language, {"javascript", "typescript", "tsx"}) && !name.empty() &&
                    is_word_byte(name.back());
  if (path) name.remove_prefix(name.rfind('.') + 1);
  const bool symbol = language == "ruby" && is_any(kind, {"field", "alias"});
  if (symbol) name.remove_prefix(name.rfind(':') + 1);
  return std::string(name);
}

std::string_view capability_name(Capability capability) {
  constexpr std::string_view kNames[] = {"signature", "visibility", "body", "contract", "build"};
  return kNames[static_cast<std::size_t>(capability)];
}

FileSymbols symbols_of(const Language* language, std::string_view path, std::string_view text,
                       const Budget& budget) {
  return symbols_in(outline_of(language, path, text, budget));
}

FileSymbols symbols_in(const Outline& outline) {
  FileSymbols file;
  file.path = outline.path;
  file.language = outline.language == nullptr ? "" : outline.language->name;
  file.opaque = outline.opaque();
  file.symbols.reserve(outline.symbols.size());
  for (const Outlined& symbol : outline.symbols) {
    file.symbols.push_back(symbol_of(outline, symbol));
  }
  return file;
}

bool same_to(Reader reader, const FileSymbols& a, const FileSymbols& b) {
  if (a.language != b.language || a.symbols.size() != b.symbols.size()) return false;
  return std::equal(a.symbols.begin(), a.symbols.end(), b.symbols.begin(),
                    [&](const Symbol& x, const Symbol& y) {
                      if (x.id != y.id || x.opaque != y.opaque || x.order != y.order) return false;
                      if (reader == Reader::kPerson)
                        return x.hashes == y.hashes && x.comments == y.comments;
                      for (std::size_t i = 0; i < kCapabilities; ++i) {
                        if (static_cast<Capability>(i) == Capability::kContract) continue;
                        if (x.hashes[i] != y.hashes[i]) return false;
                      }
                      return x.annotations == y.annotations;
                    });
}

}  // namespace gittxn::semantic
