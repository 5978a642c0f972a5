// grep, rg and ugrep.
#include <gtest/gtest.h>

#include "questions/question.h"
#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::expect_none;
using testing::expect_pure;
using testing::words_of;

constexpr testing::NoneRow kNoPureSearchAreQuestions[] = {
    {"grep --inv x a", "not on the list"},
    {"rg --pre cat x", "--pre runs other programs"},
    {"rg --pre=cat x", "--pre runs other programs"},
    {"rg -z x", "-z runs other programs"},
    {"rg -nz x", "-z runs other programs"},
    {"rg --hostname-bin=x y", "runs other programs"},
    {"rg --sort modified x", "'modified'"},
    {"rg --sortr path x", "shows"},
    {"rg --stats x", "shows"},
    {"rg --json x", "shows"},
    {"rg --debug x", "shows"},
    {"ugrep --filter=x y", "runs other programs"},
    {"ugrep --pager=x y", "runs other programs"},
    {"ugrep -Q x", "runs other programs"},
    {"ugrep --save-config y", "writes files"},
    {"ugrep --config=x y", "from a file"},
    {"ugrep --sort=changed y", "'changed'"}};

TEST(PureSearch, AreQuestions) {
  expect_pure({"grep -rn x .", "grep -nE -C2 'a|b' a", "egrep -5 x a", "fgrep -f patterns a",
               "grep --include=*.c --exclude-dir=build -rl x", "grep -e -i a", "grep -c -- -i a",
               "rg x", "rg -n --hidden -g '!*.py' x src", "rg --files", "rg -tpy -C 3 x",
               "rg --sort path x", "rg -uu --no-heading x", "rg --type-list", "rg -e -foo a",
               "ugrep -rn x .", "ugrep -rn --sort x .", "ugrep --ignore-files -I x",
               "ugrep -i --include=*.c x"});
  expect_none(kNoPureSearchAreQuestions);
}

TEST(PureSearch, SaysWhoseLinesComeInAnyOrder) {
  const auto order = [](const char* line) { return classify(words_of(line))->order; };
  EXPECT_EQ(order("grep x a b"), Order::kItsOwn);
  EXPECT_EQ(order("grep -rn x"), Order::kAny);
  EXPECT_EQ(order("grep -R x"), Order::kAny);
  EXPECT_EQ(order("grep -d recurse x a"), Order::kAny);
  EXPECT_EQ(order("rg x"), Order::kAny);
  EXPECT_EQ(order("rg --sort=path x"), Order::kItsOwn);
  EXPECT_EQ(order("rg --sort none x"), Order::kAny);
  EXPECT_EQ(order("ugrep x"), Order::kAny);
}

}  // namespace
}  // namespace gittxn::questions
