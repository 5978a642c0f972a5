#include "semantic/file_facts.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "semantic/kinds.h"
#include "semantic/read/text_lines.h"
#include "semantic/symbols/imports.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMaxMentionBytes = 1u << 20;  // of an unknown language, for its words

// A parameter of a test in Python is called for: pytest makes it by the function of that name.
bool is_fixture(const Outline& outline, const Outlined& symbol, const Node& leaf) {
  return leaf.says == Fact::kParameter && outline.language->name == "python" &&
         symbol.name.starts_with("test") && leaf.text != "self";
}

// The names that stand in a symbol, its own left out.
void references_in(const Outline& outline, std::uint32_t index, const TextLines& lines,
                   std::vector<Reference>* out) {
  const Outlined& symbol = outline.symbols[index];
  const bool import = symbol.kind == "import";
  for (const Unit& unit : symbol.units) {
    names_in(outline, symbol, unit, [&](const NameIn& name) {
      const bool fixture = is_fixture(outline, symbol, name.leaf);
      if (!import && !fixture && (name.read.local || name.own)) return;
      out->push_back({.name = std::string(name.read.name),
                      .qualifier = std::string(name.read.qualifier),
                      .declared = std::string(name.read.declared),
                      .symbol = index,
                      .line = lines.number_of(name.leaf.text),
                      .arity = name.read.arity,
                      .role = import    ? UseRole::kImport
                              : fixture ? UseRole::kCall
                                        : name.read.role,
                      .of_local = name.read.of_local});
    });
  }
}

// Each once, at its first line.
void settle(std::vector<Reference>* references) {
  const auto key = [](const Reference& r) {
    return std::tie(r.symbol, r.name, r.role, r.qualifier, r.arity, r.declared, r.of_local);
  };
  const auto place = [&](const Reference& r) { return std::tuple_cat(key(r), std::tie(r.line)); };
  std::ranges::sort(*references, {}, place);
  const auto again = std::ranges::unique(*references, {}, key);
  references->erase(again.begin(), again.end());
}

void mentions_in(std::string_view text, const TextLines& lines, std::vector<Reference>* out) {
  std::unordered_set<std::string_view> seen;
  for (const std::string_view word : words_of(text)) {
    if (!seen.insert(word).second) continue;
    out->push_back(
        {.name = std::string(word), .line = lines.number_of(word), .role = UseRole::kText});
  }
}

Opaque why_opaque(const Outline& outline, std::string_view text, const Budget& budget) {
  if (!outline.opaque()) return Opaque::kNo;
  if (text.contains('\0')) return Opaque::kBinary;
  if (text.size() > budget.bytes) return Opaque::kTooLarge;
  return outline.language == nullptr ? Opaque::kUnknownLanguage : Opaque::kNotParsed;
}

Lines lines_in(const TextLines& lines, std::string_view text) {
  return {lines.number_of(text), lines.number_of(text.substr(text.empty() ? 0 : text.size() - 1))};
}

}  // namespace

std::string_view opaque_reason(Opaque opaque) {
  constexpr std::string_view kReasons[] = {
      "",
      "its language is not known",
      "it is binary",
      "it is too large",
      "it has a syntax error outside of any declaration that could hold it, or is nested too deep",
      "it is no file",
  };
  return kReasons[static_cast<std::size_t>(opaque)];
}

FileFacts facts_of(std::string_view name, std::string_view text, const Budget& budget) {
  const bool readable = text.size() <= budget.bytes && !text.contains('\0');
  const Language* language = readable ? language_of(name, text) : language_of_path(name);
  const Outline outline = outline_of(language, {}, text, budget);
  FileFacts facts;
  facts.language = language == nullptr ? "" : language->name;
  facts.opaque = why_opaque(outline, text, budget);
  facts.symbols = symbols_in(outline).symbols;
  const TextLines lines(outline.bytes());
  for (std::uint32_t i = 0; i < outline.symbols.size(); ++i) {
    const Outlined& symbol = outline.symbols[i];
    const bool part = symbol.kind != "file" && !symbol.nodes.empty();
    facts.lines.push_back(lines_in(lines, part ? symbol.nodes.front()->text : outline.bytes()));
    for (std::size_t n = 1; part && n < symbol.nodes.size(); ++n) {
      facts.parts.push_back({i, lines_in(lines, symbol.nodes[n]->text)});
    }
  }
  if (outline.tree != nullptr) {
    for (std::uint32_t i = 0; i < outline.symbols.size(); ++i) {
      references_in(outline, i, lines, &facts.references);
    }
    facts.imports = imports_in(outline);
  } else if (readable && !is_prose(name) &&
             (language != nullptr || text.size() <= kMaxMentionBytes)) {
    mentions_in(outline.bytes(), lines, &facts.references);
  }
  settle(&facts.references);
  return facts;
}

FileFacts opaque_facts(Opaque why, std::string_view digest) {
  FileFacts facts;
  facts.opaque = why;
  Symbol file;
  file.id = "/";
  file.kind = "file";
  file.opaque = true;
  file.raw = sha256(digest);
  file.hashes.fill(file.raw);
  file.nameless = file.annotations = file.comments = file.order = file.raw;
  facts.symbols.push_back(std::move(file));
  facts.lines.push_back({1, 1});
  return facts;
}

std::string id_in(std::string_view path, std::string_view id) {
  return std::string(path) + std::string(id);
}

}  // namespace gittxn::semantic
