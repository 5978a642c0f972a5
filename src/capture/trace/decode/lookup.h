// Paths of a traced process as this process can use them, and what a look-up says about a call that
// is about to be made.
#pragma once

#include <sys/types.h>

#include <string>

#include "capture/trace/trace.h"

namespace gittxn::capture {

// `path` as thread `tid` means it below `base` (its current directory, or that of a descriptor),
// and without the process's own aliases (/proc/self/cwd, /dev/fd/3). Empty when the base has no
// path (a socket). kKeepLast: an alias that is the whole path is itself the subject
// (readlink("/proc/self/exe")).
enum class Alias { kReplace, kKeepLast };
struct Whose {
  pid_t tid = 0;
  pid_t process = 0;
};
std::string absolute_path(Whose whose, std::string base, std::string path, Alias alias);

// Fills result, predicted, mode, dev and ino (trace.h says what they promise).
void predict(Record* record);

// Fills mode, dev and ino with what stands at `path` now, a link not followed.
void look_at(const std::string& path, Record* record);

// The interpreter of a "#!" file, as the kernel would start it; empty when there is none.
std::string interpreter_of(const std::string& program);

}  // namespace gittxn::capture
