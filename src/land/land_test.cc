#include "land/land.h"

#include <gtest/gtest.h>

#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::FileEdits;
using testing::LandWorld;
using testing::must;
using testing::Proposal;

std::string told(const Result<LandOutcome>& outcome) {
  if (!outcome) return outcome.error().where + ": " + outcome.error().message;
  std::string text = "result " + std::to_string(static_cast<int>(outcome->result));
  for (const Conflict& conflict : outcome->conflicts) text += ", " + conflict.subject;
  if (outcome->wait)
    text +=
        ", waits " + std::string(wait_words(outcome->wait->reason)) + " " + outcome->wait->subject;
  return text;
}

void expect_result(const Result<LandOutcome>& outcome, LandResult result) {
  ASSERT_TRUE(outcome.has_value()) << told(outcome);
  EXPECT_EQ(outcome->result, result) << told(outcome);
}

TEST(Land, MovesLogBranchAndCheckoutTogether) {
  LandWorld world;
  const Oid before = world.main();
  world.scratch.write("f5", "typed by the person\n");
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}, {"d/new", "N\n"}, {"f2", std::nullopt}}});
  const auto outcome = world.land(id);
  expect_result(outcome, LandResult::kLanded);
  EXPECT_EQ(world.main(), outcome->commit);
  EXPECT_EQ(world.scratch.oid("main^"), before);
  EXPECT_EQ(world.status(), " M f5");
  EXPECT_EQ(must(read_file(world.scratch.file("d/new"))), "N\n");
  EXPECT_FALSE(must(exists(world.scratch.file("f2"))));
  EXPECT_EQ(world.txn(id).state, TxnState::kLanded);
  EXPECT_EQ(world.txn(id).landed_commit, world.main());
  EXPECT_EQ(world.scratch.git({"log", "-1", "--format=%an %ae|%cn %ce|%s"}),
            "Agent agent@example.com|Owner owner@example.com|a change");
  const std::string body = world.scratch.git({"log", "-1", "--format=%B"});
  for (const char* trailer : {"Txn-Id: t-a", "Txn-Base: ", "Txn-Reads: ", "Txn-Env: "}) {
    EXPECT_NE(body.find(trailer), std::string::npos) << trailer << " in " << body;
  }
  EXPECT_NE(world.scratch.git({"reflog", "-1", "main"}).find("txn: land t-a"), std::string::npos);
  EXPECT_FALSE(world.locks_left());
  EXPECT_TRUE(world.problems().empty());
}

// The lines that git would have given it, and the value of the branch at that time.
void write_ref_hook(const LandWorld& world, const std::string& verdict) {
  const std::string path = world.scratch.git_dir() + "/hooks/reference-transaction";
  must(make_dirs(parent_dir(path)));
  must(write_file(path,
                  "#!/bin/sh\nread -r old new ref\n"
                  "echo \"$1 $old $new $ref at $(git rev-parse main)\" >>.git/told\n" +
                      verdict,
                  Sync::kNo, 0755));
}
std::string told_to_hook(const LandWorld& world) {
  return read_file(world.scratch.git_dir() + "/told").value_or("");
}

TEST(Land, TheHookReferenceTransactionIsCalledAroundTheMove) {
  LandWorld world;
  write_ref_hook(world, "exit 0\n");
  const std::string before = world.main().str();
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  expect_result(world.land(id), LandResult::kLanded);
  const std::string after = world.main().str();
  const std::string line = before + " " + after + " refs/heads/main at ";
  EXPECT_EQ(told_to_hook(world),
            "prepared " + line + before + "\ncommitted " + line + after + "\n");
}

TEST(Land, AHookThatSaysNoLosesTheLanding) {
  LandWorld world;
  write_ref_hook(world, "echo frozen until Monday >&2; exit 1\n");
  const Oid before = world.main();
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  const auto outcome = world.land(id);
  expect_result(outcome, LandResult::kRejected);
  ASSERT_EQ(outcome->conflicts.size(), 1u);
  EXPECT_EQ(outcome->conflicts[0].subject, "reference-transaction");
  EXPECT_NE(outcome->conflicts[0].hint.find("frozen until Monday"), std::string::npos);
  EXPECT_EQ(world.main(), before);
  EXPECT_EQ(must(read_file(world.scratch.file("f1"))), "line\n");
  EXPECT_FALSE(world.locks_left());
  EXPECT_EQ(world.txn(id).state, TxnState::kRejected);
  EXPECT_EQ(world.events_of_type(event_type::kLandingLost), 1);
  const std::string heard = told_to_hook(world);
  EXPECT_TRUE(heard.starts_with("prepared ")) << heard;
  EXPECT_NE(heard.find("\naborted "), std::string::npos) << heard;
  EXPECT_EQ(heard.find("committed"), std::string::npos) << heard;
  EXPECT_TRUE(world.problems().empty());
}

TEST(Land, ABranchThatWasRewoundIsTold) {
  LandWorld world;
  expect_result(world.land(world.propose({"t-a", {{"f1", "A\n"}}})), LandResult::kLanded);
  const std::string lost = world.main().str().substr(0, 7);
  world.scratch.git({"reset", "-q", "--hard", "main~1"});
  const auto told = [&](const char* id, const char* file) {
    const auto outcome = world.land(world.propose({id, {{file, "x\n"}}}));
    expect_result(outcome, LandResult::kLanded);
    std::string notes;
    for (const std::string& note : outcome->notes) notes += note + "\n";
    return notes;
  };
  const std::string notes = told("t-b", "f2");
  EXPECT_NE(notes.find("refs/heads/main was rewound from " + lost), std::string::npos) << notes;
  world.person_commits("f3", "forward\n");
  EXPECT_EQ(told("t-c", "f4"), "") << "it was told, and a move forward is none";
}

TEST(Land, TwoThatCommuteLandOneOnTheOther) {
  LandWorld world;
  const TxnId a = world.propose({"t-a", {{"f1", "A\n"}}, {"f3"}});
  const TxnId b = world.propose({"t-b", {{"f2", "B\n"}}, {"f4"}});
  expect_result(world.land(a), LandResult::kLanded);
  expect_result(world.land(b), LandResult::kLanded);
  EXPECT_EQ(world.shown("f1") + world.shown("f2"), "AB");
  EXPECT_EQ(world.status(), "");
}

TEST(Land, AStaleReadIsRefusedAndTheWriterNamed) {
  LandWorld world;
  const TxnId a = world.propose({"t-a", {{"f1", "A\n"}}});
  const TxnId b = world.propose({"t-b", {{"f2", "B\n"}}, {"f1"}});
  expect_result(world.land(a), LandResult::kLanded);
  const Oid head = world.main();
  const auto outcome = world.land(b);
  expect_result(outcome, LandResult::kConflict);
  ASSERT_EQ(outcome->conflicts.size(), 1u);
  EXPECT_EQ(outcome->conflicts[0].kind, ConflictKind::kReadStale);
  EXPECT_EQ(outcome->conflicts[0].subject, "f1");
  EXPECT_EQ(outcome->conflicts[0].changed_by, "t-a");
  EXPECT_EQ(world.main(), head);
  EXPECT_EQ(world.txn(b).state, TxnState::kPrepared);
  EXPECT_EQ(world.events_of_type(event_type::kConflicted), 1);
}

TEST(Land, TheSameFileTwiceIsAConflictAtEveryLevel) {
  for (const Isolation level : {Isolation::kReadCommitted, Isolation::kSnapshot,
                                Isolation::kSemantic, Isolation::kStrict}) {
    LandWorld world;
    const TxnId b = world.propose({"t-b", {{"f1", "B\n"}}, {}, level});
    world.person_commits("f1", "P\n");
    const auto outcome = world.land(b);
    expect_result(outcome, LandResult::kConflict);
    ASSERT_FALSE(outcome->conflicts.empty());
    EXPECT_EQ(outcome->conflicts[0].kind, ConflictKind::kWriteWrite);
    EXPECT_EQ(world.shown("f1"), "P");
  }
}

TEST(Land, WriteSkewPassesAtSnapshotOnly) {
  for (const auto& [level, result] : {std::pair{Isolation::kSnapshot, LandResult::kLanded},
                                      std::pair{Isolation::kSerializable, LandResult::kConflict}}) {
    LandWorld world;
    const TxnId a = world.propose({"t-a", {{"f1", "A\n"}}, {"f2"}, level});
    const TxnId b = world.propose({"t-b", {{"f2", "B\n"}}, {"f1"}, level});
    expect_result(world.land(a), LandResult::kLanded);
    expect_result(world.land(b), result);
  }
}

TEST(Land, WhatTheBranchHasAlreadyIsNothing) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "same\n"}}});
  world.person_commits("f1", "same\n");
  const Oid head = world.main();
  expect_result(world.land(id), LandResult::kNothing);
  EXPECT_EQ(world.main(), head);
  EXPECT_EQ(world.txn(id).state, TxnState::kNothing);
}

TEST(Land, UnknownReadsAreInvalidatedByAnything) {
  LandWorld world;
  Proposal proposal{"t-a", {{"f1", "A\n"}}};
  proposal.complete = false;
  const TxnId a = world.propose(proposal);
  proposal.id = "t-b";
  proposal.edits = {{"f3", "B\n"}};
  const TxnId b = world.propose(proposal);
  expect_result(world.land(a), LandResult::kLanded);
  expect_result(world.land(b), LandResult::kConflict);
}

TEST(Land, ACommitMadeOutsideIsRecordedFirst) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}, {"f2"}});
  const int known = world.events_of_type(event_type::kOutsideMove);
  const Oid person = world.person_commits("f3", "P\n");
  const auto outcome = world.land(id);
  expect_result(outcome, LandResult::kLanded);
  EXPECT_EQ(outcome->head_before, person);
  EXPECT_EQ(world.events_of_type(event_type::kOutsideMove), known + 1);
  EXPECT_EQ(world.shown("f3"), "P");
}

TEST(Land, RewrittenHistoryIsRecordedAndWhatWentStaysGone) {
  LandWorld world;
  world.person_commits("secret", "S\n");
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}, {"f2"}});
  world.scratch.git({"reset", "-q", "--hard", "HEAD~1"});
  const Oid moved = world.person_commits("f3", "P\n");
  expect_result(world.land(id), LandResult::kLanded);
  EXPECT_EQ(world.scratch.oid("main^"), moved);
  EXPECT_EQ(world.scratch.git({"ls-tree", "main", "secret"}), "");
}

TEST(Land, AnUndoneLandingStaysUndone) {
  LandWorld world;
  const Oid before = world.main();
  const TxnId a = world.propose({"t-a", {{"f1", "A\n"}}});
  expect_result(world.land(a), LandResult::kLanded);
  world.scratch.git({"reset", "-q", "--hard", before.str()});
  EXPECT_EQ(world.recover().outside_moves.size(), 1u);
  EXPECT_TRUE(world.recover().outside_moves.empty());
  const TxnId b = world.propose({"t-b", {{"f2", "B\n"}}});
  expect_result(world.land(b), LandResult::kLanded);
  EXPECT_EQ(world.shown("f1"), "line");
  EXPECT_EQ(world.scratch.git({"rev-list", "--count", "main"}), "2");
}

TEST(Land, UndoneBeforeRecoveryIsLostAndKept) {
  LandWorld world;
  const Oid before = world.main();
  const TxnId a = world.propose({"t-a", {{"f1", "A\n"}}});
  ASSERT_TRUE(world.killed_at("land.after_ref_update", a));
  must(remove_file(world.scratch.git_dir() + "/index.lock"));
  world.scratch.git({"reset", "-q", "--hard", before.str()});
  EXPECT_EQ(world.recover().items.size(), 1u);
  EXPECT_TRUE(world.recover().items.empty());
  EXPECT_EQ(world.main(), before);
  EXPECT_EQ(world.txn(a).state, TxnState::kPrepared);
  EXPECT_EQ(world.status(), "");
  expect_result(world.land(a), LandResult::kLanded);  // its owner asks again
  EXPECT_EQ(world.shown("f1"), "A");
}

TEST(Land, ACommitOnTopOfAHalfLandingIsNotUndone) {
  LandWorld world;
  const TxnId a = world.propose({"t-a", {{"f1", "A\n"}, {"f2", "A\n"}}});
  ASSERT_TRUE(world.killed_at("land.after_ref_update", a));
  must(remove_file(world.scratch.git_dir() + "/index.lock"));
  world.scratch.write("f1", "P\n");
  world.scratch.git({"commit", "-q", "-m", "on top", "--", "f1"});
  world.recover();
  EXPECT_EQ(world.txn(a).state, TxnState::kLanded);
  EXPECT_EQ(world.shown("f1") + world.shown("f2"), "PA");
  EXPECT_EQ(must(read_file(world.scratch.file("f1"))), "P\n");
  EXPECT_EQ(must(read_file(world.scratch.file("f2"))), "A\n");
  EXPECT_EQ(world.status(), "");
}

TEST(Land, ADirtyFileWaitsHoldingNothing) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  world.scratch.write("f1", "unsaved thought\n");
  const Oid before = world.main();
  const auto outcome = world.land(id, 100);
  expect_result(outcome, LandResult::kWaiting);
  ASSERT_TRUE(outcome->wait.has_value());
  EXPECT_EQ(outcome->wait->subject, "f1");
  EXPECT_EQ(world.main(), before);
  EXPECT_EQ(must(read_file(world.scratch.file("f1"))), "unsaved thought\n");
  EXPECT_EQ(world.txn(id).waiting_reason, wait_words(outcome->wait->reason));
  EXPECT_FALSE(world.locks_left());
  const TxnId other = world.propose({"t-b", {{"f2", "B\n"}}});
  expect_result(world.land(other), LandResult::kLanded);
  world.scratch.git({"checkout", "-q", "--", "f1"});
  expect_result(world.land(id), LandResult::kLanded);
  EXPECT_EQ(world.txn(id).waiting_reason, "");
}

TEST(Land, AMissingKeyWaitsForItsOwner) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  world.scratch.git({"config", "commit.gpgSign", "true"});
  world.scratch.git({"config", "gpg.program", "false"});
  const auto outcome = world.land(id);
  expect_result(outcome, LandResult::kWaiting);
  EXPECT_EQ(outcome->wait->reason, WaitReason::kSigningKey);
  world.scratch.git({"config", "commit.gpgSign", "false"});
  expect_result(world.land(id), LandResult::kLanded);
}

TEST(Land, APolicyNobodyTrustsWaits) {
  LandWorld world;
  world.person_commits(".gittxn.toml", "[[gate]]\nname = \"g\"\nrun = \"true\"\n");
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  const auto outcome = world.land(id);
  expect_result(outcome, LandResult::kWaiting);
  EXPECT_EQ(outcome->wait->reason, WaitReason::kTrust);
  EXPECT_NE(outcome->wait->subject.find("git txn trust --yes"), std::string::npos);
}

TEST(Land, APolicyThatNobodyCouldReadIsRejected) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{".gittxn.toml", "[[gate\n"}}});
  const auto outcome = world.land(id);
  expect_result(outcome, LandResult::kRejected);
  EXPECT_EQ(outcome->conflicts[0].kind, ConflictKind::kPolicy);
  EXPECT_EQ(world.txn(id).state, TxnState::kRejected);
}

TEST(Land, ADamagedRefIsAClearStop) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  expect_result(world.land(id), LandResult::kLanded);
  const Oid head = world.main();
  must(write_file(world.scratch.git_dir() + "/refs/heads/main", "", Sync::kNo, 0644));
  const RecoveryReport report = world.recover();
  ASSERT_EQ(report.stops.size(), 1u);
  EXPECT_EQ(report.stops[0].code, Code::kCorrupt);
  EXPECT_NE(report.stops[0].message.find("refs/heads/main"), std::string::npos);
  const std::string& hint = report.stops[0].hint;
  EXPECT_NE(hint.find("git update-ref refs/heads/main " + head.str()), std::string::npos) << hint;
  // The command it names is the cure.
  must(remove_file(world.scratch.git_dir() + "/refs/heads/main"));
  world.scratch.git({"update-ref", "refs/heads/main", head.str()});
  EXPECT_TRUE(world.recover().stops.empty());
}

TEST(Land, WhatCouldNotBeStagedIsTidiedUp) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}, {"f2", "A\n"}}});
  world.scratch.git({"config", "filter.broken.clean", "cat"});
  world.scratch.git({"config", "filter.broken.smudge", "false"});
  world.scratch.git({"config", "filter.broken.required", "true"});
  must(write_file(world.scratch.git_dir() + "/info/attributes", "f2 filter=broken\n", Sync::kNo));
  const auto outcome = world.land(id);
  ASSERT_FALSE(outcome.has_value()) << told(outcome);
  EXPECT_NE(outcome.error().where.find("staging"), std::string::npos) << told(outcome);
  EXPECT_FALSE(must(exists(world.scratch.git_dir() + "/txn/displaced/t-a")));
  EXPECT_EQ(world.txn(id).state, TxnState::kPrepared);
  must(remove_file(world.scratch.git_dir() + "/info/attributes"));
  expect_result(world.land(id), LandResult::kLanded);
}

TEST(Land, ACheckoutThatCannotBeLookedAtStopsNobodyElse) {
  LandWorld world;
  world.scratch.git({"worktree", "add", "-q", "-b", "side", world.scratch.root() + "/side"});
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  must(make_dirs(world.scratch.git_dir() + "/worktrees/side/txn"));
  must(write_file(world.scratch.git_dir() + "/worktrees/side/txn/displaced", "", Sync::kNo));
  ASSERT_TRUE(world.killed_at("land.after_ref_update", id));
  const RecoveryReport report = world.recover();
  EXPECT_EQ(report.stops.size(), 1u);
  EXPECT_EQ(report.items.size(), 1u);
  EXPECT_EQ(world.txn(id).state, TxnState::kLanded);
}

TEST(Land, SomebodyElsesRefLockIsWaitedForAndLeft) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  const std::string lock = world.scratch.git_dir() + "/refs/heads/main.lock";
  must(write_file(lock, "", Sync::kNo, 0644));
  const auto outcome = world.land(id);
  expect_result(outcome, LandResult::kWaiting);
  EXPECT_TRUE(must(exists(lock)));
  world.recover();
  EXPECT_TRUE(must(exists(lock)));
  must(remove_file(lock));
  expect_result(world.land(id), LandResult::kLanded);
}

}  // namespace
}  // namespace gittxn::land
