// Histories of several transactions by brute force: of what the certifier lets land, an oracle that
// plays every program again finds nothing that is another where it stands; and of a certifier with
// a bug in it, or of who asks it wrongly, it does. ROUNDS=100000 is the long run.
#include <gtest/gtest.h>

#include <chrono>

#include "base/bug.h"
#include "base/json.h"
#include "base/testing/campaign.h"
#include "land/testing/deciders.h"

namespace gittxn::land {
namespace {

using testing::ByLanding;
using testing::Counts;
using testing::Decider;
using testing::History;
using testing::InMemory;
using testing::Mutant;
using testing::Orders;
using testing::Texts;

constexpr std::uint64_t kHistorySeed = 20261123;
// The certifier without a bug has to stand for as many histories as each mutant gets.
constexpr int kHistories = 5'000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double share(int part, int whole) {
  return whole == 0 ? 0 : 100.0 * part / whole;
}

void print(const Counts& counts, std::uint64_t seed, double seconds) {
  fmt::print(
      "SEED={}: {} histories, {} transactions in {:.1f} s: {} landed, {} nothing, {} over, {} "
      "refused; {} moved their base, {} moves from outside, {} of them back to a tree there was\n",
      seed, counts.histories, counts.transactions, seconds, counts.landed, counts.nothing,
      counts.over, counts.refused, counts.moves, counts.outside, counts.back_again);
  fmt::print("of {} refusals at exact levels {:.1f} % had an order, {:.1f} % at the head\n",
             counts.refused_exact, share(counts.with_order, counts.refused_exact),
             share(counts.with_order_here, counts.refused_exact));
  for (const auto& [why, count] : counts.needless) {
    fmt::print("refused at a head that shows the same, because of {}: {}\n", why, count);
  }
  for (const auto& [why, count] : counts.excused) {
    fmt::print("shown something else at semantic, and excused by {}: {}\n", why, count);
  }
}

// In how many histories an order is looked for of what was refused: one of this many.
constexpr int kOrdersOf = 10;

// The first objection of the oracle; "" none.
std::string objection_in(Decider& decider, Texts& texts, std::uint64_t seed, int rounds,
                         Counts& counts, int orders_of = kOrdersOf) {
  Random random(seed);
  for (int i = 0; i < rounds; ++i) {
    const Orders orders = i % orders_of == 0 ? Orders::kSought : Orders::kIgnored;
    const std::string said = History(random, texts, decider, counts).run(orders);
    if (!said.empty()) return fmt::format("history {}: {}", i, said);
  }
  return "";
}

TEST(Histories, EachStandsWhereItLanded) {
  const std::uint64_t seed = gittxn::testing::campaign_seed(kHistorySeed);
  const int rounds = gittxn::testing::campaign_rounds(kHistories);
  const auto start = std::chrono::steady_clock::now();
  Texts texts;
  InMemory decider(texts, Mutant::kNone);
  Counts counts;
  EXPECT_EQ(objection_in(decider, texts, seed, rounds, counts), "") << "SEED=" << seed;
  print(counts, seed, seconds_since(start));
  // Each ending has to be common, or that nothing was found says little.
  EXPECT_GT(counts.landed, counts.transactions / 10);
  EXPECT_GT(counts.refused, counts.transactions / 20);
  EXPECT_GT(counts.nothing, counts.transactions / 200);
  EXPECT_GT(counts.over, counts.transactions / 100);
}

// Questions exist for this: the same histories without them are refused more often for nothing.
TEST(Histories, QuestionsLetMoreLand) {
  const std::uint64_t seed = gittxn::testing::campaign_seed(kHistorySeed);
  const int rounds = gittxn::testing::campaign_rounds(1'500);
  Counts with, without;
  Texts texts;
  InMemory asking(texts, Mutant::kNone), silent(texts, Mutant::kNobodyAsks);
  EXPECT_EQ(objection_in(asking, texts, seed, rounds, with, 1), "") << "SEED=" << seed;
  EXPECT_EQ(objection_in(silent, texts, seed, rounds, without, 1), "") << "SEED=" << seed;
  for (const auto* counts : {&without, &with}) {
    fmt::print(
        "{}: {} of {} landed; {} refused at exact levels, {:.1f} % of them with an order, {:.1f} % "
        "at the head\n",
        counts == &with ? "with answers" : "without", counts->landed, counts->transactions,
        counts->refused_exact, share(counts->with_order, counts->refused_exact),
        share(counts->with_order_here, counts->refused_exact));
  }
  EXPECT_GT(with.landed, without.landed);
}

TEST(Histories, SoTheyDoThroughLanding) {
  const std::uint64_t seed = gittxn::testing::campaign_seed(kHistorySeed);
  const int rounds = std::min(gittxn::testing::campaign_rounds(100), 5000);
  const auto start = std::chrono::steady_clock::now();
  ByLanding decider(search::query_text(testing::the_search()));
  Counts counts;
  EXPECT_EQ(objection_in(decider, decider.texts(), seed, rounds, counts), "") << "SEED=" << seed;
  print(counts, seed, seconds_since(start));
  EXPECT_GT(counts.landed, 0);
}

struct Mutated {
  const char* name;
  Mutant mutant;
  const char* bug;                    // injected; "" none
  std::uint64_t seed = kHistorySeed;  // another one where this finds the mutant late
};

constexpr Mutated kMutants[] = {
    {"the landed difference taken for the writes", Mutant::kLandedForWrites, ""},
    {"net differences for staleness", Mutant::kNetDifference, ""},
    {"nothing unchecked", Mutant::kNothingUnchecked, ""},
    {"told ignored", Mutant::kToldIgnored, ""},
    {"soft ignored", Mutant::kSoftIgnored, ""},
    {"levels swapped", Mutant::kLevelsSwapped, ""},
    {"own reads masked", Mutant::kOwnAreMasked, ""},
    {"strict taken for semantic", Mutant::kRefined, ""},
#ifdef GIT_TXN_BUGS
    {"masks too wide", Mutant::kNone, "certify.wide_masks"},
    {"classes ignored", Mutant::kNone, "certify.any_reader", 16},
    {"equal is nothing", Mutant::kNone, "certify.equal_is_nothing"},
    {"strict refines", Mutant::kNone, "certify.strict_refines"},
    {"reads ignored", Mutant::kNone, "certify.ignore_reads"},
    {"listings ignored", Mutant::kNone, "certify.ignore_listings"},
    {"searches ignored", Mutant::kNone, "certify.ignore_searches"},
    {"unknown ignored", Mutant::kNone, "certify.ignore_unknown"},
    {"a moved base unseen", Mutant::kNone, "certify.moved_base", 20},
    {"questions answered unasked", Mutant::kNone, "certify.answers_unasked"},
    {"superseded at strict", Mutant::kNone, "certify.replaced_at_strict"},
    {"status where bytes are promised", Mutant::kNone, "land.status_for_bytes"},
    {"a gate counted where nothing lands", Mutant::kNone, "land.gates_of_nothing", 7},
    {"an answer without its looks", Mutant::kNone, "land.looks_unrepeated"},
    {"asked on the snapshot", Mutant::kNone, "land.asks_the_snapshot"},
    {"asked on the head alone", Mutant::kNone, "land.asks_without_own", 9},
    {"asked with own files as of the end", Mutant::kNone, "capture.own_as_of_the_end"},
    {"own files that changed again", Mutant::kNone, "capture.all_is_settled", 54},
    {"own files that changed again, met later", Mutant::kNone, "land.unsettled_is_met", 54},
    {"own files by their names, looked into later", Mutant::kNone, "land.names_hold_anything", 54},
    {"merges that no run has seen", Mutant::kNone, "certify.merges_unasked", 54},
#endif
};

TEST(Histories, EachMutantIsCaught) {
  for (const Mutated& mutated : kMutants) {
    const auto start = std::chrono::steady_clock::now();
    Texts texts;
    InMemory decider(texts, mutated.mutant);
    Counts counts;
    arm_bug(mutated.bug);
    const std::string said = objection_in(decider, texts, mutated.seed, kHistories, counts);
    arm_bug("");
    EXPECT_NE(said, "") << mutated.name << " would pass";
    const std::string by = said.substr(0, said.find('\n'));
    fmt::print("{}: caught in {:.2f} s, {}\n", mutated.name, seconds_since(start), by);
  }
}

}  // namespace
}  // namespace gittxn::land
