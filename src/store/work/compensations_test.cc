#include "store/work/compensations.h"

#include <gtest/gtest.h>

#include "store/events.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

Compensation new_one(int number) {
  Compensation one;
  one.number = number;
  one.name = "undo \xff";
  one.argv = {"sh", "-c", "echo \xfe"};
  return one;
}

void open_txn(Store& store) {
  ASSERT_OK(store.append(
      {events::txn_begun(new_txn("t-1")), events::attempt_started(kOne, new_attempt(1, oid(1)))}));
}

TEST(Compensations, AreStartedInReverseOrderAndEndOnce) {
  TempStore place;
  Store store = place.open();
  open_txn(store);
  ASSERT_OK(store.append({events::compensation_registered(kOne, new_one(1)),
                          events::compensation_registered(kOne, new_one(2))}));
  EXPECT_TRUE(owing_compensation(store)->empty()) << "it may still land";
  EXPECT_CODE(store.append({events::compensation_started(kOne, 2, 1)}), Code::kStale);
  ASSERT_OK(store.append({events::aborted(kOne, "", "Ada")}));
  EXPECT_EQ(owing_compensation(store)->size(), 1u);
  EXPECT_CODE(store.append({events::compensation_started(kOne, 1, 1)}), Code::kStale);
  EXPECT_CODE(store.append({events::compensation_ended(kOne, {2, 1, 0, false, {}})}), Code::kStale);
  ASSERT_OK(store.append({events::compensation_started(kOne, 2, 1)}));
  EXPECT_CODE(store.append({events::compensation_started(kOne, 2, 1)}), Code::kStale);
  ASSERT_OK(store.append({events::compensation_started(kOne, 2, 2)}));  // the first had died
  EXPECT_CODE(store.append({events::compensation_ended(kOne, {2, 1, 0, false, {}})}), Code::kStale);
  ASSERT_OK(store.append({events::compensation_ended(kOne, {2, 2, 7, false, Digest("d")})}));
  EXPECT_CODE(store.append({events::compensation_started(kOne, 2, 3)}), Code::kStale);
  ASSERT_OK(store.append({events::compensation_started(kOne, 1, 1)}));
  ASSERT_OK(store.append({events::compensation_ended(kOne, {1, 1, 0, true, {}})}));
  EXPECT_TRUE(owing_compensation(store)->empty());
  const auto all = compensations(store, kOne).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "undo \xff");
  EXPECT_TRUE(all[0].timed_out);
  EXPECT_EQ(all[1].runs, 2);
  EXPECT_EQ(all[1].exit_status, 7);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Compensations, AreRegisteredWhileItIsOpenInOrder) {
  TempStore place;
  Store store = place.open();
  EXPECT_CODE(store.append({events::compensation_registered(kOne, new_one(1))}), Code::kStale);
  open_txn(store);
  EXPECT_CODE(store.append({events::compensation_registered(kOne, new_one(2))}), Code::kStale);
  Compensation none = new_one(1);
  none.argv.clear();
  EXPECT_CODE(store.append({events::compensation_registered(kOne, none)}), Code::kCorrupt);
  Compensation other = new_one(1);
  other.attempt = 2;
  EXPECT_CODE(store.append({events::compensation_registered(kOne, other)}), Code::kStale);
  ASSERT_OK(store.append({events::nothing(kOne, "")}));
  EXPECT_CODE(store.append({events::compensation_registered(kOne, new_one(1))}), Code::kStale);
}

TEST(Compensations, OfWhatChangedNothingAreOwed) {
  TempStore place;
  Store store = place.open();
  open_txn(store);
  ASSERT_OK(store.append({events::compensation_registered(kOne, new_one(1))}));
  ASSERT_OK(store.append({events::nothing(kOne, "")}));
  EXPECT_EQ(owing_compensation(store)->size(), 1u);
  ASSERT_OK(store.append({events::compensation_started(kOne, 1, 1)}));
  ASSERT_OK(store.append({events::compensation_ended(kOne, {1, 1, 0, false, {}})}));
  EXPECT_TRUE(owing_compensation(store)->empty());
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

// The log of a transaction that landed cannot hold a compensation of it.
TEST(Compensations, OfWhatLandedCannotBeStarted) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::outside_move(kMain, Oid(), oid(1), "start")}));
  std::vector<NewEvent> until = until_prepared("t-1", oid(1), oid(9));
  until.insert(until.begin() + 2, events::compensation_registered(kOne, new_one(1)));
  ASSERT_OK(store.append(until));
  PreparedLanding landing = new_landing("t-1", oid(1), oid(2));
  landing.seq = store.append({landing_event(landing)}).value();
  ASSERT_OK(store.append({events::transaction_landed(landing)}));
  EXPECT_CODE(store.append({events::compensation_started(kOne, 1, 1)}), Code::kStale);
  EXPECT_TRUE(owing_compensation(store)->empty());
}

}  // namespace
}  // namespace gittxn::store
