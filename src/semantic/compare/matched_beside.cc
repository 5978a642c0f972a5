#include "semantic/compare/matched_beside.h"

#include <algorithm>

#include "semantic/compare/bound.h"
#include "semantic/compare/hidden.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

bool is_type_with(const Outlined& symbol, const std::string& own_id) {
  return symbol.kind == "type" && !symbol.opaque && symbol.id != own_id;
}

bool is_sealed(const Outline& outline, std::string_view name) {
  return std::ranges::any_of(outline.symbols, [&](const Outlined& symbol) {
    return is_type_with(symbol, {}) && symbol.name == name &&
           says_word(symbol, Capability::kVisibility, "sealed");
  });
}

std::vector<std::string> sealed_beside(const Outline& outline, const Outlined& type) {
  std::vector<std::string> names;
  for (const std::string& base : bases_of(outline, type)) {
    if (!is_sealed(outline, base)) continue;
    for (const Outlined& other : outline.symbols) {
      if (!is_type_with(other, type.id)) continue;
      const std::vector<std::string> bases = bases_of(outline, other);
      if (std::ranges::find(bases, base) != bases.end()) names.push_back(other.name);
    }
  }
  return names;
}

}  // namespace

bool has_all_matched(std::string_view language) {
  return is_any(language, {"java", "kotlin", "php"});
}

std::vector<std::string> matched_beside(const Outline& outline, const Outlined& symbol) {
  std::vector<std::string> names;
  if (outline.language == nullptr || !has_all_matched(outline.language->name)) return names;
  if (outline.language->name == "kotlin" && is_type_with(symbol, {})) {
    return sealed_beside(outline, symbol);
  }
  if (!symbol.member || symbol.kind != "constant") return names;
  for (const Outlined& other : outline.symbols) {
    const bool its = other.container == symbol.container && other.id != symbol.id;
    if (its && other.kind == "constant") names.push_back(other.name);
  }
  return names;
}

}  // namespace gittxn::semantic
