// From a stopped system call to a record: reads the arguments, makes the path absolute (shape.h),
// and looks up what stands there, before the kernel does. The ptrace back end puts the kernel's
// result in afterwards.
//
// The look-up never opens what the process named (a FIFO or a terminal would block or change), but
// for the first bytes of a regular file about to be executed. It stops for good once the tree has
// touched a mount: a file system served by a traced process would dead-lock with us, and paths no
// longer mean the same to us.
#pragma once

#include <sys/types.h>

#include <vector>

#include "capture/trace/decode/shape.h"
#include "capture/trace/decode/tracee.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

struct Decoded {
  std::vector<Record> before;  // kFork, kWasLink; recorded whatever becomes of the call
  Record call;
  std::vector<Record> after;  // what goes with a call that happens: "#!" interpreter, notes
  bool has_call = false;      // false: nothing to record (an fstat, a bad address)
  // The environment of a program that starts, as it lay in memory: for Environments, once the call
  // was let go.
  std::string environment;
  bool environment_known = false;
  void clear();
};

class Decoder {
 public:
  explicit Decoder(pid_t monitor) : family_(monitor) {}
  // False: the process is gone and the call does not happen.
  bool decode(const CallSite& site, Decoded* out);
  Family& family() { return family_; }
  WorkingDirs& directories() { return dirs_; }
  // False once a path may mean something else to us than to the process.
  bool may_look() const { return !mounts_changed_; }

 private:
  class ProcessView;
  void end(const CallSite& site, const Family::Member& member, Decoded* out);
  void keep_given(const Family::Member& member, pid_t tid, Decoded* out);

  Family family_;
  WorkingDirs dirs_;
  bool mounts_changed_ = false;
};

}  // namespace gittxn::capture
