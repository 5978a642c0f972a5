// Many processes on one store, and processes that die in it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/testing/child.h"
#include "db/testing/fault_vfs.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using db::testing::FaultVfs;
using gittxn::testing::in_child;
using gittxn::testing::status_of;
using gittxn::testing::was_killed;

bool killed(pid_t child) {
  const int status = status_of(child);
  if (WIFEXITED(status)) std::printf("the child ended with %d\n", WEXITSTATUS(status));
  return was_killed(status);
}

TEST(Concurrency, EightProcessesLoseNothingAndNeverSeeBusy) {
  TempStore place;
  constexpr int kProcesses = 8;
  constexpr int kRounds = 25;
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    // Opening included: the first ones make the store together.
    children.push_back(in_child([&] {
      auto store = Store::open(place.place(), place.clock);
      if (!store) return 2;
      for (int round = 0; round < kRounds; ++round) {
        const TxnId id(fmt::format("t-{}-{}", child, round));
        if (!store->append({events::txn_begun(new_txn(id.str()))})) return 3;
        if (!store->txn(id).value()) return 4;
        if (!store->append({events::nothing(id, "")})) return 5;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) {
    const int status = status_of(child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const Store store = place.open();
  EXPECT_EQ(store.head().value(), kProcesses * kRounds * 2);
  EXPECT_EQ(store.txns({.states = {TxnState::kNothing}, .limit = 0})->size(),
            static_cast<std::size_t>(kProcesses * kRounds));
  EXPECT_TRUE(store.verify()->problems.empty());
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Concurrency, ACheckAndItsAppendAreOneStep) {
  TempStore place;
  ASSERT_OK(place.open().append({events::outside_move(kMain, Oid(), oid(0), "start")}));
  constexpr int kProcesses = 6;
  constexpr int kRounds = 10;
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    children.push_back(in_child([&] {
      Store store = place.open();
      for (int moved = 0; moved < kRounds;) {
        const Oid head = store.branch(kMain).value()->head;
        const auto next = std::stoull(head.str(), nullptr, 16) + 1;
        // Everybody moves the head they saw; only one of them is right.
        const auto appended = store.append({events::outside_move(kMain, head, oid(next), "p")});
        if (!appended && appended.error().code != Code::kStale) return 2;
        moved += appended ? 1 : 0;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  const Store store = place.open();
  EXPECT_EQ(store.branch(kMain).value()->head, oid(std::uint64_t{kProcesses} * kRounds));
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Concurrency, OneKeyFromManyIsOneEvent) {
  TempStore place;
  const Digest hash(std::string(64, 'c'));
  std::vector<pid_t> children;
  for (int child = 0; child < 6; ++child) {
    children.push_back(in_child([&] {
      auto store = Store::open(place.place(), place.clock);
      return store && store->append({events::trusted(hash, "Ada")}) ? 0 : 2;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(place.open().head().value(), 1);
}

TEST(Concurrency, AReaderSeesOneMomentWhileOthersWrite) {
  TempStore place;
  ASSERT_OK(place.open().next_slot());
  const pid_t writer = in_child([&] {
    Store store = place.open();
    while (store.next_slot()) {
    }
    return 2;
  });
  for (int i = 0; i < 20; ++i) {
    const auto store = Store::open_existing(place.place(), place.clock);
    ASSERT_OK(store);
    EXPECT_TRUE(store->verify()->problems.empty());
    EXPECT_TRUE(store->verify_replay()->problems.empty());
  }
  ::kill(writer, SIGKILL);
  EXPECT_TRUE(killed(writer));
  EXPECT_TRUE(place.open().verify()->problems.empty());
}

// The state and its event, or neither (invariant 7), for a kill at each point and at random
// moments.
TEST(Crash, AtEachFailpointLeavesAllOrNothing) {
  for (const std::string point : {"store.before_commit", "store.after_commit"}) {
    for (int which = 1; which <= 3; ++which) {
      TempStore place;
      const std::vector<NewEvent> list = until_prepared("t-1", oid(1), oid(9));
      const pid_t child = in_child([&] {
        Store store = place.open();
        if (!Failpoint::arm(fmt::format("{}={}", point, which))) return 9;
        for (const NewEvent& event : list) {
          if (!store.append({event})) return 8;
        }
        return 0;
      });
      ASSERT_TRUE(killed(child)) << point;
      Store store = place.open();
      const Seq expected = point == "store.before_commit" ? which - 1 : which;
      EXPECT_EQ(store.head().value(), expected) << point;
      EXPECT_TRUE(store.verify()->problems.empty());
      EXPECT_TRUE(store.verify_replay()->problems.empty());
      // What was told again is not told twice.
      for (std::size_t i = static_cast<std::size_t>(expected); i < list.size(); ++i) {
        ASSERT_OK(store.append({list[i]}));
      }
      EXPECT_EQ(store.txn(TxnId("t-1")).value()->state, TxnState::kPrepared);
    }
  }
}

TEST(Crash, AtAnyMomentLosesNothingThatWasAcknowledged) {
  Random random;
  for (int round = 0; round < 5; ++round) {
    TempStore place;
    ASSERT_OK(place.open().next_slot());
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = in_child([&] {
      Store store = place.open();
      while (true) {
        const auto slot = store.next_slot();
        if (!slot || ::write(pipe_ends[1], &*slot, sizeof(*slot)) < 0) return 2;
      }
    });
    ::close(pipe_ends[1]);
    ::usleep(static_cast<useconds_t>(20'000 + random.below(60'000)));
    ::kill(child, SIGKILL);
    ASSERT_TRUE(killed(child));
    std::int64_t slot = 0;
    std::int64_t last = 0;
    while (::read(pipe_ends[0], &slot, sizeof(slot)) == sizeof(slot)) last = slot;
    ::close(pipe_ends[0]);
    const Store store = place.open();
    EXPECT_GE(store.head().value(), last);
    EXPECT_TRUE(store.verify()->problems.empty());
    EXPECT_TRUE(store.verify_replay()->problems.empty());
  }
}

TEST(Crash, AnArtifactThatNoEventNamesIsNoHarm) {
  TempStore place;
  ASSERT_OK(place.open().next_slot());
  const pid_t child = in_child([&] {
    Store store = place.open();
    if (!Failpoint::arm("store.after_artifact")) return 9;
    return store.put_artifact("bytes") ? 8 : 7;
  });
  ASSERT_TRUE(killed(child));
  Store store = place.open();
  EXPECT_EQ(store.artifact(store.put_artifact("bytes").value()).value(), "bytes");
}

TEST(Disk, FullChangesNothing) {
  TempStore place;
  NEEDS_A_FILE(place);
  FaultVfs vfs;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  vfs.set(FaultVfs::Fault::kDiskFull);
  const auto refused = store.append({events::nothing(TxnId("t-1"), "")});
  EXPECT_CODE(refused, Code::kFault);
  EXPECT_NE(refused.error().hint.find("space"), std::string::npos);
  EXPECT_EQ(store.txn(TxnId("t-1")).value()->state, TxnState::kOpen);
  vfs.set(FaultVfs::Fault::kNone);
  ASSERT_OK(store.append({events::nothing(TxnId("t-1"), "")}));
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Disk, WhatIsAppendedSoonWaitsForNoSyncAndTheNextOneTakesItAlong) {
  TempStore place;
  NEEDS_A_FILE(place);
  FaultVfs vfs;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  const int before = vfs.syncs_made();
  ASSERT_OK(store.append_soon({events::txn_begun(new_txn("t-2"))}));
  ASSERT_OK(store.next_slot());
  EXPECT_EQ(vfs.syncs_made(), before);
  EXPECT_TRUE(place.open().txn(TxnId("t-2")).value()) << "others see it at once";
  ASSERT_OK(store.append({events::nothing(TxnId("t-1"), "")}));
  EXPECT_EQ(vfs.syncs_made(), before + 1);
  ASSERT_OK(store.append({events::nothing(TxnId("t-2"), "")}));
  EXPECT_EQ(vfs.syncs_made(), before + 2) << "each waits again";
}

TEST(Disk, WhatIsAppendedSoonIsWaitedForWithFilesOfTheCaller) {
  TempStore place;
  NEEDS_A_FILE(place);
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  ASSERT_OK(store.append_soon({events::txn_begun(new_txn("t-2"))}));
  std::vector<std::string> asked;
  ASSERT_OK(store.make_durable([&](const std::vector<std::string>& files) {
    asked = files;
    return Status{};
  }));
  EXPECT_EQ(asked, std::vector<std::string>{place.txn_dir() + "/kernel.db-wal"});
  ASSERT_OK(store.append({events::nothing(TxnId("t-1"), "")}));
  const Status lost = store.make_durable(
      [](const std::vector<std::string>&) -> Status { return fail(Code::kFault, "no disk"); });
  EXPECT_CODE(lost, Code::kOutcomeUnknown);
  EXPECT_CODE(store.append({events::nothing(TxnId("t-2"), "")}), Code::kOutcomeUnknown);
}

// Nobody waits for the disk before the first who may leave something in a new -wal file, whose name
// nobody has synced.
TEST(Disk, TheFirstInANewLogWaits) {
  TempStore place;
  NEEDS_A_FILE(place);
  ASSERT_OK(place.open().append({events::txn_begun(new_txn("t-1"))}));
  db::Database moved = db::Database::open(place.txn_dir() + "/kernel.db", {}).value();
  ASSERT_OK(moved.execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  FaultVfs vfs;
  Store store = place.open();
  ASSERT_OK(store.append_soon({events::txn_begun(new_txn("t-2"))}));
  EXPECT_GE(vfs.syncs_made(), 1);
  const int named = vfs.syncs_made();
  ASSERT_OK(store.append_soon({events::txn_begun(new_txn("t-3"))}));
  EXPECT_EQ(vfs.syncs_made(), named);
}

TEST(Artifacts, SmallOnesAreOnDiskWithTheEventThatNamesThem) {
  TempStore place;
  NEEDS_A_FILE(place);
  Store store = place.open();
  const std::string large(40'000, 'x');
  const std::vector<Digest> put = store.put_artifacts_soon({"small", "other"}).value();
  EXPECT_EQ(put, (std::vector<Digest>{sha256("small"), sha256("other")}));
  EXPECT_EQ(store.artifact(put[0]).value(), "small");
  EXPECT_TRUE(list_dir(place.txn_dir() + "/artifacts").value().empty());
  EXPECT_EQ(store.artifact(store.put_artifacts_soon({large}).value()[0]).value(), large);
  EXPECT_EQ(list_dir(place.txn_dir() + "/artifacts").value().size(), 1u);
  ASSERT_OK(place.shell().execute("UPDATE artifacts SET body = x'00'"));
  EXPECT_CODE(store.artifact(put[0]), Code::kCorrupt);
  ASSERT_OK(store.put_artifact("small"));
  EXPECT_EQ(store.artifact(put[0]).value(), "small") << "a file mends it, too";
  ASSERT_OK(store.put_artifacts_soon({"other"}));
  EXPECT_EQ(store.artifact(put[1]).value(), "other");
}

TEST(Disk, OpeningAndClosingSyncsNothing) {
  TempStore place;
  NEEDS_A_FILE(place);
  ASSERT_OK(place.open().append({events::txn_begun(new_txn("t-1"))}));
  FaultVfs vfs;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(place.open().head().value(), 1);
  EXPECT_EQ(vfs.syncs_made(), 0);
  ASSERT_OK(place.open().append({events::nothing(TxnId("t-1"), "")}));
  EXPECT_EQ(vfs.syncs_made(), 1);
}

TEST(Disk, AfterAFailedSyncNothingMoreIsWritten) {
  TempStore place;
  NEEDS_A_FILE(place);
  FaultVfs vfs;
  {
    Store store = place.open();
    ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
    vfs.set(FaultVfs::Fault::kSyncFails);
    EXPECT_CODE(store.append({events::nothing(TxnId("t-1"), "")}), Code::kOutcomeUnknown);
    vfs.set(FaultVfs::Fault::kNone);
    EXPECT_CODE(store.next_slot(), Code::kOutcomeUnknown);
    EXPECT_TRUE(store.txn(TxnId("t-1")).value()) << "reading goes on";
  }
  // Opened again, it is one or the other, and whole.
  const Store store = place.open();
  EXPECT_TRUE(store.head().value() == 1 || store.head().value() == 2);
  EXPECT_TRUE(store.verify()->problems.empty());
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

}  // namespace
}  // namespace gittxn::store
