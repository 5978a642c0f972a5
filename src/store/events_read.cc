// Reading payloads back: what recovery, `why` and `log` need of an event beyond the projections.
#include <array>

#include "base/json_value.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/events.h"

namespace gittxn::store::events {

void fields(FieldIo& io, Child& child) {
  constexpr std::array<std::string_view, 5> kPhases = {"begun", "joined", "conflict", "nothing",
                                                       "left"};
  io.integer("attempt", child.attempt, kPositive);
  io.integer("number", child.number, kPositive);
  io.text("name", child.name);
  io.word("phase", child.phase, kPhases);
  io.oid({"tree", "\"\" with `begun` and `nothing`"}, child.tree);
}

Result<LandingDetails> landing_details(const std::string& payload) {
  const Json json = TRY(parse_json(payload));
  LandingDetails details;
  if (!json.is_object()) return fail(Code::kCorrupt, "landing.prepared: not a JSON object");
  details.patch = Digest(text_in(json, "patch"));
  details.reads = Digest(text_in(json, "reads"));
  details.writes = Digest(text_in(json, "writes"));
  return details;
}

Result<Json> landing_checkout(const std::string& payload) {
  const Json json = TRY(parse_json(payload));
  const auto found = json.find("checkout");
  if (!json.is_object() || found == json.end() || !found->is_array()) {
    return fail(Code::kCorrupt, "landing.prepared: field 'checkout': not an array");
  }
  return Json(*found);
}

Result<std::optional<Child>> child_of(const Event& event) {
  if (event.type != event_type::kChild) return std::nullopt;
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  return TRY(read_fields<Child>(json, event.type));
}

Result<std::vector<Conflict>> conflicts_of(const Event& event) {
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  std::vector<Conflict> conflicts;
  const auto list = json.find("conflicts");
  if (!json.is_object() || list == json.end()) return conflicts;
  for (const Json& conflict : *list) {
    conflicts.push_back(TRY_IN(event.type, read_fields<Conflict>(conflict)));
  }
  return conflicts;
}

std::string describe(const Event& event) {
  const Result<Json> payload = parse_json(event.payload);
  const EventRule* rule = rule_of(event.type);
  if (!payload || !payload->is_object() || rule == nullptr) return event.type + " (unreadable)";
  const Telling& telling = rule->telling;
  return telling.function != nullptr ? telling.function(*payload)
                                     : filled_in(telling.text, *payload);
}

}  // namespace gittxn::store::events
