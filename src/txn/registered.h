// Compensations as their transaction has them: registered while its command runs, and owed once it
// has ended without landing. work/compensations.h runs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/txn.h"
#include "txn/host.h"

namespace gittxn::api {

// kUsage: no command, or it is too long.
Status check_request(const Compensation& asked);
// For the command of that transaction which is running; a name and a command are all that is asked.
// kUsage: what makes no sense, or too many.
Result<Compensation> register_for(State& state, const TxnId& id, Compensation asked);

// Those of a transaction that have not ended and are due, the next to run first.
Result<std::vector<Compensation>> owed_compensations(State& state, const Txn& txn);

// What a person types for those that are owed.
inline constexpr std::string_view kRunOwed = "git txn recover";

}  // namespace gittxn::api
