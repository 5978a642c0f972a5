#include "agents/session_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/testing/describe.h"
#include "base/hash.h"
#include "base/random.h"

namespace gittxn::agents {
namespace {

using ::testing::ElementsAre;
using testing::fixture;
using ::testing::IsEmpty;
using testing::Kept;

struct ReadTranscript {
  Kept kept;
  std::unique_ptr<SessionReader> reader = transcript_reader(kept.sink());
  explicit ReadTranscript(std::string_view text) {
    reader->feed(text);
    reader->finish();
  }
  // Without the usage lines, which are all the same.
  std::vector<std::string> lines() const {
    auto all = kept.lines();
    std::erase_if(all, [](const auto& line) { return line.find("usage ") != line.npos; });
    return all;
  }
};

TEST(Transcript, OfASession) {
  const ReadTranscript parsed(fixture("claude-transcript.jsonl"));
  EXPECT_THAT(
      parsed.lines(),
      ElementsAre("prompt", "read data/list.txt via=mention", "instructions CLAUDE.md instructions",
                  "instructions docs/imported.md instructions", "read src/math.c",
                  "read data/big.txt first=100 count=5", "read data/big.txt",
                  "query grep add root=src failed", "query grep add failed",
                  "query glob **/*.c failed", "command cat data/list.txt | head -2",
                  "command grep -rn mul src && cd sub && cat note.txt", "read missing.txt absent",
                  "read sub/note.txt", "instructions sub/CLAUDE.md nested_memory",
                  "command exit 3 exit_code=3 failed", "read src/math.c via=edit",
                  "write src/math.c changed", "write src/new.c created", "read src/main.c via=edit",
                  "write src/main.c changed", "subagent launched a2471c32961320503 general-purpose",
                  "command sleep 0.2; cat docs/guide.md background=true", "prompt", "prompt"));
  EXPECT_EQ(parsed.reader->tally(), (Tally{.lines = 64}));
  for (const Observation& seen : parsed.kept.all) {
    EXPECT_EQ(seen.source, ReadSource::kTranscript);
    EXPECT_EQ(seen.session, "2df9d045-b3db-4f64-b132-f8f6b5e152e7");
    EXPECT_GT(seen.start_ms, 1795252000000);  // 2026-11-21
    EXPECT_LE(seen.start_ms, seen.end_ms);
  }
}

TEST(Transcript, OfASubAgent) {
  const ReadTranscript parsed(fixture("claude-subagent.jsonl"));
  EXPECT_THAT(
      parsed.lines(),
      ElementsAre("[a247] prompt", "[a247] instructions CLAUDE.md instructions",
                  "[a247] instructions docs/imported.md instructions", "[a247] read src/math.h",
                  "[a247] command cat docs/guide.md exit_code=1 absent"));
  EXPECT_EQ(parsed.kept.all.size(), 8U);  // three answers of the model
  EXPECT_EQ(parsed.reader->tally(), (Tally{.lines = 10}));
  const auto meta = observe_sub_agent_meta(fixture("claude-subagent.meta.json"), "a6b0");
  ASSERT_TRUE(meta);
  EXPECT_EQ(testing::describe(*meta),
            "[a6b0] subagent stopped a6b0 general-purpose /srv/dev/wt-agent-a6b00911c2038a9ca");
  EXPECT_EQ(meta->tool_use_id, "toolu_fake_0001_0");
  EXPECT_FALSE(observe_sub_agent_meta("[]", "x"));
  EXPECT_FALSE(observe_sub_agent_meta("", "x"));
}

std::string assistant(std::string_view id, std::string_view content, int output) {
  return fmt::format(R"({{"type":"assistant","cwd":"/r","message":{{"id":"{}","model":"m",)"
                     R"("content":[{}],"usage":{{"input_tokens":3,"cache_read_input_tokens":5,)"
                     R"("cache_creation_input_tokens":7,"output_tokens":{}}}}}}})",
                     id, content, output) +
         "\n";
}
std::string call(std::string_view id, std::string_view tool, std::string_view input) {
  return assistant(
      "m-" + std::string(id),
      fmt::format(R"({{"type":"tool_use","id":"{}","name":"{}","input":{}}})", id, tool, input), 1);
}
std::string attachment(std::string_view body) {
  return fmt::format(R"({{"type":"attachment","attachment":{{{}}}}})", body) + "\n";
}

TEST(Transcript, CountsAnAnswerInSeveralLinesOnce) {
  const ReadTranscript parsed(assistant("a", R"({"type":"text","text":"x"})", 1) +
                              assistant("a", "", 9) + assistant("b", "", 4));
  ASSERT_EQ(parsed.kept.all.size(), 2U);
  const Usage first{.model = "m", .input = 3, .cache_read = 5, .cache_write = 7, .output = 9};
  EXPECT_EQ(std::get<Usage>(parsed.kept.all[0].detail), first);
  EXPECT_EQ(std::get<Usage>(parsed.kept.all[1].detail).output, 4);
  EXPECT_EQ(parsed.kept.all[0].tool_use_id, "a") << "so that it is counted once, wherever it is";
}

TEST(Transcript, AttachmentsAreReads) {
  EXPECT_THAT(
      ReadTranscript(
          attachment(R"("type":"directory","path":"/srv/dev/repo/src")") +
          attachment(R"("type":"file","filename":"f","content":{"type":"text","file":)"
                     R"({"startLine":5,"numLines":2,"totalLines":90}})") +
          attachment(R"("type":"edited_text_file","filename":"g","snippet":"1 x")") +
          attachment(R"("type":"file","filename":"h","content":{"file":{"startLine":"x"}})"))
          .lines(),
      ElementsAre("list src via=mention", "read f first=5 count=2 via=mention",
                  "read g via=mention", "read h via=mention"));
  const ReadTranscript odd(attachment(R"("type":"file")") + attachment(R"("type":"new thing")") +
                           attachment(R"("type":"instructions","files":[{},7])") +
                           attachment(R"("type":"date","date":"2026-11-21")"));
  EXPECT_THAT(odd.lines(), IsEmpty());
  EXPECT_EQ(odd.reader->tally(), (Tally{.lines = 4, .unknown = 1, .incomplete = 3}));
}

TEST(Transcript, CallsAndAnswersThatDoNotMeet) {
  const ReadTranscript parsed(call("1", "Read", R"({"file_path":"a"})") +
                              call("1", "Read", R"({"file_path":"b"})") +
                              R"({"type":"user","message":{"content":[{"type":"tool_result",)"
                              R"("tool_use_id":"other"}]}})");
  EXPECT_THAT(parsed.lines(), ElementsAre("read b asked", "read a asked"));
  EXPECT_EQ(parsed.reader->tally().incomplete, 1U);
}

TEST(Transcript, OnlyTheLastMessageDeclares) {
  const char* const block = R"({"type":"text","text":"```read_set\nread: %\n```"})";
  const auto text = [&](const std::string& path) {
    std::string of = block;
    return of.replace(of.find('%'), 1, path);
  };
  EXPECT_THAT(ReadTranscript(assistant("a", text("x"), 1) + assistant("b", text("y"), 1)).lines(),
              ElementsAre("read y declared"));
  EXPECT_THAT(
      ReadTranscript(assistant("a", text("x"), 1) + call("1", "Read", R"({"file_path":"f"})"))
          .lines(),
      ElementsAre("read f asked"));
}

TEST(Transcript, PromptsOfPeopleAndNotOfTheAgent) {
  const ReadTranscript parsed(
      "{\"type\":\"user\",\"message\":{\"content\":\"do\"}}\n"
      "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"hook says\"}}\n"
      "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"this\"}]}}\n");
  ASSERT_EQ(parsed.kept.all.size(), 2U);
  EXPECT_EQ(std::get<Prompt>(parsed.kept.all[0].detail), (Prompt{sha256("do"), 2}));
  EXPECT_EQ(std::get<Prompt>(parsed.kept.all[1].detail), (Prompt{sha256("this"), 4}));
}

TEST(Transcript, SkipsDamagedLinesAndCountsThem) {
  const std::string good = call("1", "Read", R"({"file_path":"a"})");
  const ReadTranscript parsed("{\"type\"\n\r\n[]\n7\n{\"type\":\"novel\"}\n" + good +
                              std::string((16 << 20) + 3, 'x') + "\n" + good.substr(0, 60));
  EXPECT_THAT(parsed.lines(), ElementsAre("read a asked"));
  EXPECT_EQ(parsed.reader->tally(), (Tally{.lines = 7, .damaged = 5, .unknown = 1}));
}

// Wherever the file is cut into chunks, and whichever bytes of it are damaged, it is read alike or
// with losses that are counted.
TEST(Transcript, AnyChunksAndAnyDamage) {
  const std::string whole = fixture("claude-transcript.jsonl");
  const auto expected = ReadTranscript(whole).kept.all;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Kept kept;
    const auto reader = transcript_reader(kept.sink());
    for (std::string_view rest = whole; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random.below(3000));
      reader->feed(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    reader->finish();
    EXPECT_EQ(kept.all, expected);

    std::string damaged = whole;
    for (int i = 0; i < 20; ++i) damaged[random.below(damaged.size())] = char(random.below(256));
    const ReadTranscript parsed(damaged);
    EXPECT_LE(parsed.reader->tally().damaged, 40U);
    EXPECT_GE(parsed.reader->tally().lines, 44U);
  }
}

}  // namespace
}  // namespace gittxn::agents
