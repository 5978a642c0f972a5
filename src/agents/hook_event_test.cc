#include "agents/observe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/fields.h"
#include "agents/testing/describe.h"
#include "base/hash.h"
#include "base/json.h"

namespace gittxn::agents {
namespace {

using ::testing::ElementsAre;
using testing::fixture;
using ::testing::IsEmpty;
using testing::Kept;

void observe_text(std::string_view event, std::int64_t time_ms, const Sink& sink, Tally& tally) {
  const auto json = parse_foreign(event);
  observe_hook_event(json ? *json : Json(), time_ms, sink, tally);
}

std::vector<std::string> lines_for(std::string_view event, Tally* tally = nullptr) {
  Kept kept;
  Tally own;
  observe_text(event, 5000, kept.sink(), tally != nullptr ? *tally : own);
  return kept.lines();
}

std::string tool_event(std::string_view event, std::string_view tool, std::string_view rest) {
  return fmt::format(R"({{"session_id":"s","cwd":"/r","hook_event_name":"{}","tool_name":"{}",)"
                     R"("tool_use_id":"t",{}}})",
                     event, tool, rest);
}

std::vector<std::string> after(std::string_view tool, std::string_view rest,
                               Tally* tally = nullptr) {
  return lines_for(tool_event("PostToolUse", tool, rest), tally);
}

TEST(HookEvent, HasEveryToolOfClaudeCode) {
  Kept kept;
  Tally tally;
  for (const auto& line : testing::lines_of(fixture("claude-hooks-tools.jsonl"))) {
    observe_text(line, 1000, kept.sink(), tally);
  }
  EXPECT_THAT(
      kept.lines(),
      ElementsAre(
          "query grep add root=src",
          R"(query grep add files=["src/main.c","src/math.c","src/math.h"] files_known=true)",
          R"(query glob **/*.c files=["src/math.c","src/main.c"] files_known=true)",
          "query grep add", "read src/math.c", "[a44e] read src/math.h", "read data/p.png",
          "read data/n.ipynb", "read data/empty.txt", "read data/link.txt",
          "read data/sp ace é.txt", "read data/crlf.txt", "read data/latin1.txt",
          "read data failed", "read /etc/hostname", "read data/huge.txt failed",
          "write src/main.c replaced", "instructions CLAUDE.md session_start", "prompt",
          "other mcp__txn__read", "other ToolSearch", "other mcp__txn__search",
          "subagent launched a6b00911c2038a9ca agent-a6b00911c2038a9ca", "other WorktreeCreate",
          "session moved /srv/dev/wt-inner", "other ToolSearch",
          "read /srv/dev/wt-inner/src/math.c", "session moved /srv/dev/repo",
          "other WorktreeCreate", "other mcp__plugin_git-txn_txn__read"));
  EXPECT_EQ(tally, (Tally{.lines = 31}));  // WorktreeRemove says nothing
}

TEST(HookEvent, KeepsWhoSaidItAndWhen) {
  Kept kept;
  Tally tally;
  observe_text(tool_event("PostToolUse", "Read",
                          R"("tool_input":{"file_path":"a"},"duration_ms":40,"agent_id":"x/../y",)"
                          R"("agent_type":"Explore")"),
               5000, kept.sink(), tally);
  ASSERT_EQ(kept.all.size(), 1U);
  const Observation& seen = kept.all[0];
  EXPECT_EQ(seen.source, ReadSource::kHook);
  EXPECT_EQ(seen.program, Program::kClaudeCode);
  EXPECT_EQ(seen.session, "s");
  EXPECT_EQ(seen.agent, "x/../y");  // a name, not a path
  EXPECT_EQ(seen.agent_type, "Explore");
  EXPECT_EQ(seen.cwd, "/r");
  EXPECT_EQ(seen.tool, "Read");
  EXPECT_EQ(seen.tool_use_id, "t");
  EXPECT_EQ(seen.start_ms, 4960);
  EXPECT_EQ(seen.end_ms, 5000);
}

TEST(HookEvent, KnowsTheProgram) {
  const auto program = [](std::string_view fields) {
    Kept kept;
    Tally tally;
    observe_text(fmt::format(R"({{"hook_event_name":"SessionStart",{}}})", fields), 1, kept.sink(),
                 tally);
    return kept.all.at(0).program;
  };
  EXPECT_EQ(program(R"("turn_id":"t")"), Program::kCodex);
  EXPECT_EQ(program(R"("transcript_path":"/h/rollout-2026-x.jsonl")"), Program::kCodex);
  EXPECT_EQ(program(R"("transcript_path":"/rollout-home/x.jsonl")"), Program::kClaudeCode);
  EXPECT_EQ(program(R"("turn_id":"t","prompt_id":"p")"), Program::kClaudeCode);
}

TEST(HookEvent, ReadsRangesAndNeverTooNarrow) {
  const auto range = [](std::string_view input, std::string_view file) {
    return after("Read", fmt::format(R"("tool_input":{{"file_path":"f"{}}},"tool_response":)"
                                     R"({{"type":"text","file":{{{}}}}})",
                                     input, file))[0];
  };
  const char* const served = R"("numLines":5,"startLine":100,"totalLines":3001)";
  EXPECT_EQ(range(R"(,"offset":100,"limit":5)", served), "read f first=100 count=5");
  EXPECT_EQ(range("", R"("numLines":3,"startLine":1,"totalLines":3)"), "read f");
  EXPECT_EQ(range("", R"("numLines":2000,"startLine":1,"totalLines":3001)"), "read f count=2000");
  // The last line of the file was served: one that is appended would have been too.
  EXPECT_EQ(range("", R"("numLines":5,"startLine":6,"totalLines":10)"), "read f first=6");
  EXPECT_EQ(range("", R"("numLines":0,"startLine":100,"totalLines":10)"), "read f first=100");
  // Without an answer's figures those that were asked for; without sense the whole file.
  EXPECT_EQ(range(R"(,"offset":7,"limit":2)", ""), "read f first=7 count=2");
  EXPECT_EQ(range(R"(,"offset":7)", R"("startLine":-4)"), "read f first=7");
  EXPECT_EQ(range(R"(,"offset":-7,"limit":2)", ""), "read f");
  EXPECT_EQ(range(R"(,"offset":1e300,"limit":2)", ""), "read f");
  EXPECT_EQ(range(R"(,"offset":"x","limit":2)", ""), "read f");
  EXPECT_EQ(range(R"(,"limit":9223372036854775807)", ""), "read f");
}

TEST(HookEvent, AFailureIsAnAbsenceWhenItSaysSo) {
  const auto failed = [](std::string_view tool, std::string_view input, std::string_view error) {
    return lines_for(tool_event("PostToolUseFailure", tool,
                                fmt::format(R"("tool_input":{},"error":"{}")", input, error)))[0];
  };
  const char* const file = R"({"file_path":"f","offset":3,"limit":4})";
  EXPECT_EQ(failed("Read", file, "File does not exist. Note: your cwd is /r"), "read f absent");
  EXPECT_EQ(failed("Read", file, "ENOENT: no such file or directory, open 'f'"), "read f absent");
  EXPECT_EQ(failed("Read", R"({"file_path":"f"})", "EISDIR: illegal operation on a directory"),
            "read f failed");
  EXPECT_EQ(failed("Edit", R"({"file_path":"f","old_string":"a"})", "String not found in file"),
            "read f via=edit failed");
  EXPECT_EQ(
      failed("Bash", R"({"command":"cat g"})", R"(Exit code 1\ncat: g: No such file or directory)"),
      "command cat g exit_code=1 absent");
  EXPECT_EQ(failed("Bash", R"({"command":"x"})", "Exit code 99999"), "command x failed");
}

TEST(HookEvent, EditsReadAndWrite) {
  EXPECT_THAT(after("Edit", R"("tool_input":{"file_path":"f","old_string":"a"},)"
                            R"("tool_response":{"originalFile":"abc"})"),
              ElementsAre("read f via=edit", "write f changed"));
  EXPECT_THAT(after("Edit", R"("tool_input":{"file_path":"f","old_string":""},)"
                            R"("tool_response":{"originalFile":null})"),
              ElementsAre("write f created"));
  // The log cuts large originals; cut is not absent.
  EXPECT_THAT(after("Edit", R"("tool_input":{"file_path":"f","old_string":""},"tool_response":)"
                            R"({"originalFile":{"cut_bytes":9,"sha256":"aa"}})"),
              ElementsAre("read f via=edit", "write f changed"));
  EXPECT_THAT(after("MultiEdit", R"("tool_input":{"file_path":"f"})"),
              ElementsAre("read f via=edit", "write f changed"));
  EXPECT_THAT(after("NotebookEdit", R"("tool_input":{"notebook_path":"n.ipynb"})"),
              ElementsAre("read n.ipynb via=edit", "write n.ipynb changed"));
  EXPECT_THAT(after("Write", R"("tool_input":{"file_path":"f"},"tool_response":{"type":"create"})"),
              ElementsAre("write f created"));
}

TEST(HookEvent, QueriesKeepEveryOption) {
  Kept kept;
  Tally tally;
  observe_text(tool_event("PostToolUse", "Grep",
                          R"("tool_input":{"pattern":"a|b","path":"src","glob":"*.c","-i":true,)"
                          R"("-A":2,"output_mode":"content"})"),
               1, kept.sink(), tally);
  const Query expected{
      .kind = QueryKind::kGrep,
      .pattern = "a|b",
      .root = "src",
      .options = {{"-A", "2"}, {"-i", "true"}, {"glob", "\"*.c\""}, {"output_mode", "\"content\""}},
      .files = {}};
  EXPECT_EQ(std::get<Query>(kept.all.at(0).detail), expected);
  // A cut or partial answer is not the answer.
  for (const char* const answer :
       {R"("filenames":["a"],"totalMatches":2)",
        R"("filenames":["a"],"totalMatches":1,"truncated":true)",
        R"("filenames":{"cut_bytes":9,"sha256":"aa"},"totalMatches":1)", R"("filenames":["a"])"}) {
    const auto lines = after(
        "Glob", fmt::format(R"("tool_input":{{"pattern":"*"}},"tool_response":{{{}}})", answer));
    EXPECT_EQ(lines.at(0).find("files_known"), std::string::npos) << answer;
  }
  EXPECT_THAT(after("WebSearch", R"("tool_input":{"query":"q"})"), ElementsAre("query web q"));
  EXPECT_THAT(after("WebFetch", R"("tool_input":{"url":"https://x/y","prompt":"p"})"),
              ElementsAre("url https://x/y"));
}

TEST(HookEvent, PatchesOfCodex) {
  const std::string patch =
      R"("tool_input":{"command":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n)"
      R"(-x\n*** Delete File: ../c\r\n*** Add File: d e\n+*** Add File: no\n*** End Patch\n"})";
  EXPECT_THAT(after("apply_patch", patch),
              ElementsAre("read a via=edit", "write a changed", "write a removed",
                          "write b created", "write ../c removed", "write d e created"));
  EXPECT_THAT(lines_for(tool_event("PostToolUseFailure", "apply_patch", patch)),
              ElementsAre("read a via=edit failed"));
  Tally tally;
  EXPECT_THAT(after("apply_patch", R"("tool_input":{"command":"nothing"})", &tally),
              ElementsAre("other apply_patch"));
  EXPECT_EQ(tally.incomplete, 1U);
}

TEST(HookEvent, PromptsAreDigestsOnly) {
  Kept kept;
  Tally tally;
  observe_text(R"({"hook_event_name":"UserPromptSubmit","prompt":"fix it"})", 1, kept.sink(),
               tally);
  EXPECT_EQ(std::get<Prompt>(kept.all.at(0).detail), (Prompt{sha256("fix it"), 6}));
}

TEST(HookEvent, LastMessagesDeclareReads) {
  EXPECT_THAT(
      lines_for(R"({"hook_event_name":"Stop","last_assistant_message":)"
                R"("Done.\n```read_set\nread: a.c lines 1-3\nabsent: b.c\n```\n"})"),
      ElementsAre("session turn_ended", "read a.c count=3 declared", "read b.c absent declared"));
  EXPECT_THAT(
      lines_for(R"({"hook_event_name":"SubagentStop","agent_id":"x","agent_transcript_path":)"
                R"("/t/x.jsonl","last_assistant_message":"```read_set\nlist: d\n```"})"),
      ElementsAre("[x] subagent stopped x", "[x] list d declared"));
}

TEST(HookEvent, ToleratesWhatItDoesNotKnow) {
  Tally tally;
  EXPECT_THAT(lines_for(R"({"hook_event_name":"Teatime","tea":[1]})", &tally), IsEmpty());
  EXPECT_THAT(lines_for(tool_event("PostToolUse", "Juggle", R"("x":1)"), &tally),
              ElementsAre("other Juggle"));
  EXPECT_EQ(tally, (Tally{.lines = 2, .unknown = 1}));
}

TEST(HookEvent, SurvivesHostileEvents) {
  for (const char* const text :
       {"", "{", "[]", "null", "17", "{\"hook_event_name\":7}", "\xff\xfe", "{\"a\":1e999}",
        R"({"hook_event_name":""})", "{\"hook_event_name\":\"Stop\"} trailing"}) {
    Tally tally;
    EXPECT_THAT(lines_for(text, &tally), IsEmpty()) << text;
    EXPECT_EQ(tally, (Tally{.lines = 1, .damaged = 1})) << text;
  }
  EXPECT_THAT(lines_for(std::string(100'000, '[')), IsEmpty());
  std::string many = "{\"hook_event_name\":\"Stop\",\"x\":[0";
  for (int i = 0; i < 1 << 20; ++i) many += ",0";
  Tally tally;
  EXPECT_THAT(lines_for(many + "]}", &tally), IsEmpty());
  EXPECT_EQ(tally.damaged, 1U);
}

TEST(HookEvent, FieldsOfWrongTypesAreMissing) {
  for (const char* const tool : {"Read", "Edit", "Write", "Grep", "Glob", "Bash", "WebFetch",
                                 "WebSearch", "apply_patch", "NotebookEdit"}) {
    for (const char* const input :
         {R"("tool_input":null)", R"("tool_input":[])", R"("tool_input":"x")", R"("x":1)",
          R"("tool_input":{"file_path":7,"pattern":[],"command":{},"url":null,"query":1})",
          R"("tool_input":{"file_path":"a\u0000b","pattern":"","command":"","url":""})"}) {
      Tally tally;
      EXPECT_THAT(after(tool, input, &tally), ElementsAre(std::string("other ") + tool)) << input;
      EXPECT_EQ(tally.incomplete, 1U) << tool << input;
    }
  }
  Tally tally;
  after("Read", fmt::format(R"("tool_input":{{"file_path":"{}"}})", std::string(4097, 'a')),
        &tally);
  after("Grep", R"("tool_input":{"pattern":"a","path":7})", &tally);
  EXPECT_EQ(tally.incomplete, 2U);
}

TEST(HookEvent, PathsAreKeptAsGiven) {
  EXPECT_THAT(after("Read", R"("tool_input":{"file_path":"../../etc/./passwd//"})"),
              ElementsAre("read ../../etc/./passwd//"));
  // JavaScript escapes a surrogate it cut in two; the rest of the event is still good.
  EXPECT_THAT(after("Bash", R"("tool_input":{"command":"a"},"tool_response":{"stdout":"x\ud83d"})"),
              ElementsAre("command a"));
  EXPECT_THAT(after("Read", R"("tool_input":{"file_path":"\ud83d\ude00"},"x":"\udc00\\ud800"})"),
              IsEmpty());  // one brace too many, so that the repair must not invent sense
}

}  // namespace
}  // namespace gittxn::agents
