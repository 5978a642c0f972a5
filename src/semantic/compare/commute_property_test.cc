// Random edits of the samples: where two are said to commute, merging them gives what both sides
// have, whichever came first. SEED=n replays a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/testing/campaign.h"
#include "semantic/commute.h"
#include "semantic/merge.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

using testing::combined;
using testing::edited;
using testing::meaning;
using testing::samples;
using testing::symbols;

// What `merged` has otherwise than `expected`, by symbol.
std::string differences(const std::map<std::string, std::string>& merged,
                        const std::map<std::string, std::string>& expected) {
  std::string out;
  for (const auto& [id, said] : merged) {
    const auto other = expected.find(id);
    if (other == expected.end()) {
      out += "  too much: " + id + "\n";
    } else if (other->second != said) {
      out += "  differs: " + id + "\n";
    }
  }
  for (const auto& [id, said] : expected) {
    if (!merged.contains(id)) out += "  missing: " + id + "\n";
  }
  return out;
}

TEST(CommuteProperty, WhatCommutesMergesTheSameInBothOrders) {
  const std::uint64_t seed = gittxn::testing::told_seed();
  Random random(seed);
  std::map<Verdict, int> verdicts;
  int merged_clean = 0, refused = 0;
  std::vector<std::string> failed;  // told at the end, so that a log that was cut names them
  const auto texts = samples();
  for (int round = 0; round < gittxn::testing::campaign_rounds(60); ++round) {
    for (const auto& [path, base] : texts) {
      const std::string left = edited(path, base, random, "qlq");
      const std::string right = edited(path, base, random, "zrz");
      if (left == base || right == base) continue;
      const Footprint a = footprint_of({{path, base, left}}, {});
      const Footprint b = footprint_of({{path, base, right}}, {});
      const Commuted judged = commute(a, b);
      EXPECT_EQ(judged.verdict, commute(b, a).verdict);
      ++verdicts[judged.verdict];
      if (judged.verdict != Verdict::kCommute) continue;
      const Language* language = language_of(path, base);
      const auto forth = merge_file(language, {base, left, right}, {});
      const auto back = merge_file(language, {base, right, left}, {});
      ASSERT_TRUE(forth && back);
      // A merge that is refused lands nothing.
      if (!forth->clean() || !back->clean()) {
        ++refused;
        continue;
      }
      ++merged_clean;
      const auto expected = combined(meaning(symbols(path, base)), meaning(symbols(path, left)),
                                     meaning(symbols(path, right)));
      for (const auto* merged : {&*forth, &*back}) {
        const std::string wrong = differences(meaning(symbols(path, merged->text)), expected);
        if (wrong.empty()) continue;
        ADD_FAILURE() << wrong << path << "\n--- base\n"
                      << base << "--- left\n"
                      << left << "--- right\n"
                      << right << "--- merged\n"
                      << merged->text;
        failed.push_back(path + " in round " + std::to_string(round));
      }
    }
  }
  std::printf("commute %d, validate %d, block %d; merged %d, refused %d\n",
              verdicts[Verdict::kCommute], verdicts[Verdict::kValidate], verdicts[Verdict::kBlock],
              merged_clean, refused);
  EXPECT_GT(merged_clean, verdicts[Verdict::kCommute] / 2);
  EXPECT_GT(verdicts[Verdict::kBlock], 0);
  EXPECT_THAT(failed, ::testing::IsEmpty()) << "SEED=" << seed;
}

}  // namespace
}  // namespace gittxn::semantic
