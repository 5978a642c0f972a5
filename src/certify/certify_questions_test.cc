// Questions: their looks, their answers, and what each level makes of the two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "certify/testing/scene.h"

namespace gittxn::certify {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::file;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using How = Answer::How;
using Why = Excuse::Why;

class Asking : public testing::Scene {
 protected:
  std::vector<Answer> answers;

  // Looks at `path` as it is at the base.
  void looks(std::int64_t question, const char* path) {
    saw(ReadKind::kContent, path, base[path].oid.c_str()).question = question;
  }
  Question& ask(Question::Kind kind, std::vector<std::string> argv) {
    Question question;
    question.number = static_cast<std::int64_t>(reads.questions.size()) + 1;
    question.kind = kind;
    question.argv = std::move(argv);
    question.environment = Digest("env");
    reads.questions.push_back(std::move(question));
    return reads.questions.back();
  }
  Question& run_tests() { return ask(Question::Kind::kRunner, {"pytest", "-q"}); }

  Verdict judged(Isolation level) {
    return with_input(level, [&](Input input) {
      input.answers = answers;
      return certify(input);
    });
  }
};

TEST_F(Asking, AQuestionWhoseLooksHoldIsNotAsked) {
  run_tests();
  looks(1, "a");
  head["b"] = file("theirs");
  const Verdict verdict = judged(Isolation::kStrict);
  EXPECT_TRUE(verdict.commit);
  EXPECT_THAT(verdict.unanswered, IsEmpty());
}

TEST_F(Asking, OneWhoseLooksDoNotHoldIsNamedAndRefusesUntilItIsAnswered) {
  run_tests();
  looks(1, "a");
  looks(1, "d/x");
  head["a"] = file("theirs");
  for (const Isolation level : {Isolation::kSemantic, Isolation::kStrict}) {
    const Verdict verdict = judged(level);
    EXPECT_FALSE(verdict.commit);
    EXPECT_THAT(verdict.unanswered, ElementsAre(1));
    EXPECT_EQ(verdict.of_unanswered, 1u);
    ASSERT_EQ(verdict.conflicts.size(), 1u);
    EXPECT_EQ(verdict.conflicts[0].hint, "'a' was read and has changed now");
    EXPECT_EQ(verdict.conflicts[0].question, "pytest -q");
    EXPECT_EQ(verdict.conflicts[0].answer, "") << "nobody was asked";
  }
}

// A test run has imported it: it is asked again on the branch, and a gate answers it as any.
TEST_F(Asking, ARunThatReadAMergedFileIsAskedAgain) {
  ours["a"] = file("mine");
  head["a"] = file("theirs");
  symbols.emplace();
  symbols->merged = {"a"};
  run_tests();
  looks(1, "a");
  EXPECT_THAT(judged(Isolation::kSemantic).unanswered, ElementsAre(1));
  answers = {{1, How::kSame}};
  EXPECT_THAT(judged(Isolation::kSemantic).excused, ElementsAre(Excuse{Why::kStatus, "pytest -q"}));
  answers = {{1, How::kGate}};
  EXPECT_THAT(judged(Isolation::kSemantic).excused, ElementsAre(Excuse{Why::kGate, "pytest -q"}));
  answers = {{1, How::kOther, "it fails now"}};
  EXPECT_FALSE(judged(Isolation::kSemantic).commit);
}

// A run looked at a file of the transaction's own, which was merged after it.
TEST_F(Asking, ARunThatMetAFileWhichIsMergedIsAskedAgain) {
  ours["a"] = ours["b"] = file("mine");
  head["a"] = file("theirs");
  symbols.emplace();
  symbols->merged = {"a"};
  run_tests().met = {"a", "b"};
  EXPECT_THAT(judged(Isolation::kSemantic).unanswered, ElementsAre(1));
  answers = {{1, How::kSame}};
  EXPECT_THAT(judged(Isolation::kSemantic).excused, ElementsAre(Excuse{Why::kStatus, "pytest -q"}));
  answers = {{1, How::kOther, "it fails now"}};
  const Verdict refused = judged(Isolation::kSemantic);
  ASSERT_EQ(refused.conflicts.size(), 1u);
  EXPECT_EQ(refused.conflicts[0].hint, "it fails now; 'a' was read and has changed now");
  EXPECT_EQ(refused.conflicts[0].subject, "a");
  answers.clear();
  run_tests();  // again, and nothing of it is merged
  EXPECT_THAT(judged(Isolation::kSemantic).excused,
              ElementsAre(Excuse{Why::kReplaced, "pytest -q"}));
}

TEST_F(Asking, ARunThatMetNoFileWhichIsMergedIsNotAsked) {
  ours["a"] = ours["b"] = file("mine");
  head["a"] = file("theirs");
  symbols.emplace();
  symbols->merged = {"a"};
  run_tests().met = {"b"};
  EXPECT_TRUE(judged(Isolation::kSemantic).commit);
  EXPECT_THAT(judged(Isolation::kSemantic).unanswered, IsEmpty());
}

#ifdef GIT_TXN_BUGS
TEST_F(Asking, AMergeThatNoRunHasSeenWouldBeNoticed) {
  ours["a"] = file("mine");
  head["a"] = file("theirs");
  symbols.emplace();
  symbols->merged = {"a"};
  run_tests().met = {"a"};
  arm_bug("certify.merges_unasked");
  EXPECT_TRUE(judged(Isolation::kSemantic).commit);
  arm_bug("");
  EXPECT_FALSE(judged(Isolation::kSemantic).commit);
}
#endif

TEST_F(Asking, AnswersOfNoQuestionAnswerNothing) {
  looks(7, "a");  // it is not on record what was asked
  head["a"] = file("theirs");
  answers = {{7, How::kSame}};
  EXPECT_FALSE(judged(Isolation::kSemantic).commit);
}

TEST_F(Asking, WhatStandsInTheWayBesideIsNotCountedAsUnanswered) {
  run_tests();
  looks(1, "a");
  saw(ReadKind::kContent, "b", "b0");
  head["a"] = head["b"] = file("theirs");
  const Verdict verdict = judged(Isolation::kSemantic);
  EXPECT_EQ(verdict.conflicts.size(), 2u);
  EXPECT_EQ(verdict.of_unanswered, 1u);
  EXPECT_EQ(verdict.conflicts[1].subject, "a") << "the last of them";
}

TEST_F(Asking, TheSameAnswerOfAPureProcessHoldsExactly) {
  ask(Question::Kind::kPure, {"head", "-3", "a"});
  looks(1, "a");
  head["a"] = file("theirs");
  answers = {{.question = 1, .how = How::kSame, .took_ms = 7}};
  for (const Isolation level : {Isolation::kSemantic, Isolation::kStrict}) {
    const Verdict verdict = judged(level);
    EXPECT_TRUE(verdict.commit);
    EXPECT_THAT(verdict.excused, IsEmpty());
    EXPECT_THAT(verdict.held, ElementsAre(Held{Held::How::kAsked, "head -3 a", 7}));
    EXPECT_THAT(verdict.unanswered, IsEmpty());
  }
}

TEST_F(Asking, HistoryThatAQuestionShowedIsAskedForAtExactLevels) {
  ask(Question::Kind::kPure, {"git", "log", "--", "a"});
  Read& read = saw(ReadKind::kRef, "HEAD", "base");
  read.strength = Strength::kSoft;
  read.question = 1;
  read.argv = "git log -- a";
  kernel = {{"HEAD", "head"}};
  const Verdict named = judged(Isolation::kStrict);
  EXPECT_FALSE(named.commit);
  EXPECT_THAT(named.unanswered, ElementsAre(1));
  EXPECT_EQ(named.of_unanswered, 1u);
  EXPECT_EQ(named.conflicts.at(0).hint, "'HEAD' has another version now");
  answers = {{1, How::kOther, "`git log -- a` prints something else now"}};
  const Conflict otherwise = judged(Isolation::kStrict).conflicts.at(0);
  EXPECT_EQ(otherwise.hint,
            "`git log -- a` prints something else now; 'HEAD' has another version now");
  EXPECT_EQ(otherwise.answer, "`git log -- a` prints something else now");
  answers = {{1, How::kSame}};
  EXPECT_TRUE(judged(Isolation::kStrict).commit);
  answers.clear();
  const Verdict excused = judged(Isolation::kSemantic);
  EXPECT_TRUE(excused.commit);
  EXPECT_THAT(excused.excused, ElementsAre(Excuse{Why::kHistory, "HEAD"}));
}

TEST_F(Asking, HistoryThatNobodysQuestionOrARunnerShowedIsNot) {
  run_tests();
  answers = {{1, How::kSame}};
  kernel = {{"HEAD", "head"}};
  for (const std::int64_t question : {0, 1, 7}) {
    reads.reads.clear();
    Read& read = saw(ReadKind::kRef, "HEAD", "base");
    read.strength = Strength::kSoft;
    read.question = question;
    const Verdict verdict = judged(Isolation::kStrict);
    EXPECT_FALSE(verdict.commit) << question;
    EXPECT_THAT(verdict.unanswered, IsEmpty());
  }
}

TEST_F(Asking, ASearchIsAskedAgainWhereItsJudgeRefusesIt) {
  ask(Question::Kind::kPure, {"git", "grep", "x"});
  Read& read = saw(ReadKind::kSearch, "", "query");
  read.question = 1;
  read.argv = "git grep x";
  head["b"] = file("theirs");
  for (const char* detail : {"", "'b:1:x' came"}) {
    contents = [&](const Read&, const SnapshotDiff&, const Changes&) {
      return std::optional(Stale{"b", "theirs", detail});
    };
    answers.clear();
    EXPECT_THAT(judged(Isolation::kStrict).unanswered, ElementsAre(1));
    answers = {{1, How::kSame}};
    EXPECT_TRUE(judged(Isolation::kStrict).commit);
    answers = {{1, How::kOther, "`git grep x` prints something else now"}};
    EXPECT_THAT(judged(Isolation::kSemantic).conflicts.at(0).hint,
                AllOf(StartsWith("`git grep x` prints something else now; "), EndsWith(detail)));
  }
}

TEST_F(Asking, TheSameStatusOfARunnerHoldsAndIsTold) {
  run_tests();
  looks(1, "a");
  head["a"] = file("theirs");
  answers = {{1, How::kSame}};
  const Verdict verdict = judged(Isolation::kSemantic);
  EXPECT_TRUE(verdict.commit);
  EXPECT_THAT(verdict.excused, ElementsAre(Excuse{Why::kStatus, "pytest -q"}));
}

TEST_F(Asking, AnotherAnswerIsOneConflictThatSaysWhatItIs) {
  ask(Question::Kind::kPure, {"cat", "a", "d/x"});
  looks(1, "a");
  looks(1, "d/x");
  head["a"] = head["d/x"] = file("theirs");
  answers = {{1, How::kOther, "`cat a d/x` fails now", "no such file"}};
  const Verdict verdict = judged(Isolation::kSemantic);
  ASSERT_EQ(verdict.conflicts.size(), 1u);
  const Conflict& told = verdict.conflicts[0];
  EXPECT_EQ(told.hint, "`cat a d/x` fails now; 'a' was read and has changed now");
  EXPECT_EQ(told.subject, "a");
  EXPECT_EQ(told.question, "cat a d/x");
  EXPECT_EQ(told.answer, "`cat a d/x` fails now");
  EXPECT_EQ(told.shown, "no such file");
  EXPECT_THAT(verdict.unanswered, IsEmpty());
  EXPECT_THAT(verdict.held, IsEmpty());
}

TEST_F(Asking, AnotherAnswerNamesAFileBeforeADirectoryAndComesFirst) {
  ask(Question::Kind::kPure, {"grep", "-c", "x", "d"});
  saw(ReadKind::kListing, "d", "other names").question = 1;
  looks(1, "d/x");
  looks(0, "a");
  head["a"] = head["d/x"] = head["d/new"] = file("theirs");
  answers = {{1, How::kOther, "`grep -c x d` fails now"}};
  const Verdict verdict = judged(Isolation::kSemantic);
  ASSERT_EQ(verdict.conflicts.size(), 2u);
  EXPECT_EQ(verdict.conflicts[0].answer, "`grep -c x d` fails now");
  EXPECT_EQ(verdict.conflicts[0].subject, "d/x");
  EXPECT_EQ(verdict.conflicts[1].subject, "a");
}

TEST_F(Asking, WhatAFileIsMadeFromIsReadWhateverIsAnswered) {
  ask(Question::Kind::kPure, {"cat", "a"});
  looks(1, "a");
  head["b"] = file("theirs");
  out_of_date = [](const Changes&) { return std::vector<OutOfDate>{{"a", "b", "theirs"}}; };
  answers = {{1, How::kSame}};
  const Verdict verdict = judged(Isolation::kSemantic);
  EXPECT_FALSE(verdict.commit);
  EXPECT_THAT(verdict.unanswered, IsEmpty());
}

TEST_F(Asking, APassOnWhatLandsAnswersAtSemanticAndNoExactLevel) {
  run_tests();
  looks(1, "a");
  head["a"] = file("theirs");
  using By = std::pair<Held::How, Why>;
  for (const auto& [how, by] :
       {std::pair(How::kGate, By(Held::How::kGate, Why::kGate)),
        std::pair(How::kCandidate, By(Held::How::kCandidate, Why::kCandidate))}) {
    answers = {{1, how}};
    const Verdict verdict = judged(Isolation::kSemantic);
    EXPECT_THAT(verdict.excused, ElementsAre(Excuse{by.second, "pytest -q"}));
    EXPECT_THAT(verdict.held, ElementsAre(Held{by.first, "pytest -q"}));
    EXPECT_TRUE(verdict.commit);
    EXPECT_FALSE(judged(Isolation::kStrict).commit);
    EXPECT_THAT(judged(Isolation::kStrict).unanswered, ElementsAre(1));
  }
}

TEST_F(Asking, ALookOfNobodysQuestionHasToHoldWhateverIsAnswered) {
  run_tests();
  looks(1, "a");
  looks(0, "a");
  head["a"] = file("theirs");
  answers = {{1, How::kSame}};
  EXPECT_FALSE(judged(Isolation::kSemantic).commit);
}

TEST_F(Asking, ALaterRunThatPassedReplacesAnEarlierOneAtSemantic) {
  run_tests();
  run_tests();
  looks(1, "a");
  looks(2, "b");
  head["a"] = file("theirs");
  const Verdict verdict = judged(Isolation::kSemantic);
  EXPECT_TRUE(verdict.commit);
  EXPECT_THAT(verdict.excused, ElementsAre(Excuse{Why::kReplaced, "pytest -q"}));
  EXPECT_THAT(verdict.held, ElementsAre(Held{Held::How::kReplaced, "pytest -q"}));
  EXPECT_THAT(judged(Isolation::kStrict).unanswered, ElementsAre(1));
}

TEST_F(Asking, AnEarlierRunReplacesNothing) {
  run_tests();
  run_tests();
  looks(1, "b");
  looks(2, "a");
  head["a"] = file("theirs");
  EXPECT_THAT(judged(Isolation::kSemantic).unanswered, ElementsAre(2));
}

TEST_F(Asking, OneThatIsNotTheSameReplacesNothing) {
  using Change = void (*)(Question&);
  const Change changes[] = {
      [](Question& later) { later.argv.push_back("tests"); },
      [](Question& later) { later.program = "/elsewhere/pytest"; },
      [](Question& later) { later.directory = "d"; },
      [](Question& later) { later.tree = "/another/worktree"; },
      [](Question& later) { later.environment = Digest("another"); },
      [](Question& later) { later.status = 1; },
      [](Question& later) { later.kind = Question::Kind::kPure; },
  };
  run_tests();
  looks(1, "a");
  head["a"] = file("theirs");
  for (const Change change : changes) {
    reads.questions.resize(1);
    change(run_tests());
    EXPECT_THAT(judged(Isolation::kSemantic).unanswered, ElementsAre(1));
  }
}

TEST_F(Asking, APureProcessIsNeverReplaced) {
  for (int i = 0; i < 2; ++i) ask(Question::Kind::kPure, {"head", "-3", "a"});
  looks(1, "a");
  head["a"] = file("theirs");
  EXPECT_THAT(judged(Isolation::kSemantic).unanswered, ElementsAre(1));
}

TEST_F(Asking, BelowSemanticNobodyIsAsked) {
  run_tests();
  looks(1, "a");
  head["a"] = file("theirs");
  const Verdict verdict = judged(Isolation::kSnapshot);
  EXPECT_TRUE(verdict.commit);
  EXPECT_THAT(verdict.unanswered, IsEmpty());
}

#ifdef GIT_TXN_BUGS
TEST_F(Asking, LooksThatAreTakenForAnsweredWouldBeNoticed) {
  run_tests();
  looks(1, "a");
  head["a"] = file("theirs");
  arm_bug("certify.answers_unasked");
  EXPECT_TRUE(judged(Isolation::kStrict).commit);
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::certify
