// The log of every type of event as it was once written: what a test of today's program is held to.
//
// testing/stores/events.jsonl has one event a line, all columns, the payload as its stored text.
// Its lines are never edited: a new type is a line more, which GIT_TXN_GOLDEN=write appends to it
// (docs/ HACKING.md). checkpoint.jsonl is the artifact that the log.checkpoint in it names.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/event.h"
#include "store/testing/temp_store.h"

namespace gittxn::store::testing {

std::string stores_dir();
Result<std::vector<Event>> golden_events();
std::string event_line(const Event& event);
// Into a store without an event, with the state that follows from them.
Status put_log(const TempStore& place, const std::vector<Event>& events);

// The published schema of a type's payload (share/schemas/events).
std::string schemas_dir();
Result<Json> published_schema(const std::string& type);

}  // namespace gittxn::store::testing
