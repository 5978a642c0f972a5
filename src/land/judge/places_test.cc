// A transaction that has lost twice goes before those that would make it lose again.
#include "land/judge/places.h"

#include <gtest/gtest.h>

#include "land/testing/land_world.h"
#include "land/testing/passing_clock.h"
#include "store/server/locks.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::must;
using testing::Process;
namespace events = store::events;

constexpr std::int64_t kMinuteMs = 60'000;

class Places : public ::testing::Test {
 protected:
  LandWorld world;
  testing::PassingClock clock;
  std::map<std::string, store::Lock> alive;
  Process keeper = world.process();  // holds what is alive

  // A transaction that reads f2 and writes f1, has lost so often, and is at work again.
  TxnId loser(const std::string& id, int losses, ReaderClass reader = ReaderClass::kAny) {
    testing::Proposal proposal{id, {{"f1", id + "\n"}}, {"f2"}};
    proposal.reader = reader;
    return begin_again(world.propose(proposal), losses);
  }
  TxnId begin_again(const TxnId& txn, int losses) {
    Process opened = world.process();
    for (int i = 0; i < losses; ++i) must(opened.store.append({events::conflicted(txn, 1, {})}));
    must(opened.store.append({events::repairing(txn, "resume", "f2 has changed")}));
    Attempt again;
    again.number = 2;
    again.base = world.main();
    must(opened.store.append({events::attempt_started(txn, again)}));
    alive[txn.str()] =
        must(keeper.store.locks().try_slot(store::Slots::kOwners, world.txn(txn).slot));
    return txn;
  }
  LandOutcome lands(const TxnId& id, std::int64_t queue_ms = 0) {
    Process opened(world.scratch, clock, world.random);
    LandOptions options;
    options.turn_wait_ms = queue_ms;
    return must(land::land(opened.context, id, options));
  }
  // The transaction in the way of one that changes f2.
  std::string in_the_way_of(const Txn& txn) {
    Process opened = world.process();
    repo::Objects& objects = opened.repository.objects();
    Work work;
    work.txn = txn;
    Candidate candidate;
    candidate.head = world.main();
    candidate.head_tree = must(objects.tree_of(candidate.head));
    const TreeEntry before = must(objects.entry_at(candidate.head_tree, "f2"));
    const Oid other = must(objects.write_blob("other\n"));
    candidate.changes = {{"f2", before, {FileMode::kFile, other}}};
    candidate.tree = must(objects.apply(candidate.head, candidate.changes));
    const auto found = must(loser_in_the_way(opened.context, work, candidate));
    return found ? found->id.str() : "nobody";
  }
  static Wait place_of(const std::string& id) { return {WaitReason::kPlace, id}; }
};

TEST_F(Places, WhoLostTwiceGoesFirst) {
  loser("t-loser", 2);
  const TxnId fast = world.propose({"t-fast", {{"f2", "fast\n"}}});
  LandOutcome outcome = lands(fast);
  EXPECT_EQ(outcome.result, LandResult::kWaiting);
  EXPECT_EQ(outcome.wait, place_of("t-loser"));
  EXPECT_EQ(world.shown("f2"), "line");
  clock.act = [this] { alive.clear(); };  // it has ended
  outcome = lands(fast, kMinuteMs);
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_EQ(world.shown("f2"), "fast");
}

TEST_F(Places, ItKeepsNobodyWhomItDoesNotMeet) {
  loser("t-loser", 2);
  EXPECT_EQ(lands(world.propose({"t-a", {{"f3", "a\n"}}})).result, LandResult::kLanded);
  EXPECT_EQ(lands(world.propose({"t-b", {{"f1", "b\n"}}})).wait, place_of("t-loser"))
      << "what it writes is its own, too";
}

TEST_F(Places, OneLossIsNone) {
  loser("t-loser", 1);
  EXPECT_EQ(lands(world.propose({"t-a", {{"f2", "a\n"}}})).result, LandResult::kLanded);
}

TEST_F(Places, PatienceEnds) {
  loser("t-loser", 2);
  const TxnId fast = world.propose({"t-fast", {{"f2", "fast\n"}}});
  clock.pass(9 * kMinuteMs);
  EXPECT_EQ(lands(fast).wait, place_of("t-loser"));
  EXPECT_EQ(lands(fast, 5 * kMinuteMs).result, LandResult::kLanded);
  EXPECT_LT(clock.passed_ms(), 12 * kMinuteMs);
}

TEST_F(Places, PolicySaysHowLong) {
  loser("t-loser", 2);
  world.person_commits(".gittxn.toml", "[queue]\npatience = \"0s\"\n");
  EXPECT_EQ(lands(world.propose({"t-a", {{"f2", "a\n"}}})).result, LandResult::kLanded);
}

TEST_F(Places, UnknownReadsHaveNone) {
  testing::Proposal proposal{"t-loser", {{"f1", "x\n"}}, {"f2"}};
  proposal.complete = false;
  begin_again(world.propose(proposal), 2);
  EXPECT_EQ(lands(world.propose({"t-a", {{"f2", "a\n"}}})).result, LandResult::kLanded);
}

TEST_F(Places, NobodyWaitsForWhoeverWaitsForIt) {
  const TxnId outer = loser("t-outer", 2);
  const TxnId inner = world.propose({"t-inner", {{"f2", "inner\n"}}});
  EXPECT_EQ(in_the_way_of(world.txn(inner)), "t-outer");
  Txn begun_inside = world.txn(inner);
  begun_inside.parent = outer;
  EXPECT_EQ(in_the_way_of(begun_inside), "nobody");
}

TEST_F(Places, TheDeadHaveNone) {
  loser("t-loser", 2);
  alive.clear();
  EXPECT_EQ(lands(world.propose({"t-a", {{"f2", "a\n"}}})).result, LandResult::kLanded);
}

TEST_F(Places, WhoLostMoreOftenGoesBeforeWhoLostLess) {
  const TxnId twice = loser("t-twice", 2);
  const TxnId often = loser("t-often", 3);
  EXPECT_EQ(in_the_way_of(world.txn(twice)), "t-often");
  EXPECT_EQ(in_the_way_of(world.txn(often)), "nobody");
}

#ifdef GIT_TXN_BUGS
TEST_F(Places, NoneWouldBeNoticed) {
  loser("t-loser", 2);
  arm_bug("land.no_places");
  EXPECT_EQ(lands(world.propose({"t-a", {{"f2", "a\n"}}})).result, LandResult::kLanded);
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::land
