// git's reading commands.
#include "questions/git.h"

#include <gtest/gtest.h>

#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::expect_none;
using testing::expect_pure;
using testing::said_of;
using testing::words_of;

constexpr testing::NoneRow kNoPureGitReadsTheTree[] = {
    {"git", "asks nothing"},
    {"git commit -m x", "git commit is not on the list"},
    {"git co x", "git co is not on the list"},
    {"git -p log", "-p is not on the list"},
    {"git --git-dir=x log", "not on the list"},
    {"git -c core.pager=less log", "core.pager=less"},
    {"git -c diff.external=x diff", "diff.external=x"},
    {"git -c core.fsmonitor=x status", "core.fsmonitor=x"},
    {"git -c alias.x=!y x", "alias.x"},
    {"git -C", "-C is not on the list"},
    {"git ls-files --debug", "shows times"},
    {"git diff --ext-diff", "runs other programs"},
    {"git diff -U --output=x", "writes files"},
    {"git diff --unified --ext-diff", "runs other programs"},
    {"git diff -S --output=x", "begins with a dash"},
    {"git diff --textconv", "runs other programs"},
    {"git diff --output=x", "writes files"},
    {"git diff --submodule=log", "'log'"},
    {"git diff -Oorder", "from a file"},
    {"git grep -Oless x", "runs other programs"},
    {"git grep --open-files-in-pager x", "runs other programs"},
    {"git grep --textconv x", "runs other programs"},
    {"git cat-file --filters HEAD:a", "runs other programs"},
    {"git cat-file --batch-all-objects --batch", "no commit has"},
    {"git cat-file --batch-check=%(objectsize:disk)", "shows times"},
    {"git config user.name x", "may set a value"},
    {"git config set user.name x", "may set a value"},
    {"git config unset user.name", "may set a value"},
    {"git config edit", "may set a value"},
    {"git config --unset user.name", "writes files"},
    {"git config -e", "writes files"},
    {"git remote update", "git remote update"},
    {"git remote show origin", "git remote show"},
    {"git archive -o x HEAD", "writes files"},
    {"git archive HEAD:src", "depends on the time"},
    {"git archive 0123456789abcdef", "depends on the time"},
    {"git archive --remote=x HEAD", "runs other programs"},
    {"git archive --format=tar.gz HEAD", "'tar.gz'"},
    {"git var GIT_AUTHOR_IDENT", "git var is not on the list"},
    {"git reflog", "not on the list"},
    {"git count-objects", "not on the list"}};

TEST(PureGit, ReadsTheTree) {
  expect_pure({"git ls-files",
               "git -C src -C sub ls-files -z --others --exclude-standard",
               "git --no-pager -c color.ui=never -c core.quotePath=false ls-files -s",
               "git -c core.fsmonitor= -c core.hooksPath=/dev/null status --porcelain=v2 -b",
               "git status",
               "git status -sb",
               "git status -s -uno",
               "git diff",
               "git diff --cached",
               "git diff HEAD~1 --stat -- src",
               "git diff -U3 -w --no-index a b",
               "git diff -M50% --name-only a...b",
               "git diff-tree -r --no-commit-id HEAD",
               "git diff-index --cached HEAD",
               "git diff-files",
               "git ls-tree -r --name-only HEAD",
               "git cat-file -p HEAD:a",
               "git cat-file --batch-check=%(objectname)",
               "git grep -n -e a --and -e b -- src",
               "git grep -5 x",
               "git config user.name",
               "git config --get user.name x",
               "git config --global --list",
               "git config list",
               "git config get user.name",
               "git check-ignore -v a",
               "git check-attr -a a",
               "git remote",
               "git remote -v",
               "git remote get-url origin",
               "git archive HEAD",
               "git archive --format=zip HEAD~1 src",
               "git --version"});
  expect_none(kNoPureGitReadsTheTree);
}

constexpr testing::NoneRow kNoPureGitReadsHistory[] = {
    {"git log --since=yesterday", "depends on the time"},
    {"git log --since='2 days ago'", "depends on the time"},
    {"git log --since=2026-11-25", "depends on the time"},
    {"git log --before 2026-11-25T10:00", "depends on the time"},
    {"git log --date=relative", "depends on the time"},
    {"git log --date=human", "depends on the time"},
    {"git log --relative-date", "not on the list"},
    {"git log --format=%ar", "%ar"},
    {"git log --pretty=format:%h%x20%cr", "%cr"},
    {"git log --format=%+ar", "%ar"},
    {"git log --format=%%%ar", "%ar"},
    {"git log --format=%G?", "%G"},
    {"git log --format=%gd", "%g"},
    {"git log --pretty=mine", "names a setting"},
    {"git log --show-signature", "runs other programs"},
    {"git log -g", "an earlier run"},
    {"git log --output=x", "writes files"},
    {"git log --ext-diff -p", "runs other programs"},
    {"git log HEAD@{yesterday}", "when something happened"},
    {"git log main@{1}..HEAD", "when something happened"},
    {"git log @{u}@{1}", "when something happened"},
    {"git shortlog -n --since=yesterday", "depends on the time"},
    {"git log --remerge-diff", "not on the list"},
    {"git log --diff-merges=r", "'r'"},
    {"git branch --contains --delete", "begins with a dash"},
    {"git show --textconv", "runs other programs"},
    {"git rev-list --disk-usage HEAD", "shows"},
    {"git rev-parse --since=yesterday", "depends on the time"},
    {"git rev-parse @{-1}", "when something happened"},
    {"git branch x", "without --list makes or moves it"},
    {"git branch --abbrev 1", "without --list"},
    {"git branch -d x", "makes, moves or deletes"},
    {"git branch --merged main x", "without --list"},
    {"git branch --format='%(committerdate:relative)'", "relative"},
    {"git tag x", "without --list"},
    {"git tag -v x", "runs other programs"},
    {"git for-each-ref --format='%(creatordate:human)'", "human"},
    {"git for-each-ref --format='%(signature:key)'", "signature"},
    {"git symbolic-ref HEAD refs/heads/x", "two names writes"},
    {"git symbolic-ref -d HEAD", "writes"},
    {"git merge-base --fork-point main", "an earlier run"},
    {"git stash", "writes"},
    {"git stash pop", "writes"},
    {"git stash show stash@{yesterday}", "not on the list"},
    {"git blame a", "depends on the time"},
    {"git blame -sp a", "depends on the time"},
    {"git blame --contents x HEAD a", "from a file"},
    {"git blame --since=yesterday HEAD a", "depends on the time"}};

TEST(PureGit, ReadsHistory) {
  expect_pure({"git log",
               "git log -5 --oneline",
               "git log -n 5 -p -- src",
               "git log --graph --all",
               "git log --format='%h %an %ad %s' --date=iso-strict",
               "git log -L1,5:a -s",
               "git log --since=2026-11-25T10:00:00Z",
               "git log --until='2026-11-25 10:00:00 +0100'",
               "git log --after=@1795000000 --pretty=oneline",
               "git log -S x -G y main..HEAD",
               "git log @{u}..",
               "git log '--format=%%ar'",
               "git show",
               "git show --stat HEAD",
               "git show HEAD:a",
               "git rev-list --count HEAD",
               "git shortlog -sn HEAD",
               "git rev-parse HEAD",
               "git rev-parse --show-toplevel",
               "git rev-parse --abbrev-ref HEAD",
               "git describe --tags --always --dirty",
               "git branch",
               "git branch -vv -a",
               "git branch --show-current",
               "git branch --list 'x*'",
               "git branch --contains HEAD",
               "git tag",
               "git tag -l 'v*'",
               "git tag -n5",
               "git for-each-ref --format='%(refname)' refs/heads",
               "git show-ref --heads",
               "git symbolic-ref --short HEAD",
               "git merge-base main HEAD",
               "git name-rev HEAD",
               "git stash list",
               "git stash show -p stash@{0}",
               "git blame HEAD -- a",
               "git blame -s a",
               "git blame HEAD a -L 1,5"});
  expect_none(kNoPureGitReadsHistory);
}

TEST(PureGit, SaysWhichAnswersAreHistory) {
  const auto history = [](const char* line) { return classify(words_of(line))->history; };
  EXPECT_EQ(history("git ls-files"), History::kNone);
  EXPECT_EQ(history("git diff HEAD~1"), History::kNone);
  EXPECT_EQ(history("git log -p"), History::kAll);
  EXPECT_EQ(history("git show"), History::kAll);
  EXPECT_EQ(history("git show HEAD"), History::kAll);
  EXPECT_EQ(history("git show :/fix"), History::kAll);
  EXPECT_EQ(history("git show HEAD:a"), History::kNone);
  EXPECT_EQ(history("git show HEAD HEAD:a"), History::kSome);
  EXPECT_EQ(history("git rev-parse HEAD"), History::kAll);
  EXPECT_EQ(history("git rev-parse HEAD:a"), History::kNone);
  EXPECT_EQ(history("git rev-parse --show-toplevel"), History::kNone);
  EXPECT_EQ(history("git rev-parse --all"), History::kAll);
  EXPECT_EQ(history("git status"), History::kSome);
  EXPECT_EQ(history("git status --short"), History::kNone);
  EXPECT_EQ(history("git status --porcelain -b"), History::kSome);
  EXPECT_EQ(history("git blame HEAD a"), History::kSome);
  EXPECT_EQ(history("git describe --dirty"), History::kSome);
  EXPECT_EQ(history("git rev-list --objects HEAD"), History::kSome);
  EXPECT_EQ(history("git cat-file -p HEAD:a"), History::kNone);
  EXPECT_EQ(history("git branch"), History::kAll);
}

TEST(PureGit, SaysWhatOfTheRepositoryItAnswersFrom) {
  const auto expect = [](GitState state, const std::vector<const char*>& lines) {
    for (const char* line : lines) EXPECT_EQ(classify(words_of(line))->git, state) << line;
  };
  expect(GitState::kNone, {"cat a", "git --version"});
  expect(GitState::kHead,
         {"git log", "git -C src log -5 --oneline -- lib", "git log --format=%h%x20%s HEAD~2..",
          "git show HEAD:a", "git rev-list --count HEAD", "git shortlog -sn HEAD",
          "git diff-tree -r HEAD", "git ls-tree -r HEAD", "git cat-file -p HEAD:a",
          "git rev-parse HEAD", "git rev-parse --show-toplevel", "git archive HEAD",
          "git log --no-decorate --format=%(trailers)"});
  expect(GitState::kWorktree,
         {"git ls-files", "git ls-files -o --exclude-standard", "git status", "git status -sb",
          "git diff", "git diff HEAD~1 --stat", "git diff-index HEAD", "git diff-files",
          "git grep x", "git blame -s a", "git show :a", "git cat-file -p :0:a"});
  expect(GitState::kMore, {"git log --all",
                           "git log --decorate",
                           "git log --format=%d",
                           "git log --pretty=%h%+D",
                           "git log --notes",
                           "git log --branches=x",
                           "git show :/fix",
                           "git log --ignore-missing x",
                           "git rev-parse --all",
                           "git rev-parse --revs-only x",
                           "git rev-parse --git-path hooks",
                           "git cat-file --batch",
                           "git ls-files -o",
                           "git ls-files -o -i --exclude-standard",
                           "git ls-files --with-tree=x",
                           "git ls-files --eol",
                           "git grep --untracked x",
                           "git status --ignored",
                           "git grep --no-index x",
                           "git diff --no-index a b",
                           "git branch",
                           "git tag",
                           "git describe",
                           "git for-each-ref",
                           "git show-ref",
                           "git config user.name",
                           "git remote -v",
                           "git stash list",
                           "git merge-base main HEAD",
                           "git name-rev HEAD",
                           "git symbolic-ref HEAD"});
}

TEST(PureGit, TakesWholeDatesAlone) {
  for (const char* date : {"2026-11-25T10:00:00Z", "2026-11-25 10:00:00", "@1795000000",
                           "2026-11-25T10:00:00+01:00", "2026-11-25 10:00:00 -0100"})
    EXPECT_TRUE(is_whole_date(date)) << date;
  for (const char* date :
       {"", "@", "@1", "now", "2026-11-25", "2026-11-25T10:00", "1795000000",
        "2026-11-25T10:00:00 ago", "2026-11-25T10:00:00+", "@179500000x", "2026-11-25T10:00:00+1"})
    EXPECT_FALSE(is_whole_date(date)) << date;
  EXPECT_EQ(said_of("git log --pretty=format:x"), "pure: git log");
}

}  // namespace
}  // namespace gittxn::questions
