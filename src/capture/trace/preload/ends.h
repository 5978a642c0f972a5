// Numbers of descriptors that still mean the directory they meant. A path below a descriptor needs
// no question to the kernel where its number has got no other meaning since the last one.
//
// Seen are, in the process itself,
//   - libc's calls by which a number loses its meaning, those inside libc too (closedir, fclose):
//     the functions that make them are sent to those below, all of them or none;
//   - the same calls made by syscall(), and what the library itself opens;
// and by the monitor every other call that opens something, which is notified (Header::others). So
// a directory has to be closed and another one opened, both unseen, before a path is recorded in
// the wrong one. That is done by code that makes its own system calls: dup2 or dup3 of one
// directory to the number of another one that libc's openat has been used with; or a close, and the
// number taken by dup, or by a descriptor that comes through a socket. Nor is it seen where another
// process shares the descriptors of this one, but not its memory.
//
// A process is watched after kEnough questions: what most of them ask is not worth two pages of
// libc's code. A close that is watched is no cancellation point.
#pragma once

#include "capture/trace/preload/patch.h"
#include "capture/trace/preload/recorder.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier): libc's name
extern "C" __attribute__((weak)) int* __errno_location();

namespace gittxn::preload {

inline long give(long result) {
  if (!failed(result)) return result;
  if (__errno_location != nullptr) *__errno_location() = static_cast<int>(-result);
  return -1;
}

// Before the number loses its meaning, and after it has got one. A child that has its parent's
// memory and descriptors of its own makes the parent forget too much, and never too little.
inline void forget(int fd) {
  if (fd < 0 || bug(ring::kKeepDescriptors)) return;
  uint64_t* at = &process.standing[static_cast<uint32_t>(fd) % kDirectories];
  const uint64_t word = load(at);
  if ((word & kNumber) == static_cast<uint64_t>(fd) + 1) swap(at, word, uint64_t{0});
}

extern "C" {
__attribute__((visibility("hidden"))) inline int txn_close(int fd) {
  forget(fd);
  return static_cast<int>(give(raw(__NR_close, {fd})));
}
__attribute__((visibility("hidden"))) inline int txn_dup2(int from, int to) {
  forget(to);
  return static_cast<int>(give(raw(__NR_dup2, {from, to})));
}
__attribute__((visibility("hidden"))) inline int txn_dup3(int from, int to, int flags) {
  forget(to);
  return static_cast<int>(give(raw(__NR_dup3, {from, to, flags})));
}
__attribute__((visibility("hidden"))) inline int txn_close_range(unsigned first, unsigned last,
                                                                 int flags) {
  constexpr int kUnshare = 2;
  if ((flags & kUnshare) != 0) store(&txn_parted, 1u);
  __atomic_add_fetch(&txn_moved, 1, __ATOMIC_SEQ_CST);
  return static_cast<int>(
      give(raw(__NR_close_range, {static_cast<long>(first), static_cast<long>(last), flags})));
}
}

// libc's word for it knows of no thread that was made without libc; /proc has each.
inline bool has_one_thread() {
  struct stat info;
  const char tasks[] = "/proc/self/task";
  constexpr uint64_t kSelfParentAndOne = 3;
  return is_single_threaded() &&
         library.page(__NR_newfstatat, AT_FDCWD, arg(&tasks[0]), arg(&info), 0, 0) == 0 &&
         info.st_nlink == kSelfParentAndOne;
}

inline void watch_ends() {
  if (!has_one_thread()) return;
  const Patch patches[] = {
      {"close", __NR_close, reinterpret_cast<void*>(&txn_close)},
      {"__close_nocancel", __NR_close, reinterpret_cast<void*>(&txn_close)},
      {"dup2", __NR_dup2, reinterpret_cast<void*>(&txn_dup2)},
      {"dup3", __NR_dup3, reinterpret_cast<void*>(&txn_dup3)},
      {"close_range", __NR_close_range, reinterpret_cast<void*>(&txn_close_range)},
  };
  constexpr size_t kCount = sizeof patches / sizeof patches[0];
  Sites sites;
  find_sites(patches, kCount, &sites);
  if (sites.count == kCount && overwrite(sites)) store(&library.sees_ends, 1u);
}

}  // namespace gittxn::preload
