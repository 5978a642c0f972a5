// Refused transactions that go on from the head of their branch: what is merged, which reads count
// from there on, and what is refused all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/testing/kernel_world.h"
#include "base/fs.h"
#include "repo/testing/landing.h"
#include "txn/go_on.h"

namespace gittxn::api {
namespace {

using repo::testing::must;
using repo::testing::Victim;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Resume : public ::testing::Test, public testing::KernelWorld {
 protected:
  Resume() {
    scratch_.env()["REPO"] = scratch_.path();
    for (const char* file : {"f1", "f2", "f3", "d/a"}) scratch_.write(file, "line\n");
    scratch_.commit("start");
  }
  // Runs, is not landed, and then refused because of what a person does.
  std::string refused(const std::string& work, const std::string& file, const std::string& text) {
    RunOptions options = script(work);
    options.no_land = true;
    const TxnId id = must(kernel().run(options, Progress{})).txn.id;
    changes(file, text);
    EXPECT_EQ(commit(id.str()).txn.state, TxnState::kQuarantined);
    return id.str();
  }
  void changes(const std::string& file, const std::string& text) {
    scratch_.write(file, text);
    scratch_.git({"add", "-A"});
    scratch_.commit("a person changes " + file);
  }
  Resumed resume(const std::string& id) {
    return must(kernel().resume(id, Kernel::By::kHand, {}, Progress{}));
  }
  Outcome commit(const std::string& id) {
    RunOptions options;
    options.wait_ms = 0;
    return must(kernel().commit(id, options, Progress{}));
  }
  std::string shown(const std::string& path) { return scratch_.git({"show", "main:" + path}); }
  std::string file(const std::string& id, const std::string& path) {
    return must(kernel().worktree_of(id)) + "/" + path;
  }
  std::vector<std::string> stale(const Resumed& resumed) {
    std::vector<std::string> all;
    EXPECT_TRUE(resumed.went_on.has_value());
    for (const StaleRead& one : resumed.went_on.value_or(WentOn()).stale) {
      all.push_back((one.rejudged ? "judged " : "stale ") + one.subject);
    }
    return all;
  }
};

TEST_F(Resume, AReadWhoseDifferenceWasShownIsOneOfTheHead) {
  const std::string id = refused("cat f1 f2 >copy", "f1", "other\n");
  const Resumed resumed = resume(id);
  ASSERT_THAT(stale(resumed), ElementsAre("judged f1"));
  EXPECT_THAT(resumed.went_on->stale.front().diff, HasSubstr("+other"));
  EXPECT_THAT(resumed.went_on->marked, IsEmpty());
  EXPECT_EQ(must(read_file(file(id, "f1"))), "other\n") << "the branch is in its worktree";
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
  EXPECT_THAT(must(kernel().why(id)).excused, Contains(HasSubstr("f1 had changed since")));
  EXPECT_EQ(shown("copy"), "line\nline");
}

TEST_F(Resume, ItIsRefusedAgainWhenThatChangesAgain) {
  const std::string id = refused("cat f1 f2 >copy", "f1", "other\n");
  resume(id);
  changes("f1", "yet another\n");
  const Outcome again = commit(id);
  EXPECT_EQ(again.txn.state, TxnState::kQuarantined);
  EXPECT_TRUE(again.reads.complete) << again.reads.unknown_reason;
  EXPECT_THAT(stale(resume(id)), ElementsAre("judged f1"));
  changes("f3", "nobody read it\n");
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
}

TEST_F(Resume, ReadsThatHeldAreStillReads) {
  const std::string id = refused("cat f1 f2 >copy", "f1", "other\n");
  resume(id);
  changes("f2", "other\n");
  EXPECT_EQ(commit(id).txn.state, TxnState::kQuarantined);
}

TEST_F(Resume, WhatItReadsAfterwardsIsRead) {
  const std::string id = refused("cat f1 >copy", "f1", "other\n");
  resume(id);
  EXPECT_EQ(must(kernel().exec(id, {"sh", "-c", "cat f3 >>copy"}, {}, Progress{})), 0);
  changes("f3", "other\n");
  const Outcome outcome = commit(id);
  EXPECT_EQ(outcome.txn.state, TxnState::kQuarantined);
  EXPECT_EQ(outcome.conflicts.front().subject, "f3");
}

TEST_F(Resume, ASearchIsJudgedByAllThatItLookedInto) {
  const std::string id = refused("grep -rn line d >found", "d/a", "line\nline too\n");
  EXPECT_THAT(stale(resume(id)), ElementsAre("judged d"));
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
}

TEST_F(Resume, ASearchThatWouldFindSomethingElseAgainIsRefusedAgain) {
  const std::string id = refused("grep -rn line d >found", "d/a", "line\nline too\n");
  resume(id);
  changes("d/a", "line\n");
  EXPECT_EQ(commit(id).txn.state, TxnState::kQuarantined);
}

TEST_F(Resume, AtStrictNobodysWordCounts) {
  RunOptions options = script("cat f1 >copy");
  options.no_land = true;
  options.isolation = "strict";
  const std::string id = must(kernel().run(options, Progress{})).txn.id.str();
  changes("f1", "other\n");
  ASSERT_EQ(commit(id).txn.state, TxnState::kQuarantined);
  EXPECT_THAT(stale(resume(id)), ElementsAre("stale f1"));
  EXPECT_EQ(commit(id).txn.state, TxnState::kQuarantined);
}

TEST_F(Resume, WhatIsTooLongToBeShownStaysStale) {
  const std::string id = refused("cat f1 >copy", "f1", std::string(100'000, 'x') + "\n");
  EXPECT_THAT(stale(resume(id)), ElementsAre("stale f1"));
  EXPECT_EQ(commit(id).txn.state, TxnState::kQuarantined);
  EXPECT_THAT(must(kernel().why(id)).next, Contains(HasSubstr("git txn retry " + id)));
}

TEST_F(Resume, ADirectoryThatWasListedIsJudgedByItsFiles) {
  const std::string id = refused("ls d >names", "d/b", "new\n");
  EXPECT_THAT(stale(resume(id)), ElementsAre("judged d"));
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
}

TEST_F(Resume, UnknownReadsAreJudgedByAllThatHasChanged) {
  const std::string id = must(kernel().begin({}, Progress{})).id.str();
  must(write_file(file(id, "mine"), "by hand\n", Sync::kNo, 0644));
  changes("f3", "unrelated\n");
  EXPECT_EQ(commit(id).txn.state, TxnState::kQuarantined);
  const Resumed resumed = resume(id);
  ASSERT_THAT(stale(resumed), ElementsAre("judged (everything)"));
  EXPECT_THAT(resumed.went_on->stale.front().diff, HasSubstr("+unrelated"));
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
  EXPECT_EQ(shown("mine"), "by hand");
}

TEST_F(Resume, ChangesOfBothAreMergedWhereTheyCanBe) {
  changes("f1", "1\n2\n3\n4\n5\n");
  const std::string id = refused("cat f2; sed -i s/1/one/ f1; rm f3", "f2", "other\n");
  changes("f1", "1\n2\n3\n4\nfive\n");
  const Resumed resumed = resume(id);
  EXPECT_THAT(resumed.went_on->marked, IsEmpty());
  EXPECT_EQ(must(read_file(file(id, "f1"))), "one\n2\n3\n4\nfive\n");
  EXPECT_FALSE(must(exists(file(id, "f3"))));
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
  EXPECT_EQ(shown("f1"), "one\n2\n3\n4\nfive");
}

TEST_F(Resume, WhatNoTextHasBothOfIsToldAndOneSideIsTaken) {
  const std::string id =
      refused("printf 'a\\0b' >f1; rm f2; echo mine >f3", "f1", std::string("c\0d", 3));
  changes("f2", "changed\n");
  scratch_.git({"rm", "-q", "f3"});
  scratch_.commit("f3 is gone");
  const Resumed resumed = resume(id);
  EXPECT_THAT(resumed.went_on->kept,
              ElementsAre("f1 is not text and was changed on main, too",
                          "f2 was removed here and changed on main; it is there as it is on main",
                          "f3 was changed here and removed on main"));
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
  EXPECT_EQ(shown("f1"), std::string("a\0b", 3));
  EXPECT_EQ(shown("f2") + shown("f3"), "changedmine");
}

TEST_F(Resume, TheAgentsOwnMessageAndIgnoredFilesStay) {
  changes(".gitignore", "build\n");
  const std::string id = refused(
      "cat f1; echo x >mine; mkdir build; echo o >build/o; git add mine; "
      "git commit -qm 'Add mine'",
      "f1", "other\n");
  resume(id);
  EXPECT_EQ(must(read_file(file(id, "build/o"))), "o\n");
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
  EXPECT_THAT(scratch_.git({"log", "-1", "--format=%s", "main"}), "Add mine");
}

TEST_F(Resume, AnIgnoredFileGivesWayToOneOfTheBranch) {
  changes(".gitignore", "build\n");
  const std::string id = refused("cat f1 >copy; mkdir build; echo mine >build/o", "f1", "other\n");
  scratch_.write("build/o", "theirs\n");
  scratch_.git({"add", "-f", "build/o"});
  scratch_.commit("a build is in the repository");
  resume(id);
  EXPECT_EQ(must(read_file(file(id, "build/o"))), "theirs\n") << "as git merge has it";
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
}

// Filters, hooks and links in the git directory of a command are followed by that command alone.
TEST_F(Resume, NothingOfTheAgentsGitDirectoryIsRun) {
  changes(".gitattributes", "* filter=evil\n");
  const std::string ran = scratch_.root() + "/ran";
  const std::string id =
      refused("cat f1 >copy; for k in smudge clean; do git config filter.evil.$k \"touch " + ran +
                  "; cat\"; done; git config core.fsmonitor \"touch " + ran +
                  "; true\"; for h in post-index-change reference-transaction post-checkout; do "
                  "printf '#!/bin/sh\ntouch " +
                  ran +
                  "\n' >.git/hooks/$h; chmod +x .git/hooks/$h; done; "
                  "rm -rf .git/refs/heads; ln -s \"$REPO/.git/refs/heads\" .git/refs/heads",
              "f1", "other\n");
  must(remove_file(ran));
  const std::string before = scratch_.git({"for-each-ref", "refs/heads"});
  resume(id);
  EXPECT_FALSE(must(exists(ran)));
  EXPECT_EQ(scratch_.git({"for-each-ref", "refs/heads"}), before);
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
}

TEST_F(Resume, AWorktreeThatIsGoneComesBackWithItsReads) {
  const std::string id = refused("cat f1 f2 >copy", "f1", "other\n");
  must(kernel().gc(true, Progress{}));
  EXPECT_THAT(stale(resume(id)), ElementsAre("judged f1"));
  changes("f3", "nobody read it\n");
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
}

TEST_F(Resume, OfOneThatAGateRefusedTheBranchIsMergedToo) {
  changes(".gittxn.toml", "[[gate]]\nname = \"g\"\nrun = \"test ! -e bad\"\n");
  const Policy policy = must(kernel().policy(std::nullopt));
  must(kernel().trust(std::nullopt, policy.trust_hash.str()));
  RunOptions options = script("echo x >bad");
  const Outcome outcome = must(kernel().run(options, Progress{}));
  ASSERT_EQ(outcome.txn.state, TxnState::kRejected);
  const std::string id = outcome.txn.id.str();
  changes("f1", "other\n");
  ASSERT_TRUE(resume(id).went_on.has_value());
  EXPECT_EQ(must(read_file(file(id, "f1"))), "other\n");
  must(kernel().exec(id, {"mv", "bad", "good"}, {}, Progress{}));
  EXPECT_EQ(commit(id).txn.state, TxnState::kLanded);
}

TEST_F(Resume, OneThatWasNotRefusedStaysWhereItIs) {
  RunOptions options = script("cat f1 >copy");
  options.no_land = true;
  const std::string id = must(kernel().run(options, Progress{})).txn.id.str();
  changes("f1", "other\n");
  EXPECT_FALSE(resume(id).went_on.has_value());
}

TEST_F(Resume, WhoeverIsKilledMeanwhileLosesNothing) {
  int number = 0;
  for (const char* point : {"api.go_on.merged", "api.go_on.told"}) {
    const std::string text = std::to_string(++number) + "\n";
    const std::string id = refused("cat f1 >copy" + std::to_string(number), "f1", text);
    Victim victim(std::string(point) + "",
                  [&] { must(kernel().resume(id, Kernel::By::kHand, {}, Progress{})); });
    EXPECT_NE(victim.wait(), 0) << point;
    EXPECT_EQ(commit(id).txn.state, TxnState::kQuarantined) << point;
    resume(id);
    EXPECT_EQ(commit(id).txn.state, TxnState::kLanded) << point;
  }
}

TEST_F(Resume, RetryRunsItsCommandOnTheNewHeadAndClosesIt) {
  const std::string id = refused("cat f1 >copy", "f1", "other\n");
  const Outcome again = must(kernel().retry(id, script(""), Progress{}));
  EXPECT_EQ(again.txn.state, TxnState::kLanded);
  EXPECT_NE(again.txn.id.str(), id);
  EXPECT_EQ(shown("copy"), "other");
  EXPECT_EQ(must(kernel().show(id)).txn.state, TxnState::kAborted);
  const std::string steps = must(kernel().begin({}, Progress{})).id.str();
  EXPECT_THAT(kernel().retry(steps, {}, Progress{}).error().message, HasSubstr("begun in steps"));
  EXPECT_EQ(kernel().retry(again.txn.id.str(), {}, Progress{}).error().code, Code::kUsage);
}

TEST_F(Resume, UndoIsATransactionOfItsOwn) {
  const Outcome landed = must(kernel().run(script("echo x >f1; echo y >new"), Progress{}));
  changes("f2", "unrelated\n");
  const Outcome undone = must(kernel().undo(landed.txn.id.str(), script(""), Progress{}));
  EXPECT_EQ(undone.txn.state, TxnState::kLanded) << outcome_name(undone);
  EXPECT_EQ(shown("f1"), "line");
  EXPECT_THAT(scratch_.git({"ls-tree", "--name-only", "main", "new"}), IsEmpty());
  EXPECT_THAT(scratch_.git({"log", "-1", "--format=%s", "main"}), HasSubstr("Revert"));
  const std::string open = must(kernel().begin({}, Progress{})).id.str();
  EXPECT_THAT(kernel().undo(open, {}, Progress{}).error().message, HasSubstr("no landing to undo"));
}

TEST_F(Resume, AnUndoThatConflictsLandsNothing) {
  const Outcome landed = must(kernel().run(script("echo x >f1"), Progress{}));
  changes("f1", "mine on top\n");
  const Outcome undone = must(kernel().undo(landed.txn.id.str(), script(""), Progress{}));
  EXPECT_NE(undone.txn.state, TxnState::kLanded);
  EXPECT_EQ(shown("f1"), "mine on top");
}

}  // namespace
}  // namespace gittxn::api
