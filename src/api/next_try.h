// The next step about a refusal: by a script as often as its options say, at a terminal what a
// person says. Internal to api/.
#pragma once

#include <vector>

#include "txn/rounds.h"

namespace gittxn::api {

enum class NextTry { kItsAgent, kAgain, kShell, kNone };

struct Refused {
  const TxnId& id;
  const RefName& target;
  const std::vector<Conflict>& conflicts;
  enum class By { kConflict, kGate } by = By::kConflict;  // kGate: by a gate or the policy
  int times_run_again = 0;
};
Result<NextTry> next_try(State& state, const Refused& refused, const Rounds& rounds,
                         const RunOptions& options, const Progress& progress);

}  // namespace gittxn::api
