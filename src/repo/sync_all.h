// Internal to repo/: many files and directories made durable at once.
//
// One fsync after another is the slowest part of a landing: each waits for a flush of the device of
// its own, also when the journal has long been committed by the one before. Asked for at the same
// time they share journal commits and flushes: 17 of them took 73 ms one by one, 8 ms together and
// 10 ms as one syncfs (median of 40 on a busy 2-core machine, ext4), and unlike syncfs they do not
// wait for what other programs write. Kernel AIO is as fast, but costs 35 ms when the process ends;
// io_uring is forbidden in many containers; so it is threads, which live no longer than the call.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gittxn::repo::internal {

// fsync of every path, in no particular order: nothing may refer to them before this returns. The
// error of the first path (as listed) that failed; the others were tried all the same.
Status sync_all(const std::vector<std::string>& paths);

}  // namespace gittxn::repo::internal
