// What is charged to a transaction, of what its agent and its commands tell.
#include "txn/bounds/usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agents/hook_log.h"
#include "api/testing/kernel_world.h"
#include "store/events.h"
#include "txn/attempt.h"

namespace gittxn::api {
namespace {

using repo::testing::must;
using store::Kind;

class UsageTest : public ::testing::Test, public testing::KernelWorld {
 protected:
  UsageTest() {
    scratch_.write("f", "line\n");
    scratch_.commit("start");
  }
  Txn begun(Kernel& kernel) {
    Txn txn = must(kernel.begin(RunOptions{}, Progress{}));
    EXPECT_TRUE(make_dirs(observed_dir(txn.attempts.back())));
    return txn;
  }
  static std::int64_t used(Kernel& kernel, const Txn& txn, Kind kind) {
    const store::Scope scope{store::Scope::Of::kTxn, txn.id.str()};
    return must(
        store::used(*static_cast<State&>(kernel).store, scope))[static_cast<std::size_t>(kind)];
  }
};

TEST_F(UsageTest, WhatIsOlderThanTheTransactionIsNotItsUsage) {
  Kernel kernel = this->kernel();
  const Txn txn = begun(kernel);
  std::string lines;
  int number = 0;
  const auto tells = [&](std::int64_t at_ms, agents::Detail detail) {
    agents::Observation seen;
    seen.source = ReadSource::kTranscript;
    seen.tool_use_id = fmt::format("id-{}", ++number);
    if (!std::holds_alternative<agents::Usage>(detail)) seen.tool = "Read";
    seen.start_ms = seen.end_ms = at_ms;
    seen.detail = std::move(detail);
    lines += must(agents::log_line_of(seen)) + "\n";
  };
  const std::int64_t begun_ms = txn.created_wall_ms;
  const auto answer = [](std::int64_t input) { return agents::Usage{.input = input}; };
  tells(begun_ms - 60'000, answer(900'000));
  tells(begun_ms - 60'000, agents::OtherTool{});
  tells(begun_ms / 1000 * 1000, answer(1));  // an agent that tells no milliseconds
  tells(begun_ms + 5, answer(10));
  tells(0, answer(100));  // it does not say when
  tells(0, agents::OtherTool{});
  const std::string file = join_path(observed_dir(txn.attempts.back()), "transcripts.jsonl");
  ASSERT_TRUE(write_file(file, lines, Sync::kNo));
  ASSERT_TRUE(report_agent_usage(kernel, txn));
  EXPECT_EQ(used(kernel, txn, Kind::kInput), 111);
  EXPECT_EQ(used(kernel, txn, Kind::kCalls), 1);
}

TEST_F(UsageTest, WhatAKilledCommandHasNotedIsChargedOnce) {
  Kernel kernel = this->kernel();
  Txn txn = begun(kernel);
  store::Store& store = *static_cast<State&>(kernel).store;
  const std::string records = txn.attempts.back().worktree + "/trace.1";
  must(store.append({store::events::command_started(txn.id, 1, records, {"sleep"})}));
  txn = must(reload(kernel, txn.id));
  ASSERT_TRUE(charge_noted(kernel, txn));
  EXPECT_EQ(used(kernel, txn, Kind::kWall), 0) << "nothing is noted";
  const auto noted = [&](const std::string& text) {
    EXPECT_TRUE(write_file(records + ".used", text, Sync::kNo));
    EXPECT_TRUE(charge_noted(kernel, txn));
    return used(kernel, txn, Kind::kWall);
  };
  EXPECT_EQ(noted("000000000002500 00000000000000000007\n"), 2500);
  EXPECT_EQ(used(kernel, txn, Kind::kBytes), 7);
  const Seq head = must(store.head());
  EXPECT_EQ(noted("000000000002500 00000000000000000007\n"), 2500);
  EXPECT_EQ(must(store.head()), head) << "nothing new is no event";
  EXPECT_EQ(noted("000000000002750 00000000000000000007\n"), 2750) << "it went on";
  for (const char* torn : {"", "000000000", "x 7\n", "999999999999999999999999 0\n", "-5 -5\n"}) {
    EXPECT_EQ(noted(torn), 2750) << torn;
  }
  ASSERT_TRUE(remove_file(records + ".used"));
  ASSERT_EQ(::mkfifo((records + ".used").c_str(), 0600), 0);
  EXPECT_TRUE(charge_noted(kernel, txn)) << "nobody waits for a writer of a pipe";
}

}  // namespace
}  // namespace gittxn::api
