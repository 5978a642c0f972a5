// Reading payloads back: what recovery, `why` and `log` need of an event beyond the projections.
#include <array>

#include "base/json.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/events.h"
#include "store/rows.h"

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

Result<PreparedLanding> prepared_landing(const Event& event) {
  return landing_from_payload(event.payload, event.seq);
}

Result<Admission> admitted_of(const std::vector<Event>& history) {
  Admission admitted;
  for (const Event& event : history) {
    if (event.type == event_type::kLandingLost) admitted = {};
    if (event.type == event_type::kLandingPrepared) admitted = TRY(admitted_by(event));
  }
  return admitted;
}

Result<std::optional<Child>> child_of(const Event& event) {
  if (event.type != event_type::kChild) return std::nullopt;
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  return TRY(read_fields<Child>(json, event.type));
}

Result<std::vector<Conflict>> conflicts_of(const Event& event) {
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  std::vector<Conflict> conflicts;
  const Json& list = json["conflicts"];
  if (!list.is_array() && json.contains("conflicts")) {
    return fail(Code::kCorrupt, event.type + ": field 'conflicts': not an array");
  }
  for (const Json& conflict : list) {
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
