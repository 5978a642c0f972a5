// What is served from a worktree, what is refused, and that exactly what was served is on record.
#include "txn/serve/tree_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/hook_log.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/testing/temp_dir.h"
#include "txn/serve/tree_search.h"

namespace gittxn::api {
namespace {

using agents::FileRead;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Tools : public ::testing::Test {
 protected:
  gittxn::testing::TempDir dir;
  SystemClock clock;
  Host host;
  std::optional<TreeTools> tools;
  Caller caller{"claude-code", "toolu_1"};

  void SetUp() override {
    ASSERT_TRUE(make_dirs(dir.path() + "/tree/src"));
    ASSERT_TRUE(make_dirs(dir.path() + "/tree/.git"));
    ASSERT_TRUE(make_dirs(dir.path() + "/observed"));
    put("src/math.c", "int add(int a, int b) {\n  return a + b;\n}\n");
    put("src/main.c", "int main() { return add(1, 2); }\n");
    put("README", "no newline at the end");
    put(".git/config", "[core]\n");
    host.cwd = dir.path() + "/tree/src";
    host.clock = &clock;
    host.env["GIT_TXN_OBSERVED"] = dir.path() + "/observed";
    auto opened = TreeTools::open(host, std::nullopt);
    ASSERT_TRUE(opened) << opened.error().message;
    tools.emplace(*std::move(opened));
  }
  void put(const std::string& path, const std::string& bytes) {
    ASSERT_TRUE(write_file(dir.path() + "/tree/" + path, bytes, Sync::kNo));
  }
  std::vector<agents::Observation> recorded(const char* file = "mcp.jsonl") {
    std::vector<agents::Observation> all;
    agents::HookLogReader reader([&](agents::Observation&& one) { all.push_back(std::move(one)); });
    const Status read = agents::read_hook_log(dir.path() + "/observed/" + file, reader);
    EXPECT_TRUE(read || read.error().code == Code::kNotFound);
    EXPECT_EQ(reader.tally().damaged, 0u);
    return all;
  }
  Result<FileText> read(const std::string& path, std::int64_t offset = 1,
                        std::int64_t limit = 2000) {
    return tools->read({path, offset, limit}, caller);
  }
  Result<SearchAnswer> search(const SearchRequest& request) {
    return tools->search(request, caller, {});
  }
  // The lines of the only read on record.
  agents::LineRange range() {
    const auto all = recorded();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? agents::LineRange{} : std::get<FileRead>(all[0].detail).lines;
  }
};

TEST_F(Tools, AWholeFileIsServedAndRecordedAsOne) {
  const auto text = read("src/math.c");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "int add(int a, int b) {\n  return a + b;\n}\n");
  EXPECT_EQ(text->lines, 3);
  EXPECT_FALSE(text->more);
  const auto all = recorded();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].source, ReadSource::kMcp);
  EXPECT_EQ(all[0].program, agents::Program::kClaudeCode);
  EXPECT_EQ(all[0].tool_use_id, "toolu_1");
  EXPECT_EQ(all[0].cwd, dir.path() + "/tree");
  EXPECT_EQ(std::get<FileRead>(all[0].detail), (FileRead{"src/math.c", {}, agents::Via::kTool}));
  EXPECT_EQ(all[0].outcome, agents::Outcome::kDone);
  EXPECT_LE(all[0].start_ms, all[0].end_ms);
}

TEST_F(Tools, LinesAreServedAndRecordedAsLines) {
  const auto text = read("src/math.c", 2, 1);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "  return a + b;\n");
  EXPECT_TRUE(text->more);
  EXPECT_EQ(range(), (agents::LineRange{2, 1}));
}

TEST_F(Tools, TheLastLinesSayThatTheFileEndsThere) {
  const auto text = read("src/math.c", 2, 2);
  ASSERT_TRUE(text);
  EXPECT_FALSE(text->more);
  EXPECT_EQ(range(), (agents::LineRange{2, 0})) << "that nothing follows was seen too";
}

TEST_F(Tools, BehindTheEndIsNothingAndThatWasSeen) {
  const auto text = read("src/math.c", 9);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "");
  EXPECT_EQ(range(), (agents::LineRange{9, 0}));
}

TEST_F(Tools, ALastLineWithoutAnEndIsALine) {
  const auto text = read("README");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "no newline at the end");
  EXPECT_EQ(text->lines, 1);
  EXPECT_FALSE(text->more);
}

TEST_F(Tools, AnAnswerIsBoundedToWholeLines) {
  std::string big;
  for (int i = 0; i < 20'000; ++i) big += "line " + std::to_string(i) + "\n";
  put("big", big);
  const auto text = read("big", 1, 100'000);
  ASSERT_TRUE(text);
  EXPECT_LE(text->text.size(), 64u << 10);
  EXPECT_TRUE(text->text.ends_with('\n'));
  EXPECT_TRUE(text->more && !text->cut);
  EXPECT_EQ(std::count(text->text.begin(), text->text.end(), '\n'), text->lines);
  EXPECT_EQ(range(), (agents::LineRange{1, text->lines}));
  // Lines over the borders of our buffer come whole, wherever they begin.
  const auto later = read("big", text->lines + 1, 1);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->text, "line " + std::to_string(text->lines) + "\n");
}

TEST_F(Tools, ALineLongerThanAnAnswerIsCutAndSaidToBe) {
  put("long", std::string(200'000, 'x') + "\nnext\n");
  const auto text = read("long");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text.size(), 64u << 10);
  EXPECT_TRUE(text->cut && text->more);
  EXPECT_EQ(text->lines, 1);
  EXPECT_EQ(range(), (agents::LineRange{1, 1}));
  EXPECT_EQ(read("long", 2)->text, "next\n");
}

TEST_F(Tools, BytesComeAsTheyAreAndBinaryFilesDoNot) {
  put("latin1", "caf\xe9\r\n");
  EXPECT_EQ(read("latin1")->text, "caf\xe9\r\n");
  put("binary", std::string("\x7f"
                            "ELF\0\0",
                            6));
  const auto text = read("binary");
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->binary);
  EXPECT_EQ(text->text, "");
  EXPECT_TRUE(std::get<FileRead>(recorded()[1].detail).lines.whole());
}

TEST_F(Tools, WhatIsNotThereWasSeenToBeAbsent) {
  const auto text = read("src/nothing.h");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::kNotFound);
  const auto all = recorded();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].outcome, agents::Outcome::kAbsent);
  EXPECT_EQ(std::get<FileRead>(all[0].detail).path, "src/nothing.h");
}

TEST_F(Tools, NothingOutsideOfTheTreeIsServed) {
  ASSERT_TRUE(write_file(dir.path() + "/secret", "s", Sync::kNo));
  const std::string tree = dir.path() + "/tree/";
  ASSERT_EQ(::symlink("../secret", (tree + "up").c_str()), 0);
  ASSERT_EQ(::symlink("/etc", (tree + "etc").c_str()), 0);
  ASSERT_EQ(::symlink(".git", (tree + "hidden").c_str()), 0);
  ASSERT_EQ(::symlink("loop", (tree + "loop").c_str()), 0);
  for (const std::string& path :
       {std::string("../secret"), std::string("src/../../secret"), dir.path() + "/secret",
        std::string("up"), std::string("etc/passwd"), std::string("/etc/passwd"),
        std::string(".git/config"), std::string("hidden/config"), std::string("loop"),
        std::string("src/../.git/config"), tree + ".git/config",
        std::string("/proc/self/environ")}) {
    const auto text = read(path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, Code::kRefused) << path;
    EXPECT_FALSE(search({.pattern = "s", .path = path})) << path;
    EXPECT_FALSE(tools->list({.path = path, .glob = "", .limit = 9}, caller, {})) << path;
  }
  EXPECT_FALSE(read(std::string("a\0b", 3)));
  EXPECT_FALSE(read(std::string(5000, 'a')));
  EXPECT_THAT(recorded(), IsEmpty()) << "nothing in the tree was told";
}

TEST_F(Tools, LinksWithinTheTreeAreFollowedAndNamed) {
  ASSERT_EQ(::symlink("src/math.c", (dir.path() + "/tree/link").c_str()), 0);
  const auto text = read("link");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->path, "src/math.c");
  EXPECT_EQ(std::get<FileRead>(recorded()[0].detail).path, "src/math.c");
  EXPECT_TRUE(read(dir.path() + "/tree/src/../src/./math.c"));
}

TEST_F(Tools, WhatIsNoFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo((dir.path() + "/tree/fifo").c_str(), 0600), 0);
  EXPECT_EQ(read("fifo").error().code, Code::kUsage);
  EXPECT_THAT(read("src").error().message, HasSubstr("directory"));
  EXPECT_FALSE(read("README", 0));
  EXPECT_FALSE(read("README", 1, 0));
}

TEST_F(Tools, NothingIsServedThatCannotBeRecorded) {
  ASSERT_TRUE(make_dirs(dir.path() + "/observed/mcp.jsonl"));
  const auto text = read("README");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().where, HasSubstr("recording"));
  EXPECT_FALSE(search({.pattern = "add"}));
  EXPECT_FALSE(tools->list({}, caller, {}));
}

TEST_F(Tools, ASearchAnswersLinesAndRecordsItsQuery) {
  const auto found = search({.pattern = "add\\("});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->lines, ElementsAre("src/main.c:1:int main() { return add(1, 2); }",
                                        "src/math.c:1:int add(int a, int b) {"));
  EXPECT_EQ(found->files.size(), 2u);
  EXPECT_FALSE(found->more);
  const auto all = recorded();
  ASSERT_EQ(all.size(), 1u);
  const auto& query = std::get<agents::Query>(all[0].detail);
  EXPECT_EQ(query.pattern, "add\\(");
  EXPECT_EQ(query.root, "");
  EXPECT_TRUE(query.files_known);
  EXPECT_THAT(query.files, ElementsAre("src/main.c", "src/math.c"));
  ASSERT_EQ(query.options.size(), 1u);
  EXPECT_EQ(query.options[0].first, "query");
  const auto parsed = search::query_from_text(query.options[0].second);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_THAT(parsed->patterns, ElementsAre("add\\("));
}

TEST_F(Tools, ASearchHasItsOptions) {
  put("notes.txt", "one\nADD this\nthree\nfour\nadder\n");
  EXPECT_THAT(search({.pattern = "add", .globs = {"*.txt"}, .ignore_case = true})->lines,
              ElementsAre("notes.txt:2:ADD this", "notes.txt:5:adder"));
  EXPECT_THAT(
      search({.pattern = "add", .globs = {"*.txt"}, .ignore_case = true, .word = true})->lines,
      ElementsAre("notes.txt:2:ADD this"));
  EXPECT_THAT(search({.pattern = "ADD", .path = "notes.txt", .context = 1})->lines,
              ElementsAre("notes.txt-1-one", "notes.txt:2:ADD this", "notes.txt-3-three"));
  EXPECT_THAT(search({.pattern = "add", .globs = {"!*.txt"}, .files_only = true})->lines,
              ElementsAre("src/main.c", "src/math.c"));
  EXPECT_THAT(
      search({.pattern = "add(", .path = "src", .globs = {"math.*"}, .literal = true})->lines,
      ElementsAre("src/math.c:1:int add(int a, int b) {"));
  EXPECT_THAT(search({.pattern = "nowhere"})->lines, IsEmpty());
  const auto one = search({.pattern = "add", .limit = 1});
  EXPECT_EQ(one->lines.size(), 1u);
  EXPECT_TRUE(one->more);
}

TEST_F(Tools, ASearchHeedsIgnoreFilesAndSkipsGitAndBinaries) {
  put(".gitignore", "*.o\n/build/\n");
  ASSERT_TRUE(make_dirs(dir.path() + "/tree/build"));
  put("build/gen.c", "add");
  put("math.o", "add");
  put("b.bin", std::string("add\0", 4));
  put(".git/add.c", "add");
  put("umlaut.txt",
      "zur\xc3\xbc"
      "ck add\n");
  const auto found = search({.pattern = "\\badd", .files_only = true});
  ASSERT_TRUE(found);
  EXPECT_THAT(found->lines, ElementsAre("src/main.c", "src/math.c", "umlaut.txt"));
  EXPECT_THAT(found->skipped, ElementsAre("b.bin"));
}

TEST_F(Tools, APatternThatIsNotUnderstoodIsSaidToBe) {
  EXPECT_EQ(search({.pattern = "(?i)add"}).error().code, Code::kUsage);
  EXPECT_EQ(search({.pattern = "(a"}).error().code, Code::kUsage);
  EXPECT_EQ(search({.pattern = ""}).error().code, Code::kUsage);
  EXPECT_EQ(search({.pattern = std::string(5000, 'a')}).error().code, Code::kUsage);
  EXPECT_EQ(search({.pattern = "a", .globs = {"[ab]*"}}).error().code, Code::kUsage);
  EXPECT_EQ(search({.pattern = "a", .globs = {"!"}}).error().code, Code::kUsage);
  EXPECT_EQ(search({.pattern = "a", .path = "README", .globs = {"*"}}).error().code, Code::kUsage);
  EXPECT_EQ(search({.pattern = "a", .limit = 0}).error().code, Code::kUsage);
  EXPECT_THAT(recorded(), IsEmpty());
}

TEST_F(Tools, ACancelledSearchServesAndRecordsNothing) {
  const auto found = tools->search({.pattern = "add"}, caller, [] { return true; });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kInterrupted);
  EXPECT_THAT(recorded(), IsEmpty());
}

TEST_F(Tools, TheNextQuestionSeesWhatWasWrittenMeanwhile) {
  EXPECT_EQ(search({.pattern = "fresh"})->files.size(), 0u);
  put("src/new.c", "fresh\n");
  EXPECT_EQ(search({.pattern = "fresh"})->files.size(), 1u);
  EXPECT_THAT(tools->list({.path = "src"}, caller, {})->names,
              ElementsAre("main.c", "math.c", "new.c"));
}

TEST_F(Tools, AListingHasTheNamesAndIsAListing) {
  ASSERT_EQ(::symlink("src", (dir.path() + "/tree/link").c_str()), 0);
  const auto names = tools->list({}, caller, {});
  ASSERT_TRUE(names);
  EXPECT_THAT(names->names, ElementsAre("README", "link", "src/"));
  EXPECT_THAT(tools->list({.path = "link"}, caller, {})->names, ElementsAre("main.c", "math.c"));
  const auto some = tools->list({.path = "src", .glob = "", .limit = 1}, caller, {});
  EXPECT_TRUE(some->more);
  const auto all = recorded();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].outcome, agents::Outcome::kDone);
  EXPECT_EQ(std::get<agents::Listing>(all[0].detail).path, "");
  EXPECT_EQ(std::get<agents::Listing>(all[1].detail).path, "src");
}

TEST_F(Tools, AGlobNamesFilesBelow) {
  put(".hidden.c", "");
  EXPECT_THAT(tools->list({.path = "", .glob = "*.c"}, caller, {})->names,
              ElementsAre(".hidden.c", "src/main.c", "src/math.c"));
  EXPECT_THAT(tools->list({.path = "src", .glob = "m?.c"}, caller, {}).error().code, Code::kUsage);
  EXPECT_THAT(tools->list({.path = "", .glob = "src/**"}, caller, {})->names,
              ElementsAre("src/main.c", "src/math.c"));
  EXPECT_EQ(std::get<agents::Query>(recorded()[0].detail).kind, agents::QueryKind::kGlob);
}

TEST_F(Tools, DeclaredReadsGoToAFileOfTheirOwn) {
  ASSERT_TRUE(
      tools->declare({.paths = {*parse_declared("math.c:2-3"), *parse_declared("../README")},
                      .reason = "the rounding rule"},
                     caller));
  const auto all = recorded("declared.jsonl");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].source, ReadSource::kDeclared);
  EXPECT_EQ(all[0].note, "the rounding rule");
  EXPECT_EQ(all[0].outcome, agents::Outcome::kDone);
  EXPECT_EQ(std::get<FileRead>(all[0].detail),
            (FileRead{dir.path() + "/tree/src/math.c", {2, 2}, agents::Via::kTool}));
  EXPECT_EQ(std::get<FileRead>(all[1].detail).path, dir.path() + "/tree/README");
  const auto out = tools->declare({.paths = {{"../../secret"}}}, caller);
  EXPECT_EQ(out.error().code, Code::kRefused);
  EXPECT_EQ(recorded("declared.jsonl").size(), 2u);
}

TEST_F(Tools, DirectoriesAbsencesAndSearchesAreDeclared) {
  ASSERT_TRUE(tools->declare({.paths = {{"."}},
                              .absent = {"none.c"},
                              .searches = {{.pattern = "add", .path = ".."}, {.globs = {"*.c"}}}},
                             caller));
  const auto all = recorded("declared.jsonl");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(std::get<agents::Listing>(all[0].detail).path, dir.path() + "/tree/src");
  EXPECT_EQ(std::get<FileRead>(all[1].detail).path, dir.path() + "/tree/src/none.c");
  EXPECT_EQ(all[1].outcome, agents::Outcome::kAbsent);
  const auto& lines = std::get<agents::Query>(all[2].detail);
  EXPECT_EQ(lines.kind, agents::QueryKind::kGrep);
  EXPECT_EQ(lines.root, dir.path() + "/tree");
  EXPECT_EQ(lines.options.size(), 1u);
  const auto& names = std::get<agents::Query>(all[3].detail);
  EXPECT_EQ(names.kind, agents::QueryKind::kGlob);
  EXPECT_EQ(names.root, dir.path() + "/tree/src");
  EXPECT_LE(all[3].start_ms, all[3].end_ms);
}

TEST_F(Tools, WhatIsNotSoIsRefusedAtOnceAndNothingIsRecorded) {
  const auto refused = [&](const Declaration& declared) {
    const Status status = tools->declare(declared, caller);
    EXPECT_TRUE(!status && status.error().code == Code::kUsage);
    return status ? "" : status.error().message;
  };
  EXPECT_THAT(refused({.paths = {{"math.c"}, {"none.c"}}}), HasSubstr("'none.c' does not exist"));
  EXPECT_THAT(refused({.paths = {{"math.c", 2, 4}}}), HasSubstr("'math.c' has 3 lines"));
  EXPECT_THAT(refused({.paths = {{"../README", 2, 2}}}), HasSubstr("has 1 lines"));
  EXPECT_THAT(refused({.paths = {{"../src", 1, 2}}}), HasSubstr("is a directory"));
  EXPECT_THAT(refused({.absent = {"math.c"}}), HasSubstr("'math.c' exists"));
  EXPECT_THAT(refused({.searches = {{.pattern = "(a"}}}), HasSubstr("is not closed"));
  EXPECT_THAT(refused({.searches = {{}}}), HasSubstr("a pattern, a glob or both"));
  EXPECT_THAT(refused({.searches = {{.pattern = "a", .path = "none"}}}), HasSubstr("none"));
  EXPECT_THAT(recorded("declared.jsonl"), IsEmpty());
  EXPECT_TRUE(tools->declare({.paths = {{"math.c", 3, 3}, {"../README", 1, 1}}}, caller));
}

TEST_F(Tools, ALongLineIsReadOnWhereItWasCut) {
  put("long",
      std::string(64 * 1024 - 1, 'x') + "\xc3\xbc" + std::string(100'000, 'y') + "z\nnext\n");
  const auto first = read("long");
  ASSERT_TRUE(first && first->cut);
  EXPECT_TRUE(first->text == std::string(64 * 1024 - 1, 'x')) << "never half a character";
  std::string all = first->text;
  std::int64_t column = first->column;
  for (int i = 0; i < 3 && column > 1; ++i) {
    const auto more = tools->read({.path = "long", .limit = 1, .column = column}, caller);
    ASSERT_TRUE(more);
    EXPECT_EQ(more->lines, 1);
    all += more->text;
    column = more->cut ? more->column : 0;
  }
  EXPECT_TRUE(all.ends_with("yyyz\n"));
  EXPECT_EQ(all.size(), 64 * 1024 - 1 + 2 + 100'000 + 2);
  EXPECT_EQ(std::get<FileRead>(recorded().back().detail).lines, (agents::LineRange{1, 1}));
  EXPECT_EQ(tools->read({.path = "long", .limit = 2, .column = 1'000'000}, caller)->text,
            "\nnext\n")
      << "behind its end there is only the end";
  EXPECT_EQ(tools->read({.path = "long", .offset = 2, .column = 3}, caller)->text, "xt\n");
  EXPECT_FALSE(tools->read({.path = "long", .column = 0}, caller));
}

TEST_F(Tools, ANameThatIsNotUtf8IsReadAsItIsShown) {
  put("src/caf\xe9%.c", "latin\n");
  put("src/caf%E9.c", "percent\n");
  EXPECT_THAT(tools->list({.path = "src"}, caller, {})->names,
              ElementsAre("caf%E9.c", "caf%E9%25.c", "main.c", "math.c"));
  EXPECT_THAT(tools->list({.path = "src", .glob = "caf*"}, caller, {})->names,
              ElementsAre("src/caf%E9.c", "src/caf%E9%25.c"));
  EXPECT_THAT(search({.pattern = "latin"})->lines, ElementsAre("src/caf%E9%25.c:1:latin"));
  EXPECT_EQ(read("src/caf%E9%25.c")->text, "latin\n");
  EXPECT_EQ(std::get<FileRead>(recorded().back().detail).path, "src/caf\xe9%.c");
  EXPECT_EQ(read("src/caf%E9.c")->text, "percent\n") << "a file of just that name";
  EXPECT_TRUE(tools->declare({.paths = {{"caf%E9%25.c"}}}, caller));
}

TEST_F(Tools, ARangeIsTwoNumbersInOrderOrPartOfTheName) {
  EXPECT_EQ(parse_declared("a:1-2")->last, 2);
  EXPECT_EQ(parse_declared("a:b")->path, "a:b");
  EXPECT_EQ(parse_declared("a:1-x")->path, "a:1-x");
  EXPECT_EQ(parse_declared("a:b:3-4")->path, "a:b");
  EXPECT_FALSE(parse_declared("a:2-1"));
  EXPECT_FALSE(parse_declared("a:0-1"));
  EXPECT_FALSE(parse_declared(""));
  EXPECT_FALSE(parse_declared(":1-2"));
}

TEST_F(Tools, OutsideOfATransactionTheCheckoutIsServedAndNothingRecorded) {
  host.env.erase("GIT_TXN_OBSERVED");
  auto outside = TreeTools::open(host, std::nullopt);
  ASSERT_TRUE(outside) << outside.error().message;
  EXPECT_EQ(outside->top(), dir.path() + "/tree");
  EXPECT_TRUE(outside->read({"README"}, caller));
  EXPECT_EQ(outside->recorded(), 0);
  EXPECT_EQ(outside->declare({.paths = {{"math.c"}}}, caller).error().code, Code::kUsage);
  EXPECT_THAT(recorded(), IsEmpty());
}

TEST_F(Tools, APlaceThatIsNotThereIsNamed) {
  EXPECT_EQ(TreeTools::open(host, "relative").error().code, Code::kUsage);
  EXPECT_EQ(TreeTools::open(host, dir.path() + "/nowhere").error().code, Code::kUsage);
  EXPECT_EQ(TreeTools::open(host, dir.path()).error().code, Code::kUsage) << "no tree beside it";
  host.env.clear();
  host.cwd = "/";
  EXPECT_EQ(TreeTools::open(host, std::nullopt).error().code, Code::kUsage);
}

TEST_F(Tools, TheTransactionsOwnInstructionsComeBeforeTheShippedOnes) {
  EXPECT_THAT(tools->instructions(), HasSubstr("read_set"));
  ASSERT_TRUE(write_file(dir.path() + "/observed/instructions.md", "ours", Sync::kNo));
  EXPECT_EQ(tools->instructions(), "ours");
  EXPECT_EQ(tools->news().number, 0);
}

}  // namespace
}  // namespace gittxn::api
