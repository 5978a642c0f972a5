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

// The columns of a row by their names.
Json row_json(const db::Statement& row);
// What the kernel knows, table by table in order.
Result<Json> projection_json(const db::Database& database);
// How two sets of projections differ, for a person: the table, the row by its key, and the columns
// with both values, short. Appends at most so many that `problems` has `limit`. All rows of one
// table are in memory at once. Of log/differences.cc.
Status tell_differences(const db::Database& stored, const db::Database& replayed, std::size_t limit,
                        std::vector<std::string>* problems);

}  // namespace gittxn::store
