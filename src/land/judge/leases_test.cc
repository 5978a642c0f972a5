#include "land/judge/leases.h"

#include <gtest/gtest.h>

#include "land/testing/land_world.h"
#include "store/work/lease_moves.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::must;
using testing::Process;

store::Lease leased(Process& process, const std::string& owner, const std::string& on,
                    store::Force force,
                    store::LeaseAsk::Attach attach = store::LeaseAsk::Attach::kDetached) {
  store::LeaseAsk ask;
  ask.subjects = {must(store::parse_lease_subject(on))};
  ask.owner = owner;
  ask.ttl_ms = 600'000;
  ask.force = force;
  ask.attach = attach;
  const store::LeaseAnswer answer =
      must(store::ask_lease(process.store, ask, store::Line::kGoAway));
  EXPECT_TRUE(answer.lease.held);
  return answer.lease;  // an attached one dies with the answer
}

TEST(Leases, AMandatoryOneKeepsOthersWaitingAndItsOwnerNot) {
  LandWorld world;
  Process process = world.process();
  const store::Lease lease = leased(process, "bob", "f*", store::Force::kMandatory);
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  const Oid before = world.main();
  const LandOutcome outcome = must(world.land(id));
  EXPECT_EQ(outcome.result, LandResult::kWaiting);
  ASSERT_TRUE(outcome.wait);
  EXPECT_EQ(outcome.wait->reason, WaitReason::kLease);
  EXPECT_EQ(outcome.wait->subject, lease.id + " of bob on f1");
  EXPECT_EQ(world.main(), before);
  EXPECT_EQ(world.txn(id).state, TxnState::kPrepared);
  must(store::transfer_lease(process.store, lease.id, "bob", "owner@example.com"));
  EXPECT_EQ(must(world.land(id)).result, LandResult::kLanded);
  EXPECT_TRUE(world.problems().empty());
}

TEST(Leases, WhatIsWrittenElsewhereLands) {
  LandWorld world;
  Process process = world.process();
  leased(process, "bob", "f2", store::Force::kMandatory);
  EXPECT_EQ(must(world.land(world.propose({"t-a", {{"f1", "A\n"}}}))).result, LandResult::kLanded);
}

TEST(Leases, ADeadOwnersKeepsNobodyOff) {
  LandWorld world;
  Process process = world.process();
  leased(process, "bob", ".", store::Force::kMandatory, store::LeaseAsk::Attach::kAttached);
  EXPECT_EQ(must(world.land(world.propose({"t-a", {{"f1", "A\n"}}}))).result, LandResult::kLanded);
}

TEST(Leases, AnAdvisoryOneIsANote) {
  LandWorld world;
  Process process = world.process();
  const store::Lease lease = leased(process, "bob", "f1", store::Force::kAdvisory);
  const LandOutcome outcome = must(world.land(world.propose({"t-a", {{"f1", "A\n"}}})));
  EXPECT_EQ(outcome.result, LandResult::kLanded);
  ASSERT_FALSE(outcome.notes.empty());
  EXPECT_EQ(outcome.notes.back(), "f1 is leased to bob (" + lease.id + ", advisory)");
}

TEST(Leases, WhoWaitsForAPersonWaitsForALeaseToo) {
  LandWorld world;
  Process process = world.process();
  const store::Lease lease = leased(process, "bob", "f1", store::Force::kMandatory);
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  bool told = false;
  Process lander = world.process();
  LandOptions options;
  options.wait_ms = 60'000;
  options.on_wait = [&](const Wait& wait) {
    if (wait.reason != WaitReason::kLease) return;
    told = true;
    must(store::release_lease(process.store, lease.id, "bob", ""));
  };
  EXPECT_EQ(must(land(lander.context, id, options)).result, LandResult::kLanded);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace gittxn::land
