#include "base/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/clock.h"
#include "base/testing/temp_dir.h"

namespace gittxn {
namespace {

using testing::TempDir;

Command shell(std::string script) {
  Command command;
  command.argv = {"sh", "-c", std::move(script)};
  command.env = {{"PATH", "/usr/bin:/bin"}};
  return command;
}

TEST(Run, ReturnsStatusAndBothOutputs) {
  const auto output = run(shell("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->exit.status, 7);
  EXPECT_FALSE(output->exit.success());
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(run(shell("kill -KILL $$"))->exit.status, 128 + SIGKILL);
  EXPECT_TRUE(run(shell("true"))->exit.success());
}

TEST(Run, GivesExactlyTheEnvironmentAndDirectory) {
  TempDir dir;
  Command command;
  command.argv = {"env"};
  command.env = {{"PATH", "/usr/bin:/bin"}, {"ONE", "1=2"}};
  EXPECT_EQ(run(command)->out, "ONE=1=2\nPATH=/usr/bin:/bin\n");
  command = shell("pwd -P; cat; umask >/dev/null");
  command.cwd = dir.path();
  EXPECT_EQ(run(command)->out, *real_path(dir.path()) + "\n");
}

TEST(Run, SaysWhatCouldNotBeRun) {
  TempDir dir;
  Command command;
  command.env = {{"PATH", dir.path() + ":/usr/bin:/bin"}};
  command.argv = {"no-such-program"};
  EXPECT_EQ(run(command).error().code, Code::kNotFound);
  command.argv = {dir.at("absent")};
  EXPECT_EQ(run(command).error().code, Code::kNotFound);
  ASSERT_TRUE(write_file(dir.at("text"), "not a program", Sync::kNo, 0700));
  command.argv = {"text"};
  auto refused = run(command);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("#!"), std::string::npos) << refused.error().message;
  ASSERT_TRUE(write_file(dir.at("data"), "", Sync::kNo, 0600));
  command.argv = {dir.at("data")};
  EXPECT_EQ(run(command).error().code, Code::kFault);
  command = shell("true");
  command.cwd = dir.at("absent");
  refused = run(command);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("enter"), std::string::npos) << refused.error().message;
  EXPECT_EQ(run(Command{}).error().code, Code::kUsage);
}

TEST(Run, FindsProgramsRelativeToTheDirectoryGiven) {
  TempDir dir;
  ASSERT_TRUE(make_dirs(dir.at("bin")));
  ASSERT_TRUE(write_file(dir.at("bin/hello"), "#!/bin/sh\necho hello\n", Sync::kNo, 0700));
  Command command;
  command.cwd = dir.path();
  command.env = {{"PATH", "::bin:/usr/bin"}};
  command.argv = {"hello"};
  EXPECT_EQ(run(command)->out, "hello\n");
  command.argv = {"bin/hello"};
  EXPECT_EQ(run(command)->out, "hello\n");
}

TEST(Run, MovesLargeInputAndOutputAtOnce) {
  Command command = shell("cat; cat /dev/zero | head -c 3000000 >&2");
  command.input = std::string(5'000'000, 'x');
  const auto output = run(command);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out.size(), command.input.size());
  EXPECT_TRUE(output->out == command.input);
  EXPECT_EQ(output->err.size(), 3'000'000u);
}

TEST(Run, DoesNotMindAChildThatIgnoresItsInput) {
  Command command = shell("exec true");
  command.input = std::string(5'000'000, 'x');
  EXPECT_TRUE(run(command)->exit.success());
  EXPECT_EQ(run(shell("cat"))->out, "") << "no input is the end of file at once";
}

TEST(Run, StreamsOutputAsItComes) {
  Command command = shell("printf a; printf b >&2; printf c");
  std::string out, err;
  command.on_output = [&](int fd, std::string_view bytes) { (fd == 1 ? out : err) += bytes; };
  const auto output = run(command);
  ASSERT_TRUE(output);
  EXPECT_EQ(out, "ac");
  EXPECT_EQ(err, "b");
  EXPECT_EQ(output->out, "");
}

TEST(Run, StopsAChildThatWritesWithoutEnd) {
  Command command = shell("cat /dev/zero");
  command.max_output = 1'000'000;
  const auto output = run(command);
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().message.find("1000000"), std::string::npos);
}

bool gone(const std::string& pid_text) {
  const pid_t pid = std::stoi(pid_text);
  for (int i = 0; i < 200; ++i) {
    if (::kill(pid, 0) != 0) return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(Run, EndsTheWholeGroupAtTheTimeLimit) {
  TempDir dir;
  Command command = shell("sleep 60 & echo $! >child; trap 'echo bye; exit 3' TERM; wait");
  command.cwd = dir.path();
  command.timeout_ms = 300;
  const std::int64_t before_ns = SystemClock().monotonic_ns();
  const auto output = run(command);
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->exit.timed_out);
  EXPECT_FALSE(output->exit.success());
  EXPECT_EQ(output->out, "bye\n") << "SIGTERM came first";
  EXPECT_LT(SystemClock().monotonic_ns() - before_ns, std::int64_t{20} * 1'000'000'000);
  EXPECT_TRUE(gone(*read_file(dir.at("child"))));
}

TEST(Run, KillsWhatIgnoresTheFriendlySignal) {
  TempDir dir;
  Command command = shell("trap '' TERM; echo $$ >self; while :; do sleep 1; done");
  command.cwd = dir.path();
  command.timeout_ms = 2000;  // time for the shell to set its trap on a busy machine
  const auto output = run(command);
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->exit.timed_out);
  EXPECT_EQ(output->exit.status, 128 + SIGKILL);
}

TEST(Run, DoesNotWaitForBackgroundChildrenThatKeepTheOutputOpen) {
  const std::int64_t before_ns = SystemClock().monotonic_ns();
  const auto output = run(shell("echo done; sleep 60 & echo $!"));
  ASSERT_TRUE(output);
  EXPECT_LT(SystemClock().monotonic_ns() - before_ns, std::int64_t{30} * 1'000'000'000);
  ASSERT_TRUE(output->out.starts_with("done\n"));
  ::kill(std::stoi(output->out.substr(5)), SIGKILL);
}

TEST(Run, GivesChildrenDefaultSignals) {
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  const auto output = run(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  ::sigaction(SIGPIPE, &before, nullptr);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Run, WorksFromManyThreads) {
  std::vector<std::jthread> threads;
  std::array<bool, 8> good{};
  for (std::size_t i = 0; i < good.size(); ++i) {
    threads.emplace_back([&good, i] {
      for (int round = 0; round < 5; ++round) {
        Command command = shell("cat; exit " + std::to_string(i));
        command.input = std::string(100'000, static_cast<char>('a' + i));
        const auto output = run(command);
        good[i] =
            output && output->exit.status == static_cast<int>(i) && output->out == command.input;
        if (!good[i]) return;
      }
    });
  }
  threads.clear();
  for (const bool each : good) EXPECT_TRUE(each);
}

TEST(Descriptors, AllButTheKeptAreClosed) {
  const int kept = ::open("/dev/null", O_RDONLY);
  const int other = ::open("/dev/null", O_RDONLY);
  const int high = ::fcntl(other, F_DUPFD, 500);
  const pid_t child = ::fork();
  if (child == 0) {
    close_other_descriptors({kept});
    const bool right = ::fcntl(kept, F_GETFD) >= 0 && ::fcntl(other, F_GETFD) < 0 &&
                       ::fcntl(high, F_GETFD) < 0 && ::fcntl(1, F_GETFD) >= 0;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (const int fd : {kept, other, high}) ::close(fd);
}

TEST(Quote, CanBePastedIntoAShell) {
  EXPECT_EQ(quote_argv({"git", "log", "--format=%s", "a/b"}), "git log --format=%s a/b");
  const std::vector<std::string> odd = {"it's", "", "a b", "$x`y`\\", "*?[~#", "line\nbreak", "!"};
  Command command = shell("printf '%s\\0' " + quote_argv(odd));
  std::string expected;
  for (const std::string& word : odd) (expected += word) += '\0';
  EXPECT_EQ(run(command)->out, expected);
}

TEST(EnvironmentFrom, TakesNameValuePairs) {
  char a[] = "A=1", b[] = "B=x=y", odd[] = "no-equals", empty[] = "=x";
  char* envp[] = {a, b, odd, empty, nullptr};
  EXPECT_EQ(environment_from(envp), (Environment{{"A", "1"}, {"B", "x=y"}}));
}

}  // namespace
}  // namespace gittxn
