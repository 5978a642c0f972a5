// Making and removing private worktrees: what an agent finds in one, and what stays apart.
#include "repo/worktree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "repo/testing/agent.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo {
namespace {

using testing::Agent;
using ::testing::HasSubstr;
using testing::must;
using testing::ScratchRepo;

ScratchRepo worktree_repo(std::vector<std::string> init = {}) {
  ScratchRepo repo(std::move(init));
  repo.write("README", "hello\n");
  repo.write("src/a.txt", "a\n");
  repo.write("src/deep/b.sh", "#!/bin/sh\n", 0755);
  ::symlink("a.txt", repo.file("src/link").c_str());
  repo.commit("first");
  return repo;
}

TEST(Worktree, HoldsTheBaseAndIsClean) {
  const ScratchRepo repo = worktree_repo();
  const Agent agent(repo);
  EXPECT_EQ(agent.read("src/a.txt"), "a\n");
  EXPECT_EQ(must(read_link(agent.file("src/link"))), "a.txt");
  EXPECT_EQ(agent.git({"status", "--porcelain"}), "");
  EXPECT_EQ(agent.git({"symbolic-ref", "HEAD"}), "refs/heads/main");
  EXPECT_EQ(agent.oid("HEAD"), agent.base());
  EXPECT_EQ(agent.git({"fsck"}), "");
  struct stat info{};
  ASSERT_EQ(::stat(agent.worktree().git_dir.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(agent.file("src/deep/b.sh").c_str(), &info), 0);
  EXPECT_NE(info.st_mode & 0111, 0u);
}

// A racy index would make `git status` open every file: all of them would look like reads of the
// agent.
TEST(Worktree, IndexIsNotRacy) {
  const ScratchRepo repo = worktree_repo();
  const Agent agent(repo);
  const std::string file = agent.worktree().git_dir + "/index";
  const IndexFile index = must(IndexFile::parse(must(read_file(file))));
  struct stat of_index{};
  ASSERT_EQ(::lstat(file.c_str(), &of_index), 0);
  ASSERT_EQ(index.entries().size(), 4u);
  for (const IndexEntry& entry : index.entries()) {
    struct stat info{};
    ASSERT_EQ(::lstat(agent.file(index.path(entry)).c_str(), &info), 0);
    EXPECT_TRUE(index.stat_matches(entry, info)) << index.path(entry);
    EXPECT_FALSE(index.is_racy(entry, of_index)) << index.path(entry);
    EXPECT_LT(info.st_mtim.tv_sec + 60, of_index.st_mtim.tv_sec);
  }
  // Proof by the system itself: a status that may not open any file of the tree.
  const Output traced =
      agent.sh({"sh", "-c",
                "command -v strace >/dev/null || exit 77; "
                "strace -f -e trace=openat,open -o ../trace git status --porcelain; "
                "! grep -E 'a\\.txt|README|b\\.sh' ../trace"});
  if (traced.exit.status == 77) GTEST_SKIP() << "no strace";
  EXPECT_EQ(traced.exit.status, 0) << traced.out << traced.err;
}

TEST(Worktree, BranchesTagsAndConfigurationAreCopiesOfTheirOwn) {
  ScratchRepo repo = worktree_repo();
  repo.git({"branch", "other"});
  repo.git({"tag", "-a", "v1", "-m", "one"});
  repo.git({"update-ref", "refs/remotes/origin/main", "HEAD"});
  repo.git({"symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"});
  repo.git({"config", "user.name", "Odd \"Name\" \\ #1; "});
  repo.git({"config", "alias.two", "!echo one\necho two"});
  repo.git({"config", "--add", "remote.origin.fetch", "+a:b"});
  repo.git({"config", "--add", "remote.origin.fetch", "+c:d"});
  repo.git({"stash", "list"});
  repo.write("README", "stashed\n");
  repo.git({"stash"});
  const Agent agent(repo);
  EXPECT_EQ(agent.oid("other"), agent.base());
  EXPECT_EQ(agent.git({"cat-file", "-t", "v1"}), "tag");
  EXPECT_EQ(agent.git({"symbolic-ref", "refs/remotes/origin/HEAD"}), "refs/remotes/origin/main");
  EXPECT_EQ(agent.git({"config", "user.name"}), "Odd \"Name\" \\ #1; ");
  EXPECT_EQ(agent.git({"config", "alias.two"}), "!echo one\necho two");
  EXPECT_EQ(agent.git({"config", "--get-all", "remote.origin.fetch"}), "+a:b\n+c:d");
  EXPECT_EQ(agent.git({"stash", "list"}), "") << "the person's stash is theirs";
  const std::string before = repo.git({"for-each-ref"});
  agent.git({"branch", "-f", "other", "HEAD"});
  agent.git({"config", "user.name", "Agent"});
  agent.git({"tag", "v2"});
  agent.git({"branch", "-D", "other"});
  EXPECT_EQ(repo.git({"for-each-ref"}), before);
  EXPECT_EQ(repo.git({"config", "user.name"}), "Odd \"Name\" \\ #1; ");
}

// The private directory is elsewhere: an identity that is bound to where the repository is still
// counts.
TEST(Worktree, ConditionalIncludesCount) {
  ScratchRepo repo = worktree_repo();
  must(write_file(repo.home() + "/work.config", "[user]\n\temail = me@work.example\n", Sync::kNo));
  must(write_file(repo.home() + "/.gitconfig",
                  "[user]\n\tname = Me\n\temail = me@home.example\n[includeIf \"gitdir:" +
                      repo.path() + "/\"]\n\tpath = work.config\n",
                  Sync::kNo));
  repo.env().erase("GIT_CONFIG_GLOBAL");
  const Agent agent(repo);
  EXPECT_EQ(agent.git({"config", "user.email"}), "me@work.example");
  EXPECT_EQ(agent.git({"config", "user.name"}), "Me");
}

TEST(Worktree, RelativeRemotesAndAlternatesLeadWhereTheyDid) {
  ScratchRepo repo = worktree_repo();
  repo.git({"clone", "-q", "--bare", ".", "../hub.git"});
  repo.git({"remote", "add", "origin", "../hub.git"});
  repo.git({"fetch", "-q", "origin"});
  // The repository borrows from the hub by a relative path.
  must(write_file(repo.git_dir() + "/objects/info/alternates", "../../../hub.git/objects\n",
                  Sync::kNo));
  repo.git({"repack", "-a", "-d", "-l", "-q"});
  repo.git({"prune-packed"});
  const Agent agent(repo);
  EXPECT_EQ(agent.git({"status", "--porcelain"}), "");
  EXPECT_EQ(agent.git({"fetch", "origin"}), "");
  EXPECT_EQ(agent.git({"log", "--format=%s"}), "first");
}

TEST(Worktree, TxnTargetShowsWhereTheBranchIs) {
  ScratchRepo repo = worktree_repo();
  const Agent agent(repo);
  EXPECT_EQ(agent.oid("txn-target/main"), agent.base());
  repo.write("README", "newer\n");
  const Oid newer = repo.commit("second");
  agent.git({"fetch", "-q", "txn-target"});
  EXPECT_EQ(agent.oid("txn-target/main"), newer);
  EXPECT_EQ(agent.oid("HEAD"), agent.base());
  agent.git({"pull", "-q", "--ff-only"});
  EXPECT_EQ(agent.read("README"), "newer\n");
}

TEST(Worktree, PushesAreRefusedWithTheWayToDoItRight) {
  ScratchRepo repo = worktree_repo();
  repo.git({"clone", "-q", "--bare", ".", "../hub.git"});
  repo.git({"remote", "add", "origin", "../hub.git"});
  const Agent agent(repo);
  agent.write("README", "pushed\n");
  agent.commit("to be pushed");
  for (const auto& args :
       std::vector<std::vector<std::string>>{{"push", "origin", "HEAD:main"},
                                             {"push"},
                                             {"push", "txn-target", "HEAD:main"},
                                             {"push", "--no-verify", "txn-target", "HEAD:main"},
                                             {"push", repo.git_dir(), "HEAD:x"}}) {
    const Output output = agent.try_git(args);
    EXPECT_NE(output.exit.status, 0) << quote_argv(args);
    EXPECT_THAT(output.err, HasSubstr("git txn commit t-test")) << quote_argv(args);
  }
  EXPECT_EQ(repo.git({"ls-remote", "origin", "main"}).substr(0, 40), agent.base().str());
  EXPECT_EQ(repo.head(), agent.base());
}

TEST(Worktree, HooksComeAlong) {
  ScratchRepo repo = worktree_repo();
  const std::string hook = "#!/bin/sh\n. \"$(dirname \"$0\")/lib/say.sh\"\nsay hooked >>hook.log\n";
  must(make_dirs(repo.git_dir() + "/hooks/lib"));
  must(write_file(repo.git_dir() + "/hooks/pre-commit", hook, Sync::kNo, 0755));
  must(write_file(repo.git_dir() + "/hooks/lib/say.sh", "say() { echo \"$@\"; }\n", Sync::kNo));
  must(write_file(repo.git_dir() + "/hooks/post-checkout", "#!/bin/sh\necho ran >>hook.log\n",
                  Sync::kNo, 0755));
  const Agent agent(repo);
  EXPECT_FALSE(must(exists(agent.file("hook.log")))) << "our own checkout runs no hook";
  agent.write("README", "x\n");
  agent.git({"commit", "-qam", "x"});
  EXPECT_EQ(agent.read("hook.log"), "hooked\n");
  EXPECT_FALSE(must(exists(agent.worktree().git_dir + "/hooks/pre-commit.sample")));
}

TEST(Worktree, HooksInTheTreeRunAndPushesStayRefused) {
  ScratchRepo repo = worktree_repo();
  repo.write(".husky/pre-commit", "#!/bin/sh\necho husky >>hook.log\n", 0755);
  repo.write(".husky/pre-push", "#!/bin/sh\nexit 0\n", 0755);
  repo.commit("husky");
  repo.git({"clone", "-q", "--bare", ".", "../hub.git"});
  repo.git({"remote", "add", "origin", "../hub.git"});
  int number = 0;
  for (const bool configured : {true, false}) {
    if (configured) {
      repo.git({"config", "core.hooksPath", ".husky"});
    } else {
      repo.git({"config", "--unset", "core.hooksPath"});
    }
    const Agent agent(repo, "wt" + std::to_string(number++));
    EXPECT_EQ(agent.try_git({"config", "--no-includes", "core.hooksPath"}).out,
              configured ? ".husky\n" : "");
    agent.git({"config", "core.hooksPath", ".husky"});  // as `npm install` does
    agent.write("README", "x\n");
    agent.git({"commit", "-qam", "x"});
    EXPECT_EQ(agent.read("hook.log"), "husky\n");
    const Output pushed = agent.try_git({"push", "origin", "HEAD:main"});
    EXPECT_NE(pushed.exit.status, 0);
    EXPECT_THAT(pushed.err, HasSubstr("push refused"));
  }
}

TEST(Worktree, SparseStaysSparse) {
  for (const bool sparse_index : {false, true}) {
    ScratchRepo repo = worktree_repo();
    repo.write("docs/guide.md", "guide\n");
    repo.commit("docs");
    repo.git({"sparse-checkout", "set", "--cone", "src"});
    if (sparse_index) repo.git({"sparse-checkout", "reapply", "--sparse-index"});
    Agent agent(repo);
    EXPECT_FALSE(must(exists(agent.file("docs"))));
    EXPECT_TRUE(must(exists(agent.file("src/a.txt"))));
    EXPECT_EQ(agent.git({"status", "--porcelain"}), "");
    agent.write("src/a.txt", "changed\n");
    const Taken taken = agent.take_all();
    EXPECT_THAT(testing::paths_of(taken.changes), ::testing::ElementsAre("src/a.txt"));
  }
}

TEST(Worktree, LinkedBareShallowAndPartialRepositoriesWork) {
  ScratchRepo repo = worktree_repo();
  repo.write("README", "two\n");
  repo.commit("second");
  repo.git({"worktree", "add", "-q", "-b", "side", "../linked"});
  repo.git({"clone", "-q", "--bare", ".", "../bare.git"});
  repo.git({"clone", "-q", "--depth=1", "file://" + repo.path(), "../shallow"});
  repo.git({"config", "uploadpack.allowFilter", "true"});
  repo.git({"config", "uploadpack.allowAnySHA1InWant", "true"});
  repo.git({"clone", "-q", "--filter=blob:none", "--no-checkout", "file://" + repo.path(),
            "../partial"});
  for (const std::string where : {"linked", "bare.git", "shallow", "partial"}) {
    auto repository = must(Repository::open(repo.root() + "/" + where, repo.env()));
    WorktreeSpec spec;
    spec.path = repo.root() + "/wt-" + where;
    spec.base = repo.head();
    spec.target = RefName("refs/heads/main");
    const Worktree worktree = must(create_worktree(repository, spec));
    EXPECT_EQ(repo.git_in(worktree.tree, {"status", "--porcelain"}), "") << where;
    EXPECT_EQ(repo.git_in(worktree.tree, {"log", "--format=%s"}),
              where == "shallow" ? "second" : "second\nfirst");
    must(write_file(worktree.tree + "/new", "new\n", Sync::kNo));
    const Taken taken = must(take(repository, worktree, spec.base, spec.target));
    EXPECT_THAT(testing::paths_of(taken.changes), ::testing::ElementsAre("new")) << where;
    must(remove_worktree(worktree.path));
  }
}

TEST(Worktree, SubmodulesAreEmptyAndUnchanged) {
  ScratchRepo repo = worktree_repo();
  repo.git({"init", "-q", "../lib"});
  repo.git_in(repo.root() + "/lib", {"commit", "-q", "--allow-empty", "-m", "lib"});
  repo.git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib", "lib"});
  repo.git({"config", "submodule.recurse", "true"});
  repo.commit("submodule");
  Agent agent(repo);
  EXPECT_TRUE(must(list_dir(agent.file("lib"))).empty());
  EXPECT_EQ(agent.git({"status", "--porcelain"}), "");
  EXPECT_TRUE(agent.take_all().changes.empty());
}

TEST(Worktree, RefusesAPathThatIsThere) {
  ScratchRepo repo = worktree_repo();
  auto repository = repo.open();
  WorktreeSpec spec;
  spec.path = repo.root() + "/home";
  spec.base = repo.head();
  spec.target = RefName("refs/heads/main");
  const auto made = create_worktree(repository, spec);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::kExists);
  EXPECT_TRUE(must(exists(spec.path)));
}

TEST(Worktree, FailureLeavesNothing) {
  ScratchRepo repo = worktree_repo();
  auto repository = repo.open();
  WorktreeSpec spec;
  spec.path = repo.root() + "/wt";
  spec.base = Oid(std::string(40, '7'));
  spec.target = RefName("refs/heads/main");
  EXPECT_FALSE(create_worktree(repository, spec));
  EXPECT_FALSE(must(exists(spec.path)));
}

TEST(RemoveWorktree, UnlocksFollowsNothingAndRefusesWhatIsNotOurs) {
  ScratchRepo repo = worktree_repo();
  const Agent agent(repo);
  const std::string outside = repo.root() + "/outside";
  must(make_dirs(outside));
  must(write_file(outside + "/precious", "x", Sync::kNo));
  ::symlink(outside.c_str(), agent.file("to-outside").c_str());
  agent.write("locked/deep/file", "x");
  ASSERT_EQ(::chmod(agent.file("locked/deep").c_str(), 0500), 0);
  ASSERT_EQ(::chmod(agent.file("locked").c_str(), 0), 0);
  const auto refused = remove_worktree(outside);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRefused);
  must(remove_worktree(agent.worktree().path));
  EXPECT_FALSE(must(exists(agent.worktree().path)));
  EXPECT_EQ(must(read_file(outside + "/precious")), "x");
  must(remove_worktree(agent.worktree().path));  // absent is success
}

}  // namespace
}  // namespace gittxn::repo
