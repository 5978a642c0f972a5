// The same promises from files and from a server.
#include "store/server/locks.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/testing/check.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class LocksTest : public ::testing::Test {
 protected:
  void SetUp() override { (void)store_.open(); }
  std::unique_ptr<Locks> locks() { return Locks::of(store_.place()); }
  // A process that takes what it is told, says so, and lives until it is killed.
  template <typename Take>
  pid_t holder(Take take) {
    int said[2];
    EXPECT_EQ(::pipe(said), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const std::unique_ptr<Locks> own = locks();
      const auto held = take(*own);
      const char answer = held ? 'y' : 'n';
      if (::write(said[1], &answer, 1) != 1) ::_exit(3);
      while (true) ::pause();
    }
    ::close(said[1]);
    char answer = 0;
    EXPECT_EQ(::read(said[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ::close(said[0]);
    return child;
  }
  void end(pid_t child) {
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  TempStore store_;
};

TEST_F(LocksTest, ExcludeEachOtherByName) {
  const auto one = locks();
  const auto two = locks();
  auto first = one->acquire("main.turn", 0);
  ASSERT_OK(first);
  EXPECT_TRUE(first->still_held());
  EXPECT_CODE(two->acquire("main.turn", 0), Code::kBusy);
  EXPECT_CODE(two->acquire("main.turn", 60), Code::kBusy);
  EXPECT_CODE(one->acquire("main.turn", 0), Code::kBusy);
  ASSERT_OK(two->acquire("other.turn", 0));
  first->release();
  EXPECT_FALSE(first->still_held());
  ASSERT_OK(two->acquire("main.turn", 0));
  ASSERT_OK(one->acquire("main.turn", 0));  // the one before was let go at once
}

TEST_F(LocksTest, SlotsAreHeldOnceAndAskedWithoutTakingThem) {
  const auto one = locks();
  const auto two = locks();
  EXPECT_FALSE(two->is_held(Slots::kOwners, 7).value());
  auto seven = one->try_slot(Slots::kOwners, 7);
  ASSERT_OK(seven);
  EXPECT_TRUE(two->is_held(Slots::kOwners, 7).value());
  EXPECT_CODE(two->try_slot(Slots::kOwners, 7), Code::kBusy);
  EXPECT_CODE(one->try_slot(Slots::kOwners, 7), Code::kBusy);
  EXPECT_FALSE(two->is_held(Slots::kOwners, 8).value());
  EXPECT_FALSE(two->is_held(Slots::kTickets, 7).value());
  ASSERT_OK(two->try_slot(Slots::kTickets, 7));
  EXPECT_CODE(two->wait_free(Slots::kOwners, 7, 30), Code::kTimeout);
  seven->release();
  ASSERT_OK(two->wait_free(Slots::kOwners, 7, 30));
  EXPECT_FALSE(two->is_held(Slots::kOwners, 7).value());
}

// F3, F8: what is dead is free at once, what is slow or stopped is not.
TEST_F(LocksTest, LiveAsLongAsTheirHolder) {
  const pid_t named = holder([](Locks& own) { return own.acquire("main.land", 0); });
  const pid_t slot = holder([](Locks& own) { return own.try_slot(Slots::kOwners, 3); });
  const auto mine = locks();
  ASSERT_EQ(::kill(named, SIGSTOP), 0);
  ASSERT_EQ(::kill(slot, SIGSTOP), 0);
  EXPECT_CODE(mine->acquire("main.land", 100), Code::kBusy);
  EXPECT_TRUE(mine->is_held(Slots::kOwners, 3).value());
  end(named);
  end(slot);
  ASSERT_OK(mine->acquire("main.land", 10'000));
  ASSERT_OK(mine->wait_free(Slots::kOwners, 3, 10'000));
  ASSERT_OK(mine->try_slot(Slots::kOwners, 3));
}

// A server that has lost the connection gives the lock to the next, and the first can know.
TEST_F(LocksTest, ALostConnectionIsALostLock) {
  if (!store_.on_server()) GTEST_SKIP() << "of a server alone";
  const auto one = locks();
  const auto two = locks();
  auto first = one->acquire("main.land", 0);
  ASSERT_OK(first);
  db::Database shell = store_.shell();
  db::Statement cut = shell
                          .statement(
                              "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks "
                              "WHERE locktype = 'advisory'")
                          .value();
  ASSERT_TRUE(cut.step().value());
  const auto second = two->acquire("main.land", 10'000);
  ASSERT_OK(second);
  EXPECT_FALSE(first->still_held());
  EXPECT_CODE(one->acquire("main.land", 0), Code::kBusy);
  first->release();  // which lets nothing of the other's go
  EXPECT_CODE(one->acquire("main.land", 0), Code::kBusy);
}

}  // namespace
}  // namespace gittxn::store
