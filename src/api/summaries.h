// Summaries of the facade: stored by events and artifacts, outside of transactions at once, inside
// of one when it has landed.
//
// Inside, nothing of the repository is opened, for that would be a read of everything: a request is
// left beside the observations (summaries.jsonl and the text), and whoever lands the transaction
// stores it, before the worktree goes. If we die between the two, `git txn gc` does it.
#pragma once

#include <string>
#include <vector>

#include "api/state.h"

namespace gittxn::api {

// Stores what a transaction that landed, or changed nothing, asked to be stored. A repeat stores
// nothing more. What an agent asked for and makes no sense is told in `notes`.
Status publish_summaries(Kernel::State& state, const Txn& txn, std::vector<std::string>& notes);

// The reads of summaries that an attempt was shown, from its observations. Any damage is the
// observations' own; what it says was shown counts.
Result<std::vector<Read>> summary_reads(const Attempt& attempt);

}  // namespace gittxn::api
