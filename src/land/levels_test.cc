// What the levels let land: updates that two made alike, what adds nothing to the branch, what
// merges, and branches that read each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::kEveryLevel;
using testing::LandWorld;
using testing::must;
using testing::Proposal;

using ::testing::HasSubstr;

class Levels : public ::testing::Test {
 protected:
  // Each from the head as it is, of that level; the outcomes as they land one after the other.
  std::vector<LandOutcome> side_by_side(std::vector<Proposal> proposals, Isolation level) {
    std::vector<TxnId> ids;
    for (Proposal& proposal : proposals) {
      proposal.id = "t-" + std::to_string(++begun_);
      proposal.isolation = level;
      ids.push_back(world.propose(proposal));
    }
    std::vector<LandOutcome> outcomes;
    outcomes.reserve(ids.size());
    for (const TxnId& id : ids) outcomes.push_back(must(world.land(id)));
    return outcomes;
  }
  LandResult second(const Proposal& first, const Proposal& then, Isolation level) {
    const auto outcomes = side_by_side({first, then}, level);
    EXPECT_EQ(outcomes[0].result, LandResult::kLanded);
    said = outcomes[1].conflicts.empty() ? "" : outcomes[1].conflicts[0].hint;
    notes = ::testing::PrintToString(outcomes[1].notes);
    return outcomes[1].result;
  }
  void put(const std::string& path, const std::string& text) {
    world.scratch.write(path, text);
    world.scratch.commit("put " + path);
  }

  // It has read a branch on which a landing is past Prepared, and nobody can say yet how it ends.
  LandOutcome beside_a_prepared_landing() {
    world.scratch.git({"branch", "other"});
    Proposal reader{"t-a", {{"f1", "A\n"}}};
    reader.refs = {"refs/heads/other"};
    const TxnId id = world.propose(reader);
    Proposal mover{"t-b", {{"f2", "B\n"}}};
    mover.target = RefName("refs/heads/other");
    EXPECT_TRUE(world.killed_at("land.after_prepared", world.propose(mover)));
    return must(world.land(id));
  }

  LandWorld world;
  std::string said, notes;

 private:
  int begun_ = 0;
};

TEST_F(Levels, OfIncrementsSideBySideOneLandsAndNoneIsNothing) {
  for (const Isolation level : kEveryLevel) {
    put("c", std::string(isolation_name(level)) + " 0\n");
    const Proposal increment{"", {{"c", "1\n"}}, {"c"}};
    const auto outcomes = side_by_side({increment, increment, increment}, level);
    EXPECT_EQ(outcomes[0].result, LandResult::kLanded);
    EXPECT_EQ(outcomes[1].result, LandResult::kConflict) << isolation_name(level);
    EXPECT_EQ(outcomes[2].result, LandResult::kConflict) << isolation_name(level);
    EXPECT_EQ(outcomes[1].conflicts.at(0).subject, "c");
    EXPECT_EQ(outcomes[1].conflicts.at(0).changed_by.substr(0, 2), "t-");
  }
}

TEST_F(Levels, ANumberThatWasFreeIsTakenOnce) {
  for (const Isolation level : kEveryLevel) {
    const std::string path = "tickets/" + std::string(isolation_name(level));
    const Proposal take{"", {{path, "taken\n"}}, {path}};
    EXPECT_EQ(second(take, take, level), LandResult::kConflict) << isolation_name(level);
  }
}

TEST_F(Levels, ALineThatBothAppendIsNotMergedIntoOne) {
  const std::string base = "1\n2\n3\n4\n5\n6\n7\n";
  for (const Isolation level : kEveryLevel) {
    put("log", std::string(isolation_name(level)) + "\n" + base);
    const std::string text = std::string(isolation_name(level)) + "\n" + base + "job\n";
    const Proposal first{"", {{"log", text}}, {"log"}};
    const Proposal then{"", {{"log", "head\n" + text}}, {"log"}};
    EXPECT_EQ(second(first, then, level), LandResult::kConflict) << isolation_name(level);
    EXPECT_EQ(world.shown("log").find("head"), std::string::npos);
  }
}

TEST_F(Levels, WhatWasNotReadAndIsThereAlreadyIsNothing) {
  for (const Isolation level : kEveryLevel) {
    const Proposal same{"", {{"new-" + std::string(isolation_name(level)), "same\n"}}};
    EXPECT_EQ(second(same, same, level), LandResult::kNothing) << isolation_name(level);
  }
}

// Equal where it wrote; but it decided on something that is another now.
TEST_F(Levels, WhatAddsNothingIsAskedForItsOtherReads) {
  for (const Isolation level : kEveryLevel) {
    const std::string path = "new-" + std::string(isolation_name(level));
    const Proposal first{"", {{path, "same\n"}, {"f2", path}}};
    const Proposal then{"", {{path, "same\n"}}, {"f2"}};
    EXPECT_EQ(second(first, then, level),
              level >= Isolation::kSemantic ? LandResult::kConflict : LandResult::kNothing);
  }
}

TEST_F(Levels, APolicyRaisesTheLevelOfWhatAddsNothing) {
  put(".gittxn.toml", "[[rule]]\npath = \"f1\"\nisolation = \"semantic\"\n");
  const Proposal first{"", {{"f1", "same\n"}, {"f2", "B\n"}}};
  const Proposal then{"", {{"f1", "same\n"}}, {"f2"}};
  EXPECT_EQ(second(first, then, Isolation::kSnapshot), LandResult::kConflict);
}

TEST_F(Levels, WhatAPersonMergedByHandIsNothing) {
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}, {"f1"}});
  world.scratch.git({"merge", "-q", "--no-ff", "-m", "by hand", "refs/txn/t-a/1"});
  EXPECT_EQ(must(world.land(id)).result, LandResult::kNothing);
}

#ifdef GIT_TXN_BUGS
TEST_F(Levels, ALineThatBothAppendWouldBeNoticed) {
  const std::string f = "\n\ndef f():\n    return 0\n", g = "\n\ndef g():\n    return 1\n";
  put("n.py", "N = 1\n" + f);
  const Proposal first{"", {{"n.py", "N = 2\n" + f + g}}, {"n.py"}};
  const Proposal then{"", {{"n.py", "N = 2\n\n\ndef e():\n    return 2\n" + f}}, {"n.py"}};
  arm_bug("land.once_for_both");
  const LandResult merged = second(first, then, Isolation::kSemantic);
  arm_bug("");
  EXPECT_EQ(merged, LandResult::kLanded);
  put("n.py", "N = 1\n" + f);
  EXPECT_EQ(second(first, then, Isolation::kSemantic), LandResult::kConflict);
}

TEST_F(Levels, ABranchThatIsAboutToMoveWouldBeNoticed) {
  arm_bug("land.prepared_unread");
  const LandOutcome outcome = beside_a_prepared_landing();
  arm_bug("");
  EXPECT_EQ(outcome.result, LandResult::kLanded);
}

TEST_F(Levels, NothingThatIsNotAskedForWouldBeNoticed) {
  const Proposal increment{"", {{"c", "1\n"}}, {"c"}};
  put("c", "0\n");
  arm_bug("land.nothing_unchecked");
  const LandResult unasked = second(increment, increment, Isolation::kSnapshot);
  arm_bug("");
  EXPECT_EQ(unasked, LandResult::kNothing);
}
#endif

// Two that read both numbers, and take from one each: in any order one stops at zero.
TEST_F(Levels, WhatMergesByKeysIsWriteWriteAtExactLevels) {
  for (const Isolation level : kEveryLevel) {
    put("a.json", "{\n  \"l\": \"" + std::string(isolation_name(level)) +
                      "\",\n  \"x\": 50,\n  \"y\": 50\n}\n");
    std::string text = world.shown("a.json") + "\n";
    const Proposal first{
        "", {{"a.json", testing::replaced(text, "\"x\": 50", "\"x\": -30")}}, {"a.json"}};
    const Proposal then{
        "", {{"a.json", testing::replaced(text, "\"y\": 50", "\"y\": -30")}}, {"a.json"}};
    const bool exact = level >= Isolation::kSerializable;
    EXPECT_EQ(second(first, then, level), exact ? LandResult::kConflict : LandResult::kLanded)
        << isolation_name(level);
    EXPECT_EQ(notes.find("merged") != std::string::npos, !exact) << notes;
  }
}

TEST_F(Levels, AHashOfAFileThatWasLaidOutAnewIsStaleAtExactLevels) {
  for (const Isolation level : kEveryLevel) {
    put("c.yaml", "a: 1\nb:   2\n# " + std::string(isolation_name(level)) + "\n");
    const std::string text = world.shown("c.yaml") + "\n";
    const Proposal first{"", {{"c.yaml", testing::replaced(text, "b:   2", "b: 2")}}};
    const Proposal then{"", {{"out", "its hash\n" + text}}, {"c.yaml"}};
    const bool exact = level >= Isolation::kSerializable;
    EXPECT_EQ(second(first, then, level), exact ? LandResult::kConflict : LandResult::kLanded)
        << isolation_name(level);
    if (level == Isolation::kSemantic) EXPECT_THAT(notes, HasSubstr("another layout"));
  }
}

// The same two for a program that computes with all of what it reads.
TEST_F(Levels, WhoMayHaveComputedIsLetPassAtNoLevelThatAsksForReads) {
  for (const Isolation level : {Isolation::kSnapshot, Isolation::kSemantic, Isolation::kStrict}) {
    put("a.json", "{\n  \"l\": \"" + std::string(isolation_name(level)) +
                      "\",\n  \"x\": 50,\n  \"y\": 50\n}\n");
    const std::string text = world.shown("a.json") + "\n";
    const Proposal first{
        "", {{"a.json", testing::replaced(text, "\"x\": 50", "\"x\": -30")}}, {"a.json"}};
    Proposal then{"", {{"a.json", testing::replaced(text, "\"y\": 50", "\"y\": -30")}}, {"a.json"}};
    then.reader = ReaderClass::kAny;
    const bool asks = level >= Isolation::kSemantic;
    EXPECT_EQ(second(first, then, level), asks ? LandResult::kConflict : LandResult::kLanded)
        << isolation_name(level);
    if (level == Isolation::kSemantic) EXPECT_THAT(said, HasSubstr("may have used all of it"));
  }
}

// ---- references of other branches ----

TEST_F(Levels, AnotherBranchThatWasReadHasToBeWhereItWas) {
  world.scratch.git({"branch", "other"});
  Proposal reader{"t-a", {{"f1", "A\n"}}};
  reader.refs = {"refs/heads/other"};
  const TxnId id = world.propose(reader);
  world.scratch.git({"update-ref", "refs/heads/other",
                     world.scratch.git({"commit-tree", "-m", "x", "main^{tree}"})});
  EXPECT_EQ(must(world.land(id)).conflicts.at(0).subject, "refs/heads/other");
}

TEST_F(Levels, TheTargetIsHistoryAndNoOtherBranch) {
  for (const Isolation level : {Isolation::kSemantic, Isolation::kStrict}) {
    Proposal reader{"", {{"f1", std::string(isolation_name(level))}}};
    reader.refs = {"refs/heads/main"};
    const Proposal first{"", {{"f2", std::string(isolation_name(level))}}};
    EXPECT_EQ(second(first, reader, level),
              level == Isolation::kStrict ? LandResult::kConflict : LandResult::kLanded);
  }
}

TEST_F(Levels, WhatGitTxnKeepsIsNobodysRead) {
  Proposal reader{"t-a", {{"f1", "A\n"}}};
  world.propose({"t-b", {{"f2", "B\n"}}});
  reader.refs = {"refs/txn/t-b/1"};
  const TxnId id = world.propose(reader);
  world.scratch.git({"update-ref", "-d", "refs/txn/t-b/1"});
  EXPECT_EQ(must(world.land(id)).result, LandResult::kLanded);
}

TEST_F(Levels, ABranchThatIsAboutToMoveHasMoved) {
  EXPECT_EQ(beside_a_prepared_landing().conflicts.at(0).subject, "refs/heads/other");
}

}  // namespace
}  // namespace gittxn::land
