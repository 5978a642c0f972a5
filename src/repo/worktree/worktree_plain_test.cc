// Plain files out of an overlay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "repo/testing/place.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::Place;
using testing::ScratchRepo;
using testing::some_repo;

class PlainFiles : public testing::OverlayTest {};
INSTANTIATE_TEST_SUITE_P(Marks, PlainFiles,
                         ::testing::Values(OverlayMarks::kTrusted, OverlayMarks::kUser),
                         [](const auto& test) {
                           return test.param == OverlayMarks::kUser ? "User" : "Trusted";
                         });

constexpr std::string_view kSomeWork =
    "echo new >src/new.txt; rm src/b.txt; mv lib library 2>/dev/null; echo more >>README\n"
    "chmod +x src/a.txt; ln -s a.txt src/link; git add src/new.txt; echo out >build.log\n";

TEST_P(PlainFiles, AreWhatWasInIt) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  place.sh(std::string(kSomeWork));
  const std::string look =
      "git status --porcelain; git ls-files -s; find . -path ./.git -prune -o -printf '%p %m "
      "%l\\n' "
      "| sort; cat README build.log";
  const std::string before = place.sh(look);
  const Taken taken = place.take_all();
  const Worktree plain = must(make_plain(place.worktree()));
  EXPECT_EQ(plain.kind, WorktreeKind::kPlain);
  EXPECT_EQ(must(find_worktree(plain.path)).kind, WorktreeKind::kPlain);
  place.use(plain);
  EXPECT_EQ(place.sh(look), before);
  EXPECT_EQ(must(read_file(plain.tree + "/src/new.txt")), "new\n") << "without a mount";
  EXPECT_FALSE(must(exists(plain.path + "/upper")));
  EXPECT_EQ(place.take_all().tree, taken.tree);
  must(write_file(plain.tree + "/src/editor.txt", "mine\n", Sync::kNo));
  EXPECT_EQ(place.take_all().changes.size(), taken.changes.size() + 1);
  EXPECT_EQ(must(make_plain(plain)).tree, plain.tree);
  must(remove_worktree(plain.path));
}

TEST_P(PlainFiles, AreSeenToBeCleanWithoutReadingThem) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  const Worktree plain = must(make_plain(place.worktree()));
  place.use(plain);
  for (const std::string& file : {plain.tree + "/.git/index", plain.path + "/index"}) {
    const IndexFile index = must(IndexFile::parse(must(read_file(file))));
    for (const IndexEntry& entry : index.entries()) {
      struct stat info{};
      ASSERT_EQ(::lstat((plain.tree + "/" + std::string(index.path(entry))).c_str(), &info), 0);
      EXPECT_TRUE(index.stat_matches(entry, info)) << file << ": " << index.path(entry);
    }
  }
}

TEST_P(PlainFiles, AreNotMadeWhileSomebodyIsInside) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  {
    const Mount mount = must(Mount::open(place.worktree()));
    const auto plain = make_plain(place.worktree());
    ASSERT_FALSE(plain);
    EXPECT_EQ(plain.error().code, Code::kBusy);
  }
  place.wait_for_holder();
  must(make_plain(place.worktree()));
}

TEST_P(PlainFiles, MayBeKilledAnywhereInTheMaking) {
  for (const std::string point :
       {"worktree.plain_copied", "worktree.plain_exchanged", "worktree.plain_marked"}) {
    ScratchRepo repo = some_repo();
    Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
    place.sh(std::string(kSomeWork));
    const Taken taken = place.take_all();
    const pid_t pid = ::fork();
    if (pid == 0) {
      must(Failpoint::arm(point));
      static_cast<void>(make_plain(place.worktree()));
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status)) << point;
    place.use(must(find_worktree(place.worktree().path)));
    EXPECT_EQ(place.sh("cat src/new.txt; ls src/b.txt 2>&1 | wc -l"), "new\n1\n") << point;
    EXPECT_EQ(place.take_all().tree, taken.tree) << point;
    place.wait_for_holder();
    place.use(must(make_plain(place.worktree())));
    EXPECT_EQ(must(read_file(place.worktree().tree + "/src/new.txt")), "new\n") << point;
    EXPECT_EQ(place.take_all().tree, taken.tree) << point;
  }
}

}  // namespace
}  // namespace gittxn::repo
