// The transaction part of the projections. Internal to store/.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "db/database.h"
#include "model/event.h"
#include "model/txn.h"

namespace gittxn::store {

// All events whose type starts with "txn.".
Status project_txn(db::Database& database, const Event& event, const Json& json);

// The transaction the event is about; kStale when there is none.
Result<Txn> known_txn(const db::Database& database, const Event& event);
// Moves it to a state if may_follow() says so, else kStale. Ends a wait and notes the event.
Status move_txn(Txn& txn, TxnState to, const Event& event);

}  // namespace gittxn::store
