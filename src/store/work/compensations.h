// Compensations: commands that undo what a transaction did outside of the repository, registered
// from inside of it, and run when it has ended without landing. Each run is a started and an ended
// event, so that one that died in between is told from one that ran; and they are started in
// reverse order.
#pragma once

#include <string>
#include <vector>

#include "model/txn.h"
#include "store/store.h"

namespace gittxn::store {

inline constexpr int kMaxCompensations = 1000;  // of one transaction

Result<std::vector<Compensation>> compensations(const View& view, const TxnId& txn);  // by number
// Aborted, or ended with no change to land and not merged by somebody else: nothing of it can land
// any more unless it is resumed.
bool ended_without_landing(const Txn& txn);
// The transactions that ended so and have one which has not ended.
Result<std::vector<TxnId>> owing_compensation(const View& view);

namespace events {

// Of an open transaction; `number` is one more than the last.
NewEvent compensation_registered(const TxnId& txn, const Compensation& compensation);
// Of one that ended without landing, and of the last that has not ended; `run` is one more than the
// last.
NewEvent compensation_started(const TxnId& txn, int number, int run);
struct CompensationRun {
  int number = 1;
  int run = 1;
  int exit_status = 0;
  bool timed_out = false;
  Digest output;
};
NewEvent compensation_ended(const TxnId& txn, const CompensationRun& run);

}  // namespace events
}  // namespace gittxn::store
