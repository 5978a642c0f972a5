// See clones.h. There is no table: an event's key is taken once, by whoever comes first, and stays
// when the event is pruned.
#include "store/clones.h"

#include <fmt/format.h>

#include "base/json.h"
#include "store/area.h"

namespace gittxn::store {
namespace {

struct CloneJoined {
  std::string id;
};
void fields(FieldIo& io, CloneJoined& joined) {
  io.text({"id", "that the clone keeps to itself"}, joined.id);
  if (joined.id.empty()) io.wrong("id", "empty");
}

constexpr EventRule kCloneRules[] = {
    {event_type::kCloneJoined,
     {.about =
          "A clone has joined the hub: the name, which is the subject, is its own from now on.",
      .subject = "its name",
      .when = "the name is nobody's, or that clone's"},
     accepts<only_told<CloneJoined>>,
     "joined the hub, as {id}"}};

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
    return std::optional<std::string>(text_in(payload, "id"));
  }
  return std::optional<std::string>();
}

namespace events {
NewEvent clone_joined(const std::string& name, const std::string& id) {
  return event_with(event_type::kCloneJoined, name, CloneJoined{id},
                    fmt::format("clone:{}:joined:1", name));
}
}  // namespace events

}  // namespace gittxn::store
