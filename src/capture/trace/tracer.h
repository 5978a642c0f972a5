// Messages between the monitor's main thread and its tracing thread.
//
// The tracing thread does nothing but answer stopped calls and append records; the main thread has
// the signals, the clock, the caller and the end of the tree. So a process that is being ended can
// still make its last calls, and nothing in the hot path polls.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/fs.h"
#include "base/result.h"
#include "capture/trace/decode/decode.h"
#include "capture/trace/record_file.h"
#include "capture/trace/ring.h"

namespace gittxn::capture {

// The state of the tree as far as waitpid told somebody. Written by whoever reaps (the tracing
// thread under ptrace, the main thread otherwise), read by the main thread.
struct TreeState {
  pid_t root = 0;
  std::atomic<int> root_status{-1};       // a wait status; -1: runs
  std::atomic<bool> root_stopped{false};  // by a terminal or SIGSTOP; cleared by who acts on it
  std::atomic<bool> empty{false};         // no child is left at all
  std::atomic<bool> tracer_failed{false};
  UniqueFd wake;  // eventfd: one of the above has changed
  void wake_main() const;
};

class Tracer {
 public:
  Tracer(TreeState* tree, RecordWriter* writer) : tree_(tree), writer_(writer) {}
  virtual ~Tracer() = default;
  // Starts the thread; returns once it serves. The tree must be gone before stop().
  virtual Status start() = 0;
  virtual void stop() = 0;
  // Any thread, now and then: what was seen until now and lies somewhere gets to the writer soon,
  // also while the tree makes no call.
  virtual void collect() {}
  // Main thread: waitpid told the end of a process, for back ends that do not wait themselves.
  virtual void reaped(pid_t, int /*wait_status*/) {}

 protected:
  void fail_tracing(std::string_view what, int error);

  TreeState* tree_;
  RecordWriter* writer_;
};

// With a library: calls that it made itself come from its ring.
std::unique_ptr<Tracer> make_notify_tracer(UniqueFd listener, TreeState* tree, RecordWriter* writer,
                                           Preloaded preloaded);
// `unused_listener`: kept open so that nobody else in the tree can have one (filter.h).
std::unique_ptr<Tracer> make_ptrace_tracer(UniqueFd unused_listener, TreeState* tree,
                                           RecordWriter* writer);

// Whether this process has what the eBPF back end needs, and this program was built with it;
// kUnsupported with the reason. Cheap: nothing is loaded.
Status may_use_bpf();
// `ring_bytes` as in TraceSpec. start() loads the programs; the command must not run yet.
std::unique_ptr<Tracer> make_bpf_tracer(TreeState* tree, RecordWriter* writer,
                                        std::size_t ring_bytes);

// Whether the listener took the flag for synchronous wake-up (Linux 6.6).
bool set_synchronous_wakeup(int listener);

}  // namespace gittxn::capture
