// Spawn limits of the policy, judged under the write lock that records the new transaction, so that
// any number of beginnings at once stay within them.
//
// A transaction counts while it is alive: open, prepared, landing or repairing, and
//   a process that lives holds its owner's slot; or
//   it was begun to be worked on in steps (git txn begin), and has not ended.
// What a run that died or failed has left open is nobody's, and does not count; neither does what
// is rejected or quarantined, or waits to be resumed.
#pragma once

#include <optional>

#include "txn/state.h"

namespace gittxn::api {

// The transaction that this process is inside of; nullopt: none. kUnsupported: the policy lets none
// begin another (depth 0). kUsage: it is not open, or not of this repository.
Result<std::optional<Txn>> parent_of(State& state, const Policy& policy);

// Before check_limits() and not under the write lock: makes sure, on a server, which runs have lost
// their owner, which takes some seconds where one has. Without it they count as alive.
Status confirm_runs(State& state, const Limits& limits);

// kBusy: as many are alive as there may be. kRefused: it would be deeper than there may be. Call it
// under the write lock; `txn` is not recorded yet.
Status check_limits(State& state, const Limits& limits, const Txn& txn);

}  // namespace gittxn::api
