// git txn run --detach, which is three processes:
//
//   the caller      starts the supervisor, waits until the command runs, and prints the id
//   the supervisor  a fork of the caller in a session of its own, without a terminal: starts the
//                   run, keeps what it prints (api/output.h), and notes how it ended
//   the run         this program once more with the same arguments: an ordinary git txn run, whose
//                   standard output is its result alone, for programs
//
//   run -> supervisor      'B' ID line-end FOLDER: begun, and answered: '.' for yes, else a reason
//                          'S': the command runs; from then on nobody waits
//   supervisor -> caller   "started ID PID", or "ended STATUS" and below it the result
//
// The supervisor passes SIGINT and SIGTERM on, so that it ends with the run and not before.
// If the caller dies before the command runs, the run is asked to end. If the supervisor dies, so
// is the run, which then keeps the work. If the run dies, its supervisor notes an end without a
// result, and the transaction is one whose owner died.
#pragma once

#include <vector>

#include "cli/session.h"

namespace gittxn::cli {

// A transaction that was started in the background; process 0: it had ended before that.
struct Detached {
  TxnId txn;
  int process = 0;
};
constexpr Printed<Detached> kDetachedJson{
    "detached", "A transaction whose command runs in the background.",
    [](FieldIo& io, const Detached& one) {
      io.text("txn", one.txn.str());
      io.integer_or_null(
          {"process", "Of git-txn, which runs the command; null: nothing was started."},
          one.process == 0 ? std::nullopt : std::optional<std::int64_t>(one.process), {.least = 1});
    }};

// The caller's part. The exit status; of a run that could not start its own, when that has told
// why.
Result<int> run_detached(Session& session);

// The run's part: the descriptor that its supervisor has given it in GIT_TXN_DETACHED, which is
// taken out of `env`; -1: there is none.
int take_supervisor(Environment& env);
// Tells the supervisor what `progress` is told.
void tell_supervisor(int supervisor, api::Kernel& kernel, api::Progress& progress);

}  // namespace gittxn::cli
