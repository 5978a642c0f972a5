// Tests of the state in which a transaction's own files were when a question was asked.
#include "capture/asked/own_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"

namespace gittxn::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kFrom = 10, kTo = 20;
constexpr std::int64_t kNumber = 3;

class Own : public ::testing::Test {
 public:
  Changes writes;
  Touches touches;
  std::set<std::string> looks{"a"};
  std::set<std::string> ignored, unseen;
  Question::Kind kind = Question::Kind::kRunner;

  void lands(const std::string& path, Oid blob = Oid("1")) {
    TreeEntry after;
    if (!blob.empty()) after = {FileMode::kFile, std::move(blob)};
    writes.push_back({path, {FileMode::kFile, Oid("0")}, after});
  }
  void touched(const std::string& path, std::initializer_list<std::uint64_t> when,
               std::int64_t by = 0) {
    for (const std::uint64_t each : when) touches[path].push_back({each, by});
  }
  OwnFiles found() const {
    Asking asking{kind, kFrom, kTo, &looks, {}, {}, {}};
    asking.itself = [](std::int64_t by) { return by == kNumber; };
    asking.touched_unseen = [this](const std::string& path) { return unseen.contains(path); };
    asking.left_out = [this](const std::string& path) { return ignored.contains(path); };
    return OwnHistory(writes, touches).at(asking);
  }
};

TEST_F(Own, WhatWasThereByThenAsItLandsIsPartOfTheTree) {
  lands("a");
  lands("b");
  touched("a", {1, 9});
  touched("b", {21});
  EXPECT_THAT(found().own, ElementsAre("a"));
  EXPECT_THAT(found().unsettled, IsEmpty());
  EXPECT_EQ(found().spoiled, "");
}

TEST_F(Own, AFileThatARunLookedIntoIsMet) {
  for (const char* path : {"a", "b", "d/x", "e/y"}) {
    lands(path);
    touched(path, {1});
  }
  looks = {"a", "", "d/", "e"};
  EXPECT_THAT(found().met, ElementsAre("a", "d/x")) << "of the others it saw the names";
  looks = {"/"};
  EXPECT_THAT(found().met, ElementsAre("a", "b", "d/x", "e/y"));
  kind = Question::Kind::kPure;
  EXPECT_THAT(found().met, IsEmpty());
}

TEST_F(Own, AFileThatItRemovedIsGone) {
  lands("a", Oid());
  touched("a", {1});
  unseen = {"a"};
  EXPECT_THAT(found().own, ElementsAre("a"));
}

TEST_F(Own, ADirectoryIsGoneWhereItWasRemoved) {
  writes.push_back({"d", {FileMode::kTree, {}}, {}});
  lands("d/x", Oid());
  touched("d/x", {1});
  EXPECT_THAT(found().own, ElementsAre("d/x"));
  touched("d", {2});
  EXPECT_THAT(found().own, ElementsAre("d", "d/x"));
  touched("d", {21});
  EXPECT_THAT(found().own, ElementsAre("d/x"));
}

TEST_F(Own, WhatItMetMustNotHaveBeenAnyOther) {
  lands("a");
  kind = Question::Kind::kPure;
  touched("a", {1, 21});
  EXPECT_EQ(found().spoiled, "'a' was changed before and after it");
  touches["a"] = {{15, 0}};
  EXPECT_EQ(found().spoiled, "'a' was written meanwhile");
  touches.clear();
  EXPECT_EQ(found().spoiled, "'a' was changed before and after it") << "with its directory, say";
  touched("a", {1});
  unseen = {"a"};
  EXPECT_EQ(found().spoiled, "'a' was changed before and after it");
}

TEST_F(Own, OnlyWhatLandsCanAnswerForARunThatMetAnother) {
  lands("a");
  lands("d/x");
  touched("a", {1, 21});
  touched("d/x", {1, 15});
  looks = {"a"};
  EXPECT_TRUE(found().in_between);
  EXPECT_EQ(found().spoiled, "");
  EXPECT_THAT(found().met, ElementsAre("a"));
  EXPECT_THAT(found().own, IsEmpty());
  looks = {"d/x"};
  EXPECT_EQ(found().spoiled, "'d/x' was written meanwhile");
  looks = {"b"};
  EXPECT_FALSE(found().in_between);
}

TEST_F(Own, ItIsMetInAListingAndByWhatIsBelowIt) {
  lands("d/x");
  kind = Question::Kind::kPure;
  touched("d/x", {1, 21});
  touches["d/x"].front().other = true;
  for (const char* look : {"d", "d/x", "d/x/y"}) {
    looks = {look};
    EXPECT_NE(found().spoiled, "") << look;
  }
  for (const char* look : {"", "d/y", "d/x2", "e"}) {
    looks = {look};
    EXPECT_EQ(found().spoiled, "") << look;
  }
}

TEST_F(Own, AFileThatWasMetByItsNameAloneMayHoldAnything) {
  lands("a");
  lands("new");
  writes[1].before = {};
  touched("a", {1, 21});
  touched("new", {5, 21});
  unseen = {"new"};
  looks = {""};
  kind = Question::Kind::kPure;
  EXPECT_THAT(found().own, ElementsAre("a", "new"));
  EXPECT_THAT(found().unsettled, ElementsAre("a", "new"));
  EXPECT_EQ(found().spoiled, "");
  for (const char* look : {"a", "new", "/"}) {
    looks = {"", look};
    EXPECT_NE(found().spoiled, "") << look;
  }
  kind = Question::Kind::kRunner;
  EXPECT_TRUE(found().in_between);
}

TEST_F(Own, ItsNameIsKnownOnlyIfAFileStoodThereAllTheTime) {
  using Change = void (*)(Own&);
  const Change changes[] = {
      [](Own& it) { it.touches["new"] = {{15, 0}, {21, 0}}; },
      [](Own& it) { it.touches["new"][1].gone = true; },
      [](Own& it) { it.touches["new"][0].other = true; },
      [](Own& it) { it.touches.clear(); },
      [](Own& it) { it.writes[0].after = {FileMode::kLink, Oid("1")}; },
      [](Own& it) { it.writes[0].before = {FileMode::kLink, Oid("1")}; },
  };
  kind = Question::Kind::kPure;
  for (const Change change : changes) {
    writes.clear();
    touches.clear();
    lands("new");
    writes[0].before = {};
    touched("new", {5, 21});
    looks = {""};
    EXPECT_EQ(found().spoiled, "");
    change(*this);
    EXPECT_NE(found().spoiled, "");
  }
}

TEST_F(Own, WhatItDidNotMeetIsNamedWhereItIsNotKnown) {
  for (const char* path : {"b", "c", "d", "e", "f"}) lands(path);
  touched("b", {1, 21});
  touched("c", {15});
  touched("d", {1});
  touched("e", {21});
  unseen = {"d"};
  looks = {"a/x"};
  EXPECT_THAT(found().unsettled, ElementsAre("b", "c", "d", "f"));
  EXPECT_THAT(found().own, IsEmpty());
  EXPECT_EQ(found().spoiled, "");
}

TEST_F(Own, AFileThatIsAtTheEndAsItWasBeforeCountsToo) {
  touched("a", {1, 21});
  EXPECT_TRUE(found().in_between);
  looks = {"b/x"};
  EXPECT_THAT(found().unsettled, ElementsAre("a"));
  touches["a"].pop_back();
  looks = {"a"};
  EXPECT_EQ(found().spoiled, "") << "it was so by then";
  touches["a"] = {{21, 0}};
  EXPECT_EQ(found().spoiled, "") << "or it still was";
}

TEST_F(Own, WhatNeverLandsIsForARunnerToMakeAnew) {
  touched("a", {1, 21});
  ignored = {"a"};
  EXPECT_EQ(found().spoiled, "");
  EXPECT_THAT(found().unsettled, IsEmpty());
  kind = Question::Kind::kPure;
  EXPECT_THAT(found().spoiled, HasSubstr("only this worktree has"));
  touches["a"] = {{21, 0}};
  EXPECT_EQ(found().spoiled, "");
}

TEST_F(Own, WhatItWroteItselfMustNotLand) {
  touched("a", {12, 14}, kNumber);
  EXPECT_EQ(found().spoiled, "");
  lands("a");
  EXPECT_EQ(found().spoiled, "it wrote 'a', which lands");
}

TEST_F(Own, TooManyToNameAreTooMany) {
  looks = {"x/y"};
  for (int i = 0; i < 1001; ++i) touched("f" + std::to_string(i), {1, 21});
  EXPECT_THAT(found().spoiled, HasSubstr("too many"));
}

#ifdef GIT_TXN_BUGS
TEST_F(Own, FilesAsTheyAreAtTheEndWouldBeNoticed) {
  lands("a");
  touched("a", {21});
  arm_bug("capture.own_as_of_the_end");
  EXPECT_THAT(found().own, ElementsAre("a"));
  arm_bug("");
}
#endif

}  // namespace
}  // namespace gittxn::capture
