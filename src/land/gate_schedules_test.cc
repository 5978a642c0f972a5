// Random schedules of landings with gates that fail, are flaky, made of units, or killed: each head
// that landed is checked out and judged again by a program that knows nothing of certificates.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "asking/testing/world.h"
#include "base/fs.h"
#include "base/random.h"
#include "base/subprocess.h"
#include "base/testing/campaign.h"
#include "base/text.h"
#include "gates/units/table.h"
#include "land/land.h"
#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::must;
using testing::Process;

const int kSchedules = std::max(2, gittxn::testing::campaign_rounds(4));
constexpr int kTransactions = 4;
constexpr int kMostDeep = 3;

// One file is bad alone, two are bad together, and one gate depends on chance.
constexpr const char* kPolicy = R"(
[[gate]]
name = "alone"
run = "! grep -q bad f0 f1"
[[gate]]
name = "units"
build = "make -s -f makefile"
incremental = true
units = ["f2", "f3", "f4"]
run = ["sh", "./unit", "{unit}"]
[[gate]]
name = "chance"
run = "cat f5 && test $(( $(od -An -N1 -tu1 /dev/urandom) % 4 )) != 0"
retries = 4
flaky = "allow"
)";
constexpr const char* kUnit = R"(! grep -q bad "$1" || exit 1
[ "$1" != f4 ] || cat f2 f3 | cmp - out/all || exit 1
[ "$1" != f2 ] || ! { grep -q both f2 && grep -q both f3; }
)";

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : random_(seed) {
    world_.person_commits("unit", kUnit);
    world_.person_commits("makefile", "out/all: f2 f3\n\t@mkdir -p out; cat f2 f3 >out/all\n");
    world_.person_commits(".gittxn.toml", kPolicy);
    Process opened(world_.scratch, world_.clock, world_.random);
    trust_ = must(policy_at(opened.context, world_.main())).trust_hash.str();
    first_ = world_.main();
    for (int i = 0; i < kTransactions; ++i) {
      static const std::vector<std::string> texts = {"new\n", "new\n", "both\n", "bad\n"};
      const std::string file = "f" + std::to_string(random_.below(6));
      const std::string& text = texts[random_.below(texts.size())];
      pending_.push_back(world_.propose({fmt::format("t-{}", i), {{file, text}}}));
    }
  }

  void run() {
    while (!pending_.empty()) land_one(0);
    EXPECT_THAT(world_.problems(), ::testing::IsEmpty());
  }

  // Each commit of a transaction, on its own, without what the program knows of it.
  void replay() {
    Process opened(world_.scratch, world_.clock, world_.random);
    const std::string range = first_.str() + "..main";
    const std::string listed =
        world_.scratch.git({"log", "--first-parent", "--format=%H %T %s", range});
    const std::string place = world_.scratch.root() + "/replay";
    for (const std::string_view line : pieces_of(listed, '\n')) {
      if (line.empty() || !line.ends_with("a change")) continue;
      const std::string commit(line.substr(0, 40));
      world_.scratch.git({"worktree", "add", "-q", "--detach", place, commit});
      for (const char* command : {"! grep -q bad f0 f1", "make -s -f makefile", "sh ./unit f2",
                                  "sh ./unit f3", "sh ./unit f4"}) {
        Command again;
        again.argv = {"sh", "-c", command};
        again.cwd = place;
        again.env = world_.scratch.env();
        EXPECT_TRUE(must(gittxn::run(again)).exit.success()) << commit << ": " << command;
      }
      world_.scratch.git({"worktree", "remove", "-f", place});
      expect_certificates(opened.store, Oid(std::string(line.substr(41, 40))));
      ++landed_;
    }
  }
  int landed() const { return landed_; }
  int lost() const { return lost_; }

 private:
  // Lands one that is pending; others act each time just before its gates run.
  void land_one(int depth) {
    const std::size_t at = random_.below(pending_.size());
    const TxnId id = pending_[at];
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(at));
    if (random_.below(4) == 0) {
      static const std::vector<std::string> points = {
          "land.before_gates",   "gates.checked_out", "gates.ran",       "gates.built",
          "gates.outputs_moved", "gates.unit_heard",  "gates.units_ran", "land.after_gates"};
      world_.killed_at(points[random_.below(points.size())], id, trust_);
      if (world_.txn(id).state != TxnState::kPrepared) return;  // no gate had to run
    }
    Process opened(world_.scratch, world_.clock, world_.random);
    LandOptions options;
    options.trust_offered = trust_;
    options.turn_wait_ms = 10'000;
    int rounds = 0;
    options.on_step = [&](std::string_view step) {
      if (step != "gates") return;
      ++rounds;
      const bool free =
          FileLock::acquire(turn_lock_path(opened.context, LandWorld::kBranch), 0).has_value();
      if (!free) return;
      if (random_.below(3) == 0) world_.person_commits("f5", fmt::format("{}\n", ++commits_));
      if (random_.below(2) == 0 && !pending_.empty() && depth < kMostDeep) land_one(depth + 1);
    };
    const auto outcome = must(land::land(opened.context, id, options));
    EXPECT_TRUE(outcome.result == LandResult::kLanded || outcome.result == LandResult::kRejected ||
                outcome.result == LandResult::kConflict || outcome.result == LandResult::kNothing);
    EXPECT_LE(rounds, kTransactions + 2);
    lost_ = std::max(lost_, rounds);
  }

  static void expect_certificates(const store::Store& store, const Oid& tree) {
    for (const char* gate : {"alone", "units", "chance"}) {
      bool passed = false;
      for (const Certificate& one : must(store.certificates(tree))) {
        if (one.gate.str() != gate || !one.passed) continue;
        passed = true;
        if (one.units.empty()) continue;
        for (const auto& said : must(gates::units_from_lines(must(store.artifact(one.units))))) {
          EXPECT_TRUE(said.passed) << said.unit;
        }
      }
      EXPECT_TRUE(passed) << gate << " on " << tree.str();
    }
  }

  Random random_;
  LandWorld world_;
  std::string trust_;
  Oid first_;
  std::vector<TxnId> pending_;
  int commits_ = 0;
  int landed_ = 0;
  int lost_ = 0;
};

TEST(GateSchedules, EachHeadThatLandedPassesItsGatesAgain) {
  if (const std::string why = asking::testing::missing_for_asking(); !why.empty()) {
    GTEST_SKIP() << why;
  }
  int landed = 0, most_rounds = 0;
  for (int i = 0; i < kSchedules && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    Schedule schedule(static_cast<std::uint64_t>(i));
    schedule.run();
    schedule.replay();
    landed += schedule.landed();
    most_rounds = std::max(most_rounds, schedule.lost());
  }
  EXPECT_GT(landed, kSchedules) << "of " << kSchedules * kTransactions;
  std::printf("%d of %d landed, at most %d rounds of gates\n", landed, kSchedules * kTransactions,
              most_rounds);
}

}  // namespace
}  // namespace gittxn::land
