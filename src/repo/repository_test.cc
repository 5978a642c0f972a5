#include "repo/repository.h"

#include <gtest/gtest.h>

#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

Error open_error(const std::string& cwd, const Environment& env) {
  auto opened = Repository::open(cwd, env);
  if (opened) throw std::runtime_error("opened " + cwd);
  return opened.error();
}

Error target_error(const Repository& repository,
                   const std::optional<std::string>& onto = std::nullopt) {
  auto target = repository.target_branch(onto);
  if (target) throw std::runtime_error("target " + target->str());
  return target.error();
}

TEST(Repository, KnowsWhereItIs) {
  const ScratchRepo repo;
  repo.write("a/b/c", "x");
  repo.commit("one");
  const Repository top = repo.open();
  EXPECT_EQ(top.place().common_dir, repo.git_dir());
  EXPECT_EQ(top.place().git_dir, repo.git_dir());
  EXPECT_EQ(top.place().worktree, repo.path());
  EXPECT_EQ(top.place().prefix, "");
  EXPECT_FALSE(top.place().bare);
  const Repository sub = must(Repository::open(repo.file("a/b"), repo.runner().env()));
  EXPECT_EQ(sub.place().worktree, repo.path());
  EXPECT_EQ(sub.place().prefix, "a/b");
  EXPECT_EQ(must(top.target_branch(std::nullopt)).str(), "refs/heads/main");
}

TEST(Repository, OpensBareLinkedAndOddlyNamedOnes) {
  const ScratchRepo repo;
  const Oid commit = repo.commit("one");
  const std::string bare = repo.root() + "/bare.git";
  repo.git({"clone", "-q", "--bare", repo.path(), bare});
  const Repository opened = must(Repository::open(bare, repo.runner().env()));
  EXPECT_TRUE(opened.place().bare);
  EXPECT_EQ(opened.place().worktree, std::nullopt);
  EXPECT_EQ(must(opened.refs().read(RefName("refs/heads/main"))), commit);
  EXPECT_TRUE(must(opened.checkouts()).empty());
  EXPECT_FALSE(must(opened.has_uncommitted_changes()));

  const std::string odd = repo.root() + "/odd\nname";
  repo.git({"worktree", "add", "-q", "-b", "side", odd});
  const Repository linked = must(Repository::open(odd, repo.runner().env()));
  EXPECT_EQ(linked.place().worktree, odd);
  EXPECT_EQ(linked.place().common_dir, repo.git_dir());
  EXPECT_EQ(parent_dir(linked.place().git_dir), repo.git_dir() + "/worktrees");
  EXPECT_EQ(must(linked.target_branch(std::nullopt)).str(), "refs/heads/side");
}

TEST(Repository, OpensShallowSparseBorrowingAndExtendedOnes) {
  const ScratchRepo repo;
  repo.write("a/x", "1");
  repo.commit("one");
  repo.write("b/y", "2");
  repo.commit("two");
  const std::string shallow = repo.root() + "/shallow";
  repo.git({"clone", "-q", "--depth=1", "file://" + repo.path(), shallow});
  const std::string shared = repo.root() + "/shared";
  repo.git({"clone", "-q", "--shared", repo.path(), shared});
  repo.git_in(shared, {"sparse-checkout", "set", "--cone", "--sparse-index", "a"});
  repo.git_in(shared, {"config", "core.repositoryFormatVersion", "1"});
  repo.git_in(shared, {"config", "extensions.partialClone", "origin"});
  repo.git_in(shared, {"config", "extensions.preciousObjects", "true"});
  for (const std::string& path : {shallow, shared}) {
    Repository opened = must(Repository::open(path, repo.runner().env()));
    const RefName branch = must(opened.target_branch(std::nullopt));
    const Oid head = must(opened.refs().read(branch));
    EXPECT_EQ(must(opened.objects().commit(head)).message, "two\n") << path;
    EXPECT_FALSE(must(opened.has_uncommitted_changes())) << path;
  }
}

TEST(Repository, RunFromAHookMeansTheHooksRepository) {
  ScratchRepo repo;
  repo.commit("one");
  const ScratchRepo other;
  other.commit("other");
  Environment env = repo.env();
  env["GIT_DIR"] = ".git";
  env["GIT_INDEX_FILE"] = repo.path() + "/.git/index.lock";
  env["GIT_PREFIX"] = "";
  const Repository hook = must(Repository::open(repo.path(), env));
  EXPECT_EQ(hook.place().common_dir, repo.git_dir());
  EXPECT_EQ(hook.place().worktree, repo.path());
  env["GIT_DIR"] = other.git_dir();
  env["GIT_WORK_TREE"] = repo.path();
  const Repository elsewhere = must(Repository::open(repo.path(), env));
  EXPECT_EQ(elsewhere.place().common_dir, other.git_dir());
  EXPECT_EQ(elsewhere.place().worktree, repo.path());
  // what is asked later still means that repository, though the directory alone says another
  const std::string dir =
      must(elsewhere.git().must({"rev-parse", "--absolute-git-dir"}, elsewhere.here()));
  EXPECT_EQ(dir, other.git_dir() + "\n");
}

TEST(Repository, RefusesByName) {
  ScratchRepo repo;
  const Error nothing = open_error(repo.root(), repo.env());
  EXPECT_EQ(nothing.code, Code::kUnsupported);
  EXPECT_NE(nothing.message.find("not a git repository"), std::string::npos);
  EXPECT_NE(nothing.hint.find("git init"), std::string::npos);

  const ScratchRepo sha256({"--object-format=sha256"});
  const Error named = open_error(sha256.path(), repo.env());
  EXPECT_EQ(named.code, Code::kUnsupported);
  EXPECT_NE(named.message.find("SHA-256"), std::string::npos);

  const ScratchRepo reftable;
  reftable.git({"config", "core.repositoryFormatVersion", "1"});
  reftable.git({"config", "extensions.refStorage", "reftable"});
  const Error refs = open_error(reftable.path(), repo.env());
  EXPECT_EQ(refs.code, Code::kUnsupported);
  EXPECT_NE(refs.message.find("reftable"), std::string::npos) << refs.message;
  EXPECT_NE(refs.hint.find("git refs migrate"), std::string::npos);

  const ScratchRepo future;
  future.git({"config", "core.repositoryFormatVersion", "1"});
  future.git({"config", "extensions.fromTheFuture", "yes"});
  const Error unknown = open_error(future.path(), repo.env());
  EXPECT_EQ(unknown.code, Code::kUnsupported);
  EXPECT_NE(unknown.message.find("fromthefuture"), std::string::npos) << unknown.message;
}

TEST(Repository, RefusesANewReftableThatItsGitCanOpen) {
  const ScratchRepo repo;
  must(make_dirs(repo.git_dir() + "/reftable"));
  EXPECT_NE(open_error(repo.path(), repo.runner().env()).message.find("reftable"),
            std::string::npos);
}

TEST(Repository, RelaysGitsDistrust) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give the repository to another user";
  ScratchRepo repo;
  ASSERT_EQ(::chown(repo.path().c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chown(repo.git_dir().c_str(), 12345, 12345), 0);
  const Error distrust = open_error(repo.path(), repo.env());
  EXPECT_EQ(distrust.code, Code::kUnsupported);
  EXPECT_NE(distrust.message.find("dubious ownership"), std::string::npos) << distrust.message;
  EXPECT_NE(distrust.hint.find("safe.directory"), std::string::npos);
  // trusted: libgit2's own check must not object
  repo.write("../home/gitconfig", "[safe]\n\tdirectory = *\n");
  repo.env()["GIT_CONFIG_GLOBAL"] = repo.home() + "/gitconfig";
  repo.commit("one");
  Repository trusted = repo.open();
  EXPECT_EQ(must(trusted.objects().commit(repo.head())).message, "one\n");
}

TEST(TargetBranch, TakesShortAndFullNamesAndFollowsSymbolicOnes) {
  const ScratchRepo repo;
  repo.commit("one");
  repo.git({"branch", "feature/x"});
  repo.git({"symbolic-ref", "refs/heads/alias", "refs/heads/feature/x"});
  const Repository opened = repo.open();
  EXPECT_EQ(must(opened.target_branch("feature/x")).str(), "refs/heads/feature/x");
  EXPECT_EQ(must(opened.target_branch("refs/heads/main")).str(), "refs/heads/main");
  EXPECT_EQ(must(opened.target_branch("alias")).str(), "refs/heads/feature/x");
  EXPECT_EQ(must(opened.target_branch("HEAD")).str(), "refs/heads/main");
}

TEST(TargetBranch, EachRefusalSaysWhatToDo) {
  const ScratchRepo repo;
  const Repository opened = repo.open();
  const Error empty = target_error(opened);
  EXPECT_NE(empty.message.find("empty"), std::string::npos);
  EXPECT_NE(empty.hint.find("git commit"), std::string::npos);
  const Oid commit = repo.commit("one");
  repo.git({"tag", "v1"});
  repo.git({"update-ref", "refs/remotes/origin/topic", commit.str()});
  EXPECT_NE(target_error(opened, "nothing").message.find("no branch 'nothing'"), std::string::npos);
  EXPECT_NE(target_error(opened, "v1").message.find("a tag"), std::string::npos);
  EXPECT_NE(target_error(opened, "refs/tags/v1").message.find("not a local branch"),
            std::string::npos);
  EXPECT_NE(target_error(opened, "origin/topic").message.find("a remote branch"),
            std::string::npos);
  EXPECT_EQ(target_error(opened, "../../../etc/passwd").code, Code::kUsage);
  EXPECT_EQ(target_error(opened, "").code, Code::kUsage);
  repo.git({"checkout", "-q", "--orphan", "unborn"});
  EXPECT_NE(target_error(opened).message.find("has no commit yet"), std::string::npos);
  repo.git({"checkout", "-q", "--detach", "main"});
  const Error detached = target_error(opened);
  EXPECT_NE(detached.message.find("detached"), std::string::npos);
  EXPECT_NE(detached.hint.find("--onto"), std::string::npos);
  for (const Error& error : {empty, detached}) {
    EXPECT_TRUE(error.code == Code::kUsage || error.code == Code::kUnsupported);
  }
}

TEST(Checkouts, ListsEachWithItsBranch) {
  const ScratchRepo repo;
  repo.commit("one");
  repo.git({"worktree", "add", "-q", "-b", "side", repo.root() + "/side"});
  repo.git({"worktree", "add", "-q", "--detach", repo.root() + "/loose"});
  repo.git({"worktree", "add", "-q", "-b", "gone", repo.root() + "/gone"});
  must(remove_tree(repo.root() + "/gone"));
  const Repository opened = repo.open();
  const auto places = must(opened.checkouts());
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].worktree, repo.path());
  EXPECT_EQ(places[0].branch.str(), "refs/heads/main");
  EXPECT_EQ(places[1].worktree, repo.root() + "/loose");
  EXPECT_TRUE(places[1].branch.empty());
  EXPECT_EQ(places[2].worktree, repo.root() + "/side");
  EXPECT_EQ(places[2].git_dir, repo.git_dir() + "/worktrees/side");
  EXPECT_EQ(places[2].branch.str(), "refs/heads/side");
  // the same, asked from a linked checkout
  const Repository linked = must(Repository::open(repo.root() + "/side", repo.runner().env()));
  const auto again = must(linked.checkouts());
  ASSERT_EQ(again.size(), 3u);
  EXPECT_EQ(again[0].worktree, repo.path());
}

TEST(Checkouts, ARebaseStillHoldsItsBranch) {
  const ScratchRepo repo;
  repo.write("f", "base\n");
  repo.commit("one");
  repo.git({"branch", "topic"});
  repo.write("f", "main\n");
  repo.commit("two");
  repo.git({"checkout", "-q", "topic"});
  repo.write("f", "topic\n");
  repo.commit("three");
  EXPECT_NE(repo.git_status({"rebase", "-q", "main"}), 0);
  const Repository opened = repo.open();
  const auto places = must(opened.checkouts());
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].branch.str(), "refs/heads/topic");
  repo.git({"rebase", "--abort"});
  EXPECT_EQ(must(opened.checkouts())[0].branch.str(), "refs/heads/topic");
}

TEST(Checkouts, OfABareRepositoryAreItsLinkedOnes) {
  const ScratchRepo repo;
  repo.commit("one");
  const std::string bare = repo.root() + "/bare.git";
  repo.git({"clone", "-q", "--bare", repo.path(), bare});
  repo.git_in(bare, {"worktree", "add", "-q", repo.root() + "/wt", "main"});
  for (const std::string& from : {bare, repo.root() + "/wt"}) {
    const auto places = must(must(Repository::open(from, repo.runner().env())).checkouts());
    ASSERT_EQ(places.size(), 1u) << from;
    EXPECT_EQ(places[0].worktree, repo.root() + "/wt");
    EXPECT_EQ(places[0].branch.str(), "refs/heads/main");
  }
}

TEST(Repository, ReadsConfigAsThePersonSeesIt) {
  ScratchRepo repo;
  repo.git({"config", "txn.worktreeRoot", "/x y\nz"});
  EXPECT_EQ(must(repo.open().config().get("txn.worktreeRoot")), "/x y\nz");
  EXPECT_EQ(must(repo.open().config().get("txn.nothing")), std::nullopt);
  repo.env()["GIT_CONFIG_COUNT"] = "1";
  repo.env()["GIT_CONFIG_KEY_0"] = "txn.given";
  repo.env()["GIT_CONFIG_VALUE_0"] = "on the command line";
  EXPECT_EQ(must(repo.open().config().get("txn.given")), "on the command line");
}

TEST(Repository, KnowsWhoIsThere) {
  ScratchRepo repo;
  const Identity who = must(repo.open().identity());
  EXPECT_EQ(who.name, "Test Committer");
  EXPECT_EQ(who.email, "committer@example.com");
  repo.env().erase("GIT_COMMITTER_NAME");
  repo.env().erase("GIT_COMMITTER_EMAIL");
  repo.git({"config", "user.useConfigOnly", "true"});
  const auto nobody = repo.open().identity();
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, Code::kUsage);
  EXPECT_NE(nobody.error().hint.find("git config --global user.name"), std::string::npos);
  EXPECT_NE(nobody.error().hint.find("git config --global user.email"), std::string::npos);
}

// It is read from the configuration where git would take it as it is, and asked of git otherwise.
TEST(Repository, KnowsWhoIsThereAsGitSaysIt) {
  ScratchRepo repo;
  repo.env().erase("GIT_COMMITTER_NAME");
  repo.env().erase("GIT_COMMITTER_EMAIL");
  repo.git({"config", "user.name", "A User"});
  repo.git({"config", "user.email", "user@example.com"});
  const auto expect_as_git_says = [&] {
    const Identity who = must(repo.open().identity());
    const std::string said = repo.git({"var", "GIT_COMMITTER_IDENT"});
    EXPECT_TRUE(said.starts_with(who.name + " <" + who.email + "> ")) << said;
  };
  expect_as_git_says();
  for (const char* part : {"name", "email"}) {
    const std::string key = std::string("committer.") + part;
    const std::string variable =
        std::string("GIT_COMMITTER_") + (part[0] == 'n' ? "NAME" : "EMAIL");
    for (const char* value : {"x", "J. Doe", " J Doe ", "Doe, J.", "\"J\"", "a <b> c", "<x@y>",
                              "J\nD", "'j'", "\\j", "Zoë", "\xff", "j\t"}) {
      repo.git({"config", key, value});
      expect_as_git_says();
      repo.env()[variable] = value;
      expect_as_git_says();
      repo.env().erase(variable);
    }
    repo.git({"config", "--unset", key});
  }
}

TEST(Repository, SeesUncommittedChanges) {
  const ScratchRepo repo;
  repo.write("f", "1");
  repo.write(".gitignore", "ignored\n");
  repo.commit("one");
  const Repository opened = repo.open();
  EXPECT_FALSE(must(opened.has_uncommitted_changes()));
  repo.write("ignored", "x");
  EXPECT_FALSE(must(opened.has_uncommitted_changes()));
  repo.write("f", "22");
  EXPECT_TRUE(must(opened.has_uncommitted_changes()));
  repo.git({"add", "f"});
  EXPECT_TRUE(must(opened.has_uncommitted_changes()));
  repo.commit("two");
  repo.write("untracked", "x");
  EXPECT_TRUE(must(opened.has_uncommitted_changes()));
}

}  // namespace
}  // namespace gittxn::repo
