// Paths of a traced process as this process can use them, and what a look-up says about a call that
// is about to be made.
#pragma once

#include <sys/types.h>

#include <string>

#include "capture/trace/trace.h"

namespace gittxn::capture {

// `path` as thread `tid` means it relative to `directory` (or AT_FDCWD), absolute and without the
// process's own aliases (/proc/self/cwd, /dev/fd/3). Empty when the directory has no path (a
// socket). `keep_last`: an alias that is the whole path is itself the subject
// (readlink("/proc/self/exe")).
enum class Alias { kReplace, kKeepLast };
std::string absolute_path(pid_t tid, pid_t process, int directory, std::string path, Alias alias);
// The path behind a descriptor; empty when it is no file.
std::string descriptor_path(pid_t tid, int descriptor);

// Fills result, predicted, mode, dev and ino (trace.h says what they promise).
void predict(Record* record);

// The interpreter of a "#!" file, as the kernel would start it; empty when there is none.
std::string interpreter_of(const std::string& program);

}  // namespace gittxn::capture
