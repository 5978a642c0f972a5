// Compensations of the facade: registered by what runs inside of a transaction, and run by the
// command with which it ends without landing, outside of every lock but the transaction's own slot,
// before that command exits.
//
// Exactly when: the transaction was aborted, by abort, a rollback of its workflow, or because its
// command could not start; or it ended with no change to land. Rejected and quarantined ones may
// still land, so theirs wait until somebody gives them up. Never when it landed. In reverse order
// of registration; one that fails is on record and the next goes on.
//
// Trust: they are commands of the agent, not of the repository. Whoever begins a transaction runs
// the agent's commands anyway, so they need no yes of their own; they are run for the user to whom
// the store belongs, and for nobody else (kRefused). They run as gates do: scrubbed environment,
// standard input from /dev/null, ten minutes, in an empty directory of their own. What is refused
// inside of a transaction is refused inside of them (refuse_inside). One that was registered in an
// attempt of which a command was confined is run confined as well, to its own directory.
//
// If we die, or are interrupted: a started compensation without an end, which `git txn status`
// lists. `git txn recover` runs it again, which its number of runs tells: at least once. Until then
// the transaction is not taken up again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/txn.h"
#include "txn/host.h"
#include "txn/registered.h"

namespace gittxn::api {

// Inside of a transaction, durable when it returns. kUsage: outside of one, or no command. A
// confined command, which cannot write the store, has its run do it (ask.h).
Result<Compensation> register_compensation(State& state, const Compensation& asked);

Result<std::vector<Compensation>> compensations_of(State& state, const std::string& id);

// Its directory is `<worktree root>/<id>/compensation-<number>`, beside the attempts.
inline constexpr std::string_view kCompensationFolder = "compensation-";

// Runs what is due of a transaction that ended without landing; of any other nothing. The caller
// holds its slot. kInterrupted says how many are still owed.
Status compensate(State& state, const Txn& txn, const Progress& progress,
                  std::vector<std::string>& notes);
// The same for every one that nobody is at: what commands that died have left.
Status compensate_left(State& state, const Progress& progress, std::vector<std::string>& notes);
// kBusy: it is half undone. The caller holds its slot.
Status check_not_half_undone(State& state, const Txn& txn);
// "compensations 1, 2 ran when it was aborted; ..." of one that is open again; "" when none did.
Result<std::string> compensated_note(State& state, const TxnId& id);

}  // namespace gittxn::api
