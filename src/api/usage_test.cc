// What is charged to a transaction, of what its agent and its commands tell.
#include "api/usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agents/hook_log.h"
#include "api/testing/kernel_world.h"

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
    return must(store::used(*kernel.state().store, scope))[static_cast<std::size_t>(kind)];
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
  ASSERT_TRUE(report_agent_usage(kernel.state(), txn));
  EXPECT_EQ(used(kernel, txn, Kind::kInput), 111);
  EXPECT_EQ(used(kernel, txn, Kind::kCalls), 1);
}

}  // namespace
}  // namespace gittxn::api
