#include "land/judge/phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using ::testing::HasSubstr;
using namespace testing;  // NOLINT(google-build-using-namespace)

class PhaseWorld : public LandWorld {
 public:
  explicit PhaseWorld(const std::string& on_close) {
    policy(on_close, "written");
    Process opened = process();
    Workflow workflow;
    workflow.id = kId;
    workflow.name = "feature";
    workflow.branch = kBranch;
    workflow.phases = {{"plan", PhaseState::kOpen, 1}, {"build"}};
    must(current_head(opened.context, kBranch));
    must(opened.store.append({events::workflow_created(workflow)}));
  }

  void policy(const std::string& on_close, const std::string& gate) {
    person_commits(".gittxn.toml",
                   "[workflow.feature]\nphases = [\"plan\", \"build\"]\non_close = { plan = \"" +
                       on_close + "\" }\n[[workflow.feature.gate]]\nphase = \"plan\"\nname = \"" +
                       gate + "\"\nverdict = \"review\"\n");
  }

  void advance() {
    Process opened = process();
    const Workflow now = must(store::workflow(opened.store, kId)).value();
    const Phase* next = now.after(now.open()->name);
    must(opened.store.append({events::phase_advanced(
        {kId, now.version, now.open()->name, next == nullptr ? "" : next->name, "Ada"})}));
  }

  TxnId proposed(Isolation isolation = Isolation::kStrict) {
    Proposal proposal{.id = "t-1", .edits = {{"f1", "mine\n"}}, .reads = {"f2"}};
    proposal.isolation = isolation;
    proposal.workflow = kId.str();
    return propose(proposal);
  }

  // Lands, and does something between the certifier's look and the branch.
  Result<LandOutcome> land_while(const TxnId& id, const std::function<void()>& meanwhile) {
    Process opened(scratch, clock, random);
    LandOptions options;
    options.turn_wait_ms = 10'000;
    bool done = false;
    options.on_step = [&](std::string_view step) {
      if (step != "landing" || done) return;
      done = true;
      meanwhile();
    };
    return land::land(opened.context, id, options);
  }

  static inline const WorkflowId kId{"w-1"};
};

constexpr Isolation kLevels[] = {Isolation::kReadCommitted, Isolation::kSnapshot,
                                 Isolation::kSemantic, Isolation::kSerializable,
                                 Isolation::kStrict};

TEST(B1, InThePhaseThatIsStillOpenItLands) {
  PhaseWorld world("drop");
  const TxnId id = world.proposed();
  EXPECT_EQ(must(world.land(id)).result, LandResult::kLanded);
  EXPECT_TRUE(world.problems().empty());
}

TEST(B1, APhaseThatWasLeftDropsItAtEveryLevel) {
  for (const Isolation level : kLevels) {
    PhaseWorld world("drop");
    const Oid before = world.main();
    const TxnId id = world.proposed(level);
    world.advance();
    const LandOutcome outcome = must(world.land(id));
    EXPECT_EQ(outcome.result, LandResult::kRejected) << isolation_name(level);
    ASSERT_EQ(outcome.conflicts.size(), 1u);
    EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kKernel);
    EXPECT_EQ(outcome.conflicts[0].subject, "phase:w-1/plan");
    EXPECT_EQ(outcome.conflicts[0].read_digest, "1");
    EXPECT_EQ(outcome.conflicts[0].head_digest, "2");
    EXPECT_THAT(outcome.conflicts[0].changed_by, HasSubstr("Ada"));
    EXPECT_EQ(world.txn(id).state, TxnState::kRejected);
    EXPECT_EQ(world.main(), before);
    EXPECT_TRUE(world.problems().empty());
  }
}

TEST(B1, APhaseThatWasLeftCarriesItOverWhereThePolicySaysSo) {
  PhaseWorld world("carry");
  const TxnId id = world.proposed();
  world.advance();
  EXPECT_EQ(must(world.land(id)).result, LandResult::kLanded);
  EXPECT_EQ(world.txn(id).phase, "build");
  EXPECT_EQ(world.events_of_type(event_type::kPhaseCarried), 1);
  EXPECT_TRUE(world.problems().empty());
}

TEST(B1, AfterTheLastPhaseThereIsNothingToBeCarriedTo) {
  PhaseWorld world("carry");
  const TxnId id = world.proposed();
  world.advance();
  world.advance();
  EXPECT_EQ(must(world.land(id)).result, LandResult::kRejected);
}

TEST(B1, APhaseThatIsLeftWhileItLandsIsNeverLandedIn) {
  for (const Isolation level : kLevels) {
    PhaseWorld world("drop");
    const Oid before = world.main();
    const TxnId id = world.proposed(level);
    const LandOutcome outcome = must(world.land_while(id, [&] { world.advance(); }));
    EXPECT_EQ(outcome.result, LandResult::kRejected) << isolation_name(level);
    EXPECT_EQ(world.main(), before);
    EXPECT_FALSE(world.locks_left());
    EXPECT_TRUE(world.problems().empty());
  }
}

TEST(B1, CarriedOverWhileItLands) {
  PhaseWorld world("carry");
  const TxnId id = world.proposed();
  const LandOutcome outcome = must(world.land_while(id, [&] { world.advance(); }));
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_EQ(world.txn(id).phase, "build");
}

TEST(B3, OtherGatesThanThoseItWasBegunUnder) {
  PhaseWorld dropping("drop");
  const TxnId id = dropping.proposed();
  dropping.policy("drop", "another");
  const LandOutcome outcome = must(dropping.land(id));
  EXPECT_EQ(outcome.result, LandResult::kRejected);
  ASSERT_EQ(outcome.conflicts.size(), 1u);
  EXPECT_EQ(outcome.conflicts[0].subject, "gates:w-1/plan");
  EXPECT_EQ(outcome.conflicts[0].changed_by, "the policy");

  PhaseWorld carrying("carry");
  const TxnId carried = carrying.proposed();
  carrying.policy("carry", "another");
  EXPECT_EQ(must(carrying.land(carried)).result, LandResult::kLanded);
  EXPECT_EQ(carrying.events_of_type(event_type::kPhaseCarried), 1);
}

TEST(B3, APolicyThatKnowsThePhaseNoMoreDropsIt) {
  PhaseWorld world("carry");
  const TxnId id = world.proposed();
  world.person_commits(".gittxn.toml", "# nothing\n");
  EXPECT_EQ(must(world.land(id)).result, LandResult::kRejected);
}

TEST(Phase, SubjectsOfKernelReads) {
  const WorkflowId id("w-1");
  const auto phase = parse_kernel_subject(phase_subject(id, "build"));
  ASSERT_TRUE(phase);
  EXPECT_EQ(phase->kind, KernelSubject::Kind::kPhase);
  EXPECT_EQ(phase->phase, "build");
  EXPECT_TRUE(parse_kernel_subject(workflow_subject(id)));
  const auto all = parse_kernel_subject(kWorkflowsSubject);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->kind, KernelSubject::Kind::kWorkflows);
  for (const char* odd :
       {"", "policy", "workflow:", "workflow:w-1/x", "phase:w-1", "phase:w-1/", "phase:/x",
        "other:w-1", "pending:w-1/a/b", "workflows:", "workflows:w-1", "workflows:w-1/x"}) {
    EXPECT_FALSE(parse_kernel_subject(odd)) << odd;
  }
}

}  // namespace
}  // namespace gittxn::land
