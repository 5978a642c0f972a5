#include "store/sentinels.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/bug.h"
#include "store/testing/check.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

bool passes(Store& store, const TempStore& place, const std::string& name, std::int64_t every_ms) {
  const auto answer = pass_sentinel(store, place.clock, name, every_ms);
  EXPECT_TRUE(answer.has_value()) << told(answer);
  return answer && answer->passing == Passing::kPassed;
}

TEST(Sentinels, LetOneThroughInAnInterval) {
  TempStore place;
  Store store = place.open();
  EXPECT_TRUE(passes(store, place, "n", kMinute));
  EXPECT_FALSE(passes(store, place, "n", kMinute));
  EXPECT_TRUE(passes(store, place, "m\xff", kMinute)) << "names are told apart";
  place.clock.advance(kMinute - 1);
  const auto answer = pass_sentinel(store, place.clock, "n", kMinute);
  ASSERT_OK(answer);
  EXPECT_EQ(answer->passing, Passing::kThrottled);
  EXPECT_EQ(answer->left_ms, 1);
  place.clock.advance(1);
  EXPECT_TRUE(passes(store, place, "n", kMinute));
  EXPECT_FALSE(passes(store, place, "n", kMinute));
  EXPECT_EQ(store.head().value(), 0) << "no events";
}

TEST(Sentinels, PruneThemselves) {
  TempStore place;
  Store store = place.open();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(passes(store, place, std::to_string(i), kMinute));
  EXPECT_TRUE(passes(store, place, "long", kDay));
  EXPECT_EQ(sentinels(store)->size(), 21u);
  place.clock.advance(kMinute);
  EXPECT_TRUE(passes(store, place, "3", kMinute));
  const auto left = sentinels(store).value();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].name, "3");
  EXPECT_EQ(left[1].name, "long");
}

TEST(Sentinels, AreResetByName) {
  TempStore place;
  Store store = place.open();
  EXPECT_TRUE(passes(store, place, "n", kDay));
  EXPECT_TRUE(reset_sentinel(store, "n").value());
  EXPECT_FALSE(reset_sentinel(store, "n").value());
  EXPECT_TRUE(passes(store, place, "n", kDay));
}

TEST(F12, AWallClockThatJumpsLetsNothingThroughAndHoldsNothingUp) {
  for (const std::int64_t jump : {kDay, -kDay}) {
    TempStore place;
    Store store = place.open();
    EXPECT_TRUE(passes(store, place, "n", 10 * kMinute));
    place.clock.wall += jump;
    EXPECT_FALSE(passes(store, place, "n", 10 * kMinute)) << jump;
    place.clock.advance(10 * kMinute);
    EXPECT_TRUE(passes(store, place, "n", 10 * kMinute)) << jump;
  }
}

TEST(F12, AcrossARebootAnIntervalIsNeverShorter) {
  for (const std::int64_t jump : {kDay, -kDay}) {
    TempStore place;
    Store store = place.open();
    EXPECT_TRUE(passes(store, place, "n", 10 * kMinute));
    place.clock.id = "boot-2";
    place.clock.boot = 1000;
    place.clock.wall += jump;
    Store again = place.open();
    const auto denied = pass_sentinel(again, place.clock, "n", 10 * kMinute);
    ASSERT_OK(denied);
    EXPECT_EQ(denied->passing, Passing::kThrottled) << jump;
    EXPECT_EQ(sentinels(again)->at(0).left_ms, denied->left_ms) << "the list says the same";
    const auto other = pass_sentinel(again, place.clock, "other", 1);
    ASSERT_OK(other);
    EXPECT_EQ(sentinels(again)->size(), 2u) << "nor is it pruned";
    place.clock.advance(kDay + 10 * kMinute);
    EXPECT_TRUE(passes(again, place, "n", 10 * kMinute)) << jump;
  }
}

// How many of eight processes that ask at once, for each of these names, are let through.
int let_through(int rounds) {
  TempStore place;
  EXPECT_TRUE(Store(place.open()).now_ms().has_value());
  constexpr int kProcesses = 8;
  std::array<int, 2> ready{};  // a byte of each that has opened the store
  std::array<int, 2> go{};     // closed when all may begin
  EXPECT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
  EXPECT_EQ(::pipe2(go.data(), O_CLOEXEC), 0);
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(go[1]);
      Store store = place.open();
      char byte = 0;
      if (::write(ready[1], &byte, 1) != 1 || ::read(go[0], &byte, 1) != 0) ::_exit(255);
      int passed = 0;
      for (int round = 0; round < rounds; ++round) {
        passed += passes(store, place, std::to_string(round), kDay) ? 1 : 0;
      }
      ::_exit(passed);
    }
    children.push_back(pid);
  }
  ::close(ready[1]);
  for (int child = 0; child < kProcesses; ++child) {
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  }
  for (const int fd : {go[1], go[0], ready[0]}) ::close(fd);
  int total = 0;
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    total += WEXITSTATUS(status);
  }
  return total;
}

TEST(Sentinels, OfManyAtOnceOneIsLetThrough) {
  EXPECT_EQ(let_through(12), 12);
}

#ifdef GIT_TXN_BUGS
TEST(Sentinels, LookedAtAndThenWrittenTwoAreLetThrough) {
  constexpr int kRounds = 12;
  constexpr int kTries = 20;  // two have to look at the same moment
  arm_bug("store.sentinel_in_steps");
  bool noticed = false;
  for (int i = 0; i < kTries && !noticed; ++i) noticed = let_through(kRounds) > kRounds;
  arm_bug("");
  EXPECT_TRUE(noticed);
}
#endif

}  // namespace
}  // namespace gittxn::store
