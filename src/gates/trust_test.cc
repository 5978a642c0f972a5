#include "gates/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/temp_dir.h"
#include "gates/policy_file.h"

namespace gittxn::gates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Trust : public ::testing::Test {
 protected:
  SystemClock clock_;
  gittxn::testing::TempDir dir_;
  store::Store store_ = store::Store::open(dir_.at("txn"), clock_).value();
  Policy policy_ = parse_policy(
                       "[[gate]]\nname = \"test\"\nrun = \"make test\"\nenv = [\"CI\"]\n"
                       "[worktree]\nrun = [\"npm ci\", [\"make\", \"setup\"]]\n")
                       .value();
};

TEST_F(Trust, ListsExactlyWhatWouldRun) {
  EXPECT_THAT(trusted_commands(policy_), ElementsAre("set-up: sh -c 'npm ci'", "set-up: make setup",
                                                     "gate test: sh -c 'make test'  [sees $CI]"));
}

TEST_F(Trust, RefusedUntilSomebodySaysYesToExactlyThis) {
  auto refused = require_trust(store_, policy_, "");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kRefused);
  EXPECT_THAT(refused.error().hint, HasSubstr("git txn trust --yes " + policy_.trust_hash.str()));
  ASSERT_TRUE(grant_trust(store_, policy_, "Ada").has_value());
  EXPECT_TRUE(require_trust(store_, policy_, "").has_value());
  Seq before = store_.head().value();
  ASSERT_TRUE(grant_trust(store_, policy_, "Ada").has_value());
  EXPECT_EQ(store_.head().value(), before) << "a second yes is no second event";
  Policy other = parse_policy("[[gate]]\nname = \"test\"\nrun = \"make evil\"\n").value();
  EXPECT_FALSE(require_trust(store_, other, "").has_value());
}

TEST_F(Trust, AnOfferedHashCountsForThisOnly) {
  EXPECT_TRUE(require_trust(store_, policy_, policy_.trust_hash.str()).has_value());
  EXPECT_FALSE(require_trust(store_, policy_, std::string(64, '0')).has_value());
  EXPECT_FALSE(require_trust(store_, policy_, "").has_value());
}

TEST_F(Trust, WhatRunsNothingNeedsNone) {
  Policy policy = parse_policy("[worktree]\ncopy = [\".env\"]\n").value();
  EXPECT_TRUE(require_trust(store_, policy, "").has_value());
  EXPECT_FALSE(grant_trust(store_, policy, "Ada").has_value());
}

}  // namespace
}  // namespace gittxn::gates
