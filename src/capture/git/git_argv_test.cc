// What a git command line says was read. Lines are "what [revision:]path", with "|" before a word
// that may be a revision and "*" before the fallback.
#include "capture/git/git_argv.h"

#include "capture/git/git_revisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace gittxn::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

GitUse use_of(const std::string& line) {
  return parse_git("/usr/bin/git", words_of(line));
}

std::vector<std::string> reads_of(const std::string& line) {
  std::vector<std::string> texts;
  for (const GitRead& read : use_of(line).reads) {
    std::string text;
    switch (read.what) {
      case GitRead::What::kPath:
        text = "path ";
        break;
      case GitRead::What::kNames:
        text = "names ";
        break;
      case GitRead::What::kRevision:
        text = "ref ";
        break;
      case GitRead::What::kStart:
        text = "start ";
        break;
      case GitRead::What::kHistory:
        text = "history";
        break;
      case GitRead::What::kEverything:
        text = "everything";
        break;
    }
    if (read.perhaps_revision) text += "|";
    if (read.fallback) text += "*";
    text += read.revision;
    if (read.from_top) text += ":";
    text += read.path;
    texts.push_back(text);
  }
  return texts;
}

TEST(GitArgv, GlobalOptionsComeFirst) {
  EXPECT_EQ(use_of("git -C sub -c core.pager=less --no-pager status -s").command, "status");
  EXPECT_EQ(use_of("git --version").command, "version");
  EXPECT_EQ(use_of("git --git-dir=/x/.git --work-tree /x log").command, "log");
  EXPECT_TRUE(use_of("git --git-dir /x/.git log").elsewhere);
  EXPECT_TRUE(use_of("git").understood);
}

TEST(GitArgv, ProgramsOfGit) {
  EXPECT_TRUE(is_git_program("/usr/bin/git"));
  EXPECT_TRUE(is_git_program("/usr/lib/git-core/git-remote-https"));
  EXPECT_TRUE(is_git_program("/usr/bin/git-upload-pack"));
  EXPECT_FALSE(is_git_program("/usr/bin/git-lfs"));
  EXPECT_TRUE(is_git_program("/usr/bin/git-txn"));
  EXPECT_TRUE(serves_worktree("/usr/bin/git-txn", {"git-txn", "mcp"}));
  EXPECT_TRUE(serves_worktree("/usr/bin/git-txn", {"git-txn", "-q", "mcp"}));
  EXPECT_TRUE(serves_worktree("/usr/bin/git-txn", {"git-txn", "read", "--absent", "a"}));
  EXPECT_FALSE(serves_worktree("/usr/bin/git-txn", {"git-txn", "status"}));
  EXPECT_FALSE(serves_worktree("/usr/bin/git-txn", {"git-txn", "reads", "t-1"}));
  EXPECT_FALSE(serves_worktree("/usr/bin/git", {"git", "txn", "mcp"})) << "it starts the other";
  EXPECT_FALSE(is_git_program("/usr/bin/gitk"));
  EXPECT_EQ(parse_git("/usr/lib/git-core/git-gc", {"git-gc"}).command, "gc");
  EXPECT_EQ(parse_git("/usr/lib/git-core/git", {"git", "gc", "--auto"}).command, "gc");
}

TEST(GitArgv, OwnWorkReadsNothing) {
  for (const char* line :
       {"git status -s", "git add -A", "git commit -m x", "git stash pop", "git checkout -- a",
        "git reset --hard", "git fetch txn-target", "git diff", "git diff --cached",
        "git branch --show-current", "git stash list", "git rev-parse --show-toplevel",
        "git rev-parse --abbrev-ref HEAD", "git symbolic-ref HEAD"}) {
    const GitUse use = use_of(line);
    EXPECT_TRUE(use.understood) << line;
    EXPECT_FALSE(use.keeps_opens) << line;
    EXPECT_THAT(use.reads, IsEmpty()) << line;
  }
  EXPECT_TRUE(use_of("git push origin main").is(kPushes));
  EXPECT_TRUE(use_of("git pull txn-target main").is(kMovesBase));
  EXPECT_FALSE(use_of("git status").is(kMovesBase));
}

TEST(GitArgv, UnknownCommandsAreNotUnderstood) {
  EXPECT_FALSE(use_of("git frobnicate").understood);
  EXPECT_TRUE(use_of("git frobnicate").keeps_opens);
  EXPECT_TRUE(use_of("git apply x.patch").keeps_opens);
}

TEST(GitArgv, Show) {
  EXPECT_THAT(reads_of("git show"), ElementsAre("ref *HEAD"));
  EXPECT_THAT(reads_of("git show HEAD:src/x.c"), ElementsAre("path HEAD:src/x.c", "ref *HEAD"));
  EXPECT_THAT(reads_of("git show HEAD:./x.c"), ElementsAre("path HEAD./x.c", "ref *HEAD"));
  EXPECT_THAT(reads_of("git show :a.txt"), ElementsAre("path :a.txt", "ref *HEAD"));
  EXPECT_THAT(reads_of("git show :2:a.txt"), ElementsAre("path :a.txt", "ref *HEAD"));
  EXPECT_THAT(reads_of("git show HEAD^{tree}"), ElementsAre("path HEAD:", "ref *HEAD"));
  EXPECT_THAT(reads_of("git show v1.0 -- docs"), ElementsAre("ref v1.0", "path docs", "ref *HEAD"));
}

TEST(GitArgv, Log) {
  EXPECT_THAT(reads_of("git log --oneline -5"), ElementsAre("ref *HEAD"));
  EXPECT_THAT(reads_of("git log -n 5 --since yesterday -S needle"), ElementsAre("ref *HEAD"));
  EXPECT_THAT(reads_of("git log -p -- a.txt src"),
              ElementsAre("path a.txt", "path src", "ref *HEAD"));
  EXPECT_THAT(reads_of("git log a.txt"), ElementsAre("path |a.txt", "ref *HEAD"));
  EXPECT_THAT(reads_of("git log v1..other"), ElementsAre("ref v1", "ref other", "ref *HEAD"));
  EXPECT_THAT(reads_of("git log ^v1 other.. --"),
              ElementsAre("ref v1", "ref other", "ref HEAD", "ref *HEAD"));
  EXPECT_THAT(reads_of("git log -L 1,5:src/x.c"), ElementsAre("path src/x.c", "ref *HEAD"));
  EXPECT_THAT(reads_of("git log -L1,5:src/x.c"), ElementsAre("path src/x.c", "ref *HEAD"));
}

TEST(GitArgv, Diff) {
  EXPECT_TRUE(use_of("git diff a.txt").compares);
  EXPECT_THAT(reads_of("git diff main -- a.txt"), ElementsAre("ref main", "path a.txt"));
  EXPECT_THAT(reads_of("git diff main a.txt"), ElementsAre("path |main", "path |a.txt"));
  EXPECT_THAT(reads_of("git diff -U 10 HEAD"), ElementsAre("ref HEAD"));
  EXPECT_THAT(reads_of("git diff main...HEAD"), ElementsAre("ref main", "ref HEAD"));
  EXPECT_TRUE(use_of("git diff main...HEAD").from_merge_base);
  EXPECT_TRUE(use_of("git diff --no-index a b").keeps_opens);
}

TEST(GitArgv, Blame) {
  EXPECT_THAT(reads_of("git blame -L 1,5 src/x.c"), ElementsAre("path src/x.c"));
  EXPECT_THAT(reads_of("git blame v1 -- x.c"), ElementsAre("ref v1", "path x.c"));
  EXPECT_THAT(reads_of("git blame v1 x.c"), ElementsAre("path |v1", "path |x.c"));
}

TEST(GitArgv, Grep) {
  EXPECT_THAT(reads_of("git grep -n foo"), ElementsAre("path *."));
  EXPECT_THAT(reads_of("git grep -rnI foo -- src docs"),
              ElementsAre("path src", "path docs", "path *."));
  EXPECT_THAT(reads_of("git grep -e foo --and -e bar src"), ElementsAre("path |src", "path *."));
  EXPECT_THAT(reads_of("git grep -A 3 -B3 foo v1"), ElementsAre("path |v1", "path *."));
  EXPECT_THAT(reads_of("git grep foo HEAD"), ElementsAre("ref HEAD", "path *."));
  EXPECT_THAT(reads_of("git grep foo HEAD:src"), ElementsAre("path HEAD:src", "path *."));
  EXPECT_THAT(reads_of("git grep --new-option foo"), ElementsAre("everything"));
  EXPECT_TRUE(use_of("git grep --untracked foo").keeps_opens);
}

TEST(GitArgv, ListingFiles) {
  EXPECT_THAT(reads_of("git ls-files"), ElementsAre("names ."));
  EXPECT_THAT(reads_of("git ls-files -z --others --exclude-standard src"),
              ElementsAre("names src"));
  EXPECT_THAT(reads_of("git ls-files -s"), ElementsAre("path ."));
  EXPECT_THAT(reads_of("git ls-files --new-option"), ElementsAre("path ."));
  EXPECT_THAT(reads_of("git ls-tree -r --name-only HEAD"), ElementsAre("names HEAD."));
  EXPECT_THAT(reads_of("git ls-tree HEAD src"), ElementsAre("path HEADsrc"));
  EXPECT_THAT(reads_of("git ls-tree HEAD^{tree}"), ElementsAre("path HEAD:"));
  EXPECT_THAT(reads_of("git ls-tree HEAD:src"), ElementsAre("path HEAD:src"));
}

TEST(GitArgv, ObjectsByName) {
  EXPECT_THAT(reads_of("git cat-file -p HEAD:a.txt"), ElementsAre("path HEAD:a.txt"));
  EXPECT_THAT(reads_of("git cat-file -t HEAD"), ElementsAre("ref HEAD"));
  EXPECT_THAT(reads_of("git cat-file tree HEAD"), ElementsAre("path HEAD:"));
  EXPECT_THAT(reads_of("git cat-file blob @{0}:a.txt"), ElementsAre("path @{0}:a.txt"));
  EXPECT_THAT(reads_of("git cat-file --batch"), ElementsAre("everything"));
  EXPECT_THAT(reads_of("git rev-parse HEAD^{tree}"), ElementsAre("path HEAD:"));
  EXPECT_THAT(reads_of("git rev-parse stash@{0}:src"), ElementsAre("path stash@{0}:src"));
  EXPECT_THAT(reads_of("git rev-parse --show-toplevel"), IsEmpty());
  EXPECT_THAT(reads_of("git rev-parse HEAD HEAD:src"), ElementsAre("ref HEAD", "path HEAD:src"));
  EXPECT_THAT(reads_of("git archive HEAD src"),
              ElementsAre("path HEADsrc", "path HEAD:.gitattributes"));
  EXPECT_THAT(reads_of("git archive --format=tar HEAD"), ElementsAre("path HEAD."));
}

TEST(GitArgv, FilesThatOptionsName) {
  const auto files_of = [](const std::string& line) {
    std::vector<std::string> files = use_of(line).files;
    std::erase(files, ".mailmap");
    return files;
  };
  EXPECT_THAT(files_of("git commit -F notes/msg.txt"), ElementsAre("notes/msg.txt"));
  EXPECT_THAT(files_of("git commit -aFmsg.txt"), ElementsAre("msg.txt"));
  EXPECT_THAT(files_of("git commit --file=../msg.txt"), ElementsAre("msg.txt"));
  EXPECT_THAT(files_of("git commit -m text -t ./t.txt"), ElementsAre("t.txt"));
  EXPECT_THAT(files_of("git add --pathspec-from list -- -F x"), ElementsAre("list"));
  EXPECT_THAT(files_of("git grep -f words src"), ElementsAre("words"));
  EXPECT_THAT(files_of("git commit -F -"), IsEmpty());
  EXPECT_THAT(files_of("git am -3 0001.patch"), ElementsAre("-3", "0001.patch"));
  EXPECT_THAT(files_of("git clean -fdX"), ElementsAre(".gitignore"));
  const GitUse use = use_of("git commit -F notes/msg.txt");
  EXPECT_TRUE(asks_for(use, "/w/tree/notes/msg.txt"));
  EXPECT_TRUE(asks_for(use_of("git log -3"), "/w/tree/.mailmap"));
  EXPECT_FALSE(asks_for(use, "/w/tree/.mailmap"));
  EXPECT_FALSE(asks_for(use, "/w/tree/foot-notes/msg.txt"));
  EXPECT_FALSE(asks_for(use, "/w/tree/msg.txt"));
  for (const char* line : {"git config -f a.ini -l", "git interpret-trailers msg.txt",
                           "git hash-object a.txt", "git notes add -F a.txt"}) {
    EXPECT_TRUE(use_of(line).keeps_opens) << line;
  }
}

TEST(GitArgv, WhatIsCopiedOut) {
  EXPECT_THAT(reads_of("git checkout-index -a -f"), IsEmpty());
  EXPECT_THAT(reads_of("git checkout-index -a -f --prefix=/tmp/x/"), ElementsAre("path :"));
  EXPECT_THAT(reads_of("git checkout-index --prefix=/tmp/x/ a.txt"), ElementsAre("path a.txt"));
  EXPECT_THAT(reads_of("git worktree add ../x"), ElementsAre("everything"));
  EXPECT_THAT(reads_of("git worktree list"), ElementsAre("history"));
  EXPECT_THAT(reads_of("git write-tree"), ElementsAre("path :"));
  EXPECT_THAT(reads_of("git bundle create /tmp/b HEAD"), ElementsAre("everything"));
  EXPECT_TRUE(use_of("git clone . /tmp/x").is(kServes));
  EXPECT_TRUE(use_of("git --work-tree=/tmp/x checkout HEAD -- .").is(kWritesFiles));
}

TEST(GitArgv, WhatOthersHaveInADirectory) {
  EXPECT_THAT(reads_of("git rm -r src"), ElementsAre("names src"));
}

TEST(GitArgv, Branches) {
  EXPECT_THAT(reads_of("git branch"), ElementsAre("history"));
  EXPECT_THAT(reads_of("git branch -a --contains v1"), ElementsAre("history"));
  EXPECT_THAT(reads_of("git branch mine other"), ElementsAre("start other"));
  EXPECT_THAT(reads_of("git branch -D other more"), IsEmpty());
  EXPECT_THAT(reads_of("git tag -a v2 -m v2"), ElementsAre("start v2"));
  EXPECT_THAT(reads_of("git checkout -b mine other"), ElementsAre("start |mine", "start |other"));
  EXPECT_THAT(reads_of("git restore --source=other a.txt"), ElementsAre("start other"));
  EXPECT_THAT(reads_of("git rebase --onto v1 other"), ElementsAre("start |other", "start v1"));
  EXPECT_THAT(reads_of("git status"), ElementsAre("history"));
  EXPECT_THAT(reads_of("git status --porcelain"), IsEmpty());
  EXPECT_THAT(reads_of("git status -sb"), ElementsAre("history"));
}

TEST(GitArgv, Pathspecs) {
  EXPECT_EQ(plain_pathspec("src/*.c").path, "src");
  EXPECT_TRUE(plain_pathspec("src/*.c").wild);
  EXPECT_EQ(plain_pathspec("*.c").path, "");
  EXPECT_EQ(plain_pathspec("src/x.c").path, "src/x.c");
  EXPECT_TRUE(plain_pathspec(":/src").from_top);
  EXPECT_EQ(plain_pathspec(":/src").path, "src");
  EXPECT_TRUE(plain_pathspec(":!src").excludes);
  EXPECT_TRUE(plain_pathspec(":(exclude)src").excludes);
  EXPECT_TRUE(plain_pathspec(":(icase)src").wild);
  EXPECT_EQ(plain_pathspec(":(icase)src").path, "");
}

TEST(GitArgv, NamesOfHead) {
  for (const char* name : {"HEAD", "@", "HEAD^{commit}", "HEAD~0", "@^0"}) {
    EXPECT_TRUE(names_head(name)) << name;
  }
  for (const char* name : {"HEAD~1", "main", "HEAD^", "HEAD@{1}"})
    EXPECT_FALSE(names_head(name)) << name;
}

}  // namespace
}  // namespace gittxn::capture
