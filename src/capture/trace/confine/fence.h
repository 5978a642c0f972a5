// The filter that a command's whole tree carries beside the trace's: the mark by which git-txn
// knows that it runs inside of a transaction (base/fence.h), and, around a command that is
// confined, that nothing is typed into a terminal for the person who reads it (TIOCSTI, TIOCLINUX).
//
// It is decided by the call's number but for prctl and ioctl, so that the kernel skips it for every
// other call.
#pragma once

#include <linux/filter.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace gittxn::capture {

// The mark for a command with this environment: the transaction that it names (GIT_TXN_ID, or
// GIT_TXN_COMPENSATES), and what this process is inside of already. kUnsupported: that is too many.
Result<std::string> fence_for(const Environment& env);
// The name of the process above the command; "" for no mark.
std::string fence_name(const std::string& mark);

enum class Typing { kAllowed, kRefused };
// Empty: there is nothing to decide, or this machine's architecture is not known.
std::vector<sock_filter> make_fence(std::string_view mark, Typing typing);

// In the child, between fork and exec. 0 or an errno; EACCES: neither privileged, nor without new
// privileges for good (PR_SET_NO_NEW_PRIVS).
int install_fence(const std::vector<sock_filter>& filter);

}  // namespace gittxn::capture
