// Tests of what housekeeping learns of sessions, from the files beside an attempt's records.
#include "txn/serve/observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/hook_log.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/testing/temp_dir.h"

namespace gittxn::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Conversation : public ::testing::Test {
 protected:
  Conversation() { event({{"hook_event_name", "SessionStart"}, {"source", "startup"}}); }

  void event(Json event) {
    event["session_id"] = "s";
    event["cwd"] = "/w";
    const std::string line = agents::log_line_of(dump_json(event), 1);
    ASSERT_TRUE(agents::append_to_hook_log(dir.path() + "/hooks.jsonl", line));
  }
  void called(const std::string& tool, const std::string& path, const std::string& failed = "") {
    Json call = {{"hook_event_name", failed.empty() ? "PostToolUse" : "PostToolUseFailure"},
                 {"tool_name", tool},
                 {"tool_use_id", "toolu_" + path},
                 {"tool_input", {{"file_path", path}, {"content", "x"}}}};
    if (!failed.empty()) call["error"] = failed;
    event(std::move(call));
  }
  // Writes what an import does when nothing is missing.
  void is_read(const std::string& session = "s") {
    agents::Observation read;
    read.source = ReadSource::kTranscript;
    read.session = session;
    read.detail = agents::Session{agents::SessionPhase::kRead, "", "", ""};
    const auto line = agents::log_line_of(read);
    ASSERT_TRUE(line);
    ASSERT_TRUE(agents::append_to_hook_log(dir.path() + "/transcripts.jsonl", *line));
  }
  capture::Conversations now(Sessions sessions = Sessions::kEnded) {
    auto files = read_observed(dir.path(), sessions);
    EXPECT_TRUE(files);
    return files ? files->conversations : capture::Conversations{};
  }

  gittxn::testing::TempDir dir;
};

TEST_F(Conversation, IsWholeWhenAllOfItsSessionsWereRead) {
  EXPECT_FALSE(now().whole);
  EXPECT_TRUE(now(Sessions::kRunning).whole) << "until now it is";
  is_read();
  EXPECT_TRUE(now().whole);
}

TEST_F(Conversation, IsNotWholeBesideASessionThatWasNot) {
  is_read("another");
  EXPECT_FALSE(now().whole);
}

TEST_F(Conversation, IsNotWholeWithoutOne) {
  const gittxn::testing::TempDir empty;
  const auto files = read_observed(empty.path());
  ASSERT_TRUE(files);
  EXPECT_FALSE(files->conversations.whole);
}

// Files are decided as listings are: the conversation has ended, and the model named the call.
TEST_F(Conversation, FilesOfItsCallsWereShownToItAlone) {
  const auto shown = [this](Sessions sessions = Sessions::kEnded) {
    std::string paths;
    const auto files = read_observed(dir.path(), sessions);
    EXPECT_TRUE(files);
    for (const capture::Observed& one : files->observed) {
      if (one.shown) paths += one.path + " ";
    }
    return paths;
  };
  called("Read", "/w/a");
  called("Edit", "/w/b");
  called("Read", "/w/c", "File does not exist.");
  event({{"hook_event_name", "PostToolUse"},
         {"tool_name", "Read"},
         {"tool_use_id", "exec-1"},
         {"tool_input", {{"file_path", "/w/d"}}}});
  EXPECT_EQ(shown(), "") << "it may go on";
  EXPECT_EQ(shown(Sessions::kRunning), "/w/a /w/b ") << "until now it is so";
  event({{"hook_event_name", "SessionEnd"}, {"reason", "other"}});
  EXPECT_EQ(shown(), "/w/a /w/b ");
  ASSERT_TRUE(agents::append_to_hook_log(dir.path() + "/hooks.jsonl", "{\"v\":1,"));
  EXPECT_EQ(shown(), "");
}

TEST_F(Conversation, IsNotWholeOnceItWasCompacted) {
  is_read();
  event({{"hook_event_name", "SessionStart"}, {"source", "resume"}});
  EXPECT_TRUE(now().whole);
  event({{"hook_event_name", "SessionStart"}, {"source", "compact"}});
  EXPECT_FALSE(now().whole);
  EXPECT_FALSE(now(Sessions::kRunning).whole);
}

TEST_F(Conversation, IsNotWholeWithADamagedLine) {
  is_read();
  ASSERT_TRUE(agents::append_to_hook_log(dir.path() + "/hooks.jsonl", "{\"v\":1,"));
  EXPECT_FALSE(now().whole);
}

TEST_F(Conversation, NamesItsToolsAndTheCallsThatFailed) {
  called("Read", "/w/a");
  called("Write", "b");
  EXPECT_THAT(now().tools, ElementsAre("Read", "Write"));
  EXPECT_THAT(now().failed, IsEmpty());
  called("Edit", "/w/c", "String to replace not found in file.");
  called("Read", "d", "File does not exist.");
  const capture::Conversations all = now();
  EXPECT_THAT(all.tools, ElementsAre("Edit", "Read", "Write"));
  ASSERT_EQ(all.failed.size(), 2u);
  EXPECT_EQ(all.failed[0].path, "/w/c");
  EXPECT_EQ(all.failed[1].path, "d");
  EXPECT_EQ(all.failed[1].cwd, "/w");
}

}  // namespace
}  // namespace gittxn::api
