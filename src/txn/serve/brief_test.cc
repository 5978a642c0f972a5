// What an agent is told when something it has read changes while it works.
#include "txn/serve/brief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gittxn::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Brief brief() {
  Brief told;
  told.number = 1;
  told.head = Oid("8cdd56b1d6f3b1a4a0c9e0f7a1b2c3d4e5f60718");
  told.branch = "release";
  told.changes = {{"src/a.c", "t-7k2m \"fix\"", "--- a/src/a.c\n+++ b/src/a.c\n-old\n+new\n"},
                  {"", "", ""}};
  return told;
}

TEST(Brief, SaysWhatChangedWhoDidItAndWhatToDoNext) {
  const std::string text = brief_text(brief());
  EXPECT_THAT(text, HasSubstr("what you read has changed on release since (now at 8cdd56b)"));
  EXPECT_THAT(text, HasSubstr("- src/a.c, changed by t-7k2m \"fix\"\n- .\n"));
  EXPECT_THAT(text, HasSubstr("What to do: if your work depends on this, stop now and say so"));
  EXPECT_THAT(text, HasSubstr("If your work does not depend on this, go on."));
  EXPECT_THAT(text, HasSubstr("git fetch txn-target, then git show txn-target/release:PATH"))
      << "the remote in the worktree is as old as the worktree until it is fetched";
  EXPECT_THAT(text, HasSubstr("\n-old\n+new\n"));
}

TEST(Brief, IsBoundedAndSaysWhatItLeavesOut) {
  Brief long_one = brief();
  long_one.changes[0].diff = std::string(kMaxBriefText, 'x');
  const std::string text = brief_text(long_one);
  EXPECT_LE(text.size(), kMaxBriefText);
  EXPECT_THAT(text, HasSubstr("(the difference of src/a.c is not shown here)"));
  EXPECT_THAT(text, HasSubstr("What to do:"));
  EXPECT_THAT(text, Not(HasSubstr("xxx")));
}

}  // namespace
}  // namespace gittxn::api
