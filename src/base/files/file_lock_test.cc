#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "base/clock.h"
#include "base/fs.h"
#include "base/subprocess.h"
#include "base/testing/temp_dir.h"

namespace gittxn {
namespace {

using testing::TempDir;

// Another process that takes something, says so, and keeps it until it is killed.
class Holder {
 public:
  explicit Holder(const std::function<bool()>& take) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      const char answer = take() ? 'y' : 'n';
      if (::write(ends[1], &answer, 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    ::close(ends[1]);
    char answer = 0;
    has_it_ = ::read(ends[0], &answer, 1) == 1 && answer == 'y';
    ::close(ends[0]);
  }
  ~Holder() { kill_it(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  bool has_it() const { return has_it_; }
  void kill_it() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void kill_later(unsigned ms) {
    helper_ = ::fork();
    if (helper_ == 0) {
      ::usleep(ms * 1000);
      ::kill(pid_, SIGKILL);
      ::_exit(0);
    }
  }
  void reap_helper() { ::waitpid(helper_, nullptr, 0); }

 private:
  pid_t pid_ = -1;
  pid_t helper_ = -1;
  bool has_it_ = false;
};

bool keep_file_lock(const std::string& path) {
  static FileLock kept;
  auto lock = FileLock::acquire(path, 0);
  if (lock) kept = std::move(*lock);
  return kept.held();
}

bool keep_slot(const std::string& path, std::int64_t slot) {
  static SlotLock kept;
  auto lock = SlotLock::try_acquire(path, slot);
  if (lock) kept = std::move(*lock);
  return kept.held();
}

TEST(FileLock, ExcludesOthersUntilTheHolderDies) {
  TempDir dir;
  const std::string path = dir.at("lock");
  Holder holder([&] { return keep_file_lock(path); });
  ASSERT_TRUE(holder.has_it());
  EXPECT_EQ(FileLock::acquire(path, 0).error().code, Code::kBusy);
  EXPECT_EQ(FileLock::acquire(path, 30).error().code, Code::kBusy);
  holder.kill_it();
  auto mine = FileLock::acquire(path, 0);
  ASSERT_TRUE(mine);
  EXPECT_EQ(FileLock::acquire(path, 0).error().code, Code::kBusy) << "not even by ourselves";
  mine->release();
  EXPECT_TRUE(FileLock::acquire(path, 0));
  EXPECT_TRUE(*exists(path)) << "never unlinked";
}

TEST(FileLock, WaitsForAHolderThatDies) {
  TempDir dir;
  const std::string path = dir.at("lock");
  for (const std::int64_t deadline_ms : {-1, 20'000}) {
    Holder holder([&] { return keep_file_lock(path); });
    ASSERT_TRUE(holder.has_it());
    holder.kill_later(50);
    EXPECT_TRUE(FileLock::acquire(path, deadline_ms));
    holder.reap_helper();
  }
}

TEST(FileLock, IsNotInheritedByChildren) {
  TempDir dir;
  auto lock = FileLock::acquire(dir.at("lock"), 0);
  auto slot = SlotLock::try_acquire(dir.at("slots"), 3);
  ASSERT_TRUE(lock && slot);
  Command command;
  command.argv = {"/bin/sh", "-c", "ls -l /proc/self/fd; sleep 60 >/dev/null 2>&1 & echo $!"};
  const auto output = run(command);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out.find("lock"), output->out.npos) << output->out;
  EXPECT_EQ(output->out.find("slots"), output->out.npos) << output->out;
  lock->release();
  slot->release();
  EXPECT_TRUE(FileLock::acquire(dir.at("lock"), 0));
  EXPECT_TRUE(SlotLock::try_acquire(dir.at("slots"), 3));
  const std::string last = output->out.substr(output->out.rfind('\n', output->out.size() - 2) + 1);
  EXPECT_EQ(::kill(std::stoi(last), SIGKILL), 0) << "the child's child was still there";
}

TEST(SlotLock, AMarkStaysWhenTheLockGoes) {
  const TempDir dir;
  const std::string path = dir.at("slots");
  EXPECT_FALSE(*SlotLock::is_marked(path, 5)) << "no file yet";
  SlotLock lock = *SlotLock::try_acquire(path, 5);
  EXPECT_FALSE(*SlotLock::is_marked(path, 5));
  ASSERT_TRUE(lock.mark(path, 5));
  lock.release();
  EXPECT_TRUE(*SlotLock::is_marked(path, 5));
  EXPECT_FALSE(*SlotLock::is_marked(path, 4));
  EXPECT_FALSE(*SlotLock::is_marked(path, 6));
  EXPECT_TRUE(SlotLock::try_acquire(path, 5)) << "it is free";
}

TEST(SlotLock, SlotsAreApart) {
  TempDir dir;
  const std::string path = dir.at("slots");
  EXPECT_FALSE(*SlotLock::is_held(path, 1)) << "no file yet";
  auto one = SlotLock::try_acquire(path, 1);
  ASSERT_TRUE(one);
  EXPECT_TRUE(*SlotLock::is_held(path, 1));
  EXPECT_FALSE(*SlotLock::is_held(path, 0));
  EXPECT_FALSE(*SlotLock::is_held(path, 2));
  auto far = SlotLock::try_acquire(path, std::int64_t{1} << 40);
  EXPECT_TRUE(far);
  EXPECT_EQ(SlotLock::try_acquire(path, 1).error().code, Code::kBusy);
  one->release();
  EXPECT_FALSE(*SlotLock::is_held(path, 1));
  EXPECT_TRUE(*SlotLock::is_held(path, std::int64_t{1} << 40));
  EXPECT_TRUE(SlotLock::try_acquire(path, 1));
}

TEST(SlotLock, IsFreeWhenTheHolderIsKilled) {
  TempDir dir;
  const std::string path = dir.at("slots");
  for (const std::int64_t deadline_ms : {-1, 20'000}) {
    Holder holder([&] { return keep_slot(path, 7); });
    ASSERT_TRUE(holder.has_it());
    EXPECT_TRUE(*SlotLock::is_held(path, 7));
    EXPECT_EQ(SlotLock::wait_free(path, 7, 20).error().code, Code::kTimeout);
    EXPECT_EQ(SlotLock::wait_free(path, 7, 0).error().code, Code::kTimeout);
    holder.kill_later(50);
    EXPECT_TRUE(SlotLock::wait_free(path, 7, deadline_ms));
    EXPECT_FALSE(*SlotLock::is_held(path, 7));
    holder.reap_helper();
  }
}

TEST(SlotLock, IsNotKeptFromItsOwnerByWaiters) {
  TempDir dir;
  const std::string path = dir.at("slots");
  const pid_t waiter = ::fork();
  if (waiter == 0) {
    while (SlotLock::wait_free(path, 5, -1)) {
    }
    ::_exit(1);
  }
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(SlotLock::try_acquire(path, 5));
  EXPECT_EQ(::waitpid(waiter, nullptr, WNOHANG), 0) << "the waiter failed";
  ::kill(waiter, SIGKILL);
  ::waitpid(waiter, nullptr, 0);
}

}  // namespace
}  // namespace gittxn
