// Files that an agent alone was shown, and those that were read to be edited: records that are
// written by hand.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/bug.h"
#include "capture/shown.h"
#include "capture/testing/shown_to.h"

namespace gittxn::capture {
namespace {

using testing::ShownTo;
using testing::Story;

class ShownFiles : public ShownTo {
 public:
  void shows(std::vector<std::string> argv, std::vector<Given> given) {
    story->fork(kProgram, kShell);
    starts(std::move(argv), kProgram, std::move(given));
    story->add(Op::kStat, "a.txt", 0, kProgram).time_ms = 1'000;
    story->add(Op::kOpenRead, "a.txt", 0, kProgram);
  }
  void shows(std::vector<std::string> argv = {"cat", "a.txt"}) {
    shows(std::move(argv), {nothing, pipe, pipe});
  }
  // The class of all reads of the file.
  ReaderClass of(const char* path = "a.txt") {
    story->commands = {{command, 990, 1'020}};
    std::set<ReaderClass> classes;
    told = story->told();
    EXPECT_TRUE(told.complete) << told.unknown_reason;
    for (const Read& read : told.reads) {
      const bool file = read.kind == ReadKind::kContent || read.kind == ReadKind::kMetadata;
      if (file && read.subject == path) classes.insert(read.reader);
    }
    EXPECT_EQ(classes.size(), 1u) << path;
    return classes.empty() ? ReaderClass::kAny : *classes.begin();
  }
  // A call of the agent's own tool for a file, as its hooks tell it.
  Observed& calls_for(const std::string& path) {
    Observed one;
    one.path = story->at(path);
    one.session = "s";
    one.call = "toolu_1";
    one.tool = "Edit";
    one.shown = true;
    one.start_ms = 1'000;
    one.end_ms = 1'010;
    story->observations.push_back(one);
    return story->observations.back();
  }
  void hook() {
    story->fork(kHook);
    starts({"/bin/sh", "-c", "git-txn hook"}, kHook, {others, others, others});
    starts({"/usr/bin/git-txn", "hook", "PostToolUse"}, kHook, {others, others, others});
  }
  ReadSet told;
};

TEST_F(ShownFiles, TheAnswerOfACall) {
  for (const Given& output : {pipe, file}) {
    anew();
    calls(output);
    shows({"cat", "a.txt"}, {nothing, output, output});
    story->add(Op::kExit, "/", 0, kProgram);
    EXPECT_EQ(of(), ReaderClass::kShown);
    EXPECT_EQ(told.questions.size(), 1u) << "a question it is all the same";
  }
}

TEST_F(ShownFiles, WhatWentElsewhereOrIsNotKnownAnybodyMayHaveComputedWith) {
  for (const std::vector<Given>& given : std::vector<std::vector<Given>>{
           {nothing, others, pipe}, {nothing, pipe, others}, {nothing, file, pipe}, {}}) {
    anew();
    calls(pipe);
    shows({"cat", "a.txt"}, given);
    EXPECT_EQ(of(), ReaderClass::kAny);
  }
  anew();
  calls(pipe);
  shows();
  command = "cat b.txt";
  EXPECT_EQ(of(), ReaderClass::kAny) << "no call ran that command";
}

TEST_F(ShownFiles, OtherProgramsMayTellMore) {
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"python3", "x.py"},
                                             {"/opt/cat", "a.txt"},
                                             {"/opt/agent", "a.txt"},
                                             {"cmp", "a.txt", "b.txt"},
                                             {"sed", "-n", "/a/q5", "a.txt"}}) {
    anew();
    calls(pipe);
    shows(argv);
    EXPECT_EQ(of(), ReaderClass::kAny) << argv[0];
  }
}

TEST_F(ShownFiles, OneThatStartsAnotherIsNone) {
  calls(pipe);
  shows();
  story->fork(kOther, kProgram);
  EXPECT_EQ(of(), ReaderClass::kAny);
}

TEST_F(ShownFiles, AnybodyElseWhoReadsItCounts) {
  for (const bool first : {true, false}) {
    anew();
    calls(pipe);
    const auto reads = [this] { story->add(Op::kOpenRead, "a.txt", 0, kShell); };
    if (first) reads();
    shows({"cat", "-n", "a.txt"});
    if (!first) reads();
    told = (story->commands = {{command, 990, 1'020}}, story->told());
    const Read* content = Story::find(told, ReadKind::kContent, "a.txt");
    ASSERT_NE(content, nullptr);
    EXPECT_EQ(content->reader, ReaderClass::kAny) << first;
  }
}

// `ls -la` is no question, so nothing else keeps its looks apart from those of others.
TEST_F(ShownFiles, AnybodyElseWhoListsWhatNoQuestionListedCounts) {
  calls(pipe);
  lists({nothing, pipe, pipe}, {"ls", "-la", "src"});
  EXPECT_TRUE(shown());
  story->add(Op::kList, "src", 0, kShell);
  EXPECT_FALSE(shown());
}

TEST_F(ShownFiles, WhatItPrintedMayBeReadAgain) {
  calls(file);
  shows({"cat", "a.txt"}, {nothing, file, file});
  story->add(Op::kOpenRead, file.path, 0, kShell);
  EXPECT_EQ(of(), ReaderClass::kAny);
}

TEST_F(ShownFiles, TheAgentItselfLooksAtAFileOfItsCall) {
  hook();
  story->add(Op::kStat, "a.txt");
  story->read("a.txt");
  EXPECT_EQ(of(), ReaderClass::kAny) << "of no call";
  calls_for("a.txt");
  EXPECT_EQ(of(), ReaderClass::kShown);
  story->read("b.txt");
  EXPECT_EQ(of("b.txt"), ReaderClass::kAny) << "of another one";
}

TEST_F(ShownFiles, NotWhoRunsIt) {
  calls_for("a.txt");
  story->read("a.txt");
  EXPECT_EQ(of(), ReaderClass::kAny) << "it has started one hook, as a shell of a hook does";
  hook();
  EXPECT_EQ(of(), ReaderClass::kShown);
}

TEST_F(ShownFiles, NorWhatItRuns) {
  hook();
  calls_for("a.txt");
  calls(pipe);
  story->add(Op::kOpenRead, "a.txt", 0, kShell);
  EXPECT_EQ(of(), ReaderClass::kAny);
}

TEST_F(ShownFiles, NorACallThatWasNotShownToItAlone) {
  hook();
  calls_for("a.txt").shown = false;
  story->read("a.txt");
  EXPECT_EQ(of(), ReaderClass::kAny);
}

TEST_F(ShownFiles, WhatTheAgentWroteSinceMayBeWhatItReadItself) {
  hook();
  calls_for("a.txt");
  calls(pipe);
  story->read("a.txt");
  story->create("/tmp/agent/kept", O_WRONLY, false);
  EXPECT_EQ(of(), ReaderClass::kShown);
  story->add(Op::kOpenRead, "/tmp/agent/kept", 0, kShell);
  EXPECT_EQ(of(), ReaderClass::kAny);
}

TEST_F(ShownFiles, WhatNoTraceSawIsKnownByTheCall) {
  calls_for("a.txt");
  EXPECT_EQ(of(), ReaderClass::kShown);
  story->observations[0].shown = false;
  EXPECT_EQ(of(), ReaderClass::kAny);
}

// ---- edits ----

TEST_F(ShownFiles, AnEditIsOneWhoeverStartsIt) {
  const auto edited_by = [this](std::vector<std::string> argv) {
    anew();
    story->fork(kProgram);
    starts(std::move(argv), kProgram, {});
    story->add(Op::kOpenRead, "a.txt", 0, kProgram);
    return of();
  };
  EXPECT_EQ(edited_by({"sed", "-i", "s/a/b/", "a.txt"}), ReaderClass::kEdits);
  EXPECT_EQ(edited_by({"patch", "-p1", "-i", "/tmp/fix.diff"}), ReaderClass::kEdits);
  EXPECT_EQ(edited_by({"sed", "-i", "1w b.txt", "a.txt"}), ReaderClass::kAny);
  EXPECT_EQ(edited_by({"sed", "s/a/b/", "a.txt"}), ReaderClass::kAny);
  EXPECT_EQ(edited_by({"perl", "-i", "-pe", "s/a/b/", "a.txt"}), ReaderClass::kAny);
  EXPECT_EQ(edited_by({"/opt/sed", "-i", "s/a/b/", "a.txt"}), ReaderClass::kAny);
  anew();
  story->fork(kProgram);
  starts({"sed", "-i", "s/a/b/", "a.txt"}, kProgram, {}).argv_cut = true;
  story->add(Op::kOpenRead, "a.txt", 0, kProgram);
  EXPECT_EQ(of(), ReaderClass::kAny);
}

TEST_F(ShownFiles, AnEditorAtATerminalEdits) {
  const Given terminal{.kind = Given::Kind::kTerminal, .dev = 1, .ino = 5};
  const auto edited_by = [this](std::vector<std::string> argv, std::vector<Given> given) {
    anew();
    story->fork(kProgram);
    starts(std::move(argv), kProgram, std::move(given));
    story->add(Op::kOpenRead, "a.txt", 0, kProgram);
    return of();
  };
  EXPECT_EQ(edited_by({"vim", "a.txt"}, {terminal, terminal, terminal}), ReaderClass::kEdits);
  EXPECT_EQ(edited_by({"vim", "a.txt"}, {pipe, terminal, terminal}), ReaderClass::kAny);
  EXPECT_EQ(edited_by({"vim", "a.txt"}, {terminal, pipe, terminal}), ReaderClass::kAny);
  EXPECT_EQ(edited_by({"vim", "a.txt"}, {}), ReaderClass::kAny) << "nothing is known of it";
  EXPECT_EQ(edited_by({"vim", "-c", "%!sort", "a.txt"}, {terminal, terminal, terminal}),
            ReaderClass::kAny);
  EXPECT_EQ(edited_by({"/opt/vim", "a.txt"}, {terminal, terminal, terminal}), ReaderClass::kAny);
}

TEST_F(ShownFiles, WhatIsAppendedToIsEdited) {
  story->create("a.txt", O_WRONLY | O_APPEND, true);
  story->changed("a.txt");
  EXPECT_EQ(of(), ReaderClass::kEdits);
  story->read("a.txt");
  EXPECT_EQ(of(), ReaderClass::kAny) << "it was read as well";
}

// ---- what becomes of an edited file ----

class EditedFile : public ShownFiles {
 public:
  // sed -i, as it goes about it.
  void edits() {
    story->fork(kOther);
    starts({"sed", "-i", "s/a/b/", "a.txt"}, kOther, {});
    story->add(Op::kOpenRead, "a.txt", 0, kOther);
    Record& made = story->create("sedX", O_EXCL | O_RDWR, false, kOther);
    made.flags |= O_EXCL;
    Record& moved = story->add(Op::kRename, "sedX", 0, kOther);
    moved.path2 = story->at("a.txt");
    moved.nofollow = true;
    if (story->writes.empty()) story->changed("a.txt");
  }
  ReaderClass then(std::vector<std::string> argv, const Given& output, int status = 0) {
    anew();
    hook();
    calls_for("b.txt");
    calls(pipe);
    edits();
    story->fork(kProgram, kShell);
    Record& exec = starts(std::move(argv), kProgram, {nothing, output, output});
    exec.env_digest = std::string(64, 'e');
    story->add(Op::kOpenRead, "a.txt", 0, kProgram);
    story->add(Op::kExit, "/", status, kProgram);
    return of();
  }
};

TEST_F(EditedFile, IsReadByWhoComputesWithIt) {
  EXPECT_EQ(then({"python3", "count.py"}, pipe), ReaderClass::kAny);
  EXPECT_EQ(then({"cat", "a.txt"}, others), ReaderClass::kAny) << "for another program";
  EXPECT_EQ(then({"grep", "-c", "x", "a.txt"}, others), ReaderClass::kAny);
  EXPECT_EQ(then({"black", "a.txt"}, pipe), ReaderClass::kAny);
}

TEST_F(EditedFile, IsNotReadByWhoIsShownIt) {
  EXPECT_EQ(then({"cat", "a.txt"}, pipe), ReaderClass::kEdits);
  EXPECT_EQ(then({"grep", "-n", "x", "a.txt"}, pipe), ReaderClass::kEdits);
  EXPECT_EQ(then({"sed", "-i", "s/b/c/", "a.txt"}, pipe), ReaderClass::kEdits);
  anew();
  hook();
  calls_for("b.txt");
  edits();
  story->read("a.txt");
  EXPECT_EQ(of(), ReaderClass::kEdits) << "the agent itself, whatever for";
}

TEST_F(EditedFile, IsNotReadByARunOfTheTests) {
  EXPECT_EQ(then({"make", "check"}, pipe), ReaderClass::kEdits);
  EXPECT_EQ(then({"make", "check"}, pipe, 1), ReaderClass::kEdits) << "it failed, and is run again";
  EXPECT_EQ(then({"make", "dist"}, pipe), ReaderClass::kAny) << "it may make anything";
}

TEST_F(EditedFile, IsReadByARunThatLeavesSomething) {
  edits();
  story->fork(kProgram);
  starts({"make", "check"}, kProgram, {nothing, pipe, pipe}).env_digest = std::string(64, 'e');
  story->add(Op::kOpenRead, "a.txt", 0, kProgram);
  EXPECT_EQ(of(), ReaderClass::kEdits);
  story->create("made.txt", O_WRONLY, false, kProgram);
  story->writes.push_back({"made.txt", {}, {FileMode::kFile, Oid(std::string(40, 'a'))}});
  EXPECT_EQ(of(), ReaderClass::kAny);
}

TEST_F(EditedFile, ThatNobodyHadReadIsNotReadAfterwards) {
  story->overwrite("a.txt");
  story->changed("a.txt");
  story->fork(kProgram);
  starts({"python3", "count.py"}, kProgram, {});
  story->add(Op::kOpenRead, "a.txt", 0, kProgram);
  EXPECT_EQ(Story::find(story->told(), ReadKind::kContent, "a.txt"), nullptr);
}

#ifdef GIT_TXN_BUGS
TEST_F(EditedFile, ThatIsComputedWithUnseenWouldBeNoticed) {
  arm_bug("capture.own_looks_forgotten");
  EXPECT_EQ(then({"python3", "count.py"}, pipe), ReaderClass::kEdits);
  arm_bug("");
}
#endif

#ifdef GIT_TXN_BUGS
TEST_F(ShownFiles, AnyEditWouldBeNoticed) {
  story->fork(kProgram);
  starts({"perl", "-i", "-pe", "s/a/b/", "a.txt"}, kProgram, {});
  story->add(Op::kOpenRead, "a.txt", 0, kProgram);
  EXPECT_EQ(of(), ReaderClass::kAny);
  arm_bug("capture.anybody_edits");
  EXPECT_EQ(of(), ReaderClass::kEdits);
  arm_bug("");
}

TEST_F(ShownFiles, WhoeverLooksAtAFileOfACallWouldBeNoticed) {
  calls_for("a.txt");
  story->read("a.txt");
  EXPECT_EQ(of(), ReaderClass::kAny);
  arm_bug("capture.anybody_is_the_agent");
  EXPECT_EQ(of(), ReaderClass::kShown);
  arm_bug("");
}

TEST_F(ShownFiles, AnyProgramThatShowsWouldBeNoticed) {
  calls(pipe);
  shows({"python3", "x.py"});
  EXPECT_EQ(of(), ReaderClass::kAny);
  arm_bug("capture.any_program_shows");
  EXPECT_EQ(of(), ReaderClass::kShown);
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::capture
