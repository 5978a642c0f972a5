#include "semantic/compare/outcomes.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "semantic/compare/bound.h"
#include "semantic/compare/events.h"
#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/more_reads.h"
#include "semantic/symbols/results.h"
#include "semantic/symbols/values.h"

namespace gittxn::semantic {
namespace {

void add_raised(const Node& node, Outcomes* outcomes) {
  if (node.kind == "throw_statement") outcomes->emplace(kFails);
  if (node.kind == "raise_statement" && node.kids.size() > 1) {
    const Node& error = *node.kids[1];
    const Node* made = error.kind == "call" ? kid_in(error, "function") : &error;
    const auto words = words_of(made == nullptr ? std::string_view() : made->text);
    if (!words.empty()) outcomes->emplace(words.back());
  }
  for (const Node* kid : node.kids) {
    if (!is_within_itself(*kid)) add_raised(*kid, outcomes);
  }
}

// Errors of these kinds are more kinds of errors.
bool is_kind_of_many(std::string_view error) {
  return is_any(error, {"BaseException", "Exception", "OSError", "IOError", "EnvironmentError",
                        "LookupError", "ArithmeticError", "RuntimeError"});
}

// A class of the file that is one of the old ones, too.
bool is_one_of_old(const Outline& outline, std::string_view name, std::string_view old) {
  return std::ranges::any_of(outline.symbols, [&](const Outlined& symbol) {
    if (symbol.kind != "type" || symbol.name != name || symbol.opaque) return false;
    const std::vector<std::string> bases = bases_of(outline, symbol);
    return std::ranges::find(bases, old) != bases.end();
  });
}

}  // namespace

Outcomes outcomes_of(const Outline& outline, const Outlined& symbol) {
  Outcomes outcomes;
  const Node* node = symbol.opaque ? nullptr : function_or_value(outline, symbol);
  const Node* body = node == nullptr || !is_within_itself(*node) ? nullptr : kid_in(*node, "body");
  if (body == nullptr) return outcomes;
  add_raised(*body, &outcomes);
  for (const Node* value : values_given_by(*node)) {
    if (is_nothing(*value)) outcomes.emplace(kEndsInNothing);
  }
  return outcomes;
}

std::vector<std::string> gone_outcomes(const Outcomes& was, const Outcomes& is,
                                       const Outline& after) {
  std::vector<std::string> gone, fresh;
  std::ranges::set_difference(was, is, std::back_inserter(gone));
  std::ranges::set_difference(is, was, std::back_inserter(fresh));
  // It gives nothing where it failed.
  const bool quiet = was.contains(kFails) && !is.contains(kFails) &&
                     !was.contains(kEndsInNothing) && is.contains(kEndsInNothing);
  if (quiet) return {std::string(kFails)};
  std::erase(fresh, kEndsInNothing);
  if (fresh.empty()) return {};
  std::erase_if(gone, [&](const std::string& old) {
    return old == kFails || is_kind_of_many(old) ||
           std::ranges::any_of(
               fresh, [&](const std::string& error) { return is_one_of_old(after, error, old); });
  });
  return gone;
}

Events events_of(const Outline& outline) {
  Events events;
  if (outline.tree == nullptr || outline.language == nullptr) return events;
  const bool python = outline.language->name == "python";
  if (!python && family_of(outline.language->name) != Family::kScript) return events;
  for (const Node* leaf : outline.tree->leaves()) {
    if (leaf->parent == nullptr || !leaf->parent->kind.starts_with("argument")) continue;
    const EventTold event =
        event_told(*leaf, {"emit", "publish", "dispatch", "trigger", "fire", "notify"});
    if (!event.name.empty()) events.emplace(event.name, event.owner);
  }
  return events;
}

Events gone_events(const Events& was, const Events& is) {
  const auto tells_of = [](const Events& events, const std::string& name) {
    return std::ranges::any_of(events, [&](const auto& event) { return event.first == name; });
  };
  const bool fresh =
      std::ranges::any_of(is, [&](const auto& event) { return !tells_of(was, event.first); });
  if (!fresh) return {};
  Events gone = was;
  std::erase_if(gone, [&](const auto& event) { return tells_of(is, event.first); });
  return gone;
}

}  // namespace gittxn::semantic
