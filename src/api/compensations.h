// Compensations of the facade: registered by what runs inside of a transaction, and run by the
// command that aborts it, outside of every lock but the transaction's own slot, before it exits.
//
// Exactly when: the transaction was aborted, by abort, a rollback of its workflow, or because its
// command could not start. Rejected and quarantined ones may still land, so theirs wait until
// somebody gives them up. Never when it landed, or changed nothing. In reverse order of
// registration; one that fails is on record and the next goes on.
//
// Trust: they are commands of the agent, not of the repository. Whoever begins a transaction runs
// the agent's commands anyway, so they need no yes of their own; they are run for the user to whom
// the store belongs, and for nobody else (kRefused). They run as gates do: scrubbed environment,
// standard input from /dev/null, ten minutes, in an empty directory of their own.
//
// If we die: a started compensation without an end. `git txn recover` runs it again, which its
// number of runs tells: at least once.
#pragma once

#include <string>
#include <vector>

#include "api/kernel.h"
#include "model/compensation.h"

namespace gittxn::api {

struct CompensationRequest {
  std::string name;
  std::vector<std::string> argv;
};
// Inside of a transaction, durable when it returns. kUsage: outside of one, or no command.
Result<Compensation> register_compensation(Kernel& kernel, const CompensationRequest& request);

Result<std::vector<Compensation>> compensations_of(Kernel& kernel, const std::string& id);

// The next two are internal to api/. Runs what is due of a transaction that was aborted; of any
// other nothing. The caller holds its slot.
Status compensate(Kernel::State& state, const TxnId& id, const Progress& progress,
                  std::vector<std::string>& notes);
// "compensations 1, 2 ran when it was aborted; ..." of one that is open again; "" when none did.
Result<std::string> compensated_note(Kernel::State& state, const TxnId& id);
// The same as compensate() for every one that nobody is at: what commands that died have left.
Status compensate_left(Kernel::State& state, const Progress& progress,
                       std::vector<std::string>& notes);

}  // namespace gittxn::api
