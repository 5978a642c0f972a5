// An agent in hand-written records, with one call that runs a command. For tests.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capture/testing/story.h"

namespace gittxn::capture::testing {

// An agent that has reported a call before, and one call that runs `ls src`.
class ShownTo : public ::testing::Test {
 public:
  using Kind = Given::Kind;
  static constexpr int kHook = 200, kShell = 300, kProgram = 400, kOther = 500;
  std::unique_ptr<Story> story;
  Given pipe{.kind = Kind::kPipe, .dev = 14, .ino = 7001};
  Given others{.kind = Kind::kPipe, .dev = 14, .ino = 7002};
  Given nothing{.kind = Kind::kNull, .dev = 5, .ino = 3};
  Given file{.kind = Kind::kFile,
             .dev = 8,
             .ino = 9001,
             .path = "/tmp/agent/1.output",
             .flags = O_WRONLY | O_APPEND};
  std::string command = "ls src";

  ShownTo() { anew(); }
  void anew() {
    story = std::make_unique<Story>();
    starts({"/opt/agent"}, Story::kAgent, {nothing, others, others});
    story->fork(kHook);
    starts({"/usr/bin/git-txn", "hook", "PreToolUse"}, kHook, {others, others, others});
  }
  Record& starts(std::vector<std::string> argv, int pid, std::vector<Given> given) {
    Record& exec = story->exec(std::move(argv), pid);
    exec.path2 = story->tree();
    exec.given = std::move(given);
    exec.env_known = true;
    exec.time_ms = 1'000;
    return exec;
  }
  // The call's outermost process.
  void calls(const Given& output, const Given& error) {
    story->fork(kShell);
    starts({"/bin/bash", "-c", "eval '" + command + "' < /dev/null"}, kShell,
           {nothing, output, error});
  }
  void calls(const Given& output) { calls(output, output); }
  void lists(std::vector<Given> given, std::vector<std::string> argv = {"ls", "src"}) {
    story->fork(kProgram, kShell);
    starts(std::move(argv), kProgram, std::move(given));
    story->add(Op::kList, "src", 0, kProgram).time_ms = 1'000;
    story->add(Op::kExit, "/", 0, kProgram);
  }
  void lists(const Given& output, const Given& error) { lists({nothing, output, error}); }
  void lists(const Given& output) { lists(output, output); }
  ReaderClass reader() {
    story->commands = {{"cat a.txt", 100, 200}, {command, 990, 1'020}};
    int shown = 0, names = 0;
    const ReadSet told = story->told();
    for (const Read& read : told.reads) {
      if (read.kind != ReadKind::kListing && read.kind != ReadKind::kSearch) continue;
      ++names;
      if (read.reader == ReaderClass::kShown) ++shown;
    }
    EXPECT_GE(names, 1);
    return shown == names ? ReaderClass::kShown : ReaderClass::kAny;
  }
  bool shown() { return reader() == ReaderClass::kShown; }
};

}  // namespace gittxn::capture::testing
