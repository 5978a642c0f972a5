// The projections: state derived from the events, by one function that both append and replay use.
// Internal to store/. It reads nothing but the event and the projections, so replaying gives the
// same bytes; no wall clock, no randomness, no events table.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "db/database.h"
#include "model/event.h"
#include "store/rows.h"

namespace gittxn::store {

// Applies one event; how far the projections are is for the caller to save. kStale: the state does
// not allow it; kCorrupt: its payload is malformed or its type unknown. After an error the
// projections may be half changed: roll back.
Status project(db::Database& database, const Event& event);

// Applies the events up to `up_to` to the empty projections of `target`; up_to 0: all. A pruned log
// is replayed from its checkpoint; up_to is then not before that.
Status replay(const Log& log, db::Database& target, Seq up_to);

// Every projection row as one line of text, table by table in order: what verify --replay compares.
Result<std::vector<std::string>> projection_lines(const db::Database& database);
// The same for people and programs: what the kernel knows.
Result<Json> projection_json(const db::Database& database);

}  // namespace gittxn::store
