// Gates that are made of units, end to end in this process: what runs, what is carried, and what
// keeps it from being so.
#include "gates/units/units.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "asking/testing/no_namespaces.h"
#include "asking/testing/world.h"
#include "base/bug.h"
#include "base/fs.h"
#include "base/testing/campaign.h"
#include "base/testing/child.h"
#include "gates/checkout.h"
#include "gates/testing/unit_world.h"
#include "gates/units/table.h"

namespace gittxn::gates {
namespace {

using repo::testing::must;
using testing::GateWorld;

using testing::kPlain;
using testing::kSuite;
using testing::Units;

TEST_F(Units, RunOnceAndAgainWhereWhatTheyLookedAtHasChanged) {
  const Policy suite = policy(std::string(kPlain));
  const GateReport first = run(suite, next({}));
  EXPECT_TRUE(first.certificate.passed) << world_.output_of(first);
  EXPECT_EQ(ran(first), "tests/a tests/b tests/c") << limits(first);
  EXPECT_EQ(first.certificate.tally.units, 3);
  const GateReport second = run(suite, next({{"src/one", "other\n"}}));
  EXPECT_TRUE(second.certificate.passed);
  EXPECT_EQ(ran(second), "tests/a") << limits(first);
  EXPECT_EQ(second.certificate.tally.ran, 1);
  EXPECT_EQ(second.certificate.missed, "tests/a: src/one has changed");
  const GateReport third = run(suite, next({{"src/one", "other\n"}, {"docs", "x\n"}}));
  EXPECT_TRUE(third.carried());
  EXPECT_EQ(ran(third), "");
}

TEST_F(Units, OneThatFailsEndsTheGateAndIsRunFirstTheNextTime) {
  const Policy suite = policy(std::string(kPlain) + "jobs = 1\n");
  run(suite, next({}));
  const GateReport failed =
      run(suite, next({{"tests/b", "echo oh; exit 3\n"}, {"src/one", "x\n"}}));
  EXPECT_FALSE(failed.certificate.passed);
  EXPECT_EQ(failed.certificate.exit_status, 3);
  EXPECT_EQ(outcome_of(failed.certificate), "1 of 3 units failed, first tests/b");
  EXPECT_EQ(world_.output_of(failed), "== tests/b: exit status 3\noh\n");
  EXPECT_EQ(world_.streamed()["suite"], "== tests/b: exit status 3\noh\n");
  // The failed unit has to run again; the results of the others are not lost.
  const GateReport again = run(suite, next({{"tests/b", "true\n"}, {"src/one", "x\n"}}));
  EXPECT_TRUE(again.certificate.passed);
  EXPECT_TRUE(ran(again).contains("tests/b"));
}

TEST_F(Units, ByHandAllRun) {
  const Policy suite = policy(std::string(kPlain));
  const Candidate candidate = next({{"tests/a", "exit 1\n"}, {"tests/b", "exit 1\n"}});
  const GateReport report = must(run_gate(context(), suite, suite.gates.front(), candidate));
  EXPECT_EQ(report.certificate.tally.units, 3);
  EXPECT_EQ(report.certificate.tally.failed, 2);
  EXPECT_EQ(ran(report), "tests/a tests/b tests/c");
}

TEST_F(Units, WhatOneWritesIsSeenByNone) {
  const std::string unit =
      "test ! -e left && test ! -e src/left && test ! -e /tmp/left || exit 1\n"
      "echo x >left; echo x >src/left; echo x >/tmp/left; echo more >>src/one\n"
      "test \"$(cat src/one)\" != 1\n";
  const Policy suite = policy(std::string(kPlain) + "jobs = 1\n");
  const GateReport report = run(suite, next({{"tests/a", unit}, {"tests/b", unit}}));
  EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
  EXPECT_FALSE(must(exists("/tmp/left")));
}

TEST_F(Units, ABuildThatComesOutTheSameChangesNothingForThem) {
  const std::string keys =
      // A file that the build makes is no unit, wherever it is.
      "build = \"mkdir -p out && grep -v '^#' src/one >out/one; cp src/two out/two; echo exit 1 "
      ">tests/made\"\n"
      "units = [\"tests/*\"]\nrun = [\"sh\", \"{unit}\"]\n";
  const std::map<std::string, std::string> units = {{"tests/a", "grep -q . out/one\n"},
                                                    {"tests/b", "test \"$(cat out/two)\" = 2\n"}};
  const Policy suite = policy(keys);
  const auto with = [&](std::map<std::string, std::string> files) {
    files.insert(units.begin(), units.end());
    return next(std::move(files));
  };
  const GateReport first = run(suite, with({}));
  EXPECT_TRUE(first.certificate.passed) << world_.output_of(first) << outcome_of(first.certificate);
  EXPECT_EQ(ran(first), "+build tests/a tests/b tests/c") << limits(first);
  EXPECT_EQ(ran(run(suite, with({{"src/one", "# a comment\n1\n"}}))), "+build");
  EXPECT_EQ(ran(run(suite, with({{"src/one", "other\n"}}))), "+build tests/a");
  EXPECT_EQ(ran(run(suite, with({{"src/one", "other\n"}, {"docs", "x\n"}}))), "");
  const GateReport broken = run(suite, with({{"src/one", "other\n"}, {"src/two", "3\n"}}));
  EXPECT_EQ(outcome_of(broken.certificate), "1 of 3 units failed, first tests/b");
}

TEST_F(Units, ABuildThatFailsOrRemovesAFileEndsTheGate) {
  const std::string units = "units = [\"tests/*\"]\nrun = [\"sh\", \"{unit}\"]\n";
  const GateReport failed =
      run(policy("build = \"echo half >out; echo no; exit 4\"\n" + units), next({}));
  EXPECT_EQ(outcome_of(failed.certificate), "its set-up or build failed");
  EXPECT_EQ(failed.certificate.exit_status, 4);
  EXPECT_EQ(world_.output_of(failed), "no\n");
  const GateReport removed = run(policy("build = \"rm src/one\"\n" + units), next({}));
  EXPECT_EQ(outcome_of(removed.certificate), "its set-up or build failed");
  EXPECT_EQ(world_.output_of(removed),
            "its set-up or build removed 'src/one', which is a file of the candidate\n");
}

TEST_F(Units, ASetUpMayConnectAndABuildThatDoesRunsAgain) {
  const std::string connect =
      "'''python3 -I -c 'import socket; socket.socket().connect_ex((\"127.0.0.1\", 9))'; "
      "cp src/one out'''\n";
  for (const std::string part : {"setup", "build"}) {
    const Policy suite = policy(part + " = " + connect + std::string(kPlain));
    const GateReport first = run(suite, next({{"docs", part}}));
    EXPECT_TRUE(first.certificate.passed) << world_.output_of(first);
    const std::string again = ran(run(suite, next({{"docs", part + " again"}})));
    EXPECT_EQ(again, part == "setup" ? "" : "+build") << limits(first);
  }
}

TEST_F(Units, ABuildMayUseCaches) {
  must(make_dirs(home("cache")));
  must(write_file(home("cache/old"), "x\n", Sync::kNo));
  const Policy suite = policy(
      "build = \"cat ~/cache/old; date >>~/cache/old; cp src/one out\"\n"
      "caches = [\"~/cache\"]\n" +
      std::string(kPlain));
  const GateReport first = run(suite, next({}));
  EXPECT_TRUE(first.certificate.passed) << world_.output_of(first);
  EXPECT_EQ(ran(run(suite, next({{"docs", "x\n"}}))), "") << limits(first);
}

TEST_F(Units, OutputsThatAreGoneAreBuiltAgain) {
  const Policy suite =
      policy("build = \"cp src/one out\"\nunits = [\"tests/*\"]\nrun = [\"sh\", \"{unit}\"]\n");
  run(suite, next({}));
  const std::string dir = fixed_path(context(), RefName("refs/heads/main"), "suite") + "+outputs";
  ASSERT_EQ(must(list_dir(dir)).size(), 1u);
  must(remove_tree(dir));
  EXPECT_EQ(ran(run(suite, next({{"docs", "x\n"}}))), "+build");
  const std::string kept = join_path(dir, must(list_dir(dir)).front().name);
  must(write_file(join_path(kept, "inventory"), "damaged\n", Sync::kNo));
  EXPECT_EQ(ran(run(suite, next({{"docs", "y\n"}}))), "+build");
}

TEST_F(Units, ATableThatIsGoneCostsARun) {
  const Policy suite = policy(std::string(kPlain));
  const GateReport first = run(suite, next({}));
  const std::string hex = first.certificate.units.str();
  std::string path;
  for (const std::string& name : {hex, hex.substr(0, 2) + "/" + hex.substr(2)}) {
    const std::string at = join_path(world_.repository().txn_dir(), "artifacts/" + name);
    if (must(exists(at))) path = at;
  }
  ASSERT_NE(path, "");
  must(remove_file(path));
  must(write_file(path, "damaged", Sync::kNo));
  EXPECT_EQ(ran(run(suite, next({{"docs", "x\n"}}))), "tests/a tests/b tests/c");
}

TEST_F(Units, AListIsAQuestionToo) {
  const Policy suite = policy("units = \"ls tests/* | grep -v c\"\nrun = [\"sh\", \"{unit}\"]\n");
  const GateReport first = run(suite, next({}));
  EXPECT_TRUE(first.certificate.passed) << outcome_of(first.certificate);
  EXPECT_EQ(ran(first), "+list tests/a tests/b") << limits(first);
  EXPECT_EQ(ran(run(suite, next({{"src/one", "other\n"}}))), "tests/a");
  EXPECT_EQ(ran(run(suite, next({{"src/one", "other\n"}, {"tests/d", "true\n"}}))),
            "+list tests/d");
}

TEST_F(Units, AListThatIsNoneEndsTheGate) {
  const std::vector<std::pair<std::string, std::string>> lists = {
      {"true", "there is no unit"},
      {"echo; echo", "there is no unit"},
      {"echo a; exit 5", "the list of its units failed: exit status 5"},
      {"echo -x", "unit '-x' would be an option of its command"},
      {"seq 1000000", "the list of its units is too long"},
      {"seq 20001", "there are more than 20000 units"},
      {"head -c 5000 /dev/zero | tr '\\\\0' x", "is longer than 4096 bytes"},
  };
  for (const auto& [command, why] : lists) {
    const GateReport report =
        run(policy("units = \"" + command + "\"\nrun = [\"true\", \"{unit}\"]\n"), next({}));
    EXPECT_FALSE(report.certificate.passed) << command;
    EXPECT_TRUE(outcome_of(report.certificate).contains(why)) << outcome_of(report.certificate);
  }
  const GateReport none =
      run(policy("units = [\"nowhere/*\"]\nrun = [\"true\", \"{unit}\"]\n"), next({}));
  EXPECT_EQ(outcome_of(none.certificate), "there is no unit");
}

TEST_F(Units, ANameIsAnArgumentWhateverIsInIt) {
  const std::string name = "tests/a b;$(touch x)\n'\"";
  const Policy suite = policy("units = [\"tests/*\"]\nrun = [\"test\", \"-f\", \"{unit}\"]\n");
  const GateReport report = run(suite, next({{name, "x\n"}}));
  EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
  EXPECT_TRUE(ran(report).contains(name));
}

TEST_F(Units, WhatIsOutsideIsLookedAtThroughLinksOfTheTree) {
  const std::string outside = home("outside");
  must(write_file(outside, "one\n", Sync::kNo));
  must(write_file(home("link-target"), "x\n", Sync::kNo));
  SystemClock().sleep_ms(100);
  world_.repo().git({"config", "core.symlinks", "true"});
  ASSERT_EQ(::symlink(outside.c_str(), world_.repo().file("way").c_str()), 0);
  const Policy suite = policy(
      "build = \"ln -s $HOME/link-target out\"\nunits = [\"tests/*\"]\n"
      "run = [\"sh\", \"{unit}\"]\n");
  const std::map<std::string, std::string> units = {{"tests/a", "cat way\n"},
                                                    {"tests/b", "cat out\n"}};
  const GateReport first = run(suite, next(units));
  EXPECT_TRUE(first.certificate.passed) << world_.output_of(first);
  EXPECT_EQ(ran(first), "+build tests/a tests/b tests/c") << limits(first);
  const auto again = [&](const std::string& docs) {
    std::map<std::string, std::string> files = units;
    files["docs"] = docs;
    ::symlink(outside.c_str(), world_.repo().file("way").c_str());
    return ran(run(suite, next(files)));
  };
  EXPECT_EQ(again("1\n"), "");
  must(write_file(outside, "two\n", Sync::kNo));
  SystemClock().sleep_ms(100);
  EXPECT_EQ(again("2\n"), "tests/a");
  must(write_file(home("link-target"), "y\n", Sync::kNo));
  SystemClock().sleep_ms(100);
  EXPECT_EQ(again("3\n"), "tests/b");
}

TEST_F(Units, WhatIsTheirOwnIsNoFileOfTheMachine) {
  const std::string unit =
      "echo x >/tmp/mine && cat /tmp/mine >/dev/shm/mine && mkdir -p \"$TMPDIR/d\" || exit 1\n"
      "python3 -I -c 'import socket\n"
      "s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()\n"
      "c = socket.create_connection(s.getsockname())'\n";
  const Policy suite = policy(std::string(kPlain));
  const GateReport first = run(suite, next({{"tests/a", unit}}));
  EXPECT_TRUE(first.certificate.passed) << world_.output_of(first);
  const GateReport second = run(suite, next({{"tests/a", unit}, {"docs", "x\n"}}));
  EXPECT_EQ(ran(second), "") << limits(first) << second.certificate.missed;
}

TEST_F(Units, WhatACacheHoldsIsNoInput) {
  const std::string cache = home("cache");
  must(make_dirs(cache));
  must(write_file(cache + "/warm", "1\n", Sync::kNo));
  ASSERT_EQ(::symlink(cache.c_str(), home("way").c_str()), 0);
  SystemClock().sleep_ms(100);
  const std::string unit = "cat ~/way/warm && echo x >~/cache/made && cat ~/way/made\n";
  for (const char* name : {"cache", "way", "nowhere"}) {
    const Policy suite = policy(std::string(kPlain) + "caches = [\"~/" + name + "\"]\n");
    const GateReport first = run(suite, next({{"tests/a", unit}, {"docs", name}}));
    EXPECT_EQ(first.certificate.passed, std::string(name) != "nowhere") << world_.output_of(first);
    EXPECT_FALSE(must(exists(cache + "/made")));
    if (!first.certificate.passed) continue;
    must(write_file(cache + "/warm", std::string(name) + "\n", Sync::kNo));
    const GateReport second = run(suite, next({{"tests/a", unit}, {"docs", "other"}}));
    EXPECT_EQ(ran(second), "") << limits(first);
  }
}

TEST_F(Units, WhatCountsForItsRunAloneRunsAgain) {
  const std::map<std::string, std::string> units = {
      {"tests/a", "sleep 30 >/dev/null 2>&1 &\n"},  // a process that it leaves behind
      {"tests/b", "true\n"},
  };
  const Policy suite = policy(std::string(kPlain));
  const GateReport first = run(suite, next(units));
  EXPECT_TRUE(first.certificate.passed) << world_.output_of(first);
  std::map<std::string, std::string> again = units;
  again["docs"] = "x\n";
  EXPECT_EQ(ran(run(suite, next(again))), "tests/a") << limits(first);
}

TEST_F(Units, OneThatTestsAnotherCheckoutDoesNotPass) {
  const std::string other = outside_ / "other";
  world_.repo().git({"worktree", "add", "-q", "--detach", other});
  const std::string file = other + "/README";
  const GateReport report =
      run(policy(std::string(kPlain)), next({{"tests/a", "cat " + file + "\n"}}));
  EXPECT_FALSE(report.certificate.passed);
  EXPECT_EQ(world_.output_of(report),
            "== tests/a: it tested " + file + ", not the candidate\nhello\n");
}

TEST_F(Units, OneThatPassesAfterItHadFailedIsFlaky) {
  const std::string unit = "exit $(( 0x$(head -c1 /dev/urandom | od -An -tx1 | tr -d ' ') % 2 ))\n";
  const std::string keys = std::string(kPlain) + "retries = 10\njobs = 1\n";
  int flaky = 0;
  for (int i = 0; i < 50 && flaky < 2; ++i) {
    for (const bool allow : {false, true}) {
      const Policy suite = policy(keys + (allow ? "flaky = \"allow\"\n" : ""));
      const GateReport report =
          run(suite, next({{"tests/a", unit + "# " + std::to_string(i) + "\n"}}));
      const UnitTally& tally = report.certificate.tally;
      if (!report.certificate.flaky) continue;
      ++flaky;
      EXPECT_EQ(tally.flaky, 1);
      EXPECT_EQ(report.certificate.passed, allow);
      EXPECT_EQ(table(report).front().limited, "it passed after it had failed");
      EXPECT_TRUE(table(report).front().looks.empty());
    }
  }
  EXPECT_GT(flaky, 0);
}

TEST_F(Units, OneInQuarantineMayFailUntilItsDay) {
  const auto in_quarantine = [&](const std::string& until) {
    return policy(std::string(kPlain),
                  "[[quarantine]]\ngate = \"suite\"\nunit = \"tests/a\"\n"
                  "why = \"it is slow\"\nuntil = " +
                      until + "\n");
  };
  const Candidate candidate = next({{"tests/a", "exit 5\n"}});
  const GateReport passed = run(in_quarantine("2999-12-31"), candidate);
  EXPECT_TRUE(passed.certificate.passed);
  EXPECT_EQ(passed.certificate.tally.failed, 1);
  EXPECT_EQ(passed.certificate.tally.quarantined, 1);
  EXPECT_EQ(world_.streamed()["suite"],
            "== tests/a: exit status 5\n== tests/a may fail until 2999-12-31: it is slow\n");
  EXPECT_EQ(ran(run(in_quarantine("2999-12-31"), next({{"tests/a", "exit 5\n"}, {"docs", "x\n"}}))),
            "tests/a")
      << "it runs for every candidate";
  const GateReport over = run(in_quarantine("2001-01-01"), next({{"tests/a", "exit 5\n"}}));
  EXPECT_FALSE(over.certificate.passed);
  EXPECT_EQ(over.certificate.tally.quarantined, 0);
}

// Changes after each other, of which each touches one module that one unit in twenty looks at.
TEST_F(Units, OfManyFewRun) {
  const int changes = std::max(4, gittxn::testing::campaign_rounds(8));
  const int units = 5 * changes;
  std::map<std::string, std::string> files;
  for (int i = 0; i < units; ++i) {
    std::string unit;
    for (int module = i % 20; module < changes; module += 20) {
      unit += "grep -q . src/" + std::to_string(module) + "\n";
    }
    files["tests/" + std::to_string(i)] = unit + "true\n";
  }
  for (int i = 0; i < changes; ++i) files["src/" + std::to_string(i)] = "old\n";
  const Policy suite = policy(std::string(kPlain));
  int ran_now = 0;
  run(suite, next(files));
  for (int i = 0; i < changes; ++i) {
    files["src/" + std::to_string(i)] = "new\n";
    const GateReport report = run(suite, next(files));
    EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
    ran_now += report.certificate.tally.ran;
  }
  std::printf("%d changes, %d units: %d of %d run\n", changes, units, ran_now, changes * units);
  EXPECT_LE(ran_now, changes * units / 10);
}

// Says what went wrong.
std::string told_without_namespaces() {
  if (!asking::testing::without_namespaces()) return "they could not be taken away";
  GateWorld world;
  const Policy suite = must(parse_policy(
      "[[gate]]\nname = \"suite\"\nbuild = \"cp src/one out\"\nunits = \"ls tests/*\"\n"
      "run = [\"sh\", \"{unit}\"]\n"));
  std::map<std::string, std::string> files = kSuite;
  files["tests/a"] = "cat out\n";
  const auto run = [&] { return must(run_gates(world.context(), suite, world.candidate(files))); };
  for (int i = 0; i < 2; ++i) {
    const GateReport report = run().front();
    if (!report.certificate.passed) return outcome_of(report.certificate) + world.output_of(report);
    if (report.certificate.tally.ran != 3) return "not all of its units ran";
  }
  files["tests/a"] = "exit 2\n";
  const GateReport failed = run().front();
  return world.output_of(failed) == "== tests/a: exit status 2\n" ? "" : world.output_of(failed);
}

TEST_F(Units, WithoutNamespacesTheyRunInOneCheckoutAndCountForThatAlone) {
  const std::string told = home("told");
  const pid_t child = gittxn::testing::in_child(
      [&] { return write_file(told, told_without_namespaces(), Sync::kNo) ? 0 : 1; });
  EXPECT_EQ(gittxn::testing::status_of(child), 0);
  EXPECT_EQ(must(read_file(told)), "");
}

#ifdef GIT_TXN_BUGS
TEST_F(Units, OneThatCountsForAnyFilesWouldBeNoticed) {
  const Policy suite = policy(std::string(kPlain));
  run(suite, next({}));
  arm_bug("gates.any_unit");
  const GateReport report = run(suite, next({{"src/one", ""}}));
  arm_bug("");
  EXPECT_TRUE(report.certificate.passed) << "the run of tests/a would have failed";
}
#endif

}  // namespace
}  // namespace gittxn::gates
