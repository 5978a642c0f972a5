// A run that somebody takes up where it stopped: its agent's conversation goes on, and lands as it
// would have. Internal to api/.
#pragma once

#include <optional>

#include "api/kernel.h"
#include "txn/attempt.h"
#include "txn/serve/round.h"

namespace gittxn::api {

// `held`: open, the caller's, with a worktree and its work taken. nullopt: its agent cannot be
// asked, and nothing was changed but what a merge of the branch changes (txn/rounds.h).
Result<std::optional<Outcome>> take_up(State& state, Held held, const Refusal& refusal,
                                       const RunOptions& options, const Progress& progress);

}  // namespace gittxn::api
