// A change of what a build is made with against a change of what is made with it.
#include "land/judge/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::replaced;

using ::testing::Contains;
using testing::FileEdits;
using ::testing::HasSubstr;
using testing::LandWorld;
using testing::Proposal;

constexpr const char* kCargo =
    "[package]\nname = \"app\"\nedition = \"2018\"\n\n[dependencies]\nserde = \"1.0\"\nrand = "
    "\"0.8\"\n";
constexpr const char* kMain = "use rand::Rng;\n\nfn main() {\n    run();\n}\n\nfn run() {}\n";

class LandBuilds : public ::testing::TestWithParam<Isolation> {
 protected:
  LandBuilds() {
    world.scratch.write("Cargo.toml", kCargo);
    world.scratch.write("src/main.rs", kMain);
    world.scratch.write("src/other.rs", "pub fn other() {}\n");
    world.scratch.write("README.md", "words\n");
    world.scratch.commit("code");
  }
  // Both from one base; `first` is on the branch when `second` asks.
  LandOutcome after(const FileEdits& first, const FileEdits& second,
                    std::vector<std::string> reads = {}) {
    const auto proposal = [&](const char* id, const FileEdits& edits) {
      Proposal made{id, edits, {}};
      made.isolation = GetParam();
      return made;
    };
    Proposal mine = proposal("t-b", second);
    mine.reads = std::move(reads);
    const TxnId a = world.propose(proposal("t-a", first)), b = world.propose(mine);
    const auto landed = world.land(a);
    EXPECT_TRUE(landed) << landed.error().message;
    EXPECT_EQ(landed->result, LandResult::kLanded);
    return testing::must(world.land(b));
  }
  // At strict what both changed is a conflict, however it merges.
  static LandResult where_it_merges() {
    return GetParam() == Isolation::kStrict ? LandResult::kConflict : LandResult::kLanded;
  }
  static bool reads_count() { return GetParam() >= Isolation::kSemantic; }
  static std::string said(const LandOutcome& outcome) {
    return outcome.conflicts.empty()
               ? std::string()
               : outcome.conflicts[0].subject + ": " + outcome.conflicts[0].hint;
  }
  void expect_refused(const LandOutcome& outcome, const std::string& subject) {
    ASSERT_EQ(outcome.result, LandResult::kConflict);
    std::vector<std::string> subjects;
    for (const Conflict& conflict : outcome.conflicts) subjects.push_back(conflict.subject);
    EXPECT_THAT(subjects, Contains(subject)) << said(outcome);
  }

  const std::string serde = replaced(kCargo, "\"1.0\"", "\"2.0\"");
  const std::string rand = replaced(kCargo, "\"0.8\"", "\"0.9\"");
  LandWorld world;
};

INSTANTIATE_TEST_SUITE_P(At, LandBuilds,
                         ::testing::Values(Isolation::kReadCommitted, Isolation::kSnapshot,
                                           Isolation::kSemantic, Isolation::kStrict),
                         [](const auto& at) {
                           const std::string name(isolation_name(at.param));
                           return name.substr(0, name.find('-'));
                         });

TEST_P(LandBuilds, WhoUsesOneIsNotInTheWayOfWhoRaisesAnother) {
  const LandOutcome outcome =
      after({{"Cargo.toml", serde}},
            {{"src/main.rs", replaced(kMain, "run();", "run();\n    rand::x();")}});
  EXPECT_EQ(outcome.result, LandResult::kLanded) << said(outcome);
}

TEST_P(LandBuilds, ANewUseOfWhatWasRaisedDoesNotLand) {
  const LandOutcome outcome = after(
      {{"Cargo.toml", serde}}, {{"src/other.rs", "use serde::Serialize;\n\npub fn other() {}\n"}});
  if (GetParam() == Isolation::kReadCommitted) {
    EXPECT_EQ(outcome.result, LandResult::kLanded);
    return;
  }
  expect_refused(outcome, "dependency serde in Cargo.toml");
  EXPECT_EQ(outcome.conflicts[0].kind, ConflictKind::kSymbol);
  EXPECT_EQ(outcome.conflicts[0].changed_by, "t-a");
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("from 1.0 to 2.0"));
  EXPECT_THAT(outcome.conflicts[0].hint, HasSubstr("src/other.rs"));
}

TEST_P(LandBuilds, RaisingWhatIsNewlyUsedDoesNotLand) {
  const LandOutcome outcome = after(
      {{"src/other.rs", "use serde::Serialize;\n\npub fn other() {}\n"}}, {{"Cargo.toml", serde}});
  if (GetParam() == Isolation::kReadCommitted) {
    EXPECT_EQ(outcome.result, LandResult::kLanded);
    return;
  }
  expect_refused(outcome, "dependency serde in Cargo.toml");
}

TEST_P(LandBuilds, AnEditOfAnImporterNeedsChecks) {
  // There are no gates here, so at snapshot nobody could tell.
  const LandOutcome outcome = after(
      {{"Cargo.toml", rand}}, {{"src/main.rs", replaced(kMain, "run();", "run();\n    run();")}});
  EXPECT_EQ(outcome.result,
            GetParam() == Isolation::kReadCommitted ? LandResult::kLanded : LandResult::kConflict);
}

TEST_P(LandBuilds, AToolchainFeedsEverySourceItGoverns) {
  const std::string edition = replaced(kCargo, "2018", "2021");
  const LandOutcome outcome =
      after({{"Cargo.toml", edition}}, {{"src/other.rs", "pub fn other() { 1; }\n"}});
  if (GetParam() == Isolation::kReadCommitted) {
    EXPECT_EQ(outcome.result, LandResult::kLanded);
    return;
  }
  expect_refused(outcome, "toolchain package.edition in Cargo.toml");
}

TEST_P(LandBuilds, AToolchainFeedsNoPage) {
  const LandOutcome outcome =
      after({{"Cargo.toml", replaced(kCargo, "2018", "2021")}}, {{"README.md", "other words\n"}});
  EXPECT_EQ(outcome.result, LandResult::kLanded) << said(outcome);
}

TEST_P(LandBuilds, AToolchainFurtherUpIsTheNearestOnesMatter) {
  world.scratch.write("tools/Cargo.toml", kCargo);
  world.scratch.write("tools/src/main.rs", kMain);
  world.scratch.commit("a package inside");
  const LandOutcome outcome =
      after({{"Cargo.toml", replaced(kCargo, "2018", "2021")}},
            {{"tools/src/main.rs", replaced(kMain, "run();", "run(); run();")}});
  EXPECT_EQ(outcome.result, LandResult::kLanded) << said(outcome);
}

TEST_P(LandBuilds, ACommentSaysNothingToASource) {
  const LandOutcome outcome =
      after({{"Cargo.toml", "# said\n" + std::string(kCargo)}},
            {{"src/main.rs", replaced(kMain, "run();", "run(); run();")}}, {"src/main.rs"});
  EXPECT_EQ(outcome.result, LandResult::kLanded) << said(outcome);
}

TEST_P(LandBuilds, ACommentSaysSomethingToItsReader) {
  const LandOutcome outcome = after({{"Cargo.toml", "# said\n" + std::string(kCargo)}},
                                    {{"src/main.rs", replaced(kMain, "run();", "run(); run();")}},
                                    {"Cargo.toml", "src/main.rs"});
  EXPECT_EQ(outcome.result, reads_count() ? LandResult::kConflict : LandResult::kLanded);
}

TEST_P(LandBuilds, WhatABuildReadIsRead) {
  const LandOutcome outcome =
      after({{"Cargo.toml", serde}}, {{"README.md", "built\n"}}, {"Cargo.toml"});
  EXPECT_EQ(outcome.result, reads_count() ? LandResult::kConflict : LandResult::kLanded);
}

TEST_P(LandBuilds, TwoDependenciesOfOneManifestBothLand) {
  const LandOutcome outcome =
      after({{"Cargo.toml", serde}}, {{"Cargo.toml", rand}}, {"Cargo.toml"});
  ASSERT_EQ(outcome.result, where_it_merges()) << said(outcome);
  if (outcome.result != LandResult::kLanded) return;
  EXPECT_THAT(world.shown("Cargo.toml"), HasSubstr("serde = \"2.0\""));
  EXPECT_THAT(world.shown("Cargo.toml"), HasSubstr("rand = \"0.9\""));
}

TEST_P(LandBuilds, OneDependencyRaisedTwiceIsNamed) {
  const LandOutcome outcome =
      after({{"Cargo.toml", serde}}, {{"Cargo.toml", replaced(kCargo, "\"1.0\"", "\"3.0\"")}});
  expect_refused(outcome, "dependency serde in Cargo.toml");
}

TEST_P(LandBuilds, LinesOfAModuleFileThatAreApart) {
  const std::string base =
      "module m\n\ngo 1.21\n\nrequire (\n\ta.b/c v1.0.0\n\n\ta.b/d v1.0.0\n\n\ta.b/e v1.0.0\n)\n";
  world.scratch.write("go.mod", base);
  world.scratch.commit("go");
  const LandOutcome apart = after({{"go.mod", replaced(base, "c v1.0.0", "c v1.1.0")}},
                                  {{"go.mod", replaced(base, "e v1.0.0", "e v1.2.0")}});
  EXPECT_EQ(apart.result, where_it_merges()) << said(apart);
}

TEST_P(LandBuilds, RecordsOfALockFile) {
  const auto record = [](const std::string& name, const std::string& version,
                         const std::string& needs) {
    return "[[package]]\nname = \"" + name + "\"\nversion = \"" + version + "\"\n" +
           (needs.empty() ? "" : "dependencies = [\n \"" + needs + "\",\n]\n") + "\n";
  };
  const auto lock = [&](const std::string& a, const std::string& b, const std::string& c) {
    return "version = 3\n\n" + record("aa", a, "cc") + record("bb", b, "") + record("cc", c, "");
  };
  world.scratch.write("Cargo.lock", lock("1", "1", "1"));
  world.scratch.commit("lock");
  const LandOutcome independent =
      after({{"Cargo.lock", lock("2", "1", "1")}}, {{"Cargo.lock", lock("1", "2", "1")}});
  EXPECT_EQ(independent.result, where_it_merges()) << said(independent);
}

TEST_P(LandBuilds, ARecordThatNeedsWhatTheOtherChanged) {
  const auto lock = [&](const std::string& a, const std::string& c) {
    return "[[package]]\nname = \"aa\"\nversion = \"" + a +
           "\"\ndependencies = [\n \"cc\",\n]\n\n[[package]]\nname = \"bb\"\nversion = \"1\"\n\n"
           "[[package]]\nname = \"cc\"\nversion = \"" +
           c + "\"\n";
  };
  world.scratch.write("Cargo.lock", lock("1", "1"));
  world.scratch.commit("lock");
  expect_refused(after({{"Cargo.lock", lock("2", "1")}}, {{"Cargo.lock", lock("1", "2")}}),
                 "dependency aa in Cargo.lock");
}

TEST_P(LandBuilds, AnImportOfAPackageOfNpm) {
  world.scratch.write("package.json", "{\n  \"dependencies\": {\n    \"pad\": \"1\"\n  }\n}\n");
  world.scratch.write("yarn.lock", "pad@1:\n  version \"1\"\n");
  world.scratch.write("a.js", "export const a = 1;\n");
  world.scratch.commit("npm");
  const FileEdits raise = {
      {"package.json", "{\n  \"dependencies\": {\n    \"pad\": \"2\"\n  }\n}\n"},
      {"yarn.lock", "pad@2:\n  version \"2\"\n"}};
  const LandOutcome other = after(raise, {{"a.js", "export const a = 2;\n"}});
  EXPECT_EQ(other.result, LandResult::kLanded) << "the manifest says what the lock file does not";
}

}  // namespace
}  // namespace gittxn::land
