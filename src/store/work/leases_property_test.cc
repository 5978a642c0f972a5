// Leases against a reference that is too simple to be wrong, and against eight processes that are
// killed at any time.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/random.h"
#include "base/testing/campaign.h"
#include "store/server/locks.h"
#include "store/testing/check.h"
#include "store/testing/temp_store.h"
#include "store/work/lease_moves.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using Attach = LeaseAsk::Attach;

// ---- random operations ------------------------------------------------------------------------

// The tree of the reference has five files: a/x, a/y, b/x, b/y and b/xy. A subject is which of them
// it is on; where two overlap in any tree they do in this one.
struct NamedSubject {
  const char* text;
  std::set<int> files;
};
const NamedSubject kSubjects[] = {{".", {0, 1, 2, 3, 4}}, {"a", {0, 1}}, {"b/**", {2, 3, 4}},
                                  {"*/x", {0, 2}},        {"a/y", {1}},  {"b/x*", {2, 4}},
                                  {"*/*y", {1, 3, 4}}};

struct KnownLease {
  std::string owner;
  std::set<int> files;
  bool shared = false, held = false;
  bool needs_life = false;  // attached, or in line
  bool detaches = false;    // is not attached any more once it is held
  bool lives = true;
  std::int64_t ttl = 0, until = 0;
};

class LeaseReference {
 public:
  std::map<std::string, KnownLease> all;  // by id
  std::vector<std::string> line;          // ids in the order of asking
  std::int64_t now = 0;

  bool good(const KnownLease& one) const {
    return (!one.held || one.until > now) && (!one.needs_life || one.lives);
  }
  static bool clash(const KnownLease& a, const KnownLease& b) {
    if (a.shared && b.shared) return false;
    return std::ranges::any_of(a.files, [&](int file) { return b.files.contains(file); });
  }
  // `id` "": not in line yet.
  bool free_for(const std::string& id, const KnownLease& wanted) const {
    bool before = true;
    for (const std::string& other : line) {
      if (other == id) {
        before = false;
        continue;
      }
      const KnownLease& one = all.at(other);
      if (good(one) && clash(one, wanted) && (one.held || before)) return false;
    }
    return true;
  }
  void sweep() {
    std::erase_if(line, [&](const std::string& id) {
      if (good(all.at(id))) return false;
      all.erase(id);
      return true;
    });
  }
  void remove(const std::string& id) {
    std::erase(line, id);
    all.erase(id);
  }
};

class LeasePlay {
 public:
  explicit LeasePlay(std::uint64_t seed) : random_(seed), store_(place_.open()) {}

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      step();
      compare();
      const auto report = store_.verify_replay();
      ASSERT_OK(report);
      ASSERT_TRUE(report->problems.empty()) << report->problems.front();
    }
  }

 private:
  struct Mine {
    LeaseAsk ask;
    LeaseAnswer answer;
  };

  void step() {
    switch (random_.below(10)) {
      case 0:
      case 1:
      case 2:
        return ask();
      case 3:
      case 4:
        return try_one();
      case 5:
        return renew();
      case 6:
        return release();
      case 7:
        return transfer();
      case 8:
        return die();
      default:
        place_.clock.advance(static_cast<std::int64_t>(random_.below(40)));
        place_.clock.wall += static_cast<std::int64_t>(random_.below(2'000'000)) - 1'000'000;
        reference_.now = store_.now_ms().value();
    }
  }

  void ask() {
    reference_.now = store_.now_ms().value();
    const NamedSubject& named = kSubjects[random_.below(std::size(kSubjects))];
    Mine mine;
    mine.ask.subjects = {parse_lease_subject(named.text).value()};
    mine.ask.owner = fmt::format("o{}", random_.below(3));
    mine.ask.ttl_ms = static_cast<std::int64_t>(random_.below(100) + 1);
    if (random_.below(2) == 0) mine.ask.sharing = Sharing::kShared;
    if (random_.below(2) == 0) mine.ask.attach = Attach::kAttached;
    const bool queue = random_.below(2) == 0;
    KnownLease known;
    known.owner = mine.ask.owner;
    known.files = named.files;
    known.shared = mine.ask.sharing == Sharing::kShared;
    known.detaches = mine.ask.attach == Attach::kDetached;
    known.ttl = mine.ask.ttl_ms;
    known.held = reference_.free_for("", known);
    known.needs_life = !known.held || !known.detaches;
    known.until = reference_.now + known.ttl;
    mine.answer = ask_lease(store_, mine.ask, queue ? Line::kQueue : Line::kGoAway).value();
    EXPECT_EQ(mine.answer.lease.held, known.held) << named.text;
    if (!known.held && !queue) return;
    reference_.sweep();
    const std::string id = mine.answer.lease.id;
    reference_.line.push_back(id);
    reference_.all[id] = known;
    mine_.insert_or_assign(id, std::move(mine));
  }

  std::optional<std::string> any() {
    if (mine_.empty()) return std::nullopt;
    auto at = mine_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(mine_.size())));
    return at->first;
  }

  // What the reference has of it, while it is good.
  KnownLease* good_one(const std::string& id) {
    reference_.now = store_.now_ms().value();
    const auto found = reference_.all.find(id);
    return found == reference_.all.end() || !reference_.good(found->second) ? nullptr
                                                                            : &found->second;
  }

  void try_one() {
    const auto id = any();
    if (!id) return;
    Mine& mine = mine_.at(*id);
    if (mine.answer.lease.held) return;
    KnownLease* known = good_one(*id);
    const Status tried = try_lease(store_, mine.ask, mine.answer);
    EXPECT_EQ(tried.has_value(), known != nullptr);
    if (known == nullptr) return;
    const bool free = reference_.free_for(*id, *known);
    EXPECT_EQ(mine.answer.lease.held, free);
    if (!free) return;
    known->held = true;
    known->until = reference_.now + known->ttl;
    if (known->detaches) known->needs_life = false;
    reference_.sweep();
  }

  void renew() {
    const auto id = any();
    if (!id) return;
    KnownLease* known = good_one(*id);
    const auto ttl = static_cast<std::int64_t>(random_.below(100) + 1);
    const bool own = random_.below(4) != 0;
    const std::string owner = own && known != nullptr ? known->owner : "somebody";
    const auto renewed = renew_lease(store_, *id, owner, ttl);
    EXPECT_EQ(renewed.has_value(), own && known != nullptr && known->held);
    if (!renewed) return;
    known->ttl = ttl;
    known->until = reference_.now + ttl;
  }

  void release() {
    const auto id = any();
    if (!id) return;
    KnownLease* known = good_one(*id);
    const Status given = release_lease(store_, *id, known == nullptr ? "o1" : known->owner, "");
    EXPECT_EQ(given.has_value(), known != nullptr);
    if (given) reference_.remove(*id);
  }

  void transfer() {
    const auto id = any();
    if (!id) return;
    KnownLease* known = good_one(*id);
    const std::string owner = known == nullptr ? "o1" : known->owner;
    const auto given = transfer_lease(store_, *id, owner, "o2");
    EXPECT_EQ(given.has_value(), known != nullptr && known->held);
    if (!given) return;
    known->owner = "o2";
    known->needs_life = false;
  }

  void die() {
    const auto id = any();
    if (!id) return;
    LeaseAnswer& answer = mine_.at(*id).answer;
    answer.alive.release();
    // On a server that is sure after a moment; here it is to count at once.
    ASSERT_OK(store_.locks().confirm(Slots::kOwners, {answer.lease.slot}));
    const auto found = reference_.all.find(*id);
    if (found != reference_.all.end()) found->second.lives = false;
  }

  void compare() {
    std::ostringstream real;
    std::ostringstream expected;
    const std::vector<Lease> all = leases(store_).value();
    for (const Lease& one : all) {
      real << one.id << " " << one.owner << " " << one.held << " " << (one.held ? one.until_ms : 0)
           << "\n";
    }
    for (const std::string& id : reference_.line) {
      const KnownLease& one = reference_.all.at(id);
      expected << id << " " << one.owner << " " << one.held << " " << (one.held ? one.until : 0)
               << "\n";
    }
    EXPECT_EQ(real.str(), expected.str());
  }

  TempStore place_;
  Random random_;
  Store store_;
  LeaseReference reference_;
  std::map<std::string, Mine> mine_;
};

TEST(Leases, DoWhatAReferenceDoes) {
  const std::uint64_t seed = gittxn::testing::told_seed();
  const int rounds = gittxn::testing::campaign_rounds(4);
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    LeasePlay(seed + static_cast<std::uint64_t>(round)).run(120);
  }
}

// ---- eight processes ----------------------------------------------------------------------------

// Who is in which part, as those who are in it write it down themselves, in memory that they share
// and that no lease knows of.
struct Inside {
  std::atomic<int> pid[2];
};

bool is_dead(int pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid), 4096);
  if (!stat) return true;
  const std::size_t end = stat->rfind(") ");
  return end == std::string::npos || (*stat)[end + 2] == 'Z' || (*stat)[end + 2] == 'X';
}

// False: somebody else was in it, and lived on to leave it.
bool enter(std::atomic<int>& part) {
  int other = 0;
  while (!part.compare_exchange_strong(other, ::getpid())) {
    if (other == 0) return false;  // it has just left
    while (!is_dead(other) && part.load() == other) ::sched_yield();
    if (part.load() != other) return false;
  }
  return true;
}

// What a child does until it has done enough, is killed, or has caught two holders.
int hammer(const TempStore& place, Inside& inside, std::uint64_t seed, int rounds) {
  constexpr const char* kNames[] = {"a", "b", "*"};
  constexpr bool kIn[][2] = {{true, false}, {false, true}, {true, true}};
  SystemClock clock;
  Random random(seed);
  auto store = Store::open(place.txn_dir(), clock);
  if (!store) return 2;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t on = random.below(std::size(kNames));
    LeaseAsk ask;
    ask.subjects = {parse_lease_subject(kNames[on]).value()};
    ask.owner = fmt::format("p{}", ::getpid());
    ask.ttl_ms = 600'000;
    ask.attach = Attach::kAttached;
    auto answer = ask_lease(*store, ask, random.below(3) == 0 ? Line::kGoAway : Line::kQueue);
    if (!answer) return 3;
    if (answer->lease.id.empty()) continue;
    while (!answer->lease.held) {
      if (!try_lease(*store, ask, *answer)) return 4;
      if (!answer->lease.held) clock.sleep_ms(1);
    }
    for (int part = 0; part < 2; ++part) {
      if (kIn[on][part] && !enter(inside.pid[part])) return 5;
    }
    if (random.below(12) == 0) ::raise(SIGKILL);
    if (random.below(3) == 0 && !renew_lease(*store, answer->lease.id, ask.owner, {})) return 6;
    for (int part = 0; part < 2; ++part) {
      int me = ::getpid();
      if (kIn[on][part] && !inside.pid[part].compare_exchange_strong(me, 0)) return 7;
    }
    if (!release_lease(*store, answer->lease.id, ask.owner, "")) return 8;
  }
  return 0;
}

pid_t hammer_in_child(const TempStore& place, Inside& inside, std::uint64_t seed) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::_exit(hammer(place, inside, seed, 15));
}

// The lock of the finding was broken by two at once, who then both had it.
TEST(F8, EightProcessesThatAreKilledAtAnyTimeAreNeverTwoInside) {
  constexpr int kProcesses = 8;
  constexpr int kKills = 12;
  const std::uint64_t seed = gittxn::testing::told_seed();
  Random random(seed);
  TempStore place;
  Store(place.open()).now_ms().value();
  void* memory =
      ::mmap(nullptr, sizeof(Inside), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Inside& inside = *new (memory) Inside{};
  std::vector<pid_t> children;
  std::uint64_t next = seed;
  for (int i = 0; i < kProcesses; ++i) children.push_back(hammer_in_child(place, inside, ++next));
  SystemClock clock;
  int ended_by_kill = 0;
  for (int i = 0; i < kKills; ++i) {
    clock.sleep_ms(static_cast<std::int64_t>(random.below(60)));
    children.push_back(hammer_in_child(place, inside, ++next));
    ::kill(children[random.below(children.size())], SIGKILL);  // not reaped, so nobody else's
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ended_by_kill += killed ? 1 : 0;
    EXPECT_TRUE(killed || status == 0) << WEXITSTATUS(status);
  }
  EXPECT_GT(ended_by_kill, 0);
  ::munmap(memory, sizeof(Inside));
  const Store store = place.open();
  const auto report = store.verify_replay();
  ASSERT_OK(report);
  EXPECT_TRUE(report->problems.empty()) << report->problems.front();
}

}  // namespace
}  // namespace gittxn::store
