#include "semantic/compare/hidden.h"

#include <algorithm>

#include "base/text.h"
#include "semantic/compare/events.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

bool is_package_main(const Outline& outline) {
  if (outline.tree == nullptr || outline.tree->leaves().size() < 2) return false;
  const auto& leaves = outline.tree->leaves();
  return leaves[0]->text == "package" && leaves[1]->text == "main";
}

// `namespace { … }`
bool is_in_unnamed_namespace(const Outlined& symbol) {
  for (const Node* at = symbol.nodes.empty() ? nullptr : symbol.nodes.front(); at != nullptr;
       at = at->parent) {
    const auto is_its_name = [](const Node* kid) { return kid->field == "name"; };
    if (at->kind == "namespace_definition" && std::ranges::none_of(at->kids, is_its_name)) {
      return true;
    }
  }
  return false;
}

// A trait in PHP is put into types elsewhere, and a type in C# may have more parts.
bool is_in_type_of_several_files(const Outlined& symbol) {
  for (const Node* at = symbol.nodes.empty() ? nullptr : symbol.nodes.front(); at != nullptr;
       at = at->parent) {
    const bool partial = std::ranges::any_of(at->kids, [](const Node* kid) {
      return kid->kind == "modifier" && kid->text == "partial";
    });
    if (partial || at->kind == "trait_declaration") return true;
  }
  return false;
}

}  // namespace

bool says_word(const Outlined& symbol, Capability capability, std::string_view word) {
  return has_word(symbol.code[static_cast<std::size_t>(capability)], word);
}

bool is_hidden(const Outline& outline, const Outlined& symbol) {
  if (outline.language == nullptr) return false;
  const std::string_view language = outline.language->name;
  if (language == "go") return is_package_main(outline);
  const bool is_private = symbol.member && says_word(symbol, Capability::kVisibility, "private");
  if (is_any(language, {"java", "kotlin", "typescript", "tsx"})) return is_private;
  if (is_any(language, {"php", "csharp"})) {
    return is_private && !is_in_type_of_several_files(symbol);
  }
  if (!is_any(language, {"c", "cpp"}) || is_header(outline.path)) return false;
  const bool is_static = !symbol.member && says_word(symbol, Capability::kVisibility, "static");
  return is_static || is_in_unnamed_namespace(symbol);
}

}  // namespace gittxn::semantic
