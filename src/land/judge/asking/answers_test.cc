// Tests of how two askings are compared, and of what is said of the difference.
#include "land/judge/asking/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"

namespace gittxn::land {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using How = certify::Answer::How;

Printed text(const std::string& bytes, questions::Order order = questions::Order::kItsOwn) {
  return printed(sha256(bytes), bytes.size(), bytes, order);
}

class Answered : public ::testing::Test {
 protected:
  Answered() {
    pure.number = 3;
    pure.argv = {"head", "-1", "a"};
    tests.number = 4;
    tests.kind = Question::Kind::kRunner;
    tests.argv = {"python3", "-m", "unittest"};
    for (Said* said : {&before, &now}) {
      said->out = text("line\n");
      said->err = text("");
      said->repeats = true;
      said->took_ms = 20;
    }
  }
  certify::Answer answer() const {
    return compare(pure, questions::classify(pure.argv).value(), before, now);
  }
  certify::Answer of_tests() const {
    return compare(tests, questions::classify(tests.argv).value(), before, now);
  }

  Question pure, tests;
  Said before, now;
};

TEST_F(Answered, TheSameIsTheSame) {
  const certify::Answer same = answer();
  EXPECT_EQ(same.how, How::kSame);
  EXPECT_EQ(same.question, 3);
  EXPECT_EQ(same.took_ms, 40);
}

TEST_F(Answered, ARunOnWhatWouldLandHasToPassAndToAskForNothingElse) {
  const auto of_what_lands = [&] {
    return passes(tests, questions::classify(tests.argv).value(), before, now);
  };
  EXPECT_EQ(of_what_lands().how, How::kCandidate);
  EXPECT_EQ(of_what_lands().took_ms, 20);
  using Change = void (*)(Said&);
  const std::pair<Change, const char*> changes[] = {
      {[](Said& it) { it.status = 1; }, "the test run `python3 -m unittest` fails now (line)"},
      {[](Said& it) { it.no_answer = "it came to no end"; }, "it came to no end"},
      {[](Said& it) { it.lost = "records are missing"; }, "what it looks at is not known"},
      {[](Said& it) { it.wanted_hidden = {"/run/x"}; },
       "asks for '/run/x' now, outside of the repository, and did not before"},
      {[](Said& it) { it.reached = {"10.0.0.1:80"}; }, "asks for '10.0.0.1:80' now, outside of"},
  };
  for (const auto& [change, why] : changes) {
    const Said was = now;
    change(now);
    EXPECT_EQ(of_what_lands().how, How::kOther) << why;
    EXPECT_THAT(of_what_lands().why, HasSubstr(why));
    now = was;
  }
  before.wanted_hidden = now.wanted_hidden = {"/run/x"};
  EXPECT_EQ(of_what_lands().how, How::kCandidate) << "it does so on what the transaction left";
}

TEST_F(Answered, APureProcessHasToSayTheSameBytes) {
  now.out = text("other\n");
  EXPECT_EQ(answer().how, How::kOther);
  EXPECT_EQ(answer().why,
            "`head -1 a` prints something else now: line 1 was 'line' and is 'other'");
  now.out = before.out;
  now.err = text("a: gone\n");
  EXPECT_EQ(answer().why,
            "`head -1 a` prints something else now on standard error: line 1 is new, 'a: gone'");
  now.err = before.err;
  now.status = 1;
  EXPECT_EQ(answer().why, "`head -1 a` ends with status 1 now, and did with 0");
}

TEST_F(Answered, OfARunnerOnlyTheStatusCounts) {
  now.out = text("other\n");
  now.err = text("warnings\n");
  EXPECT_EQ(of_tests().how, How::kSame);
}

TEST_F(Answered, ATestRunSaysWhatFailedAndShowsTheEnd) {
  now.status = 1;
  now.err = text("F\nFAIL: test_login (t.T.test_login)\nAssertionError: \x1b[31m1 != 2\n\n");
  const certify::Answer fails = of_tests();
  EXPECT_EQ(fails.how, How::kOther);
  EXPECT_EQ(fails.why, "the test run `python3 -m unittest` fails now (test_login)");
  EXPECT_EQ(fails.shown, "F\nFAIL: test_login (t.T.test_login)\nAssertionError: 1 != 2");
  tests.tree = "/worktrees/t/1/tree";
  now.err = text("FAIL: a (t)\n  File \"/worktrees/t/1/tree/test/a.py\", line 6\n");
  EXPECT_EQ(of_tests().shown, "FAIL: a (t)\n  File \"test/a.py\", line 6");
  now.err = text("FAIL: a (t)\nFAIL: b (t)\nFAIL: c (t)\nERROR: d (t)\n");
  EXPECT_THAT(of_tests().why, EndsWith("(a, b and 1 more)"));
}

TEST_F(Answered, WithoutAKnownNameTheLastLineIsSaid) {
  now.status = 2;
  now.out = text("building\nno rule to make it\n\n");
  EXPECT_THAT(of_tests().why, EndsWith(" fails now (no rule to make it)"));
  now.err = text("a warning\nstop\n");
  EXPECT_THAT(of_tests().why, EndsWith(" fails now (stop)"));
  now.out = now.err = text("\n");
  EXPECT_THAT(of_tests().why, EndsWith(" fails now"));
}

TEST_F(Answered, LinesInAnyOrderAreComparedAsLines) {
  pure.argv = {"find", "."};
  before.out = text("a\nb\n", questions::Order::kAny);
  now.out = text("b\na\n", questions::Order::kAny);
  EXPECT_EQ(answer().how, How::kSame);
  now.out = text("b\nc\n", questions::Order::kAny);
  EXPECT_THAT(answer().why, EndsWith(": 'a' is gone, and 'c' is new"));
  shorten(before);
  EXPECT_EQ(compare(pure, questions::classify(pure.argv).value(), before, before).how, How::kSame);
}

TEST_F(Answered, WhatIsNotAtHandAnyMoreIsComparedByDigest) {
  const std::string much(200'000, 'x');
  before.out = text(much);
  now.out = text(much);
  shorten(before);
  EXPECT_EQ(answer().how, How::kSame);
  now.out = text(much + "y");
  EXPECT_THAT(answer().why, EndsWith(": 200001 bytes, which were 200000"));
}

TEST_F(Answered, WhatIsNotCertainIsNoAnswer) {
  Said unsure = now;
  unsure.no_answer = "it took longer than 9 ms";
  EXPECT_EQ(compare(pure, {}, before, unsure).why,
            "`head -1 a` was run again on the branch: it took longer than 9 ms");
  unsure = now;
  unsure.lost = "3 records";
  EXPECT_EQ(compare(pure, {}, before, unsure).how, How::kOther);
  unsure = now;
  unsure.wanted_hidden = {"/opt/tool/settings"};
  EXPECT_EQ(compare(pure, {}, before, unsure).why,
            "`head -1 a` asks for '/opt/tool/settings' now, outside of the repository, and did not "
            "before");
  before.wanted_hidden = {"/opt/tool/settings"};
  EXPECT_EQ(compare(pure, {}, before, unsure).how, How::kSame);
  unsure.reached = {"/run/socket"};
  EXPECT_EQ(compare(pure, {}, before, unsure).how, How::kOther);
}

TEST_F(Answered, TheFirstAskingHasToBeAsItWas) {
  EXPECT_FALSE(refuse_first(pure, before));
  const auto refused = [&](const Said& said) {
    const auto answer = refuse_first(pure, said);
    return answer ? answer->why : "";
  };
  Said other = before;
  other.repeats = false;
  EXPECT_THAT(refused(other), EndsWith("it looks at other files"));
  other = before;
  other.status = 1;
  EXPECT_THAT(refused(other), EndsWith("it ends with status 1 instead of 0"));
  other = before;
  other.no_answer = "it said more than 9 bytes";
  EXPECT_EQ(refused(other),
            "`head -1 a` cannot be run again to compare: it said more than 9 bytes");
  other = before;
  other.lost = "3 records";
  EXPECT_THAT(refused(other), StartsWith("`head -1 a` cannot be run again to compare: "));
}

TEST_F(Answered, ACommandIsShownInOneShortPlainLine) {
  pure.argv = {"grep", "-c", "\x1b[2J" + std::string(5000, 'x'), "a"};
  now.status = 2;
  const std::string why = compare(pure, {}, before, now).why;
  EXPECT_LT(why.size(), 400u);
  EXPECT_THAT(why, ::testing::Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace gittxn::land
