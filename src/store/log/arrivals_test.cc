// Whoever waits for events is told when they are there: by the folder of a file, or by the server.
#include "store/log/arrivals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "store/events.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Arrivals, EndAWaitWithTheEventsThatAreThere) {
  TempStore place;
  const Store store = place.open();
  SystemClock clock;
  const auto arrivals = Arrivals::of(store, clock);
  ASSERT_OK(arrivals);
  std::thread writer([&place] {
    Store other = place.open();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_OK(other.append({events::durable_head(kMain, oid(1))}));
  });
  // A wait may end for nothing, and the first ones before the writer is there.
  for (int i = 0; i < 100 && store.head().value() == 0; ++i) ASSERT_OK((*arrivals)->wait());
  writer.join();
  EXPECT_EQ(store.head().value(), 1);
}

TEST(Arrivals, OfAServerEndByTheNoteAndNotByTheTime) {
  TempStore place;
  if (!place.on_server()) GTEST_SKIP() << "of a store on a server alone";
  const Store store = place.open();
  SystemClock clock;
  const auto arrivals = Arrivals::of(store, clock);
  ASSERT_OK(arrivals);
  Store other = place.open();
  // Twenty waits that nobody tells would take twenty seconds.
  const std::int64_t begun = clock.monotonic_ns();
  for (int i = 1; i <= 20; ++i) {
    ASSERT_OK(other.append({events::slot_reserved()}));
    ASSERT_OK((*arrivals)->wait());
    EXPECT_EQ(store.head().value(), i);
  }
  EXPECT_LT(clock.monotonic_ns() - begun, 15'000'000'000);
}

}  // namespace
}  // namespace gittxn::store
