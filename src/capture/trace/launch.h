// Starting the command: fork, stdio, directory, filter, and exec on a word from the monitor.
//
// The child stops after it has installed its filter, so that the tracer serves before the first
// call:
//
//   child    filter, then "ready" with the listener (or what failed)      over a socket pair
//   monitor  starts the tracer, then "go"
//   child    exec; the socket closes with it, or carries what failed
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "capture/trace/confine/view.h"
#include "capture/trace/ring.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

// The program that argv[0] names, as execvp would find it in spec.env's PATH. kNotFound.
Result<std::string> find_program(const TraceSpec& spec);

struct Launch {
  const TraceSpec* spec = nullptr;
  std::string program;
  sigset_t signal_mask{};        // the caller's own
  int ruleset = -1;              // of a confinement
  std::optional<ViewPlan> view;  // of one with a mount namespace
  std::string fence;             // what the tree is inside of (fence.h)
};

struct Launched {
  pid_t pid = 0;
  UniqueFd channel;
  UniqueFd listener;  // of a back end with a filter
};

// One try with one back end (not kAuto). kUnsupported: this back end's filter cannot be installed
// here (the child is gone, another may be tried); anything else would fail with every back end.
// `preloaded`: of kHybrid.
Result<Launched> launch(const Launch& plan, Backend backend, const Preloaded& preloaded);
// Lets it go; returns when the program runs, or why it does not.
Status let_go(const Launch& plan, const Launched& launched);

}  // namespace gittxn::capture
