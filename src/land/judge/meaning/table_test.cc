// Tests of what two changes mean for each other at `semantic`: small trees in thirteen languages,
// whose table is tests/meaning. Compilers are asked by tests/meaning/run whether the table says the
// truth.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/bug.h"
#include "land/testing/concurrent.h"
#include "land/testing/scenarios.h"

namespace gittxn::land {
namespace {

using repo::testing::must;
using testing::complaints;
using testing::Scenario;

class Meaning : public ::testing::Test {
 protected:
  Oid tree_of(const testing::SmallTree& files) {
    Changes changes;
    for (const auto& [path, text] : files) {
      changes.push_back({path, {}, {FileMode::kFile, must(objects_.write_blob(text))}});
    }
    return must(objects_.apply(empty_, changes));
  }
  std::string verdict(const testing::Concurrent& trees, std::string* why) {
    const auto said = complaints(objects_, trees, cache_);
    *why = fmt::format("{}", fmt::join(said, "\n    "));
    return said.empty() ? "lands" : "refused";
  }

  repo::testing::ScratchRepo scratch_;
  std::string cache_ = scratch_.root() + "/catalogue";
  Oid empty_ = must(scratch_.open().objects().tree_of(scratch_.commit("nothing")));
  repo::Objects objects_ =
      must(repo::Objects::open_in_memory(scratch_.git_dir(), scratch_.runner()));
};

TEST_F(Meaning, WhatLandsOfTwoChangesAndWhatDoesNot) {
  std::map<std::string, int> rows;
  for (const Scenario& one : testing::scenarios()) {
    const std::string name = one.language + ": " + one.name, is = one.today ? "lands" : "refused";
    ++rows[one.language];
    const Oid base = tree_of(one.base), a = tree_of(one.a), b = tree_of(one.b);
    std::string why;
    EXPECT_EQ(verdict({base, a, b, {}}, &why), is) << name << ", b last\n    " << why;
    EXPECT_EQ(verdict({base, b, a, {}}, &why), is) << name << ", a last\n    " << why;
    if (one.reads.empty() || one.today != one.lands) continue;
    EXPECT_EQ(verdict({base, a, b, one.reads}, &why), "refused") << name << ", b has read it";
  }
  EXPECT_EQ(rows.size(), 13u);
}

TEST_F(Meaning, EachBugWouldBeNoticed) {
#ifdef GIT_TXN_BUGS
  for (const char* bug :
       {"semantic.imports_define", "semantic.bound_is_own", "semantic.hands_on_anything"}) {
    cache_ = scratch_.root() + "/" + bug;
    arm_bug(bug);
    int missed = 0;
    for (const Scenario& one : testing::scenarios()) {
      std::string why;
      if (one.today) continue;
      const testing::Concurrent trees{tree_of(one.base), tree_of(one.a), tree_of(one.b), {}};
      missed += verdict(trees, &why) == "lands" ? 1 : 0;
    }
    arm_bug("");
    EXPECT_GT(missed, 0) << bug;
  }
#else
  GTEST_SKIP() << "built without bugs";
#endif
}

}  // namespace
}  // namespace gittxn::land
