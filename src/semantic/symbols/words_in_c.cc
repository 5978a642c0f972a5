#include "semantic/symbols/words_in_c.h"

#include <algorithm>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// An include of a file that it says itself, and not by a macro.
bool is_include(const Outlined& symbol) {
  return symbol.kind == "import" && symbol.name.starts_with("#include") &&
         symbol.name.find_first_of("\"<") == std::string_view("#include").size();
}

bool is_parameter(const Outlined& macro, std::string_view word) {
  return std::ranges::all_of(macro.nodes, [&](const Node* node) {
    const Node* list = kid_in(*node, "parameters");
    if (list == nullptr) return false;
    const std::vector<std::string_view> names = words_of(list->text);
    return std::ranges::find(names, word) != names.end();
  });
}

// `once` in `#pragma once`.
bool is_of_pragma(const Outline& outline, const Outlined& symbol, std::string_view word) {
  bool found = false;
  for (const Unit& unit : symbol.units) {
    for (const std::uint32_t token : unit.tokens) {
      const Node& leaf = *outline.tree->leaves()[token];
      const std::vector<std::string_view> words = words_of(leaf.text);
      if (std::ranges::find(words, word) == words.end()) continue;
      const Node* line = leaf.parent;
      if (line == nullptr || line->kind != "preproc_call") return false;
      if (line->kids.empty() || line->kids.front()->text != "#pragma") return false;
      found = true;
    }
  }
  return found;
}

}  // namespace

bool is_mere_word(const Outline& outline, const Outlined& symbol, std::string_view word) {
  const bool in_c = outline.language != nullptr && is_any(outline.language->name, {"c", "cpp"});
  if (!in_c || symbol.opaque) return false;
  if (symbol.kind == "namespace") return true;
  if (symbol.kind == "file") return is_of_pragma(outline, symbol, word);
  return is_include(symbol) || (symbol.kind == "macro" && is_parameter(symbol, word));
}

}  // namespace gittxn::semantic
