#include "agents/session_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "agents/testing/describe.h"
#include "base/random.h"

namespace gittxn::agents {
namespace {

using ::testing::ElementsAre;
using testing::fixture;
using testing::Kept;

struct ReadRollout {
  Kept kept;
  std::unique_ptr<SessionReader> reader = rollout_reader(kept.sink());
  explicit ReadRollout(std::string_view text) {
    reader->feed(text);
    reader->finish();
  }
  std::vector<std::string> lines() const {
    auto all = kept.lines();
    std::erase_if(all, [](const auto& line) { return line.find("usage ") != line.npos; });
    return all;
  }
  std::vector<Usage> usage() const {
    std::vector<Usage> all;
    for (const Observation& seen : kept.all) {
      if (const auto* usage = std::get_if<Usage>(&seen.detail)) all.push_back(*usage);
    }
    return all;
  }
};

std::string line(std::string_view type, std::string_view payload) {
  return fmt::format(R"({{"timestamp":"2026-11-21T09:18:01.340Z","type":"{}","payload":{}}})", type,
                     payload) +
         "\n";
}
std::string item(std::string_view body) {
  return line("event_msg",
              fmt::format(R"({{"type":"item_completed","started_at_ms":5,"completed_at_ms":9,)"
                          R"("item":{{{}}}}})",
                          body));
}

TEST(Rollout, OfASession) {
  const ReadRollout parsed(fixture("codex-rollout.jsonl"));
  EXPECT_THAT(
      parsed.lines(),
      ElementsAre("session started user", "instructions AGENTS.md agents_md", "prompt",
                  "command cat data/list.txt | head -2 exit_code=0",
                  "command cat note.txt exit_code=0",
                  "command rg -n mul src; sed -n 1,2p src/math.h exit_code=0",
                  "command cat missing.txt exit_code=1 absent", "write docs/guide.md removed",
                  "read src/math.c via=edit", "write src/math.c changed", "write src/new.c created",
                  "read src/main.c via=edit", "write src/main.c changed", "other mcp__txn__read",
                  "subagent launched 01a1fd65-fa5f-71f1-8db0-9e46bbbc01f2",
                  "command sleep 1; echo waited exit_code=0", "session turn_ended"));
  EXPECT_EQ(parsed.reader->tally(), (Tally{.lines = 44}));
  // Both kinds of count are in the file; each answer is counted once.
  EXPECT_EQ(parsed.usage().size(), 11U);
  EXPECT_EQ(parsed.usage()[0], (Usage{.model = "gpt-5.5", .input = 100, .output = 10}));
  std::set<std::string> answers;
  for (const Observation& seen : parsed.kept.all) {
    if (std::holds_alternative<Usage>(seen.detail)) answers.insert(seen.tool_use_id);
  }
  EXPECT_EQ(answers.size(), 11U);
  EXPECT_FALSE(answers.contains(""));
  for (const Observation& seen : parsed.kept.all) {
    const auto* command = std::get_if<Command>(&seen.detail);
    if (command == nullptr || command->text != "cat note.txt") continue;
    EXPECT_EQ(seen.cwd, "/srv/dev/repo/sub");
    EXPECT_EQ(command->argv.size(), 3U);
    EXPECT_TRUE(command->cwd_exact);
    EXPECT_EQ(seen.tool_use_id, "call_fake_2_1");
  }
}

TEST(Rollout, OfASubAgentNamesItsParent) {
  const ReadRollout parsed(fixture("codex-rollout-subagent.jsonl"));
  EXPECT_THAT(
      parsed.lines(),
      ElementsAre("[01a1] session started subagent parent=01a1fd65-f4bf-7c22-93fe-52bbfdd2a559",
                  "[01a1] instructions AGENTS.md agents_md", "[01a1] prompt",
                  "[01a1] command cat src/math.h exit_code=0", "[01a1] session turn_ended"));
  EXPECT_EQ(parsed.kept.all.back().session, "01a1fd65-f4bf-7c22-93fe-52bbfdd2a559");
  EXPECT_EQ(parsed.kept.all.back().agent, "01a1fd65-fa5f-71f1-8db0-9e46bbbc01f2");
}

TEST(Rollout, OlderCountsAreDifferencesOfTotals) {
  const auto count = [](int input, int output, int last) {
    return line("event_msg",
                fmt::format(R"({{"type":"token_count","info":{{"total_token_usage":)"
                            R"({{"input_tokens":{},"cached_input_tokens":0,"output_tokens":{}}},)"
                            R"("last_token_usage":{{"input_tokens":{},"cached_input_tokens":2,)"
                            R"("output_tokens":1}}}}}})",
                            input, output, last));
  };
  const ReadRollout parsed(count(100, 10, 100) + count(100, 10, 100) + count(150, 12, 50) +
                           count(20, 1, 20) +
                           line("event_msg", R"({"type":"token_count","info":null})"));
  EXPECT_THAT(parsed.usage(),
              ElementsAre(Usage{.model = "", .input = 100, .output = 10},
                          Usage{.model = "", .input = 50, .output = 2},
                          Usage{.model = "", .input = 18, .cache_read = 2, .output = 1}));
}

TEST(Rollout, ChangesThatMoveOrFail) {
  EXPECT_THAT(ReadRollout(item(R"("type":"FileChange","status":"completed","changes":{"../a":)"
                               R"({"type":"update","move_path":"b"}})") +
                          item(R"("type":"FileChange","status":"declined","changes":{"c":)"
                               R"({"type":"update"},"d":{"type":"add"}})"))
                  .lines(),
              ElementsAre("read ../a via=edit", "write ../a removed", "write b created",
                          "read c via=edit failed"));
}

TEST(Rollout, MentionsImagesAndSearches) {
  EXPECT_THAT(
      ReadRollout(item(R"("type":"UserMessage","content":[{"type":"text","text":"see"},{"type":)"
                       R"("mention","path":"a.c"},{"type":"mention","path":"app://x"},)"
                       R"({"type":"local_image","path":"i.png"}])") +
                  item(R"("type":"ImageView","path":"file:///srv/dev/repo/a%20b.png")") +
                  item(R"("type":"WebSearch","query":"how")"))
          .lines(),
      ElementsAre("read a.c via=mention", "read i.png via=mention", "prompt", "read a b.png",
                  "query web how"));
}

TEST(Rollout, DeclaresWhatItsLastMessageSays) {
  const std::string started = line("event_msg", R"({"type":"task_started"})");
  const std::string ended = line("event_msg", R"({"type":"task_complete","last_agent_message":)"
                                              R"("```read_set\nread: a\nnonsense\n```"})");
  const ReadRollout parsed(started + ended);
  EXPECT_THAT(parsed.lines(), ElementsAre("session turn_ended", "read a declared"));
  EXPECT_EQ(parsed.reader->tally().incomplete, 1U);
}

TEST(Rollout, SurvivesHostileLines) {
  const ReadRollout parsed(
      "{\n[]\n{\"type\":\"event_msg\"}\n{\"type\":\"event_msg\",\"payload\":7}\n" +
      line("event_msg", R"({"type":"teatime"})") + line("novel", "{}") +
      item(R"("type":"Juggling")") +
      item(R"("type":"CommandExecution","command":[1,2],"cwd":7,"exit_code":-1)") +
      item(R"("type":"FileChange","changes":[])") + item(R"("type":"UserMessage","content":"x")") +
      item(R"("type":"ImageView","path":"file:///a%00b")") +
      line("world_state", R"({"state":{"agents_md":{"directory":""}}})"));
  EXPECT_THAT(parsed.lines(), ElementsAre("command", "other apply_patch"));
  EXPECT_EQ(parsed.reader->tally(),
            (Tally{.lines = 12, .damaged = 4, .unknown = 3, .incomplete = 4}));
}

TEST(Rollout, AnyChunksAndAnyDamage) {
  const std::string whole = fixture("codex-rollout.jsonl");
  const auto expected = ReadRollout(whole).kept.all;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Kept kept;
    const auto reader = rollout_reader(kept.sink());
    for (std::string_view rest = whole; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random.below(3000));
      reader->feed(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    reader->finish();
    EXPECT_EQ(kept.all, expected);
    std::string damaged = whole;
    for (int i = 0; i < 20; ++i) damaged[random.below(damaged.size())] = char(random.below(256));
    EXPECT_LE(ReadRollout(damaged).reader->tally().damaged, 40U);
  }
}

}  // namespace
}  // namespace gittxn::agents
