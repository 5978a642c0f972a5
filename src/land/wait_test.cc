// A landing that waits, and what others do meanwhile: tidy up, change a hook, abort it.
#include <gtest/gtest.h>

#include "land/land.h"
#include "land/testing/land_world.h"
#include "land/testing/passing_clock.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::must;
using testing::PassingClock;
using testing::Process;
namespace events = store::events;

class Waiting : public ::testing::Test {
 protected:
  Waiting() {
    id_ = world_.propose({"t-a", {{"f1", "A\n"}}});
    options_.wait_ms = kHourMs;
    options_.turn_wait_ms = 10'000;
  }

  void hook(const std::string& text) {
    must(write_file(world_.scratch.git_dir() + "/hooks/pre-commit",
                    "#!/bin/sh\necho ran >>'" + count() + "'\n" + text, Sync::kNo, 0755));
  }
  std::string count() const { return world_.scratch.root() + "/count"; }
  std::string ran() const { return must(read_file(count())); }
  void person_is_in_the_way() { world_.scratch.write("f1", "unsaved\n"); }
  void tidy_up() { world_.scratch.git({"checkout", "-q", "--", "f1"}); }
  LandOutcome land() {
    Process opened(world_.scratch, others_, world_.random);
    return must(land::land(opened.context, id_, options_));
  }
  void append(const NewEvent& event) {
    Process other(world_.scratch, world_.clock, world_.random);
    must(other.store.append({event}));
  }
  void abort() { append(events::aborted(id_, "changed my mind", "a person")); }
  void expect_withdrawn(const LandOutcome& outcome, TxnState state) {
    EXPECT_EQ(outcome.result, LandResult::kWithdrawn);
    EXPECT_EQ(world_.txn(id_).state, state);
    EXPECT_EQ(world_.txn(id_).waiting_reason, "");
    EXPECT_EQ(world_.shown("f1"), "line");
    EXPECT_FALSE(world_.locks_left());
    EXPECT_TRUE(world_.problems().empty());
    Process other(world_.scratch, world_.clock, world_.random);
    EXPECT_TRUE(must(other.store.tickets(LandWorld::kBranch)).empty());
  }

  static constexpr std::int64_t kHourMs = 3'600'000;
  LandWorld world_;
  PassingClock others_;
  TxnId id_;
  LandOptions options_;
};

TEST_F(Waiting, HooksAreNotAskedAgainWhenThePersonHasTidiedUp) {
  hook("");
  person_is_in_the_way();
  others_.act = [&] { tidy_up(); };
  EXPECT_EQ(land().result, LandResult::kLanded);
  EXPECT_EQ(ran(), "ran\n");
}

TEST_F(Waiting, HooksAreNotAskedAgainWhenTheWaitRunsOut) {
  hook("");
  person_is_in_the_way();
  options_.wait_ms = 200;
  EXPECT_EQ(land().result, LandResult::kWaiting);
  EXPECT_EQ(ran(), "ran\n");
}

TEST_F(Waiting, WhatAHookEditedStaysEdited) {
  hook("echo by the hook >f2; git add f2\n");
  person_is_in_the_way();
  others_.act = [&] { tidy_up(); };
  const LandOutcome outcome = land();
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_EQ(ran(), "ran\n");
  EXPECT_EQ(world_.shown("f1") + world_.shown("f2"), "Aby the hook");
  EXPECT_EQ(outcome.notes, std::vector<std::string>{"a hook edited the candidate"});
}

TEST_F(Waiting, AnotherHookIsAskedAnew) {
  hook("");
  person_is_in_the_way();
  others_.act = [&] {
    hook("exit 1\n");
    tidy_up();
  };
  EXPECT_EQ(land().result, LandResult::kRejected);
  EXPECT_EQ(ran(), "ran\nran\n");
}

TEST_F(Waiting, WhatHooksSaidLongAgoDoesNotCount) {
  hook("");
  person_is_in_the_way();
  others_.act = [&] {
    others_.pass(kHourMs / 2);
    tidy_up();
  };
  EXPECT_EQ(land().result, LandResult::kLanded);
  EXPECT_EQ(ran(), "ran\nran\n");
}

TEST_F(Waiting, GatesAreNotAskedAgainEither) {
  // What this gate does in the file of the count is no evidence that could be used again.
  world_.person_commits(".gittxn.toml", "[[gate]]\nname = \"g\"\nrun = [\"sh\", \"-c\", \"cat '" +
                                            count() + "'; echo ran >>'" + count() + "'\"]\n");
  must(write_file(count(), "", Sync::kNo, 0644));
  Process opened(world_.scratch, world_.clock, world_.random);
  options_.trust_offered = must(policy_at(opened.context, world_.main())).trust_hash.str();
  person_is_in_the_way();
  others_.act = [&] { tidy_up(); };
  const LandOutcome outcome = land();
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_EQ(ran(), "ran\n");
  EXPECT_EQ(outcome.gates.size(), 1u);
}

TEST_F(Waiting, AnotherBranchCheckedOutEndsTheWait) {
  person_is_in_the_way();
  others_.act = [&] { world_.scratch.git({"checkout", "-q", "-b", "other"}); };
  EXPECT_EQ(land().result, LandResult::kLanded);
  EXPECT_EQ(must(read_file(world_.scratch.file("f1"))), "unsaved\n");
}

TEST_F(Waiting, AbortedWhileAPersonIsInTheWay) {
  person_is_in_the_way();
  others_.act = [&] { abort(); };
  expect_withdrawn(land(), TxnState::kAborted);
}

TEST_F(Waiting, TakenUpAgainWhileAPersonIsInTheWay) {
  person_is_in_the_way();
  others_.act = [&] { append(events::reopened(id_, {"somebody", 99, false})); };
  expect_withdrawn(land(), TxnState::kOpen);
}

TEST_F(Waiting, AbortedInTheQueue) {
  Process other(world_.scratch, world_.clock, world_.random);
  const std::string lock = turn_lock_path(other.context, LandWorld::kBranch);
  must(make_dirs(parent_dir(lock)));
  const FileLock held = must(FileLock::acquire(lock, 0));
  options_.on_wait = [&](const Wait& wait) {
    if (wait.reason != WaitReason::kNone) abort();
  };
  expect_withdrawn(land(), TxnState::kAborted);
}

TEST_F(Waiting, AbortedAtTheLastMoment) {
  options_.on_step = [&](std::string_view step) {
    if (step == "landing") abort();
  };
  expect_withdrawn(land(), TxnState::kAborted);
  EXPECT_EQ(world_.status(), "");
}

// Between certifying and the landing lock gates may run for minutes.
TEST_F(Waiting, ARefThatWasReadMovesAtTheLastMoment) {
  world_.scratch.git({"branch", "other"});
  testing::Proposal proposal{"t-b", {{"f2", "B\n"}}};
  proposal.refs = {"refs/heads/other"};
  id_ = world_.propose(proposal);
  const std::string moved =
      world_.scratch.git({"commit-tree", "-m", "moved", "-p", "main", "main^{tree}"});
  options_.on_step = [&](std::string_view step) {
    if (step == "landing") world_.scratch.git({"update-ref", "refs/heads/other", moved});
  };
  const LandOutcome outcome = land();
  EXPECT_EQ(outcome.result, LandResult::kConflict);
  ASSERT_EQ(outcome.conflicts.size(), 1u);
  EXPECT_EQ(outcome.conflicts[0].subject, "refs/heads/other");
}

}  // namespace
}  // namespace gittxn::land
