#include "base/json.h"
#include "store/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "store/events.h"

namespace gittxn::store {

std::span<const Area* const> areas() {
  static constexpr const Area* kAreas[] = {
      &kTransactions,  &kBranches,  &kGates,   &kTurns,     &kWorkflows,
      &kCompensations, &kLeases,    &kBudgets, &kConsumers, &kHandlers,
      &kProposals,     &kPortfolio, &kClones,  &kPruning};
  return kAreas;
}

const EventRule* rule_of(std::string_view type) {
  static const auto kByType = [] {
    std::unordered_map<std::string_view, const EventRule*> by_type;
    for (const Area* area : areas()) {
      for (const EventRule& rule : area->rules) by_type.emplace(rule.type, &rule);
    }
    return by_type;
  }();
  const auto found = kByType.find(type);
  return found == kByType.end() ? nullptr : found->second;
}

namespace events {
std::vector<std::string> types() {
  std::vector<std::string> types;
  for (const Area* area : areas()) {
    for (const EventRule& rule : area->rules) types.emplace_back(rule.type);
  }
  std::ranges::sort(types);
  return types;
}
}  // namespace events

std::unexpected<Error> stale(const Event& event, const std::string& why) {
  return fail(Code::kStale, fmt::format("{} of {}: {}", event.type, event.subject, why));
}

std::string event_key(std::string_view source, std::string_view id, std::string_view action,
                      std::string_view version) {
  return fmt::format("{}:{}:{}:{}", source, encode_path(id), action, encode_path(version));
}

std::string text_in(const Json& payload, const char* key) {
  return decode_path(payload[key].text_or(""));
}

namespace {

// "": there is nothing to show.
std::string shown(const Json& value) {
  constexpr std::size_t kShown = 3;
  if (value.is_string()) return decode_path(value.text());
  if (value.is_integer()) return dump_json(value);
  if (value.is_boolean()) return value == Json(true) ? "true" : "";
  if (value.is_object()) {  // a conflict
    return fmt::format("{} {}", text_in(value, "kind"), text_in(value, "subject"));
  }
  if (!value.is_array()) return {};
  std::string out;
  for (std::size_t i = 0; i < value.size() && i < kShown; ++i) {
    out += (i == 0 ? "" : ", ") + shown(value[i]);
  }
  if (value.size() > kShown) out += fmt::format(" and {} more", value.size() - kShown);
  return out;
}

// `field`: what stands between two braces.
std::string told_field(std::string_view field, const Json& payload) {
  const char mark = field.front();
  if (mark == ':' || mark == '~') field.remove_prefix(1);
  const std::size_t question = std::min(field.find('?'), field.size());
  const Json& found = payload[field.substr(0, question)];
  const bool there = !found.is_null();
  const std::string value = there ? shown(found) : std::string();
  if (mark == ':') return value.empty() ? value : ": " + value;
  if (mark == '~') return value.substr(0, 7);
  if (question == field.size()) return there ? value : "?";
  field.remove_prefix(question + 1);
  const std::size_t colon = field.find(':');
  std::string chosen(value.empty() ? field.substr(colon + 1) : field.substr(0, colon));
  if (const std::size_t at = chosen.find('*'); at != chosen.npos) chosen.replace(at, 1, value);
  return chosen;
}

}  // namespace

std::string filled_in(std::string_view text, const Json& payload) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    out += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find('}');
    out += told_field(text.substr(1, close - 1), payload);
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace gittxn::store
