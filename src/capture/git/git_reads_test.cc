// git processes in a trace: what of them is an observation.
#include "capture/git/git_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "capture/testing/story.h"

namespace gittxn::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
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
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?"));
}

TEST_F(GitInTrace, ShowOfAPathIsAContentReadOfTheSnapshot) {
  git({"show", "HEAD:src/x.c"}, kGit, "src");
  opens_objects(kGit);
  const ReadSet set = told();
  EXPECT_THAT(lines(set), ElementsAre("content src/x.c"));
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

TEST_F(GitInTrace, ANameInAnyCaseIsAskedForByItself) {
  git({"ls-files", "--error-unmatch", "--", ":(icase).claude/settings.json"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("search ."));
  git({"ls-files", "--error-unmatch", "--", ":(icase)SRC/x.c"}, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("search .", "search .", "search src", "search src"));
  git({"ls-files", ":(icase)Src/DEEP"}, kGit + 2);
  EXPECT_THAT(reads(), Contains("listing src/deep"));
  git({"ls-files", ":(icase)s?c"}, kGit + 3);
  EXPECT_THAT(reads(), Contains("listing src"));
}

TEST_F(GitInTrace, DiffOfOwnChangesIsNoRead) {
  git({"diff", "a.txt"}, kGit);
  git({"diff", "HEAD", "--", "b.txt"}, kGit + 1);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(GitInFreshTrace, DiffAgainstAnotherRevisionReadsThePathsNamed) {
  repo.git({"tag", "v1"});
  git({"diff", "v1", "--", "a.txt"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "ref refs/tags/v1"));
}

TEST_F(GitInFreshTrace, AnotherBranchIsReadWithItsValue) {
  repo.git({"branch", "other"});
  const std::string value = repo.oid("other").str();
  repo.write("b.txt", "newer\n");
  snapshot = repo.commit("base");
  git({"show", "other:a.txt"}, kGit);
  git({"log", "main..other"}, kGit + 1);
  git({"checkout", "other", "--", "a.txt"}, kGit + 2);
  git({"merge", "-m", "other", "other"}, kGit + 3);
  const ReadSet set = told();
  ASSERT_THAT(lines(set), ElementsAre("ref HEAD?", "ref refs/heads/other"));
  EXPECT_EQ(find(set, ReadKind::kRef, "refs/heads/other")->digest, value);
}

TEST_F(GitInFreshTrace, WhatFollowsTheTargetIsItsHistory) {
  repo.git({"update-ref", "refs/remotes/origin/main", "HEAD"});
  repo.git({"update-ref", "refs/remotes/origin/topic", "HEAD"});
  git({"log", "origin/main..HEAD"}, kGit);
  git({"diff", "origin/main...HEAD"}, kGit + 1);
  git({"rebase", "origin/main"}, kGit + 2);
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?"));
  git({"log", "origin/topic"}, kGit + 3);
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?", "ref refs/remotes/origin/topic"));
}

TEST_F(GitInFreshTrace, ABranchOfTheTransactionsOwnIsNoRead) {
  repo.git({"branch", "mine"});
  add(Op::kRename, ".git/refs/heads/mine.lock", 0, kGit).path2 = at(".git/refs/heads/mine");
  git({"log", "mine"}, kGit + 1);
  EXPECT_THAT(reads(), Not(Contains(HasSubstr("mine"))));
}

TEST_F(GitInFreshTrace, ACommitByItsIdStaysWhatItIs) {
  const std::string first = snapshot.str();
  repo.write("b.txt", "newer\n");
  snapshot = repo.commit("base");
  git({"show", first}, kGit);
  git({"show", first.substr(0, 8) + ":a.txt"}, kGit + 1);
  EXPECT_THAT(reads(), IsEmpty());
  // A diff against the snapshot shows the present content.
  git({"show", snapshot.str().substr(0, 8) + ":a.txt"}, kGit + 2);
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
  // The differing files are shown as they are now.
  git({"diff", first, "HEAD"}, kGit + 3);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content b.txt"));
}

TEST_F(GitInFreshTrace, ADifferenceFromATagIsWhatDiffersAsItIsNow) {
  repo.git({"tag", "-a", "-m", "v1", "v1"});
  repo.write("b.txt", "newer\n");
  snapshot = repo.commit("base");
  git({"diff", "v1"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("content b.txt", "ref refs/tags/v1"));
  git({"diff", "v1...HEAD"}, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("content b.txt", "ref refs/tags/v1"));
}

TEST_F(GitInTrace, ADifferenceFromTheEmptyTreeIsEverything) {
  git({"diff", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "HEAD"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("tree ."));
}

TEST_F(GitInTrace, PathsOfRelativeRevisionsAreReads) {
  git({"show", "@{0}:a.txt"}, kGit);
  git({"show", "stash@{0}:b.txt"}, kGit + 1);
  git({"show", "HEAD~1:src/x.c"}, kGit + 2);
  EXPECT_THAT(reads(),
              ElementsAre("ref HEAD?", "content a.txt", "content b.txt", "content src/x.c"));
}

TEST_F(GitInTrace, AFileThatAnOptionNamesIsRead) {
  git({"commit", "-a", "-F", "../a.txt"}, kGit, "src");
  add(Op::kOpenRead, "src/../a.txt", 0, kGit);
  add(Op::kOpenRead, "b.txt", 0, kGit);  // its index
  git({"log"}, kGit + 1);
  add(Op::kOpenRead, ".mailmap", -ENOENT, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("absence .mailmap", "ref HEAD?", "content a.txt"));
}

TEST_F(GitInTrace, OneOfTheTransactionsOwnIsNoRead) {
  create("msg.txt", O_WRONLY | O_EXCL, false);
  git({"commit", "-a", "-F", "msg.txt"}, kGit);
  add(Op::kOpenRead, "msg.txt", 0, kGit);
  EXPECT_THAT(reads(), ElementsAre("absence msg.txt"));
}

TEST_F(GitInTrace, ForAnotherRepositoryTheFilesAreWhatAnyProgramsAre) {
  fork(kGit);
  exec({"git", "--git-dir=/opt/other/.git", "--work-tree=.", "add", "-A"}, kGit);
  add(Op::kOpenRead, "/opt/other/.git/HEAD", 0, kGit);
  add(Op::kOpenRead, "a.txt", 0, kGit);
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(GitInTrace, FilesPutElsewhereAreEverything) {
  git({"--work-tree=/opt/copy", "checkout", "HEAD", "--", "a.txt"}, kGit);
  add(Op::kOpenCreate, "/opt/copy/a.txt", 0, kGit).flags = O_CREAT | O_EXCL | O_WRONLY;
  EXPECT_THAT(reads(), ElementsAre("tree ."));
}

TEST_F(GitInTrace, ACloneOfTheWorktreeIsEverything) {
  fork(kGit);
  exec({"git", "clone", "-q", ".", "/opt/copy"}, kGit);
  add(Op::kOpenRead, ".git/HEAD", 0, kGit);
  fork(kGit + 1, kGit);
  exec({"git-upload-pack", at(".git")}, kGit + 1);
  add(Op::kOpenRead, ".git/HEAD", 0, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("tree ."));
}

TEST_F(GitInTrace, AFetchFromTheWorktreeIntoAnotherRepositoryIsEverything) {
  fork(kGit);
  exec({"git", "-C", "/opt/other", "fetch", tree()}, kGit);
  add(Op::kOpenRead, "/opt/other/.git/HEAD", 0, kGit);
  fork(kGit + 1, kGit);
  exec({"git-upload-pack", at(".git")}, kGit + 1);
  add(Op::kOpenRead, ".git/HEAD", 0, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("tree ."));
}

TEST_F(GitInTrace, APushThatSendsIsEverything) {
  git({"push", "--no-verify", "/opt/other.git"}, kGit);
  EXPECT_THAT(reads(), IsEmpty());
  fork(kGit + 1, kGit);
  exec({"git", "pack-objects", "--all-progress-implied", "--revs", "--stdout"}, kGit + 1);
  add(Op::kOpenRead, ".git/HEAD", 0, kGit + 1);
  EXPECT_THAT(reads(), ElementsAre("tree ."));
}

TEST_F(GitInTrace, ATreeThatIsMadeACommitIsNobodysToSee) {
  git({"write-tree"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("tree ."));
  git({"commit-tree", "-m", "x", std::string(40, '3')}, kGit + 1);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(GitInTrace, RemovingADirectoryReadsWhatIsInIt) {
  git({"rm", "-q", "-r", "src"}, kGit);
  EXPECT_THAT(reads(), ElementsAre("listing src", "listing src/deep"));
}

// The commands that agents run all day.
TEST_F(GitInTrace, LooksOfEveryDayReadNoFile) {
  int pid = kGit;
  for (const char* line : {"status",
                           "status --short",
                           "diff",
                           "diff --stat",
                           "diff --cached",
                           "diff HEAD",
                           "log -n 5",
                           "log --oneline -10",
                           "log -p -2",
                           "show",
                           "show --stat HEAD",
                           "add -A",
                           "commit -m x",
                           "rev-parse HEAD",
                           "rev-parse --abbrev-ref HEAD",
                           "branch --show-current",
                           "branch -a",
                           "worktree list",
                           "stash list",
                           "remote -v",
                           "describe --always",
                           "rev-list --count HEAD",
                           "merge-base HEAD main",
                           "diff main...HEAD",
                           "diff HEAD~1",
                           "show HEAD~1",
                           "log main..HEAD",
                           "reflog",
                           "tag"}) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; in >> word;) words.push_back(word);
    git(words, pid);
    for (const char* path : {"a.txt", "src/x.c"}) add(Op::kStat, path, 0, pid);
    opens_objects(pid++);
  }
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?"));
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

// What somebody wrote again as it was has no edit for a merge to keep, and was said all the same.
TEST_F(GitInFreshTrace, AMergeOverWhatWasWrittenAgainUnchangedIsNotedAgainstTheSnapshot) {
  repo.write("a.txt", "newer\n");
  base = repo.commit("landed meanwhile");
  overwrite("a.txt");
  git({"merge", "FETCH_HEAD"}, kGit);
  add(Op::kUnlink, "a.txt", 0, kGit);
  create("a.txt", O_WRONLY | O_EXCL, false, kGit);
  const ReadSet set = told();
  const Read* found = find(set, ReadKind::kContent, "a.txt");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->snapshot, snapshot);
}

// A reset throws it away, whatever it was.
TEST_F(GitInFreshTrace, AResetOverWhatWasWrittenIsNot) {
  repo.write("a.txt", "newer\n");
  base = repo.commit("landed meanwhile");
  overwrite("a.txt");
  git({"reset", "--hard", "FETCH_HEAD"}, kGit);
  add(Op::kUnlink, "a.txt", 0, kGit);
  create("a.txt", O_WRONLY | O_EXCL, false, kGit);
  EXPECT_EQ(find(told(), ReadKind::kContent, "a.txt"), nullptr);
}

}  // namespace
}  // namespace gittxn::capture
