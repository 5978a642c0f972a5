// Holds each back end against strace: the same command, from the same start, once under strace -f
// and once under each back end; what they saw must be the same, path for path and result for
// result.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/subprocess.h"
#include "capture/trace/testing/strace_truth.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture::testing {

inline constexpr const char* kCalls =
    "%file,getdents64,fchdir,clone,clone3,fork,vfork,connect,bind,openat2";

// What strace prints as it was passed and the trace resolves: names below /proc/self.
using Aliases = std::vector<std::pair<std::string, std::string>>;

// What a test says of its command beside the command. In lines, "$W" is where it runs.
struct Expected {
  Aliases aliases = {};
  // Lines of calls that the program makes in one run and not in another; each with its reason where
  // it is given.
  Lines by_chance = {};
  // Failures that a look before the call cannot foresee: the record says success, and `assumed`.
  Lines not_predicted = {};
  int status = 0;  // how the command ends
};

inline Environment test_environment(const std::string& home) {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"LC_ALL", "C"},
          {"HOME", home},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_AUTHOR_DATE", "1700000000 +0000"},
          {"GIT_COMMITTER_DATE", "1700000000 +0000"},
          {"GIT_AUTHOR_NAME", "A"},
          {"GIT_AUTHOR_EMAIL", "a@example.org"},
          {"GIT_COMMITTER_NAME", "A"},
          {"GIT_COMMITTER_EMAIL", "a@example.org"},
          {"PYTHONDONTWRITEBYTECODE", "1"}};
}

inline Output run_plain(const TempDir& dir, std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.cwd = dir / "w";
  command.env = test_environment(dir / "home");
  auto output = gittxn::run(command);
  EXPECT_TRUE(output.has_value()) << output.error().message;
  return output.value_or(Output{});
}

// The same start for every run: fresh directories under the same names.
inline void fresh(const TempDir& dir, const std::string& set_up) {
  for (const char* name : {"w", "home"}) {
    ASSERT_TRUE(remove_tree(dir / name));
    ASSERT_TRUE(make_dirs(dir / name, 0755));
  }
  const Output out = run_plain(dir, {"/bin/sh", "-ec", set_up});
  ASSERT_EQ(out.exit.status, 0) << out.err;
}

inline std::string errno_text(int result) {
  return result >= 0 || result == -ENODATA ? "0" : std::string(::strerrorname_np(-result));
}

inline Lines lines_of(const Traced& traced) {
  Lines lines;
  for (const Record& record : traced.records) {
    // Not a call of the program: the kernel reads the first line of a script, the monitor a link.
    if (record.path2 == "#!" || record.op == Op::kWasLink) continue;
    if (record.op == Op::kFork || record.op == Op::kExit || record.op == Op::kNote) continue;
    if (record.op == Op::kConnect || record.path2 == "bind") continue;  // strace's form differs
    std::string line = std::string(op_name(record.op)) + " " + record.path;
    if (record.op == Op::kRename || record.op == Op::kLink || record.op == Op::kSymlink) {
      line += " -> " + record.path2;
    }
    lines.insert(without_chance(line + " " + errno_text(record.result)));
  }
  return lines;
}

inline std::string difference(const Lines& a, const Lines& b, const Lines& exempt) {
  std::string text;
  for (const std::string& line : a) {
    if (!b.contains(line) && !exempt.contains(line)) text += "  " + line + "\n";
  }
  return text;
}

inline Lines without(const Aliases& aliases, const Lines& lines) {
  Lines out;
  for (std::string line : lines) {
    for (const auto& [alias, path] : aliases) {
      if (const std::size_t at = line.find(alias); at != line.npos) {
        line.replace(at, alias.size(), path);
      }
    }
    out.insert(line);
  }
  return out;
}

// Input and output are the same for all, also for strace: programs look at what they are.
inline Traced run_with(const TempDir& dir, const std::vector<std::string>& argv, Backend backend) {
  TraceSpec spec = make_spec(dir, argv);
  spec.cwd = dir / "w";
  spec.env = test_environment(dir / "home");
  spec.backend = backend;
  const UniqueFd in = std::move(open_fd("/dev/null", O_RDONLY).value());
  const UniqueFd out = std::move(open_fd(dir / "out", O_WRONLY | O_CREAT | O_TRUNC).value());
  spec.stdin_fd = in.get();
  spec.stdout_fd = out.get();
  spec.stderr_fd = out.get();
  return run(spec);
}

inline Lines strace(const TempDir& dir, const std::string& set_up,
                    const std::vector<std::string>& command, const Expected& expected) {
  fresh(dir, set_up);
  const std::string prefix = dir / "strace/out";
  EXPECT_TRUE(remove_tree(dir / "strace"));
  EXPECT_TRUE(make_dirs(dir / "strace"));
  std::vector<std::string> argv = {"strace", "-ff",         "-y",
                                   "-s",     "5000",        "-v",
                                   "-qq",    "-e",          std::string("trace=") + kCalls,
                                   "-e",     "signal=none", "-o",
                                   prefix};
  argv.insert(argv.end(), command.begin(), command.end());
  const Traced traced = run_with(dir, argv, Backend::kOff);
  EXPECT_EQ(traced.result ? traced.result->exit_status : -1, expected.status)
      << read_file(dir / "out").value_or("");
  return without(expected.aliases, StraceReader().read(prefix, dir / "w"));
}

inline Lines exempt_lines(const TempDir& dir, const Expected& expected, Backend backend) {
  Lines lines = expected.by_chance;
  if (backend == Backend::kHybrid || backend == Backend::kNotify) {
    for (const std::string& line : expected.not_predicted) {
      lines.insert(line);
      lines.insert(line.substr(0, line.rfind(' ')) + " 0");
    }
  }
  return without({{"$W", dir / "w"}}, lines);
}

// `set_up`: a shell script that fills the directory in which `argv` is run.
inline void expect_truth(const TempDir& dir, const std::string& set_up,
                         const std::vector<std::string>& argv, const Expected& expected = {}) {
  const Lines truth = strace(dir, set_up, argv, expected);
  ASSERT_GT(truth.size(), 3u);
  for (const Backend backend :
       {Backend::kBpf, Backend::kHybrid, Backend::kNotify, Backend::kPtrace}) {
    SCOPED_TRACE(backend_name(backend));
    if (!why_unusable(backend).empty()) continue;  // Bpf.IsUsableHere says so
    fresh(dir, set_up);
    const Traced traced = run_with(dir, argv, backend);
    ASSERT_TRUE(traced.result) << traced.result.error().message;
    EXPECT_EQ(traced.result->exit_status, expected.status);
    EXPECT_TRUE(traced.summary.complete) << traced.summary.reason;
    const Lines seen = lines_of(traced);
    const Lines exempt = exempt_lines(dir, expected, backend);
    EXPECT_EQ(difference(truth, seen, exempt), "") << "strace saw these, the trace did not";
    EXPECT_EQ(difference(seen, truth, exempt), "")
        << "the trace has these, strace did not see them";
  }
}

// The same for programs that are not everywhere; skips.
inline void expect_truth_of(const std::string& program, const std::string& set_up,
                            const std::vector<std::string>& argv, const Expected& expected = {}) {
  if (::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "there is no " << program;
  expect_truth(TempDir(), set_up, argv, expected);
}

}  // namespace gittxn::capture::testing
