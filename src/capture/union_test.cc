// What agents say of themselves beside what the trace saw: one open for one read of lines, what
// nobody traced, and hints that change nothing.
#include "capture/union.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "capture/lines.h"
#include "capture/testing/story.h"
#include "search/query.h"

namespace gittxn::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::Story;
using ::testing::UnorderedElementsAre;

constexpr int kHook = 200;
constexpr int kTool = 300;
constexpr int kServer = 400;

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
  // `git txn mcp`, and what it was asked.
  void server() {
    story.fork(kServer).time_ms = 900;
    story.exec({"/usr/bin/git-txn", "mcp"}, kServer).time_ms = 900;
  }
  Observed& asked(search::Query query, const std::string& path) {
    Observed one;
    one.what = Observed::What::kSearch;
    one.path = story.at(path);
    query.tool = search::Tool::kRipgrep;
    query.recursive = query.hidden = query.ignore_files = true;
    query.cwd = path;
    query.roots = {{path, path}};
    one.query = search::query_text(query);
    one.source = ReadSource::kMcp;
    one.call = "toolu_" + std::to_string(story.observations.size());
    one.start_ms = 1'000;
    one.end_ms = 1'020;
    story.observations.push_back(one);
    return story.observations.back();
  }
  static search::Query lines_with(const std::string& pattern) {
    search::Query query;
    query.dialect = search::Dialect::kPerl;
    query.patterns = {pattern};
    query.line_numbers = true;
    return query;
  }
  static search::Query names_like(const std::string& glob) {
    search::Query query;
    query.kind = search::Kind::kNames;
    query.shown = search::Shown::kEntries;
    query.rules = {{search::NameRule::Effect::kInclude, glob}};
    return query;
  }
  Observed& declared(const std::string& path, LineSpan lines = {}) {
    Observed one;
    one.path = path;
    one.cwd = story.tree();
    one.lines = lines;
    one.source = ReadSource::kDeclared;
    story.observations.push_back(one);
    return story.observations.back();
  }
  void looks_into_src(std::int64_t time_ms) {
    for (const char* directory : {"src", "src/deep"}) {
      story.add(Op::kList, directory, 0, kServer).time_ms = time_ms;
    }
    for (const char* file : {"src/x.c", "src/y.c", "src/deep/z.c"}) open(file, time_ms, kServer);
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

TEST_F(UnionOfSources, DeclaredReadsCount) {
  declared("a.txt", {1, 1});
  declared("to-src/x.c");
  declared("src");
  declared("docs/guide.md").what = Observed::What::kAbsent;
  open("src/y.c", 1'010);
  EXPECT_THAT(reads(), ElementsAre("content a.txt 1+1", "absence docs/guide.md", "listing src",
                                   "content src/x.c", "content src/y.c", "content to-src"));
  const Read* part = Story::find(set, ReadKind::kContent, "a.txt");
  EXPECT_EQ(part->strength, Strength::kHard);
  EXPECT_EQ(part->source, ReadSource::kDeclared);
  EXPECT_EQ(part->digest, lines_digest("a\n", {1, 1}).str());
  EXPECT_THAT(set.notes, Contains(HasSubstr("opened and never declared: src/y.c")));
  EXPECT_TRUE(set.complete);
}

TEST_F(UnionOfSources, WhatTheTransactionMadeOfItIsNotWhatItDeclared) {
  declared("a.txt", {1, 1});  // written anew since: which lines were meant cannot be told
  declared("b.txt");          // removed since
  declared("new.txt").what = Observed::What::kAbsent;
  story.overwrite("a.txt");
  PathChange change;
  change.path = "a.txt";
  change.after = {FileMode::kFile, Oid(std::string(40, 'a'))};
  story.writes = {change};
  story.add(Op::kUnlink, "b.txt");
  story.create("new.txt", O_WRONLY, false);
  EXPECT_THAT(reads(), IsSupersetOf({"content a.txt", "content b.txt", "absence new.txt"}));
}

TEST_F(UnionOfSources, ADeclarationThatIsWrongIsSaidAndCounts) {
  declared("a.txt", {1, 5});
  declared("none.txt");
  declared("b.txt").what = Observed::What::kAbsent;
  declared("/etc/passwd");
  EXPECT_THAT(reads(), ElementsAre("content a.txt 1+5", "content b.txt", "absence none.txt"));
  EXPECT_EQ(Story::find(set, ReadKind::kContent, "a.txt")->digest,
            lines_digest("a\n", {1, 5}).str());
  EXPECT_THAT(set.notes, IsSupersetOf({HasSubstr("behind the end of 'a.txt', which has 1"),
                                       HasSubstr("not there; that counts as read: none.txt"),
                                       HasSubstr("declared to be absent, and it is there: b.txt"),
                                       HasSubstr("not in the worktree, so it is not checked: /etc/"
                                                 "passwd")}));
}

TEST_F(UnionOfSources, ADeclaredSearchIsOne) {
  asked(lines_with("x"), "src").source = ReadSource::kDeclared;
  asked(names_like("**/*.c"), "src").source = ReadSource::kDeclared;
  EXPECT_THAT(reads(), ElementsAre("search src", "search src"));
}

TEST_F(UnionOfSources, ADeclaredSearchThatIsNotUnderstoodIsAllThatIsBelow) {
  Observed& one = asked(lines_with("x"), "src");
  one.source = ReadSource::kDeclared;
  one.query.clear();
  EXPECT_THAT(reads(), ElementsAre("tree src"));
}

TEST_F(UnionOfSources, AServedSearchStandsForWhatWasOpenedForIt) {
  server();
  asked(lines_with("x"), "src");
  looks_into_src(1'030);  // on record a little late
  EXPECT_THAT(reads(), ElementsAre("search src"));
  EXPECT_EQ(set.reads[0].source, ReadSource::kMcp);
  EXPECT_EQ(set.reads[0].call, "toolu_0");
}

TEST_F(UnionOfSources, AServedGlobStandsForTheListings) {
  server();
  asked(names_like("**/*.c"), "src");
  for (const char* directory : {"src", "src/deep"}) {
    story.add(Op::kList, directory, 0, kServer).time_ms = 1'010;
  }
  EXPECT_THAT(reads(), ElementsAre("search src"));
}

TEST_F(UnionOfSources, WhatNoQuestionExplainsCounts) {
  server();
  asked(lines_with("x"), "src");
  looks_into_src(1'010);
  open("a.txt", 1'010, kServer);    // not below src
  open("src/x.c", 9'000, kServer);  // and after the call
  EXPECT_THAT(reads(), ElementsAre("content a.txt", "search src", "content src/x.c"));
}

TEST_F(UnionOfSources, AnothersOpensAreNotTheServers) {
  server();
  asked(lines_with("x"), "src");
  looks_into_src(1'010);
  open("src/x.c", 1'010);
  EXPECT_THAT(reads(), ElementsAre("search src", "content src/x.c"));
}

TEST_F(UnionOfSources, AServedSearchThatCannotBeJudgedIsWhatWasOpened) {
  server();
  asked(lines_with("x"), "src");
  lines_of("src/x.c", {1, 1}).source = ReadSource::kMcp;
  open("src/x.c", 1'010, kServer);
  looks_into_src(1'011);
  // The rules of the transaction's own decided what was searched.
  PathChange change;
  change.path = ".gitignore";
  change.after = {FileMode::kFile, Oid(std::string(40, 'a'))};
  story.writes = {change};
  EXPECT_THAT(reads(), IsSupersetOf({"listing src", "listing src/deep", "content src/deep/z.c",
                                     "content src/x.c", "content src/y.c"}));
}

TEST_F(UnionOfSources, WhatAServerFindsIsShownToTheAgentThatAskedInACall) {
  for (const bool shown : {true, false}) {
    story.observations.clear();
    server();
    asked(names_like("*.c"), "src").shown = shown;
    Observed& listed = asked({}, "src/deep");
    listed.what = Observed::What::kDirectory;
    listed.query.clear();
    listed.shown = shown;
    asked(lines_with("x"), "src").shown = shown;
    for (const char* directory : {"src", "src/deep"}) {
      story.add(Op::kList, directory, 0, kServer).time_ms = 1'010;
    }
    int names = 0;
    const ReadSet told = story.told();
    for (const Read& read : told.reads) {
      const bool lines = read.query.contains("\"kind\":\"lines\"");
      if (read.kind != ReadKind::kListing && read.kind != ReadKind::kSearch) continue;
      if (!lines) ++names;
      EXPECT_EQ(read.reader == ReaderClass::kShown, shown) << read.query;
    }
    EXPECT_GE(names, 2);
  }
}

TEST_F(UnionOfSources, AServerMayOpenAFileForEachRange) {
  server();
  for (const int line : {1, 2, 3}) lines_of("a.txt", {line, 1}).source = ReadSource::kMcp;
  for (int i = 0; i < 3; ++i) open("a.txt", 1'010, kServer);
  EXPECT_THAT(reads(),
              UnorderedElementsAre("content a.txt 1+1", "content a.txt 2+1", "content a.txt 3+1"));
}

TEST_F(UnionOfSources, ARangeToTheEndIsARange) {
  server();
  lines_of("a.txt", {2, 0}).source = ReadSource::kMcp;
  open("a.txt", 1'010, kServer);
  EXPECT_THAT(reads(), ElementsAre("content a.txt 2+1"));
  EXPECT_EQ(set.reads[0].digest, lines_digest("a\n", {2, 1}).str());
}

TEST_F(UnionOfSources, LinesMayEndOtherwiseInTheWorktree) {
  lines_of("a.txt", {1, 1});
  open("a.txt", 1'010);
  InterpretInput input = story.input();
  input.search_settings = [] {
    SearchSettings settings;
    settings.known = true;
    settings.same_lines = search::Vouched::kYes;
    return settings;
  };
  const ReadSet told = testing::must(interpret(story.repo.objects(), input));
  EXPECT_EQ(told.reads.front().lines, (LineSpan{1, 1}));
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

TEST(Lines, ToTheEndSeeTheEnd) {
  EXPECT_EQ(lines_in("a\nb\nc\n", {2, 0}), (LineSpan{2, 3}));
  EXPECT_EQ(lines_in("a\nb\nc", {2, 0}), (LineSpan{2, 3}));
  EXPECT_EQ(lines_in("a\n", {9, 0}), (LineSpan{9, 1}));
  EXPECT_EQ(lines_in("a\nb\n", {1, 1}), (LineSpan{1, 1}));
  EXPECT_EQ(line_count(""), 0);
  EXPECT_EQ(line_count("a\nb"), 2);
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
