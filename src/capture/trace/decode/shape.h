// From a system call's arguments to a record: what it asks for, and the paths it names, made
// absolute. Where the arguments and directories come from is a CallView: a process that waits for
// us, or what another back end kept of the call. Nothing is looked up here and no result is known.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/trace/decode/calls.h"
#include "capture/trace/decode/lookup.h"
#include "capture/trace/decode/tracee.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

struct CallSite {
  pid_t tid = 0;
  std::uint32_t arch = 0;
  std::uint32_t number = 0;
  std::array<std::uint64_t, 6> args{};
  bool by_library = false;  // the preloaded one, which asks for its directory again after a chdir
};

class CallView {
 public:
  virtual ~CallView() = default;
  // Bytes at an address of the process; as peek_string, peek_bytes and peek_start say it.
  virtual Peek text(std::uint64_t address, std::size_t limit, std::string* out) = 0;
  virtual Peek bytes(std::uint64_t address, void* out, std::size_t size) = 0;
  virtual Peek start(std::uint64_t arguments, std::uint64_t environment,
                     std::vector<std::string>* out) = 0;
  // The path of a descriptor, or of the current directory (AT_FDCWD).
  virtual Peek directory(int descriptor, std::string* out) = 0;
  // absolute_path for this process (lookup.h).
  virtual std::string absolute(std::string base, std::string path, Alias alias) = 0;
};

// Fills op, path, path2, flags and nofollow of a record whose op is the call's.
// kFault and kLong: the kernel refuses the call too, or it says nothing new: nothing to record.
Peek shape_call(CallView& view, const CallSite& site, const Call& call, Record* record);
// Fills argv and argv_cut of a call that starts a program, which has been shaped.
Peek shape_start(CallView& view, const CallSite& site, const Call& call, Record* record);

}  // namespace gittxn::capture
