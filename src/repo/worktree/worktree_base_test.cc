// What the agent's work is against after it merged, reset or went back, and what is kept of what it
// committed anywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "repo/testing/agent.h"

namespace gittxn::repo {
namespace {

using testing::Agent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using testing::paths_of;
using testing::ScratchRepo;
using testing::take_repo;

TEST(TakeBase, MovesWithMergePullResetAndRebase) {
  const ScratchRepo repo = take_repo();
  struct Way {
    std::string what;
    bool moves;
  };
  int number = 0;
  for (const Way& way : std::vector<Way>{{"git merge -q -m merged txn-target/main", true},
                                         {"git merge -q --no-commit --no-ff txn-target/main", true},
                                         {"git rebase -q txn-target/main", true},
                                         {"git reset -q --hard txn-target/main", true},
                                         {"git cherry-pick txn-target/main", false},
                                         {"git merge -q --squash txn-target/main", false},
                                         {"git checkout -q txn-target/main -- .", false},
                                         {"git checkout -q --detach txn-target/main", true}}) {
    Agent agent(repo, "wt" + std::to_string(number++));
    agent.write("own.txt", "own\n");
    agent.commit("own work");
    const std::string theirs = "theirs" + std::to_string(number) + ".txt";
    repo.write(theirs, "theirs\n");
    const Oid newer = repo.commit("theirs");
    agent.git({"fetch", "-q", "txn-target"});
    const Output output = agent.sh({"sh", "-c", way.what});
    ASSERT_EQ(output.exit.status, 0) << way.what << output.err << output.out;
    const Taken taken = agent.take_all();
    EXPECT_EQ(taken.base_moved, way.moves) << way.what;
    EXPECT_EQ(taken.base, way.moves ? newer : agent.base()) << way.what;
    const auto paths = paths_of(taken.changes);
    EXPECT_EQ(std::count(paths.begin(), paths.end(), theirs), way.moves ? 0 : 1) << way.what;
    if (way.what.find("reset") == way.what.npos && way.what.find("detach") == way.what.npos) {
      EXPECT_EQ(*taken.message,
                way.what.find("cherry") == way.what.npos ? "own work\n" : "theirs\n");
      EXPECT_EQ(std::count(paths.begin(), paths.end(), "own.txt"), 1) << way.what;
    } else {
      EXPECT_FALSE(taken.message) << way.what;
    }
    // What was reset away is kept all the same.
    const std::string kept =
        repo.git({"rev-list", "--count", taken.tips.empty() ? "HEAD" : taken.tips[0].str()});
    EXPECT_FALSE(taken.tips.empty()) << way.what << kept;
  }
}

TEST(TakeBase, AMergeOfSomethingElseIsTheAgentsOwn) {
  const ScratchRepo repo = take_repo();
  repo.git({"checkout", "-q", "-b", "feature"});
  repo.write("feature.txt", "x");
  repo.commit("feature work");
  repo.git({"checkout", "-q", "main"});
  Agent agent(repo);
  agent.git({"merge", "-q", "--no-ff", "-m", "take the feature in", "feature"});
  const Taken taken = agent.take_all();
  EXPECT_EQ(*taken.message, "take the feature in\n");
  EXPECT_FALSE(taken.base_moved);
  EXPECT_THAT(paths_of(taken.changes), ElementsAre("feature.txt"));
}

TEST(TakeBase, StaysWhenTheAgentGoesBack) {
  const ScratchRepo repo = take_repo();
  repo.write("README", "two\n");
  repo.commit("second");
  Agent agent(repo);
  agent.git({"reset", "-q", "--hard", "HEAD~1"});
  const Taken taken = agent.take_all();
  EXPECT_FALSE(taken.base_moved);
  EXPECT_THAT(paths_of(taken.changes), ElementsAre("README"));
  EXPECT_FALSE(taken.message);
}

TEST(TakeBase, WhatTheTargetRevertedDoesNotComeBack) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  repo.write("mistake.txt", "x\n");
  const Oid mistake = repo.commit("mistake");
  agent.git({"fetch", "-q", "txn-target"});
  agent.git({"merge", "-q", "txn-target/main"});
  repo.git({"revert", "--no-edit", "HEAD"});
  agent.write("new.txt", "x\n");
  const Taken taken = agent.take_all();
  EXPECT_EQ(taken.base, mistake);
  EXPECT_THAT(paths_of(taken.changes), ElementsAre("new.txt"));
}

TEST(TakeTips, KeepEverythingTheAgentCommittedAnywhere) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  auto make = [&](const std::string& name) {
    agent.write(name, name);
    agent.commit(name);
    return agent.oid("HEAD");
  };
  agent.git({"checkout", "-q", "-b", "side"});
  const Oid side = make("on-a-branch");
  agent.git({"checkout", "-q", "--detach", "main"});
  const Oid lost = make("detached");
  agent.git({"checkout", "-q", "main"});
  agent.write("README", "stashed\n");
  agent.git({"stash", "-q"});
  const Oid stash = agent.oid("stash");
  agent.write("README", "stashed too\n");
  agent.git({"stash", "-q"});
  const Oid second = agent.oid("stash");
  const Taken taken = agent.take_all();
  EXPECT_TRUE(taken.changes.empty());
  EXPECT_THAT(taken.tips, ::testing::UnorderedElementsAre(side, lost, stash, second));
  const Oid kept = must(keep(agent.repository(), TxnId("t-a"), 1, taken, "message\n",
                             {"Me", "me@example.com"}, 1'700'000'000'000));
  must(remove_worktree(agent.worktree().path));
  EXPECT_EQ(repo.oid("refs/txn/t-a/1"), kept);
  for (const Oid& oid : {side, lost, stash, second}) {
    EXPECT_EQ(repo.git_status({"merge-base", "--is-ancestor", oid.str(), kept.str()}), 0);
  }
  EXPECT_EQ(repo.git({"fsck"}), "");
  repo.git({"gc", "-q", "--prune=now"});
  EXPECT_EQ(repo.git({"cat-file", "blob", second.str() + ":README"}), "stashed too");
}

// Each transaction that was given up leaves references, and most takes have no commit to compare.
TEST(TakeTips, OtherReferencesAreReadOnlyForACommit) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  repo.git({"update-ref", "refs/txn/t-other/1", "HEAD"});
  repo.write(".git/refs/txn/t-other/1", "broken\n");
  agent.write("new.txt", "x\n");
  EXPECT_THAT(agent.take_all().notes, IsEmpty());
  agent.commit("work");
  EXPECT_THAT(agent.take_all().notes, ElementsAre(HasSubstr("t-other/1 is broken")));
}

TEST(Keep, IsRepeatableAndMovesOn) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write("one", "1");
  const Identity who{"Odd <name>\n", "me@example.com"};
  auto kept = [&](std::int64_t time_ms) {
    return must(keep(agent.repository(), TxnId("t-a"), 2, agent.take_all(), "m\n", who, time_ms));
  };
  const Oid first = kept(1'700'000'000'000);
  EXPECT_EQ(kept(1'800'000'000'000), first);
  EXPECT_EQ(repo.git({"log", "-1", "--format=%an <%ae> %P", first.str()}),
            "Odd name <me@example.com> " + agent.base().str());
  agent.write("two", "2");
  const Oid second = kept(1'800'000'000'000);
  EXPECT_NE(second, first);
  EXPECT_EQ(repo.git({"log", "-1", "--format=%P", second.str()}),
            agent.base().str() + " " + first.str());
  EXPECT_EQ(kept(1'900'000'000'000), second);
  EXPECT_EQ(repo.git({"ls-tree", "--name-only", second.str(), "one", "two"}), "one\ntwo");
}

}  // namespace
}  // namespace gittxn::repo
