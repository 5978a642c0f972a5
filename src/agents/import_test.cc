#include "agents/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agents/hook_log.h"
#include "agents/testing/describe.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/testing/temp_dir.h"

namespace gittxn::agents {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fixture;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Import : public ::testing::Test {
 protected:
  Import() {
    EXPECT_TRUE(make_dirs(observed()));
    EXPECT_TRUE(make_dirs(dir_.path() + "/sessions"));
  }
  std::string observed() const { return dir_.path() + "/observed"; }
  std::string sessions(const std::string& name) const { return dir_.path() + "/sessions/" + name; }

  void hook(const Json& event) {
    ASSERT_TRUE(append_to_hook_log(observed() + "/hooks.jsonl", log_line_of(dump_json(event), 1)));
  }
  // The event of a session whose file is `path`.
  static Json session(const std::string& event, const std::string& path, const std::string& id) {
    return {{"hook_event_name", event}, {"session_id", id}, {"transcript_path", path}};
  }
  Imported import() {
    auto imported = import_sessions(observed());
    EXPECT_TRUE(imported);
    return imported ? *imported : Imported{};
  }
  // What was written, read as api/ reads it.
  std::vector<std::string> written() {
    kept_ = {};
    HookLogReader reader(kept_.sink());
    EXPECT_TRUE(read_hook_log(observed() + "/transcripts.jsonl", reader));
    EXPECT_EQ(reader.tally().damaged, 0u);
    return kept_.lines();
  }
  void put(const std::string& path, const std::string& text) {
    ASSERT_TRUE(make_dirs(parent_dir(path)));
    ASSERT_TRUE(write_file(path, text, Sync::kNo));
  }

  gittxn::testing::TempDir dir_;
  testing::Kept kept_;
};

TEST_F(Import, NothingWithoutHooks) {
  const Imported imported = import();
  EXPECT_EQ(imported.sessions, 0u);
  EXPECT_FALSE(exists(observed() + "/transcripts.jsonl").value());
}

TEST_F(Import, ASessionOfClaudeCodeAndItsSubAgents) {
  put(sessions("s.jsonl"), fixture("claude-transcript.jsonl"));
  put(sessions("s/subagents/agent-a2471c32961320503.jsonl"), fixture("claude-subagent.jsonl"));
  put(sessions("s/subagents/agent-a2471c32961320503.meta.json"),
      fixture("claude-subagent.meta.json"));
  put(sessions("s/subagents/notes.txt"), "not of a session");
  hook(session("SessionStart", sessions("s.jsonl"), "s"));
  hook(session("SessionEnd", sessions("s.jsonl"), "s"));
  const Imported imported = import();
  EXPECT_EQ(imported.sessions, 1u);
  EXPECT_TRUE(imported.sessions_ended);
  EXPECT_EQ(imported.files, 2u);
  EXPECT_THAT(imported.missing, IsEmpty());
  EXPECT_EQ(imported.tally.damaged, 0u);
  const auto lines = written();
  EXPECT_EQ(lines.size(), imported.observations);
  EXPECT_THAT(lines, Contains(StartsWith("[a247] read src/math.h")));
  EXPECT_THAT(lines, Contains(HasSubstr("via=mention")));
  for (const Observation& seen : kept_.all) EXPECT_EQ(seen.source, ReadSource::kTranscript);
}

TEST_F(Import, ARolloutOfCodexAndThoseThatNameItAsParent) {
  const std::string main = sessions("rollout-1.jsonl");
  put(main, fixture("codex-rollout.jsonl"));
  put(sessions("rollout-2.jsonl"), fixture("codex-rollout-subagent.jsonl"));
  put(sessions("rollout-3.jsonl"),
      R"({"type":"session_meta","payload":{"id":"x","parent_thread_id":"somebody-else"}})");
  hook(session("SessionStart", main, "01a1fd65-f4bf-7c22-93fe-52bbfdd2a559"));
  const Imported imported = import();
  EXPECT_EQ(imported.files, 2u);
  EXPECT_FALSE(imported.sessions_ended);
  EXPECT_THAT(written(), Contains(HasSubstr("src/math.h")));
}

TEST_F(Import, ASessionIsReadWhenNothingOfItIsMissing) {
  const std::string whole =
      R"({"type":"user","sessionId":"s","message":{"role":"user","content":"hello"}})";
  const auto read = [&](const std::string& text) {
    put(sessions("s.jsonl"), text);
    import();
    const std::vector<std::string> lines = written();
    return std::ranges::count_if(kept_.all, [](const Observation& seen) {
      const auto* session = std::get_if<Session>(&seen.detail);
      return session != nullptr && session->phase == SessionPhase::kRead && seen.session == "s";
    });
  };
  hook(session("SessionStart", sessions("s.jsonl"), "s"));
  EXPECT_EQ(read(whole), 0) << "it has not ended";
  hook(session("SessionEnd", sessions("s.jsonl"), "s"));
  EXPECT_EQ(read(whole), 1);
  EXPECT_EQ(read(whole + "\nnonsense"), 0) << "damaged";
  EXPECT_EQ(read(whole + "\n{\"type\":\"of another version\"}"), 0) << "not known";
  hook(session("SessionStart", sessions("none.jsonl"), "t"));
  hook(session("SessionEnd", sessions("none.jsonl"), "t"));
  EXPECT_EQ(read(whole), 0) << "another one is missing";
}

TEST_F(Import, WhatIsNamedIsNotTrusted) {
  ASSERT_EQ(::mkfifo(sessions("pipe.jsonl").c_str(), 0600), 0);
  put(sessions("secret"), "{}");
  put(sessions("torn.jsonl"),
      "{\"type\":\"user\n\x01\xff garbage\n" + fixture("claude-transcript.jsonl").substr(0, 20000));
  hook(session("SessionStart", sessions("pipe.jsonl"), "../../etc/passwd"));
  hook(session("SessionStart", "/dev/zero", "a/b"));
  hook(session("SessionStart", "relative.jsonl", "c"));
  hook(session("SessionStart", sessions("secret"), "d"));
  hook(session("SessionStart", sessions("absent.jsonl"), "e"));
  hook(session("SessionStart", sessions("torn.jsonl"), "f"));
  const Imported imported = import();
  EXPECT_EQ(imported.sessions, 6u);
  EXPECT_EQ(imported.files, 1u);
  EXPECT_EQ(imported.left_out, 3u);  // of other names
  ASSERT_EQ(imported.missing.size(), 2u);
  EXPECT_THAT(imported.missing, Contains(HasSubstr("not a file")));
  EXPECT_THAT(imported.missing, Contains(StartsWith(sessions("absent.jsonl"))));
  EXPECT_GE(imported.tally.damaged, 2u);
  EXPECT_GT(imported.observations, 0u);
  EXPECT_EQ(written().size(), imported.observations);
}

TEST_F(Import, NoMoreFilesThanTheBound) {
  for (std::size_t i = 0; i < kMaxSessionFiles + 10; ++i) {
    hook(session("SessionStart", sessions(std::to_string(i) + ".jsonl"), std::to_string(i)));
  }
  const Imported imported = import();
  EXPECT_EQ(imported.left_out, 10u);
  EXPECT_EQ(imported.missing.size(), 16u);
}

TEST_F(Import, DamagedHooksAreCounted) {
  put(observed() + "/hooks.jsonl", "{\"v\":1,\"time_ms\":1,\"event\":{\"hook_ev\nnonsense\n");
  hook(session("SessionStart", sessions("none.jsonl"), "a"));
  const Imported imported = import();
  EXPECT_EQ(imported.hooks.damaged, 2u);
  EXPECT_EQ(imported.sessions, 1u);
}

TEST_F(Import, SpansAreAppended) {
  const std::string file = dir_.path() + "/spans.json";
  const std::string arguments = R"({\"path\":\"src/a.c\"})";
  const auto attribute = [](std::string_view key, std::string_view value) {
    return fmt::format(R"({{"key":"{}","value":{{"stringValue":"{}"}}}})", key, value);
  };
  put(file, fmt::format(R"({{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"name":"x",)"
                        R"("attributes":[{},{}]}}]}}]}}]}})",
                        attribute("gen_ai.tool.name", "read_file"),
                        attribute("gen_ai.tool.call.arguments", arguments)));
  for (int i = 0; i < 2; ++i) {
    const auto imported = import_otel(observed(), file);
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(imported->observations, 1u);
  }
  testing::Kept kept;
  HookLogReader reader(kept.sink());
  ASSERT_TRUE(read_hook_log(observed() + "/otel.jsonl", reader));
  EXPECT_THAT(kept.lines(), ElementsAre("read src/a.c declared", "read src/a.c declared"));
  put(file, "nothing of the kind");
  EXPECT_EQ(import_otel(observed(), file).error().code, Code::kUsage);
  EXPECT_EQ(import_otel(observed(), file + ".no").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace gittxn::agents
