#include "semantic/compare/module_default.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "semantic/compare/events.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

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

// The name of what the module gives; empty: of something without one; none: it gives nothing.
std::optional<std::string_view> default_of(const Outline& outline) {
  if (outline.tree == nullptr || outline.language == nullptr) return std::nullopt;
  if (family_of(outline.language->name) != Family::kScript) return std::nullopt;
  for (std::size_t i = 0; i < outline.tree->leaves().size(); ++i) {
    const std::string_view word = word_at(outline, i), next = word_at(outline, i + 1);
    if (word == "export" && next == kGivenByDefault) return named_at(outline, i + 2);
    if (word == "as" && next == kGivenByDefault && i > 0) return word_at(outline, i - 1);
    const bool handed_on = word == kGivenByDefault && is_any(next, {"}", ","}) && i > 0;
    if (handed_on && is_any(word_at(outline, i - 1), {"{", ","})) return std::string_view();
    const bool module = word == "exports" && next == "=" && i > 1 && word_at(outline, i - 1) == ".";
    if (module && word_at(outline, i - 2) == "module") return named_at(outline, i + 2);
  }
  return std::nullopt;
}

bool is_default(const Outline& outline, const Outlined* symbol) {
  if (symbol == nullptr || symbol->parent != 0 || symbol->name.empty()) return false;
  return default_of(outline) == symbol->name;
}

}  // namespace

void note_default(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write) {
  const Outlined& any = is != nullptr ? *is : *was;
  if (family_of(write->language) != Family::kScript || any.parent != 0) return;
  const bool is_other = write->change != Change::kChanged || write->what.has(Capability::kBody) ||
                        write->what.has(Capability::kSignature) ||
                        write->what.has(Capability::kContract);
  const std::optional<std::string_view> before = default_of(pair.before),
                                        after = default_of(pair.after);
  // Its name may be exported or not, as long as it is given.
  const bool its =
      (is_default(pair.before, was) || is_default(pair.after, is)) && (is_other || before != after);
  const bool named = before && after && !before->empty() && !after->empty();
  const bool lost = before && (!after || (named && *before != *after));
  const bool says_it = write->kind == "file" || any.name == "module.exports";
  if (its) write->defines.emplace_back(kGivenByDefault);
  if (!lost || was == nullptr || (!its && !says_it)) return;
  write->gone.emplace_back(kGivenByDefault);
  std::ranges::sort(write->gone);
  if (!its) write->defines.emplace_back(kGivenByDefault);
}

}  // namespace gittxn::semantic
