// Reads of a command that exec leaves to whoever asks: they are those that commit makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/testing/kernel_world.h"
#include "base/bug.h"
#include "base/fs.h"
#include "store/events.h"
#include "txn/attempt.h"
#include "work/summaries.h"

namespace gittxn::api {
namespace {

using repo::testing::must;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class LeftReads : public ::testing::Test, public testing::KernelWorld {
 protected:
  LeftReads() {
    for (const char* file : {"f1", "f2", "f3", "d/a"}) scratch_.write(file, "line\n");
    scratch_.commit("start");
    id_ = must(kernel().begin(RunOptions{}, Progress{})).id.str();
  }
  int exec(const std::string& text) {
    return must(kernel().exec(id_, {"sh", "-c", text}, {}, Progress{}));
  }
  Attempt recorded() {
    Kernel now = kernel();
    return must(static_cast<State&>(now).find(id_)).attempts.back();
  }
  ReadSet reads() { return must(kernel().reads(id_)); }
  std::vector<std::string> subjects() {
    std::vector<std::string> all;
    for (const Read& read : reads().reads) all.push_back(read.subject);
    return all;
  }
  void changes(const std::string& file) {
    scratch_.write(file, "other\n");
    scratch_.git({"add", "-A"});
    scratch_.commit("a person changes " + file);
  }
  // A read of f1 and a change, in a worktree that somebody removes.
  void lose_the_traces() {
    ASSERT_EQ(exec("cat f1 >copy"), 0);
    ASSERT_TRUE(remove_tree(recorded().worktree));
  }
  TxnState commit() {
    RunOptions options;
    options.wait_ms = 0;
    return must(kernel().commit(id_, options, Progress{})).txn.state;
  }
  void abort() { must(kernel().abort(id_, "test", Progress{})); }
  std::vector<std::string> stale() {
    for (const StatusReport::Line& line : must(kernel().status()).lines) {
      if (line.txn.id.str() == id_) return line.stale;
    }
    return {"no such transaction"};
  }

  std::string id_;
};

TEST_F(LeftReads, AreThoseThatAreRecordedLater) {
  ASSERT_EQ(exec("cat f1 >copy; ls d; grep -r line d; test -e none"), 1);
  EXPECT_FALSE(recorded().reads_left) << "of a command that failed it is told what it lacked";
  ASSERT_EQ(exec("cat f1 f2 >copy; ls d; grep -r line d; test ! -e none; echo more >>f3"), 0);
  EXPECT_TRUE(recorded().reads_left);
  EXPECT_FALSE(recorded().reads_complete);
  const ReadSet asked = reads();
  EXPECT_TRUE(asked.complete) << asked.unknown_reason;
  EXPECT_THAT(subjects(), IsSupersetOf({"f1", "f2", "f3", "d", "none", "tools"}));
  abort();
  EXPECT_FALSE(recorded().reads_left);
  EXPECT_EQ(reads_to_lines(reads()), reads_to_lines(asked));
}

TEST_F(LeftReads, AreThoseOfAllItsCommands) {
  for (const char* file : {"f1", "f2", "f3"}) ASSERT_EQ(exec(std::string("cat ") + file), 0);
  EXPECT_THAT(subjects(), IsSupersetOf({"f1", "f2", "f3"}));
}

TEST_F(LeftReads, AreAskedForByStatus) {
  ASSERT_EQ(exec("cat f1 >copy"), 0);
  changes("f2");
  EXPECT_THAT(stale(), Not(Contains(HasSubstr("f"))));
  changes("f1");
  EXPECT_THAT(stale(), Contains(HasSubstr("f1")));
}

TEST_F(LeftReads, AreAskedForByASummary) {
  ASSERT_EQ(exec("cat f1"), 0);
  Kernel now = kernel();
  SummaryRequest request;
  request.name = "notes";
  request.text = "what f1 says";
  request.reads_of = id_;
  const SummaryLine line = must(add_summary(now, request));
  std::vector<std::string> from;
  for (const SummarySource& source : line.summary.sources) from.push_back(source.subject);
  EXPECT_THAT(from, Contains("f1"));
}

TEST_F(LeftReads, OfACommandThatRunsAreNotAskedForYet) {
  ASSERT_EQ(exec("cat f1"), 0);
  Kernel now = kernel();
  State& state = now;
  const Attempt attempt = recorded();
  const std::string trace = attempt.worktree + "/trace.2";
  must(must(state.writing())
           ->append({store::events::command_started(TxnId(id_), attempt.number, trace,
                                                    {"cat", "f2"}, "")}));
  EXPECT_TRUE(reads().complete);
  EXPECT_THAT(subjects(), Contains("f1"));
}

TEST_F(LeftReads, AreNotLeftWhereAnAgentWorked) {
  ASSERT_EQ(exec("cat f1; echo '{}' >>$GIT_TXN_OBSERVED/hooks.jsonl"), 0);
  EXPECT_FALSE(recorded().reads_left);
}

TEST_F(LeftReads, AreUnknownOnceAPersonHasChangedSomething) {
  ASSERT_EQ(exec("cat f1 >copy"), 0);
  const std::string tree = must(kernel().worktree_of(id_));
  ASSERT_TRUE(write_file(tree + "/f2", "by hand\n", Sync::kNo));
  ASSERT_EQ(exec("cat f3"), 0);
  EXPECT_FALSE(reads().complete);
  EXPECT_EQ(reads().unknown_reason, unknown_words(Unknown::kUntraced));
  EXPECT_THAT(subjects(), IsSupersetOf({"f1", "f3"}));
}

TEST_F(LeftReads, AreMadeBeforeACollectionRemovesTheirTraces) {
  ASSERT_EQ(exec("cat f1 >copy"), 0);
  must(kernel().gc(true, Progress{}));
  EXPECT_TRUE(recorded().worktree.empty());
  EXPECT_TRUE(reads().complete);
  EXPECT_THAT(subjects(), Contains("f1"));
}

TEST_F(LeftReads, AreUnknownWhenTheirTracesAreGone) {
  lose_the_traces();
  EXPECT_FALSE(reads().complete);
  EXPECT_THAT(reads().unknown_reason, HasSubstr("its worktree is gone"));
  changes("f1");
  EXPECT_EQ(commit(), TxnState::kQuarantined);
}

TEST_F(LeftReads, ThatCountForNoneWouldBeNoticed) {
  lose_the_traces();
  changes("f1");
  arm_bug("reads.left_are_none");
  EXPECT_EQ(commit(), TxnState::kLanded);
  arm_bug("");
}

}  // namespace
}  // namespace gittxn::api
