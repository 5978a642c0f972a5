// Taking what an agent did, however it used git on the way, and keeping it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "repo/testing/agent.h"
#include "repo/worktree/worktree_ignore.h"

namespace gittxn::repo {
namespace {

using testing::Agent;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using testing::paths_of;
using testing::ScratchRepo;
using testing::take_repo;
using testing::write_raw;

std::string content(const ScratchRepo& repo, const Taken& taken, const std::string& path) {
  return repo.git({"cat-file", "blob", taken.tree.str() + ":" + path});
}

Error refusal(Agent& agent) {
  auto taken = agent.try_take();
  if (taken) throw std::runtime_error("it was taken");
  return taken.error();
}

TEST(Take, NothingIsNothing) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  const Taken taken = agent.take_all();
  EXPECT_TRUE(taken.changes.empty());
  EXPECT_EQ(taken.tree, repo.tree());
  EXPECT_FALSE(taken.base_moved);
  EXPECT_FALSE(taken.message);
  EXPECT_THAT(taken.tips, IsEmpty());
  EXPECT_THAT(taken.notes, IsEmpty());
}

// A look while somebody takes it, or removes it: neither meets the other.
TEST(Take, ALookIsBesideIt) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write("src/a.txt", "new\n");
  const std::string taking = agent.worktree().path + "/take";
  const std::string folder = repo.root() + "/look";
  ASSERT_TRUE(make_dirs(taking));
  ASSERT_TRUE(write_file(taking + "/index", "somebody's", Sync::kNo));
  const Taken seen = must(take_a_look(agent.repository(), agent.worktree(), agent.base(),
                                      RefName("refs/heads/main"), folder));
  EXPECT_THAT(paths_of(seen.changes), ElementsAre("src/a.txt"));
  EXPECT_EQ(must(read_file(taking + "/index")), "somebody's");
  EXPECT_FALSE(must(exists(folder)));
  EXPECT_EQ(agent.take_all().tree, seen.tree);
}

TEST(Take, CommittedStagedAndNeither) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write("src/a.txt", "committed\n");
  agent.git({"commit", "-qam", "work", "--author=An Agent <agent@example.org>"});
  agent.write("src/b.txt", "staged\n");
  agent.git({"add", "src/b.txt"});
  agent.write("src/b.txt", "and then some\n");
  agent.write("new/dir/file", "untracked\n");
  agent.write("noise.log", "ignored\n");
  agent.write("build/out", "ignored\n");
  agent.remove("README");
  ASSERT_EQ(::chmod(agent.file("src/run.sh").c_str(), 0644), 0);
  ::symlink("/etc/passwd", agent.file("link").c_str());
  const std::string status = agent.git({"status", "--porcelain"});
  const Taken taken = agent.take_all();
  EXPECT_THAT(paths_of(taken.changes), ElementsAre("README", "link", "new/dir/file", "src/a.txt",
                                                   "src/b.txt", "src/run.sh"));
  EXPECT_THAT(taken.untracked, ElementsAre("link", "new/dir/file"));
  EXPECT_EQ(content(repo, taken, "src/b.txt"), "and then some");
  EXPECT_EQ(content(repo, taken, "link"), "/etc/passwd");
  EXPECT_EQ(*taken.message, "work\n");
  EXPECT_THAT(*taken.author, HasSubstr("An Agent <agent@example.org>"));
  EXPECT_THAT(taken.tips, ElementsAre(agent.oid("HEAD")));
  EXPECT_EQ(agent.git({"status", "--porcelain"}), status) << "the worktree was changed";
  EXPECT_EQ(repo.git({"fsck", "--no-dangling"}), "");
}

// A power cut may leave a tree in the repository without what it names. Against the base, which is
// whole, it is looked into; by itself it would pass for complete.
TEST(Take, BringsHomeWhatATreeThatIsThereLacks) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write("new/dir/file", "made by the agent\n");
  agent.commit("work");
  const std::string blob = agent.git({"rev-parse", "HEAD:new/dir/file"});
  const std::string dir = repo.git({"mktree", "--missing"}, "100644 blob " + blob + "\tfile\n");
  EXPECT_EQ(repo.git({"mktree", "--missing"}, "040000 tree " + dir + "\tdir\n"),
            agent.git({"rev-parse", "HEAD:new"}));
  EXPECT_NE(repo.git_status({"cat-file", "-e", blob}), 0);
  const Taken taken = agent.take_all();
  EXPECT_EQ(content(repo, taken, "new/dir/file"), "made by the agent");
  must(remove_tree(agent.worktree().git_dir));
  EXPECT_EQ(repo.git({"fsck", "--no-dangling", "--connectivity-only"}), "");
}

// The same as git's own `git add -A` and `git write-tree`, on random work.
TEST(Take, AgreesWithGitAdd) {
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const ScratchRepo repo = take_repo();
  for (int round = 0; round < 4; ++round) {
    Agent agent(repo, "wt" + std::to_string(round));
    const std::vector<std::string> names = {
        "README", "src",     "src/a.txt", "src/b.txt", "src/a.txt/x", "n",      "n/m", "n/m/o",
        "z.log",  "build/x", "n/k.log",   ":colon",    "*",           "li\nne", "\xff"};
    for (int step = 0; step < 25; ++step) {
      const std::string& name = names[random.below(names.size())];
      const auto what = random.below(6);
      if (what == 0) {
        agent.remove(name);
      } else if (what == 1) {
        agent.try_git({"--literal-pathspecs", "add", "-f", "--", name});
      } else if (what == 2) {
        agent.try_git({"commit", "-qm", "step"});
      } else {
        const bool below_a_file = !make_dirs(parent_dir(agent.file(name)), 0755);
        if (below_a_file || ::access((agent.file(name) + "/.").c_str(), F_OK) == 0) continue;
        agent.write(name, std::to_string(random.below(3)), random.below(4) == 0 ? 0755 : 0644);
      }
    }
    const Taken taken = agent.take_all();
    agent.git({"add", "-A"});
    EXPECT_EQ(taken.tree.str(), agent.git({"write-tree"})) << agent.git({"status"});
  }
}

TEST(Take, AChangeCannotHideItsWrites) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write(".gitignore", "src/\nREADME\n");
  agent.write("src/hidden.txt", "hidden\n");
  agent.git({"rm", "-q", "--cached", "README"});
  agent.write(".git/info/exclude", "*\n");
  agent.git({"config", "core.excludesFile", "/dev/null"});
  const Taken taken = agent.take_all();
  EXPECT_THAT(paths_of(taken.changes), ElementsAre(".gitignore", "src/hidden.txt"));
  EXPECT_EQ(content(repo, taken, "README"), "hello");
}

TEST(Take, FlagsHideNothing) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.git({"update-index", "--assume-unchanged", "src/a.txt"});
  agent.git({"update-index", "--skip-worktree", "src/b.txt", "README"});
  agent.git({"config", "core.fileMode", "false"});
  agent.write("src/a.txt", "a changed\n");
  agent.write("src/b.txt", "b changed\n");
  agent.write("src/run.sh", "#!/bin/sh\n", 0644);
  agent.remove("README");
  agent.write("meant.txt", "to be added\n");
  agent.git({"add", "-N", "meant.txt"});
  const Taken taken = agent.take_all();
  EXPECT_THAT(paths_of(taken.changes),
              ElementsAre("README", "meant.txt", "src/a.txt", "src/b.txt", "src/run.sh"));
}

// Same size, same second: only the racy rule finds it, and only while the index keeps its time.
TEST(Take, ARacyEditIsSeen) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  for (int i = 0; i < 5; ++i) {
    agent.write("src/a.txt", "1\n");
    agent.write("src/b.txt", "1\n");
    agent.git({"add", "."});
    agent.git({"update-index", "--assume-unchanged", "src/b.txt"});
    agent.write("src/a.txt", "2\n");
    agent.write("src/b.txt", "2\n");
    if (i == 0) SystemClock().sleep_ms(1100);
    const Taken taken = agent.take_all();
    EXPECT_EQ(content(repo, taken, "src/a.txt"), "2");
    EXPECT_EQ(content(repo, taken, "src/b.txt"), "2");
  }
}

TEST(Take, ForceAddedIsTrackedAndIgnoredDirectoriesAreNotEntered) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write("forced.log", "x\n");
  agent.git({"add", "-f", "forced.log"});
  agent.write("build/deep/.git/HEAD", "ref: refs/heads/x\n");
  agent.write("pkg/build/x", "ignored below a new directory\n");
  agent.write("pkg/sub/keep.txt", "x\n");
  agent.write("pkg/sub/drop.log", "x\n");
  EXPECT_THAT(paths_of(agent.take_all().changes), ElementsAre("forced.log", "pkg/sub/keep.txt"));
}

TEST(Take, ScratchDirectoriesThatIgnoreThemselvesStayOutAndAreNamed) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write(".pytest_cache/.gitignore", "# Created by pytest automatically.\n*\n");
  agent.write(".pytest_cache/v/x", "x");
  agent.write("src/.gitignore", "*\n");  // tracked files are in src: no scratch directory
  agent.write("src/new.txt", "x");
  agent.write("some/.gitignore", "*\n!keep\n");
  agent.write("some/other", "x");
  const Taken taken = agent.take_all();
  EXPECT_THAT(paths_of(taken.changes),
              ElementsAre("some/.gitignore", "some/other", "src/.gitignore", "src/new.txt"));
  EXPECT_THAT(taken.notes, Contains(HasSubstr(".pytest_cache")));
}

TEST(Take, FilesAndDirectoriesChangePlaces) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.remove("src");
  agent.write("src", "now a file\n");
  agent.remove("README");
  agent.write("README/part", "now a directory\n");
  const Taken taken = agent.take_all();
  EXPECT_THAT(paths_of(taken.changes),
              ElementsAre("README", "README/part", "src", "src/a.txt", "src/b.txt", "src/run.sh"));
  EXPECT_EQ(content(repo, taken, "src"), "now a file");
}

TEST(Take, ALinkInPlaceOfADirectoryIsNotFollowed) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  must(make_dirs(repo.root() + "/outside"));
  must(write_file(repo.root() + "/outside/a.txt", "not yours", Sync::kNo));
  agent.remove("src");
  ::symlink((repo.root() + "/outside").c_str(), agent.file("src").c_str());
  const Taken taken = agent.take_all();
  EXPECT_EQ(repo.git({"ls-tree", "-r", "--name-only", taken.tree.str()}),
            ".gitignore\nREADME\nsrc");
}

TEST(Take, OddNames) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  const std::vector<std::string> names = {
      std::string(255, 'x'), "a\nb",        "\xff\xfe", ":(top)x", "*",
      "\"quoted\"",          "back\\slash", " lead",    "tr ail "};
  for (const std::string& name : names) agent.write(name, name);
  EXPECT_EQ(paths_of(agent.take_all().changes).size(), names.size());
}

TEST(Take, MidMergeWithConflictsAndALockLeftBehind) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.git({"checkout", "-q", "-b", "side"});
  agent.write("src/a.txt", "side\n");
  agent.commit("side");
  agent.git({"checkout", "-q", "main"});
  agent.write("src/a.txt", "main\n");
  agent.commit("main");
  EXPECT_NE(agent.try_git({"merge", "side"}).exit.status, 0);
  agent.write(".git/index.lock", "");
  const Taken taken = agent.take_all();
  EXPECT_THAT(content(repo, taken, "src/a.txt"), HasSubstr("<<<<<<<"));
  EXPECT_THAT(taken.notes, Contains(HasSubstr("src/a.txt")));
  EXPECT_EQ(taken.tips.size(), 2u);
}

TEST(Take, ABrokenGitDirectoryCostsNothingOfTheWork) {
  const ScratchRepo repo = take_repo();
  int number = 0;
  for (const std::string how : {"rm .git/index", "echo junk >.git/index", "rm -rf .git",
                                "rm .git/HEAD", "echo junk >.git/config", "rm -rf .git/objects",
                                "rm -rf .git && git init -q && git add . && git commit -qm anew",
                                "rm -rf .git; ln -s /nowhere .git", "chmod -R a-w .git",
                                "git update-index --split-index"}) {
    Agent agent(repo, "wt" + std::to_string(number++));
    agent.write("src/a.txt", "changed\n");
    agent.write("src/new.txt", "new\n");
    agent.write("noise.log", "ignored\n");
    agent.remove("README");
    ASSERT_EQ(agent.sh({"sh", "-c", how}).exit.status, 0) << how;
    const auto taken = agent.try_take();
    ASSERT_TRUE(taken) << how << ": " << taken.error().message;
    EXPECT_THAT(paths_of(taken->changes), ElementsAre("README", "src/a.txt", "src/new.txt")) << how;
    must(remove_worktree(agent.worktree().path));
  }
}

TEST(Take, AWorktreeThatIsGoneIsNoRemovalOfEverything) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  must(remove_tree(agent.worktree().tree));
  EXPECT_EQ(refusal(agent).code, Code::kNotFound);
}

TEST(Take, SubmodulesAndNestedRepositoriesAreRefusedByName) {
  ScratchRepo repo = take_repo();
  repo.env()["GIT_ALLOW_PROTOCOL"] = "file";
  repo.git({"init", "-q", "../lib"});
  repo.git_in(repo.root() + "/lib", {"commit", "-q", "--allow-empty", "-m", "lib"});
  repo.git({"submodule", "--quiet", "add", "../lib", "lib"});
  repo.commit("submodule");
  {
    Agent agent(repo, "nested");
    agent.git({"init", "-q", "inner/repo"});
    agent.write("inner/repo/x", "x");
    const Error error = refusal(agent);
    EXPECT_EQ(error.code, Code::kUnsupported);
    EXPECT_THAT(error.message, HasSubstr("inner/repo"));
  }
  {
    Agent agent(repo, "moved");
    agent.git({"submodule", "--quiet", "update", "--init"});
    EXPECT_TRUE(agent.take_all().changes.empty());
    repo.git_in(agent.file("lib"), {"commit", "-q", "--allow-empty", "-m", "moved"});
    EXPECT_THAT(refusal(agent).message, HasSubstr("lib"));
    agent.git({"commit", "-qam", "moved"});
    EXPECT_THAT(refusal(agent).message, HasSubstr("lib"));
  }
  {
    Agent agent(repo, "inside");
    agent.git({"submodule", "--quiet", "update", "--init"});
    // What the agent has configured there is run for nobody else.
    const std::string ran = repo.root() + "/ran";
    repo.git_in(agent.file("lib"), {"config", "core.fsmonitor", "touch " + ran + "; false"});
    EXPECT_TRUE(agent.take_all().changes.empty());
    agent.write("lib/new", "x");
    EXPECT_THAT(refusal(agent).message, HasSubstr("lib"));
    EXPECT_FALSE(exists(ran).value());
    repo.git_in(agent.file("lib"), {"clean", "-qfd"});  // which runs it
    ASSERT_TRUE(remove_file(ran));
    repo.git_in(agent.file("lib"), {"init", "-q", "deep"});
    repo.git_in(agent.file("lib/deep"), {"commit", "-q", "--allow-empty", "-m", "deep"});
    repo.git_in(agent.file("lib/deep"), {"config", "core.fsmonitor", "touch " + ran + "; false"});
    EXPECT_THAT(refusal(agent).message, HasSubstr("lib"));
    EXPECT_FALSE(exists(ran).value());
  }
  {
    Agent agent(repo, "removed");
    agent.git({"rm", "-q", "lib"});
    EXPECT_EQ(refusal(agent).code, Code::kUnsupported);
  }
}

TEST(Take, CaseClashesAreRefusedByName) {
  const ScratchRepo repo = take_repo();
  repo.write("Docs/One", "x");
  repo.write("\xc3\x84rger", "x");
  repo.commit("names");
  int number = 0;
  for (const std::string name : {"readme", "docs/two", "\xc3\xa4rger"}) {
    Agent agent(repo, "case" + std::to_string(number++));
    agent.write(name, "x");
    const Error error = refusal(agent);
    EXPECT_EQ(error.code, Code::kUnsupported) << name;
    EXPECT_THAT(error.message, HasSubstr(" and ")) << name;
  }
  Agent renamed(repo, "renamed");
  renamed.git({"mv", "README", "readme"});
  EXPECT_THAT(paths_of(renamed.take_all().changes), ElementsAre("README", "readme"));
}

TEST(Take, FiltersAndLineEndsAreGits) {
  ScratchRepo repo = take_repo();
  repo.write(".gitattributes", "*.txt text eol=crlf\n*.up filter=up\n");
  repo.git({"config", "filter.up.clean", "tr a-z A-Z"});
  repo.git({"config", "filter.up.smudge", "tr A-Z a-z"});
  repo.write("x.up", "word\n");
  repo.commit("attributes");
  Agent agent(repo);
  EXPECT_EQ(agent.read("src/a.txt"), "a\r\n");
  EXPECT_EQ(agent.read("x.up"), "word\n");
  EXPECT_TRUE(agent.take_all().changes.empty());
  agent.write("src/a.txt", "two\r\nlines\r\n");
  agent.write("y.up", "other\n");
  const Taken taken = agent.take_all();
  EXPECT_EQ(content(repo, taken, "src/a.txt"), "two\nlines");
  EXPECT_EQ(content(repo, taken, "y.up"), "OTHER");
  agent.remove("y.up");
  agent.write("src/a.txt", "a\r\n");
  agent.write(".gitattributes", "*.txt text eol=crlf\n*.up filter=up\nREADME text eol=lf\n");
  EXPECT_THAT(paths_of(agent.take_all().changes), ElementsAre(".gitattributes"));
}

TEST(IgnoreRules, AreThoseOfTheCommit) {
  const ScratchRepo repo = take_repo();
  repo.write("src/.gitignore", "!kept.log\ncache/\n");
  repo.write("docs/.gitignore/not-a-file", "x");
  repo.commit("rules");
  repo.write(".gitignore", "everything\n");
  repo.remove("src/.gitignore");
  repo.write("../repo/.git/info/exclude", "excluded\n");
  Repository repository = repo.open();
  IgnoreRules rules(repository, repo.head(), repo.root() + "/rules");
  EXPECT_THAT(must(rules.ignored(std::vector<std::string>{"x.log", "src/kept.log", "src/x.log",
                                                          "build/", "src/cache/", "everything",
                                                          "excluded", "build"})),
              ElementsAre(true, false, true, true, true, false, true, false));
  EXPECT_TRUE(must(rules.ignored("src/cache/deep/file")));
  EXPECT_TRUE(must(rules.ignored("src/cache/deep/other")));
  EXPECT_FALSE(must(rules.ignored("src/other")));
}

TEST(Take, NamesThatGitTakesForItsOwnDirectoryAreRefused) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  agent.write(".GIT/config", "[core]\n");
  agent.write("sub/git~1/hooks/x", "x\n");
  const Error error = refusal(agent);
  EXPECT_EQ(error.code, Code::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr(".GIT/config, sub/git~1/hooks/x"));
  agent.remove(".GIT");
  agent.remove("sub");
  EXPECT_THAT(agent.take_all().changes, IsEmpty());
  // Ignored files are not taken, and so not refused.
  agent.write("build/.GIT/config", "x\n");
  EXPECT_THAT(agent.take_all().changes, IsEmpty());
}

TEST(Take, WorkInWorktreesOfItsOwnIsFound) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  const std::string beside = repo.root() + "/beside";
  agent.git({"worktree", "add", "-q", "-b", "side", beside});
  EXPECT_THAT(agent.take_all().linked, IsEmpty()) << "there is nothing in it";
  write_raw(beside + "/README", "better\n");
  write_raw(beside + "/new.txt", "new\n");
  const Taken taken = agent.take_all();
  EXPECT_THAT(taken.changes, IsEmpty());
  ASSERT_EQ(taken.linked.size(), 1u);
  EXPECT_EQ(taken.linked[0].path, beside);
  EXPECT_THAT(taken.tips, Contains(taken.linked[0].tip));
  const std::string tip = taken.linked[0].tip.str();
  EXPECT_EQ(repo.git({"show", tip + ":new.txt"}), "new");
  EXPECT_EQ(repo.git({"show", tip + ":README"}), "better");
  EXPECT_EQ(agent.take_all().linked[0].tip, taken.linked[0].tip)
      << "the same work, the same commit";
  // Committed there, and nowhere else; then merged.
  repo.git_in(beside, {"add", "-A"});
  repo.git_in(beside, {"commit", "-q", "-m", "on the side"});
  const Taken committed = agent.take_all();
  ASSERT_EQ(committed.linked.size(), 1u);
  EXPECT_EQ(committed.linked[0].tip, agent.oid("side"));
  agent.git({"merge", "-q", "side"});
  EXPECT_THAT(agent.take_all().linked, IsEmpty());
}

TEST(Take, AWorktreeThatDoesNotBelongToItIsNotLookedInto) {
  const ScratchRepo repo = take_repo();
  Agent agent(repo);
  const std::string beside = repo.root() + "/beside";
  agent.git({"worktree", "add", "-q", "--detach", beside});
  write_raw(beside + "/secret", "of somebody else\n");
  write_raw(beside + "/.git", "gitdir: /somewhere/else\n");
  EXPECT_THAT(agent.take_all().linked, IsEmpty());
}

}  // namespace
}  // namespace gittxn::repo
