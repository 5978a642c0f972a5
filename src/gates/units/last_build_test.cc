// Builds that go on from the last one: what is built again, what is not, and for which candidates
// it counts.
#include "gates/units/last_build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/bug.h"
#include "base/fs.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "gates/checkout.h"
#include "gates/testing/unit_world.h"

namespace gittxn::gates {
namespace {

using repo::testing::must;

class LastBuilds : public testing::Units {
 protected:
  // Each command of it adds its name to out/log.
  static constexpr std::string_view kMakefile =
      "all: out/one out/two\n"
      "out/%: src/%\n"
      "\t@mkdir -p out; cp $< $@; echo $* >>out/log\n";

  static Policy building(const std::string& build, const std::string& more = "") {
    return policy("build = " + build +
                  "\nincremental = true\nunits = [\"tests/*\"]\nrun = [\"sh\", \"{unit}\"]\n" +
                  more);
  }
  static Policy making() { return building("\"make -s\""); }
  Candidate made(std::map<std::string, std::string> files) {
    files.try_emplace("Makefile", kMakefile);
    files.try_emplace("docs", "none yet\n");
    files.try_emplace("tests/a", "cat out/one\n");
    files.try_emplace("tests/b", "cat out/two\n");
    return next(std::move(files));
  }
  std::string dir() {
    return fixed_path(context(), RefName("refs/heads/main"), "suite") + "+outputs";
  }
  LastBuild last() { return must(last_build(dir())).value_or(LastBuild()); }
  // An output of the last build.
  std::string output(const std::string& path) {
    return must(read_file(must(kept_outputs(dir(), last().outputs)).layer + "/" + path));
  }
};

TEST_F(LastBuilds, BuildWhatHasChanged) {
  EXPECT_EQ(ran(run(making(), made({}))), "+build tests/a tests/b tests/c");
  EXPECT_EQ(output("out/log"), "one\ntwo\n");
  const GateReport second = run(making(), made({{"src/one", "other\n"}}));
  EXPECT_EQ(ran(second), "+build tests/a") << world_.output_of(second);
  EXPECT_EQ(output("out/log"), "one\ntwo\none\n");
  EXPECT_EQ(output("out/one"), "other\n");
  EXPECT_EQ(last().since_nothing, 1);
  const GateReport docs = run(making(), made({{"src/one", "other\n"}, {"docs", "x\n"}}));
  EXPECT_EQ(ran(docs), "") << limits(second) << docs.certificate.missed
                           << "a build that went on counts for other candidates as any does";
  EXPECT_EQ(ran(run(making(), made({{"src/one", "other\n"}, {"src/two", "more\n"}}))),
            "+build tests/b");
  EXPECT_EQ(output("out/log"), "one\ntwo\none\ntwo\n");
}

// The second build does not look at src/one, and what it leaves depends on it all the same.
TEST_F(LastBuilds, DependOnWhatTheBuildsBeforeThemLookedAt) {
  const auto third = [&](const std::string& text) {
    const Policy suite =
        building("\"mkdir -p out; test -e out/one || cat src/one >out/one; cp src/two out/two\"");
    run(suite, made({{"src/one", text + "\n"}}));
    const std::string two = text + " and two\n";
    EXPECT_EQ(ran(run(suite, made({{"src/one", text + "\n"}, {"src/two", two}}))),
              "+build tests/b");
    EXPECT_EQ(last().since_nothing, 1);
    return ran(run(suite, made({{"src/one", "other than " + text + "\n"}, {"src/two", two}})));
  };
  EXPECT_EQ(third("once"), "+build") << "such a build is wrong, and has to have its chance";
#ifdef GIT_TXN_BUGS
  must(remove_tree(dir()));
  arm_bug("gates.last_build_only");
  EXPECT_EQ(third("twice"), "") << "the chain is what makes it run";
  arm_bug("");
#endif
}

// Files change, and change back; units compare what was built with what it is built from.
TEST_F(LastBuilds, LeaveWhatABuildFromNothingLeaves) {
  Random random(gittxn::testing::told_seed());
  const int rounds = std::max(8, gittxn::testing::campaign_rounds(16));
  std::map<std::string, std::string> files = {
      {"Makefile",
       "all: out/both out/three\n"
       "out/both: src/one src/two\n\t@mkdir -p out; cat $^ >$@\n"
       "out/three: out/both src/three\n\t@cat $^ >$@\n"},
      {"tests/a", "cat src/one src/two | cmp - out/both\n"},
      {"tests/b", "cat src/one src/two src/three | cmp - out/three\n"}};
  int went_on = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const char* file : {"src/one", "src/two", "src/three", "docs"}) {
      if (random.below(2) == 0) files[file] = std::to_string(random.below(3)) + "\n";
    }
    files.try_emplace("src/three", "3\n");
    const GateReport report = run(making(), made(files));
    ASSERT_TRUE(report.certificate.passed) << "round " << round << ": " << world_.output_of(report);
    if (last().since_nothing > 0) ++went_on;
  }
  EXPECT_GE(went_on, rounds / 2);
}

TEST_F(LastBuilds, AreNotGoneOnFromWhereThatIsNotTheirs) {
  run(making(), made({}));
  EXPECT_EQ(last().since_nothing, 0);
  const auto since = [&](const Policy& suite, std::map<std::string, std::string> files) {
    const GateReport report = run(suite, made(std::move(files)));
    EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
    return last().since_nothing;
  };
  EXPECT_EQ(since(making(), {{"src/one", "1a\n"}}), 1);
  EXPECT_EQ(since(building("\"make -s\"", "timeout = \"5m\"\n"), {{"src/one", "1b\n"}}), 0)
      << "another version of the gate";
  EXPECT_EQ(since(making(), {{"src/one", "1c\n"}}), 0);
  EXPECT_EQ(since(making(), {{"src/one", "1d\n"}, {".gitattributes", "*.x -text\n"}}), 0);
  LastBuild record = last();
  record.since_nothing = kGoesOnFor;
  must(remember_build(dir(), record));
  EXPECT_EQ(since(making(), {{"src/one", "1e\n"}, {".gitattributes", "*.x -text\n"}}), 0)
      << "one in so many goes on from nothing";
  must(write_file(dir() + "/last", "damaged\n", Sync::kNo));
  EXPECT_EQ(since(making(), {{"src/one", "1f\n"}, {".gitattributes", "*.x -text\n"}}), 0);
  EXPECT_EQ(since(making(), {{"src/one", "1g\n"}, {".gitattributes", "*.x -text\n"}}), 1);
  must(remove_tree(must(kept_outputs(dir(), last().outputs)).layer));
  must(remove_tree(dir()));
  EXPECT_EQ(since(making(), {{"src/one", "1h\n"}, {".gitattributes", "*.x -text\n"}}), 0);
}

TEST_F(LastBuilds, ByHandGoOnFromNothing) {
  run(making(), made({}));
  run(making(), made({{"src/one", "other\n"}}));
  const Policy suite = making();
  must(run_gate(context(), suite, suite.gates.front(), made({{"src/one", "more\n"}})));
  EXPECT_EQ(last().since_nothing, 0);
  EXPECT_EQ(output("out/log"), "one\ntwo\n");
}

TEST_F(LastBuilds, WhatFailsIsBuiltAgainFromNothing) {
  const Policy suite = building("\"mkdir -p out; test ! -e out/one && cp src/one src/two out\"");
  run(suite, made({}));
  const GateReport again = run(suite, made({{"src/one", "other\n"}}));
  EXPECT_TRUE(again.certificate.passed) << world_.output_of(again);
  EXPECT_EQ(output("out/one"), "other\n");
  EXPECT_EQ(last().since_nothing, 0);
}

TEST_F(LastBuilds, GiveWayToFilesOfTheCandidate) {
  run(making(), made({}));
  const GateReport file = run(making(), made({{"out/one", "of the candidate\n"}}));
  EXPECT_TRUE(file.certificate.passed) << world_.output_of(file);
  EXPECT_EQ(last().since_nothing, 1);
  const Policy other = building("\"mkdir -p x/out; cp src/one src/two x/out\"");
  const std::map<std::string, std::string> units = {{"tests/a", "true\n"}, {"tests/b", "true\n"}};
  run(other, made(units));
  std::map<std::string, std::string> files = units;
  files["x/out"] = "a file now\n";
  const GateReport instead = run(building("\"test -f x/out && cp src/one y\""), made(files));
  EXPECT_TRUE(instead.certificate.passed) << world_.output_of(instead);
}

TEST_F(LastBuilds, MayAskGit) {
  const Policy suite = building("\"mkdir -p out; git rev-parse HEAD >out/one; cp src/two out\"");
  for (const char* text : {"1\n", "2\n", "3\n"}) {
    const Candidate candidate = made({{"src/one", text}});
    const GateReport report = run(suite, candidate);
    EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
  }
}

TEST_F(LastBuilds, KeepLinksAndTimes) {
  const Policy suite = building(
      "\"mkdir -p out/deep; ln -sf ../src/one out/one; cp -p out/one out/deep/x; cp src/two out\"");
  run(suite, made({}));
  const GateReport again = run(suite, made({{"src/two", "other\n"}}));
  EXPECT_TRUE(again.certificate.passed) << world_.output_of(again);
  EXPECT_EQ(last().since_nothing, 1);
  EXPECT_EQ(must(read_link(must(kept_outputs(dir(), last().outputs)).layer + "/out/one")),
            "../src/one");
}

}  // namespace
}  // namespace gittxn::gates
