// The process of git-txn that runs a command of a transaction now, so that a person can look at it
// and stop it. The pid that a shell has of `git txn run` is that of git, which waits for git-txn.
//
// <attempt>/process is locked by that process for as long as the command runs; the lock, and so
// what is told here, ends with it. Nothing is decided by it.
#pragma once

#include <cstdint>

#include "base/fs.h"
#include "txn/state.h"

namespace gittxn::api {

// Says of this process that it runs a command of the attempt, until it is destroyed.
class RunningMark {
 public:
  static Result<RunningMark> set(const Attempt& attempt);

 private:
  explicit RunningMark(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

struct Running {
  int process = 0;                     // 0: none that is known on this machine
  std::int64_t last_call_wall_ms = 0;  // of the newest call on record; 0: none
};
Running running_now(const Attempt& attempt);

// Asks that process to end its command, a second time after some seconds, and waits until it has.
// kUsage: none runs. kTimeout: it does not end.
Status end_running(State& state, const Txn& txn, const Progress& progress);

// Why nothing of a transaction's work can be shown yet.
std::unexpected<Error> no_work_yet(const Txn& txn);

}  // namespace gittxn::api
