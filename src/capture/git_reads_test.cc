// git processes in a trace: what of them is an observation.
#include "capture/git_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/testing/story.h"

namespace gittxn::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Story;

constexpr int kGit = 200;

class GitInTrace : public ::testing::Test, public Story {
 protected:
  explicit GitInTrace(Repo kind = Repo::kShared) : Story(kind) {}
};
class GitInFreshTrace : public GitInTrace {
 protected:
  GitInFreshTrace() : GitInTrace(Repo::kFresh) {}
};

TEST_F(GitInTrace, RefreshingItsIndexIsNotReadingEveryFile) {
  git({"status"}, kGit);
  for (const char* path : {"a.txt", "b.txt", "src/x.c"}) {
    add(Op::kStat, path, 0, kGit);
    add(Op::kOpenRead, path, 0, kGit);
  }
  add(Op::kList, "src", 0, kGit);
  add(Op::kOpenRead, ".gitignore", -ENOENT, kGit);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(GitInTrace, ShowOfAPathIsAContentReadOfTheSnapshot) {
  git({"show", "HEAD:src/x.c"}, kGit, "src");
  opens_objects(kGit);
  const ReadSet set = told();
  EXPECT_THAT(lines(set), ElementsAre("ref HEAD?", "content src/x.c"));
  EXPECT_EQ(find(set, ReadKind::kContent, "src/x.c")->digest, repo.oid("HEAD:src/x.c").str());
}

TEST_F(GitInTrace, RelativePathsAreSeenFromWhereGitRan) {
  git({"-C", "src", "blame", "x.c"}, kGit, "src");
  git({"show", "HEAD:./y.c"}, kGit + 1, "src");
  git({"log", "-p", "--", "../a.txt"}, kGit + 2, "src/deep");
  EXPECT_THAT(reads(),
              ElementsAre("ref HEAD?", "absence src/a.txt", "content src/x.c", "content src/y.c"));
}

TEST_F(GitInTrace, HistoryIsASoftRead) {
  git({"log", "--oneline", "-5"}, kGit);
  opens_objects(kGit);
  git({"branch", "-a"}, kGit + 1);
  git({"rev-parse", "HEAD"}, kGit + 2);
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?"));
}

TEST_F(GitInTrace, GrepReadsEverythingBelowWhereItSearched) {
  git({"grep", "-n", "foo"}, kGit, "src");
  add(Op::kOpenRead, "src/x.c", 0, kGit);
  EXPECT_THAT(reads(), ElementsAre("tree src"));
}

TEST_F(GitInTrace, GrepInAPathReadsThatPath) {
  git({"grep", "foo", "--", "src/*.c", "a.txt"}, kGit);
  git({"grep", "foo", "src/deep"}, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "tree src", "tree src/deep"));
}

TEST_F(GitInTrace, LsFilesReadsNamesAndNoContents) {
  git({"ls-files"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("listing .", "listing src", "listing src/deep"));
}

TEST_F(GitInTrace, DiffOfOwnChangesIsNoRead) {
  git({"diff", "a.txt"}, kGit);
  git({"diff", "HEAD", "--", "b.txt"}, kGit + 1);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(GitInFreshTrace, DiffAgainstAnotherRevisionReadsThePathsNamed) {
  repo.git({"tag", "v1"});
  git({"diff", "v1", "--", "a.txt"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "ref v1?"));
}

TEST_F(GitInTrace, WhatIsNotUnderstoodAndOpenedObjectsReadEverything) {
  git({"frobnicate"}, kGit);
  opens_objects(kGit);
  const ReadSet set = told();
  ASSERT_THAT(lines(set), ElementsAre("tree ."));
  EXPECT_EQ(find(set, ReadKind::kTree, "")->digest, repo.tree().str());
  EXPECT_EQ(find(set, ReadKind::kTree, "")->source, ReadSource::kCoarse);
}

TEST_F(GitInTrace, HelpersOfAnUnderstoodGitAreExplainedByIt) {
  git({"commit", "-m", "x"}, kGit);
  fork(kGit + 1, kGit);
  exec({"/usr/lib/git-core/git", "rev-list", "--objects"}, kGit + 1);
  add(Op::kOpenRead, ".git/HEAD", 0, kGit + 1);
  opens_objects(kGit + 1);
  add(Op::kStat, "a.txt", 0, kGit + 1);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(GitInTrace, AHookIsNotGit) {
  git({"commit", "-m", "x"}, kGit);
  fork(kGit + 1, kGit);
  exec({"/bin/sh", ".git/hooks/pre-commit"}, kGit + 1);
  add(Op::kOpenRead, "a.txt", 0, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(GitInTrace, AnAliasIsJudgedByWhatItRuns) {
  fork(kGit);
  exec({"git", "st"}, kGit);
  add(Op::kOpenRead, ".git/HEAD", 0, kGit);
  add(Op::kOpenRead, ".git/config", 0, kGit);
  fork(kGit + 1, kGit);
  exec({"git", "status"}, kGit + 1);
  add(Op::kOpenRead, ".git/HEAD", 0, kGit + 1);
  add(Op::kStat, "a.txt", 0, kGit + 1);
  opens_objects(kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?"));
}

TEST_F(GitInTrace, AScriptCalledGitIsAScript) {
  fork(kGit);
  Record& script = exec({repo.home() + "/bin/git", "status"}, kGit);
  script.path = repo.home() + "/bin/git";
  add(Op::kOpenRead, "/bin/sh", 0, kGit).path2 = "#!";
  add(Op::kOpenRead, "a.txt", 0, kGit);
  // Homes of scratch repositories are below /tmp, where nothing counts as a tool: use the tree's
  // side.
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(GitInTrace, GitInAnotherRepositoryReadsNothingHere) {
  fork(kGit);
  exec({"git", "-C", "/opt/other", "show", "HEAD:a.txt"}, kGit);
  add(Op::kStat, "/opt/other/.git", 0, kGit);
  add(Op::kOpenRead, "/opt/other/.git/HEAD", 0, kGit);
  add(Op::kOpenRead, "/opt/other/.git/objects/pack/p.pack", 0, kGit);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(GitInTrace, GitInThePersonsCheckoutReadsEverything) {
  fork(kGit);
  exec({"git", "-C", repo.path(), "log"}, kGit);
  add(Op::kOpenRead, repo.git_dir() + "/HEAD", 0, kGit);
  const ReadSet set = told();
  EXPECT_THAT(lines(set), ElementsAre("tree ."));
  EXPECT_THAT(set.notes, Contains(HasSubstr("another checkout")));
}

TEST_F(GitInTrace, FetchingFromTheTargetReadsNothing) {
  git({"fetch", "txn-target"}, kGit);
  fork(kGit + 1, kGit);
  exec({"/bin/sh", "-c", "git-upload-pack '/r'"}, kGit + 1);
  fork(kGit + 2, kGit + 1);
  exec({"git-upload-pack", repo.git_dir()}, kGit + 2);
  add(Op::kOpenRead, repo.git_dir() + "/HEAD", 0, kGit + 2);
  opens_objects(kGit + 2);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(GitInTrace, APushIsNoted) {
  git({"push", "origin", "main"}, kGit);
  EXPECT_THAT(told().notes, ElementsAre("the command tried to push: git push origin main"));
}

TEST_F(GitInTrace, AFileGitRestoredIsTheSnapshotsAgain) {
  overwrite("a.txt");
  read("a.txt");
  git({"checkout", "--", "a.txt"}, kGit);
  add(Op::kUnlink, "a.txt", 0, kGit);
  create("a.txt", O_WRONLY | O_EXCL, false, kGit);
  EXPECT_THAT(reads(), IsEmpty());
  fork(300);
  exec({"cat", "a.txt"}, 300);
  add(Op::kOpenRead, "a.txt", 0, 300);
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

// The agent merged the target's newer head: a.txt changed there, and new.txt came.
class MovedBase : public GitInFreshTrace {
 protected:
  void SetUp() override {
    repo.write("a.txt", "newer\n");
    repo.write("new.txt", "n\n");
    base = repo.commit("landed meanwhile");
    read("a.txt");
    absent("new.txt");
    git({"merge", "FETCH_HEAD"}, kGit);
    add(Op::kUnlink, "a.txt", 0, kGit);
    create("a.txt", O_WRONLY | O_EXCL, false, kGit);
    create("new.txt", O_WRONLY | O_EXCL, false, kGit);
  }
};

TEST_F(MovedBase, ReadsBeforeKeepTheOldSnapshotAndReadsAfterHaveTheNewOne) {
  fork(300);
  exec({"cat"}, 300);
  for (const char* path : {"a.txt", "new.txt", "b.txt"}) add(Op::kOpenRead, path, 0, 300);
  const ReadSet set = told();
  std::vector<std::string> texts;
  for (const Read& read : set.reads) {
    if (read.kind == ReadKind::kEnvironment) continue;
    texts.push_back(std::string(read_kind_name(read.kind)) + " " + read.subject +
                    (read.snapshot == base ? " new" : " old"));
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_THAT(texts, ElementsAre("absence new.txt old", "content a.txt new", "content a.txt old",
                                 "content b.txt old", "content new.txt new"));
}

TEST_F(MovedBase, ListingsAfterTheMoveAreCertifiedAgainstBoth) {
  add(Op::kList, "src");
  const ReadSet set = told();
  int listings = 0;
  for (const Read& read : set.reads) listings += read.kind == ReadKind::kListing;
  EXPECT_EQ(listings, 2);
}

TEST_F(MovedBase, AStateThatGitReplacedAgainCannotBeCertified) {
  add(Op::kOpenRead, "new.txt");
  git({"merge", "FETCH_HEAD"}, kGit + 1);
  add(Op::kUnlink, "new.txt", 0, kGit + 1);
  create("new.txt", O_WRONLY | O_EXCL, false, kGit + 1);
  const ReadSet set = told();
  const auto stale = std::find_if(set.reads.begin(), set.reads.end(), [](const Read& read) {
    return read.subject == "new.txt" && read.digest.starts_with(kUncommitted);
  });
  EXPECT_NE(stale, set.reads.end());
}

}  // namespace
}  // namespace gittxn::capture
