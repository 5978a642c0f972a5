#include "semantic/symbols/by_default.h"

#include <string_view>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

constexpr std::string_view kDefault = "default";

std::string_view word_at(const Outline& outline, std::size_t at) {
  const auto& leaves = outline.tree->leaves();
  return at < leaves.size() ? leaves[at]->text : std::string_view();
}

// The name that stands alone from leaf `at` to the end of its statement, or that a declaration
// there has; empty: it is something without one.
std::string_view named_at(const Outline& outline, std::size_t at) {
  bool declared = false;
  while (is_any(word_at(outline, at), {"async", "abstract", "function", "*", "class"})) {
    declared = true;
    ++at;
  }
  const std::string_view name = word_at(outline, at), behind = word_at(outline, at + 1);
  if (!is_identifier(name)) return {};
  return declared || !is_any(behind, {".", "(", "[", "?.", "=>", "?", "+", "||", "&&", "as"})
             ? name
             : std::string_view();
}

}  // namespace

std::optional<std::string> given_by_default(const Outline& outline) {
  if (outline.tree == nullptr || outline.language == nullptr) return std::nullopt;
  if (!is_any(outline.language->name, {"javascript", "typescript", "tsx"})) return std::nullopt;
  const auto said = [](std::string_view name) { return std::optional(std::string(name)); };
  for (std::size_t i = 0; i < outline.tree->leaves().size(); ++i) {
    const std::string_view word = word_at(outline, i), next = word_at(outline, i + 1);
    if (word == "export" && next == kDefault) return said(named_at(outline, i + 2));
    if (word == "as" && next == kDefault && i > 0) return said(word_at(outline, i - 1));
    const bool handed_on = word == kDefault && is_any(next, {"}", ","}) && i > 0;
    if (handed_on && is_any(word_at(outline, i - 1), {"{", ","})) return said({});
    const bool module = word == "exports" && next == "=" && i > 1 && word_at(outline, i - 1) == ".";
    if (module && word_at(outline, i - 2) == "module") return said(named_at(outline, i + 2));
  }
  return std::nullopt;
}

}  // namespace gittxn::semantic
