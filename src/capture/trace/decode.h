// From a stopped system call to a record: reads the arguments, makes the path absolute, and looks
// up what stands there, before the kernel does. Used by both back ends; the ptrace one puts the
// kernel's result in afterwards.
//
// The look-up never opens what the process named (a FIFO or a terminal would block or change), but
// for the first bytes of a regular file about to be executed. It stops for good once the tree has
// touched a mount: a file system served by a traced process would dead-lock with us, and paths no
// longer mean the same to us.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/trace/calls.h"
#include "capture/trace/trace.h"
#include "capture/trace/tracee.h"

namespace gittxn::capture {

struct CallSite {
  pid_t tid = 0;
  std::uint32_t arch = 0;
  std::uint32_t number = 0;
  std::array<std::uint64_t, 6> args{};
};

struct Decoded {
  std::vector<Record> before;  // kFork; recorded whatever becomes of the call
  Record call;
  std::vector<Record> after;  // what goes with a call that happens: "#!" interpreter, notes
  bool has_call = false;      // false: nothing to record (an fstat, a bad address)
  void clear();
};

class Decoder {
 public:
  explicit Decoder(pid_t monitor) : family_(monitor) {}
  // False: the process is gone and the call does not happen.
  bool decode(const CallSite& site, Decoded* out);
  Family& family() { return family_; }

 private:
  Peek shape(const CallSite& site, const Call& call, Record* record);
  Peek shape_open(const CallSite& site, const Call& call, Record* record);
  Peek shape_exec(const CallSite& site, const Call& call, Record* record);
  Peek shape_two(const CallSite& site, const Call& call, Record* record);
  Peek shape_address(const CallSite& site, Record* record);
  Peek read_path(const CallSite& site, int dir_argument, int path_argument, const Record& record,
                 std::string* out);
  Peek full_path(const CallSite& site, int directory, std::string path, const Record& record,
                 std::string* out);
  void describe_program(const CallSite& site, Decoded* out);

  Family family_;
  WorkingDirs dirs_;
  bool mounts_changed_ = false;
};

}  // namespace gittxn::capture
