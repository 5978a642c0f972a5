// What others see of a command that runs, and that it notices nothing of it.
#include "txn/working.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agents/hook_log.h"
#include "api/testing/kernel_world.h"
#include "txn/attempt.h"

namespace gittxn::api {
namespace {

using repo::testing::must;

class WorkingTest : public ::testing::Test, public testing::KernelWorld {
 protected:
  WorkingTest() {
    scratch_.write("f", "line\n");
    scratch_.commit("start");
    txn_ = must(kernel_.begin(RunOptions{}, Progress{}));
    EXPECT_TRUE(make_dirs(observed_dir(attempt())));
  }
  const Attempt& attempt() const { return txn_.attempts.back(); }
  std::string file(const std::string& name) const {
    return join_path(attempt().worktree, "tree/" + name);
  }
  void hook(const std::string& event, std::int64_t at_ms) {
    const std::string log = join_path(observed_dir(attempt()), "hooks.jsonl");
    ASSERT_TRUE(agents::append_to_hook_log(log, agents::log_line_of(event, at_ms)));
  }
  std::vector<std::string> below(const std::string& folder) {
    std::vector<std::string> names;
    const auto entries = list_dir(folder);
    if (!entries) return names;
    for (const DirEntry& entry : *entries) names.push_back(entry.name);
    return names;
  }

  Kernel kernel_ = kernel();
  Txn txn_;
};

TEST_F(WorkingTest, WhatIsNotKnownIsMissing) {
  const Working working = working_now(kernel_, txn_);
  EXPECT_EQ(working.tool, "");
  EXPECT_FALSE(working.used);
  EXPECT_EQ(working.changed, 0U);
  ASSERT_TRUE(remove_tree(join_path(attempt().worktree, "tree")));
  EXPECT_FALSE(working_now(kernel_, txn_).changed) << "its worktree is gone";
}

TEST_F(WorkingTest, TheNewestToolCallTokensAndFiles) {
  const std::int64_t now = txn_.created_wall_ms;
  const std::string session = scratch_.path() + "/session.jsonl";
  ASSERT_TRUE(write_file(session,
                         R"({"type":"assistant","sessionId":"s","uuid":"u1","message":{"id":"m1",)"
                         R"("model":"m","role":"assistant","content":[],)"
                         R"("usage":{"input_tokens":12,"output_tokens":3,)"
                         R"("cache_read_input_tokens":40}}})"
                         "\n",
                         Sync::kNo));
  const auto call = [&](const std::string& event, const std::string& id, const std::string& tool,
                        const std::string& input) {
    return fmt::format(R"({{"hook_event_name":"{}","session_id":"s","transcript_path":"{}",)"
                       R"("tool_name":"{}","tool_use_id":"{}","tool_input":{}}})",
                       event, session, tool, id, input);
  };
  hook(fmt::format(R"({{"hook_event_name":"SessionStart","session_id":"s",)"
                   R"("transcript_path":"{}"}})",
                   session),
       now);
  hook(call("PreToolUse", "a", "Edit", fmt::format(R"({{"file_path":"{}"}})", file("f"))), now + 5);
  EXPECT_EQ(working_now(kernel_, txn_).tool, "Edit f");
  hook(call("PreToolUse", "b", "Bash", R"({"command":"make test\necho over"})"), now + 9);
  ASSERT_TRUE(write_file(file("f"), "another\n", Sync::kNo));
  ASSERT_TRUE(write_file(file("new"), "x\n", Sync::kNo));
  const Seq head = must(static_cast<State&>(kernel_).store->head());
  const auto before = below(attempt().worktree);
  const Working working = working_now(kernel_, txn_);
  EXPECT_EQ(working.tool, "Bash make test");
  EXPECT_EQ(working.tool_wall_ms, now + 9);
  EXPECT_EQ(working.changed, 2U);
  ASSERT_TRUE(working.used);
  EXPECT_EQ((*working.used)[static_cast<std::size_t>(store::Kind::kInput)], 12);
  EXPECT_EQ((*working.used)[static_cast<std::size_t>(store::Kind::kOutput)], 3);
  EXPECT_EQ((*working.used)[static_cast<std::size_t>(store::Kind::kCache)], 40);
  // A look leaves nothing, neither there nor with us.
  EXPECT_EQ(below(attempt().worktree), before);
  for (const std::string& name : below(scratch_.path() + "/.git/txn/tmp")) {
    EXPECT_FALSE(name.starts_with("look-")) << name;
  }
  EXPECT_EQ(must(static_cast<State&>(kernel_).store->head()), head);
}

}  // namespace
}  // namespace gittxn::api
