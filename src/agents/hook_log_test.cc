#include "agents/hook_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "agents/fields.h"
#include "agents/testing/describe.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/random.h"
#include "base/testing/temp_dir.h"

namespace gittxn::agents {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fixture;
using ::testing::IsEmpty;
using testing::Kept;

struct Log {
  Kept kept;
  HookLogReader reader{kept.sink()};

  explicit Log(const std::vector<std::string>& events) {
    std::int64_t time_ms = 0;
    for (const auto& event : events) reader.feed(log_line_of(event, time_ms += 1000) + "\n");
    reader.finish();
  }
};

TEST(HookLog, OfClaudeCode) {
  const Log log(testing::lines_of(fixture("claude-hooks.jsonl")));
  EXPECT_THAT(
      log.kept.lines(),
      ElementsAre("session started startup", "instructions CLAUDE.md session_start",
                  "instructions docs/imported.md include parent=CLAUDE.md", "prompt",
                  "read src/math.c", "read data/big.txt first=100 count=5", "read data/big.txt",
                  "command cat data/list.txt | head -2",
                  "command grep -rn mul src && cd sub && cat note.txt", "session moved sub",
                  "read missing.txt absent", "command exit 3 exit_code=3 failed",
                  "read src/math.c via=edit", "write src/math.c changed", "write src/new.c created",
                  "read src/main.c via=edit", "write src/main.c changed",
                  "[a247] subagent started a2471c32961320503 general-purpose",
                  "subagent launched a2471c32961320503 general-purpose",
                  "command sleep 0.2; cat docs/guide.md background=true", "[a247] read src/math.h",
                  "session turn_ended", "[a247] command cat docs/guide.md exit_code=1 absent",
                  "[a247] subagent stopped a2471c32961320503 general-purpose",
                  "session ended other"));
  EXPECT_EQ(log.reader.tally(), (Tally{.lines = 39}));
  EXPECT_TRUE(log.reader.all_sessions_ended());
  for (const Observation& seen : log.kept.all) {
    const auto* command = std::get_if<Command>(&seen.detail);
    if (command == nullptr || command->text.find("&& cd sub") == std::string::npos) continue;
    EXPECT_TRUE(command->cwd_exact);
    EXPECT_EQ(seen.cwd, "/srv/dev/repo");  // where it began, and not where its cd led
    EXPECT_LT(seen.start_ms, seen.end_ms);
  }
}

TEST(HookLog, OfCodex) {
  const Log log(testing::lines_of(fixture("codex-hooks.jsonl")));
  const auto lines = log.kept.lines();
  EXPECT_THAT(lines, Contains("write docs/guide.md removed"));
  EXPECT_THAT(lines, Contains("[01a1] command cat src/math.h"));
  EXPECT_THAT(lines, Contains("subagent launched 01a1fd65-fa5f-71f1-8db0-9e46bbbc01f2"));
  // Of a patch that failed there is only the asking.
  EXPECT_THAT(lines, Contains("read src/math.c via=edit asked"));
  EXPECT_THAT(lines, Contains("write src/math.c changed asked"));
  EXPECT_EQ(log.reader.tally(), (Tally{.lines = 27}));
  EXPECT_TRUE(log.reader.all_sessions_ended());
  for (const Observation& seen : log.kept.all)
    EXPECT_EQ(seen.program, Program::kCodex) << seen.tool;
}

std::string event(std::string_view name, std::string_view session, std::string_view rest = "") {
  return fmt::format(R"({{"hook_event_name":"{}","session_id":"{}","cwd":"/r"{}}})", name, session,
                     rest);
}
std::string bash(std::string_view name, std::string_view id) {
  return event(name, "s",
               fmt::format(R"(,"tool_name":"Bash","tool_use_id":"{}","tool_input":)"
                           R"({{"command":"c{}"}})",
                           id, id));
}

TEST(HookLog, KnowsWhetherSessionsEnded) {
  EXPECT_FALSE(Log({}).reader.all_sessions_ended());
  EXPECT_FALSE(Log({event("SessionStart", "a")}).reader.all_sessions_ended());
  EXPECT_TRUE(
      Log({event("SessionStart", "a"), event("SessionEnd", "a")}).reader.all_sessions_ended());
  EXPECT_FALSE(
      Log({event("SessionEnd", "a"), event("SessionStart", "a/../b")}).reader.all_sessions_ended());
  EXPECT_FALSE(Log({event("SessionEnd", "a"), bash("PostToolUse", "1"), event("Stop", "a")})
                   .reader.all_sessions_ended());
  std::vector<std::string> many;
  for (int i = 0; i < 2000; ++i) many.push_back(event("SessionEnd", std::to_string(i)));
  EXPECT_FALSE(Log(many).reader.all_sessions_ended());  // more than are kept
}

TEST(HookLog, ACallWithoutAnAnswerWasAsked) {
  EXPECT_THAT(Log({bash("PreToolUse", "1"), bash("PreToolUse", "2"), bash("PostToolUse", "1")})
                  .kept.lines(),
              ElementsAre("command c1", "command c2 asked"));
  EXPECT_THAT(Log({bash("PreToolUse", "1"), bash("PreToolUse", "1")}).kept.lines(),
              ElementsAre("command c1 asked", "command c1 asked"));
  std::vector<std::string> many;
  for (int i = 0; i < 3000; ++i) many.push_back(bash("PreToolUse", std::to_string(i)));
  EXPECT_EQ(Log(many).kept.all.size(), 3000U);
}

TEST(HookLog, FilesThatACallIsAboutToChange) {
  const auto files = [](const std::string& tool, const std::string& input) {
    return files_to_be_written(fmt::format(
        R"({{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"{}",)"
        R"("tool_use_id":"1","tool_input":{}}})",
        tool, input));
  };
  EXPECT_THAT(files("Edit", R"({"file_path":"/w/a","old_string":"x","new_string":"y"})"),
              ElementsAre("/w/a"));
  EXPECT_THAT(files("Write", R"({"file_path":"sub/../b","content":"x"})"), ElementsAre("/w/b"));
  EXPECT_THAT(
      files("apply_patch", R"({"command":"*** Begin Patch\n*** Update File: a\n+x\n)"
                           R"(*** Add File: /w/c\n+x\n*** Update File: a\n*** End Patch"})"),
      ElementsAre("/w/a", "/w/c"));
  EXPECT_THAT(files("Read", R"({"file_path":"/w/a"})"), IsEmpty());
  EXPECT_THAT(files("Bash", R"({"command":"echo x >a"})"), IsEmpty());
  EXPECT_THAT(files_to_be_written("no json"), IsEmpty());
}

TEST(HookLog, CutsLargePayloadsAndKeepsTheRest) {
  const std::string big(1 << 20, 'x');
  const std::string edit =
      event("PostToolUse", "s",
            fmt::format(R"(,"tool_name":"Edit","tool_use_id":"t","tool_input":{{"file_path":"f",)"
                        R"("old_string":"{}"}},"tool_response":{{"originalFile":"{}"}})",
                        big, big));
  const std::string line = log_line_of(edit, 7);
  EXPECT_LT(line.size(), 2000U);
  EXPECT_NE(line.find(sha256(big).str()), std::string::npos);
  const Log log({edit, event("UserPromptSubmit", "s", R"(,"prompt":")" + big + "\"")});
  EXPECT_THAT(log.kept.lines(), ElementsAre("read f via=edit", "write f changed", "prompt"));
  EXPECT_EQ(std::get<Prompt>(log.kept.all[2].detail), (Prompt{sha256(big), 1 << 20}));
}

TEST(HookLog, SaysThatAnEventWasTooLargeToKeep) {
  std::string names =
      "{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"tool_name\":\"Read\"";
  for (int i = 0; i < 20000; ++i) names += fmt::format(",\"key{}\":{}", i, i);
  const Log log({names + "}", "not JSON", std::string("\xff", 1)});
  EXPECT_THAT(log.kept.lines(), ElementsAre("other Read"));
  EXPECT_EQ(log.reader.tally().incomplete, 2U);  // the path, and the event
  EXPECT_EQ(log.reader.unparsed_events(), 2U);
}

TEST(HookLog, LinesAreBoundedAndValidWhateverTheEvent) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Json value = Json::object();
    value["hook_event_name"] = std::string(random.below(2) * 3000, '\x01') + "Stop";
    Json* at_depth = &value;
    for (std::uint64_t i = random.below(80); i > 0; --i) {
      std::string key(1 + random.below(random.below(8) == 0 ? 9000 : 9), 'k');
      key += std::to_string(i);
      Json& child = (*at_depth)[key];
      child = std::string(random.below(random.below(4) == 0 ? 20'000 : 40), '"');
      if (random.below(3) == 0) child = Json::array({std::string(random.below(500), 'y'), 1});
      if (random.below(8) == 0 && i % 10 == 0) {
        child = Json::object();
        at_depth = &child;
      }
    }
    const std::string line = log_line_of(dump_json(value), 1);
    EXPECT_LE(line.size(), kMaxLogLine);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_TRUE(parse_json(line));
    HookLogReader reader([](Observation&&) {});
    reader.feed(line);
    reader.finish();
    // The event's own name may be too long to be one; the line is always sound.
    EXPECT_EQ(reader.tally().lines, 1U);
    const bool named = value["hook_event_name"] == "Stop";
    EXPECT_EQ(reader.tally().damaged, named ? 0U : 1U);
  }
}

TEST(HookLog, SkipsDamagedLinesAndCountsThem) {
  Kept kept;
  HookLogReader reader(kept.sink());
  const std::string good = log_line_of(bash("PostToolUse", "1"), 1);
  reader.feed(good + "\n" + good.substr(0, 40) + "\n\n{}\n{\"v\":2,\"time_ms\":1,\"event\":{}}\n");
  reader.feed(std::string(5 << 20, 'x'));
  reader.feed("\n{\"v\":1,\"time_ms\":1,\"observation\":{\"kind\":\"read\"}}\n" + good);
  reader.finish();
  EXPECT_THAT(kept.lines(), ElementsAre("command c1", "command c1"));
  EXPECT_EQ(reader.tally(), (Tally{.lines = 7, .damaged = 5}));
}

TEST(HookLog, TakesObservationsToo) {
  Observation read;
  read.source = ReadSource::kMcp;
  read.detail = FileRead{std::string("a\xff%b"), {3, 4}, Via::kTool};
  const auto line = log_line_of(read);
  ASSERT_TRUE(line);
  Kept kept;
  HookLogReader reader(kept.sink());
  reader.feed(*line + "\n");
  reader.finish();
  ASSERT_EQ(kept.all.size(), 1U);
  EXPECT_EQ(kept.all[0], read);
  read.detail = Url{std::string(kMaxLogLine, 'u')};
  EXPECT_EQ(log_line_of(read).error().code, Code::kUsage);
}

TEST(HookLog, AppendsOfManyLoseNothing) {
  const gittxn::testing::TempDir dir;
  const std::string path = dir.at("hooks.jsonl");
  ASSERT_TRUE(write_file(path, "{\"torn", Sync::kNo));
  constexpr int kWriters = 4;
  constexpr std::size_t kEach = 50;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&path, writer] {
      for (std::size_t i = 0; i < kEach; ++i) {
        const std::string id =
            fmt::format("{}-{}{}", writer, i, std::string(std::size_t{300} * i, 'p'));
        if (!append_to_hook_log(path, log_line_of(bash("PostToolUse", id), 1))) std::abort();
      }
    });
  }
  for (auto& writer : writers) writer.join();
  Kept kept;
  HookLogReader reader(kept.sink());
  ASSERT_TRUE(read_hook_log(path, reader));
  EXPECT_EQ(kept.all.size(), kWriters * kEach);
  EXPECT_EQ(reader.tally().damaged, 1U);  // the torn one
}

TEST(HookLog, IsAFile) {
  const gittxn::testing::TempDir dir;
  HookLogReader reader([](Observation&&) {});
  EXPECT_EQ(read_hook_log(dir.at("none"), reader).error().code, Code::kNotFound);
  ASSERT_EQ(::mkfifo(dir.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_hook_log(dir.at("pipe"), reader).error().code, Code::kUnsupported);
  EXPECT_EQ(append_to_hook_log(dir.at("x"), std::string(kMaxLogLine + 1, 'x')).error().code,
            Code::kUsage);
}

}  // namespace
}  // namespace gittxn::agents
