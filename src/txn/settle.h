// Asking for a landing and telling how it ended; what run and commit have in common.
#pragma once

#include <string>
#include <vector>

#include "txn/attempt.h"

namespace gittxn::api {

// Prepared, then land(). Fills what the outcome knows of it. An interrupted wait is a waiting
// outcome.
Result<land::LandResult> ask_to_land(State& state, const Txn& txn, const RunOptions& options,
                                     const Progress& progress, Outcome& outcome);

// What every outcome ends with: the transaction as the log has it, its reads and writes, and the
// next line to type. `started_ns` is of the monotonic clock.
Status finish_outcome(State& state, const TxnId& id, std::int64_t started_ns, Outcome& outcome);
std::string next_line(const Txn& txn);
// Its phase was left and the policy drops it: who asks for its landing is told no. For a look.
Result<bool> dropped_with_phase(State& state, const Txn& txn);

// "lost 3 records", for a person, when reads are unknown; empty when they are complete.
std::string unknown_note(const ReadSet& reads);

}  // namespace gittxn::api
