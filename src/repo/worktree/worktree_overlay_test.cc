#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "base/clock.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "repo/checkout/shared_checkout.h"
#include "repo/testing/agent.h"
#include "repo/testing/place.h"
#include "repo/worktree/worktree_mount.h"

namespace gittxn::repo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::missing;
using testing::must;
using testing::Place;
using testing::ScratchRepo;
using testing::some_repo;

class Overlay : public testing::OverlayTest {};
INSTANTIATE_TEST_SUITE_P(Marks, Overlay,
                         ::testing::Values(OverlayMarks::kTrusted, OverlayMarks::kUser),
                         [](const auto& test) {
                           return test.param == OverlayMarks::kUser ? "User" : "Trusted";
                         });

TEST_P(Overlay, IsCleanAndWhole) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  EXPECT_EQ(place.sh("git status --porcelain; cat README src/deep/c.txt; readlink docs/link"),
            "hello\nc\n../README\n");
  EXPECT_EQ(place.sh("git ls-files --debug README | grep -c 'mtime: 0:0'"), "0\n");
  const Taken taken = place.take_all();
  EXPECT_THAT(taken.changes, IsEmpty());
  EXPECT_EQ(taken.tree, repo.tree());
}

// Most commands of an agent only look. A process of git is a tenth of what a short one takes.
TEST_P(Overlay, OnlyWhatWasTouchedIsAskedOfGit) {
  ScratchRepo repo = some_repo();
  repo.write(".gitattributes", "*.up ident\n");
  repo.commit("attributes");
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  const std::string calls = repo.root() + "/calls";
  must(make_dirs(repo.root() + "/bin"));
  must(write_file(repo.root() + "/bin/git",
                  "#!/bin/sh\necho \"$*\" >>" + calls + "\nPATH=${PATH#*:} exec git \"$@\"\n",
                  Sync::kNo, 0755));
  Environment env = repo.env();
  env["PATH"] = repo.root() + "/bin:" + env["PATH"];
  Repository repository = must(Repository::open(repo.path(), env));
  const auto calls_of_taking = [&] {
    must(write_file(calls, "", Sync::kNo));
    must(take(repository, place.worktree(), repo.head(), RefName("refs/heads/main")));
    return must(read_file(calls));
  };
  const std::string untouched = calls_of_taking();
  EXPECT_THAT(untouched, HasSubstr(" config --list")) << "the settings may have changed";
  EXPECT_EQ(std::ranges::count(untouched, '\n'), 1) << untouched;
  place.sh("echo x >new.txt");
  EXPECT_THAT(calls_of_taking(), HasSubstr("ls-files"));
}

TEST_P(Overlay, NothingIsMountedWhereThePersonIs) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  const Mount mount = must(Mount::open(place.worktree()));
  EXPECT_THAT(must(read_file("/proc/self/mountinfo")),
              ::testing::Not(HasSubstr(place.worktree().path)));
  EXPECT_FALSE(must(exists(place.worktree().tree + "/README")));
  EXPECT_THAT(must(read_file(place.worktree().tree + "/this-is-an-overlay")),
              HasSubstr("git txn open t-test"));
}

TEST_P(Overlay, StatOfAnUntouchedFileIsWhatTheIndexSays) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  // git would open every file whose entry does not match.
  EXPECT_EQ(place.sh("strace -f -e trace=openat -o ../trace git status --porcelain >/dev/null; "
                     "grep -c 'src/a.txt' ../trace"),
            "0\n");
}

TEST_P(Overlay, TakesTheChangeWithoutTheMount) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  EXPECT_EQ(
      place.sh("echo new >src/a.txt; rm lib/d.txt; mkdir -p x/y; echo 1 >x/y/z; echo 2 >x/o.log;"
               "chmod +x README; rm -r src/deep; rm docs/link; echo plain >docs/link"),
      "");
  const Taken taken = place.take_all();
  EXPECT_THAT(
      testing::paths_of(taken.changes),
      ElementsAre("README", "docs/link", "lib/d.txt", "src/a.txt", "src/deep/c.txt", "x/y/z"));
  EXPECT_THAT(taken.untracked, ElementsAre("x/y/z"));
  EXPECT_EQ(must(place.repository().objects().entry_at(taken.tree, "README")).mode,
            FileMode::kExecutable);
}

TEST_P(Overlay, TheSharedCheckoutCannotBeWritten) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  EXPECT_THAT(place.sh("echo x >" + place.worktree().shared + "/README"),
              HasSubstr("Read-only file system"));
  EXPECT_EQ(place.sh("cat README"), "hello\n");
}

TEST_P(Overlay, TwoTransactionsShareACheckoutAndNothingElse) {
  ScratchRepo repo = some_repo();
  Place one(repo, WorktreeKind::kOverlay, "one", GetParam());
  Place two(repo, WorktreeKind::kOverlay, "two", GetParam());
  EXPECT_EQ(one.worktree().shared, two.worktree().shared);
  one.sh("echo one >README; git commit -qam one");
  EXPECT_EQ(two.sh("cat README; git log --format=%s"), "hello\nfirst\n");
  EXPECT_THAT(testing::paths_of(one.take_all().changes), ElementsAre("README"));
  EXPECT_THAT(two.take_all().changes, IsEmpty());
}

TEST_P(Overlay, AChangeSurvivesItsMount) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  place.sh("echo one >>README");
  EXPECT_EQ(place.sh("echo two >>README; cat README"), "hello\none\ntwo\n");
}

pid_t holder_of(const Worktree& worktree) {
  std::istringstream words(must(read_file(worktree.path + "/mount")));
  std::string boot;
  pid_t pid = 0;
  words >> boot >> pid;
  return pid;
}

TEST_P(Overlay, AKilledHolderLosesNothing) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  place.sh("echo one >>README");
  place.wait_for_holder();  // the one whose user has just left
  {
    const Mount mount = must(Mount::open(place.worktree()));
    ASSERT_EQ(::kill(holder_of(place.worktree()), SIGKILL), 0);
  }
  EXPECT_EQ(place.sh("cat README"), "hello\none\n");
  EXPECT_THAT(testing::paths_of(place.take_all().changes), ElementsAre("README"));
}

TEST_P(Overlay, AHolderWithoutUsersEnds) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  {
    const Mount one = must(Mount::open(place.worktree()));
    const pid_t holder = holder_of(place.worktree());
    const Mount two = must(Mount::open(place.worktree()));
    EXPECT_EQ(holder_of(place.worktree()), holder) << "one mount for all";
  }
  place.wait_for_holder();
  EXPECT_FALSE(must(exists(place.worktree().path + "/mount")));
}

TEST_P(Overlay, WhoeverIsStillInsideAKilledMountIsJoined) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  std::optional<Mount> mount(must(Mount::open(place.worktree())));
  // Inside until its standard input ends.
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t inside_pid = ::fork();
  if (inside_pid == 0) {
    if (enter_namespaces(mount->fds()) != 0) ::_exit(1);
    ::close(ends[1]);
    char byte = 0;
    static_cast<void>(::read(ends[0], &byte, 1));
    ::_exit(0);
  }
  ::close(ends[0]);
  // It has entered when it has another mount namespace than ours.
  const std::string ours = must(read_link("/proc/self/ns/mnt"));
  while (must(read_link(fmt::format("/proc/{}/ns/mnt", inside_pid))) == ours) ::sched_yield();
  ASSERT_EQ(::kill(holder_of(place.worktree()), SIGKILL), 0);
  mount.reset();
  EXPECT_EQ(place.sh("readlink /proc/self/ns/mnt"),
            must(read_link(fmt::format("/proc/{}/ns/mnt", inside_pid))) + "\n");
  ::close(ends[1]);
  ::waitpid(inside_pid, nullptr, 0);
}

TEST_P(Overlay, ADamagedGitDirectoryCostsNothing) {
  ScratchRepo repo = some_repo();
  for (const char* damage :
       {"rm -rf .git", "rm .git/index", "echo rubbish >.git/index", "echo rubbish >.git/HEAD",
        "git rm -q --cached -r .; git add -f src"}) {
    Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
    place.sh(std::string("echo new >src/a.txt; rm lib/d.txt; ") + damage);
    const Taken taken = place.take_all();
    EXPECT_THAT(testing::paths_of(taken.changes), ElementsAre("lib/d.txt", "src/a.txt")) << damage;
    must(remove_worktree(place.worktree().path));
  }
}

TEST_P(Overlay, WhatCannotBeStoredIsRefusedByName) {
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  place.sh("rm README; mkfifo README");
  auto taken = place.try_take();
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("README"));
  place.sh("rm README; git init -q inner; cd inner && git commit -q --allow-empty -m x");
  taken = place.try_take();
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("inner"));
}

TEST_P(Overlay, AMovedDirectoryIsTaken) {
  if (GetParam() == OverlayMarks::kUser) GTEST_SKIP() << "the kernel has no redirect for users";
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  EXPECT_EQ(
      place.sh("git mv src source && echo more >>source/b.txt && mv lib build && mkdir lib && "
               "echo x >lib/d.txt && cat source/a.txt && git mv source/deep docs/deep"),
      "a\n");
  const Taken taken = place.take_all();
  EXPECT_THAT(testing::paths_of(taken.changes),
              ElementsAre("docs/deep/c.txt", "lib/d.txt", "lib/run", "source/a.txt", "source/b.txt",
                          "src/a.txt", "src/b.txt", "src/deep/c.txt"));
  EXPECT_THAT(taken.untracked, IsEmpty());
  EXPECT_EQ(must(path_on_disk(place.worktree(), "docs/deep/c.txt")),
            place.worktree().shared + "/src/deep/c.txt");
  EXPECT_EQ(must(path_on_disk(place.worktree(), "src/a.txt")), std::nullopt);
}

TEST_P(Overlay, ADirectoryMovedIntoANewOneIsTaken) {
  if (GetParam() == OverlayMarks::kUser) GTEST_SKIP() << "the kernel has no redirect for users";
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt", GetParam());
  place.sh("mkdir -p fresh/er && echo x >fresh/f && git mv src/deep fresh/er/deep");
  EXPECT_THAT(testing::paths_of(place.take_all().changes),
              ElementsAre("fresh/er/deep/c.txt", "fresh/f", "src/deep/c.txt"));
}

// ---- the same as a plain worktree
// ----------------------------------------------------------------

// A random program of an agent, as a script; the same in both.
class Script {
 public:
  explicit Script(std::uint64_t seed) : dice_(seed) {}
  std::string next() {
    std::string text;
    for (std::uint64_t i = 0, n = 1 + dice_.below(12); i < n; ++i) text += line() + "\n";
    return text;
  }

 private:
  std::string pick(std::vector<std::string> from) { return from[dice_.below(from.size())]; }
  std::string file() {
    return pick({"README", "src/a.txt", "src/b.txt", "src/deep/c.txt", "lib/d.txt", "lib/run",
                 "docs/link", "new", "src/new", "src/deep/new", "fresh/one", "fresh/two/three",
                 "x.log", "build/out", "crlf/w.txt", "src/.gitattributes", ".gitattributes"});
  }
  std::string directory() {
    return pick({"src", "src/deep", "lib", "docs", "fresh", "build", "crlf", "other"});
  }
  std::string line() {
    const std::string a = file(), b = file(), d = directory(), e = directory();
    switch (dice_.below(18)) {
      case 0:
      case 1:
      case 2:
        return "mkdir -p \"$(dirname " + a + ")\"; echo " + std::to_string(dice_.below(9)) + " >>" +
               a;
      case 3:
        return "rm -rf " + a;
      case 4:
        return "rm -rf " + d;
      case 5:
        return "mv -f " + a + " " + b;
      case 6:
        return "[ -e " + e + " ] || mv " + d + " " + e;
      case 7:
        return "git mv " + d + " " + e;
      case 8:
        return "chmod +x " + a;
      case 9:
        return "git add -A";
      case 10:
        return "git add -f " + a;
      case 11:
        return "git commit -qam step";
      case 12:
        return "git rm -q -f --cached " + a;
      case 13:
        return "rm -rf " + a + "; mkdir -p " + a + "; echo in >" + a + "/in";
      case 14:
        return "printf 'one\\r\\ntwo\\r\\n' >" + a;
      case 15:
        return "git stash -q; git stash pop -q";
      case 16:
        return "git checkout -q -f -- " + a;
      default:
        return "ln -sfn README " + a;
    }
  }
  Random dice_;
};

TEST_P(Overlay, TakesWhatAPlainWorktreeTakes) {
  const std::uint64_t seed = gittxn::testing::campaign_seed(Random().next());
  ScratchRepo repo = some_repo();
  repo.write("crlf/w.txt", "one\ntwo\n");
  // By name, and where no script changes it: of a file that what governed it does not govern any
  // more git says one thing or the other, by whether it has to look into it again.
  must(make_dirs(repo.git_dir() + "/info"));
  must(write_file(repo.git_dir() + "/info/attributes", "w.txt text eol=crlf\n", Sync::kNo));
  repo.commit("line ends");
  int changed = 0;
  const int rounds = gittxn::testing::campaign_rounds(12);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(round);
    const std::string script = Script(own).next();
    SCOPED_TRACE(fmt::format("SEED={}\n{}", own, script));
    Place plain(repo, WorktreeKind::kPlain, "plain");
    Place overlay(repo, WorktreeKind::kOverlay, "overlay", GetParam());
    plain.sh(script);
    const std::string two = overlay.sh(script);
    // Where the kernel gives users no redirect, git mv refuses what it does elsewhere.
    const bool same = two.find("Invalid cross-device link") == two.npos;
    if (!same) {
      EXPECT_EQ(GetParam(), OverlayMarks::kUser);
    }
    const auto expected = plain.try_take();
    const auto taken = overlay.try_take();
    if (same) {
      ASSERT_EQ(expected.has_value(), taken.has_value())
          << (expected ? taken.error().message : expected.error().message);
    }
    if (same && expected) {
      EXPECT_EQ(taken->tree, expected->tree);
      EXPECT_EQ(taken->untracked, expected->untracked);
      EXPECT_EQ(taken->message, expected->message);
      EXPECT_EQ(testing::paths_of(taken->changes), testing::paths_of(expected->changes));
      if (!taken->changes.empty()) ++changed;
    }
    must(remove_worktree(plain.worktree().path));
    must(remove_worktree(overlay.worktree().path));
    if (HasFailure()) return;
  }
  if (rounds > 1) {
    EXPECT_GT(changed, 0);
  }
}

// ---- shared checkouts
// ------------------------------------------------------------------------------

TEST(SharedCheckout, AHalfMadeOneIsNeverUsed) {
  if (const std::string why = missing(OverlayMarks::kTrusted); !why.empty()) GTEST_SKIP() << why;
  ScratchRepo repo = some_repo();
  must(make_dirs(repo.root() + "/shared/making/tree"));
  must(write_file(repo.root() + "/shared/making/tree/README", "half", Sync::kNo));
  Place place(repo, WorktreeKind::kOverlay, "wt");
  EXPECT_EQ(place.sh("cat README"), "hello\n");
  EXPECT_FALSE(must(exists(repo.root() + "/shared/making")));
}

TEST(SharedCheckout, AnotherConfigurationIsAnotherCheckout) {
  if (const std::string why = missing(OverlayMarks::kTrusted); !why.empty()) GTEST_SKIP() << why;
  ScratchRepo repo = some_repo();
  Place plain(repo, WorktreeKind::kOverlay, "one");
  repo.git({"config", "core.autocrlf", "true"});
  Place crlf(repo, WorktreeKind::kOverlay, "two");
  EXPECT_NE(plain.worktree().shared, crlf.worktree().shared);
  EXPECT_EQ(crlf.sh("cat README"), "hello\r\n");
  EXPECT_EQ(crlf.sh("git status --porcelain"), "");
}

TEST(SharedCheckout, IsCollectedWhenNobodyNamesIt) {
  if (const std::string why = missing(OverlayMarks::kTrusted); !why.empty()) GTEST_SKIP() << why;
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt");
  const std::string root = repo.root() + "/shared";
  const std::string mine = parent_dir(place.worktree().shared);
  SharedPruneOptions options;
  options.now_ms = SystemClock().wall_ms() + 3000;
  bool in_use = true;
  options.in_use = [&]() -> Result<std::vector<std::string>> {
    return in_use ? std::vector<std::string>{mine} : std::vector<std::string>{};
  };
  EXPECT_THAT(must(prune_shared_checkouts(root, options)).removed, IsEmpty());
  in_use = false;
  options.unused_ms = 3'600'000;
  EXPECT_THAT(must(prune_shared_checkouts(root, options)).removed, IsEmpty());
  options.unused_ms = 0;
  // Taken up between the first look and the second: put back.
  int asked = 0;
  options.in_use = [&]() -> Result<std::vector<std::string>> {
    return ++asked == 2 ? std::vector<std::string>{mine} : std::vector<std::string>{};
  };
  EXPECT_THAT(must(prune_shared_checkouts(root, options)).removed, IsEmpty());
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(must(exists(mine)));
  options.in_use = []() -> Result<std::vector<std::string>> { return std::vector<std::string>{}; };
  EXPECT_THAT(must(prune_shared_checkouts(root, options)).removed, ElementsAre(mine));
  EXPECT_FALSE(must(exists(mine)));
}

TEST(SharedCheckout, AFileThatSomebodyChangedIsNamed) {
  if (const std::string why = missing(OverlayMarks::kTrusted); !why.empty()) GTEST_SKIP() << why;
  ScratchRepo repo = some_repo();
  Place place(repo, WorktreeKind::kOverlay, "wt");
  SharedPruneOptions options;
  options.in_use = [&]() -> Result<std::vector<std::string>> {
    return std::vector<std::string>{parent_dir(place.worktree().shared)};
  };
  EXPECT_THAT(must(prune_shared_checkouts(repo.root() + "/shared", options)).changed, IsEmpty());
  must(write_file(place.worktree().shared + "/README", "by hand\n", Sync::kNo));
  EXPECT_THAT(must(prune_shared_checkouts(repo.root() + "/shared", options)).changed,
              ElementsAre(place.worktree().shared + "/README"));
}

TEST(Reflink, IsRefusedByNameWhereTheFileSystemHasNone) {
  ScratchRepo repo = some_repo();
  bool usable = false;
  for (const KindSupport& kind : probe_kinds(repo.root())) {
    if (kind.kind == WorktreeKind::kReflink) usable = kind.usable;
  }
  if (usable) GTEST_SKIP() << "this file system shares blocks";
  try {
    const Place place(repo, WorktreeKind::kReflink, "wt");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot share blocks"));
  }
  EXPECT_FALSE(must(exists(repo.root() + "/wt")));
}

TEST(Kinds, AutomaticIsWhatTheMachineHasAndAnOverlayOfManyFilesAlone) {
  ScratchRepo repo = some_repo();
  const std::string root = repo.root() + "/worktrees";
  must(make_dirs(root));
  Repository repository = repo.open();
  const auto automatic = [&] { return must(automatic_kind(repository, repo.head(), root)); };
  bool overlay = false;
  WorktreeKind few = WorktreeKind::kPlain;
  for (const KindSupport& kind : probe_kinds(root)) {
    if (kind.kind == WorktreeKind::kOverlay) overlay = kind.usable;
    if (kind.kind == WorktreeKind::kReflink && kind.usable) few = kind.kind;
  }
  EXPECT_EQ(automatic(), few);
  for (std::size_t i = 0; i < kManyFiles; ++i) {
    repo.write(fmt::format("many/{}/{}", i / 100, i), "x\n");
  }
  repo.commit("many");
  EXPECT_EQ(automatic(), overlay ? WorktreeKind::kOverlay : few);
  EXPECT_EQ(automatic_kind(repository, repo.head(), root + "/absent").value(), WorktreeKind::kPlain)
      << "nothing can be made there";
  repo.git({"config", "core.sparseCheckout", "true"});
  EXPECT_EQ(automatic(), WorktreeKind::kPlain) << "the others do not know sparse checkouts";
  EXPECT_TRUE(must(list_dir(root)).empty());
}

TEST(Kinds, SparseIsPlain) {
  ScratchRepo repo = some_repo();
  repo.git({"sparse-checkout", "set", "--cone", "src"});
  EXPECT_THROW(Place(repo, WorktreeKind::kOverlay, "wt"), std::runtime_error);
  EXPECT_FALSE(must(exists(repo.root() + "/wt")));
}

TEST(Kinds, ADamagedMarkIsToldAndNothingElse) {
  ScratchRepo repo = some_repo();
  const Place place(repo, WorktreeKind::kPlain, "wt");
  const std::string mark = place.worktree().path + "/git-txn.worktree";
  for (const char* text : {"", "rubbish\n", "git-txn worktree t\noverlay\n",
                           "git-txn worktree t\noverlay trusted relative\n",
                           "git-txn worktree t\nother trusted /x\n"}) {
    must(write_file(mark, text, Sync::kNo));
    const auto found = find_worktree(place.worktree().path);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, Code::kCorrupt);
  }
  EXPECT_EQ(find_worktree(repo.root() + "/none").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace gittxn::repo
