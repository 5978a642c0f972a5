// Listings that an agent alone was shown: records that are written by hand.
#include "capture/shown.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "capture/testing/shown_to.h"

namespace gittxn::capture {
namespace {

using testing::ShownTo;
using testing::Story;

TEST_F(ShownTo, TheAnswerOfACall) {
  for (const Given& output : {pipe, file, Given{.kind = Kind::kSocket, .dev = 9, .ino = 1},
                              Given{.kind = Kind::kTerminal, .dev = 24, .ino = 3}}) {
    anew();
    calls(output);
    lists(output);
    EXPECT_TRUE(shown()) << static_cast<int>(output.kind);
  }
}

TEST_F(ShownTo, OutputAndErrorMayBeTwoAndOneOfThemNothing) {
  calls(pipe, file);
  lists(file, pipe);
  EXPECT_TRUE(shown());
  anew();
  calls(pipe);
  lists(pipe, nothing);
  EXPECT_TRUE(shown());
}

TEST_F(ShownTo, WhatWentElsewhereAnybodyMayHaveSeen) {
  calls(pipe);
  lists(others);
  EXPECT_FALSE(shown()) << "a pipe of the shell's";
  anew();
  calls(pipe);
  lists(file, pipe);
  EXPECT_FALSE(shown()) << "a file";
  anew();
  calls(pipe);
  lists(pipe, others);
  EXPECT_FALSE(shown()) << "what it complains of";
  anew();
  calls(pipe);
  lists(std::vector<Given>{});
  EXPECT_FALSE(shown()) << "nobody knows where";
}

TEST_F(ShownTo, OtherProgramsMayComputeWithNames) {
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"python3", "-c", "x"},
                                             {"/opt/ls", "src"},
                                             {"find", "src", "-exec", "x", "{}", ";"},
                                             {"tree", "-o", "x", "src"}}) {
    anew();
    calls(pipe);
    lists({nothing, pipe, pipe}, argv);
    EXPECT_FALSE(shown()) << argv[0];
  }
  for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
           {"ls", "-la", "src"}, {"find", "src", "-name", "*.c"}, {"tree", "src"}}) {
    anew();
    calls(pipe);
    lists({nothing, pipe, pipe}, argv);
    EXPECT_TRUE(shown()) << argv[0];
  }
}

TEST_F(ShownTo, AnAgentMayListNamesByItsOwnProgram) {
  const auto listed_by = [this](const char* program) {
    anew();
    calls(pipe);
    story->fork(kProgram, kShell);
    Record& exec = starts({"bfs", "-S", "dfs", "-regextype", "findutils-default", "src"}, kProgram,
                          {nothing, pipe, pipe});
    exec.path = program;
    story->add(Op::kList, "src", 0, kProgram).time_ms = 1'000;
    return shown();
  };
  EXPECT_TRUE(listed_by("/opt/agent"));
  EXPECT_FALSE(listed_by("/opt/another"));
}

TEST_F(ShownTo, AProcessOfNoCallWasNotShownAnything) {
  calls(pipe);
  lists(pipe);
  command = "ls docs";
  EXPECT_FALSE(shown()) << "no call ran that command";
  command = "s src";
  EXPECT_FALSE(shown()) << "no whole word";
  command = "";
  EXPECT_FALSE(shown());
  command = "ls src";
  EXPECT_TRUE(shown());
}

TEST_F(ShownTo, NorWasOneAtAnotherTime) {
  calls(pipe);
  lists(pipe);
  story->commands = {{command, 1'001, 1'020}, {command, 900, 999}};
  const ReadSet told = story->told();
  for (const Read& read : told.reads) EXPECT_EQ(read.reader, ReaderClass::kAny);
}

TEST_F(ShownTo, NorIsAChildOfAnotherProgramOne) {
  story->fork(kOther);
  starts({"/usr/bin/python3"}, kOther, {nothing, others, others});
  story->fork(kShell, kOther);
  starts({"/bin/bash", "-c", command}, kShell, {nothing, pipe, pipe});
  lists(pipe);
  EXPECT_FALSE(shown());
}

TEST_F(ShownTo, AForkOfTheAgentMayStartIt) {
  story->fork(kOther);
  story->fork(kShell, kOther);
  starts({"/bin/bash", "-c", command}, kShell, {nothing, pipe, pipe});
  lists(pipe);
  EXPECT_TRUE(shown());
}

TEST_F(ShownTo, WhatTheAgentWasGivenItselfIsNoAnswer) {
  calls(others);
  lists(others);
  EXPECT_FALSE(shown());
}

TEST_F(ShownTo, AFileOfTheTreeIsNoAnswer) {
  file.path = story->at("out.txt");
  calls(file);
  lists(file);
  EXPECT_FALSE(shown());
  anew();
  file.path = "/tmp/agent/1.output (deleted)";
  calls(file);
  lists(file);
  EXPECT_FALSE(shown());
  anew();
  file.path = "/tmp/agent/1.output";
  file.flags = O_RDWR;
  calls(file);
  lists(file);
  EXPECT_FALSE(shown()) << "whoever has it can read it";
}

TEST_F(ShownTo, WhoHasThePipeAsInputMayComputeWithIt) {
  for (const bool first : {true, false}) {
    anew();
    const auto reads = [this] {
      story->fork(kOther);
      starts({"/usr/bin/wc", "-l"}, kOther, {pipe, others, others});
    };
    if (first) reads();
    calls(pipe);
    lists(pipe);
    if (!first) reads();
    EXPECT_FALSE(shown()) << first;
  }
}

TEST_F(ShownTo, TheAgentReadsTheFileAndNobodyElse) {
  const auto opens = [this](int pid, const std::string& path, Op op = Op::kOpenRead) -> Record& {
    return story->add(op, path, 0, pid);
  };
  calls(file);
  lists(file);
  opens(Story::kAgent, file.path);
  EXPECT_TRUE(shown());
  story->fork(kOther);
  starts({"/usr/bin/wc"}, kOther, {nothing, others, others});
  opens(kOther, file.path, Op::kStat);
  EXPECT_TRUE(shown());
  opens(kOther, file.path);
  EXPECT_FALSE(shown());

  anew();
  calls(file);
  lists(file);
  Record& other_name = opens(kShell, "/tmp/agent/link");
  other_name.dev = file.dev;
  other_name.ino = file.ino;
  EXPECT_FALSE(shown());

  anew();
  calls(file);
  lists(file);
  opens(kShell, file.path, Op::kRename).path2 = "/tmp/elsewhere";
  EXPECT_FALSE(shown());

  anew();
  calls(file);
  lists(file);
  story->fork(kOther);
  starts({"/usr/bin/wc"}, kOther, {file, others, others});
  EXPECT_FALSE(shown());
}

TEST_F(ShownTo, WhatADescriptorLeadsToCanBeOpened) {
  calls(pipe);
  lists(pipe);
  story->add(Op::kOpenRead, "/proc/300/fd/1", 0, kShell);
  EXPECT_FALSE(shown());
}

TEST_F(ShownTo, WhatTheAgentWroteSinceMayBeWhatItWasShown) {
  const auto writes = [this] { story->create("/tmp/agent/kept", O_WRONLY, false); };
  const auto reads = [this] { story->add(Op::kOpenRead, "/tmp/agent/kept", 0, kProgram); };
  writes();
  calls(pipe);
  lists(pipe);
  reads();
  EXPECT_TRUE(shown()) << "it was there before";
  writes();
  EXPECT_TRUE(shown());
  reads();
  EXPECT_FALSE(shown());
}

TEST_F(ShownTo, AnybodyElseWhoListsItCounts) {
  calls(pipe);
  lists(pipe);
  story->add(Op::kList, "src", 0, kShell);
  EXPECT_FALSE(shown());
}

#ifdef GIT_TXN_BUGS
TEST_F(ShownTo, WhateverWentElsewhereWouldBeNoticed) {
  calls(pipe);
  lists(others);
  EXPECT_FALSE(shown());
  arm_bug("capture.shown_wherever_it_went");
  EXPECT_TRUE(shown());
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::capture
