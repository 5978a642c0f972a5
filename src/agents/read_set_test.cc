#include "agents/observe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/testing/describe.h"

namespace gittxn::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Kept;

std::vector<std::string> declared(std::string_view message, Tally* tally = nullptr,
                                  std::size_t* blocks = nullptr) {
  Kept kept;
  Tally own;
  const std::size_t found =
      observe_read_set(Observation(), message, kept.sink(), tally != nullptr ? *tally : own);
  if (blocks != nullptr) *blocks = found;
  auto lines = kept.lines();
  for (auto& line : lines) {
    EXPECT_TRUE(line.ends_with(" declared")) << line;
    line.resize(line.size() - std::string_view(" declared").size());
  }
  return lines;
}

TEST(ReadSet, HasEveryKindOfEntry) {
  Tally tally;
  EXPECT_THAT(
      declared("I changed it.\n\n```read_set\n"
               "# what it depends on\n"
               "read: src/a b.c\n"
               "- read: `src/math.c` \n"
               "read: src/big.c lines 10-40\r\n"
               "\n"
               "* absent: docs/guide.md\n"
               "list: src\n"
               "search: foo in bar in src/lib\n"
               "search: add\\(\n"
               "glob: **/*.c in .\n"
               "url: https://example.org/x:y\n"
               "```\nread: not this\n",
               &tally),
      ElementsAre("read src/a b.c", "read src/math.c", "read src/big.c first=10 count=31",
                  "read docs/guide.md absent", "list src", "query grep foo in bar root=src/lib",
                  "query grep add\\(", "query glob **/*.c root=.", "url https://example.org/x:y"));
  EXPECT_EQ(tally, (Tally{.lines = 9}));
}

TEST(ReadSet, RangesThatAreNoneBelongToTheName) {
  EXPECT_THAT(declared("~~~~ read_set\nread: a lines 4-2\nread: a lines 0-2\nread: a lines x\n"
                       "read: a lines 1-99999999999999999999\nread: a lines 3 - 3\n"
                       "absent: a lines 1-2\n~~~\n~~~~\n"),
              ElementsAre("read a lines 4-2", "read a lines 0-2", "read a lines x",
                          "read a lines 1-99999999999999999999", "read a first=3 count=1",
                          "read a lines 1-2 absent"));
}

TEST(ReadSet, IsFoundOnlyAsABlockOfItsOwn) {
  std::size_t blocks = 9;
  EXPECT_THAT(declared("read_set\nread: a\n", nullptr, &blocks), IsEmpty());
  EXPECT_EQ(blocks, 0U);
  EXPECT_THAT(declared("````markdown\n```read_set\nread: a\n```\n````\n"), IsEmpty());  // quoted
  EXPECT_THAT(declared("```read_sets\nread: a\n```\n"), IsEmpty());
  // Two blocks, and one that is never closed.
  EXPECT_THAT(declared("```read_set\nread: a\n```\n```c\nread: x\n```\n```read_set\nread: b",
                       nullptr, &blocks),
              ElementsAre("read a", "read b"));
  EXPECT_EQ(blocks, 2U);
}

TEST(ReadSet, CountsWhatItDoesNotUnderstand) {
  Tally tally;
  EXPECT_THAT(declared("```read_set\nsrc/a.c\nread:\nwrote: x\nread: " + std::string(4097, 'a') +
                           "\nread: a" + std::string(1, '\0') +
                           "b\nsearch:  in x\nsearch: a in \n"
                           ": x\nread: ok\n```\n",
                       &tally),
              ElementsAre("query grep in x", "query grep a in", "read ok"));
  EXPECT_EQ(tally, (Tally{.lines = 9, .damaged = 6}));
  std::string many = "```read_set\n";
  for (int i = 0; i < 10'010; ++i) many += "read: a\n";
  Tally bounded;
  EXPECT_EQ(declared(many, &bounded).size(), 10'000U);
  EXPECT_EQ(bounded.damaged, 10U);
}

}  // namespace
}  // namespace gittxn::agents
