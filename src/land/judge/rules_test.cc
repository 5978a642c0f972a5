// Ignore rules and attributes that the head changed under a transaction.
#include "land/judge/rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::FileEdits;
using ::testing::HasSubstr;
using testing::LandWorld;
using testing::Proposal;

class LandRules : public ::testing::Test {
 protected:
  LandRules() {
    world.scratch.write(".gitignore", "*.o\nbuild/\n");
    world.scratch.write(".gitattributes", "*.md text\n");
    world.scratch.commit("rules");
  }
  // Lands `ours` after a person changed a file of rules.
  LandOutcome after(const std::string& path, const std::string& rules, Proposal ours) {
    ours.id = "t-a";
    ours.isolation = level;
    const TxnId id = world.propose(ours);
    world.person_commits(path, rules);
    return testing::must(world.land(id));
  }
  LandOutcome refused(const std::string& path, const std::string& rules, const Proposal& ours) {
    LandOutcome outcome = after(path, rules, ours);
    EXPECT_EQ(outcome.result, LandResult::kConflict);
    outcome.conflicts.resize(1);
    EXPECT_THAT(outcome.conflicts[0].changed_by, HasSubstr("commit"));
    return outcome;
  }

  Isolation level = Isolation::kSemantic;
  LandWorld world;
};

TEST_F(LandRules, AFileThatWasTakenAndIsIgnoredNow) {
  const Proposal log{.edits = {{"out/run.log", "x\n"}}};
  const LandOutcome outcome = refused(".gitignore", "*.o\nbuild/\n*.log\n", log);
  EXPECT_EQ(outcome.conflicts[0].subject, "out/run.log");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr(".gitignore:3:*.log"));
}

TEST_F(LandRules, AFileThatWasLeftOutAndIsNotIgnoredNow) {
  const Proposal object{.edits = {{"f1", "x\n"}}, .left_out = {"a.o", "build/"}};
  const LandOutcome outcome = refused(".gitignore", "build/\n", object);
  EXPECT_EQ(outcome.conflicts[0].subject, "a.o");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr(".gitignore:1:*.o"));
}

TEST_F(LandRules, RulesThatSayTheSameOfItsPathsHold) {
  // A tracked file, one that was added by name although it is ignored, and a directory of which the
  // contents are named now.
  const Proposal ours{.edits = {{"f1", "x\n"}, {"kept.o", "x\n"}, {"new.c", "x\n"}},
                      .left_out = {"a.o", "build/"}};
  EXPECT_EQ(after(".gitignore", "# objects\n*.o\nbuild/*\nf1\n*.log\n", ours).result,
            LandResult::kLanded);
}

TEST_F(LandRules, WhereNotAllIsRecordedThatWasLeftOutAnyOtherRuleIsAConflict) {
  std::vector<std::string> ignored;
  for (std::size_t i = 0; i < kMostLeftOut + 10; ++i) ignored.push_back(fmt::format("{:04}.o", i));
  EXPECT_EQ(left_out(ignored, Oid()).size(), kMostLeftOut + 1);
  ignored.resize(kMostLeftOut + 1);
  const Proposal objects{.edits = {{"f1", "x\n"}}, .left_out = ignored};
  const LandOutcome outcome = refused(".gitignore", "# objects\n*.o\nbuild/\n", objects);
  EXPECT_EQ(outcome.conflicts[0].subject, ".gitignore");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("more than 1000 paths"));
}

TEST_F(LandRules, BelowTheLevelsThatCertifyReadsNothingIsAsked) {
  level = Isolation::kSnapshot;
  EXPECT_EQ(after(".gitignore", "*.log\n", {.edits = {{"run.log", "x\n"}}}).result,
            LandResult::kLanded);
}

TEST_F(LandRules, BytesThatTheHeadStoresOtherwise) {
  const LandOutcome outcome =
      refused(".gitattributes", "* text\n", {.edits = {{"a.bat", "x\r\n"}}});
  EXPECT_EQ(outcome.conflicts[0].subject, "a.bat");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr(".gitattributes"));
}

TEST_F(LandRules, AFilterThatTheHeadPutOnAFileThatWasRead) {
  const Proposal reader{.edits = {{"f1", "x\n"}}, .reads = {"f2"}};
  const LandOutcome outcome = refused(".gitattributes", "f2 filter=x\n", reader);
  EXPECT_EQ(outcome.conflicts[0].subject, "f2");
}

TEST_F(LandRules, AttributesThatConvertNothingOfItsHold) {
  const Proposal ours{.edits = {{"f1", "x\n"}, {"a.md", "x\n"}}, .reads = {"f2"}};
  EXPECT_EQ(after(".gitattributes", "* text=auto\n*.md text diff=markdown\n", ours).result,
            LandResult::kLanded);
}

TEST(Conversions, StoredOtherwise) {
  const Conversion none{"unspecified", "unspecified", "unspecified",
                        "unspecified", "unspecified", "unspecified"};
  Conversion text = none, windows = none, binary = none, old = none;
  text.text = "set";
  windows.eol = "crlf";
  binary.text = "unset";
  old.crlf = "set";
  EXPECT_FALSE(stored_otherwise(none, text, LineEnds::kPlain));
  EXPECT_TRUE(stored_otherwise(none, text, LineEnds::kCrLf));
  EXPECT_TRUE(stored_otherwise(binary, old, LineEnds::kCrLf));
  EXPECT_FALSE(stored_otherwise(text, binary, LineEnds::kPlain));
  EXPECT_TRUE(stored_otherwise(windows, binary, LineEnds::kPlain));
  EXPECT_FALSE(stored_otherwise(text, windows, LineEnds::kPlain));
  EXPECT_TRUE(written_otherwise(text, windows));
  EXPECT_FALSE(written_otherwise(none, text));
}

}  // namespace
}  // namespace gittxn::land
