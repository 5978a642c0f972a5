// Random edits of the samples: where two are said to commute, merging them gives what both sides
// have, whichever came first. SEED=n replays a run.
#include <gtest/gtest.h>

#include <map>

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

TEST(CommuteProperty, WhatCommutesMergesTheSameInBothOrders) {
  Random random(gittxn::testing::told_seed());
  std::map<Verdict, int> verdicts;
  int merged_clean = 0, refused = 0;
  const auto texts = samples();
  for (int round = 0; round < 60; ++round) {
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
        EXPECT_EQ(meaning(symbols(path, merged->text)), expected) << path << "\n--- base\n"
                                                                  << base << "--- left\n"
                                                                  << left << "--- right\n"
                                                                  << right << "--- merged\n"
                                                                  << merged->text;
      }
    }
  }
  std::printf("commute %d, validate %d, block %d; merged %d, refused %d\n",
              verdicts[Verdict::kCommute], verdicts[Verdict::kValidate], verdicts[Verdict::kBlock],
              merged_clean, refused);
  EXPECT_GT(merged_clean, verdicts[Verdict::kCommute] / 2);
  EXPECT_GT(verdicts[Verdict::kBlock], 0);
}

}  // namespace
}  // namespace gittxn::semantic
