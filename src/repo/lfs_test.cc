// Files of git-lfs that an agent changed: taken, or refused with what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repo/testing/agent.h"
#include "repo/worktree.h"

namespace gittxn::repo {
namespace {

using testing::Agent;
using ::testing::HasSubstr;
using testing::ScratchRepo;

// What is taken of big.bin.
std::string taken(const ScratchRepo& repo, Agent& agent) {
  return repo.git({"cat-file", "blob", agent.take_all().tree.str() + ":big.bin"});
}

TEST(TakeLfs, WithoutItsFilterAFileIsRefusedAndTheRestIsNotLost) {
  const ScratchRepo repo;
  repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  repo.commit("attributes");
  Agent agent(repo);
  agent.write("big.bin", "big\n");
  const auto refused = agent.try_take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_EQ(refused.error().message,
            "big.bin cannot land: git-lfs keeps it, and git-lfs is not set up here");
  EXPECT_THAT(refused.error().hint, HasSubstr("git lfs install"));
  EXPECT_THAT(refused.error().hint, HasSubstr("git checkout -- FILE"));
}

// A double of git-lfs, whose filter makes a pointer of what it keeps.
TEST(TakeLfs, AFileOfGitLfsIsTakenAsGitAddDoesUnlessItIsPushed) {
  const ScratchRepo repo;
  repo.write(".gitattributes", "*.bin filter=lfs -text\n");
  repo.git({"config", "filter.lfs.clean", "sed s/^/pointer-to-/"});
  repo.git({"config", "filter.lfs.smudge", "sed s/^pointer-to-//"});
  repo.write("old.bin", "old\n");
  repo.commit("attributes");
  Agent agent(repo);
  EXPECT_EQ(agent.read("old.bin"), "old\n");
  agent.write("big.bin", "big\n");
  EXPECT_EQ(taken(repo, agent), "pointer-to-big");
  EXPECT_EQ(agent.git({"config", "lfs.storage"}), repo.git_dir() + "/lfs")
      << "what it keeps outlives the worktree";
  repo.git({"config", "txn.remote", "push"});
  const auto refused = agent.try_take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("pushed without what git-lfs keeps"));
  repo.git({"config", "txn.main.remote", "local"});
  EXPECT_EQ(taken(repo, agent), "pointer-to-big");
}

}  // namespace
}  // namespace gittxn::repo
