// The processes below one process, and ending them. The one on top is a child subreaper, so that a
// process whose parent has ended is still below it: nothing gets away by forking twice or by
// setsid.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "base/result.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

// Everything below `top` that has not ended, by a walk over /proc, without the children of `top`
// named in `spare` and what is below them. A process that forks meanwhile may be missed; callers
// repeat until nothing is left.
std::vector<pid_t> descendants(pid_t top, const std::vector<pid_t>& spare = {});
// The direct children, ended or not.
std::vector<pid_t> children_of(pid_t parent);

// What a shell says of a wait status: the program's own, or 128 and the number of a signal.
int exit_status_of(int wait_status);
// The kExit of a process whose wait status the kernel told.
Record exit_record(pid_t process, int wait_status);

// Kills what is below the calling process but for `spare`, again and again until nothing is left.
// `pump` is called between the rounds (it reaps); false: given up after half a minute.
bool kill_descendants(const std::vector<pid_t>& spare, const std::function<void()>& pump);

}  // namespace gittxn::capture
