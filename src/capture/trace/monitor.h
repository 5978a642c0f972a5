// The monitor: a fork of the caller that starts the command, traces it, and ends its tree.
//
//   caller -> monitor   kInterrupt: a Ctrl-C reached the caller; end of file: the caller died
//   monitor -> caller   kFailed, or kStarted; then kStopped (a Ctrl-Z), and last kDone
//
// over one socket pair that keeps message boundaries. The monitor's first act is to close every
// descriptor it was not given, so that no lock of the caller lives on in it.
//
// End of the tree: what is left when the command has ended gets a moment to finish by itself (a
// `>(tee log)` does), then SIGTERM, `grace_ms`, and SIGKILL until nothing is left. When the caller
// dies there is nobody to wait for: SIGKILL at once.
#pragma once

#include <signal.h>

#include <string>

#include "base/fs.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

enum class Message : char {
  kInterrupt = 'I',
  kStarted = 'R',  // the program was found and runs
  kStopped = 'S',
  kFailed = 'E',  // an Error
  kDone = 'D',    // a TraceResult
};

struct MonitorPlan {
  const TraceSpec* spec = nullptr;
  std::string program;  // empty: to be looked for where the command is
  int record_fd = -1;
  int caller = -1;         // the socket
  int terminal = -1;       // -1: there is none to take
  sigset_t signal_mask{};  // the caller's, for the command
};

// The child of the fork; never returns.
[[noreturn]] void run_monitor(const MonitorPlan& plan);

// run_traced with a record file that is open already (run.cc).
Result<TraceResult> run_into(const TraceSpec& spec, int record_fd);

}  // namespace gittxn::capture
