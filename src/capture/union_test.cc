// What agents say of themselves beside what the trace saw: one open for one read of lines, what
// nobody traced, and hints that change nothing.
#include "capture/union.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/lines.h"
#include "capture/testing/story.h"

namespace gittxn::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Story;

constexpr int kHook = 200;
constexpr int kTool = 300;

class UnionOfSources : public ::testing::Test {
 protected:
  // The agent has reported a call before: it is known to report them.
  UnionOfSources() {
    story.fork(kHook).time_ms = 900;
    story.exec({"/usr/bin/git-txn", "hook", "PreToolUse"}, kHook).time_ms = 900;
  }
  Observed& lines_of(const std::string& path, LineSpan lines) {
    Observed one;
    one.path = story.at(path);
    one.lines = lines;
    one.session = "s";
    one.agent = "a7";
    one.call = "toolu_" + std::to_string(story.observations.size());
    one.start_ms = 1'000;
    one.end_ms = 1'020;
    story.observations.push_back(one);
    return story.observations.back();
  }
  void open(const std::string& path, std::int64_t time_ms, int pid = Story::kAgent) {
    story.add(Op::kOpenRead, path, 0, pid).time_ms = time_ms;
  }
  // "content a.txt 1+1" and the like.
  std::vector<std::string> reads() {
    set = story.told();
    std::vector<std::string> lines;
    for (const Read& read : set.reads) {
      if (read.kind == ReadKind::kEnvironment) continue;
      std::string line = std::string(read_kind_name(read.kind)) + " " + read.subject;
      if (read.lines != LineSpan{}) {
        line += fmt::format(" {}+{}", read.lines.first, read.lines.count);
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

  Story story;
  ReadSet set;
};

TEST_F(UnionOfSources, ACallExplainsOneOpen) {
  lines_of("a.txt", {1, 1});
  story.add(Op::kStat, "a.txt").time_ms = 1'005;
  open("a.txt", 1'010);
  EXPECT_THAT(reads(), ElementsAre("content a.txt 1+1", "metadata a.txt"));
  const Read* part = Story::find(set, ReadKind::kContent, "a.txt");
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->digest, lines_digest("a\n", {1, 1}).str());
  EXPECT_EQ(part->source, ReadSource::kHook);
  EXPECT_EQ(part->call, "toolu_0");
  EXPECT_EQ(part->agent, "a7");
  EXPECT_EQ(part->pid, Story::kAgent);
  EXPECT_EQ(part->explains, 1);
  EXPECT_EQ(Story::find(set, ReadKind::kMetadata, "a.txt")->digest, "100644")
      << "its size is not what was asked for";
}

TEST_F(UnionOfSources, EveryOtherOpenIsOfTheWholeFile) {
  lines_of("a.txt", {1, 1});
  open("a.txt", 1'010);
  story.fork(kTool).time_ms = 1'011;  // the second open is not left out as a repetition
  open("a.txt", 1'012);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content a.txt 1+1"));
}

TEST_F(UnionOfSources, AnOpenThatWasRepeatedIsNotOne) {
  lines_of("a.txt", {1, 1});
  for (int i = 0; i < 3; ++i) open("a.txt", 1'010);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content a.txt 1+1"));
}

TEST_F(UnionOfSources, OnlyTheAgentsOwnOpenDuringTheCall) {
  lines_of("a.txt", {1, 1});
  open("a.txt", 999);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content a.txt 1+1")) << "before it";
}

TEST_F(UnionOfSources, AnOpenOfItsToolsIsTheirs) {
  lines_of("a.txt", {1, 1});
  story.fork(kTool).time_ms = 1'001;
  open("a.txt", 1'010, kTool);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content a.txt 1+1"));
}

TEST_F(UnionOfSources, TwoSourcesOfOneCallExplainOneOpen) {
  Observed transcript = lines_of("a.txt", {1, 1});
  transcript.source = ReadSource::kTranscript;
  transcript.agent.clear();
  story.observations.push_back(transcript);
  open("a.txt", 1'010);
  story.fork(kTool).time_ms = 1'011;
  open("a.txt", 1'012);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content a.txt 1+1"));
  EXPECT_EQ(set.reads[1].source, ReadSource::kHook);
}

TEST_F(UnionOfSources, WhatNobodyTracedIsAdded) {
  Observed one;
  one.cwd = story.tree();
  one.source = ReadSource::kTranscript;
  one.path = "to-a";  // a mentioned file, by a link
  story.observations.push_back(one);
  one.path = "src/../b.txt";
  story.observations.push_back(one);
  one.what = Observed::What::kDirectory;
  one.path = "src";
  story.observations.push_back(one);
  one.what = Observed::What::kAbsent;
  one.path = "docs/guide.md";
  story.observations.push_back(one);
  one.path = "a.txt";  // it is there after all
  story.observations.push_back(one);
  one.what = Observed::What::kUrl;
  one.path = "https://example.org/";
  story.observations.push_back(one);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content b.txt", "absence docs/guide.md",
                                   "external https://example.org/", "listing src"));
  for (const Read& read : set.reads) {
    if (read.kind == ReadKind::kEnvironment) continue;
    EXPECT_EQ(read.source, ReadSource::kTranscript);
    EXPECT_EQ(read.strength == Strength::kSoft, read.kind == ReadKind::kExternal);
  }
}

TEST_F(UnionOfSources, PathsThatLeaveTheTreeAreNobodys) {
  for (const char* path : {"/etc/passwd", "../../x", "out/locale", "loop"}) {
    Observed one;
    one.cwd = story.tree();
    one.path = path;
    story.observations.push_back(one);
    one.cwd.clear();  // and where a relative path is from nobody knows
    one.path = "a.txt";
    story.observations.push_back(one);
  }
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(UnionOfSources, WhatBothSawIsTracedAndKnowsTheCall) {
  lines_of("a.txt", {});
  open("a.txt", 1'010);
  EXPECT_THAT(reads(), ElementsAre("content a.txt"));
  EXPECT_EQ(set.reads[0].source, ReadSource::kTrace);
  EXPECT_EQ(set.reads[0].call, "toolu_0");
}

TEST_F(UnionOfSources, DeclaredReadsAreHints) {
  lines_of("a.txt", {1, 1}).source = ReadSource::kDeclared;
  lines_of("b.txt", {}).source = ReadSource::kDeclared;
  open("a.txt", 1'010);
  open("src/x.c", 1'010);
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "content src/x.c"));
  EXPECT_THAT(set.notes, Contains(HasSubstr("declared and never opened: b.txt")));
  EXPECT_THAT(set.notes, Contains(HasSubstr("opened and never declared: src/x.c")));
  EXPECT_TRUE(set.complete);
}

TEST_F(UnionOfSources, LinesOfAFileThatIsConvertedAreTheWholeFile) {
  lines_of("a.txt", {1, 1});
  open("a.txt", 1'010);
  InterpretInput input = story.input();
  input.search_settings = {};
  const ReadSet told = testing::must(interpret(story.repo.objects(), input));
  EXPECT_THAT(Story::lines(told), ElementsAre("content a.txt"));
  EXPECT_EQ(told.reads.front().lines, LineSpan{});
}

TEST(Lines, AreTheSameTextOrNot) {
  const std::string text = "one\ntwo\nthree";
  bool whole = false;
  EXPECT_EQ(lines_text(text, {1, 2}, &whole), "one\ntwo\n");
  EXPECT_TRUE(whole);
  EXPECT_EQ(lines_text(text, {3, 1}, &whole), "three");
  EXPECT_FALSE(whole) << "it has no newline, so one may be added";
  EXPECT_EQ(lines_text(text, {9, 1}, &whole), "");
  EXPECT_NE(lines_digest("a\n", {1, 1}), lines_digest("a", {1, 1}));
  EXPECT_NE(lines_digest("a\n", {1, 2}), lines_digest("a\nb\n", {1, 2}));
  EXPECT_EQ(lines_digest("x\na\n", {2, 1}), lines_digest("y\na\nmore\n", {2, 1}));
  EXPECT_NE(lines_digest("x\n", {2, 1}), lines_digest("x\n\n", {2, 1}));
}

}  // namespace
}  // namespace gittxn::capture
