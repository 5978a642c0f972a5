// The transactions this process is inside of, said by the kernel and not by the environment: a
// variable is gone with `env -u`, and what a process descends from is not.
//
// Whoever starts a command of a transaction leaves two marks on everything that descends from it:
//
//   the filter   a seccomp filter, which nothing takes off again and which every child inherits, in
//                whatever session, namespace or directory it is. It answers a prctl() that means
//                nothing to the kernel: prctl(kFenceAsk, i) fails with kFenceAnswer and the i-th
//                byte of the mark, which is the ids, innermost first, separated by blanks.
//   the parent   a process above it, the monitor, is named kFenceName and the id. It adopts whoever
//                loses its parent, so that a walk upwards meets it also where no filter could be
//                installed (an untraced command of a user without privileges, who may run sudo).
//
// What is asked of a program that ran before (a terminal multiplexer, a container's daemon) is not
// below the command, and has neither mark.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gittxn {

inline constexpr int kFenceAsk = 0x67745846;
inline constexpr int kFenceAnswer = 1024;          // errno: this and a byte, 0 at the end
inline constexpr std::size_t kMaxFenceMark = 240;  // bytes of a mark
inline constexpr std::string_view kFenceName = "git-txn t-";

// The filter's answer; "": there is no mark.
std::string fence_mark();
// The ids that stand in a mark, or that processes above this one are named for; innermost first. Of
// a name only as much as the kernel keeps (15 bytes).
std::vector<std::string> ids_of_mark(std::string_view mark);
std::vector<std::string> ids_of_ancestors();

}  // namespace gittxn
