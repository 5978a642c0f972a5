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
constexpr off_t kPlaces = 16;  // in line; whoever comes to a longer one waits for the last of them

// Who is next looks often, the others the less the farther back they are.
constexpr std::int64_t kFirstPauseNs = 20'000;
constexpr std::int64_t kPauseOfAPlaceNs = 150'000;
// Of one in front who does not move on where he could: he was stopped.
constexpr std::int64_t kPatienceNs = 1'000'000'000;

int set_lock(int fd, short type, off_t byte) {
  struct flock range = lock_range(type, byte, 1);
  return ::fcntl(fd, F_OFD_SETLK, &range);
}

bool nobody_is_in_line(int fd) {
  struct flock range = lock_range(F_WRLCK, kNow, kPlaces + 1);
  return ::fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type == F_UNLCK;
}

void pause_ns(std::int64_t ns) {
  const timespec duration{.tv_sec = 0, .tv_nsec = ns};
  ::nanosleep(&duration, nullptr);  // cut short by a signal: the caller just looks earlier
}

Result<bool> try_place(int fd, off_t place) {
  if (set_lock(fd, F_WRLCK, place) == 0) return true;
  if (errno == EAGAIN || errno == EACCES || errno == EINTR) return false;
  return fail_errno(errno, "lock the kernel's store");
}

// From place `at` to the one before it, or past whoever stands there and does not move. `at` again:
// the time is over.
Result<off_t> step(int fd, off_t at, std::int64_t end_ns) {
  const std::int64_t begun_ns = SystemClock().monotonic_ns();
  std::int64_t pause = kFirstPauseNs;
  while (true) {
    const bool had = TRY(try_place(fd, at - 1));
    if (had) return at - 1;
    const std::int64_t now_ns = SystemClock().monotonic_ns();
    for (off_t place = at - 2; place >= kNow && now_ns - begun_ns > kPatienceNs; --place) {
      const bool free = TRY(try_place(fd, place));
      if (free) return place;
    }
    if (now_ns >= end_ns) return at;
    pause_ns(pause);
    pause = std::min(pause * 2, at * kPauseOfAPlaceNs);
  }
}

}  // namespace

Result<WriterQueue> WriterQueue::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) return WriterQueue(UniqueFd(fd), path);
  if (errno != EROFS && errno != EACCES) return fail_errno(errno, "open '" + path + "'");
  WriterQueue queue(TRY(open_fd(path, O_RDONLY | O_NOFOLLOW)), path);
  queue.only_read_ = true;
  return queue;
}

Result<WriterQueue::Turn> WriterQueue::enter(std::int64_t deadline_ms) {
  if (only_read_) {
    return fail(Code::kFault, "the store is read-only here: '" + path_ + "'",
                "a confined command (--confine) cannot write it; otherwise check the owner, the "
                "permissions and the mount");
  }
  const std::int64_t end_ns = SystemClock().monotonic_ns() + deadline_ms * 1'000'000;
  const int fd = fd_.get();
  // Two who find it empty at once are as good as come together.
  if (nobody_is_in_line(fd) && TRY(try_place(fd, kNow))) return Turn(fd);
  off_t at = kPlaces + 1;  // not in line yet
  while (at != kNow) {
    const Result<off_t> next = step(fd, at, end_ns);
    const bool moved = next && *next != at;
    if (at <= kPlaces) set_lock(fd, F_UNLCK, at);
    if (!next) return std::unexpected(next.error());
    if (!moved) {
      return fail(Code::kBusy,
                  fmt::format("'{}' was not free within {} s", path_, (deadline_ms + 999) / 1000),
                  "another git-txn process is stopped while writing; continue or end it");
    }
    at = *next;
  }
  return Turn(fd);
}

WriterQueue::Turn::~Turn() {
  if (fd_ >= 0) set_lock(fd_, F_UNLCK, kNow);
}

}  // namespace gittxn::db
