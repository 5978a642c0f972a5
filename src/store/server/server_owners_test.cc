// Owners on a PostgreSQL server, seen from two clones: one whose connection is cut lives and keeps
// what it has; one that died has nothing after a grace; and the machines' clocks count for nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/child.h"
#include "store/sentinels.h"
#include "store/server/locks.h"
#include "store/testing/check.h"
#include "store/testing/temp_store.h"
#include "store/work/lease_moves.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kLongMs = 60'000;  // to wait for what comes within a second

LeaseAsk wants_attached(const std::string& owner, const std::string& on) {
  LeaseAsk ask;
  ask.subjects = {parse_lease_subject(on).value()};
  ask.owner = owner;
  ask.ttl_ms = 60 * kMinute;
  ask.attach = LeaseAsk::Attach::kAttached;
  return ask;
}

LeaseAnswer asked(Store& store, const LeaseAsk& ask) {
  auto answer = ask_lease(store, ask, Line::kGoAway);
  EXPECT_TRUE(answer.has_value()) << told(answer);
  return answer ? *std::move(answer) : LeaseAnswer{};
}

class ServerOwners : public ::testing::Test {
 protected:
  void SetUp() override {
    NEEDS_POSTGRES();
    schema_.emplace();
    (void)open("one");
    (void)open("two");
  }
  // A clone is a folder; the server is the same.
  Store open(std::string_view clone, const Clock& clock) const {
    Location place(dir_.at(clone));
    place.url = *db::testing::postgres_url();
    place.schema = schema_->name();
    return Store::open(place, clock).value();
  }
  Store open(std::string_view clone) const { return open(clone, clock_); }
  // As a server that loses its clients: whoever holds a lock there loses its connection.
  void cut_off_holders() const {
    db::Database shell = schema_->connect().value();
    db::Statement cut = shell
                            .statement(
                                "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks "
                                "WHERE locktype = 'advisory' AND pid <> pg_backend_pid()")
                            .value();
    ASSERT_TRUE(cut.step().value());
    ASSERT_GT(cut.integer(0), 0);
  }
  static void come_back(const Lock& lock) {
    SystemClock clock;
    const std::int64_t until_ns = clock.monotonic_ns() + kLongMs * 1'000'000;
    while (!lock.still_held() && clock.monotonic_ns() < until_ns) clock.sleep_ms(20);
    EXPECT_TRUE(lock.still_held());
  }
  // A process in the first clone that has `src`, says so, and goes on when it is told to.
  template <typename After>
  pid_t owner_in_one(After after) {
    EXPECT_EQ(::pipe(said_), 0);
    EXPECT_EQ(::pipe(go_), 0);
    const pid_t child = gittxn::testing::in_child([&] {
      Store store = open("one");
      const LeaseAnswer mine = asked(store, wants_attached("ann", "src"));
      char byte = 'x';
      if (!mine.lease.held || ::write(said_[1], &byte, 1) != 1) return 9;
      if (::read(go_[0], &byte, 1) != 1) return 8;
      return after(store, mine.lease);
    });
    char byte = 0;
    EXPECT_EQ(::read(said_[0], &byte, 1), 1);
    return child;
  }
  // And the server has seen it, which is a moment later.
  void kill_owner(pid_t owner, const Store& store, const Lease& lease) {
    ASSERT_EQ(::kill(owner, SIGKILL), 0);
    EXPECT_TRUE(gittxn::testing::was_killed(gittxn::testing::status_of(owner)));
    while (store.locks().is_held(Slots::kOwners, lease.slot).value()) clock_.sleep_ms(1);
  }
  void go_on() const { EXPECT_EQ(::write(go_[1], "x", 1), 1); }

  SystemClock clock_;
  gittxn::testing::TempDir dir_;
  std::optional<db::testing::PostgresSchema> schema_;
  int said_[2] = {-1, -1};
  int go_[2] = {-1, -1};
};

TEST_F(ServerOwners, OneThatIsCutOffTakesItsSlotAgain) {
  const Store one = open("one");
  const Store two = open("two");
  const Lock mine = one.locks().try_slot(Slots::kOwners, 7).value();
  for (int cut = 0; cut < 3; ++cut) {
    cut_off_holders();
    EXPECT_TRUE(one.locks().is_held(Slots::kOwners, 7).value()) << "its own clone never doubts";
    EXPECT_CODE(one.locks().try_slot(Slots::kOwners, 7), Code::kBusy);
    EXPECT_FALSE(two.locks().is_gone(Slots::kOwners, 7).value());
    ASSERT_OK(two.locks().confirm(Slots::kOwners, {7}));
    EXPECT_FALSE(two.locks().is_gone(Slots::kOwners, 7).value());
    come_back(mine);
  }
}

TEST_F(ServerOwners, OneThatWasTakenMeanwhileIsHadWhenItIsFree) {
  const Store one = open("one");
  const Store two = open("two");
  const Lock first = one.locks().try_slot(Slots::kOwners, 7).value();
  std::optional<Lock> second;
  while (!second) {
    cut_off_holders();
    if (auto lock = two.locks().try_slot(Slots::kOwners, 7)) second = *std::move(lock);
  }
  EXPECT_FALSE(first.still_held());
  second->release();
  come_back(first);
}

TEST_F(ServerOwners, OneThatIsCutOffIsNotRobbed) {
  Store one = open("one");
  Store two = open("two");
  const LeaseAnswer ann = asked(one, wants_attached("ann", "src"));
  ASSERT_TRUE(ann.lease.held);
  for (int cut = 0; cut < 3; ++cut) {
    cut_off_holders();
    const LeaseAnswer bob = asked(two, wants_attached("bob", "src"));
    EXPECT_FALSE(bob.lease.held) << "two have it";
    ASSERT_EQ(bob.blockers.size(), 1u);
    ASSERT_OK(renew_lease(one, ann.lease.id, "ann", {}));
  }
  EXPECT_EQ(lease(two, ann.lease.id).value()->fence, ann.lease.fence) << "it goes on as it was";
}

TEST_F(ServerOwners, OneThatDiedHasNothingAfterAGrace) {
  const pid_t child = owner_in_one([](Store&, const Lease&) { return 0; });
  Store two = open("two");
  EXPECT_FALSE(asked(two, wants_attached("bob", "src")).lease.held);
  const Lease anns = leases(two)->at(0);
  kill_owner(child, two, anns);
  EXPECT_TRUE(asked(two, wants_attached("bob", "src")).lease.held);
  EXPECT_TRUE(two.verify_replay()->problems.empty());
}

TEST_F(ServerOwners, OneThatDiedInThisCloneHasNothingAtOnce) {
  const pid_t child = owner_in_one([](Store&, const Lease&) { return 0; });
  Store one = open("one");
  Store two = open("two");
  EXPECT_FALSE(asked(one, wants_attached("bob", "src")).lease.held);
  const Lease anns = leases(one)->at(0);
  kill_owner(child, two, anns);
  EXPECT_FALSE(two.locks().is_gone(Slots::kOwners, anns.slot).value()) << "it may be cut off";
  EXPECT_TRUE(one.locks().is_gone(Slots::kOwners, anns.slot).value()) << "nobody was waited for";
  EXPECT_TRUE(asked(one, wants_attached("bob", "src")).lease.held);
}

// Who only tried to have it knows nothing about whoever has it.
TEST_F(ServerOwners, OneThatWasTriedForInVainIsAnothers) {
  const Store one = open("one");
  const Store two = open("two");
  std::optional<Lock> mine = one.locks().try_slot(Slots::kOwners, 7).value();
  EXPECT_CODE(two.locks().try_slot(Slots::kOwners, 7), Code::kBusy);
  mine.reset();
  EXPECT_TRUE(one.locks().is_gone(Slots::kOwners, 7).value());
  EXPECT_FALSE(two.locks().is_gone(Slots::kOwners, 7).value());
}

// Nobody can tell it from one that died: a server keeps no lock for whom it cannot reach.
TEST_F(ServerOwners, OneThatIsCutOffAndStoppedIsToldWhoHasIt) {
  const pid_t child = owner_in_one([](Store& store, const Lease& mine) {
    const auto renewed = renew_lease(store, mine.id, "ann", {});
    if (renewed || renewed.error().code != Code::kStale) return 2;
    return renewed.error().hint.find("bob has src") == std::string::npos ? 3 : 0;
  });
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  Store two = open("two");
  EXPECT_FALSE(asked(two, wants_attached("bob", "src")).lease.held)
      << "stopped, and still connected";
  cut_off_holders();
  const LeaseAnswer bob = asked(two, wants_attached("bob", "src"));
  EXPECT_TRUE(bob.lease.held);
  ASSERT_EQ(::kill(child, SIGCONT), 0);
  go_on();
  EXPECT_EQ(gittxn::testing::status_of(child), 0);
}

// Who waits under the write lock holds everybody up.
TEST_F(ServerOwners, UnderTheWriteLockNobodyIsWaitedFor) {
  const Store one = open("one");
  Store two = open("two");
  Lease dead;
  dead.slot = 7;
  dead.ttl_ms = kMinute;
  bool waited = true;
  const auto decision = [&](const View&) -> Result<std::vector<NewEvent>> {
    TRY(confirm_owners(two, {dead}, clock_));
    waited = two.locks().is_gone(Slots::kOwners, 7).value();
    return std::vector<NewEvent>{};
  };
  ASSERT_OK(two.decide(decision));
  EXPECT_FALSE(waited) << "of whom nothing is sure, nothing is believed";
  ASSERT_OK(confirm_owners(two, {dead}, clock_));
  EXPECT_TRUE(two.locks().is_gone(Slots::kOwners, 7).value());
}

// F12 on a server: its clock is everybody's.
class F12Server : public ServerOwners {
 protected:
  static FakeClock machine(const std::string& boot, std::int64_t up_ms) {
    FakeClock clock;
    clock.id = boot;
    clock.boot = up_ms;
    return clock;
  }
  // Makes a lease end, as time does, without waiting for it.
  static void sleep(std::int64_t ms) { SystemClock().sleep_ms(ms); }
};

TEST_F(F12Server, TheBootsOfTwoMachinesCountForNothing) {
  FakeClock first = machine("boot-1", 1'000);
  FakeClock second = machine("boot-2", 900'000'000);
  FakeClock third = machine("boot-3", 5);  // just begun: a lease would have all its time again
  Store one = open("one", first);
  Store two = open("two", second);
  Store new_one = open("three", third);
  LeaseAsk ask = wants_attached("ann", "src");
  ask.attach = LeaseAsk::Attach::kDetached;
  ask.ttl_ms = 300;
  const Lease ann = asked(one, ask).lease;
  EXPECT_EQ(ends_ms(ann, moment_of(two, two, second).value()), ann.until_ms);
  EXPECT_EQ(ends_ms(ann, moment_of(new_one, new_one, third).value()), ann.until_ms);
  EXPECT_EQ(pass_sentinel(one, first, "n", 300)->passing, Passing::kPassed);
  const std::int64_t here_ms = sentinels(one)->at(0).left_ms;
  const std::int64_t there_ms = sentinels(new_one)->at(0).left_ms;
  EXPECT_LE(there_ms, here_ms) << "time goes on, and no other way";
  sleep(400);
  EXPECT_TRUE(asked(new_one, wants_attached("bob", "src")).lease.held);
  EXPECT_EQ(sentinels(new_one)->at(0).left_ms, 0);
  EXPECT_EQ(pass_sentinel(new_one, third, "n", kDay)->passing, Passing::kPassed);
  const auto denied = pass_sentinel(two, second, "n", kDay);
  EXPECT_EQ(denied->passing, Passing::kThrottled);
  EXPECT_LE(sentinels(two)->at(0).left_ms, denied->left_ms);
}

TEST_F(F12Server, AWallClockThatJumpsChangesNothing) {
  FakeClock jumping = machine("boot-1", 1'000);
  Store one = open("one", jumping);
  LeaseAsk ask = wants_attached("ann", "src");
  ask.attach = LeaseAsk::Attach::kDetached;
  const Lease ann = asked(one, ask).lease;
  EXPECT_EQ(pass_sentinel(one, jumping, "n", 60 * kMinute)->passing, Passing::kPassed);
  std::int64_t last_ms = one.now_ms().value();
  for (const std::int64_t jump : {kDay, -2 * kDay, kDay}) {
    jumping.wall += jump;
    EXPECT_FALSE(asked(one, wants_attached("bob", "src")).lease.held) << jump;
    EXPECT_EQ(pass_sentinel(one, jumping, "n", 60 * kMinute)->passing, Passing::kThrottled);
    const std::int64_t now_ms = one.now_ms().value();
    EXPECT_GE(now_ms, last_ms) << jump;
    EXPECT_LT(now_ms, last_ms + kDay) << jump;
    last_ms = now_ms;
    ASSERT_OK(renew_lease(one, ann.id, "ann", {}));
    const Lease renewed = *lease(one, ann.id).value();
    EXPECT_LT(renewed.until_ms - now_ms, 2 * 60 * kMinute);
  }
}

}  // namespace
}  // namespace gittxn::store
