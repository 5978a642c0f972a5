// A run in the foreground of a real terminal, under a small job-control shell of our own:
//
//   test -- pty -- shell (session leader) -- job (its own group: the caller of run_traced) --
//   command
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "base/clock.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::TempDir;

class Terminal : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override { SKIP_UNUSABLE(GetParam()); }
  void say(const std::string& line) const {
    std::ofstream(dir_ / "log", std::ios::app) << line << "\n";
  }
  std::string log() const { return read_file(dir_ / "log").value_or(""); }

  // In the job: runs the script in the foreground and says what came of it.
  [[noreturn]] void job(const std::string& script) const {
    ::setpgid(0, 0);
    TraceSpec spec = make_spec(dir_, {"/bin/sh", "-c", script});
    spec.backend = GetParam();
    spec.foreground = true;
    spec.grace_ms = 200;
    const auto result = run_traced(spec);
    if (!result) {
      say("error " + result.error().message);
      ::_exit(1);
    }
    say("exit " + std::to_string(result->exit_status));
    if (result->interrupted) say("interrupted");
    say(::tcgetpgrp(0) == ::getpgrp() ? "terminal is back" : "terminal is lost");
    termios modes{};
    if (::tcgetattr(0, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO)) {
      say("modes are sane");
    }
    ::unlink(spec.record_file.c_str());
    ::_exit(0);
  }

  // The shell: one job in the foreground; when it stops, `fg` at once.
  [[noreturn]] void shell(const std::string& script) const {
    ::signal(SIGTTOU, SIG_IGN);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::signal(SIGTTOU, SIG_DFL);
      ::setpgid(0, 0);
      while (::tcgetpgrp(0) != ::getpid()) ::usleep(1000);
      job(script);
    }
    ::setpgid(pid, pid);
    ::tcsetpgrp(0, pid);
    int status = 0;
    while (::waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
      say(::tcgetpgrp(0) == pid ? "stopped with the terminal" : "stopped");
      ::tcsetpgrp(0, ::getpgrp());
      ::usleep(50'000);
      ::tcsetpgrp(0, pid);
      ::kill(-pid, SIGCONT);
    }
    ::_exit(0);
  }

  // Runs the script; `type` is called with what the terminal showed so far and returns what to
  // type.
  void with_terminal(const std::string& script,
                     const std::function<std::string(const std::string& shown)>& type) {
    int master = -1;
    const pid_t pid = ::forkpty(&master, nullptr, nullptr, nullptr);
    ASSERT_GE(pid, 0);
    if (pid == 0) shell(script);
    const UniqueFd terminal(master);
    SystemClock clock;
    const std::int64_t deadline = clock.monotonic_ns() + 20'000'000'000;
    while (clock.monotonic_ns() < deadline) {
      pollfd waiting{master, POLLIN, 0};
      ::poll(&waiting, 1, 20);
      char buffer[4096];
      const ssize_t got = waiting.revents != 0 ? ::read(master, buffer, sizeof buffer) : 0;
      if (got < 0) break;  // EIO: everybody closed it
      shown_.append(buffer, static_cast<std::size_t>(got));
      const std::string keys = type(shown_);
      EXPECT_TRUE(write_all(master, keys).has_value());
    }
    ::kill(pid, SIGHUP);
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
  }

  TempDir dir_;
  std::string shown_;
};
INSTANTIATE_TEST_SUITE_P(Trace, Terminal,
                         ::testing::Values(Backend::kOff, Backend::kBpf, Backend::kHybrid,
                                           Backend::kNotify, Backend::kPtrace),
                         [](const auto& p) { return std::string(backend_name(p.param)); });

// Types `keys` once, when `mark` has been shown.
std::function<std::string(const std::string&)> when(const std::string& mark,
                                                    const std::string& keys) {
  return [mark, keys, done = false](const std::string& shown) mutable {
    if (done || shown.find(mark) == shown.npos) return std::string();
    done = true;
    return keys;
  };
}

TEST_P(Terminal, TheCommandReadsFromIt) {
  with_terminal("echo ready; read x; echo \"got $x\"; [ \"$x\" = word ]", when("ready", "word\n"));
  EXPECT_NE(shown_.find("got word"), shown_.npos) << shown_;
  EXPECT_EQ(log(), "exit 0\nterminal is back\nmodes are sane\n");
}

TEST_P(Terminal, CtrlCEndsACommandThatLetsIt) {
  // Not before the shell waits for its child: until then it may keep a Ctrl-C to itself.
  with_terminal("(sleep 1; echo ready) & sleep 1000", when("ready", "\x03"));
  EXPECT_EQ(log(), "exit 130\ninterrupted\nterminal is back\nmodes are sane\n");
}

TEST_P(Terminal, ASecondCtrlCEndsTheTree) {
  bool first = false;
  bool second = false;
  // Pending signals of a kind are one signal, so the second key comes at a person's pace; and a
  // shell that starts processes all the time can lose one between two of them: this one does not.
  with_terminal("trap 'echo caught' INT; echo ready; while :; do :; done",
                [&](const std::string& shown) -> std::string {
                  if (!first && shown.find("ready") != shown.npos) {
                    first = true;
                    return "\x03";
                  }
                  if (!second && shown.find("caught") != shown.npos) {
                    second = true;
                    ::usleep(200'000);
                    return "\x03";
                  }
                  return "";
                });
  EXPECT_EQ(log(), "exit 143\ninterrupted\nterminal is back\nmodes are sane\n");
}

TEST_P(Terminal, CtrlZStopsTheJobAndFgGoesOn) {
  bool stopped = false;
  bool answered = false;
  with_terminal("echo ready; read x; echo \"got $x\"",
                [&](const std::string& shown) -> std::string {
                  if (!stopped && shown.find("ready") != shown.npos) {
                    stopped = true;
                    return "\x1a";
                  }
                  if (!answered && log().find("stopped") != std::string::npos) {
                    answered = true;
                    return "word\n";
                  }
                  return "";
                });
  EXPECT_NE(shown_.find("got word"), shown_.npos) << shown_;
  EXPECT_EQ(log(), "stopped with the terminal\nexit 0\nterminal is back\nmodes are sane\n");
}

TEST_P(Terminal, ModesAreRestoredAfterAKill) {
  with_terminal("stty raw -echo; kill -KILL $$", [](const std::string&) { return ""; });
  EXPECT_EQ(log(), "exit 137\nterminal is back\nmodes are sane\n");
}

}  // namespace
}  // namespace gittxn::capture
