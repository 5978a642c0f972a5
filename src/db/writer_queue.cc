#include "db/writer_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"

namespace gittxn::db {
namespace {

constexpr off_t kNow = 0;
constexpr off_t kNext = 1;

// One process at a time waits for NOW, so it can afford to look often; many may wait for NEXT.
struct Pace {
  std::int64_t first_ns;
  std::int64_t longest_ns;
};
constexpr Pace kForNow{20'000, 200'000};
constexpr Pace kForNext{100'000, 2'000'000};

int set_lock(int fd, short type, off_t byte) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return ::fcntl(fd, F_OFD_SETLK, &range);
}

void pause_ns(std::int64_t ns) {
  const timespec duration{.tv_sec = 0, .tv_nsec = ns};
  ::nanosleep(&duration, nullptr);  // cut short by a signal: the caller just looks earlier
}

Result<bool> take(int fd, off_t byte, const Pace& pace, std::int64_t end_ns) {
  std::int64_t pause = pace.first_ns;
  while (set_lock(fd, F_WRLCK, byte) != 0) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
      return fail_errno(errno, "lock the kernel's store");
    }
    if (SystemClock().monotonic_ns() >= end_ns) return false;
    pause_ns(pause);
    pause = std::min(pause * 2, pace.longest_ns);
  }
  return true;
}

}  // namespace

Result<WriterQueue> WriterQueue::open(const std::string& path) {
  UniqueFd fd = TRY(open_fd(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  return WriterQueue(std::move(fd), path);
}

Result<WriterQueue::Turn> WriterQueue::enter(std::int64_t deadline_ms) {
  const std::int64_t end_ns = SystemClock().monotonic_ns() + deadline_ms * 1'000'000;
  const int fd = fd_.get();
  bool had = TRY(take(fd, kNext, kForNext, end_ns));
  if (had) {
    const Result<bool> now = take(fd, kNow, kForNow, end_ns);
    set_lock(fd, F_UNLCK, kNext);
    if (!now) return std::unexpected(now.error());
    had = *now;
  }
  if (!had) {
    return fail(Code::kBusy,
                fmt::format("'{}' was not free within {} s", path_, (deadline_ms + 999) / 1000),
                "another git-txn process is stopped while writing; continue or end it");
  }
  return Turn(fd);
}

WriterQueue::Turn::~Turn() {
  if (fd_ >= 0) set_lock(fd_, F_UNLCK, kNow);
}

}  // namespace gittxn::db
