// Tests of how output is described, and that nothing of it acts on a terminal.
#include "questions/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gittxn::questions {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(QuestionOutput, ALineIsPlain) {
  EXPECT_EQ(plain("ok"), "ok");
  EXPECT_EQ(plain("\x1b[31;1mred\x1b[0m and\x1b]0;a title\x07 more\x1b]8;;x\x1b\\ and more"),
            "red and more and more");
  EXPECT_EQ(plain("a\tb\r\x08\x7f c"), "a b c");
  EXPECT_EQ(plain("\xc3\xa9\xff\xc0\x80 \xe2\x80\xae\xc2\x9bx"), "\xc3\xa9 x")
      << "not UTF-8, an override of the direction, a control character of two bytes";
  EXPECT_EQ(plain("\x1b["), "");
  EXPECT_EQ(plain("\x1b"), "");
  EXPECT_EQ(plain("\xe2\x80"), "");
  EXPECT_EQ(plain("123456", 5), "12345...");
  EXPECT_EQ(plain("1234\xc3\xa9", 5), "1234...") << "never inside a character";
}

TEST(QuestionOutput, NamesTheTestsThatFailed) {
  const std::pair<const char*, std::vector<std::string>> samples[] = {
      {"======\nFAIL: test_login (test.test_auth.Login.test_login)\n---\nTraceback\n"
       "AssertionError: 1 != 2\nFAILED (failures=1)\n",
       {"test_login"}},
      {"ERROR: test.test_a (unittest.loader._FailedTest.test.test_a)\n", {"test.test_a"}},
      {"E   assert 1 == 2\nFAILED tests/test_a.py::test_login - assert 1 == 2\n"
       "FAILED tests/test_a.py::test_out\n1 failed, 3 passed in 0.10s\n",
       {"tests/test_a.py::test_login", "tests/test_a.py::test_out"}},
      {"ERROR tests/test_a.py - ImportError: no\n", {"tests/test_a.py"}},
      {"--- FAIL: TestLogin (0.00s)\n    --- FAIL: TestLogin/empty (0.00s)\nFAIL\n",
       {"TestLogin", "TestLogin/empty"}},
      {"test auth::login ... FAILED\ntest auth::out ... ok\n", {"auth::login"}},
      {"TAP version 13\n# Subtest: login\nnot ok 1 - login\n  ---\n    code: 1\n", {"login"}},
      {"\u2716 login (1.25ms)\n\u2139 fail 1\n\n\u2716 failing tests:\n\n\u2716 login (1.25ms)\n",
       {"login"}},
      {"  \u25cf Auth \u203a login\n", {"Auth \u203a login"}},
      {" FAIL  test/a.test.ts > auth > login\n", {"test/a.test.ts > auth > login"}},
      {"The following tests FAILED:\n\t  1 - login (Failed)\n", {"login"}},
      {"AuthTest > login FAILED\n", {"AuthTest > login"}},
      {"  Failed Auth.Login [12 ms]\n", {"Auth.Login"}},
      {"  1) Auth login:\n", {"Auth login:"}},
      {"src/a.ts(1,2): error TS2322: no\nsrc/b.ts(1,2): error TS1: no\n",
       {"src/a.ts(1,2): error TS2322: no", "src/b.ts(1,2): error TS1: no"}},
      {"error[E0308]: mismatched types\n", {"error[E0308]: mismatched types"}},
      {"\x1b[31m--- FAIL: TestRed (0.00s)\x1b[0m\n", {"TestRed"}},
  };
  for (const auto& [text, names] : samples) EXPECT_EQ(failed(text), names) << text;
}

TEST(QuestionOutput, NamesNothingWhereNothingIsKnown) {
  EXPECT_THAT(failed(""), IsEmpty());
  EXPECT_THAT(failed("Ran 3 tests\n\nOK\nFAILED (failures=1)\nnot ok\nFAIL\n"), IsEmpty());
}

TEST(QuestionOutput, NamesAreBounded) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "--- FAIL: Test" + std::to_string(i) + " (0.00s)\n";
  EXPECT_EQ(failed(many).size(), 100u);
  EXPECT_EQ(failed("--- FAIL: " + std::string(5000, 'x')).front(), std::string(80, 'x') + "...");
}

TEST(QuestionOutput, TheLastLinesAreThoseWithWords) {
  EXPECT_EQ(last_lines("one\ntwo\n\n  three\x1b[0m\n\n\n", 2), "\n  three");
  EXPECT_EQ(last_lines("one\ntwo\n", 5), "one\ntwo");
  EXPECT_EQ(last_lines("\n \n"), "");
}

TEST(QuestionOutput, OfAFailureTheLinesBeginWithIt) {
  EXPECT_EQ(failure_lines("ok 1 - a\nnot ok 2 - b\n  wrong\n1..2\n# fail 1\n# time 9\n", 2),
            "not ok 2 - b\n  wrong");
  EXPECT_EQ(failure_lines("E  assert 1 == 2\nFAILED a.py::test_a\n", 2),
            "E  assert 1 == 2\nFAILED a.py::test_a")
      << "what is before it, where little comes after it";
  EXPECT_EQ(failure_lines("one\ntwo\nthree\n", 2), "two\nthree");
  EXPECT_EQ(failure_lines(""), "");
}

TEST(QuestionOutput, TheFirstDifference) {
  const auto differs = [](const char* before, const char* now) {
    return first_difference(before, now, Order::kItsOwn);
  };
  EXPECT_EQ(differs("a\nb\n", "a\nc\n"), "line 2 was 'b' and is 'c'");
  EXPECT_EQ(differs("a\n", "a\nb\n"), "line 2 is new, 'b'");
  EXPECT_EQ(differs("a\nb\n", "a\n"), "line 2 is gone, 'b'");
  EXPECT_EQ(differs("", "a"), "line 1 is new, 'a'");
  EXPECT_EQ(differs("a", "a\n"), "the last line ends otherwise");
  EXPECT_EQ(differs("a\n", "a\x07\n"), "line 1 is another one") << "in what is not shown";
  EXPECT_EQ(differs("a", "a"), "");
}

TEST(QuestionOutput, TheFirstDifferenceOfLinesInAnyOrder) {
  const auto differs = [](const char* before, const char* now) {
    return first_difference(before, now, Order::kAny);
  };
  EXPECT_EQ(differs("b\na\n", "a\nc\nb\n"), "'c' is new");
  EXPECT_EQ(differs("b\na\n", "a\n"), "'b' is gone");
  EXPECT_EQ(differs("b\na\n", "c\na\n"), "'b' is gone, and 'c' is new");
  EXPECT_EQ(differs("a\na\n", "a\n"), "'a' is gone");
}

}  // namespace
}  // namespace gittxn::questions
