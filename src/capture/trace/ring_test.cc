// The ring between a writer and the monitor, with the writer of the library itself: nothing is
// lost, nobody waits, and what no writer would have written is damage.
#include "capture/trace/ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "capture/trace/preload/writer.h"

namespace gittxn::capture {
namespace {

using ring::Look;
using ring::Slot;
using ring::Tag;

class RingTest : public ::testing::Test {
 protected:
  RingTest() {
    auto made = Ring::create();
    EXPECT_TRUE(made.has_value());
    ring = *std::move(made);
    shared = ring->shared_for_test();
    ring->greets(ring::greeting(ring->config().secret, kNumber), ::getpid());
  }
  static void fill(Slot* slot, const std::string& path) {
    slot->process = kNumber;
    slot->flags = 0;
    slot->look = Look::kOpen;
    slot->nofollow = 0;
    slot->length = static_cast<std::uint16_t>(path.size());
    std::memcpy(slot->path, path.data(), path.size());
  }
  // False: its call would be notified.
  bool write(const std::string& path, std::uint32_t error = 0) {
    std::uint64_t at = 0;
    Slot* slot = preload::claim(shared, &at);
    if (slot == nullptr) return false;
    fill(slot, path);
    if (!preload::publish(slot, at)) return false;
    preload::complete(slot, at, error, 0100644);
    return true;
  }
  Status drain() {
    return ring->drain(ring->mark(), [this](Record record) { got.push_back(std::move(record)); });
  }

  static constexpr std::uint32_t kNumber = 7;
  std::unique_ptr<Ring> ring;
  ring::Shared* shared = nullptr;
  std::vector<Record> got;
};

TEST_F(RingTest, GivesWhatWasWrittenInOrder) {
  ASSERT_TRUE(write("/a"));
  ASSERT_TRUE(write("/b", ENOENT));
  ASSERT_TRUE(drain());
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].path, "/a");
  EXPECT_EQ(got[0].pid, ::getpid());
  EXPECT_EQ(got[0].op, Op::kOpenRead);
  EXPECT_EQ(got[0].mode, 0100644u);
  EXPECT_FALSE(got[0].assumed);
  EXPECT_EQ(got[1].result, -ENOENT);
  ASSERT_TRUE(drain());
  EXPECT_EQ(got.size(), 2u) << "once";
}

TEST_F(RingTest, AFullRingTakesNothingAndLosesNothing) {
  std::uint64_t refused = 0;
  std::set<std::string> written;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 2 * ring::kSlots; ++i) {
      const std::string path = "/" + std::to_string(round) + "-" + std::to_string(i);
      if (write(path))
        written.insert(path);
      else
        ++refused;
    }
    ASSERT_TRUE(drain());
  }
  constexpr std::uint32_t kWakes = ring::kSlots / ring::kWakeEvery;
  EXPECT_EQ(written.size(), 3u * (ring::kSlots - kWakes)) << "each slot once between two drains";
  EXPECT_EQ(refused, 3u * (ring::kSlots + kWakes));
  std::set<std::string> seen;
  for (const Record& record : got) seen.insert(record.path);
  EXPECT_EQ(seen, written);
}

TEST_F(RingTest, AnUnfinishedCallIsTakenAsAssumed) {
  std::uint64_t at = 0;
  Slot* slot = preload::claim(shared, &at);
  ASSERT_NE(slot, nullptr);
  fill(slot, "/fifo");
  ASSERT_TRUE(preload::publish(slot, at));
  ASSERT_TRUE(write("/after"));
  ASSERT_TRUE(drain());
  ASSERT_EQ(got.size(), 2u);
  EXPECT_TRUE(got[0].assumed);
  EXPECT_FALSE(got[0].predicted);
  EXPECT_EQ(got[1].path, "/after");
  const std::uint64_t before = slot->state;
  preload::complete(slot, at, 0, 0);  // too late: the slot is somebody else's
  EXPECT_EQ(slot->state, before);
}

TEST_F(RingTest, AWriterThatStopsHalfwayMakesItsCallOutside) {
  std::uint64_t at = 0;
  Slot* slot = preload::claim(shared, &at);
  ASSERT_NE(slot, nullptr);
  ASSERT_TRUE(write("/other"));
  ASSERT_TRUE(drain());
  ASSERT_EQ(got.size(), 1u);
  // The others go round the ring; nobody is given the slot that it may still write to.
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < ring::kSlots; ++i) write("/x" + std::to_string(i));
    ASSERT_TRUE(drain());
  }
  EXPECT_EQ(ring::tag_of(slot->state), Tag::kRevoked);
  fill(slot, "/late");
  EXPECT_FALSE(preload::publish(slot, at));
  EXPECT_EQ(ring::tag_of(slot->state), Tag::kReleased);
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < ring::kSlots; ++i) write("/y");
    ASSERT_TRUE(drain());
  }
  EXPECT_EQ(ring::tag_of(slot->state), Tag::kFree) << "used again";
  for (const Record& record : got) EXPECT_NE(record.path, "/late");
}

TEST_F(RingTest, APositionThatIsPassedIsNobodysAnyMore) {
  // Given out, and its writer did not come to claim the slot before the monitor looked.
  const std::uint64_t at = __atomic_fetch_add(&shared->header.tail, 1, __ATOMIC_SEQ_CST);
  ASSERT_TRUE(drain());
  Slot* slot = &shared->slots[at % ring::kSlots];
  EXPECT_FALSE(
      preload::swap(&slot->state, ring::word(Tag::kFree, at), ring::word(Tag::kClaimed, at)));
}

// Writes until it is killed, and says through the pipe which entries are complete. Where there is
// no place it says so too, as the call it would then make outside, so that it cannot run ahead.
class Writer {
 public:
  template <typename Write>
  Writer(int told, const Write& write) : pid_(::fork()) {
    if (pid_ != 0) return;
    for (int i = 0;; ++i) {
      const int number = write(i) ? i : kNoPlace;
      if (::write(told, &number, sizeof number) != sizeof number) ::_exit(1);
    }
  }
  ~Writer() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  static constexpr int kNoPlace = -1;

 private:
  pid_t pid_;
};

TEST_F(RingTest, KilledWritersLoseNoRecord) {
  // Processes are killed wherever they are, and what they said they had completed is there.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd heard(ends[0]), told(ends[1]);
  for (int round = 0; round < 20; ++round) {
    const auto name = [round](int i) {
      return "/" + std::to_string(round) + "-" + std::to_string(i);
    };
    Writer writer(told.get(), [&](int i) { return write(name(i)); });
    std::vector<int> said;
    const auto hear = [&] {
      int number = 0;
      if (::read(heard.get(), &number, sizeof number) != sizeof number) return false;
      if (number != Writer::kNoPlace) said.push_back(number);
      return true;
    };
    for (int i = 0; i < 200 + 37 * round; ++i) {
      ASSERT_TRUE(hear());
      if (i % 64 == 0) {
        ASSERT_TRUE(drain());
      }
    }
    writer.kill();
    ASSERT_TRUE(drain());
    const int flags = ::fcntl(heard.get(), F_GETFL);
    ::fcntl(heard.get(), F_SETFL, flags | O_NONBLOCK);
    while (hear()) continue;
    ::fcntl(heard.get(), F_SETFL, flags);
    std::set<std::string> seen;
    for (const Record& record : got) seen.insert(record.path);
    for (const int number : said) EXPECT_TRUE(seen.contains(name(number))) << name(number);
  }
}

TEST_F(RingTest, ManyWritersAtOnce) {
  constexpr int kWriters = 4, kEach = 20'000;
  std::vector<std::thread> writers;
  std::atomic<int> done{0};
  std::vector<std::vector<std::string>> written(kWriters);
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kEach; ++i) {
        const std::string path = "/" + std::to_string(w) + "/" + std::to_string(i);
        if (write(path)) written[static_cast<std::size_t>(w)].push_back(path);
      }
      ++done;
    });
  }
  while (done < kWriters) ASSERT_TRUE(drain());
  for (std::thread& writer : writers) writer.join();
  ASSERT_TRUE(drain());
  std::vector<std::vector<std::string>> seen(kWriters);
  for (const Record& record : got) {
    seen.at(static_cast<std::size_t>(record.path.at(1) - '0')).push_back(record.path);
  }
  EXPECT_EQ(seen, written) << "all of each, in its order";
}

TEST_F(RingTest, WhatNoWriterWritesIsDamage) {
  const std::vector<std::function<void(Slot*)>> damages = {
      [](Slot* slot) { slot->state = 0; },
      [](Slot* slot) { slot->state = ring::word(Tag::kFree, 99); },
      [](Slot* slot) { slot->state = ring::done_word(12'345, 0, 0); },
      [](Slot* slot) { slot->state |= 15; },
      [](Slot* slot) { slot->process = 8; },
      [](Slot* slot) { slot->length = 0; },
      [](Slot* slot) { slot->length = 60'000; },
      [](Slot* slot) { slot->length = 100; },
      [](Slot* slot) { slot->path[0] = 'r'; },
      [](Slot* slot) { slot->path[1] = '\0'; },
      [](Slot* slot) { slot->look = static_cast<Look>(9); },
      [](Slot* slot) { slot->look = static_cast<Look>(0); },
      [](Slot* slot) { slot->nofollow = 2; },
      [](Slot* slot) { slot->flags = 0101; },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    auto fresh = Ring::create();
    ASSERT_TRUE(fresh);
    ring = *std::move(fresh);
    shared = ring->shared_for_test();
    ring->greets(ring::greeting(ring->config().secret, kNumber), ::getpid());
    ASSERT_TRUE(write("/good"));
    ASSERT_TRUE(write("/victim"));
    damages[i](&shared->slots[1]);
    got.clear();
    const Status drained = drain();
    ASSERT_FALSE(drained) << i;
    EXPECT_EQ(drained.error().code, Code::kCorrupt) << i;
    EXPECT_EQ(got.size(), 1u) << "what came before is good";
    EXPECT_NE(shared->header.closed, 0u) << "the library is told to stop";
  }
  shared->header.tail = 1ull << 60;
  EXPECT_FALSE(drain());
}

TEST_F(RingTest, RandomBytesDoNoHarm) {
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    auto fresh = Ring::create();
    ASSERT_TRUE(fresh);
    ring = *std::move(fresh);
    shared = ring->shared_for_test();
    ring->greets(ring::greeting(ring->config().secret, kNumber), ::getpid());
    for (int i = 0; i < 8; ++i) write("/path" + std::to_string(i));
    auto* bytes = reinterpret_cast<unsigned char*>(shared->slots);
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
      bytes[random.below(8 * sizeof(Slot))] = static_cast<unsigned char>(random.next());
    }
    got.clear();
    const Status drained = drain();
    if (drained) continue;
    EXPECT_EQ(drained.error().code, Code::kCorrupt);
  }
}

TEST_F(RingTest, AProcessOfAnotherProgramHasAnotherNumber) {
  ASSERT_TRUE(write("/old"));
  ring->greets(ring::greeting(ring->config().secret, kNumber + 1), ::getpid());
  ASSERT_TRUE(drain()) << "what the old one wrote is still its own";
  ASSERT_EQ(got.size(), 1u);
  ASSERT_TRUE(write("/forged"));
  EXPECT_FALSE(drain()) << "a number that was left";
}

TEST_F(RingTest, WhatAProgramLeftInTheRegisterIsNobodysNumber) {
  const std::uint64_t secret = ring->config().secret;
  const pid_t other = ::getppid();
  ring->greets(ring::greeting(secret, kNumber), other);  // forked, and calls before it is numbered
  ring->greets(ring::greeting(secret, kNumber + 1), other);
  ring->greets(ring::greeting(secret, kNumber), other);
  ring->greets(ring::greeting(secret, 0), ::getpid());  // a program that uses its lowest byte
  ring->greets(ring::greeting(secret, kNumber - 1), ::getpid());
  ring->greets(ring::greeting(secret, kNumber + 1), ::getpid());
  ASSERT_TRUE(write("/mine"));
  ASSERT_TRUE(drain());
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].pid, ::getpid());
}

}  // namespace
}  // namespace gittxn::capture
