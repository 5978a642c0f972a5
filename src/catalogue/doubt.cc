#include "catalogue/sight.h"

#include <algorithm>

#include "semantic/kinds.h"

namespace gittxn::catalogue {
namespace {

using semantic::is_any;
using semantic::Reference;
using semantic::UseRole;

template <typename Test>
bool any(const Linked& link, Test test) {
  return std::ranges::any_of(link.by,
                             [&](const semantic::Import* import) { return test(*import); });
}

bool is_member(const Subject& subject) {
  return subject.container.contains('#') || subject.kind == "field";
}

// The import calls the module so.
bool names(const semantic::Import& import, std::string_view by) {
  const auto words = semantic::words_of(import.module);
  if (!words.empty() && words.back() == by) return true;
  return std::ranges::any_of(import.binds,
                             [&](const semantic::Binding& binding) { return binding.local == by; });
}
bool binds(const semantic::Import& import, std::string_view name) {
  return std::ranges::any_of(import.binds, [&](const semantic::Binding& binding) {
    return binding.local == name || binding.original == name;
  });
}

}  // namespace

std::string doubt_of_place(const UsedIn& use, const Subject& subject, const Linked& link,
                           Near near) {
  const Reference& reference = use.reference;
  const std::string owner = owner_of(subject);
  const bool c = same_family(subject.language, "c");
  if (!reference.qualifier.empty() || reference.role == UseRole::kMember) {
    const std::string& by = reference.qualifier;
    if (by.empty()) return "whose member it is cannot be told";
    if (by == owner) return {};
    const bool own = is_any(by, {"self", "this", "cls", "Self"});
    if (own && !subject.container.empty() && use.container == subject.container) return {};
    // A member of what is imported is no member of what is in there.
    if (!is_member(subject) && any(link, [&](const auto& one) { return names(one, by); }))
      return {};
    if (!is_member(subject) && c && reference.role != UseRole::kMember) return {};
    return "whose member it is cannot be told";
  }
  if (is_member(subject)) {
    const bool inside = !subject.container.empty() &&
                        (use.container == subject.container || use.symbol == subject.container);
    if (inside || (c && subject.kind == "constructor")) return {};
    return "whose member it is cannot be told";
  }
  if (near == Near::kYes || c) return {};
  const auto says = [&](const auto& one) { return one.all || binds(one, reference.name); };
  if (any(link, says)) return {};
  return "its import does not say this name";
}

}  // namespace gittxn::catalogue
