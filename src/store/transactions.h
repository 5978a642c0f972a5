// What the other areas need of the transactions' projection. Internal to store/.
#pragma once

#include "base/result.h"
#include "db/database.h"
#include "model/event.h"
#include "model/txn.h"

namespace gittxn::store {

// The transaction the event is about; kStale when there is none.
Result<Txn> known_txn(const db::Database& database, const Event& event);
// Moves it to a state if may_follow() says so, else kStale. Ends a wait and notes the event.
Status move_txn(Txn& txn, TxnState to, const Event& event);

}  // namespace gittxn::store
