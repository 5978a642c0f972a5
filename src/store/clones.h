// The names of a hub's clones. A transaction belongs to the clone of its name, which alone may take
// its work up or away: so a name is one clone's for good, and the log says whose. A clone is told
// by an id that it keeps to itself (txn/clone.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/event.h"
#include "store/store.h"

namespace gittxn::event_type {
inline constexpr std::string_view kCloneJoined = "clone.joined";  // id; the subject is the name
}

namespace gittxn::store {

// The first to come has the name. A repeat by the same clone is no second event. kExists: it is
// another clone's.
Status claim_clone(Store& store, const std::string& name, const std::string& id);
// Whose it is; none: nobody's, or the event has been pruned.
Result<std::optional<std::string>> id_of_clone(const Store& store, const std::string& name);

namespace events {
NewEvent clone_joined(const std::string& name, const std::string& id);
}

}  // namespace gittxn::store
