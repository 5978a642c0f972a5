// The fence of a branch on a hub, as the log keeps it: who prepares a landing on another fence than
// the one that was resolved last comes too late (4-landing; docs/design/0021, PostgreSQL).
#include <gtest/gtest.h>

#include "store/events.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class Fence : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.append({events::durable_head(kMain, oid(1))}));
    ASSERT_OK(store_.append(until_prepared("t-1", oid(1), oid(9))));
  }
  Result<Seq> prepare(const Oid& before, const Oid& fence) {
    PreparedLanding landing = new_landing("t-1", oid(1), oid(2));
    landing.fence_before = before;
    landing.fence = fence;
    return store_.append({landing_event(landing)});
  }
  PreparedLanding prepared() { return *store_.branch(kMain).value()->prepared; }
  Oid fence() { return store_.branch(kMain).value()->fence; }

  TempStore place_;
  Store store_ = place_.open();
};

TEST_F(Fence, MovesWithTheLanding) {
  ASSERT_OK(prepare(Oid(), oid(21)));
  EXPECT_EQ(prepared().fence, oid(21));
  EXPECT_EQ(fence(), Oid());
  ASSERT_OK(store_.append({events::transaction_landed(prepared())}));
  EXPECT_EQ(fence(), oid(21));
  EXPECT_TRUE(store_.verify_replay()->problems.empty());
}

TEST_F(Fence, IsWhatWhoeverResolvedTheLandingMadeIt) {
  ASSERT_OK(prepare(Oid(), oid(21)));
  ASSERT_OK(store_.append({events::landing_lost(prepared(), "its machine is gone", oid(22))}));
  EXPECT_EQ(fence(), oid(22));
  ASSERT_OK(prepare(oid(22), oid(23)));
  ASSERT_OK(store_.append({events::landing_lost(prepared(), "the hub refused it")}));
  EXPECT_EQ(fence(), oid(22)) << "nobody moved it";
  ASSERT_OK(prepare(oid(22), oid(24)));
  ASSERT_OK(store_.append({events::transaction_landed(prepared(), {}, oid(25))}));
  EXPECT_EQ(fence(), oid(25));
  EXPECT_TRUE(store_.verify_replay()->problems.empty());
}

TEST_F(Fence, RefusesALandingThatKnowsAnotherOne) {
  ASSERT_OK(prepare(Oid(), oid(21)));
  ASSERT_OK(store_.append({events::landing_lost(prepared(), "its machine is gone", oid(22))}));
  EXPECT_EQ(prepare(Oid(), oid(21)).error().code, Code::kStale);
  EXPECT_EQ(prepare(oid(21), oid(23)).error().code, Code::kStale);
  ASSERT_OK(prepare(oid(22), oid(23)));
}

}  // namespace
}  // namespace gittxn::store
