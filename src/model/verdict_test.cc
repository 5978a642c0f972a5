// Tests of what a landing keeps of how it was admitted.
#include "model/verdict.h"

#include <gtest/gtest.h>

#include "base/fields.h"
#include "base/json.h"

namespace gittxn {
namespace {

TEST(AdmissionOf, NothingIsKeptWhereEverythingHolds) {
  EXPECT_EQ(to_be_kept({{}, {}, 0, 500}), Admission{}) << "also when others were asked";
}

TEST(AdmissionOf, ListsAreBoundedAndSaySo) {
  Admission admission;
  admission.excused.resize(130, {Excuse::Why::kLayout, "a"});
  admission.held.resize(102, {Held::How::kAsked, "cat a", 1});
  const Admission kept = to_be_kept(admission);
  EXPECT_EQ(kept.excused.size(), 100u);
  EXPECT_EQ(kept.held.size(), 100u);
  EXPECT_EQ(kept.more, 32);
}

TEST(AdmissionOf, EachWordComesBack) {
  Admission admission;
  using enum Excuse::Why;
  for (const auto why :
       {kLayout, kMerged, kHistory, kStatus, kReplaced, kGate, kHousekeeping, kListing}) {
    admission.excused.push_back({why, "\xff"});
  }
  for (const auto how : {Held::How::kAsked, Held::How::kGate, Held::How::kReplaced}) {
    admission.held.push_back({how, "pytest -q", 7});
  }
  admission.asked_ms = 40;
  const Json json = to_json(admission);
  const auto back = read_fields<Admission>(json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, admission);
}

}  // namespace
}  // namespace gittxn
