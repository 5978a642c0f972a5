// Tests of what answers a run of the tests that looked at what others changed.
#include "land/judge/asking/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/policy_file.h"
#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using ::testing::HasSubstr;
using testing::LandWorld;
using testing::Proposal;

// A gate that passes while f2 says so.
class GateAnswers : public ::testing::Test {
 protected:
  const std::vector<std::string> run{"grep", "-q", "good", "f2"};
  const std::string policy = R"([[gate]]
name = "tests"
run = ["grep", "-q", "good", "f2"]
)";
  Proposal proposal{.id = "t-a", .edits = {{"f1", "mine\n"}}, .reads = {"f2"}, .run = run};
  LandWorld world;

  GateAnswers() {
    world.person_commits("f2", "good\n");
    world.person_commits(".gittxn.toml", policy);
  }
  LandOutcome landed_after(const std::string& f2) {
    const TxnId id = world.propose(proposal);
    world.person_commits("f2", f2);
    const std::string trust = testing::must(gates::parse_policy(policy)).trust_hash.str();
    return testing::must(world.land(id, 0, trust));
  }
};

TEST_F(GateAnswers, ARunThatAGateRepeatsOnWhatLandsIsNoStaleRead) {
  const LandOutcome outcome = landed_after("good, and more\n");
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  ASSERT_EQ(outcome.gates.size(), 1u);
  EXPECT_TRUE(outcome.gates[0].certificate.passed);
}

TEST_F(GateAnswers, ButTheGateHasToPass) {
  const LandOutcome outcome = landed_after("bad\n");
  EXPECT_EQ(outcome.result, LandResult::kRejected);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kGate);
}

TEST_F(GateAnswers, NotAtStrict) {
  proposal.isolation = Isolation::kStrict;
  const LandOutcome outcome = landed_after("good, and more\n");
  EXPECT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("'f2' was read and has changed now"));
}

TEST_F(GateAnswers, NotForOtherWords) {
  proposal.run.push_back("f1");
  EXPECT_EQ(landed_after("good, and more\n").result, LandResult::kConflict);
}

TEST_F(GateAnswers, NotForWhatNobodyAsked) {
  proposal.run.clear();
  EXPECT_EQ(landed_after("good, and more\n").result, LandResult::kConflict);
}

TEST_F(GateAnswers, NotWhereNothingWouldLand) {
  proposal.edits = {{"f2", "good, and more\n"}};
  EXPECT_EQ(landed_after("good, and more\n").result, LandResult::kConflict);
}

}  // namespace
}  // namespace gittxn::land
