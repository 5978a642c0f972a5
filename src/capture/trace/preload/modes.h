// The type and mode of what a look found, as far as its answer tells them or asking costs little.
#pragma once

#include <linux/stat.h>

#include "capture/trace/preload/recorder.h"

namespace gittxn::preload {

// NOLINTBEGIN(performance-no-int-to-ptr): arguments of system calls

inline uint32_t mode_after_stat(const Args& args, long number) {
  constexpr uint32_t kTypeAndMode = STATX_TYPE | STATX_MODE;
  if (number == __NR_statx) {
    const auto* info = reinterpret_cast<const struct statx*>(args.e);
    return (info->stx_mask & kTypeAndMode) == kTypeAndMode ? info->stx_mode : 0;
  }
  return reinterpret_cast<const struct stat*>(args.c)->st_mode;
}

enum class MayRead { kNo, kYes };
constexpr uint32_t kType = 0170000, kRegular = 0100000, kDirectory = 0040000;

// The mode of what was opened, or its type alone where that is found out for less: nothing is read
// of a directory, and nothing at a place of a pipe or a terminal. What is below /sys and /dev may
// do something when it is read, if only nothing.
inline uint32_t mode_opened(uint32_t flags, MayRead may_read, long fd) {
  if ((flags & O_DIRECTORY) != 0) return kDirectory;
  char nothing = 0;
  if (may_read == MayRead::kYes && (flags & O_PATH) == 0 &&
      raw(__NR_pread64, {fd, arg(&nothing), 0, 0}) == 0) {
    return kRegular;
  }
  struct stat info;
  return raw(__NR_fstat, {fd, arg(&info)}) == 0 ? info.st_mode : 0;
}

// What stood there, as far as the answer itself tells or asking costs little.
inline uint32_t mode_after(const Wanted& wanted, long number, const Args& args, long result,
                           MayRead may_read) {
  switch (wanted.look) {
    case Look::kStat:
      return mode_after_stat(args, number);
    case Look::kReadlink:
      return 0120777;
    case Look::kList:
      return 0040000;
    case Look::kOpen:
      return mode_opened(wanted.flags, may_read, result);
    case Look::kAccess:
      break;
  }
  return 0;
}

// NOLINTEND(performance-no-int-to-ptr)

}  // namespace gittxn::preload
