#include "store/store.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using testing::kMain;
using testing::landing_event;
using testing::new_attempt;
using testing::new_landing;
using testing::new_taken;
using testing::new_txn;
using testing::oid;
using testing::TempStore;
using testing::until_prepared;

#define ASSERT_OK(expr)                                                              \
  do {                                                                               \
    const auto& assert_ok_ = (expr);                                                 \
    ASSERT_TRUE(assert_ok_.has_value())                                              \
        << code_name(assert_ok_.error().code) << ": " << assert_ok_.error().message; \
  } while (false)

TEST(Store, LandsATransactionFromBeginToEnd) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::durable_head(kMain, oid(1))}));
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  EXPECT_EQ(store.txn(TxnId("t-1")).value()->state, TxnState::kPrepared);

  PreparedLanding landing = new_landing("t-1", oid(1), oid(2));
  const auto seq = store.append({landing_event(landing)});
  ASSERT_OK(seq);
  const auto branch = store.branch(kMain).value();
  ASSERT_TRUE(branch && branch->prepared);
  EXPECT_EQ(branch->prepared->seq, *seq);
  EXPECT_EQ(branch->prepared->new_head, oid(2));
  EXPECT_EQ(branch->head, oid(1));

  ASSERT_OK(store.append({events::transaction_landed(*branch->prepared)}));
  const auto txn = store.txn(TxnId("t-1")).value();
  EXPECT_EQ(txn->state, TxnState::kLanded);
  EXPECT_EQ(txn->landed_commit, oid(2));
  EXPECT_EQ(txn->version, store.head().value());
  EXPECT_EQ(store.branch(kMain).value()->head, oid(2));
  EXPECT_EQ(store.branch(kMain).value()->durable_head, oid(2));
  EXPECT_FALSE(store.branch(kMain).value()->prepared);
  const auto landed = store.landed_since(kMain, 0).value();
  ASSERT_EQ(landed.size(), 1u);
  EXPECT_EQ(landed[0].txn, TxnId("t-1"));
  EXPECT_TRUE(store.landed_since(kMain, landed[0].seq).value().empty());

  EXPECT_TRUE(store.verify().value().problems.empty());
  EXPECT_TRUE(store.verify_replay().value().problems.empty());
  EXPECT_EQ(store.verify().value().events, store.head().value());
}

}  // namespace
}  // namespace gittxn::store
