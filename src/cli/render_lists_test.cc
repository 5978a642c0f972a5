// Lists of transactions as they are printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/render.h"

namespace gittxn::cli {
namespace {

using ::testing::HasSubstr;

TEST(Queue, SaysWhatEachWaitsFor) {
  const auto line = [](int place, const std::string& id) {
    api::QueueLine one;
    one.place = place;
    one.line.txn.target = RefName("refs/heads/main");
    one.line.txn.id = TxnId(id);
    one.line.txn.name = id == "t-1" ? "fix auth" : "";
    one.line.owner_alive = true;
    return one;
  };
  api::QueueLine turn = line(1, "t-1");
  turn.line.txn.waiting_reason = std::string(wait_words(WaitReason::kTurn));
  turn.line.txn.waiting_subject = "refs/heads/main";
  EXPECT_EQ(queue_line(turn, Style()),
            "main\n   1  t-1 \"fix auth\"  waiting for another landing on main\n");
  api::QueueLine gate = line(2, "t-2");
  gate.line.phase = "gate test: 3 of 40 units, about 20 s left";
  EXPECT_EQ(queue_line(gate, Style()), "   2  t-2  gate test: 3 of 40 units, about 20 s left\n");
  EXPECT_EQ(queue_line(line(3, "t-3"), Style()), "   3  t-3  landing\n");
  api::QueueLine dead = turn;
  dead.place = 4;
  dead.line.owner_alive = false;
  EXPECT_THAT(queue_line(dead, Style()),
              HasSubstr("landing on main; nobody is landing it: git txn commit t-1\n"));
  api::QueueLine elsewhere = line(5, "t-5");
  elsewhere.line.elsewhere = true;
  elsewhere.line.txn.clone = "laptop";
  EXPECT_EQ(queue_line(elsewhere, Style()), "   5  t-5  in the clone laptop\n");
}

TEST(Resumed, ShowsWhatHasChangedAndWhatToDoNext) {
  api::Resumed resumed;
  resumed.txn.id = TxnId("t-1");
  resumed.txn.target = RefName("refs/heads/main");
  resumed.txn.command = {"make"};
  resumed.went_on.emplace();
  resumed.went_on->marked = {"src/a"};
  resumed.went_on->stale = {{"f", "t-2", "+new\n", true},
                            {std::string(api::kAnything), "", "+more\n", true}};
  const std::string text = resumed_lines(resumed, Style());
  EXPECT_THAT(
      text,
      HasSubstr("  conflict markers in src/a\n  it read f, which was changed by t-2:\n+new\n"));
  EXPECT_THAT(text, HasSubstr("its reads are unknown, and the branch has changed:\n+more\n"));
  EXPECT_THAT(text, HasSubstr("next: resolve the conflict markers, then git txn commit t-1\n"));
  resumed.went_on->stale = {{"f", "t-2", "", false}};
  EXPECT_THAT(resumed_lines(resumed, Style()),
              HasSubstr("too long to be shown\nsemantic does not let it land with stale reads\n"
                        "next: git txn retry t-1\n"));
}

TEST(StatusLines, TellWhatACommandHasDoneByNow) {
  api::StatusReport report;
  report.lines.emplace_back();
  api::StatusReport::Line& line = report.lines.back();
  line.txn.id = TxnId("t-7k2m");
  line.txn.target = RefName("refs/heads/main");
  line.owner_alive = true;
  line.process = 4711;
  line.working.emplace();
  const std::string nothing = status_lines(report, 10'000, Style());
  EXPECT_EQ(std::ranges::count(nothing, '\n'), 2);
  line.working->changed = 1;
  EXPECT_THAT(status_lines(report, 10'000, Style()), HasSubstr("\n              1 file changed\n"));
  line.working->tool = "Edit src/\x1b.py";
  line.working->tool_wall_ms = 7'000;
  line.working->used = store::Amounts{1200, 310, 5000};
  EXPECT_THAT(status_lines(report, 10'000, Style()),
              HasSubstr("              Edit src/\\x1b.py 3 s ago, 1 file changed, tokens: 1200 in, "
                        "310 out, 5000 cached\n"));
}

}  // namespace
}  // namespace gittxn::cli
