#include "db/writer_queue.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fs.h"
#include "base/testing/child.h"
#include "base/testing/temp_dir.h"

namespace gittxn::db {
namespace {

using gittxn::testing::TempDir;

std::int64_t now_ms() {
  return SystemClock().monotonic_ns() / 1'000'000;
}

TEST(WriterQueue, LetsOneInAtATime) {
  TempDir dir;
  WriterQueue first = WriterQueue::open(dir.at("lock")).value();
  WriterQueue second = WriterQueue::open(dir.at("lock")).value();
  {
    const auto turn = first.enter(0);
    ASSERT_TRUE(turn);
    const auto refused = second.enter(30);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kBusy);
    EXPECT_FALSE(refused.error().hint.empty());
  }
  EXPECT_TRUE(second.enter(0)) << "who gave up waiting left no lock behind";
  EXPECT_TRUE(first.enter(0));
  struct stat status{};
  ASSERT_EQ(::stat(dir.at("lock").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST(WriterQueue, DiesWithItsHolder) {
  TempDir dir;
  const pid_t holder = ::fork();
  if (holder == 0) {
    WriterQueue queue = WriterQueue::open(dir.at("lock")).value();
    const auto turn = queue.enter(0);
    ::kill(::getpid(), turn ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(holder, &status, 0), holder);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  WriterQueue queue = WriterQueue::open(dir.at("lock")).value();
  EXPECT_TRUE(queue.enter(0));
}

TEST(WriterQueue, PassesOneWhoIsStoppedInTheLine) {
  TempDir dir;
  WriterQueue first = WriterQueue::open(dir.at("lock")).value();
  auto turn = std::make_unique<WriterQueue::Turn>(first.enter(0).value());
  const pid_t waiter = gittxn::testing::in_child([&] {
    WriterQueue queue = WriterQueue::open(dir.at("lock")).value();
    return queue.enter(60'000) ? 0 : 2;
  });
  while (!SlotLock::is_held(dir.at("lock"), 1).value()) ::usleep(1'000);
  ASSERT_EQ(::kill(waiter, SIGSTOP), 0);
  turn.reset();
  WriterQueue second = WriterQueue::open(dir.at("lock")).value();
  EXPECT_TRUE(second.enter(20'000));
  ASSERT_EQ(::kill(waiter, SIGCONT), 0);
  EXPECT_EQ(gittxn::testing::status_of(waiter), 0);
}

// Who has waited is next, whoever comes again and again meanwhile.
TEST(WriterQueue, NobodyIsPassedByThoseWhoComeLater) {
  TempDir dir;
  WriterQueue first = WriterQueue::open(dir.at("lock")).value();
  auto turn = std::make_unique<WriterQueue::Turn>(first.enter(0).value());
  std::vector<pid_t> line;
  for (int place = 1; place <= 4; ++place) {
    line.push_back(gittxn::testing::in_child([&] {
      WriterQueue queue = WriterQueue::open(dir.at("lock")).value();
      const auto own = queue.enter(60'000);
      const std::string before = read_file(dir.at("order")).value_or("");
      return own && write_file(dir.at("order"), before + std::to_string(place), Sync::kNo) ? 0 : 2;
    }));
    while (!SlotLock::is_held(dir.at("lock"), place).value()) ::usleep(1'000);
  }
  turn.reset();
  for (const pid_t child : line) EXPECT_EQ(gittxn::testing::status_of(child), 0);
  EXPECT_EQ(read_file(dir.at("order")).value(), "1234");
}

// The case that SQLite's own wait loses: processes that write in a loop. The counter they share is
// only right if they exclude each other, and nobody may be left standing.
TEST(WriterQueue, IsFairToEightThatNeverRest) {
  TempDir dir;
  constexpr int kProcesses = 8;
  constexpr int kRounds = 100;
  ASSERT_TRUE(write_file(dir.at("count"), "0", Sync::kNo));
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      WriterQueue queue = WriterQueue::open(dir.at("lock")).value();
      std::int64_t longest_ms = 0;
      for (int round = 0; round < kRounds; ++round) {
        const std::int64_t start_ms = now_ms();
        const auto turn = queue.enter(20'000);
        if (!turn) ::_exit(2);
        longest_ms = std::max(longest_ms, now_ms() - start_ms);
        const int value = std::stoi(read_file(dir.at("count")).value());
        ::usleep(200);
        if (!write_file(dir.at("count"), std::to_string(value + 1), Sync::kNo)) ::_exit(3);
      }
      ::_exit(longest_ms < 5'000 ? 0 : 4);
    }
    children.push_back(pid);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "2: gave up, 4: starved";
  }
  EXPECT_EQ(read_file(dir.at("count")).value(), std::to_string(kProcesses * kRounds));
}

}  // namespace
}  // namespace gittxn::db
