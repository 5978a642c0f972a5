// How a run begins and ends: what the command is given, and that nothing of its tree outlives it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::run;
using testing::TempDir;
using testing::Traced;

class Run : public ::testing::TestWithParam<Backend> {
 protected:
  TraceSpec shell(const std::string& script) {
    TraceSpec spec = make_spec(dir_, {"/bin/sh", "-c", script});
    spec.backend = GetParam();
    return spec;
  }
  void SetUp() override { SKIP_UNUSABLE(GetParam()); }
  std::string content(const std::string& name) { return read_file(dir_ / name).value_or(""); }

  TempDir dir_;
};
INSTANTIATE_TEST_SUITE_P(Trace, Run,
                         ::testing::Values(Backend::kOff, Backend::kBpf, Backend::kHybrid,
                                           Backend::kNotify, Backend::kPtrace),
                         [](const auto& p) { return std::string(backend_name(p.param)); });

bool lives(pid_t pid) {
  const std::string stat =
      read_file("/proc/" + std::to_string(pid) + "/stat").value_or("1 (gone) X");
  const char state = stat[std::min(stat.rfind(')') + 2, stat.size() - 1)];
  return state != 'X' && state != 'Z';
}

bool ends_within(pid_t pid, int seconds) {
  SystemClock clock;
  for (int i = 0; i < seconds * 100 && lives(pid); ++i) clock.sleep_ms(10);
  return !lives(pid);
}

std::vector<pid_t> pids_in(const std::string& file) {
  std::vector<pid_t> pids;
  std::string text = read_file(file).value_or("");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    pids.push_back(std::stoi(text.substr(at, end - at)));
    at = end + 1;
  }
  return pids;
}

TEST_P(Run, TellsOnceThatTheProgramRuns) {
  int started = 0;
  TraceSpec spec = shell("exit 3");
  spec.started = [&started] { ++started; };
  ASSERT_TRUE(run(spec).result);
  EXPECT_EQ(started, 1);
  TraceSpec missing = make_spec(dir_, {dir_ / "not-there"});
  missing.backend = GetParam();
  missing.record_file = dir_ / "records-of-nothing";
  missing.started = [&started] { ++started; };
  EXPECT_FALSE(run_traced(missing));
  EXPECT_EQ(started, 1);
}

TEST_P(Run, GivesExactlyTheEnvironmentAndDirectory) {
  TraceSpec spec = shell("env > env; pwd -P > pwd");
  spec.env = {{"A", "1"}, {"ODD", "x=y\nz"}, {"PATH", "/usr/bin:/bin"}};
  ASSERT_TRUE(run(spec).result);
  std::string env = content("env");
  EXPECT_NE(env.find("A=1\n"), env.npos);
  EXPECT_NE(env.find("ODD=x=y\nz\n"), env.npos);
  EXPECT_EQ(env.find("HOME="), env.npos);
  EXPECT_EQ(content("pwd"), dir_.path() + "\n");
}

TEST_P(Run, GivesTheThreeDescriptorsAndNoOther) {
  ASSERT_TRUE(write_file(dir_ / "in2", "from stdin\n", Sync::kNo));
  const UniqueFd in2 = std::move(open_fd(dir_ / "in2", O_RDONLY).value());
  const UniqueFd out = std::move(open_fd(dir_ / "out", O_WRONLY | O_CREAT).value());
  const UniqueFd err = std::move(open_fd(dir_ / "err", O_WRONLY | O_CREAT).value());
  const int leaky = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  ASSERT_GE(leaky, 0);
  TraceSpec spec = shell("cat; echo to stderr >&2; ls /proc/$$/fd");
  spec.stdin_fd = in2.get();
  spec.stdout_fd = out.get();
  spec.stderr_fd = err.get();
  ASSERT_TRUE(run(spec).result);
  ::close(leaky);
  EXPECT_EQ(content("out"), "from stdin\n0\n1\n2\n");
  EXPECT_EQ(content("err"), "to stderr\n");
}

TEST_P(Run, AProgramThatCannotStartIsAnError) {
  TraceSpec spec = make_spec(dir_, {"no-such-program-at-all"});
  spec.backend = GetParam();
  auto result = run_traced(spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kNotFound);
  EXPECT_FALSE(exists(spec.record_file).value()) << "nothing ran, nothing is left";
  spec.argv = {"./absent"};
  EXPECT_EQ(run_traced(spec).error().code, Code::kNotFound);
  ASSERT_TRUE(write_file(dir_ / "plain", "x", Sync::kNo, 0644));
  spec.argv = {"./plain"};
  ASSERT_FALSE(run_traced(spec));
  spec.argv = {};
  EXPECT_EQ(run_traced(spec).error().code, Code::kUsage);
  ASSERT_TRUE(write_file(dir_ / "script", "#!/no/such/interpreter\n", Sync::kNo, 0755));
  spec.argv = {"./script"};
  EXPECT_EQ(run(spec).result.error().code, Code::kNotFound);
  spec.argv = {"true"};
  spec.cwd = dir_ / "absent";
  EXPECT_FALSE(run(spec).result);
}

TEST_P(Run, AScriptWithoutFirstLineRunsAsExecvpDoesIt) {
  ASSERT_TRUE(write_file(dir_ / "script", "echo ran > result\n", Sync::kNo, 0755));
  TraceSpec spec = make_spec(dir_, {"./script"});
  spec.backend = GetParam();
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result) << traced.result.error().message;
  EXPECT_EQ(content("result"), "ran\n");
}

TEST_P(Run, NeverWritesOverRecords) {
  TraceSpec spec = shell("true");
  ASSERT_TRUE(write_file(spec.record_file, "old", Sync::kNo));
  auto result = run_traced(spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kExists);
  EXPECT_EQ(read_file(spec.record_file).value(), "old");
  ASSERT_TRUE(remove_file(spec.record_file));
}

TEST_P(Run, ADaemonIsEnded) {
  TraceSpec spec = shell(
      ": > pids; (setsid sh -c '(echo $$; trap \"\" HUP; sleep 1000) >> pids & exit 0' &);"
      "setsid sh -c 'sleep 1000 & echo $! >> pids; echo $$ >> pids; wait' & "
      "while [ $(wc -l < pids 2>/dev/null || echo 0) -lt 3 ]; do sleep 0.01; done; exit 7");
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.result->exit_status, 7);
  EXPECT_GE(traced.result->left_running.size(), 2u);
  for (const pid_t pid : pids_in(dir_ / "pids")) EXPECT_FALSE(lives(pid)) << pid;
  EXPECT_EQ(traced.summary.complete, GetParam() != Backend::kOff) << traced.summary.reason;
}

TEST_P(Run, WhatIgnoresSigtermIsKilledAfterTheGrace) {
  TraceSpec spec = shell(
      "sh -c 'trap \"\" TERM; echo $$ > pids; while :; do sleep 0.05; done' & "
      "while [ ! -s pids ]; do sleep 0.01; done");
  spec.grace_ms = 200;
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(traced.result->left_running.empty(), false);
  for (const pid_t pid : pids_in(dir_ / "pids")) EXPECT_FALSE(lives(pid));
}

TEST_P(Run, AStoppedProcessIsEndedToo) {
  TraceSpec spec = shell("sleep 1000 & echo $! > pids; kill -STOP $!");
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  for (const pid_t pid : pids_in(dir_ / "pids")) EXPECT_FALSE(lives(pid));
}

TEST_P(Run, WhatEndsByItselfSoonIsLeftAlone) {
  TraceSpec spec = shell("(sleep 0.03; echo done > late) & exit 0");
  spec.linger_ms = 20'000;
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(content("late"), "done\n");
  EXPECT_TRUE(traced.result->left_running.empty());
}

TEST_P(Run, SigtermGivesTimeToCleanUp) {
  const Traced traced = run(
      shell("sh -c 'trap \"echo clean > cleaned; exit\" TERM; echo > up; while :; do sleep 0.01; "
            "done' & while [ ! -e up ]; do sleep 0.01; done"));
  ASSERT_TRUE(traced.result);
  EXPECT_EQ(content("cleaned"), "clean\n");
}

TEST_P(Run, KeepRunningLeavesItWorking) {
  TraceSpec spec = shell(
      "sh -c 'echo $$ > pids; while [ ! -e go ]; do sleep 0.02; done; echo on > later; "
      "exec sleep 1000' & while [ ! -s pids ]; do sleep 0.01; done");
  spec.keep_running = true;
  UniqueFd lock = std::move(open_fd(dir_ / "lock", O_RDWR | O_CREAT).value());
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_NE(traced.result->lost, "");
  EXPECT_FALSE(traced.summary.complete);
  EXPECT_FALSE(traced.result->left_running.empty());
  const pid_t pid = pids_in(dir_ / "pids").at(0);
  EXPECT_TRUE(lives(pid));
  ASSERT_TRUE(write_file(dir_ / "go", "", Sync::kNo));
  SystemClock clock;
  for (int i = 0; i < 500 && content("later").empty(); ++i) clock.sleep_ms(10);
  EXPECT_EQ(content("later"), "on\n") << "its calls still work";
  // Our lock lives in nobody else: closing our descriptor frees it.
  const UniqueFd other = std::move(open_fd(dir_ / "lock", O_RDWR).value());
  EXPECT_NE(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
  lock.reset();
  EXPECT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
  ::kill(pid, SIGKILL);
  EXPECT_TRUE(ends_within(pid, 5));
  while (::waitpid(-1, nullptr, 0) > 0) continue;  // its monitor ends with it
}

TEST_P(Run, TimeLimit) {
  TraceSpec spec = shell("sleep 1000 & echo $! > pids; sleep 1000");
  spec.timeout_ms = 200;
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_TRUE(traced.result->timed_out);
  EXPECT_NE(traced.result->exit_status, 0);
  for (const pid_t pid : pids_in(dir_ / "pids")) EXPECT_FALSE(lives(pid));
}

TEST_P(Run, FirstInterruptGoesToTheCommandTheSecondEndsTheTree) {
  TraceSpec spec = shell(
      "trap 'echo int >> ints' INT; (trap '' TERM; echo > up; sleep 1000) & "
      "while :; do :; done");
  spec.grace_ms = 100;
  int sent = 0;
  spec.interrupted = [&] {
    if (sent == 0 && exists(dir_ / "up").value_or(false)) return ++sent == 1;
    if (sent == 1 && !content("ints").empty()) return ++sent == 2;
    return false;
  };
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_TRUE(traced.result->interrupted);
  EXPECT_EQ(sent, 2);
  EXPECT_EQ(content("ints"), "int\n") << "once, and only once";
}

TEST_P(Run, AnInterruptedCommandThatEndsSaysSo) {
  TraceSpec spec = shell("echo > up; exec sleep 1000");
  bool sent = false;
  spec.interrupted = [&] { return !sent && exists(dir_ / "up").value_or(false) && (sent = true); };
  const Traced traced = run(spec);
  ASSERT_TRUE(traced.result);
  EXPECT_TRUE(traced.result->interrupted);
  EXPECT_EQ(traced.result->exit_status, 128 + SIGINT);
}

TEST_P(Run, OutputIsReadAsItComes) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  ::fcntl(write_end.get(), F_SETFL, 0);
  TraceSpec spec = shell("head -c 3000000 /dev/zero");
  spec.stdout_fd = write_end.get();
  spec.watch_fd = read_end.get();
  std::size_t total = 0;
  const auto drain = [&] {
    char buffer[65536];
    for (ssize_t got = 0; (got = ::read(read_end.get(), buffer, sizeof buffer)) > 0;) {
      total += static_cast<std::size_t>(got);
    }
  };
  spec.on_readable = drain;
  ASSERT_TRUE(run(spec).result);
  drain();
  EXPECT_EQ(total, 3000000u);
}

TEST_P(Run, AKilledMonitorTakesTheTreeWithIt) {
  const Traced traced = run(
      shell("(setsid sleep 1000 & echo $! >> pids); sleep 1000 & echo $! >> pids; echo $$ >> pids;"
            "kill -KILL $PPID; sleep 1000"));
  ASSERT_TRUE(traced.result);
  EXPECT_NE(traced.result->lost.find("monitor"), std::string::npos) << traced.result->lost;
  EXPECT_FALSE(traced.summary.complete);
  EXPECT_EQ(traced.result->exit_status, 128 + SIGKILL);
  const std::vector<pid_t> pids = pids_in(dir_ / "pids");
  ASSERT_EQ(pids.size(), 3u);
  for (const pid_t pid : pids) EXPECT_FALSE(lives(pid)) << pid;
}

TEST_P(Run, AKilledMonitorSparesOtherChildren) {
  const pid_t other = ::fork();
  if (other == 0) {
    ::pause();
    ::_exit(0);
  }
  const Traced traced = run(shell("sleep 1000 & kill -KILL $PPID; sleep 1000"));
  ASSERT_TRUE(traced.result);
  EXPECT_TRUE(lives(other));
  ::kill(other, SIGKILL);
  EXPECT_EQ(::waitpid(other, nullptr, 0), other);
}

TEST_P(Run, AKilledCallerTakesTheTreeWithIt) {
  const TraceSpec spec = shell(
      "(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 0.1; done' & echo $! >> pids);"
      "echo $PPID >> pids; echo $$ >> pids; exec sleep 1000");
  const pid_t caller = ::fork();
  if (caller == 0) {
    const auto result = run_traced(spec);
    ::_exit(result ? 0 : 1);
  }
  SystemClock clock;
  for (int i = 0; i < 500 && pids_in(dir_ / "pids").size() < 3; ++i) clock.sleep_ms(10);
  ASSERT_EQ(pids_in(dir_ / "pids").size(), 3u);
  ::kill(caller, SIGKILL);
  EXPECT_EQ(::waitpid(caller, nullptr, 0), caller);
  for (const pid_t pid : pids_in(dir_ / "pids")) EXPECT_TRUE(ends_within(pid, 5)) << pid;
  ASSERT_TRUE(remove_file(spec.record_file));
}

// A sandbox around us that listens already. Nothing of this may touch the test's own process.
TEST(Sandboxed, ASecondListenerIsRefusedAndNothingIsClaimed) {
  const TempDir dir;
  const TraceSpec automatic = make_spec(dir, {"true"});
  TraceSpec forced = make_spec(dir, {"true"});
  forced.backend = Backend::kPtrace;
  const pid_t child = ::fork();
  if (child == 0) {
    sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog program{1, allow};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                  &program) < 0) {
      ::_exit(10);
    }
    const Traced traced = run(automatic);
    if (!traced.result) ::_exit(11);
    if (traced.result->used == Backend::kBpf) {  // which needs no filter
      if (!traced.summary.complete) ::_exit(15);
    } else {
      if (traced.result->used != Backend::kOff) ::_exit(16);
      if (traced.result->lost.find("listens") == std::string::npos) ::_exit(12);
      if (traced.summary.complete) ::_exit(13);
    }
    const Traced refused = run(forced);
    ::_exit(!refused.result && refused.result.error().code == Code::kUnsupported ? 0 : 14);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_P(Run, LeavesTheCallerAsItWas) {
  int before = -1;
  ::prctl(PR_GET_CHILD_SUBREAPER, &before, 0, 0, 0);
  ASSERT_TRUE(run(shell("true")).result);
  int after = -1;
  ::prctl(PR_GET_CHILD_SUBREAPER, &after, 0, 0, 0);
  EXPECT_EQ(before, after);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

}  // namespace
}  // namespace gittxn::capture
