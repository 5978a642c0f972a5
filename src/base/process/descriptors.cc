// Closing what a child was not given. Runs between fork and exec: no allocation, no locks.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/subprocess.h"

namespace gittxn {

namespace {

int lowest_kept_from(const std::vector<int>& keep, int from) {
  int lowest = INT_MAX;
  for (int fd : keep) {
    if (fd >= from && fd < lowest) lowest = fd;
  }
  return lowest;
}

bool close_by_ranges(const std::vector<int>& keep) {
  int from = STDERR_FILENO + 1;
  while (true) {
    const int kept = lowest_kept_from(keep, from);
    const auto last = kept == INT_MAX ? ~0u : static_cast<unsigned int>(kept) - 1;
    if (kept > from && ::close_range(static_cast<unsigned int>(from), last, 0) != 0) return false;
    if (kept == INT_MAX) return true;
    from = kept + 1;
  }
}

// For kernels and sandboxes without close_range: what /proc lists, read without opendir's
// allocation.
void close_listed(const std::vector<int>& keep) {
  const int dir = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return;
  alignas(std::uint64_t) std::array<char, 4096> buffer;
  while (true) {
    const long size = ::syscall(SYS_getdents64, dir, buffer.data(), buffer.size());
    if (size <= 0) break;
    for (long at = 0; at < size;) {
      // struct linux_dirent64: inode 8, offset 8, record length 2, type 1, name.
      const char* record = buffer.data() + at;
      const auto length =
          static_cast<unsigned char>(record[16]) | (static_cast<unsigned char>(record[17]) << 8);
      int fd = 0;
      bool number = false;
      for (const char* c = record + 19; *c >= '0' && *c <= '9'; ++c) {
        fd = fd * 10 + (*c - '0');
        number = true;
      }
      if (number && fd > STDERR_FILENO && fd != dir && std::ranges::find(keep, fd) == keep.end())
        ::close(fd);
      at += length;
    }
  }
  ::close(dir);
}

}  // namespace

void close_other_descriptors(const std::vector<int>& keep) {
  if (!close_by_ranges(keep)) close_listed(keep);
}

}  // namespace gittxn
