// The small parts: clock, random, errors, failpoints.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <future>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/heap.h"
#include "base/random.h"
#include "base/result.h"
#include "base/testing/campaign.h"
#include "base/threads.h"

namespace gittxn {
namespace {

FAILPOINT(fp_one, "test.one");
FAILPOINT(fp_two, "test.two");

TEST(Clock, FormatsUtc) {
  EXPECT_EQ(format_utc(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_utc(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_utc(1795258945042), "2026-11-21T11:02:25.042Z");
}

TEST(Clock, GoesForward) {
  SystemClock clock;
  const std::int64_t mono_ns = clock.monotonic_ns();
  const std::int64_t boot_ms = clock.boot_ms();
  clock.sleep_ms(5);
  EXPECT_GE(clock.monotonic_ns() - mono_ns, 5'000'000);
  EXPECT_GE(clock.boot_ms() - boot_ms, 4);
  EXPECT_GT(clock.wall_ms(), 1'600'000'000'000);
  EXPECT_EQ(clock.boot_id().size(), 36u);
  EXPECT_EQ(clock.boot_id(), clock.boot_id());
}

TEST(Random, IsReplayedFromItsSeed) {
  Random a(5), b(5), c(6);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), c.next());
  EXPECT_EQ(a.below(0), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LT(a.below(3), 3u);
  std::set<std::string> names;
  Random fresh;
  for (int i = 0; i < 100; ++i) names.insert(fresh.name(8));
  EXPECT_EQ(names.size(), 100u);
  EXPECT_EQ(fresh.name(2000).find_first_of("01loi"), std::string::npos);
}

TEST(Errors, GatherContextOutermostFirst) {
  const auto inner = [] { return Status(fail(Code::kStale, "ref moved")); };
  const auto outer = [&]() -> Status {
    TRY_IN("writing ref", inner());
    return {};
  };
  const auto top = [&]() -> Result<int> {
    TRY_IN("landing t-1", outer());
    return 1;
  };
  const auto result = top();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kStale);
  EXPECT_EQ(result.error().message, "ref moved");
  EXPECT_EQ(result.error().where, "landing t-1: writing ref");
  EXPECT_EQ(fail_errno(ENOENT, "x").error().code, Code::kNotFound);
  EXPECT_FALSE(fail_errno(ENOSPC, "x").error().hint.empty());
}

TEST(Failpoints, AreEnumeratedAndOffUntilArmed) {
  const auto names = Failpoint::names();
  EXPECT_TRUE(std::find(names.begin(), names.end(), "test.one") != names.end());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_TRUE(fp_two.hit());
}

TEST(Failpoints, RefuseUnknownNamesAndActions) {
  for (const char* spec : {"", "test.none", "test.one=", "test.one=0", "test.one=-1", "test.one=2x",
                           "test.one=kill"}) {
    EXPECT_EQ(Failpoint::arm(spec).error().code, Code::kUsage) << spec;
  }
}

// What arm() does to the process that hits the point twice: its wait status.
int status_of(const char* spec) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!Failpoint::arm(spec)) ::_exit(9);
    const bool first = fp_one.hit().has_value();
    const bool second = fp_one.hit().has_value();
    ::_exit((first ? 1 : 0) + (second ? 2 : 0));
  }
  int status = -1;
  ::waitpid(child, &status, WUNTRACED);
  if (WIFSTOPPED(status)) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  return status;
}

TEST(Failpoints, KillStopOrFailOnce) {
  EXPECT_EQ(WTERMSIG(status_of("test.one")), SIGKILL);
  EXPECT_EQ(WTERMSIG(status_of("test.one=2")), SIGKILL);
  EXPECT_EQ(WEXITSTATUS(status_of("test.one=3")), 3) << "not reached";
  EXPECT_EQ(WEXITSTATUS(status_of("test.one=error")), 2) << "the first time only";
  EXPECT_TRUE(WIFSTOPPED(status_of("test.one=stop")));
}

// The flags of the mapping of the process that has `address`, as the kernel lists them.
std::string mapping_flags(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    if (here && line.starts_with("VmFlags:")) return line;
    std::uintptr_t begin = 0, end = 0;  // "55b298ca2000-55b298cc3000 rw-p …"
    const char* const behind = line.data() + line.size();
    const auto [dash, no] = std::from_chars(line.data(), behind, begin, 16);
    if (no != std::errc() || dash == behind || *dash != '-') continue;
    std::from_chars(dash + 1, behind, end, 16);
    here = begin <= wanted && wanted < end;
  }
  return "";
}

// True: this thread has large pages for what is larger than what was free before.
bool gets_large_pages() {
  // A sanitizer has an allocator of its own, and a kernel may have no large pages: then the process
  // has its memory as before.
  const bool large =
      !testing::kSanitized && ::access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0;
  prefer_large_pages();
  const std::vector<char> first(1 << 20, 'x'), block(8 << 20, 'x');
  const std::string wanted = large ? " hg" : "VmFlags:";
  const auto is_large = [&wanted](const std::vector<char>& bytes) {
    const std::string flags = mapping_flags(bytes.data() + bytes.size() / 2);
    return bytes.back() == 'x' && flags.contains(wanted);
  };
  return is_large(first) && is_large(block);
}

TEST(Heap, MemoryThatIsTakenAheadIsThere) {
  auto faults = on_a_thread([] {
    take_memory_ahead(8u << 20);
    const auto so_far = [] {
      struct rusage used{};
      ::getrusage(RUSAGE_THREAD, &used);
      return used.ru_minflt;
    };
    const long before = so_far();
    const std::vector<char> block(6u << 20, 'x');
    return block.back() == 'x' ? so_far() - before : -1;
  });
  const long seen = faults.get();
  EXPECT_GE(seen, 0);
  if (!testing::kSanitized) EXPECT_LT(seen, 100) << "a page of 4 KiB each would be 1,536";
}

TEST(Beside, IsReadyWhenItIsMade) {
  std::promise<void> go;
  auto made = on_a_thread([&go] {
    go.get_future().wait();
    return 1;
  });
  EXPECT_FALSE(made.ready());
  go.set_value();
  made.wait();
  EXPECT_TRUE(made.ready());
}

TEST(Beside, GivesWhatWasMadeOrWhatWasThrown) {
  EXPECT_FALSE(Beside<int>().valid());
  auto made = on_a_thread([text = std::string("made")] { return text + " beside"; });
  ASSERT_TRUE(made.valid());
  EXPECT_EQ(made.get(), "made beside");
  EXPECT_FALSE(made.valid());
  auto thrown = on_a_thread([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(thrown.get(), std::runtime_error);
}

TEST(Beside, IsWaitedFor) {
  std::atomic<int> done = 0;
  {
    Beside<void> first = on_a_thread([&done] { ++done; });
    first = on_a_thread([&done] { ++done; });
  }
  EXPECT_EQ(done, 2);
}

TEST(Beside, BeginsElsewhereAndMayGoAnywhere) {
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
  bool elsewhere = false;
  for (int i = 0; i < 20; ++i) {
    const int here = ::sched_getcpu();
    const auto [same, processor] = on_a_thread([&mine] {
                                     cpu_set_t its;
                                     ::sched_getaffinity(0, sizeof its, &its);
                                     return std::pair(CPU_EQUAL(&mine, &its), ::sched_getcpu());
                                   }).get();
    EXPECT_TRUE(same);
    elsewhere |= processor != here;
  }
  EXPECT_TRUE(elsewhere || CPU_COUNT(&mine) == 1);
}

TEST(Heap, AsksForLargePages) {
  for (const bool own_thread : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool gets = false;
      const auto ask = [&gets] { gets = gets_large_pages(); };
      own_thread ? std::thread(ask).join() : ask();
      ::_exit(gets ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << own_thread;
  }
}

}  // namespace
}  // namespace gittxn
