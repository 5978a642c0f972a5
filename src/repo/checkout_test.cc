// The person's checkout under a landing that goes well, one that has to wait, and a person who
// saves in the middle of it.
#include "repo/checkout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "repo/testing/landing.h"

namespace gittxn::repo {
namespace {

using testing::Edits;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Landing;
using testing::must;
using testing::NewFile;
using testing::ScratchRepo;
using testing::Victim;

ScratchRepo checkout_repo(std::vector<std::string> init = {}) {
  ScratchRepo repo(std::move(init));
  for (const char* name : {"a.txt", "b.txt", "c.txt", "dir/d.txt", "dir/sub/e.txt"}) {
    repo.write(name, std::string("old ") + name + "\n");
  }
  repo.write("run.sh", "#!/bin/sh\n", 0755);
  repo.write(".gitignore", "*.log\n");
  repo.commit("first");
  return repo;
}

Edits some_edits() {
  return {{"a.txt", NewFile{"new a\n"}},
          {"b.txt", NewFile{"new b\n"}},
          {"dir/d.txt", NewFile{"new d\n"}},
          {"added/deep/file", NewFile{"added\n"}},
          {"dir/sub/e.txt", std::nullopt}};
}

std::string read(const ScratchRepo& repo, const std::string& name) {
  return must(read_file(repo.file(name)));
}

// The checkout is exactly the new commit, nothing is locked, staged or racy.
void expect_landed(const ScratchRepo& repo, const Landing& landing) {
  EXPECT_EQ(repo.head(), landing.move().new_commit);
  EXPECT_EQ(repo.git({"diff-files", "--name-only"}), "") << "stat data of moved files is missing";
  EXPECT_EQ(repo.git({"status", "--porcelain"}), "");
  EXPECT_FALSE(must(exists(repo.git_dir() + "/index.lock")));
  EXPECT_FALSE(must(exists(landing.staging() + "/new")));
  EXPECT_EQ(repo.git({"fsck", "--no-dangling"}), "");
}

TEST(CheckoutMove, TravelsAsJson) {
  CheckoutMove move;
  move.place = {"/w\xff", "/w/.git", RefName("refs/heads/main")};
  move.old_commit = Oid(std::string(40, 'a'));
  move.new_commit = Oid(std::string(40, 'b'));
  move.files.push_back({"odd\n\xfe", {}, {FileMode::kLink, Oid(std::string(40, 'c'))}});
  const CheckoutMove again =
      must(checkout_move_from_json(must(parse_json(dump_json(to_json(move))))));
  EXPECT_EQ(again.place.worktree, move.place.worktree);
  EXPECT_EQ(again.place.branch, move.place.branch);
  EXPECT_EQ(again.new_commit, move.new_commit);
  EXPECT_EQ(again.files, move.files);
  EXPECT_FALSE(checkout_move_from_json(Json::object()));
}

TEST(Checkout, MovesEveryKindOfChange) {
  const ScratchRepo repo = checkout_repo();
  ::symlink("a.txt", repo.file("link").c_str());
  repo.write("was-file", "x");
  repo.write("was-dir/inner", "x");
  repo.commit("more");
  Edits edits = some_edits();
  edits["run.sh"] = NewFile{"#!/bin/sh\n", FileMode::kFile};
  edits["c.txt"] = NewFile{"old c.txt\n", FileMode::kExecutable};
  edits["link"] = NewFile{"b.txt", FileMode::kLink};
  edits["new-link"] = NewFile{"/nowhere", FileMode::kLink};
  edits["was-file"] = std::nullopt;
  edits["was-file/now-dir"] = NewFile{"y"};
  edits["was-dir/inner"] = std::nullopt;
  edits["was-dir"] = NewFile{"y"};
  edits["odd\nname \xff"] = NewFile{"y"};
  Landing landing(repo, edits);
  EXPECT_EQ(landing.blocked(), "");
  EXPECT_THAT(landing.land().left_to_person, IsEmpty());
  expect_landed(repo, landing);
  EXPECT_EQ(read(repo, "a.txt"), "new a\n");
  EXPECT_EQ(read(repo, "added/deep/file"), "added\n");
  EXPECT_FALSE(must(exists(repo.file("dir/sub")))) << "an emptied directory goes";
  EXPECT_EQ(must(read_link(repo.file("link"))), "b.txt");
  EXPECT_THAT(must(find_late_saves(landing.move().place)), IsEmpty());
}

TEST(Checkout, LeavesEverythingElseAlone) {
  const ScratchRepo repo = checkout_repo();
  repo.write("c.txt", "unsaved thought\n");
  repo.write("run.sh", "staged\n", 0755);
  repo.git({"add", "run.sh"});
  repo.write("run.sh", "and edited\n", 0755);
  repo.write("mine.txt", "untracked\n");
  repo.write("dir/sub/mine.log", "ignored, in a directory that is emptied\n");
  Landing landing(repo, some_edits());
  EXPECT_EQ(landing.blocked(), "");
  landing.land();
  EXPECT_EQ(repo.git({"status", "--porcelain"}), " M c.txt\nMM run.sh\n?? mine.txt");
  EXPECT_EQ(read(repo, "c.txt"), "unsaved thought\n");
  EXPECT_EQ(read(repo, "run.sh"), "and edited\n");
  EXPECT_EQ(repo.git({"show", ":run.sh"}), "staged");
  EXPECT_TRUE(must(exists(repo.file("dir/sub/mine.log"))));
}

struct Obstacle {
  std::string what;    // a shell line in the checkout
  std::string reason;  // of the block; empty: none
  std::string path;
};

TEST(Checkout, WaitsForThePerson) {
  int number = 0;
  for (const Obstacle& obstacle : std::vector<Obstacle>{
           {"echo mine >a.txt", "uncommitted edits", "a.txt"},
           {"echo mine >a.txt; git add a.txt", "staged edits", "a.txt"},
           {"echo mine >a.txt; git add a.txt; echo 'old a.txt' >a.txt", "staged edits", "a.txt"},
           {"rm a.txt", "uncommitted edits", "a.txt"},
           {"git rm -q --cached b.txt", "staged edits", "b.txt"},
           {"rm dir/sub/e.txt; mkdir dir/sub/e.txt", "uncommitted edits", "dir/sub/e.txt"},
           {"chmod +x a.txt", "uncommitted edits", "a.txt"},
           {"rm a.txt; ln -s b.txt a.txt", "uncommitted edits", "a.txt"},
           {"mv dir real; ln -s real dir", "uncommitted edits", "dir/d.txt"},
           {"mkdir -p added/deep; echo mine >added/deep/file", "untracked file in the way",
            "added/deep/file"},
           {"echo mine >added", "untracked file in the way", "added"},
           {"mkdir -p added/deep/file; echo x >added/deep/file/mine", "untracked file in the way",
            "added/deep/file/mine"},
           {"mkdir -p added/deep/file/empty", "", ""},
           {"mkdir -p added/deep; echo x >added/deep/file; git add added", "staged edits",
            "added/deep/file"},
           {"git update-index --assume-unchanged a.txt; echo mine >a.txt",
            "assume-unchanged entry differs", "a.txt"},
           {"git update-index --assume-unchanged a.txt", "", ""},
           {"git update-index --skip-worktree b.txt; echo mine >b.txt",
            "skip-worktree entry differs", "b.txt"},
           {"git update-index --skip-worktree b.txt", "", ""},
           {": >.git/MERGE_HEAD", "merge in progress", ""},
           {": >.git/CHERRY_PICK_HEAD", "cherry-pick in progress", ""},
           {"mkdir .git/rebase-merge", "rebase in progress", ""},
           {": >.git/index.lock", "index.lock held", ""},
           {"touch a.txt b.txt", "", ""},
           {"git update-index --split-index; touch b.txt", "", ""},
           {"git add -N nothing 2>/dev/null; echo x >other; git add other", "", ""},
       }) {
    const ScratchRepo repo = checkout_repo();
    const std::string odd = "t-" + std::to_string(number++);
    Landing landing(repo, some_edits(), odd);
    Command command;
    command.argv = {"sh", "-c", obstacle.what};
    command.cwd = repo.path();
    command.env = testing::test_environment(repo.home());
    ASSERT_EQ(must(gittxn::run(command)).exit.status, 0) << obstacle.what;
    const std::string before = must(read_file(repo.git_dir() + "/index"));
    const auto block = must(probe_checkout(landing.repository(), landing.move()));
    EXPECT_EQ(block ? wait_words(block->reason) : "", obstacle.reason) << obstacle.what;
    if (block && !obstacle.path.empty()) {
      EXPECT_EQ(block->path, obstacle.path) << obstacle.what;
    }
    EXPECT_EQ(must(read_file(repo.git_dir() + "/index")), before) << obstacle.what;
    if (block) continue;
    EXPECT_THAT(landing.land().left_to_person, IsEmpty()) << obstacle.what;
    EXPECT_EQ(read(repo, "a.txt"), "new a\n") << obstacle.what;
    EXPECT_EQ(repo.git({"diff", "--name-only"}), "") << obstacle.what;
  }
}

TEST(Checkout, FlagsOfThePersonStay) {
  const ScratchRepo repo = checkout_repo();
  repo.git({"update-index", "--assume-unchanged", "a.txt"});
  repo.git({"update-index", "--skip-worktree", "b.txt"});
  Landing landing(repo, some_edits());
  landing.land();
  EXPECT_THAT(repo.git({"ls-files", "-v", "a.txt", "b.txt"}), "h a.txt\nS b.txt");
  EXPECT_EQ(read(repo, "b.txt"), "new b\n");
}

TEST(Checkout, NotOnTheBranchAnyMore) {
  const ScratchRepo repo = checkout_repo();
  Landing landing(repo, some_edits());
  repo.git({"checkout", "-q", "-b", "other"});
  const auto block = probe_checkout(landing.repository(), landing.move());
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().code, Code::kStale);
}

TEST(IndexLock, NamesItsLandingAndNeverRemovesAnothers) {
  const ScratchRepo repo = checkout_repo();
  Landing landing(repo, some_edits());
  const CheckoutPlace& place = landing.move().place;
  const std::string file = repo.git_dir() + "/index.lock";
  {
    IndexLock lock = must(IndexLock::acquire(place, TxnId("t-x"), landing.move().new_commit, 0));
    EXPECT_EQ(must(read_file(file)), "git-txn t-x " + landing.move().new_commit.str() + "\n");
    EXPECT_NE(repo.git_status({"add", "a.txt"}), 0) << "git does not see the lock";
    EXPECT_EQ(landing.blocked(), "") << "our own lock is no reason to wait";
    const auto second = IndexLock::acquire(place, TxnId("t-y"), landing.move().new_commit, 30);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::kBusy);
    EXPECT_THAT(second.error().message, HasSubstr("t-x"));
  }
  EXPECT_FALSE(must(exists(file)));
  {
    IndexLock lock = must(IndexLock::acquire(place, TxnId("t-x"), landing.move().new_commit, 0));
    must(write_file(file, "git's own", Sync::kNo));
  }
  EXPECT_EQ(must(read_file(file)), "git's own");
  must(discard_checkout(TxnId("t-x"), landing.move()));
  EXPECT_TRUE(must(exists(file)));
  must(remove_file(file));
  IndexLock lock = must(IndexLock::acquire(place, TxnId("t-x"), landing.move().new_commit, 0));
  lock.abandon();
  lock = IndexLock::adopt(place, TxnId("t-x"), landing.move().new_commit);
  EXPECT_TRUE(must(exists(file)));
  must(lock.unlink());
  EXPECT_FALSE(must(exists(file)));
}

TEST(Checkout, LineEndsAndFiltersAreGits) {
  ScratchRepo repo = checkout_repo();
  repo.git({"config", "filter.up.clean", "tr a-z A-Z"});
  repo.git({"config", "filter.up.smudge", "tr A-Z a-z"});
  repo.write(".gitattributes", "*.txt text eol=crlf\n*.up filter=up\n");
  repo.write("x.up", "word\n");
  repo.commit("attributes");
  repo.git({"rm", "-q", "--cached", "-r", "."});
  repo.git({"reset", "-q", "--hard"});
  ASSERT_EQ(read(repo, "a.txt"), "old a.txt\r\n");
  Edits edits = some_edits();
  edits["x.up"] = NewFile{"OTHER\n"};
  edits["y.now"] = NewFile{"LOUD\n"};
  edits[".gitattributes"] = NewFile{"*.txt text eol=crlf\n*.up filter=up\n*.now filter=up\n"};
  Landing landing(repo, edits);
  EXPECT_EQ(landing.blocked(), "");
  EXPECT_THAT(landing.land().left_to_person, IsEmpty());
  expect_landed(repo, landing);
  EXPECT_EQ(read(repo, "a.txt"), "new a\r\n");
  EXPECT_EQ(read(repo, "b.txt"), "new b\r\n");
  EXPECT_EQ(read(repo, "x.up"), "other\n");
  EXPECT_EQ(read(repo, "y.now"), "loud\n") << "brought out by the attributes that landed with it";
}

TEST(Checkout, SparseCheckoutsStaySparse) {
  for (const bool sparse_index : {false, true}) {
    const ScratchRepo repo = checkout_repo();
    repo.git({"sparse-checkout", "set", "--cone", "dir"});
    if (sparse_index) repo.git({"sparse-checkout", "reapply", "--sparse-index"});
    Edits edits = some_edits();
    edits["other/x"] = NewFile{"outside\n"};
    edits["dir/y"] = NewFile{"inside\n"};
    {
      Landing first(repo, edits, "t-one");
      EXPECT_EQ(first.blocked(), "");
      EXPECT_THAT(first.land().left_to_person, IsEmpty());
      expect_landed(repo, first);
    }
    EXPECT_FALSE(must(exists(repo.file("other"))));
    EXPECT_EQ(read(repo, "dir/y"), "inside\n");
    EXPECT_EQ(repo.git({"ls-files", "-t", "other/x"}), "S other/x");
    Landing second(repo, {{"other/x", NewFile{"again\n"}}, {"added/deep/file", std::nullopt}},
                   "t-two");
    second.land();
    expect_landed(repo, second);
    EXPECT_FALSE(must(exists(repo.file("other"))));
  }
}

TEST(Checkout, LinkedWorktreeOnAnotherFileSystem) {
  const ScratchRepo repo = checkout_repo();
  std::string elsewhere = "/dev/shm/gittxn-test-XXXXXX";
  if (::mkdtemp(elsewhere.data()) == nullptr) GTEST_SKIP() << "no second file system";
  const std::string checkout = elsewhere + "/linked";
  repo.git({"worktree", "add", "-q", "-b", "side", checkout});
  Landing landing(repo, checkout, some_edits(), "t-shm");
  EXPECT_EQ(landing.blocked(), "");
  EXPECT_THAT(landing.land().left_to_person, IsEmpty());
  EXPECT_EQ(repo.git_in(checkout, {"status", "--porcelain"}), "");
  EXPECT_EQ(repo.git_in(checkout, {"rev-parse", "HEAD"}), landing.move().new_commit.str());
  EXPECT_EQ(must(read_file(checkout + "/a.txt")), "new a\n");
  EXPECT_EQ(read(repo, "a.txt"), "old a.txt\n");
  must(remove_tree(elsewhere));
}

// ---- a person who saves in the middle of it ----

TEST(CheckoutRace, ASaveByRenameSurvivesWheneverItComes) {
  for (const std::string point : {"checkout.mid_move", "checkout.mid_move=3", "checkout.mid_swap",
                                  "checkout.mid_swap=2", "checkout.mid_swap=3"}) {
    const ScratchRepo repo = checkout_repo();
    Landing landing(repo, some_edits());
    // Every old file that has not moved yet is saved, as editors do it.
    Victim victim(point.find('=') == point.npos ? point + "=stop" : point, [&] {
      const auto report = landing.land();
      for (const std::string& path : report.left_to_person) {
        must(append_line_durable(repo.root() + "/left", path));
      }
    });
    if (point.find('=') != point.npos) {
      EXPECT_EQ(victim.wait(), testing::kKilled);
    } else {
      ASSERT_TRUE(victim.wait_stopped());
    }
    std::vector<std::string> saved;
    for (const std::string name : {"a.txt", "b.txt", "dir/d.txt"}) {
      if (read(repo, name) != "old " + name + "\n") continue;
      must(write_file(repo.file(name), "saved " + name + "\n", Sync::kNo, 0644));
      saved.push_back(name);
    }
    if (point.find('=') != point.npos) {
      EXPECT_EQ(landing.recover().left_to_person, saved) << point;
    } else {
      victim.go_on();
      EXPECT_EQ(victim.wait(), 0);
    }
    for (const std::string& name : saved)
      EXPECT_EQ(read(repo, name), "saved " + name + "\n") << point;
    EXPECT_EQ(repo.git({"diff", "--name-only", "--cached"}), "") << "the index has the landing";
    std::string expected;
    for (const std::string& name : saved) expected += (expected.empty() ? "" : "\n") + name;
    EXPECT_EQ(repo.git({"diff", "--name-only"}), expected) << point;
    EXPECT_FALSE(must(exists(repo.git_dir() + "/index.lock")));
    // A plain commit by the person changes only what they saved.
    repo.git({"commit", "-qam", "mine", "--allow-empty"});
    EXPECT_EQ(repo.git({"diff", "--name-only", "HEAD~1"}), expected) << point;
  }
}

// The editor opened the file before; it writes in the instant between exchange and check.
TEST(CheckoutRace, ASaveInPlaceBetweenExchangeAndCheckIsPutBack) {
  const ScratchRepo repo = checkout_repo();
  Landing landing(repo, {{"a.txt", NewFile{"new a\n"}}});
  const UniqueFd editor = must(open_fd(repo.file("a.txt"), O_RDWR));
  Victim victim("checkout.mid_swap=stop", [&] {
    if (landing.land().left_to_person != std::vector<std::string>{"a.txt"})
      throw std::logic_error("?");
  });
  ASSERT_TRUE(victim.wait_stopped());
  EXPECT_EQ(read(repo, "a.txt"), "new a\n");
  must(write_all(editor.get(), "TYPED"));
  victim.go_on();
  EXPECT_EQ(victim.wait(), 0);
  EXPECT_EQ(read(repo, "a.txt"), "TYPED.txt\n");
  EXPECT_EQ(repo.git({"status", "--porcelain"}), " M a.txt");
}

// Two saves: one to the old inode, and one by rename over the file that had just been exchanged in.
TEST(CheckoutRace, TheLaterOfTwoSavesStaysInPlaceAndTheEarlierIsKept) {
  const ScratchRepo repo = checkout_repo();
  Landing landing(repo, {{"a.txt", NewFile{"new a\n"}}});
  const UniqueFd editor = must(open_fd(repo.file("a.txt"), O_RDWR));
  Victim victim("checkout.mid_swap=stop", [&] { landing.land(); });
  ASSERT_TRUE(victim.wait_stopped());
  must(write_all(editor.get(), "FIRST"));
  must(write_file(repo.file("a.txt"), "second\n", Sync::kNo, 0644));
  victim.go_on();
  EXPECT_EQ(victim.wait(), 0);
  EXPECT_EQ(read(repo, "a.txt"), "second\n");
  const auto saves = must(find_late_saves(landing.move().place));
  ASSERT_EQ(saves.size(), 1u);
  EXPECT_EQ(saves[0].path, "a.txt");
  EXPECT_EQ(must(read_file(saves[0].kept)), "FIRST.txt\n");
}

TEST(CheckoutRace, AWriteToTheDisplacedFileIsFoundAndNeverPruned) {
  const ScratchRepo repo = checkout_repo();
  Landing landing(repo, some_edits());
  const UniqueFd editor = must(open_fd(repo.file("b.txt"), O_RDWR));
  const UniqueFd other = must(open_fd(repo.file("dir/sub/e.txt"), O_RDWR));
  landing.land();
  const CheckoutPlace& place = landing.move().place;
  EXPECT_THAT(must(find_late_saves(place)), IsEmpty());
  must(write_all(editor.get(), "late"));
  must(write_all(other.get(), "late"));
  EXPECT_THAT(must(find_late_saves(place)), ElementsAre(Field(&LateSave::path, "b.txt"),
                                                        Field(&LateSave::path, "dir/sub/e.txt")));
  const PruneOptions later{.now_wall_ms = std::int64_t{1} << 50, .min_age_ms = 1000};
  const PruneReport report = must(prune_displaced(place, later));
  EXPECT_THAT(report.removed, IsEmpty());
  ASSERT_EQ(report.kept.size(), 2u);
  EXPECT_EQ(must(read_file(report.kept[0].kept)), "lateb.txt\n");
  // Restored by hand: then there is nothing to keep.
  must(remove_file(report.kept[0].kept));
  must(remove_file(report.kept[1].kept));
  EXPECT_EQ(must(prune_displaced(place, {})).removed.size(), 0u) << "too young";
  EXPECT_EQ(must(prune_displaced(place, later)).removed.size(), 1u);
  EXPECT_FALSE(must(exists(landing.staging())));
}

TEST(PruneDisplaced, RemovesWhatKilledProcessesLeft) {
  const ScratchRepo repo = checkout_repo();
  Landing staged(repo, some_edits(), "t-staged"), half(repo, some_edits(), "t-half");
  must(stage_checkout(staged.repository(), staged.txn(), staged.move()));
  EXPECT_EQ(Victim("checkout.mid_stage",
                   [&] { must(stage_checkout(half.repository(), half.txn(), half.move())); })
                .wait(),
            testing::kKilled);
  must(write_file(repo.git_dir() + "/txn/lock-abc", "", Sync::kNo));
  must(write_file(repo.git_dir() + "/txn/kernel.db", "", Sync::kNo));
  const auto prune = [&](std::int64_t now_ms) {
    return must(prune_displaced(staged.move().place, {.now_wall_ms = now_ms, .min_age_ms = 1000}));
  };
  prune(SystemClock().wall_ms());
  EXPECT_TRUE(must(exists(half.staging())));
  EXPECT_THAT(prune(std::int64_t{1} << 50).removed, IsEmpty());
  EXPECT_FALSE(must(exists(half.staging())));
  EXPECT_FALSE(must(exists(repo.git_dir() + "/txn/lock-abc")));
  EXPECT_TRUE(must(exists(repo.git_dir() + "/txn/kernel.db")));
  EXPECT_TRUE(must(exists(staged.staging() + "/new/a.txt"))) << "recovery may want it";
}

TEST(CheckoutRace, ANewFileInTheWayAfterTheProbeStays) {
  const ScratchRepo repo = checkout_repo();
  Landing landing(repo, some_edits());
  Victim victim("checkout.mid_move=stop", [&] { landing.land(); });
  ASSERT_TRUE(victim.wait_stopped());
  repo.write("added/deep/file", "mine\n");
  victim.go_on();
  EXPECT_EQ(victim.wait(), 0);
  EXPECT_EQ(read(repo, "added/deep/file"), "mine\n");
  EXPECT_EQ(repo.git({"status", "--porcelain"}), " M added/deep/file");
}

// Staging happens before the index is locked.
TEST(CheckoutRace, WhatThePersonDoesAfterStagingCounts) {
  const ScratchRepo repo = checkout_repo();
  repo.write("a.txt", "dirty while it was staged\n");
  Landing landing(repo, some_edits());
  must(stage_checkout(landing.repository(), landing.txn(), landing.move()));
  repo.write("a.txt", "old a.txt\n");
  repo.write("mine", "mine\n");
  repo.git({"add", "mine"});
  IndexLock lock =
      must(IndexLock::acquire(landing.move().place, landing.txn(), landing.move().new_commit, 0));
  EXPECT_EQ(landing.blocked(), "");
  landing.swap_ref();
  EXPECT_THAT(
      must(move_checkout(landing.repository(), landing.txn(), landing.move())).left_to_person,
      IsEmpty());
  must(finish_checkout(landing.repository(), landing.txn(), landing.move(), std::move(lock)));
  EXPECT_EQ(repo.git({"status", "--porcelain"}), "A  mine");
  EXPECT_EQ(read(repo, "a.txt"), "new a\n");
}

}  // namespace
}  // namespace gittxn::repo
