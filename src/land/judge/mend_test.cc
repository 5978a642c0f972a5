// Renames carried to the other side's new uses by a landing: what lands, what is said of it, and
// where nothing is mended.
#include "land/judge/mend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "land/message.h"
#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LandWorld;
using testing::must;
using ::testing::Not;
using testing::Proposal;
using testing::replaced;

constexpr const char* kHome = "def check(token):\n    return token != ''\n";
constexpr const char* kRenamed = "def validate(token):\n    return token != ''\n";
constexpr const char* kUser =
    "from shop.auth import check\n\n\ndef one():\n    return check('1')\n";
constexpr const char* kUserRenamed =
    "from shop.auth import validate\n\n\ndef one():\n    return validate('1')\n";
constexpr const char* kNewUse = "\n\ndef two():\n    return check('2')\n";

class LandMend : public ::testing::Test {
 protected:
  LandMend() {
    world.scratch.write("shop/auth.py", kHome);
    world.scratch.write("shop/cart.py", kUser);
    world.scratch.commit("code");
  }
  void policy(const std::string& text) {
    world.scratch.write(".gittxn.toml", text);
    world.scratch.commit("policy");
  }
  static Proposal rename(const std::string& id) {
    return {id, {{"shop/auth.py", kRenamed}, {"shop/cart.py", kUserRenamed}}};
  }
  static Proposal use(const std::string& id) {
    return {id, {{"shop/cart.py", std::string(kUser) + kNewUse}}};
  }
  // Both from one base; `first` is on the branch when `second` asks.
  LandOutcome after(const Proposal& first, const Proposal& second) {
    const TxnId a = world.propose(first), b = world.propose(second);
    EXPECT_EQ(must(world.land(a)).result, LandResult::kLanded);
    return must(world.land(b));
  }
  std::string on_branch(const std::string& path) {
    return must(world.scratch.objects().blob(world.scratch.oid("main:" + path)));
  }
  std::vector<Mended> mended(const Oid& commit) {
    return mended_in(must(world.scratch.objects().commit(commit)).message);
  }

  LandWorld world;
};

TEST_F(LandMend, ANewUseOfWhatTheBranchRenamedLandsWithTheNewName) {
  const LandOutcome outcome = after(rename("t-a"), use("t-b"));
  ASSERT_EQ(outcome.result, LandResult::kLanded)
      << (outcome.conflicts.empty() ? "" : outcome.conflicts[0].hint);
  EXPECT_EQ(on_branch("shop/cart.py"),
            std::string(kUserRenamed) + replaced(kNewUse, "check", "validate"));
  EXPECT_EQ(on_branch("shop/auth.py"), kRenamed);
  EXPECT_THAT(mended(outcome.commit), ElementsAre(Mended{"rename", "shop/cart.py"}));
  EXPECT_THAT(outcome.notes, Contains(HasSubstr("renamed 'check' to 'validate'")));
  EXPECT_EQ(world.status(), "") << "the checkout moved with it";
}

TEST_F(LandMend, ARenameCarriesWhatTheBranchUsesAnew) {
  const LandOutcome outcome = after(use("t-a"), rename("t-b"));
  ASSERT_EQ(outcome.result, LandResult::kLanded)
      << (outcome.conflicts.empty() ? "" : outcome.conflicts[0].hint);
  EXPECT_EQ(on_branch("shop/cart.py"),
            std::string(kUserRenamed) + replaced(kNewUse, "check", "validate"));
  EXPECT_THAT(mended(outcome.commit), ElementsAre(Mended{"rename", "shop/cart.py"}));
}

TEST_F(LandMend, InAFileThatOnlyTheBranchHasItCountsAsAWrite) {
  const std::string added = std::string("from shop.auth import check\n") + kNewUse;
  policy("[[rule]]\npath = \"shop/new.py\"\nisolation = \"strict\"\n");
  const LandOutcome strict = after({"t-a", {{"shop/new.py", added}}}, rename("t-b"));
  EXPECT_EQ(strict.result, LandResult::kConflict) << "strict never mends";
  EXPECT_EQ(on_branch("shop/new.py"), added);
}

TEST_F(LandMend, EachSideMayHaveRenamedSomething) {
  world.scratch.write("shop/tax.py", "def rate(x):\n    return x\n");
  world.scratch.commit("more code");
  const std::string taxed = "from shop.tax import rate\n\n\ndef tax():\n    return rate(1)\n";
  Proposal first = rename("t-a");
  first.edits["shop/one.py"] = taxed;
  Proposal second = use("t-b");
  second.edits["shop/tax.py"] = "def quota(x):\n    return x\n";
  const LandOutcome outcome = after(first, second);
  ASSERT_EQ(outcome.result, LandResult::kLanded)
      << (outcome.conflicts.empty() ? "" : outcome.conflicts[0].hint);
  EXPECT_THAT(world.shown("shop/one.py"), HasSubstr("return quota(1)"));
  EXPECT_THAT(world.shown("shop/cart.py"), HasSubstr("return validate('2')"));
  EXPECT_THAT(mended(outcome.commit),
              ElementsAre(Mended{"rename", "shop/cart.py"}, Mended{"rename", "shop/one.py"}));
}

TEST_F(LandMend, StrictAndAPolicyThatSaysSoMendNothing) {
  Proposal strict = use("t-b");
  strict.isolation = Isolation::kStrict;
  EXPECT_EQ(after(rename("t-a"), strict).result, LandResult::kConflict);
  world.scratch.git({"reset", "-q", "--hard", "HEAD^"});
  policy("mend = []\n");
  const LandOutcome outcome =
      after(rename("t-c"),
            {"t-d", {{"shop/new.py", std::string("from shop.auth import check\n") + kNewUse}}});
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kSymbol);
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("check"));
}

TEST_F(LandMend, AUseThatIsKnownByItsNameOnlyIsAConflictAsBefore) {
  const LandOutcome outcome = after(
      rename("t-a"), {"t-b", {{"shop/new.py", std::string("from other import *\n") + kNewUse}}});
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kSymbol);
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("check"));
}

TEST_F(LandMend, WhatStillConflictsIsToldAsItWas) {
  // The definition is renamed and its file is removed of the other: a mend of the one use helps
  // nobody.
  world.scratch.write("shop/data.json", "{\"a\": 1}\n");
  world.scratch.commit("data");
  Proposal first = rename("t-a"), second = use("t-b");
  first.edits["shop/data.json"] = "{\"a\": 2}\n";
  second.edits["shop/data.json"] = "{\"a\": 3}\n";
  const LandOutcome outcome = after(first, second);
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  std::vector<std::string> subjects;
  for (const Conflict& conflict : outcome.conflicts) subjects.push_back(conflict.hint);
  EXPECT_THAT(subjects, Contains(HasSubstr("check"))) << "nothing of it is mended";
}

TEST_F(LandMend, AStringThatIsTheNameStaysAndIsJudgedAsBefore) {
  const std::string say = "def say():\n    return getattr(None, 'check')  # check\n";
  Proposal second = use("t-b");
  second.edits["shop/say.py"] = say;
  const LandOutcome outcome = after(rename("t-a"), second);
  ASSERT_EQ(outcome.result, LandResult::kLanded);
  EXPECT_EQ(on_branch("shop/say.py"), say);
}

TEST_F(LandMend, LookingSaysTheSameAndWritesNoObject) {
  const TxnId a = world.propose(rename("t-a")), b = world.propose(use("t-b"));
  ASSERT_EQ(must(world.land(a)).result, LandResult::kLanded);
  const std::string before = world.scratch.git({"count-objects"});
  auto process = world.process();
  EXPECT_TRUE(must(certify_now(process.context, b)).commit);
  EXPECT_EQ(world.scratch.git({"count-objects"}), before);
  EXPECT_EQ(must(world.land(b)).result, LandResult::kLanded);
}

TEST_F(LandMend, AReadThatDoesNotHoldIsNoMend) {
  Proposal second = use("t-b");
  second.reads = {"shop/auth.py"};
  const LandOutcome outcome = after(rename("t-a"), second);
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kReadStale);
}

// Both change one line of shop/tax.py, and a person has resolved that before.
class LandRecorded : public LandMend {
 protected:
  static constexpr const char* kBase =
      "def rate(x):\n    return x\n\n\ndef name(x):\n    return rate(x)\n\n\ndef last(x):\n    "
      "return x\n";

  LandRecorded() {
    world.scratch.write("shop/tax.py", kBase);
    world.scratch.commit("tax");
    policy("mend = [\"rerere\"]\n");
    record(changed("x * 2"), changed("x * 3"), changed("x * 6"));
  }
  static std::string changed(const std::string& to) {
    return replaced(kBase, "last(x):\n    return x", "last(x):\n    return " + to);
  }
  void record(const std::string& ours, const std::string& theirs, const std::string& resolved) {
    auto& scratch = world.scratch;
    scratch.git({"config", "rerere.enabled", "true"});
    for (const auto& [branch, text] : {std::pair("theirs", theirs), std::pair("ours", ours)}) {
      scratch.git({"checkout", "-q", "-b", branch, "main"});
      scratch.write("shop/tax.py", text);
      scratch.commit(branch);
    }
    must(scratch.runner().run({"merge", "theirs"}, {.dir = scratch.path()}));
    scratch.write("shop/tax.py", resolved);
    scratch.git({"rerere"});
    scratch.git({"reset", "-q", "--hard"});
    scratch.git({"checkout", "-q", "main"});
  }
};

TEST_F(LandRecorded, APersonsResolutionLands) {
  const LandOutcome outcome = after({"t-a", {{"shop/tax.py", changed("x * 2")}}},
                                    {"t-b", {{"shop/tax.py", changed("x * 3")}}});
  ASSERT_EQ(outcome.result, LandResult::kLanded)
      << (outcome.conflicts.empty() ? "" : outcome.conflicts[0].hint);
  EXPECT_EQ(on_branch("shop/tax.py"), changed("x * 6"));
  EXPECT_THAT(mended(outcome.commit), ElementsAre(Mended{"rerere", "shop/tax.py"}));
  EXPECT_EQ(world.status(), "");
}

TEST_F(LandRecorded, WhatMeetsElsewhereInTheFileIsAConflictStill) {
  const LandOutcome outcome =
      after({"t-a", {{"shop/tax.py", replaced(changed("x * 2"), "rate(x):", "rate(x, y):")}}},
            {"t-b", {{"shop/tax.py", replaced(changed("x * 3"), "rate(x)\n", "rate(x) + 1\n")}}});
  ASSERT_EQ(outcome.result, LandResult::kConflict);
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("rate"));
}

TEST_F(LandRecorded, AtStrictAndOfAnotherConflictNothingIsTaken) {
  Proposal strict{"t-b", {{"shop/tax.py", changed("x * 3")}}};
  strict.isolation = Isolation::kStrict;
  EXPECT_EQ(after({"t-a", {{"shop/tax.py", changed("x * 2")}}}, strict).result,
            LandResult::kConflict);
  EXPECT_EQ(after({"t-c", {{"shop/tax.py", changed("x * 4")}}},
                  {"t-d", {{"shop/tax.py", changed("x * 5")}}})
                .result,
            LandResult::kConflict);
}

}  // namespace
}  // namespace gittxn::land
