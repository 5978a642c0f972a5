// The queue for a branch, and the slots of whoever waits.
#include <gtest/gtest.h>

#include <set>

#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Store, TicketsWaitInOrder) {
  TempStore place;
  Store store = place.open();
  std::vector<Ticket> taken;
  for (const char* id : {"t-1", "t-2", "t-3"}) {
    Ticket ticket{store.next_slot().value(), kMain, TxnId(id), 2, "Zo\xeb"};
    ASSERT_OK(store.append({events::ticket_taken(ticket)}));
    taken.push_back(ticket);
  }
  EXPECT_LT(taken[0].number, taken[1].number);
  const auto waiting = store.tickets(kMain).value();
  ASSERT_EQ(waiting.size(), 3u);
  EXPECT_EQ(waiting[0].txn, TxnId("t-1"));
  EXPECT_EQ(waiting[0].owner, "Zo\xeb");
  EXPECT_EQ(waiting[0].priority, 2);
  EXPECT_TRUE(store.tickets(RefName("refs/heads/other"))->empty());
  ASSERT_OK(store.append({events::ticket_done(taken[1], "landed")}));
  ASSERT_OK(store.append({events::ticket_done(taken[1], "its owner died")}));  // told twice
  EXPECT_EQ(store.tickets(kMain)->size(), 2u);
  Ticket unknown = taken[0];
  unknown.number = 999;
  EXPECT_CODE(store.append({events::ticket_done(unknown, "")}), Code::kStale);
}

TEST(Store, SlotsAreNeverGivenTwice) {
  TempStore place;
  std::set<std::int64_t> slots;
  for (int round = 0; round < 3; ++round) {
    Store store = place.open();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(slots.insert(store.next_slot().value()).second);
  }
  EXPECT_EQ(slots.size(), 15u);
}

}  // namespace
}  // namespace gittxn::store
