// Tests of how an asking begins and ends: what it leaves, what ends it, who may have one.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <iterator>
#include <sstream>

#include "asking/testing/no_namespaces.h"
#include "asking/testing/world.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/testing/child.h"

namespace gittxn::asking {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using ::testing::Not;
using ::testing::SizeIs;

using Life = testing::World;

// Processes, of whatever namespace, whose arguments have this word.
int running_with(const std::string& word) {
  int count = 0;
  for (const DirEntry& entry : must(list_dir("/proc"))) {
    if (entry.name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto line = read_file("/proc/" + entry.name + "/cmdline", 1u << 20);
    const std::string argument = '\0' + word + '\0';
    if (line && line->find(argument) != std::string::npos) ++count;
  }
  return count;
}

// A time to sleep that no other process of the machine has.
std::string long_sleep() {
  static int number = 0;
  return fmt::format("{}.{}", 40'000 + ::getpid() % 10'000, ++number);
}

std::int64_t now_ms() {
  return SystemClock().monotonic_ns() / kNsPerMs;
}

TEST_F(Life, ItsStatusIsTold) {
  EXPECT_EQ(must(ask(shell("exit 7"))).status, 7);
  EXPECT_EQ(must(ask(shell("kill -TERM $$"))).status, 128 + 15);
  EXPECT_EQ(must(ask(shell("kill -SEGV $$"))).status, 128 + 11);
}

TEST_F(Life, BothStreamsMayBeFullAtOnce) {
  const Asked asked = must(ask(shell(
      "head -c 8388608 /dev/zero >&2 & head -c 8388608 /dev/zero; wait; head -c 9 /dev/zero >&2")));
  EXPECT_EQ(asked.status, 0);
  EXPECT_EQ(asked.out.bytes, 8u << 20);
  EXPECT_EQ(asked.err.bytes, (8u << 20) + 9);
  EXPECT_EQ(asked.out.digest, sha256(std::string(8u << 20, '\0')));
  EXPECT_EQ(asked.out.end.size(), AskSpec().keep_bytes);
  EXPECT_EQ(asked.no_answer, "");
}

TEST_F(Life, TheEndOfItsOutputIsKept) {
  AskSpec counting = shell("seq 100000");
  counting.keep_bytes = 7;
  EXPECT_EQ(must(ask(counting)).out.end, "100000\n");
  counting.keep_bytes = 0;
  EXPECT_EQ(must(ask(counting)).out.end, "");
}

TEST_F(Life, TooMuchOutputIsNoAnswer) {
  const Asked asked = must(ask(shell("yes")));
  EXPECT_THAT(asked.no_answer, HasSubstr("more than 67108864 bytes"));
  EXPECT_EQ(said("cat README"), "hello\n");
}

// It is memory: no run takes more of it, and nothing of that stays.
TEST_F(Life, WhoFillsItsTemporaryDirectoryFails) {
  const Asked asked = must(ask(shell(
      "head -c 600000000 /dev/zero >\"$TMPDIR/full\" || { wc -c <\"$TMPDIR/full\"; exit 3; }")));
  EXPECT_EQ(asked.status, 3);
  EXPECT_EQ(asked.out.end, std::to_string(512u << 20) + "\n");
  EXPECT_THAT(asked.err.end, HasSubstr("No space left on device"));
  EXPECT_EQ(said("ls -A \"$TMPDIR\""), "");
}

TEST_F(Life, ItHasATimeLimit) {
  const std::string sleep = long_sleep();
  AskSpec slow = shell("trap '' TERM; sleep " + sleep + "; sleep " + sleep);
  slow.timeout_ms = 300;
  const std::int64_t before = now_ms();
  EXPECT_THAT(must(ask(slow)).no_answer, HasSubstr("longer than 300 ms"));
  EXPECT_LT(now_ms() - before, 20'000);
  EXPECT_EQ(running_with(sleep), 0);
}

TEST_F(Life, WhatItLeavesRunningIsEndedAndNamed) {
  const std::string sleep = long_sleep();
  const Asked asked =
      must(ask(shell("setsid sh -c 'trap \"\" TERM; sleep " + sleep + "; true' & echo started")));
  EXPECT_EQ(asked.out.end, "started\n");
  EXPECT_THAT(asked.left_running, Not(IsEmpty()));
  EXPECT_EQ(running_with(sleep), 0);
}

TEST_F(Life, ItIsInterrupted) {
  const std::string sleep = long_sleep();
  AskSpec slow = shell("sleep " + sleep);
  int polls = 0;
  slow.interrupted = [&] { return running_with(sleep) > 0 || ++polls > 1000; };
  EXPECT_EQ(ask(slow).error().code, Code::kInterrupted);
  EXPECT_LT(polls, 1000);
  EXPECT_EQ(running_with(sleep), 0);
  EXPECT_EQ(said("cat README"), "hello\n");
}

std::vector<std::string> askings(const std::string& root) {
  std::vector<std::string> found;
  for (const DirEntry& entry : must(list_dir(root))) {
    if (entry.name.starts_with("ask-")) found.push_back(entry.name);
  }
  return found;
}

TEST_F(Life, AKillInTheMiddleLeavesWhatTheNextOneRemoves) {
  const std::string sleep = long_sleep();
  const pid_t child = gittxn::testing::in_child([&] {
    AskSpec slow = shell("echo x >new; sleep " + sleep);
    return ask(slow) ? 0 : 1;
  });
  const std::int64_t end = now_ms() + 60'000;
  while (running_with(sleep) == 0 && now_ms() < end) SystemClock().sleep_ms(10);
  ASSERT_EQ(running_with(sleep), 1);
  // An asking with a living owner stays, whoever else asks meanwhile.
  EXPECT_EQ(said("cat README; ls -A | grep new | wc -l"), "hello\n0\n");
  EXPECT_THAT(askings(root()), SizeIs(2));
  ::kill(child, SIGKILL);
  EXPECT_TRUE(gittxn::testing::was_killed(gittxn::testing::status_of(child)));
  while (running_with(sleep) != 0 && now_ms() < end) SystemClock().sleep_ms(10);
  EXPECT_EQ(running_with(sleep), 0);
  EXPECT_THAT(askings(root()), SizeIs(2));
  EXPECT_TRUE(open().ask(shell("true")).has_value());
  EXPECT_THAT(askings(root()), SizeIs(1)) << "of the one that lives";
  must(make_dirs(root() + "/ask-killed/trees"));
  must(collect_askings(root()));
  EXPECT_THAT(askings(root()), SizeIs(1));
  EXPECT_EQ(said("cat README"), "hello\n");
  asker_.reset();
  EXPECT_THAT(askings(root()), IsEmpty());
  EXPECT_THAT(must(read_file("/proc/self/mountinfo")), Not(HasSubstr("asking-test")));
}

std::vector<std::string> children_of(const std::string& process) {
  std::istringstream numbers(must(read_file("/proc/" + process + "/children", 4096)));
  return {std::istream_iterator<std::string>(numbers), {}};
}

TEST_F(Life, ItsFirstProcessMayBeKilled) {
  AskSpec slow = shell("sleep 60");
  slow.interrupted = [] {
    for (const std::string& warden : children_of("thread-self")) {
      for (const std::string& first : children_of(warden + "/task/" + warden)) {
        ::kill(static_cast<pid_t>(std::stol(first)), SIGKILL);
      }
    }
    return false;
  };
  const auto asked = ask(slow);
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, Code::kFault);
  EXPECT_EQ(said("cat README"), "hello\n");
}

// The answer of a machine without namespaces.
TEST_F(Life, WithoutNamespacesNothingRuns) {
  const std::string told = repo_.root() + "/told";
  const pid_t child = gittxn::testing::in_child([&] {
    if (!testing::without_namespaces()) return 2;
    const auto asked = ask(shell("echo ran >/dev/null"));
    if (asked || asked.error().code != Code::kUnsupported) return 1;
    return write_file(told, asked.error().message, Sync::kNo) ? 0 : 3;
  });
  EXPECT_EQ(gittxn::testing::status_of(child), 0);
  EXPECT_THAT(must(read_file(told)), HasSubstr("gives no namespaces"));
}

int told(const std::string& text, int status) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
  return status;
}

// Everything of a user who is nobody's administrator.
TEST(OrdinaryUser, AsksAsWell) {
  constexpr uid_t kNobody = 65534;
  if (const auto why = repo::testing::missing(repo::OverlayMarks::kUser); !why.empty()) {
    GTEST_SKIP() << why;
  }
  if (const auto means = capture::confine_means(); !means) GTEST_SKIP() << means.error().message;
  const pid_t child = gittxn::testing::in_child([&] {
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return 10;
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // as after the exec that a login has between
    testing::ScratchRepo repo = repo::testing::some_repo();
    repo::Repository repository = repo.open();
    auto asker = Asker::open(repository, repo.root() + "/asking", repo.root() + "/shared");
    if (!asker) return 11;
    AskSpec spec;
    spec.argv = {"/bin/sh", "-c",
                 "cat README; rm -r lib; mkdir lib; echo x >lib/x; ls -A . lib; id -u; "
                 "echo x >" +
                     repo.root() + "/x; mount -t tmpfs none /tmp"};
    spec.at = spec.cwd = repo.root() + "/worktrees/1/tree";
    spec.hidden = {repo.root() + "/worktrees"};
    spec.tree = repo.tree();
    spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    spec.timeout_ms = 60'000;
    for (int i = 0; i < 2; ++i) {
      const auto asked = asker->ask(spec);
      if (!asked) return told(asked.error().message, 12);
      const std::string uid = std::to_string(::geteuid());
      const std::string expected =
          "hello\n.:\n.gitignore\nREADME\ndocs\nlib\nsrc\n\nlib:\nx\n" + uid + "\n";
      if (asked->out.end != expected) return told(asked->out.end + asked->err.end, 13);
      if (asked->status == 0 || !asked->lost.empty()) return 14;
    }
    return must(exists(repo.root() + "/x")) ? 15 : 0;
  });
  const int status = gittxn::testing::status_of(child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

// Not a measurement, but what must not grow with the repository would be seen.
TEST_F(Life, TheNextQuestionIsSoonAnswered) {
  constexpr int kFiles = 10'000;
  constexpr int kAskings = 5;
  for (int i = 0; i < kFiles; ++i) {
    const std::string dir = repo_.file(fmt::format("many/{}", i / 100));
    if (i % 100 == 0) must(make_dirs(dir, 0755));
    const UniqueFd fd = must(open_fd(fmt::format("{}/{}", dir, i), O_WRONLY | O_CREAT, 0644));
    must(write_all(fd.get(), "x"));
  }
  repo_.commit("many");
  std::int64_t start = now_ms();
  EXPECT_EQ(said(spec({"cat", "README"})), "hello\n");
  const std::int64_t first = now_ms() - start;
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  start = now_ms();
  EXPECT_EQ(said(spec({"cat", "src/a.txt"})), "changed\n");
  const std::int64_t second = now_ms() - start;
  start = now_ms();
  for (int i = 0; i < kAskings; ++i) EXPECT_EQ(said(spec({"cat", "README"})), "hello\n");
  const std::int64_t each = (now_ms() - start) / kAskings;
  std::printf("first tree %lld ms, another %lld ms, each asking %lld ms\n",
              static_cast<long long>(first), static_cast<long long>(second),
              static_cast<long long>(each));
  EXPECT_LT(each, first);
  EXPECT_LT(second, first);
}

}  // namespace
}  // namespace gittxn::asking
