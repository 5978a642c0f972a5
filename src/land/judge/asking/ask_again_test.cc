// Questions of a landing, asked in namespaces of their own: how often, when, and for how long.
#include "land/judge/asking/ask_again.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asking/testing/world.h"
#include "base/bug.h"
#include "base/fs.h"
#include "land/testing/land_world.h"
#include "repo/worktree/worktree_mount.h"

namespace gittxn::land {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LandWorld;
using testing::must;
using testing::Process;
using testing::Proposal;
using ::testing::SizeIs;

// It was shown the first line of f2, and somebody has added another one.
class AskedAgain : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = asking::testing::missing_for_asking();
    if (!why.empty()) GTEST_SKIP() << why;
  }

  TxnId propose() { return world.propose(shown); }
  void add_line() { world.person_commits("f2", "line\nmore\n"); }

  LandOutcome land(const TxnId& id) {
    Process opened(world.scratch, world.clock, world.random, world.member);
    opened.context.gates.worktree_root = outside / "worktrees";
    opened.context.asks = {outside / "asking", outside / "shared", pure_ms, 60'000};
    LandOptions options;
    options.wait_ms = wait_ms;
    options.turn_wait_ms = 10'000;
    options.on_step = [this](std::string_view step) {
      if (!step.starts_with("running again: ")) return;
      ran.emplace_back(step);
      if (on_run) on_run();
    };
    options.on_wait = [this](const Wait& wait) {
      if (on_wait) on_wait(wait);
    };
    return must(land::land(opened.context, id, options));
  }

  LandWorld world;
  asking::testing::PlaceOutside outside;
  Proposal shown{.id = "t-a",
                 .edits = {{"f1", "mine\n"}},
                 .reads = {"f2"},
                 .isolation = Isolation::kStrict,
                 .run = {"head", "-1", "f2"},
                 .asked = Question::Kind::kPure};
  std::int64_t pure_ms = 60'000, wait_ms = 0;
  std::vector<std::string> ran;
  std::function<void()> on_run;
  std::function<void(const Wait&)> on_wait;
};

TEST_F(AskedAgain, OnTheOldTreeAndOnTheNewOne) {
  const TxnId id = propose();
  add_line();
  const LandOutcome outcome = land(id);
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_THAT(ran, SizeIs(2));
  ASSERT_THAT(outcome.admitted.held, SizeIs(1));
  EXPECT_EQ(outcome.admitted.held[0].how, Held::How::kAsked);
  EXPECT_EQ(outcome.admitted.held[0].question, "head -1 f2");
  EXPECT_GT(outcome.admitted.held[0].took_ms, 0);
  EXPECT_EQ(outcome.admitted.asked_ms, outcome.asked_ms);
  EXPECT_EQ(outcome.asked_ms, outcome.admitted.held[0].took_ms);
  Process opened(world.scratch, world.clock, world.random, world.member);
  const auto history = must(opened.store.events_of(id.str()));
  EXPECT_EQ(must(store::events::admitted_of(history)), outcome.admitted) << "it is on record";
}

// Claude Code runs its own file as ugrep, and which program it is goes by the first word.
TEST_F(AskedAgain, ByTheFileThatWasRunAndWithTheFirstWordThatItWasGiven) {
  shown.program = "/bin/sh";
  shown.run = {"head", "-c", "read line <f2; test $0 = head"};
  const TxnId id = propose();
  add_line();
  EXPECT_EQ(land(id).result, LandResult::kLanded);
  EXPECT_THAT(ran, SizeIs(2));
}

TEST_F(AskedAgain, NothingIsRunWhereTheLooksHold) {
  const TxnId id = propose();
  world.person_commits("f3", "other\n");
  EXPECT_EQ(land(id).result, LandResult::kLanded);
  EXPECT_THAT(ran, IsEmpty());
}

TEST_F(AskedAgain, AnotherAnswerSaysWhichLineBeforeItSaysWhichFile) {
  const TxnId id = propose();
  world.person_commits("f2", "another\n");
  const LandOutcome outcome = land(id);
  EXPECT_EQ(outcome.result, LandResult::kConflict);
  ASSERT_THAT(outcome.conflicts, SizeIs(1));
  EXPECT_EQ(outcome.conflicts[0].answer,
            "`head -1 f2` prints something else now: line 1 was 'line' and is 'another'");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("; 'f2' was read and has changed now"));
  EXPECT_EQ(outcome.conflicts[0].question, "head -1 f2");
  EXPECT_GT(outcome.asked_ms, 0);
}

// Each look whether the wait is over begins from the start.
TEST_F(AskedAgain, OnceForALandingThatWaits) {
  const TxnId id = propose();
  add_line();
  world.scratch.write("f1", "not saved yet\n");
  wait_ms = 700;
  EXPECT_EQ(land(id).result, LandResult::kWaiting);
  EXPECT_THAT(ran, SizeIs(2));
}

TEST_F(AskedAgain, OnceOnTheOldTreeWhereTheHeadMovesMeanwhile) {
  const TxnId id = propose();
  add_line();
  on_run = [&] {
    if (ran.size() == 2) world.person_commits("f3", "other\n");
  };
  EXPECT_EQ(land(id).result, LandResult::kLanded);
  EXPECT_THAT(ran, SizeIs(3)) << "the old tree, the head, and the one that it moved to";
}

// Others land while it asks, twice; then it keeps its turn.
TEST_F(AskedAgain, WithoutTheTurnUntilTwoRacesAreLost) {
  const TxnId id = propose();
  add_line();
  std::vector<LandResult> others;
  on_run = [&] {
    if (ran.size() < 2) return;
    Proposal other{.id = "t-" + std::to_string(ran.size()),
                   .edits = {{"f4", std::to_string(ran.size())}}};
    Process opened(world.scratch, world.clock, world.random, world.member);
    LandOptions options;
    options.turn_wait_ms = 200;
    others.push_back(must(land::land(opened.context, world.propose(other), options)).result);
  };
  EXPECT_EQ(land(id).result, LandResult::kLanded);
  EXPECT_THAT(others, ::testing::ElementsAre(LandResult::kLanded, LandResult::kLanded,
                                             LandResult::kWaiting));
  EXPECT_THAT(ran, SizeIs(4));
}

TEST_F(AskedAgain, WhatDoesNotFitIntoTheTimeDoesNotHold) {
  pure_ms = 0;
  const TxnId id = propose();
  add_line();
  const LandOutcome outcome = land(id);
  EXPECT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_THAT(outcome.conflicts[0].answer, HasSubstr("(txn.ask)"));
  EXPECT_THAT(ran, IsEmpty());
}

TEST_F(AskedAgain, ARunnerIsBoundByTheTimeOfGatesAndNotByThat) {
  pure_ms = 0;
  shown.isolation = Isolation::kSemantic;
  shown.asked = Question::Kind::kRunner;
  const TxnId id = propose();
  add_line();
  EXPECT_EQ(land(id).result, LandResult::kLanded);
}

TEST_F(AskedAgain, WhoOnlyLooksIsToldWhatLandingWouldAsk) {
  const TxnId id = propose();
  add_line();
  Process opened(world.scratch, world.clock, world.random, world.member);
  const Verdict verdict = must(certify_now(opened.context, id));
  EXPECT_FALSE(verdict.commit);
  EXPECT_THAT(verdict.to_ask, ::testing::ElementsAre("head -1 f2"));
  ASSERT_THAT(verdict.conflicts, SizeIs(1));
  EXPECT_EQ(verdict.conflicts[0].question, "head -1 f2");
  EXPECT_EQ(verdict.conflicts[0].answer, "");
}

TEST_F(AskedAgain, ARunnerThatNoPolicyNamesIsNotAskedAtStrict) {
  shown.asked = Question::Kind::kRunner;
  const TxnId id = propose();
  add_line();
  Process opened(world.scratch, world.clock, world.random, world.member);
  EXPECT_THAT(must(certify_now(opened.context, id)).to_ask, IsEmpty());
  EXPECT_EQ(land(id).result, LandResult::kConflict);
  EXPECT_THAT(ran, IsEmpty());
}

// A run in the middle of the work: nobody knows any more what it was of.
class InBetween : public AskedAgain {
 protected:
  const std::string hidden = outside / "worktrees/another";
  InBetween() {
    shown.asked = Question::Kind::kRunner;
    shown.isolation = Isolation::kSemantic;
    shown.in_between = true;
    shown.run = {"grep", "-q", "mine", "f1"};
    must(make_dirs(parent_dir(hidden)));
    must(write_file(hidden, "", Sync::kNo));
  }
  // The branch gets the same change, and something that the run looked at.
  LandOutcome land_nothing() {
    const TxnId id = propose();
    world.person_commits("f1", "mine\n");
    add_line();
    return land(id);
  }
};

TEST_F(InBetween, ItIsRunOnWhatLands) {
  const TxnId id = propose();
  add_line();
  const LandOutcome outcome = land(id);
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_THAT(ran, SizeIs(1));
  ASSERT_THAT(outcome.admitted.held, SizeIs(1));
  EXPECT_EQ(outcome.admitted.held[0].how, Held::How::kCandidate);
  ASSERT_THAT(outcome.admitted.excused, SizeIs(1));
  EXPECT_EQ(outcome.admitted.excused[0].why, Excuse::Why::kCandidate);
}

// As programs do that look for their settings in each directory above.
TEST_F(InBetween, WhatItAsksForOnWhatWasLeftAsWellIsNothingNew) {
  shown.run = {"sh", "-c", "cat " + hidden + " 2>/dev/null || true"};
  const TxnId id = propose();
  add_line();
  EXPECT_EQ(land(id).result, LandResult::kLanded);
  EXPECT_THAT(ran, SizeIs(2));
}

TEST_F(InBetween, WhatItAsksForOnWhatLandsAloneIsRefused) {
  shown.run = {"sh", "-c", "! grep -q more f2 || cat " + hidden + " 2>/dev/null || true"};
  const TxnId id = propose();
  add_line();
  const LandOutcome outcome = land(id);
  EXPECT_EQ(outcome.result, LandResult::kConflict);
  ASSERT_THAT(outcome.conflicts, SizeIs(1));
  EXPECT_THAT(outcome.conflicts[0].answer, HasSubstr("asks for '" + hidden + "' now"));
}

TEST_F(InBetween, AndHasToPassThere) {
  shown.run = {"grep", "-q", "more", "f1"};
  const TxnId id = propose();
  add_line();
  const LandOutcome outcome = land(id);
  EXPECT_EQ(outcome.result, LandResult::kConflict);
  ASSERT_THAT(outcome.conflicts, SizeIs(1));
  EXPECT_EQ(outcome.conflicts[0].answer, "`grep -q more f1` fails now");
}

TEST_F(InBetween, NotAtStrict) {
  shown.isolation = Isolation::kStrict;
  const TxnId id = propose();
  add_line();
  EXPECT_EQ(land(id).result, LandResult::kConflict);
  EXPECT_THAT(ran, IsEmpty());
}

TEST_F(InBetween, NotWhereNothingWouldLand) {
  EXPECT_EQ(land_nothing().result, LandResult::kConflict);
  EXPECT_THAT(ran, IsEmpty());
}

#ifdef GIT_TXN_BUGS
TEST_F(InBetween, ARunOfNothingWouldBeNoticed) {
  arm_bug("land.gates_of_nothing");
  EXPECT_NE(land_nothing().result, LandResult::kConflict);
  arm_bug("");
  EXPECT_THAT(ran, SizeIs(1));
}

TEST_F(AskedAgain, AskingTwiceWouldBeNoticed) {
  const TxnId id = propose();
  add_line();
  world.scratch.write("f1", "not saved yet\n");
  wait_ms = 700;
  arm_bug("land.asks_twice");
  EXPECT_EQ(land(id).result, LandResult::kWaiting);
  arm_bug("");
  EXPECT_GT(ran.size(), 2u);
}

TEST_F(AskedAgain, AskingForEverWouldBeNoticed) {
  pure_ms = 0;
  const TxnId id = propose();
  add_line();
  arm_bug("land.asks_for_ever");
  EXPECT_EQ(land(id).result, LandResult::kLanded);
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::land
