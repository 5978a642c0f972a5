// Events come out as they went in, however the two threads run, and never more wait than may.
#include "capture/trace/bpf/backlog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/random.h"

namespace gittxn::capture {
namespace {

TEST(Backlog, KeepsEveryEventAndTheirOrder) {
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  std::vector<std::string> events(5000);
  for (std::string& event : events)
    event.assign(random.below(300), static_cast<char>(random.next()));
  Backlog backlog(/*most_bytes=*/4096, /*batch_bytes=*/512);
  std::vector<std::string> got;
  std::thread taker([&] {
    while (backlog.take([&](std::string_view event) { got.emplace_back(event); })) continue;
  });
  for (std::size_t i = 0; i < events.size(); ++i) {
    backlog.put(events[i]);
    if (i % 97 == 0) backlog.flush();
  }
  backlog.close();
  taker.join();
  EXPECT_EQ(got, events);
}

TEST(Backlog, WhoPutsWaitsWhileTooMuchWaits) {
  Backlog backlog(/*most_bytes=*/64, /*batch_bytes=*/32);
  std::atomic<int> done = 0;
  std::thread putter([&] {
    for (int i = 0; i < 16; ++i) {
      backlog.put(std::string(28, 'x'));
      ++done;
    }
    backlog.close();
  });
  // Two fill it. The third waits, however long nobody takes; the looks are chances to run on.
  while (done < 2) std::this_thread::yield();
  for (int look = 0; look < 20'000; ++look) {
    if (done != 2) break;
    std::this_thread::yield();
  }
  EXPECT_EQ(done, 2);
  std::size_t got = 0;
  while (backlog.take([&](std::string_view) { ++got; })) continue;
  putter.join();
  EXPECT_EQ(got, 16u);
}

}  // namespace
}  // namespace gittxn::capture
