// A landing on a checkout killed at every point, and its recovery killed at every point: to all or
// to nothing, with what the person did in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "repo/testing/landing.h"

namespace gittxn::repo {
namespace {

using testing::Edits;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kKilled;
using testing::Landing;
using testing::must;
using testing::NewFile;
using testing::ScratchRepo;
using testing::Victim;

ScratchRepo crash_repo() {
  ScratchRepo repo;
  for (const char* name : {"a.txt", "b.txt", "dir/c.txt", "gone/d.txt"}) {
    repo.write(name, std::string("old ") + name + "\n");
  }
  repo.commit("first");
  repo.write("untracked.txt", "mine\n");
  return repo;
}

Edits edits() {
  return {{"a.txt", NewFile{"new a\n"}},
          {"dir/c.txt", NewFile{"old dir/c.txt\n", FileMode::kExecutable}},
          {"gone/d.txt", std::nullopt},
          {"more/e.txt", NewFile{"new e\n"}}};
}

void expect_all_or_nothing(const ScratchRepo& repo, const Landing& landing,
                           const std::string& what) {
  // Whichever commit the branch names, the checkout is that commit and what was the person's.
  EXPECT_EQ(repo.git({"status", "--porcelain"}), "?? untracked.txt") << what;
  EXPECT_EQ(repo.git({"diff-files", "--name-only"}), "") << what;
  EXPECT_FALSE(must(exists(repo.git_dir() + "/index.lock"))) << what;
  EXPECT_FALSE(must(exists(landing.staging() + "/new"))) << what;
  EXPECT_FALSE(must(exists(repo.git_dir() + "/txn/index-t-land"))) << what;
  EXPECT_EQ(must(read_file(repo.file("untracked.txt"))), "mine\n") << what;
}

const std::vector<std::string>& points() {
  static const std::vector<std::string> kPoints = {
      "checkout.mid_stage",   "checkout.after_stage",  "checkout.after_lock",
      "checkout.mid_swap",    "checkout.mid_swap=2",   "checkout.mid_swap=3",
      "checkout.mid_move",    "checkout.mid_move=2",   "checkout.mid_move=3",
      "checkout.mid_move=4",  "checkout.after_move",   "checkout.before_index",
      "checkout.after_index", "checkout.before_unlock"};
  return kPoints;
}

TEST(CheckoutCrash, EveryPointIsListed) {
  for (const std::string& name : Failpoint::names()) {
    if (!name.starts_with("checkout.")) continue;
    EXPECT_NE(std::find(points().begin(), points().end(), name), points().end()) << name;
  }
}

TEST(CheckoutCrash, KilledAnywhereThenRecovered) {
  for (const std::string& point : points()) {
    const ScratchRepo repo = crash_repo();
    Landing landing(repo, edits());
    Victim victim(point, [&] { landing.land(); });
    ASSERT_EQ(victim.wait(), kKilled) << point;
    const Oid head = repo.head();
    EXPECT_THAT(landing.recover().left_to_person, IsEmpty()) << point;
    EXPECT_EQ(repo.head(), head) << point << ": recovery moved the branch";
    expect_all_or_nothing(repo, landing, point);
    EXPECT_THAT(landing.recover().left_to_person, IsEmpty()) << point;
    expect_all_or_nothing(repo, landing, point + ", recovered twice");
  }
}

TEST(CheckoutCrash, RecoveryIsKilledEverywhereToo) {
  for (const std::string first : {"checkout.mid_swap=2", "checkout.after_index"}) {
    for (const std::string& second : points()) {
      const ScratchRepo repo = crash_repo();
      Landing landing(repo, edits());
      ASSERT_EQ(Victim(first, [&] { landing.land(); }).wait(), kKilled);
      // A point that recovery does not come by is no failure.
      const int ended = Victim(second, [&] { landing.recover(); }).wait();
      ASSERT_TRUE(ended == kKilled || ended == 0) << first << ", " << second << ": " << ended;
      landing.recover();
      expect_all_or_nothing(repo, landing, first + ", then " + second);
    }
  }
}

// The branch moved, and everything of ours beside the checkout is gone, or never reached the disk.
TEST(CheckoutCrash, WithoutTheStagedFiles) {
  for (const bool locked : {true, false}) {
    const ScratchRepo repo = crash_repo();
    Landing landing(repo, edits());
    if (locked) {
      must(IndexLock::acquire(landing.move().place, landing.txn(), landing.move().new_commit, 0))
          .abandon();
    }
    landing.swap_ref();
    repo.write("a.txt", "typed since\n");
    EXPECT_THAT(landing.recover().left_to_person, ElementsAre("a.txt"));
    EXPECT_EQ(must(read_file(repo.file("a.txt"))), "typed since\n");
    EXPECT_EQ(repo.git({"status", "--porcelain"}), " M a.txt\n?? untracked.txt");
  }
}

// Their index says one thing, the file another: neither is the landing's to change.
// On XFS a file that was renamed and not yet synced is there after a power cut, and empty.
TEST(CheckoutCrash, WithAStagedIndexThatIsEmpty) {
  const ScratchRepo repo = crash_repo();
  Landing landing(repo, edits());
  ASSERT_EQ(Victim("checkout.before_index", [&] { landing.land(); }).wait(), kKilled);
  const std::string staged = repo.git_dir() + "/txn/index-t-land";
  ASSERT_TRUE(must(exists(staged)));
  must(write_file(staged, "", Sync::kNo));
  EXPECT_THAT(landing.recover().left_to_person, IsEmpty());
  expect_all_or_nothing(repo, landing, "an empty staged index");
}

TEST(CheckoutCrash, StagedAgainOverAStagedEdit) {
  const ScratchRepo repo = crash_repo();
  Landing landing(repo, edits());
  landing.swap_ref();
  repo.write("a.txt", "staged since\n");
  repo.git({"add", "a.txt"});
  repo.write("a.txt", "old a.txt\n");
  EXPECT_THAT(landing.recover().left_to_person, ElementsAre("a.txt"));
  EXPECT_EQ(must(read_file(repo.file("a.txt"))), "old a.txt\n");
  EXPECT_EQ(repo.git({"show", ":a.txt"}), "staged since");
  EXPECT_EQ(repo.git({"status", "--porcelain"}), "MM a.txt\n?? untracked.txt");
}

TEST(CheckoutCrash, SomebodyElsesLockStopsRecoveryAndStays) {
  const ScratchRepo repo = crash_repo();
  Landing landing(repo, edits());
  ASSERT_EQ(Victim("checkout.mid_move", [&] { landing.land(); }).wait(), kKilled);
  must(write_file(repo.git_dir() + "/index.lock", "", Sync::kNo));
  const auto resumed = resume_checkout(landing.repository(), landing.txn(), landing.move());
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().code, Code::kBusy);
  EXPECT_TRUE(must(exists(repo.git_dir() + "/index.lock")));
  must(remove_file(repo.git_dir() + "/index.lock"));
  landing.recover();
  expect_all_or_nothing(repo, landing, "after the lock was gone");
}

TEST(CheckoutCrash, AStagedEditMadeSinceIsThePersons) {
  const ScratchRepo repo = crash_repo();
  Landing landing(repo, edits());
  ASSERT_EQ(Victim("checkout.mid_move", [&] { landing.land(); }).wait(), kKilled);
  must(remove_file(repo.git_dir() + "/index.lock"));
  repo.write("a.txt", "staged since\n");
  repo.git({"add", "a.txt"});
  EXPECT_THAT(landing.recover().left_to_person, ElementsAre("a.txt"));
  EXPECT_EQ(repo.git({"status", "--porcelain"}), "M  a.txt\n?? untracked.txt");
  EXPECT_EQ(must(read_file(repo.file("a.txt"))), "staged since\n");
}

// Undone by a person after the crash: nothing of theirs is touched, only our lock and files go.
TEST(CheckoutCrash, UndoneByAPerson) {
  for (const std::string point : {"checkout.after_lock", "checkout.mid_swap", "checkout.mid_move=3",
                                  "checkout.after_index"}) {
    const ScratchRepo repo = crash_repo();
    Landing landing(repo, edits());
    ASSERT_EQ(Victim(point, [&] { landing.land(); }).wait(), kKilled);
    must(remove_file(repo.git_dir() + "/index.lock"));
    repo.git({"reset", "-q", "--hard", landing.move().old_commit.str()});
    repo.git({"clean", "-q", "-f", "-d", "more"});
    landing.recover();
    landing.recover();
    EXPECT_EQ(repo.head(), landing.move().old_commit);
    expect_all_or_nothing(repo, landing, point);
  }
}

// Random kills, random saves in between, random kills of the recoveries: no byte of the person's is
// lost.
TEST(CheckoutCrash, RandomKillsAndSaves) {
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 8; ++round) {
    const ScratchRepo repo = crash_repo();
    Landing landing(repo, edits());
    auto point = [&] { return points()[random.below(points().size())]; };
    Victim(point(), [&] { landing.land(); }).wait();
    std::map<std::string, std::string> saved;
    for (int step = 0; step < 3; ++step) {
      const std::string name = std::vector<std::string>{"a.txt", "dir/c.txt", "gone/d.txt",
                                                        "more/e.txt", "b.txt"}[random.below(5)];
      const std::string bytes = "saved " + std::to_string(random.next()) + "\n";
      repo.write(name, bytes);
      saved[name] = bytes;
      Victim(point(), [&] { landing.recover(); }).wait();
    }
    landing.recover();
    for (const auto& [name, bytes] : saved) {
      EXPECT_EQ(must(read_file(repo.file(name))), bytes) << name;
    }
    EXPECT_FALSE(must(exists(repo.git_dir() + "/index.lock")));
    EXPECT_EQ(repo.git({"diff", "--cached", "--name-only"}), "") << "the index is the branch's";
  }
}

}  // namespace
}  // namespace gittxn::repo
