// See clones.h. There is no table: an event's key is taken once, by whoever comes first, and stays
// when the event is pruned.
#include "store/clones.h"

#include <fmt/format.h>

#include "base/json_value.h"
#include "model/codec.h"
#include "store/area.h"

namespace gittxn::store {
namespace {

Status clone_joined(db::Database&, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string id;
  fields.text("id", id);
  if (id.empty()) fields.wrong("id", "empty");
  return fields.done();
}

std::string tell_clone_joined(const Json& payload) {
  return "joined the hub, as " + telling::text(payload, "id");
}

constexpr EventRule kCloneRules[] = {{event_type::kCloneJoined, clone_joined, tell_clone_joined}};

}  // namespace

const Area kClones{"", {}, kCloneRules};

Status claim_clone(Store& store, const std::string& name, const std::string& id) {
  TRY(store.append({events::clone_joined(name, id)}));
  return {};
}

Result<std::optional<std::string>> id_of_clone(const Store& store, const std::string& name) {
  for (const Event& event : TRY(store.events_of(name))) {
    if (event.type != event_type::kCloneJoined) continue;
    const Json payload = TRY_IN(event.type, parse_json(event.payload));
    return std::optional<std::string>(telling::text(payload, "id"));
  }
  return std::optional<std::string>();
}

namespace events {
NewEvent clone_joined(const std::string& name, const std::string& id) {
  return new_event(event_type::kCloneJoined, name, Json{{"id", encode_path(id)}},
                   fmt::format("clone:{}:joined:1", name));
}
}  // namespace events

}  // namespace gittxn::store
