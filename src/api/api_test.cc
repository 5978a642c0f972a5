// The facade end to end, with small shell commands for agents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/testing/kernel_world.h"
#include "api/work.h"
#include "base/subprocess.h"
#include "store/events.h"
#include "store/store.h"
#include "txn/state.h"

namespace gittxn::api {
namespace {

using repo::testing::must;

class ApiTest : public ::testing::Test, public testing::KernelWorld {
 protected:
  ApiTest() {
    for (int i = 0; i < 5; ++i) scratch_.write("f" + std::to_string(i), "line\n");
    scratch_.write(".gitignore", "*.log\n");
    scratch_.commit("start");
    scratch_.env()["REPO"] = scratch_.path();
    scratch_.env()["WORLD"] = scratch_.root();
  }

  Outcome run(const std::string& text) { return run(script(text)); }
  Outcome run(const RunOptions& options) { return must(kernel().run(options, Progress{})); }
  Outcome commit(const TxnId& id) {
    RunOptions options;
    options.wait_ms = 0;
    return must(kernel().commit(id.str(), options, Progress{}));
  }
  std::string shown(const std::string& path) { return scratch_.git({"show", "main:" + path}); }
  void person_commits(const std::string& path, const std::string& text) {
    scratch_.write(path, text);
    scratch_.git({"add", path});
    scratch_.git({"commit", "-q", "-m", "a person edits " + path, "--", path});
  }
  static bool has(const std::vector<std::string>& lines, std::string_view part) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
};

// One for each step: begun, its command started and ended, taken, landed, told.
TEST_F(ApiTest, ATransactionIsLoadedOnceAStepAndThePolicyReadOnce) {
  scratch_.write(".gittxn.toml", "[[gate]]\nname = \"test\"\nrun = \"true\"\n");
  scratch_.git({"add", ".gittxn.toml"});
  scratch_.git({"commit", "-qm", "a policy"});
  Kernel kernel = this->kernel();
  State& state = kernel;
  const std::optional<std::string> here;
  ASSERT_TRUE(kernel.trust(here, must(kernel.policy(here)).trust_hash.str()));
  const Outcome outcome = must(kernel.run(script("echo more >>f1"), Progress{}));
  ASSERT_EQ(outcome.txn.state, TxnState::kLanded) << outcome_name(outcome);
  EXPECT_EQ(state.loads, 6);
  EXPECT_EQ(state.policies->read(), 1);
  // Another text is another policy.
  person_commits(".gittxn.toml", "[[gate]]\nname = \"other\"\nrun = \"true\"\n");
  EXPECT_EQ(must(kernel.policy(here)).gates.front().name.str(), "other");
  EXPECT_EQ(state.policies->read(), 2);
}

// Prompts and keys stand in command lines, and what lands is pushed.
TEST_F(ApiTest, TheCommandLineIsInNoCommit) {
  const Outcome outcome = run("true --key=sk-secret; echo more >>f1");
  ASSERT_EQ(outcome.txn.state, TxnState::kLanded) << outcome_name(outcome);
  EXPECT_EQ(scratch_.git({"log", "-1", "--format=%s"}), "Change f1");
  EXPECT_EQ(must(kernel().log(1)).front().name, "Change f1");
  RunOptions open = script("true --key=sk-secret; echo more >>f2");
  open.no_land = true;
  run(open);
  const std::string all = scratch_.git({"log", "--all", "--notes", "--format=%B"});
  EXPECT_NE(all.find("Change f2"), std::string::npos) << all;
  EXPECT_EQ(all.find("sk-secret"), std::string::npos) << all;
}

TEST_F(ApiTest, ItsOwnCommitSaysWhatTheChangeIsCalled) {
  const Outcome outcome = run("echo more >>f1; git commit -qam 'Lengthen f1'; echo more >>f1");
  ASSERT_EQ(outcome.txn.state, TxnState::kLanded) << outcome_name(outcome);
  EXPECT_EQ(scratch_.git({"log", "-1", "--format=%s"}), "Lengthen f1");
  // Without a word in it the commit says nothing.
  run("echo more >>f1; git commit -qam '' --allow-empty-message");
  EXPECT_EQ(scratch_.git({"log", "-1", "--format=%s"}), "Change f1");
}

TEST_F(ApiTest, WhatAWorktreeOfItsOwnHoldsIsKeptAndTold) {
  const Outcome outcome = run("git worktree add -q ../mine && echo x >../mine/x && echo y >>f1");
  ASSERT_EQ(outcome.txn.state, TxnState::kLanded) << outcome_name(outcome);
  EXPECT_TRUE(has(outcome.notes, "/mine, and what is in it does not land; it is kept"));
  const std::string kept = "refs/txn/" + outcome.txn.id.str() + "/worktree-1-1";
  must(kernel().gc(false, Progress{}));
  EXPECT_EQ(scratch_.git({"show", kept + ":x"}), "x");
  must(kernel().gc(true, Progress{}));
  EXPECT_EQ(scratch_.git({"for-each-ref", kept}), "");
}

TEST_F(ApiTest, RunLandsWhatTheCommandDid) {
  RunOptions options = script("cat f1 >/dev/null; echo new >added; echo noise >x.log");
  options.name = "add a file";
  const Outcome outcome = run(options);
  ASSERT_EQ(outcome.txn.state, TxnState::kLanded) << outcome_name(outcome);
  EXPECT_EQ(exit_code(outcome), 0);
  EXPECT_EQ(shown("added"), "new");
  EXPECT_EQ(scratch_.git({"log", "-1", "--format=%s"}), "add a file");
  EXPECT_EQ(scratch_.git({"status", "--porcelain"}), "");
  EXPECT_EQ(outcome.untracked, std::vector<std::string>{"added"});
  EXPECT_TRUE(outcome.reads.complete) << outcome.reads.unknown_reason;
  const auto reads_f1 = [](const Read& read) { return read.subject == "f1"; };
  EXPECT_TRUE(std::any_of(outcome.reads.reads.begin(), outcome.reads.reads.end(), reads_f1));
  ASSERT_EQ(outcome.writes.size(), 1u);
  EXPECT_EQ(outcome.txn.attempts.back().worktree, "") << "its worktree is removed";
  EXPECT_TRUE(must(kernel().verify(true)).problems.empty());
}

TEST_F(ApiTest, AnOutcomeHasWhatWasReadAndWritten) {
  const Outcome outcome = run("echo new >added");
  EXPECT_EQ(outcome_name(outcome), "landed");
  EXPECT_EQ(outcome.txn.attempts.size(), 1u);
  EXPECT_EQ(outcome.writes.at(0).path, "added");
  EXPECT_TRUE(outcome.reads.complete);
  EXPECT_EQ(outcome.txn.waiting_reason, "");
}

TEST_F(ApiTest, NoChangeIsNothing) {
  const Outcome outcome = run("cat f1 >/dev/null");
  EXPECT_EQ(outcome.txn.state, TxnState::kNothing);
  EXPECT_EQ(exit_code(outcome), 0);
  EXPECT_TRUE(outcome.txn.landed_commit.empty());
}

TEST_F(ApiTest, AFailingCommandThatChangedNothingIsOver) {
  const Outcome outcome = run("cat f1 >/dev/null; exit 7");
  EXPECT_EQ(outcome.txn.state, TxnState::kNothing);
  EXPECT_EQ(outcome.command_exit, 7);
  EXPECT_EQ(exit_code(outcome), 1);
}

TEST_F(ApiTest, AFailingCommandStaysOpenAndLandsWhenAsked) {
  const Outcome outcome = run("echo half >added; exit 7");
  EXPECT_EQ(outcome.txn.state, TxnState::kOpen);
  EXPECT_EQ(outcome.command_exit, 7);
  EXPECT_EQ(exit_code(outcome), 1);
  EXPECT_EQ(outcome.next, "git txn resume " + outcome.txn.id.str());
  const auto refused = kernel().commit(outcome.txn.id.str(), {}, Progress{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRefused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("ended with status 7"));
  EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("git txn commit --accept-unfinished "));
  RunOptions options;
  options.accept_unfinished = true;
  EXPECT_EQ(must(kernel().commit(outcome.txn.id.str(), options, Progress{})).txn.state,
            TxnState::kLanded);
  EXPECT_EQ(shown("added"), "half");
}

TEST_F(ApiTest, AConflictRunsAgainOnTheNewHead) {
  // The first try changes what it has read, as a person would meanwhile.
  const Outcome outcome =
      run("cp f1 copy; [ -e \"$WORLD/once\" ] || { touch \"$WORLD/once\"; cd \"$REPO\" && "
          "echo moved >f1 && git commit -qam moved; }");
  ASSERT_EQ(outcome.txn.state, TxnState::kLanded) << outcome_name(outcome);
  EXPECT_EQ(outcome.txn.attempts.size(), 2u);
  EXPECT_EQ(shown("copy"), "moved");
  ASSERT_EQ(outcome.repair_steps.size(), 1u);
  EXPECT_EQ(outcome.repair_steps[0].rung, "retry");
  EXPECT_EQ(outcome.repair_steps[0].result, "landed");
  EXPECT_EQ(scratch_.git({"show", "refs/txn/" + outcome.txn.id.str() + "/1:copy"}), "line");
  const WhyReport why = must(kernel().why(outcome.txn.id.str()));
  ASSERT_FALSE(why.witnesses.empty());
  EXPECT_NE(why.witnesses[0].diff.find("+moved"), std::string::npos);
}

TEST_F(ApiTest, RetriesUsedUpIsQuarantinedWithEverythingKept) {
  RunOptions options = script("cp f1 copy; cd \"$REPO\" && date +%N >f1 && git commit -qam moved");
  options.retries = 1;
  const Outcome outcome = run(options);
  EXPECT_EQ(outcome.txn.state, TxnState::kQuarantined);
  EXPECT_EQ(outcome.txn.attempts.size(), 2u);
  EXPECT_EQ(exit_code(outcome), 1);
  ASSERT_FALSE(outcome.conflicts.empty());
  for (const char* attempt : {"1", "2"}) {
    scratch_.oid("refs/txn/" + outcome.txn.id.str() + "/" + attempt);
  }
  const WhyReport why = must(kernel().why(outcome.txn.id.str()));
  EXPECT_TRUE(has(why.next, "git txn retry " + outcome.txn.id.str()));
  EXPECT_TRUE(has(why.next, "git txn resume " + outcome.txn.id.str()));
}

TEST_F(ApiTest, WhatBothWroteCanBeMergedAndAskedForAgain) {
  RunOptions options = script("echo mine >f1");
  options.no_land = true;
  const Outcome outcome = run(options);
  scratch_.write("f1", "theirs\n");
  scratch_.commit("moved");
  ASSERT_EQ(commit(outcome.txn.id).txn.state, TxnState::kQuarantined);
  const std::string id = outcome.txn.id.str();
  EXPECT_TRUE(must(kernel().why(id)).next.front().starts_with("git txn resume " + id));
  const Resumed resumed = must(kernel().resume(id, Kernel::By::kHand, {}, Progress{}));
  ASSERT_TRUE(resumed.went_on.has_value());
  EXPECT_EQ(resumed.went_on->head.str(), scratch_.git({"rev-parse", "HEAD"}));
  EXPECT_EQ(resumed.went_on->marked, std::vector<std::string>{"f1"});
  const std::string file = must(kernel().worktree_of(id)) + "/f1";
  EXPECT_EQ(must(read_file(file)), "<<<<<<< " + id + "\nmine\n=======\ntheirs\n>>>>>>> main\n");
  const auto marked = kernel().commit(id, {}, Progress{});
  ASSERT_FALSE(marked.has_value());
  EXPECT_EQ(marked.error().message, "there are conflict markers in f1");
  must(write_file(file, "both\n", Sync::kNo, 0644));
  const Outcome landed = commit(outcome.txn.id);
  EXPECT_EQ(landed.txn.state, TxnState::kLanded)
      << (landed.conflicts.empty()
              ? ""
              : landed.conflicts.front().subject + ": " + landed.conflicts.front().hint);
  EXPECT_EQ(shown("f1"), "both");
}

// Nobody can say of single commands that the last of them was to finish it.
TEST_F(ApiTest, InSteps) {
  Kernel kernel = this->kernel();
  const Txn txn = must(kernel.begin({}, Progress{}));
  const RunOptions options;
  const std::string id = txn.id.str();
  EXPECT_EQ(must(kernel.exec(id, {"sh", "-c", "cat f1; echo one >one"}, options, Progress{})), 0);
  EXPECT_EQ(must(kernel.exec(id, {"sh", "-c", "echo two >two; exit 5"}, options, Progress{})), 5);
  EXPECT_NE(must(kernel.diff(id)).find("+two"), std::string::npos);
  const Outcome outcome = commit(txn.id);
  ASSERT_EQ(outcome.txn.state, TxnState::kLanded) << outcome_name(outcome);
  EXPECT_TRUE(outcome.reads.complete) << outcome.reads.unknown_reason;
  EXPECT_EQ(shown("one") + shown("two"), "onetwo");
}

TEST_F(ApiTest, AChangeMadeByHandMakesTheReadsUnknown) {
  Kernel kernel = this->kernel();
  const Txn txn = must(kernel.begin(script(""), Progress{}));
  const std::string id = txn.id.str();
  must(kernel.exec(id, {"sh", "-c", "echo one >one"}, {}, Progress{}));
  const std::string tree = must(kernel.worktree_of(id));
  must(write_file(tree + "/two", "by hand\n", Sync::kNo, 0644));
  must(kernel.exec(id, {"sh", "-c", "echo three >three"}, {}, Progress{}));
  person_commits("f4", "unrelated\n");
  const Outcome outcome = commit(txn.id);
  EXPECT_FALSE(outcome.reads.complete);
  EXPECT_EQ(outcome.txn.state, TxnState::kQuarantined);
}

TEST_F(ApiTest, AbortKeepsTheWorkAndResumeBringsItBack) {
  RunOptions options = script("echo x >added");
  options.no_land = true;
  const Outcome open = run(options);
  EXPECT_EQ(open.txn.state, TxnState::kOpen);
  EXPECT_EQ(exit_code(open), 0) << "left open as asked";
  const std::string id = open.txn.id.str();
  EXPECT_EQ(must(kernel().abort(id, "changed my mind", {})).state, TxnState::kAborted);
  must(kernel().gc(false, Progress{}));
  EXPECT_EQ(scratch_.git({"show", "refs/txn/" + id + "/1:added"}), "x");
  EXPECT_EQ(must(kernel().resume(id, Kernel::By::kHand, {}, Progress{})).txn.state,
            TxnState::kOpen);
  EXPECT_EQ(commit(open.txn.id).txn.state, TxnState::kLanded);
  EXPECT_EQ(shown("added"), "x");
}

TEST_F(ApiTest, ResumeRestoresAWorktreeThatIsGone) {
  RunOptions options = script("echo x >added; rm f1; echo y >f2");
  options.no_land = true;
  const Outcome open = run(options);
  const std::string id = open.txn.id.str();
  const GcReport freed = must(kernel().gc(true, Progress{}));
  EXPECT_TRUE(has(freed.removed, "worktree"));
  EXPECT_FALSE(kernel().worktree_of(id).has_value());
  must(kernel().resume(id, Kernel::By::kHand, {}, Progress{}));
  const std::string tree = must(kernel().worktree_of(id));
  EXPECT_EQ(must(read_file(tree + "/added")), "x\n");
  EXPECT_FALSE(must(exists(tree + "/f1")));
  const Outcome landed = commit(open.txn.id);
  ASSERT_EQ(landed.txn.state, TxnState::kLanded) << outcome_name(landed);
  EXPECT_EQ(scratch_.git({"diff", "--name-status", "main~1", "main"}), "A\tadded\nD\tf1\nM\tf2");
}

TEST_F(ApiTest, KeptWorkLandsWithoutItsWorktree) {
  RunOptions options = script("echo x >added");
  options.no_land = true;
  const Outcome open = run(options);
  must(kernel().gc(true, Progress{}));
  EXPECT_EQ(commit(open.txn.id).txn.state, TxnState::kLanded);
  EXPECT_EQ(shown("added"), "x");
}

TEST_F(ApiTest, ADirtyFileWaitsAndStatusSaysWhy) {
  scratch_.write("f1", "unsaved\n");
  const Outcome outcome = run("echo agent >f1");
  EXPECT_EQ(outcome.txn.state, TxnState::kPrepared);
  EXPECT_EQ(exit_code(outcome), 1);
  EXPECT_EQ(outcome.txn.waiting_subject, "f1");
  const StatusReport status = must(kernel().status());
  ASSERT_EQ(status.lines.size(), 1u);
  EXPECT_EQ(status.lines[0].txn.waiting_subject, "f1");
  EXPECT_FALSE(status.lines[0].owner_alive);
  scratch_.git({"checkout", "-q", "--", "f1"});
  EXPECT_EQ(commit(outcome.txn.id).txn.state, TxnState::kLanded);
}

TEST_F(ApiTest, AbortedWhileItWaitsIsAborted) {
  scratch_.write("f1", "unsaved\n");
  RunOptions options = script("echo agent >f1");
  options.wait_ms = -1;
  Progress progress;
  progress.on_wait = [&](WaitReason reason, std::string_view) {
    if (reason == WaitReason::kNone) return;
    const StatusReport status = must(kernel().status());
    store::Store store = must(store::Store::open(scratch_.git_dir() + "/txn", clock_));
    must(store.append({store::events::aborted(status.lines.at(0).txn.id, "not wanted", "me")}));
  };
  const Outcome outcome = must(kernel().run(options, progress));
  EXPECT_EQ(outcome.txn.state, TxnState::kAborted);
  EXPECT_EQ(exit_code(outcome), 1);
  EXPECT_EQ(outcome.txn.waiting_reason, "");
  EXPECT_TRUE(has(outcome.notes, "aborted")) << outcome_name(outcome);
  EXPECT_EQ(outcome.next, "git txn resume " + outcome.txn.id.str());
  EXPECT_EQ(shown("f1"), "line");
}

TEST_F(ApiTest, StatusKnowsWhatIsStale) {
  RunOptions options = script("cat f1; echo x >added");
  options.no_land = true;
  run(options);
  EXPECT_TRUE(must(kernel().status()).lines.at(0).stale.empty());
  person_commits("f1", "changed\n");
  EXPECT_TRUE(has(must(kernel().status()).lines.at(0).stale, "f1"));
}

TEST_F(ApiTest, LogTellsLandingsAndPeople) {
  const Outcome outcome = run("echo x >added");
  person_commits("f1", "changed\n");
  must(recover(kernel(), {}));
  const std::vector<LogLine> log = must(kernel().log(10));
  ASSERT_GE(log.size(), 2u);
  EXPECT_EQ(log[0].name, "a person edits f1");
  EXPECT_EQ(log[1].txn, outcome.txn.id);
}

TEST_F(ApiTest, LogTellsAMoveThatNothingHasRecordedYetOnce) {
  run("echo x >added");
  person_commits("f1", "changed\n");
  const std::vector<LogLine> log = must(kernel().log(10));
  const auto theirs = [](const LogLine& line) { return line.name == "a person edits f1"; };
  EXPECT_EQ(std::count_if(log.begin(), log.end(), theirs), 1);
}

TEST_F(ApiTest, UsageIsRefusedBeforeAnythingIsCreated) {
  for (const auto& [options, word] :
       {std::pair{script("true"), "--onto nowhere"}, std::pair{RunOptions{}, "no command"}}) {
    RunOptions asked = options;
    if (std::string_view(word).starts_with("--onto")) asked.onto = "nowhere";
    const auto outcome = kernel().run(asked, Progress{});
    ASSERT_FALSE(outcome.has_value()) << word;
    EXPECT_EQ(outcome.error().code, Code::kUsage) << outcome.error().message;
  }
  RunOptions missing;
  missing.command = {"no-such-program"};
  const auto outcome = kernel().run(missing, Progress{});
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, Code::kUsage);
  EXPECT_FALSE(must(exists(scratch_.git_dir() + "/txn/kernel.db")));
}

TEST_F(ApiTest, InsideATransactionIsRefusedByName) {
  scratch_.env()["GIT_TXN_ID"] = "t-out";
  const auto outcome = kernel().run(script("true"), Progress{});
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, Code::kUnsupported);
  EXPECT_NE(outcome.error().message.find("t-out"), std::string::npos);
}

TEST_F(ApiTest, AWorktreeMeansTheRepositoryItBelongsTo) {
  const Txn txn = must(kernel().begin(script(""), Progress{}));
  const std::string tree = must(kernel().worktree_of(txn.id.str()));
  Kernel inside = kernel_in(tree);
  const StatusReport status = must(inside.status());
  ASSERT_EQ(status.lines.size(), 1u);
  EXPECT_EQ(status.lines[0].txn.id, txn.id);
}

TEST_F(ApiTest, ACopyOfTheRepositoryLeavesTheOriginalsWorktreesAlone) {
  RunOptions options = script("echo x >added");
  options.no_land = true;
  const Outcome open = run(options);
  const std::string worktree = open.txn.attempts.back().worktree;
  ASSERT_FALSE(worktree.empty());
  const std::string copy = scratch_.root() + "/copy";
  Command cp;
  cp.argv = {"cp", "-a", scratch_.path(), copy};
  cp.env = scratch_.env();
  ASSERT_TRUE(must(gittxn::run(cp)).exit.success());
  std::vector<std::string> told;
  Progress progress;
  progress.on_note = [&](std::string_view note) { told.emplace_back(note); };
  const GcReport collected = must(kernel_in(copy).gc(true, progress));
  EXPECT_TRUE(has(collected.kept, "this repository is a copy of " + scratch_.path() + "/.git"));
  must(kernel_in(copy).abort(open.txn.id.str(), "only here", progress));
  must(kernel_in(copy).gc(true, progress));
  EXPECT_TRUE(must(exists(worktree + "/tree/added")));
  EXPECT_TRUE(must(kernel_in(copy).verify(true)).problems.empty());
  // The copy is a repository of its own from now on.
  EXPECT_EQ(must(kernel_in(copy).run(script("echo y >mine"), progress)).txn.state,
            TxnState::kLanded);
  EXPECT_EQ(commit(open.txn.id).txn.state, TxnState::kLanded);
  EXPECT_EQ(shown("added"), "x");
}

TEST_F(ApiTest, AMovedRepositoryKeepsItsWorktrees) {
  RunOptions options = script("echo x >added");
  options.no_land = true;
  const Outcome open = run(options);
  const std::string moved = scratch_.root() + "/moved";
  ASSERT_EQ(::rename(scratch_.path().c_str(), moved.c_str()), 0);
  const std::string worktree = open.txn.attempts.back().worktree;
  must(write_file(worktree + "/tree/more", "by hand\n", Sync::kNo, 0644));
  RunOptions landing;
  landing.wait_ms = 0;
  const Outcome landed = must(kernel_in(moved).commit(open.txn.id.str(), landing, Progress{}));
  EXPECT_EQ(landed.txn.state, TxnState::kLanded) << outcome_name(landed);
  EXPECT_FALSE(has(landed.notes, "is a copy of"));
  EXPECT_EQ(scratch_.git_in(moved, {"show", "main:more"}), "by hand");
  EXPECT_FALSE(must(exists(worktree))) << "it is still its own";
}

TEST_F(ApiTest, LookingCreatesNothing) {
  EXPECT_TRUE(must(kernel().status()).lines.empty());
  EXPECT_TRUE(must(kernel().log(5)).empty());
  EXPECT_EQ(must(kernel().verify(false)).events, 0);
  EXPECT_FALSE(kernel().show("t-none").has_value());
  EXPECT_FALSE(must(exists(scratch_.git_dir() + "/txn")));
}

TEST_F(ApiTest, GcFreesWhatLandedAndKeepsTheRest) {
  const Outcome landed = run("echo x >added");
  RunOptions options = script("echo y >other");
  options.no_land = true;
  const Outcome open = run(options);
  must(kernel().gc(false, Progress{}));
  const std::string refs = scratch_.git({"for-each-ref", "--format=%(refname)", "refs/txn"});
  EXPECT_EQ(refs.find(landed.txn.id.str()), std::string::npos) << refs;
  EXPECT_NE(refs.find(open.txn.id.str()), std::string::npos) << refs;
  EXPECT_TRUE(must(exists(open.txn.attempts.back().worktree)));
}

TEST_F(ApiTest, DoctorAnswersEverywhere) {
  Host host;
  host.cwd = scratch_.root();
  host.env = scratch_.env();
  host.clock = &clock_;
  host.random = &random_;
  const auto outside = must(Kernel::doctor(host));
  EXPECT_TRUE(std::any_of(outside.begin(), outside.end(), [](const DoctorLine& line) {
    return line.subject == "repository" && !line.ok;
  }));
  host.cwd = scratch_.path();
  for (const DoctorLine& line : must(Kernel::doctor(host))) {
    EXPECT_TRUE(line.ok) << line.subject << ": " << line.detail;
  }
}

}  // namespace
}  // namespace gittxn::api
