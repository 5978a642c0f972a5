#include "base/json_value.h"
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

namespace telling {

std::string text(const Json& payload, const char* key) {
  const auto found = payload.find(key);
  return found != payload.end() && found->is_string()
             ? decode_path(found->get_ref<const std::string&>())
             : std::string();
}

std::string number(const Json& payload, const char* key) {
  const auto found = payload.find(key);
  return found != payload.end() && found->is_number_integer() ? found->dump() : std::string("?");
}

std::string first_texts(const Json& payload, const char* key) {
  constexpr std::size_t kShown = 3;
  const auto list = payload.find(key);
  if (list == payload.end() || !list->is_array()) return {};
  std::string out;
  for (std::size_t i = 0; i < list->size() && i < kShown; ++i) {
    if (!(*list)[i].is_string()) continue;
    out += (out.empty() ? "" : ", ") + decode_path((*list)[i].get<std::string>());
  }
  if (list->size() > kShown) out += fmt::format(" and {} more", list->size() - kShown);
  return out;
}

std::string brief(std::string_view oid) {
  return std::string(oid.substr(0, 7));
}

std::string after_colon(std::string_view text) {
  return text.empty() ? std::string() : fmt::format(": {}", text);
}

}  // namespace telling

}  // namespace gittxn::store
