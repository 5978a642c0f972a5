// The system calls the trace looks at: their numbers, and where their arguments are. One table
// serves the filter, the notification and the ptrace back end, so that all three agree on what is
// seen.
//
// What is not in it, and why that loses nothing: calls on descriptors (read, mmap, fstat,
// fchmod...) belong to an open that is recorded; a private worktree's writes are taken from the
// worktree itself.
#pragma once

#include <linux/audit.h>

#include <cstdint>
#include <span>

#include "capture/trace/trace.h"

namespace gittxn::capture {

constexpr int kNone = -1;

enum class Shape : std::uint8_t {
  kPath,        // one path
  kOpen,        // a path and open flags
  kOpenHow,     // openat2: the flags are in a structure
  kCreat,       // open with fixed flags
  kMake,        // mknod: creates what must not be there
  kExec,        // a program and its argument vector
  kDescriptor,  // a descriptor alone
  kTwoPaths,    // rename, link
  kSymlink,     // a text and a path
  kAddress,     // a socket address, and its length in the argument behind it
  kMessage,     // a message header, which says whom it is for
  kMount,       // a path, and paths change their meaning
  kBlind,       // cannot be followed
  kUnshare,     // nothing to record: a thread may get a directory of its own
  kListener,    // seccomp(): somebody's own notification listener
  kEnd,         // a process ends, and says with which code
};

struct Call {
  std::uint32_t number;
  const char* name;
  Op op;
  Shape shape;
  // Argument positions; kNone: there is none (no directory: the current one).
  int dir, path, flags;
  int dir2 = kNone, path2 = kNone;
  // Which links the call itself follows at the end of its path, before flags have their say.
  enum class Last : std::uint8_t { kFollow, kKeep } last = Last::kFollow;
};

std::span<const Call> all_calls();  // the most frequent first: the filter tests in this order
const Call* find_call(std::uint32_t number);
// One that the preloaded library makes itself, from the allowed page, and only to read.
bool is_library_call(std::uint32_t number);
// Flags of unshare() after which a thread has a current directory or descriptors of its own.
inline constexpr std::uint32_t kPartsThreads =
    0x200 | 0x400 | 0x20000 | 0x10000000;  // FS, FILES,
                                           // NEWNS, NEWUSER
// Every number is refused with ENOSYS: io_uring_setup, _enter and _register start operations that
// no tracer here can see.
inline constexpr std::uint32_t kRefusedCalls[] = {425, 426, 427};
// The 32-bit system call interface of the same kernel: path calls that show that a program uses it.
std::span<const std::uint32_t> compat_calls();
// Of this machine, and of its 32-bit interface; 0: it is not supported, there is none.
#if defined(__x86_64__) && !defined(__ILP32__)
inline constexpr std::uint32_t kNativeArch = AUDIT_ARCH_X86_64, kCompatArch = AUDIT_ARCH_I386;
#elif defined(__aarch64__)
inline constexpr std::uint32_t kNativeArch = AUDIT_ARCH_AARCH64, kCompatArch = AUDIT_ARCH_ARM;
#else
inline constexpr std::uint32_t kNativeArch = 0, kCompatArch = 0;
#endif

}  // namespace gittxn::capture
