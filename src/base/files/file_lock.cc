// Locks that die with their holder: flock(2) for a whole file, open-file-description locks for
// slots.
//
// Both belong to an open file description, so a forked child shares them until it closes its copy:
// base/subprocess does that before anything else. Neither leaves anything to clean after a crash.
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/fs.h"

namespace gittxn {

namespace {

constexpr std::int64_t kFirstPauseMs = 1;
constexpr std::int64_t kLongestPauseMs = 20;

// The kernel has no lock wait with a deadline that leaves signals alone: asks again with growing
// pauses.
class Pauses {
 public:
  explicit Pauses(std::int64_t deadline_ms)
      : end_ns_(SystemClock().monotonic_ns() + deadline_ms * kNsPerMs) {}

  // False when the deadline has passed.
  bool wait() {
    const std::int64_t left_ns = end_ns_ - SystemClock().monotonic_ns();
    if (left_ns <= 0) return false;
    SystemClock().sleep_ms(std::min(pause_ms_, left_ns / kNsPerMs + 1));
    pause_ms_ = std::min(pause_ms_ * 2, kLongestPauseMs);
    return true;
  }

 private:
  std::int64_t end_ns_;
  std::int64_t pause_ms_ = kFirstPauseMs;
};

Result<UniqueFd> open_lock(const std::string& path) {
  return open_fd(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
}

// The type of a lock in the way of taking `type` on the slot: F_UNLCK, F_RDLCK or F_WRLCK.
Result<short> in_the_way(int fd, const std::string& path, short type, std::int64_t slot) {
  struct flock range = lock_range(type, slot, 1);
  if (::fcntl(fd, F_OFD_GETLK, &range) != 0) return fail_errno(errno, "query lock '" + path + "'");
  return range.l_type;
}

}  // namespace

struct flock lock_range(short type, off_t first, off_t count) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = count;
  return range;
}

Result<FileLock> FileLock::acquire(const std::string& path, std::int64_t deadline_ms) {
  FileLock lock;
  lock.fd_ = TRY(open_lock(path));
  if (deadline_ms < 0) {
    if (::flock(lock.fd_.get(), LOCK_EX) == 0) return lock;
    if (errno == EINTR) return fail(Code::kInterrupted, "interrupted waiting for '" + path + "'");
    return fail_errno(errno, "lock '" + path + "'");
  }
  Pauses pauses(deadline_ms);
  while (::flock(lock.fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return fail_errno(errno, "lock '" + path + "'");
    if (!pauses.wait()) return fail(Code::kBusy, "'" + path + "' is locked by another process");
  }
  return lock;
}

Result<SlotLock> SlotLock::try_acquire(const std::string& path, std::int64_t slot) {
  SlotLock lock;
  lock.fd_ = TRY(open_lock(path));
  while (true) {
    struct flock range = lock_range(F_WRLCK, slot, 1);
    if (::fcntl(lock.fd_.get(), F_OFD_SETLK, &range) == 0) return lock;
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
      return fail_errno(errno, "lock slot of '" + path + "'");
    }
    if (TRY(in_the_way(lock.fd_.get(), path, F_WRLCK, slot)) == F_WRLCK) {
      return fail(Code::kBusy, "slot " + std::to_string(slot) + " of '" + path + "' is held");
    }
    // Only a waiter's shared lock, which lasts for two system calls: see wait_free.
    SystemClock().sleep_ms(kFirstPauseMs);
  }
}

Status SlotLock::wait_free(const std::string& path, std::int64_t slot, std::int64_t deadline_ms) {
  UniqueFd fd = TRY(open_lock(path));
  if (deadline_ms < 0) {
    // A shared lock: waiters do not wait for each other. Let go at once, by closing.
    struct flock range = lock_range(F_RDLCK, slot, 1);
    if (::fcntl(fd.get(), F_OFD_SETLKW, &range) == 0) return {};
    if (errno == EINTR) return fail(Code::kInterrupted, "interrupted waiting for '" + path + "'");
    return fail_errno(errno, "wait for slot of '" + path + "'");
  }
  Pauses pauses(deadline_ms);
  while (TRY(in_the_way(fd.get(), path, F_RDLCK, slot)) != F_UNLCK) {
    if (!pauses.wait()) {
      return fail(Code::kTimeout, "slot " + std::to_string(slot) + " of '" + path + "' is held");
    }
  }
  return {};
}

Status SlotLock::mark(const std::string& path, std::int64_t slot) const {
  const ssize_t written = ::pwrite(fd_.get(), "x", 1, slot);
  if (written != 1) return fail_errno(written < 0 ? errno : EIO, "mark slot of '" + path + "'");
  return {};
}

Result<bool> SlotLock::is_marked(const std::string& path, std::int64_t slot) {
  auto fd = open_fd(path, O_RDONLY | O_NOFOLLOW);
  if (!fd && fd.error().code == Code::kNotFound) return false;
  if (!fd) return std::unexpected(fd.error());
  char byte = 0;
  const ssize_t got = ::pread(fd->get(), &byte, 1, slot);
  if (got < 0) return fail_errno(errno, "read slot of '" + path + "'");
  return got == 1 && byte == 'x';
}

Result<bool> SlotLock::is_held(const std::string& path, std::int64_t slot) {
  auto fd = open_fd(path, O_RDONLY | O_NOFOLLOW);  // asking is open to whoever may only read
  if (!fd && fd.error().code == Code::kNotFound) return false;
  if (!fd) return std::unexpected(fd.error());
  return TRY(in_the_way(fd->get(), path, F_RDLCK, slot)) != F_UNLCK;
}

}  // namespace gittxn
