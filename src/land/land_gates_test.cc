// Gates that run while the turn is not held, and who lands meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "asking/testing/world.h"
#include "base/fs.h"
#include "gates/checkout.h"
#include "land/land.h"
#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::must;
using testing::Process;
using ::testing::SizeIs;

class Beside : public ::testing::Test {
 protected:
  // A gate that leaves a mark for each run; `more` is of its table.
  void gate(const std::string& shell, const std::string& more = "") {
    world_.person_commits(".gittxn.toml", "[[gate]]\nname = \"g\"\nrun = '''echo ran >>'" +
                                              marks() + "'; " + shell + "'''\n" + more);
    Process opened(world_.scratch, world_.clock, world_.random);
    trust_ = must(policy_at(opened.context, world_.main())).trust_hash.str();
  }
  int runs() {
    const std::string text = read_file(marks()).value_or("");
    return static_cast<int>(std::ranges::count(text, '\n'));
  }
  LandOutcome land_plainly(const TxnId& id) { return must(world_.land(id, 0, trust_)); }
  // Lands while somebody acts each time just before gates run. `turn_was_free_` has an entry for
  // each of these times.
  LandOutcome land(const TxnId& id, const std::function<void()>& meanwhile) {
    Process opened(world_.scratch, world_.clock, world_.random);
    opened.context.gates.jobs = jobs_;
    LandOptions options;
    options.trust_offered = trust_;
    options.turn_wait_ms = 10'000;
    options.interrupted = interrupted_;
    opened.context.gates.interrupted = interrupted_;
    options.on_step = [&](std::string_view step) {
      if (step != "gates") return;
      turn_was_free_.push_back(
          FileLock::acquire(turn_lock_path(opened.context, LandWorld::kBranch), 0).has_value());
      meanwhile();
    };
    auto outcome = land::land(opened.context, id, options);
    failed_ = outcome ? Error() : outcome.error();
    return outcome ? *std::move(outcome) : LandOutcome();
  }
  std::string marks() const { return world_.scratch.root() + "/marks"; }

  LandWorld world_;
  std::string trust_;
  int jobs_ = 2;
  std::function<bool()> interrupted_;
  std::vector<bool> turn_was_free_;
  Error failed_;
};

// The gate passes for each change alone and fails for both together.
constexpr const char* kNotBoth = R"(! { grep -q new f0 && grep -q new f1; })";

TEST_F(Beside, WhatLandedMeanwhileIsJudgedTogetherWithIt) {
  gate(kNotBoth);
  const TxnId one = world_.propose({"t-a", {{"f0", "new\n"}}});
  const TxnId two = world_.propose({"t-b", {{"f1", "new\n"}}});
  bool landed = false;
  const LandOutcome outcome = land(two, [&] {
    if (!landed) EXPECT_EQ(land_plainly(one).result, LandResult::kLanded);
    landed = true;
  });
  EXPECT_EQ(outcome.result, LandResult::kRejected);
  ASSERT_THAT(outcome.gates, SizeIs(1));
  EXPECT_FALSE(outcome.gates[0].certificate.passed);
  EXPECT_EQ(runs(), 3);
  EXPECT_EQ(world_.shown("f1"), "line");
}

TEST_F(Beside, WhereItWouldLookAtTheSameItDoesNotRunAgain) {
  gate("cat f1");
  const TxnId one = world_.propose({"t-a", {{"f0", "new\n"}}});
  const TxnId two = world_.propose({"t-b", {{"f1", "new\n"}}});
  const LandOutcome outcome =
      land(two, [&] { EXPECT_EQ(land_plainly(one).result, LandResult::kLanded); });
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  ASSERT_THAT(outcome.gates, SizeIs(1));
  EXPECT_TRUE(outcome.gates[0].carried());
  EXPECT_EQ(runs(), 2) << "one of each";
  const std::vector<Event> log = world_.log();
  const auto prepared = std::ranges::find(log | std::views::reverse, event_type::kLandingPrepared,
                                          [](const Event& event) { return event.type; });
  EXPECT_EQ(std::next(prepared)->type, event_type::kGateEvaluated) << "in one append";
  EXPECT_THAT(world_.problems(), ::testing::IsEmpty());
}

TEST_F(Beside, AfterTwoLostRacesTheTurnIsHeld) {
  gate("true", "carry = false\n");
  const TxnId id = world_.propose({"t-a", {{"f0", "new\n"}}});
  int commits = 0;
  const LandOutcome outcome = land(id, [&] {
    if (turn_was_free_.back()) world_.person_commits("f5", std::to_string(++commits) + "\n");
  });
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_EQ(turn_was_free_, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(runs(), 3);
}

TEST_F(Beside, ANoOnTheSameHeadIsARefusalAndIsNotAskedTwice) {
  gate("exit 3");
  const LandOutcome outcome = land(world_.propose({"t-a", {{"f0", "new\n"}}}), [] {});
  EXPECT_EQ(outcome.result, LandResult::kRejected);
  EXPECT_EQ(outcome.conflicts[0].hint, "exit status 3");
  EXPECT_EQ(runs(), 1);
}

TEST_F(Beside, ANoOnAHeadThatHasMovedIsAskedAgain) {
  gate("! grep -q broken f5");
  world_.person_commits("f5", "broken\n");
  const LandOutcome outcome = land(world_.propose({"t-a", {{"f0", "new\n"}}}), [] {});
  EXPECT_EQ(outcome.result, LandResult::kRejected);
  bool mended = false;
  const LandOutcome second = land(world_.propose({"t-b", {{"f1", "new\n"}}}), [&] {
    if (mended) return;
    mended = true;
    // The head moves between the candidate and its gate.
    world_.person_commits("f5", "mended\n");
  });
  EXPECT_EQ(second.result, LandResult::kLanded);
  EXPECT_EQ(runs(), 3);
}

TEST_F(Beside, WhoNeedsAGateThatAnotherOneRunsWaitsForIt) {
  gate("true");
  const TxnId id = world_.propose({"t-a", {{"f0", "new\n"}}});
  std::optional<FileLock> other;
  int polls = 0;
  interrupted_ = [&] {
    if (other && ++polls == 3) other.reset();
    return false;
  };
  const LandOutcome outcome = land(id, [&] {
    Process opened(world_.scratch, world_.clock, world_.random);
    const std::string at = gates::fixed_path(opened.context.gates, LandWorld::kBranch, "g");
    const std::string locks = join_path(parent_dir(at), ".locks");
    must(make_dirs(locks));
    other = must(FileLock::acquire(join_path(locks, "g"), 0));
  });
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_GE(polls, 3);
  EXPECT_EQ(runs(), 1);
}

TEST_F(Beside, WhereAllPlacesAreTakenItWaitsAndCanBeInterrupted) {
  gate("true");
  jobs_ = 1;
  const TxnId id = world_.propose({"t-a", {{"f0", "new\n"}}});
  const std::string places = world_.scratch.git_dir() + "/txn/locks/gates";
  must(make_dirs(parent_dir(places)));
  const SlotLock other = must(SlotLock::try_acquire(places, 0));
  int polls = 0;
  interrupted_ = [&] { return ++polls > 3; };
  const LandOutcome outcome = land(id, [] {});
  EXPECT_EQ(failed_.code, Code::kInterrupted) << failed_.message;
  EXPECT_EQ(runs(), 0);
  EXPECT_EQ(world_.txn(id).state, TxnState::kPrepared);
}

TEST_F(Beside, WhoIsKilledThereLandsTheNextTime) {
  gate("cat f0");
  int number = 0;
  for (const char* point :
       {"land.before_gates", "gates.checked_out", "gates.ran", "land.after_gates"}) {
    const TxnId id =
        world_.propose({"t-" + std::to_string(++number), {{"f0", std::string(point) + "\n"}}});
    EXPECT_TRUE(world_.killed_at(point, id, trust_)) << point;
    EXPECT_EQ(land_plainly(id).result, LandResult::kLanded) << point;
  }
  EXPECT_THAT(world_.problems(), ::testing::IsEmpty());
}

// Each landing changes what the build leaves, which both units look at.
TEST_F(Beside, WhoIsKilledAtAnyStepOfUnitsLandsTheNextTime) {
  const std::string why = asking::testing::missing_for_asking();
  if (!why.empty()) GTEST_SKIP() << why;
  world_.person_commits(".gittxn.toml", R"([[gate]]
name = "g"
build = "mkdir -p out; cp f0 out/x"
incremental = true
units = ["f2", "f3"]
run = ["grep", "-q", ".", "out/x", "{unit}"]
)");
  Process opened(world_.scratch, world_.clock, world_.random);
  trust_ = must(policy_at(opened.context, world_.main())).trust_hash.str();
  int number = 0;
  int killed = 0;
  for (const std::string& point : testing::failpoints_of("gates.")) {
    SCOPED_TRACE(point);
    const TxnId id = world_.propose({"t-" + std::to_string(++number), {{"f0", point + "\n"}}});
    if (world_.killed_at(point, id, trust_)) ++killed;  // else it is of gates without units
    if (world_.txn(id).state == TxnState::kLanded) continue;
    const LandOutcome outcome = land_plainly(id);
    ASSERT_EQ(outcome.result, LandResult::kLanded);
    const UnitTally& tally = outcome.gates.front().certificate.tally;
    EXPECT_EQ(tally.units, 2);
    EXPECT_EQ(tally.failed, 0);
    const std::string lane = gates::fixed_path(opened.context.gates, LandWorld::kBranch, "g");
    EXPECT_FALSE(must(exists(lane)));
    for (const DirEntry& entry : must(list_dir(lane + "+outputs"))) {
      EXPECT_FALSE(entry.name.starts_with("new.")) << entry.name;
    }
  }
  EXPECT_GE(killed, 4);
  EXPECT_THAT(world_.problems(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace gittxn::land
