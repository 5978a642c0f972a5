// Tests of how answers are shown: those that changed, and those by which a transaction landed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/render.h"

namespace gittxn::cli {
namespace {

const Style kUnpainted;

TEST(Conflicts, AnAnswerComesBeforeTheFileAndShowsWhatWasPrinted) {
  Conflict conflict{ConflictKind::kReadStale, "lib/a.py", "1", "2", "Pat", "", "", ""};
  conflict.question = "pytest -q";
  conflict.answer = "the test run `pytest -q` fails now (test_login)";
  conflict.shown = "E  assert\n\x1b[31m1 failed";
  EXPECT_EQ(conflict_lines(conflict, kUnpainted),
            "  the test run `pytest -q` fails now (test_login)\n"
            "    lib/a.py, which it looked at, was changed by Pat\n"
            "    | E  assert\n"
            "    | \\x1b[31m1 failed\n");
  conflict.head_digest.clear();
  conflict.shown.clear();
  EXPECT_EQ(conflict_lines(conflict, kUnpainted),
            "  the test run `pytest -q` fails now (test_login)\n"
            "    lib/a.py, which it looked at, was removed by Pat\n");
}

TEST(Admitted, ALineSaysHowManyCommandsWereRunAgain) {
  using enum Held::How;
  Admission admitted;
  EXPECT_EQ(asked_again(admitted), "");
  admitted.held = {{kGate, "pytest -q", 0}, {kReplaced, "pytest -q", 0}};
  EXPECT_EQ(asked_again(admitted), "") << "nothing was run for these";
  admitted.held.push_back({kAsked, "head -1 a", 40});
  admitted.asked_ms = 1200;
  EXPECT_EQ(asked_again(admitted),
            "1 command was run again on the new head: the same answer, 1.2 s");
  admitted.held.push_back({kAsked, "head -1 b", 40});
  EXPECT_EQ(asked_again(admitted),
            "2 commands were run again on the new head: the same answers, 1.2 s");
  admitted.held.push_back({kCandidate, "pytest", 40});
  EXPECT_EQ(asked_again(admitted),
            "3 commands were run again on the new head and on what lands: the same answers, 1.2 s");
  admitted.held = {{kCandidate, "pytest", 40}};
  EXPECT_EQ(asked_again(admitted), "1 command was run again on what lands: the same answer, 1.2 s");
}

TEST(Admitted, EachAnswerSaysByWhatItHolds) {
  api::WhyReport report;
  EXPECT_EQ(admitted_lines(report), "");
  using enum Held::How;
  report.admitted = {
      {}, {{kAsked, "head -1 a", 40}, {kGate, "t", 0}, {kCandidate, "make check", 900}}, 3, 940};
  report.excused = {"`t` passed, and a gate runs it on what lands"};
  report.to_ask = {"pytest"};
  EXPECT_EQ(admitted_lines(report),
            "\nrun again when it lands\n  `pytest` looked at what has changed\n"
            "\nheld by answers\n"
            "  `head -1 a` was run again on the new head: the same answer, 40 ms\n"
            "  `t` is what a gate runs on what lands\n"
            "  `make check` was run again on what lands, and passed, 0.9 s\n"
            "\nexcused at semantic\n  `t` passed, and a gate runs it on what lands\n"
            "  and 3 more\n");
}

TEST(Conflicts, ALookThatNobodyAskedAboutNamesTheCommand) {
  Conflict conflict{ConflictKind::kReadStale, "a", "1", "2", "Pat", "", "", ""};
  conflict.question = "head -n 1 a";
  EXPECT_EQ(conflict_lines(conflict, kUnpainted),
            "  a  was looked at by `head -n 1 a`; changed since by Pat\n");
}

TEST(Explained, LooksStandWithTheirQuestion) {
  ReadSet reads;
  reads.complete = true;
  reads.questions.resize(2);
  reads.questions[0].number = 1;
  reads.questions[0].argv = {"head", "-n", "1", "a"};
  reads.questions[1].number = 2;
  reads.questions[1].kind = Question::Kind::kRunner;
  reads.questions[1].argv = {"pytest"};
  reads.reads.resize(2);
  reads.reads[0].subject = "a";
  reads.reads[1].subject = "b";
  reads.reads[1].question = 2;
  reads.no_questions = {"wc -l: its input is a pipe, or a socket"};
  EXPECT_EQ(explained_lines(reads, kUnpainted),
            "content a\n    by trace\n    holds while the file has these bytes\n"
            "question 1 head -n 1 a\n"
            "    all that it looked at was read otherwise too, and has to hold as it is\n"
            "question 2 pytest\n"
            "    is run again when one of these does not hold, and has to pass\n"
            "    content   b  holds while the file has these bytes\n"
            "no question: wc -l: its input is a pipe, or a socket\n");
  reads.questions[1].in_between = true;
  EXPECT_THAT(
      explained_lines(reads, kUnpainted),
      ::testing::HasSubstr("question 2 pytest\n    is run on what lands when one of these does "
                           "not hold, and has to pass: a file that it met has changed since\n"));
}

}  // namespace
}  // namespace gittxn::cli
