// Shared checkouts that are grown from one of another commit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/bug.h"
#include "repo/testing/place.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo {
namespace {

using testing::missing;
using testing::must;
using testing::Place;
using testing::ScratchRepo;
using testing::some_repo;

class Grown : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = missing(overlay_marks()); !why.empty()) GTEST_SKIP() << why;
    first_.emplace(repo_, WorktreeKind::kOverlay, "first", overlay_marks());
  }
  // A worktree of the head.
  Place& next() { return next_.emplace(repo_, WorktreeKind::kOverlay, "next", overlay_marks()); }
  static struct stat stat_of(const Place& place, const std::string& path) {
    struct stat info{};
    EXPECT_EQ(::lstat((place.worktree().shared + "/" + path).c_str(), &info), 0) << path;
    return info;
  }
  bool one_file(const std::string& path) {
    return stat_of(*first_, path).st_ino == stat_of(*next_, path).st_ino;
  }
  // The entries by name, kind, mode and bytes.
  std::string listing(const std::string& tree) {
    Command command;
    command.argv = {"sh", "-c",
                    "find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | sort; "
                    "find . -path ./.git -prune -o -type f -print | sort | xargs cat"};
    command.cwd = tree;
    command.env = repo_.env();
    return must(run(command)).out;
  }

  ScratchRepo repo_ = some_repo();
  std::optional<Place> first_, next_;
};

TEST_F(Grown, WhatIsTheSameIsOneFileAndTheRestIsWhatGitWrites) {
  repo_.write("src/a.txt", "changed\n");
  repo_.write("src/new/n.txt", "new\n");
  repo_.write("lib/run", "#!/bin/sh\n", 0644);
  repo_.git({"rm", "-q", "src/b.txt", "src/deep/c.txt"});
  repo_.write("src/deep", "a file now\n");
  repo_.commit("second");
  next();
  for (const char* same : {"README", "lib/d.txt", "docs/link"}) EXPECT_TRUE(one_file(same)) << same;
  for (const char* changed : {"src/a.txt", "lib/run"}) EXPECT_FALSE(one_file(changed)) << changed;
  const std::string plain = repo_.root() + "/plain";
  repo_.git({"worktree", "add", "-q", "--detach", plain});
  must(remove_file(plain + "/.git"));
  must(make_dirs(plain + "/.git", 0755));
  EXPECT_EQ(listing(next_->worktree().shared), listing(plain));
  EXPECT_EQ(next_->sh("git status --porcelain; git write-tree"), repo_.tree().str() + "\n");
  EXPECT_EQ(next_->sh("git diff-files"), "") << "seen to be clean without reading them";
  EXPECT_EQ(first_->sh("git diff-files; cat src/a.txt src/b.txt"), "a\nb\n") << "as it was";
}

TEST_F(Grown, ARuleThatChangedIsFollowedForEveryFile) {
  repo_.write(".gitattributes", "*.txt text eol=crlf\n");
  repo_.commit("second");
  next();
  EXPECT_EQ(must(read_file(next_->worktree().shared + "/src/a.txt")), "a\r\n");
  EXPECT_EQ(first_->sh("cat src/a.txt"), "a\n");
}

#ifdef GIT_TXN_BUGS
TEST_F(Grown, ARuleThatIsNotFollowedWouldBeNoticed) {
  repo_.write(".gitattributes", "*.txt text eol=crlf\n");
  repo_.commit("second");
  arm_bug("shared.grown_by_old_rules");
  next();
  arm_bug("");
  EXPECT_EQ(must(read_file(next_->worktree().shared + "/src/a.txt")), "a\n");
}
#endif

TEST_F(Grown, AFileThatSomebodyChangedIsNotPassedOn) {
  const std::string file = first_->worktree().shared + "/README";
  must(write_file(file, "tampered\n", Sync::kNo));
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  next();
  EXPECT_EQ(must(read_file(next_->worktree().shared + "/README")), "hello\n");
  EXPECT_EQ(next_->sh("git status --porcelain; cat src/a.txt"), "changed\n");
}

TEST_F(Grown, IsWholeWhenTheOlderOneIsGone) {
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  next();
  must(remove_tree(parent_dir(first_->worktree().shared)));
  EXPECT_EQ(next_->sh("git diff-files; cat README src/a.txt src/b.txt"), "hello\nchanged\nb\n");
  EXPECT_EQ(stat_of(*next_, "README").st_nlink, 1u);
}

TEST_F(Grown, AWriteInOneWorktreeReachesNoOther) {
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  next();
  next_->sh("echo mine >>README; chmod 600 lib/d.txt; rm src/b.txt");
  EXPECT_EQ(first_->sh("cat README; git status --porcelain"), "hello\n");
  EXPECT_EQ(listing(first_->worktree().shared + "/lib"),
            listing(next_->worktree().shared + "/lib"));
}

}  // namespace
}  // namespace gittxn::repo
