// Reads outside of the worktree: links as they were, other checkouts, the worktrees of other
// transactions, servers and pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/bug.h"
#include "capture/testing/story.h"

namespace gittxn::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using ::testing::Not;
using testing::Story;

class InterpretOutside : public ::testing::Test, public Story {};

class InterpretOutsideFresh : public ::testing::Test, public Story {
 protected:
  InterpretOutsideFresh() : Story(Repo::kFresh) {}
};

// Links as they were when they were used (outside_links.h). Each is gone or leads elsewhere
// on the disk.

TEST_F(InterpretOutside, ALinkOutsideThatIsGoneAtTheEnd) {
  add(Op::kSymlink, root() + "/way").path2 = at("a.txt");
  read(root() + "/way");
  add(Op::kUnlink, root() + "/way").mode = S_IFLNK | 0777;
  add(Op::kSymlink, root() + "/dir").path2 = at("src");
  read(root() + "/dir/deep/../x.c");
  add(Op::kUnlink, root() + "/dir").mode = S_IFLNK | 0777;
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content src/x.c"));
}

TEST_F(InterpretOutside, ALinkOutsideThatLeadsElsewhereAtTheEnd) {
  must(make_dirs(tree()));
  const std::string way = root() + "/way";
  ASSERT_EQ(::symlink(at("src/y.c").c_str(), way.c_str()), 0);
  add(Op::kOpenRead, way, -ENOENT);
  add(Op::kSymlink, way).path2 = at("a.txt");
  read(way);
  add(Op::kSymlink, root() + "/new").path2 = at("b.txt");
  Record& over = rename(root() + "/new", way);
  over.mode = S_IFLNK | 0777;
  read(way);
  add(Op::kUnlink, way).mode = S_IFLNK | 0777;
  add(Op::kSymlink, way).path2 = at("src/y.c");
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content b.txt"));
}

TEST_F(InterpretOutside, ALinkOutsideThatWasThereBeforeTheCommand) {
  const std::string way = root() + "/way";
  read(way);
  add(Op::kWasLink, way).path2 = "wt/tree/src";
  add(Op::kUnlink, way).mode = S_IFLNK | 0777;
  read(root() + "/second/x.c");
  add(Op::kWasLink, root() + "/second").path2 = at("src");
  rename(root() + "/second", root() + "/third").mode = S_IFLNK | 0777;
  read(root() + "/third/y.c");
  add(Op::kWasLink, root() + "/third").path2 = at("src");
  add(Op::kUnlink, root() + "/third").mode = S_IFLNK | 0777;
  EXPECT_THAT(reads(), ElementsAre("metadata src", "content src/x.c", "content src/y.c"));
}

TEST_F(InterpretOutside, ALinkInADirectoryThatWasMoved) {
  const std::string links = root() + "/links";
  read(links + "/way");
  rename(links, root() + "/moved").mode = S_IFDIR | 0755;
  read(root() + "/moved/way");
  must(make_dirs(root() + "/moved"));
  must(make_dirs(tree()));
  ASSERT_EQ(::symlink(at("a.txt").c_str(), (root() + "/moved/way").c_str()), 0);
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(InterpretOutside, ALinkOutsideOfWhichNobodyKnowsWhereItLed) {
  const std::string way = root() + "/way";
  read(way);
  Record& look = add(Op::kStat, way);
  look.nofollow = true;
  look.mode = S_IFLNK | 0777;
  EXPECT_TRUE(told().unknown_reason.ends_with(way)) << told().unknown_reason;
}

TEST_F(InterpretOutside, ALinkOutsideOfWhichNobodyKnowsWhereItLedBeforeItWasMadeAnew) {
  const std::string way = root() + "/way";
  must(make_dirs(tree()));
  ASSERT_EQ(::symlink(at("a.txt").c_str(), way.c_str()), 0);
  read(way);
  Record& look = add(Op::kStat, way);
  look.nofollow = true;
  look.mode = S_IFLNK | 0777;
  add(Op::kUnlink, way);
  add(Op::kSymlink, way).path2 = at("a.txt");
  EXPECT_TRUE(told().unknown_reason.ends_with(way)) << told().unknown_reason;
}

TEST_F(InterpretOutside, ARemovalOfALinkOutsideThatWasOnlyPredicted) {
  const std::string way = root() + "/way";
  must(make_dirs(tree()));
  ASSERT_EQ(::symlink(at("a.txt").c_str(), way.c_str()), 0);
  Record& refused = add(Op::kUnlink, way);
  refused.mode = S_IFLNK | 0777;
  refused.assumed = refused.predicted = true;
  read(way);
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
}

TEST_F(InterpretOutsideFresh, GitReadsAFileThereBecauseItWasToldTo) {
  repo.write("a.txt", "typed by a person\n");
  SystemClock().sleep_ms(20);  // what changes in the tick in which a trace begins has changed since
  git({"hash-object", repo.file("a.txt")}, 101);
  add(Op::kOpenRead, repo.file("a.txt"), 0, 101);
  git({"diff", "--no-index", repo.file("b.txt"), "src/x.c"}, 102);
  add(Op::kStat, repo.file("b.txt"), 0, 102);
  add(Op::kOpenRead, repo.file("b.txt"), 0, 102);
  const ReadSet set = told();
  EXPECT_EQ(find(set, ReadKind::kContent, "a.txt")->digest,
            std::string(kUncommitted) + repo.git({"hash-object", "a.txt"}));
  EXPECT_NE(find(set, ReadKind::kContent, "b.txt"), nullptr);
  EXPECT_EQ(find(set, ReadKind::kMetadata, "b.txt"), nullptr) << "only what it opens";
}

TEST_F(InterpretOutsideFresh, TheStandardInputIsReadWhereTheRepositoryHasIt) {
  repo.write("a.txt", "typed by a person\n");
  repo.write("prompt.txt", "fix it\n");
  for (const char* name : {"a.txt", "b.txt", "prompt.txt"}) {
    add(Op::kOpenRead, repo.file(name), 0, 0).path2 = kGiven;
  }
  const ReadSet set = told();
  EXPECT_THAT(lines(set), ElementsAre("content a.txt", "content b.txt"));
  EXPECT_THAT(find(set, ReadKind::kContent, "a.txt")->digest, HasSubstr(kUncommitted));
}

// The worktrees of other transactions.

class InterpretOtherTxn : public InterpretOutsideFresh {
 protected:
  InterpretOtherTxn() {
    transactions = root();
    write_other("a.txt", "not landed\n");
    write_other("b.txt", "b\n");
    SystemClock().sleep_ms(20);
  }
  std::string other(const std::string& path) const { return root() + "/t-2/1/tree/" + path; }
  void write_other(const std::string& path, const std::string& bytes) {
    must(make_dirs(parent_dir(other(path))));
    must(write_file(other(path), bytes, Sync::kNo));
  }
};

// A conversation that was begun in another transaction may write where that one worked.
TEST_F(InterpretOtherTxn, AWriteThereIsToldOf) {
  create(other("a.txt"), O_WRONLY | O_TRUNC, true);
  const auto notes = told().notes;
  EXPECT_THAT(
      notes,
      Contains(HasSubstr("wrote 'a.txt' in the worktree of t-2, which does not land from here")));
  EXPECT_THAT(notes, Not(Contains(HasSubstr("looked into")))) << "it has not read there";
}

TEST_F(InterpretOtherTxn, WhatItHasNotLandedIsUncommitted) {
  read(other("a.txt"));
  read(other("b.txt"));
  read(root() + "/t-2/1/upper/a.txt");
  read(root() + "/wt/children/1/tree/src/x.c");
  read(root() + "/t-2/1/trace.1");
  const ReadSet set = told();
  EXPECT_THAT(find(set, ReadKind::kContent, "a.txt")->digest, HasSubstr(kUncommitted));
  EXPECT_EQ(find(set, ReadKind::kContent, "b.txt")->digest, repo.git({"hash-object", "b.txt"}));
  EXPECT_EQ(find(set, ReadKind::kContent, "src/x.c"), nullptr) << "a sub-agent's is our own";
  EXPECT_THAT(set.notes, Contains(HasSubstr("the worktree of t-2")));
}

TEST_F(InterpretOtherTxn, ItsNamesAreUncommittedWhereTheyAreOthers) {
  write_other("src/x.c", "x\n");
  write_other("src/y.c", "y\n");
  write_other("src/deep/z.c", "z\n");
  ASSERT_EQ(::symlink("../b.txt", other("src/up").c_str()), 0);
  add(Op::kList, other("src"));
  EXPECT_THAT(find(told(), ReadKind::kListing, "src")->digest, Not(HasSubstr(kUncommitted)));
  write_other("src/new.c", "n\n");
  EXPECT_THAT(find(told(), ReadKind::kListing, "src")->digest, HasSubstr(kUncommitted));
  ignored = [](const std::string& path) { return path == "src/new.c"; };
  EXPECT_THAT(find(told(), ReadKind::kListing, "src")->digest, Not(HasSubstr(kUncommitted)));
}

TEST_F(InterpretOtherTxn, AGitThatWorksThereSawWhatHasNotLanded) {
  fork(101);
  exec({"git", "-C", other(""), "diff"}, 101);
  add(Op::kOpenRead, other(".git/HEAD"), 0, 101);
  add(Op::kOpenRead, other("a.txt"), 0, 101);
  const ReadSet set = told();
  EXPECT_TRUE(std::ranges::any_of(set.reads, [](const Read& read) {
    return read.kind == ReadKind::kTree && read.digest.starts_with(kUncommitted);
  }));
}

TEST_F(InterpretOutside, AServerThatTheCommandDidNotStartIsADaemon) {
  create(root() + "/own.sock", O_EXCL, false).path2 = "bind";
  rename(root() + "/own.sock", root() + "/renamed.sock");
  add(Op::kConnect, "unix:" + root() + "/renamed.sock");
  EXPECT_TRUE(told().complete);
  add(Op::kConnect, "unix:" + root() + "/another.sock");
  EXPECT_THAT(told().unknown_reason, HasSubstr("another.sock"));
}

TEST_F(InterpretOutside, APipeThatTheCommandDidNotMakeWasFilledByAnother) {
  const auto open_pipe = [this](const std::string& path) { read(path).mode = S_IFIFO | 0644; };
  create(root() + "/own", O_EXCL, false).path2 = "mknodat";
  open_pipe(root() + "/own");
  create("in-tree", O_EXCL, false).path2 = "mknod";
  open_pipe("in-tree");
  open_pipe("/proc/self/fd/3");
  open_pipe("/tmp/GMfifo1234");
  add(Op::kOpenWrite, root() + "/out").mode = S_IFIFO | 0644;
  EXPECT_TRUE(told().complete) << told().unknown_reason;
  open_pipe(root() + "/fed");
  EXPECT_THAT(told().unknown_reason, HasSubstr("/fed"));
}

// Tools, ignored files, and what is of the same repository.

TEST_F(InterpretOutside, ToolsAreDigestedAndNotRead) {
  exec({"/bin/sh", "-c", "true"});
  read("/etc/passwd");
  read(repo.home() + "/notes");
  read("/proc/self/status");
  const ReadSet with_sh = told();
  EXPECT_THAT(lines(with_sh), IsEmpty());
  EXPECT_EQ(with_sh.tool_env_digest, told().tool_env_digest) << "the second comes from the cache";
  exec({"/bin/ls"});
  EXPECT_NE(told().tool_env_digest, with_sh.tool_env_digest);
}

TEST_F(InterpretOutside, IgnoredFilesAreEnvironment) {
  must(make_dirs(at("node_modules/m")));
  must(write_file(at("node_modules/m/index.js"), "1", Sync::kNo));
  std::vector<std::string> asked;
  ignored = [&](const std::string& path) {
    asked.push_back(path);
    return path.starts_with("node_modules/");
  };
  const Digest without = told().tool_env_digest;
  read("node_modules/m/index.js");
  read("node_modules/m/other.js");
  const ReadSet set = told();
  EXPECT_THAT(lines(set), IsEmpty());
  EXPECT_NE(set.tool_env_digest, without);
  EXPECT_THAT(asked, ElementsAre("node_modules/m/index.js", "node_modules/m/other.js"));
  must(write_file(at("node_modules/m/index.js"), "2", Sync::kNo));
  EXPECT_NE(told().tool_env_digest, set.tool_env_digest);
}

TEST_F(InterpretOutside, ThePersonsCheckoutIsTheSameRepository) {
  read(repo.file("a.txt"));
  stat(repo.file("src"));
  add(Op::kList, repo.file("src"));
  absent(repo.file("nothing"));
  EXPECT_THAT(reads(),
              ElementsAre("content a.txt", "absence nothing", "metadata src", "listing src"));
}

TEST_F(InterpretOutsideFresh, UncommittedBytesThereHaveTheDigestOfWhatWasSeen) {
  repo.write("a.txt", "typed by a person\n");
  repo.write("untracked.txt", "u\n");
  read(repo.file("a.txt"));
  read(repo.file("untracked.txt"));
  add(Op::kStat, repo.file("b.txt"), -ENOENT);
  const ReadSet set = told();
  EXPECT_EQ(find(set, ReadKind::kContent, "a.txt")->digest,
            std::string(kUncommitted) + repo.git({"hash-object", "a.txt"}));
  EXPECT_THAT(find(set, ReadKind::kContent, "untracked.txt")->digest, HasSubstr(kUncommitted));
  EXPECT_EQ(find(set, ReadKind::kAbsence, "b.txt")->digest, kUncommitted);
}

TEST_F(InterpretOutside, AWriteIntoThePersonsCheckoutIsReported) {
  create(repo.file("a.txt"), O_WRONLY | O_TRUNC, true);
  EXPECT_THAT(told().notes, Contains(HasSubstr("wrote 'a.txt' in another checkout")));
}

TEST_F(InterpretOutside, AnotherProgramInTheObjectStoreReadEverything) {
  exec({"prompt"});
  opens_objects(kAgent);
  const ReadSet set = told();
  ASSERT_THAT(lines(set), ElementsAre("tree ."));
  EXPECT_EQ(set.reads[0].source, ReadSource::kCoarse);
}

TEST_F(InterpretOutside, AnotherProgramInTheGitDirectory) {
  exec({"cat", ".git/HEAD"});
  read(".git/HEAD");
  read(".git/config");
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?"));
  read(".git/index");
  EXPECT_THAT(reads(), ElementsAre("tree .", "ref HEAD?"));
}

// find and grep -r open directories like this: with their type, and with the flag alone.
TEST_F(InterpretOutside, AWalkThroughTheGitDirectoryReadsNoReference) {
  exec({"walk", "."});
  for (const char* directory : {".git", ".git/refs", ".git/refs/heads", ".git/logs/refs"}) {
    add(Op::kOpenRead, directory).mode = S_IFDIR | 0755;
    add(Op::kList, directory);
  }
  Record& untold = add(Op::kOpenRead, ".git/refs/tags");
  untold.mode = 0;
  untold.flags = O_DIRECTORY;
  stat(".git/refs/heads/main");
  EXPECT_THAT(reads(), ElementsAre());
  read(".git/refs/heads/main");
  EXPECT_THAT(reads(), ElementsAre("ref HEAD?"));
#ifdef GIT_TXN_BUGS
  arm_bug("interpret.git_files_are_directories");
  EXPECT_THAT(reads(), ElementsAre()) << "the bug is noticed above";
  arm_bug("");
#endif
}

}  // namespace
}  // namespace gittxn::capture
