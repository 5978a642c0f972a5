#include "repo/refs.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "base/failpoint.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

const RefName kMain("refs/heads/main");

Refs refs_of(const ScratchRepo& repo) {
  return Refs(repo.git_dir(), repo.runner());
}

RefUpdate move_ref(const RefName& ref, const Oid& from, const Oid& to) {
  RefUpdate update;
  update.ref = ref;
  update.expected = from;
  update.desired = to;
  update.lock_deadline_ms = 10'000;
  return update;
}

Code code_of(const Status& status) {
  if (status) throw std::runtime_error("it worked");
  return status.error().code;
}

pid_t start_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  try {
    ::_exit(body());
  } catch (const std::exception&) {
    ::_exit(253);  // never back into the test: that would remove the repository
  }
}

// Runs `body` in a process of its own; its wait status.
int in_child(const std::function<int()>& body) {
  const pid_t pid = start_child(body);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

TEST(RefName, FollowsGitsRules) {
  const ScratchRepo repo;
  for (const std::string name :
       {"refs/heads/main",   "refs/heads/a/b",      "refs/txn/t-1/2",    "refs/heads/ä",
        "refs/heads/a.b",    "refs/heads/",         "refs//x",           "refs/heads/.a",
        "refs/heads/a.lock", "refs/heads/a.lock/b", "refs/heads/a..b",   "refs/heads/a b",
        "refs/heads/a~1",    "refs/heads/a^",       "refs/heads/a:b",    "refs/heads/a?",
        "refs/heads/a*",     "refs/heads/a[",       "refs/heads/a\\b",   "refs/heads/a@{b",
        "refs/heads/@",      "refs/heads/a.",       "refs/heads/a/../b", "refs/heads/\x7f",
        "refs/heads/\n",     "/refs/heads/a",       "refs/heads/a/"}) {
    const bool git = repo.git_status({"check-ref-format", name}) == 0;
    EXPECT_EQ(is_ref_name(name), git) << name;
  }
  EXPECT_FALSE(is_ref_name("HEAD"));
  EXPECT_FALSE(is_ref_name("heads/main"));
  EXPECT_FALSE(is_ref_name("refs/" + std::string(2000, 'a')));
}

TEST(Refs, MovesABranchAndGitAgrees) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  repo.git({"update-ref", "refs/heads/main", one.str()});
  const Refs refs = refs_of(repo);
  RefUpdate update = move_ref(kMain, one, two);
  update.reflog_who = "Test Committer <committer@example.com> 1700000123 +0000";
  update.reflog_message = "txn t-1: landed\nand more";
  must(refs.update(update));
  EXPECT_EQ(must(refs.read(kMain)), two);
  EXPECT_EQ(repo.head(), two);
  EXPECT_EQ(must(read_file(repo.git_dir() + "/refs/heads/main")), two.str() + "\n");
  EXPECT_EQ(repo.git({"log", "-g", "-1", "--format=%H %gs", "main"}),
            two.str() + " txn t-1: landed and more");
  EXPECT_EQ(repo.git({"log", "-g", "-1", "--format=%H %gs %gn", "HEAD"}),
            two.str() + " txn t-1: landed and more Test Committer");
  EXPECT_EQ(repo.oid("main@{1}"), one);
  EXPECT_FALSE(must(exists(repo.git_dir() + "/refs/heads/main.lock")));
  EXPECT_TRUE(must(list_dir(repo.git_dir() + "/txn/tmp")).empty());
  EXPECT_EQ(repo.git({"fsck", "--strict"}), "");
}

TEST(Refs, CreatesAndDeletes) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Refs refs = refs_of(repo);
  const RefName kept("refs/txn/t-7k2m/1");
  must(refs.update(move_ref(kept, Oid(), one)));
  EXPECT_EQ(repo.oid(kept.str()), one);
  EXPECT_EQ(code_of(refs.update(move_ref(kept, Oid(), one))), Code::kStale);
  EXPECT_FALSE(must(exists(repo.git_dir() + "/logs/" + kept.str())));
  EXPECT_EQ(code_of(refs.update(move_ref(kept, Oid(std::string(40, '1')), Oid()))), Code::kStale);
  must(refs.update(move_ref(kept, one, Oid())));
  EXPECT_EQ(refs.read(kept).error().code, Code::kNotFound);
  EXPECT_EQ(repo.git({"for-each-ref", "refs/txn/"}), "");
  EXPECT_EQ(code_of(refs.update(move_ref(kept, one, Oid()))), Code::kStale);
}

TEST(Refs, BeginsReflogsWhereGitWould) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Refs refs = refs_of(repo);
  auto create = [&](const char* name) {
    RefUpdate update = move_ref(RefName(name), Oid(), one);
    update.reflog_who = "A <a@example.com> 1700000000 +0000";
    update.reflog_message = "made";
    must(refs.update(update));
    return must(exists(repo.git_dir() + "/logs/" + name));
  };
  EXPECT_TRUE(create("refs/heads/a/b"));
  EXPECT_FALSE(create("refs/txn/t-1/1"));
  EXPECT_EQ(repo.git({"log", "-g", "--format=%gs", "a/b"}), "made");
  repo.git({"config", "core.logAllRefUpdates", "false"});
  EXPECT_FALSE(create("refs/heads/c"));
  repo.git({"config", "core.logAllRefUpdates", "always"});
  EXPECT_TRUE(create("refs/txn/t-1/2"));
}

TEST(Refs, WritesTheReflogOfEveryCheckoutOfTheBranch) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const std::string side = repo.root() + "/side";
  repo.git({"worktree", "add", "-q", "-b", "side", side});
  const Oid two = repo.commit("two");
  RefUpdate update = move_ref(RefName("refs/heads/side"), one, two);
  update.reflog_who = "A <a@example.com> 1700000000 +0000";
  update.reflog_message = "landed";
  must(refs_of(repo).update(update));
  EXPECT_EQ(repo.git_in(side, {"log", "-g", "-1", "--format=%H %gs", "HEAD"}),
            two.str() + " landed");
  EXPECT_EQ(repo.git({"log", "-g", "-1", "--format=%gs", "HEAD"}), "commit: two");
}

TEST(Refs, RefusesWhatIsNotExpected) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  const Refs refs = refs_of(repo);
  const Status stale = refs.update(move_ref(kMain, one, one));
  EXPECT_EQ(code_of(stale), Code::kStale);
  EXPECT_NE(stale.error().message.find(two.str()), std::string::npos);
  EXPECT_EQ(code_of(refs.update(move_ref(RefName("refs/heads/none"), one, two))), Code::kStale);
  EXPECT_EQ(code_of(refs.update(move_ref(RefName("refs/heads/../x"), one, two))), Code::kUsage);
  EXPECT_EQ(code_of(refs.update(move_ref(RefName("HEAD"), two, one))), Code::kUsage);
  EXPECT_EQ(code_of(refs.update(move_ref(kMain, two, Oid("abc")))), Code::kUsage);
  EXPECT_EQ(code_of(refs.update(move_ref(kMain, Oid(), Oid()))), Code::kUsage);
  repo.git({"symbolic-ref", "refs/heads/alias", "refs/heads/main"});
  EXPECT_EQ(code_of(refs.update(move_ref(RefName("refs/heads/alias"), two, one))), Code::kUsage);
  EXPECT_EQ(must(refs.resolve_name(RefName("refs/heads/alias"))), kMain);
  EXPECT_EQ(must(refs.resolve_name(RefName("HEAD"))), kMain);
  EXPECT_EQ(repo.head(), two);
  EXPECT_EQ(repo.git({"for-each-ref", "--format=%(refname)"}), "refs/heads/alias\nrefs/heads/main");
}

TEST(Refs, FileAndDirectoryOfOneNameAreInEachOthersWay) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Refs refs = refs_of(repo);
  for (const bool packed : {false, true}) {
    repo.git({"update-ref", "refs/heads/x/y", one.str()});
    if (packed) repo.git({"pack-refs", "--all"});
    for (const char* name : {"refs/heads/x", "refs/heads/x/y/z", "refs/heads/main/sub"}) {
      const Status status = refs.update(move_ref(RefName(name), Oid(), one));
      EXPECT_EQ(code_of(status), Code::kExists) << name;
      EXPECT_NE(repo.git_status({"update-ref", name, one.str()}), 0) << name;
    }
  }
  // directories that hold nothing are not in the way, and git leaves them
  repo.git({"update-ref", "-d", "refs/heads/x/y"});
  must(make_dirs(repo.git_dir() + "/refs/heads/x/y/z"));
  must(make_dirs(repo.git_dir() + "/logs/refs/heads/x/y"));
  RefUpdate update = move_ref(RefName("refs/heads/x"), Oid(), one);
  update.reflog_who = "A <a@example.com> 1700000000 +0000";
  must(refs.update(update));
  EXPECT_EQ(repo.oid("refs/heads/x"), one);
}

TEST(Refs, APackedValueIsReadComparedAndShadowed) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  repo.git({"tag", "-a", "-m", "tag", "v1"});
  repo.git({"pack-refs", "--all"});
  const Refs refs = refs_of(repo);
  EXPECT_FALSE(must(exists(repo.git_dir() + "/refs/heads/main")));
  EXPECT_EQ(must(refs.read(kMain)), two);
  EXPECT_EQ(code_of(refs.update(move_ref(kMain, one, one))), Code::kStale);
  EXPECT_EQ(code_of(refs.update(move_ref(kMain, Oid(), one))), Code::kStale);
  must(refs.update(move_ref(kMain, two, one)));
  EXPECT_EQ(repo.head(), one);
  EXPECT_EQ(must(refs.read(kMain)), one);
  must(refs.update(move_ref(kMain, one, Oid())));
  EXPECT_EQ(refs.read(kMain).error().code, Code::kNotFound);
  EXPECT_NE(repo.git_status({"rev-parse", "--verify", "-q", "refs/heads/main"}), 0);
}

TEST(Refs, ListsWhatGitLists) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  for (const char* name : {"b", "a/x", "a-b", "a0", "c/d/e"}) {
    repo.git({"update-ref", std::string("refs/heads/") + name, one.str()});
  }
  repo.git({"pack-refs", "--all"});
  repo.git({"update-ref", "refs/heads/b", two.str()});
  repo.git({"update-ref", "refs/txn/t-1/1", two.str()});
  repo.git({"symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/b"});
  repo.write(".git/refs/heads/stale.lock", "");
  repo.write(".git/refs/heads/.txn-1.lock", "x");
  repo.git({"symbolic-ref", "refs/heads/dangling", "refs/heads/nowhere"});
  const Refs refs = refs_of(repo);
  for (const std::string prefix :
       {"refs/", "refs/heads/", "refs/heads/a/", "refs/txn/", "refs/no/"}) {
    std::string listed;
    for (const auto& [name, oid] : must(refs.list(prefix))) {
      listed += oid.str() + " " + name.str() + "\n";
    }
    std::string expected = repo.git({"for-each-ref", "--format=%(objectname) %(refname)", prefix});
    if (!expected.empty()) expected += "\n";
    EXPECT_EQ(listed, expected) << prefix;
  }
  EXPECT_EQ(must(refs.list("refs/heads/a")).size(), 3u);  // a prefix of names, not a directory
  EXPECT_FALSE(refs.list("../"));
}

TEST(Refs, ABrokenFileIsAClearStop) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Refs refs = refs_of(repo);
  for (const std::string& bytes :
       {std::string(), std::string("\n"), one.str().substr(0, 39), std::string("garbage"),
        std::string("ref: ../../etc"), std::string(40, '\0')}) {
    repo.write(".git/refs/heads/main", bytes);
    for (const Error& error : {refs.read(kMain).error(), refs.list("refs/heads/").error(),
                               refs.update(move_ref(kMain, one, one)).error()}) {
      EXPECT_EQ(error.code, Code::kCorrupt) << bytes;
      EXPECT_NE(error.message.find("refs/heads/main"), std::string::npos);
      EXPECT_NE(error.message.find(repo.git_dir() + "/refs/heads/main"), std::string::npos);
      EXPECT_NE(error.hint.find("git update-ref refs/heads/main VALUE"), std::string::npos);
    }
    EXPECT_EQ(must(read_file(repo.git_dir() + "/refs/heads/main")), bytes);
    EXPECT_FALSE(must(exists(repo.git_dir() + "/refs/heads/main.lock")));
  }
  repo.write(".git/refs/heads/main", "");
  must(remove_file(repo.git_dir() + "/refs/heads/main"));  // what the hint says
  repo.git({"update-ref", "refs/heads/main", one.str()});
  EXPECT_EQ(must(refs.read(kMain)), one);
}

TEST(Refs, ALockIsWaitedForAndThenNamed) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  const Refs refs = refs_of(repo);
  const std::string lock = repo.git_dir() + "/refs/heads/main.lock";
  repo.write(".git/refs/heads/main.lock", one.str() + "\n");
  RefUpdate update = move_ref(kMain, two, one);
  update.lock_deadline_ms = 30;
  const Status busy = refs.update(update);
  EXPECT_EQ(code_of(busy), Code::kBusy);
  EXPECT_NE(busy.error().message.find(lock), std::string::npos);
  EXPECT_NE(busy.error().hint.find("rm '" + lock), std::string::npos);
  EXPECT_EQ(must(read_file(lock)), one.str() + "\n");
  EXPECT_TRUE(must(list_dir(repo.git_dir() + "/txn/tmp")).empty());
  std::thread holder([&] {
    ::usleep(50'000);
    ::unlink(lock.c_str());
  });
  update.lock_deadline_ms = 10'000;
  const Status had = refs.update(update);
  holder.join();
  EXPECT_TRUE(had);
  EXPECT_EQ(repo.head(), one);
}

TEST(Refs, OnlyOurOwnLockIsRemoved) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  const Refs refs = refs_of(repo);
  const std::string lock = repo.git_dir() + "/refs/heads/main.lock";
  EXPECT_FALSE(must(refs.remove_own_lock(kMain, one)));
  for (const std::string& bytes : {std::string(), two.str() + "\n", one.str()}) {
    repo.write(".git/refs/heads/main.lock", bytes);
    EXPECT_FALSE(must(refs.remove_own_lock(kMain, one)));
    EXPECT_TRUE(must(exists(lock)));
  }
  EXPECT_FALSE(must(refs.remove_own_lock(kMain, Oid())));
  repo.write(".git/refs/heads/main.lock", one.str() + "\n");
  EXPECT_TRUE(must(refs.remove_own_lock(kMain, one)));
  EXPECT_FALSE(must(exists(lock)));
}

TEST(Refs, AKillLeavesTheOldValueOurLockOrTheNewValue) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  const Refs refs = refs_of(repo);
  const std::string lock = repo.git_dir() + "/refs/heads/main.lock";
  for (const std::string point : {"refs.after_lock", "refs.after_rename", "refs.before_dirsync"}) {
    repo.git({"update-ref", "refs/heads/main", one.str()});
    const int status = in_child([&] {
      must(Failpoint::arm(point));
      (void)refs.update(move_ref(kMain, one, two));
      return 0;
    });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << point;
    const bool moved = point != "refs.after_lock";
    EXPECT_EQ(must(refs.read(kMain)), moved ? two : one) << point;
    EXPECT_EQ(must(exists(lock)), !moved) << point;
    EXPECT_EQ(repo.git({"fsck"}), "");
    EXPECT_EQ(must(refs.remove_own_lock(kMain, two)), !moved) << point;
    EXPECT_FALSE(must(refs.remove_own_lock(kMain, two))) << point;
    must(refs.sync_directory(kMain));
    if (!moved) must(refs.update(move_ref(kMain, one, two)));
    EXPECT_EQ(repo.head(), two) << point;
  }
}

TEST(Refs, AnErrorAfterTheRenameIsAnUnknownOutcome) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  const Refs refs = refs_of(repo);
  const std::map<std::string, Code> expected = {{"refs.after_lock", Code::kFault},
                                                {"refs.after_rename", Code::kOutcomeUnknown},
                                                {"refs.before_dirsync", Code::kOutcomeUnknown}};
  for (const auto& [point, code] : expected) {
    repo.git({"update-ref", "refs/heads/main", two.str()});
    const int status = in_child([&] {
      must(Failpoint::arm(point + "=error"));
      const Status updated = refs.update(move_ref(kMain, two, one));
      return updated ? 255 : static_cast<int>(updated.error().code);
    });
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(code)) << point;
    EXPECT_FALSE(must(exists(repo.git_dir() + "/refs/heads/main.lock"))) << point;
    EXPECT_EQ(must(refs.read(kMain)), code == Code::kFault ? two : one) << point;
  }
}

// 8 processes count a reference up; the value holds the count and who wrote it.
TEST(Refs, OfEightProcessesExactlyOneWinsEachStep) {
  const ScratchRepo repo;
  const Refs refs = refs_of(repo);
  const RefName counter("refs/heads/counter");
  constexpr int kProcesses = 8;
  constexpr long kSteps = 200;
  auto value = [](long count, int who) {
    std::array<char, 41> text;
    (void)std::snprintf(text.data(), text.size(), "%032lx%08x", count, who);
    return Oid(text.data());
  };
  must(refs.update(move_ref(counter, Oid(), value(0, 0))));
  std::vector<pid_t> children;
  for (int who = 1; who <= kProcesses; ++who) {
    children.push_back(start_child([&, who] {
      std::string won;
      while (true) {
        const Oid now = must(refs.read(counter));
        const long count = std::stol(now.str().substr(0, 32), nullptr, 16);
        if (count >= kSteps) break;
        const Status moved = refs.update(move_ref(counter, now, value(count + 1, who)));
        if (moved) won += std::to_string(count + 1) + "\n";
        if (!moved && moved.error().code != Code::kStale) return 1;
      }
      return write_file(repo.root() + "/won-" + std::to_string(who), won, Sync::kNo) ? 0 : 2;
    }));
  }
  std::multiset<long> won;
  for (int who = 1; who <= kProcesses; ++who) {
    int status = 0;
    ::waitpid(children[static_cast<std::size_t>(who - 1)], &status, 0);
    ASSERT_EQ(status, 0) << who;
    std::string text = must(read_file(repo.root() + "/won-" + std::to_string(who)));
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      won.insert(std::stol(text.substr(0, end)));
      text.erase(0, end + 1);
    }
  }
  EXPECT_EQ(won.size(), static_cast<std::size_t>(kSteps));
  EXPECT_EQ(std::set<long>(won.begin(), won.end()).size(), won.size());
  EXPECT_TRUE(must(list_dir(repo.git_dir() + "/txn/tmp")).empty());
}

// Half of the steps by git update-ref, half by us, with git pack-refs all the while.
TEST(Refs, GitsOwnUpdatesAndOursRespectEachOther) {
  const ScratchRepo repo;
  const Refs refs = refs_of(repo);
  constexpr std::size_t kSteps = 40;
  std::vector<Oid> chain = {repo.commit("0")};
  const Oid tree = repo.tree();
  for (std::size_t i = 1; i <= kSteps; ++i) {
    chain.emplace_back(
        repo.git({"commit-tree", "-p", chain.back().str(), "-m", std::to_string(i), tree.str()}));
  }
  auto position = [&](const Oid& oid) {
    return static_cast<std::size_t>(std::find(chain.begin(), chain.end(), oid) - chain.begin());
  };
  auto worker = [&](bool by_git) {
    std::size_t won = 0;
    while (true) {
      const auto now = refs.read(kMain);
      if (!now) return 255;
      const std::size_t at = position(*now);
      if (at >= kSteps) return static_cast<int>(won);
      if (by_git) {
        won += repo.git_status(
                   {"update-ref", "refs/heads/main", chain[at + 1].str(), chain[at].str()}) == 0;
      } else {
        const Status moved = refs.update(move_ref(kMain, chain[at], chain[at + 1]));
        if (!moved && moved.error().code != Code::kStale) return 254;
        won += moved.has_value();
      }
    }
  };
  std::vector<pid_t> children;
  for (const bool by_git : {true, false, true, false}) {
    children.push_back(start_child([&, by_git] { return worker(by_git); }));
  }
  const pid_t packer = start_child([&] {
    while (true) {
      const auto now = refs.read(kMain);
      if (!now) return 255;
      if (position(*now) >= kSteps) return 0;
      (void)repo.git_status({"pack-refs", "--all"});
    }
  });
  std::size_t won = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 200) << status;
    won += static_cast<std::size_t>(WEXITSTATUS(status));
  }
  int status = 0;
  ::waitpid(packer, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(won, kSteps);
  EXPECT_EQ(repo.head(), chain.back());
}

TEST(Refs, AreReadableByOthersAsGitWouldMakeThem) {
  const ScratchRepo repo({"--shared=group"});
  const Oid one = repo.commit("one");
  must(refs_of(repo).update(move_ref(RefName("refs/txn/t-1/1"), Oid(), one)));
  struct stat st{};
  ASSERT_EQ(::stat((repo.git_dir() + "/refs/txn/t-1/1").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0664u);
  ASSERT_EQ(::stat((repo.git_dir() + "/refs/txn/t-1").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 02775u);
}

TEST(Refs, HeadIsReadAsBranchOrCommit) {
  const ScratchRepo repo;
  EXPECT_EQ(must(read_head(repo.git_dir())).target, kMain);
  const Oid one = repo.commit("one");
  repo.git({"checkout", "-q", "--detach"});
  EXPECT_FALSE(must(read_head(repo.git_dir())).symbolic);
  EXPECT_EQ(must(read_head(repo.git_dir())).oid, one);
  EXPECT_EQ(must(refs_of(repo).read(RefName("HEAD"))), one);
  repo.write(".git/HEAD", "");
  EXPECT_EQ(read_head(repo.git_dir()).error().code, Code::kCorrupt);
  must(remove_file(repo.git_dir() + "/HEAD"));
  EXPECT_EQ(read_head(repo.git_dir()).error().code, Code::kCorrupt);
  ASSERT_EQ(::symlink("refs/heads/main", (repo.git_dir() + "/HEAD").c_str()), 0);
  EXPECT_EQ(must(read_head(repo.git_dir())).target, kMain);
}

}  // namespace
}  // namespace gittxn::repo
