// Leases on a store: who has one, who waits, and what is refused.
#include "store/work/leases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "store/events.h"
#include "store/log/pruning.h"
#include "store/testing/check.h"
#include "store/testing/leases.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"
#include "store/work/lease_moves.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Leases, AreHadReleasedAndHadAgain) {
  TempStore place;
  Store store = place.open();
  const Lease first = had(store, wants("ann", "src")).lease;
  EXPECT_TRUE(kept_off(store, wants("bob", "src/api")));
  EXPECT_EQ(store.head().value(), first.number) << "who goes away writes nothing";
  EXPECT_EQ(*lease(store, first.id).value(), first);
  had(store, wants("bob", "docs"));
  ASSERT_OK(release_lease(store, first.id, "ann", "done"));
  const Lease second = had(store, wants("bob", "src/api")).lease;
  EXPECT_GT(second.fence, first.fence) << "a fence rises with every holder";
  EXPECT_TRUE(kept_off(store, wants("bob", "src"))) << "one's own excludes like any other";
  expect_sound(store);
}

// What is said of one that is lost, and of who has it now, is not to contradict itself; the line to
// type works.
TEST(Leases, OneThatWasLostSaysWhatBecameOfItAndTheWholeNextStep) {
  TempStore place;
  Store store = place.open();
  const Lease lost = had(store, wants("ann", "a folder", kMinute)).lease;
  place.clock.advance(2 * kMinute);
  const Lease next = had(store, wants("bob", "a folder")).lease;
  const auto held = renew_lease(store, lost.id, "ann", {});
  EXPECT_CODE(held, Code::kStale);
  EXPECT_EQ(held.error().message, fmt::format("{} on a folder is lost: its time is over; {} came "
                                              "after it",
                                              lost.id, next.id));
  EXPECT_TRUE(held.error().hint.starts_with("bob has a folder now")) << held.error().hint;
  ASSERT_OK(release_lease(store, next.id, "bob", ""));
  const auto free = renew_lease(store, lost.id, "ann", {});
  EXPECT_CODE(free, Code::kStale);
  EXPECT_EQ(free.error().hint,
            "nobody has it now; ask for it anew with: git txn lease acquire 'a folder'");
}

TEST(Leases, OneWhoseEventsWerePrunedIsLostAndNotUnknown) {
  TempStore place;
  Store store = place.open();
  const Lease lost = had(store, wants("ann", "src", kMinute)).lease;
  place.clock.advance(2 * kMinute);
  had(store, wants("bob", "src"));  // its own end is in the log before this
  const auto lost_after_pruning = [&](Seq before) {
    const auto pruned = prune(store, {.before = before, .older_than_ms = {}, .actor = "ann"});
    ASSERT_OK(pruned);
    ASSERT_EQ(pruned->last, before - 1);
    const Status released = release_lease(store, lost.id, "ann", "");
    EXPECT_CODE(released, Code::kStale);
    EXPECT_NE(released.error().message.find("have been pruned"), std::string::npos)
        << released.error().message;
  };
  lost_after_pruning(lost.number + 1);  // how it began
  lost_after_pruning(lost.number + 2);  // all of it
  EXPECT_CODE(release_lease(store, "l-999", "ann", ""), Code::kNotFound);
}

TEST(Leases, SharedOnesAreHadTogether) {
  TempStore place;
  Store store = place.open();
  had(store, shared(wants("ann", "src/*.cc")));
  had(store, shared(wants("bob", "src")));
  EXPECT_TRUE(kept_off(store, wants("cid", "src/a.cc")));
  had(store, wants("cid", "doc"));
  expect_sound(store);
}

TEST(Leases, SeveralSubjectsAreHadTogetherOrNotAtAll) {
  TempStore place;
  Store store = place.open();
  LeaseAsk both = wants("ann", "a");
  both.subjects.push_back(parse_lease_subject("b").value());
  had(store, wants("bob", "b"));
  EXPECT_TRUE(kept_off(store, both));
  had(store, wants("cid", "a"));
}

TEST(Leases, BadAsksAreRefusedAndWriteNothing) {
  TempStore place;
  Store store = place.open();
  const std::int64_t odd[] = {0, -1, kMaxLeaseMs + 1, INT64_MIN, INT64_MAX};
  for (const std::int64_t ttl : odd) {
    EXPECT_CODE(ask_lease(store, wants("ann", "a", ttl), Line::kQueue), Code::kUsage);
    EXPECT_CODE(renew_lease(store, "l-1", "ann", ttl), Code::kUsage);
  }
  EXPECT_CODE(ask_lease(store, wants("", "a"), Line::kQueue), Code::kUsage);
  EXPECT_CODE(ask_lease(store, LeaseAsk{.owner = "ann", .ttl_ms = 1}, Line::kQueue), Code::kUsage);
  for (const char* id : {"l-1", "", "l-", "l-99999999999999999999", "x", "'; DROP TABLE leases"}) {
    EXPECT_CODE(renew_lease(store, id, "ann", {}), Code::kNotFound);
    EXPECT_CODE(release_lease(store, id, "ann", ""), Code::kNotFound);
    EXPECT_CODE(transfer_lease(store, id, "ann", "bob"), Code::kNotFound);
  }
  EXPECT_EQ(store.head().value(), 0);
  const auto long_one = ask_lease(store, wants("ann", "a", 8 * kDay), Line::kQueue);
  EXPECT_EQ(long_one.error().message, "a lease cannot last 8 d");
  EXPECT_EQ(long_one.error().hint, "from 1 ms to 7 d");
  const Lease held = had(store, wants("ann", "a")).lease;
  EXPECT_CODE(release_lease(store, held.id, "bob", ""), Code::kRefused);
  EXPECT_CODE(renew_lease(store, held.id, "bob", {}), Code::kRefused);
  EXPECT_CODE(transfer_lease(store, held.id, "bob", "bob"), Code::kRefused);
  EXPECT_CODE(transfer_lease(store, held.id, "ann", ""), Code::kUsage);
}

TEST(Leases, ATransferMakesANewFenceAndAnotherOwner) {
  TempStore place;
  Store store = place.open();
  const LeaseAnswer mine = had(store, attached(wants("ann", "a")));
  const Lease given = transfer_lease(store, mine.lease.id, "ann", "bob").value();
  EXPECT_GT(given.fence, mine.lease.fence);
  EXPECT_EQ(given.slot, 0) << "that the first one lives says nothing of the second";
  EXPECT_EQ(*lease(store, given.id).value(), given);
  EXPECT_CODE(renew_lease(store, given.id, "ann", {}), Code::kRefused);
  ASSERT_OK(renew_lease(store, given.id, "bob", {}));
  expect_sound(store);
}

TEST(Leases, WhoActsUnderAnOldFenceIsRefusedThoughItIsTheSameOwnersAgain) {
  TempStore place;
  Store store = place.open();
  const Lease mine = had(store, wants("ann", "a")).lease;
  ASSERT_OK(renew_lease(store, mine.id, "ann", {}, mine.fence));
  const Lease lent = transfer_lease(store, mine.id, "ann", "bob", mine.fence).value();
  const Lease back = transfer_lease(store, mine.id, "bob", "ann", lent.fence).value();
  EXPECT_CODE(renew_lease(store, mine.id, "ann", {}, mine.fence), Code::kStale);
  EXPECT_CODE(transfer_lease(store, mine.id, "ann", "eve", mine.fence), Code::kStale);
  EXPECT_CODE(release_lease(store, mine.id, "ann", "", mine.fence), Code::kStale);
  EXPECT_EQ(*lease(store, mine.id).value(), back) << "nothing was changed";
#ifdef GIT_TXN_BUGS
  arm_bug("leases.any_fence");
  ASSERT_OK(renew_lease(store, mine.id, "ann", {}, mine.fence));  // the test would notice it
  arm_bug("");
#endif
  ASSERT_OK(renew_lease(store, mine.id, "ann", {}, back.fence));
  ASSERT_OK(release_lease(store, mine.id, "ann", "", back.fence));
  expect_sound(store);
}

TEST(Leases, TheLineIsFirstComeFirstServed) {
  TempStore place;
  Store store = place.open();
  const Lease held = had(store, shared(wants("ann", "src"))).lease;
  LeaseAsk bob_asks = wants("bob", "src");
  LeaseAnswer bob = ask_lease(store, bob_asks, Line::kQueue).value();
  EXPECT_FALSE(bob.lease.held);
  EXPECT_TRUE(kept_off(store, shared(wants("cid", "src")))) << "no shared one overtakes bob";
  LeaseAsk cid_asks = shared(wants("cid", "src/api"));
  LeaseAnswer cid = ask_lease(store, cid_asks, Line::kQueue).value();
  had(store, wants("dan", "docs"));  // what nobody wants does not wait
  ASSERT_OK(try_lease(store, cid_asks, cid));
  EXPECT_FALSE(cid.lease.held);
  ASSERT_OK(release_lease(store, held.id, "ann", ""));
  ASSERT_OK(try_lease(store, cid_asks, cid));
  EXPECT_FALSE(cid.lease.held) << "it is bob's turn";
  ASSERT_OK(try_lease(store, bob_asks, bob));
  EXPECT_TRUE(bob.lease.held);
  EXPECT_EQ(bob.lease.slot, 0) << "a detached one, once it is had";
  EXPECT_EQ(*lease(store, bob.lease.id).value(), bob.lease);
  ASSERT_OK(release_lease(store, bob.lease.id, "bob", ""));
  ASSERT_OK(try_lease(store, cid_asks, cid));
  EXPECT_TRUE(cid.lease.held);
  expect_sound(store);
}

TEST(Leases, WhoDiesInLineIsPassedOver) {
  TempStore place;
  Store store = place.open();
  const Lease held = had(store, wants("ann", "src")).lease;
  LeaseAnswer bob = ask_lease(store, wants("bob", "src"), Line::kQueue).value();
  LeaseAsk cid_asks = wants("cid", "src");
  LeaseAnswer cid = ask_lease(store, cid_asks, Line::kQueue).value();
  bob.alive.release();
  ASSERT_OK(release_lease(store, held.id, "ann", ""));
  ASSERT_OK(try_lease(store, cid_asks, cid));
  EXPECT_TRUE(cid.lease.held);
  EXPECT_FALSE(lease(store, bob.lease.id).value()) << "and is tidied up";
  expect_sound(store);
}

TEST(Leases, OneOfATransactionEndsWithIt) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  LeaseAsk ask = wants("t-1", "src");
  ask.txn = TxnId("t-1");
  had(store, ask);
  EXPECT_TRUE(kept_off(store, wants("bob", "src")));
  ASSERT_OK(store.append({events::nothing(TxnId("t-1"), "")}));
  had(store, wants("bob", "src"));
  expect_sound(store);
}

// What is refused is the event itself, whoever appends it and whatever they looked at before.
TEST(Leases, TheLogTakesNoTwoThatExcludeEachOther) {
  TempStore place;
  Store store = place.open();
  const Lease held = had(store, wants("ann", "src")).lease;
  Lease second = held;
  second.number = held.number + 1;
  second.id = fmt::format("l-{}", second.number);
  second.owner = "bob";
  EXPECT_CODE(store.append({events::lease_acquired(second)}), Code::kStale);
  second.subjects = {parse_lease_subject("s*c/**").value()};
  EXPECT_CODE(store.append({events::lease_acquired(second)}), Code::kStale);
  second.subjects = {parse_lease_subject("docs").value()};
  second.number += 5;
  EXPECT_CODE(store.append({events::lease_acquired(second)}), Code::kCorrupt);
  EXPECT_CODE(store.append({events::lease_released(second, "")}), Code::kStale);
  EXPECT_EQ(store.head().value(), held.number);
}

TEST(Leases, EachEventIsToldInWords) {
  TempStore place;
  Store store = place.open();
  const LeaseAsk late = wants("bob", "src");
  const Lease held = had(store, wants("ann", "src")).lease;
  const LeaseAnswer bob = ask_lease(store, late, Line::kQueue).value();
  ASSERT_OK(renew_lease(store, held.id, "ann", kMinute));
  ASSERT_OK(transfer_lease(store, held.id, "ann", "eve"));
  place.clock.advance(2 * kMinute);
  had(store, wants("cid", "docs"));
  ASSERT_OK(release_lease(store, bob.lease.id, "bob", "tired"));
  std::string all;
  const std::vector<Event> log = store.events(1, 0).value();
  for (const Event& event : log) all += events::describe(event) + "\n";
  EXPECT_EQ(all,
            "ann has src: exclusive, advisory\nbob waits for src\nrenewed for 60000 ms\n"
            "from ann to eve\nover: its time is over\ncid has docs: exclusive, advisory\n"
            "released: tired\n");
}

}  // namespace
}  // namespace gittxn::store
