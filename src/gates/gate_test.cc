#include "gates/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "capture/trace/testing/traced.h"
#include "gates/checkout.h"
#include "gates/testing/gate_world.h"
#include "model/event.h"
#include "store/events.h"

namespace gittxn::gates {
namespace {

using testing::GateWorld;
using ::testing::HasSubstr;
using testing::must;
using ::testing::Not;

class Gate : public ::testing::Test {
 protected:
  int count() {
    std::string text = read_file(world_.home("count")).value_or("");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  // A gate that leaves a mark for each time it really runs.
  Policy counting(const std::string& more = "") {
    return GateWorld::policy("echo ran >>\"$HOME/count\"", more);
  }
  GateWorld world_;
};

// What may be reused is told from the records, which differ between back ends.
class TracedGate : public Gate, public ::testing::WithParamInterface<capture::Backend> {
 protected:
  void SetUp() override {
    SKIP_UNUSABLE(GetParam());
    world_.trace_with(GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, TracedGate,
                         ::testing::Values(capture::Backend::kBpf, capture::Backend::kHybrid,
                                           capture::Backend::kNotify),
                         [](const auto& p) { return std::string(backend_name(p.param)); });

TEST_F(Gate, RunsOnExactlyTheCandidateAndSaysSo) {
  Candidate candidate = world_.candidate({{"src/new.txt", "new\n"}});
  GateReport report = world_.run(
      GateWorld::policy("cat src/new.txt; git rev-parse HEAD; git status --porcelain"), candidate);
  const Certificate& certificate = report.certificate;
  EXPECT_TRUE(certificate.passed);
  EXPECT_EQ(certificate.exit_status, 0);
  EXPECT_EQ(certificate.tree, candidate.tree);
  EXPECT_EQ(certificate.parent, world_.base());
  EXPECT_EQ(certificate.txn, candidate.txn);
  EXPECT_EQ(world_.output_of(report), "new\n" + candidate.commit.str() + "\n");
  EXPECT_EQ(world_.streamed()["test"], world_.output_of(report));
  auto events = must(world_.store().events_of("t-test"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, event_type::kGateEvaluated);
}

TEST_F(Gate, FailureStopsTheRest) {
  Policy policy =
      must(parse_policy("[[gate]]\nname = \"one\"\nrun = \"echo no; exit 3\"\n"
                        "[[gate]]\nname = \"two\"\nrun = \"touch $HOME/two\"\n"));
  auto reports = must(run_gates(world_.context(), policy, world_.candidate({{"x", "x"}})));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_FALSE(reports[0].certificate.passed);
  EXPECT_EQ(reports[0].certificate.exit_status, 3);
  EXPECT_EQ(world_.output_of(reports[0]), "no\n");
  EXPECT_FALSE(must(exists(world_.home("two"))));
}

TEST_F(Gate, OfALandingShowsWhatItPrintedWhenItDidNotPass) {
  GateContext context = world_.context();
  context.shown = GateContext::Shown::kFailed;
  const Candidate candidate = world_.candidate({{"x", "x"}});
  const auto ask = [&](const std::string& script) {
    const Policy policy = GateWorld::policy(script);
    return must(run_gate(context, policy, policy.gates[0], candidate)).certificate.passed;
  };
  EXPECT_TRUE(ask("echo fine"));
  EXPECT_EQ(world_.streamed()["test"], "");
  EXPECT_FALSE(ask("echo broken; exit 1"));
  EXPECT_EQ(world_.streamed()["test"], "broken\n");
}

TEST_F(Gate, TimesOut) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  GateReport report =
      world_.run(GateWorld::policy("echo start; sleep 60", "timeout = \"300ms\"\n"), candidate);
  EXPECT_FALSE(report.certificate.passed);
  EXPECT_TRUE(report.certificate.timed_out);
  EXPECT_THAT(world_.output_of(report), HasSubstr("start"));
}

TEST_F(Gate, AMissingProgramFailsAsInAShell) {
  Policy policy = must(parse_policy("[[gate]]\nname = \"test\"\nrun = [\"no-such-program\"]\n"));
  GateReport report = world_.run(policy, world_.candidate({{"x", "x"}}));
  EXPECT_EQ(report.certificate.exit_status, 127);
  EXPECT_THAT(world_.output_of(report), HasSubstr("no-such-program"));
}

TEST_F(Gate, KeepsTheEndOfALongOutput) {
  GateReport report =
      world_.run(GateWorld::policy("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo the end"),
                 world_.candidate({{"x", "x"}}));
  EXPECT_TRUE(report.certificate.passed);
  std::string kept = world_.output_of(report);
  EXPECT_LT(kept.size(), (1u << 20) + 100);
  EXPECT_TRUE(kept.starts_with("[")) << kept.substr(0, 80);
  EXPECT_THAT(kept.substr(0, 80), HasSubstr("bytes before this were not kept]"));
  EXPECT_TRUE(kept.ends_with("the end\n"));
  EXPECT_EQ(world_.streamed()["test"].size(), 5'000'009u);
}

TEST_F(Gate, SeesAScrubbedEnvironmentAndNothingOfOurs) {
  world_.repo().env()["SECRET"] = "hunter2";
  world_.repo().env()["WANTED"] = "yes";
  world_.repo().env()["LC_TIME"] = "C";
  GateReport report = world_.run(
      GateWorld::policy("env | sort; ls -l /proc/self/fd; if read -r line; then echo input; fi",
                        "env = [\"WANTED\"]\n"),
      world_.candidate({{"x", "x"}}));
  std::string out = world_.output_of(report);
  EXPECT_THAT(out, HasSubstr("WANTED=yes"));
  EXPECT_THAT(out, HasSubstr("GIT_TXN_GATE=test"));
  EXPECT_THAT(out, HasSubstr("GIT_TXN_ID=t-test"));
  EXPECT_THAT(out, HasSubstr("LC_TIME=C"));
  EXPECT_THAT(out, Not(HasSubstr("hunter2")));
  EXPECT_THAT(out, Not(HasSubstr("GIT_AUTHOR")));
  EXPECT_THAT(out, Not(HasSubstr("kernel.db")));
  EXPECT_THAT(out, Not(HasSubstr("input")));
}

TEST_F(Gate, WhatItLeavesIsThrownAway) {
  Candidate candidate = world_.candidate({{"src/a.txt", "changed\n"}});
  std::string before = world_.repo().git({"for-each-ref"});
  GateReport report =
      world_.run(GateWorld::policy(
                     "echo junk >src/a.txt; echo junk >junk; git commit -qam junk; git tag junk"),
                 candidate);
  EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
  EXPECT_EQ(world_.repo().git({"for-each-ref"}), before);
  EXPECT_EQ(world_.repo().git({"status", "--porcelain"}), "");
  EXPECT_FALSE(must(exists(fixed_path(world_.context(), candidate.branch, "test"))));
}

TEST_P(TracedGate, TheSameCandidateAgainIsNotRunAgain) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  GateReport first = world_.run(counting(), candidate);
  EXPECT_EQ(first.certificate.limited, "");
  EXPECT_FALSE(first.certificate.tool_env.empty());
  EXPECT_FALSE(first.certificate.inputs.empty());
  GateReport second = world_.run(counting(), candidate);
  EXPECT_TRUE(second.reused);
  EXPECT_TRUE(second.certificate.passed);
  EXPECT_EQ(count(), 1);
}

TEST_F(Gate, NeverForAnotherVersionOrWhereItLookedAtSomethingElse) {
  Policy policy = GateWorld::policy("cat x; echo ran >>\"$HOME/count\"");
  Candidate candidate = world_.candidate({{"x", "x"}});
  world_.run(policy, candidate);
  EXPECT_FALSE(world_.run(policy, world_.candidate({{"x", "y"}})).reused);
  EXPECT_EQ(count(), 2);
  EXPECT_FALSE(world_.run(counting("timeout = \"5m\"\n"), candidate).reused);
  EXPECT_EQ(count(), 3);
}

// The next candidate stands on the landed one, whose certificate is that of the head.
TEST_P(TracedGate, WhatItSaidIsCarriedToATreeWhereItWouldLookAtTheSame) {
  Policy policy = GateWorld::policy("cat x; echo ran >>\"$HOME/count\"");
  const Candidate landed = world_.candidate({{"x", "x"}});
  const GateReport first = world_.run(policy, landed);
  Candidate next = world_.candidate({{"x", "x"}, {"y", "y"}});
  next.parent = landed.commit;
  next.txn = TxnId("t-next");
  const GateReport second = world_.run(policy, next);
  EXPECT_TRUE(second.carried());
  EXPECT_EQ(second.certificate.carried_from, landed.tree);
  EXPECT_EQ(second.certificate.tree, next.tree);
  EXPECT_EQ(second.certificate.parent, next.parent);
  EXPECT_EQ(second.certificate.output, first.certificate.output);
  EXPECT_EQ(must(world_.store().events_of("t-next")).size(), 1u);
  // A carried certificate is carried on, and still names the tree where the gate ran.
  Candidate last = world_.candidate({{"x", "x"}, {"y", "z"}});
  last.parent = next.commit;
  EXPECT_EQ(world_.run(policy, last).certificate.carried_from, landed.tree);
  EXPECT_EQ(count(), 1);
}

TEST_F(Gate, WhereAFileWasPlacedTheTreeMayHaveOneOfItsOwn) {
  world_.repo().write(".env", "KEY=1\n");
  SystemClock().sleep_ms(100);
  const Policy policy = GateWorld::policy("cat .env", "[worktree]\ncopy = [\".env\"]\n");
  const Candidate landed = world_.candidate({{"x", "x"}});
  ASSERT_EQ(world_.run(policy, landed).certificate.limited, "");
  Candidate next = world_.candidate({{"x", "y"}});
  next.parent = landed.commit;
  EXPECT_TRUE(world_.run(policy, next).carried());
  const Policy placed_otherwise =
      GateWorld::policy("cat .env", "[worktree]\ncopy = [\".env\", \"x\"]\n");
  EXPECT_FALSE(world_.run(placed_otherwise, next).reused);
  world_.repo().write(".env", "KEY=2\n");
  world_.repo().git({"add", "-f", ".env"});
  Candidate last = world_.candidate({{"x", "z"}});
  last.parent = landed.commit;
  EXPECT_FALSE(world_.run(policy, last).reused);
}

TEST_F(Gate, IsRunForEachCandidateWhereThePolicySaysSo) {
  const Policy policy = counting("carry = false\n");
  const Candidate landed = world_.candidate({{"x", "x"}});
  world_.run(policy, landed);
  Candidate next = world_.candidate({{"x", "y"}});
  next.parent = landed.commit;
  EXPECT_FALSE(world_.run(policy, next).reused);
  EXPECT_TRUE(world_.run(policy, next).reused) << "the very same candidate";
  EXPECT_EQ(count(), 2);
}

TEST_F(Gate, ALaterNoOnTheHeadIsAskedAgain) {
  const Policy policy = GateWorld::policy("cat x; test ! -e \"$HOME/broken\"");
  const Candidate landed = world_.candidate({{"x", "x"}});
  ASSERT_TRUE(world_.run(policy, landed).certificate.passed);
  must(write_file(world_.home("broken"), "", Sync::kNo));
  ASSERT_FALSE(world_.run(policy, landed).certificate.passed);
  must(remove_file(world_.home("broken")));
  Candidate next = world_.candidate({{"x", "x"}, {"y", "y"}});
  next.parent = landed.commit;
  EXPECT_FALSE(world_.run(policy, next).reused);
}

TEST_F(Gate, ACertificateOfAnEarlierVersionCountsForItsTreeAndSaysSo) {
  const Policy policy = counting();
  const Candidate landed = world_.candidate({{"x", "x"}});
  Certificate old = world_.run(policy, landed).certificate;
  old.looks = Digest();
  old.gate_version = Digest("earlier");
  must(world_.store().append({store::events::gate_evaluated(old)}));
  Policy of_then = policy;
  of_then.gates[0].version = old.gate_version;
  EXPECT_TRUE(world_.run(of_then, landed).reused);
  Candidate next = world_.candidate({{"x", "y"}});
  next.parent = landed.commit;
  const Certificate ran = world_.run(of_then, next).certificate;
  EXPECT_EQ(ran.missed, "its certificate is of an earlier version of git-txn");
}

TEST_F(Gate, LooksThatAreDamagedOrGoneProveNothing) {
  const Policy policy = counting();
  const Candidate landed = world_.candidate({{"x", "x"}});
  const GateReport first = world_.run(policy, landed);
  const std::string looks = first.certificate.looks.str();
  const std::string file = join_path(world_.repository().txn_dir(),
                                     "artifacts/" + looks.substr(0, 2) + "/" + looks.substr(2));
  ASSERT_TRUE(must(exists(file)));
  must(remove_file(file));
  Candidate next = world_.candidate({{"x", "y"}});
  next.parent = landed.commit;
  EXPECT_FALSE(world_.run(policy, next).reused);
  EXPECT_EQ(count(), 2);
}

TEST_F(Gate, NeverWhenAVariableItSeesDiffers) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  world_.run(counting(), candidate);
  world_.repo().env()["LC_ALL"] = "C";
  EXPECT_FALSE(world_.run(counting(), candidate).reused);
}

TEST_F(Gate, NeverWhenTheMachineOrWhatACheckoutHasDiffers) {
  const Candidate candidate = world_.candidate({{"x", "x"}});
  world_.run(counting(), candidate);
  ASSERT_TRUE(world_.run(counting(), candidate).reused);
  const mode_t before = ::umask(0077);
  EXPECT_FALSE(world_.run(counting(), candidate).reused);
  ::umask(before);
  EXPECT_TRUE(world_.run(counting(), candidate).reused) << "the first counts again";
  for (const char* setting : {"core.autocrlf", "filter.any.smudge"}) {
    world_.repo().git({"config", setting, "input"});
    EXPECT_FALSE(world_.run(counting(), candidate).reused) << setting;
    EXPECT_TRUE(world_.run(counting(), candidate).reused) << setting;
  }
  must(make_dirs(world_.home(".config/git")));
  must(write_file(world_.home(".config/git/attributes"), "x text\n", Sync::kNo));
  EXPECT_FALSE(world_.run(counting(), candidate).reused) << "attributes";
}

TEST_P(TracedGate, NeverWhenAFileOutsideChangedCameOrWent) {
  std::string tool = world_.home("tool.sh");
  must(write_file(tool, "echo one\n", Sync::kNo, 0755));
  // The survey leaves nothing to the clock's grain: what changed just before the run counts as
  // changed.
  SystemClock().sleep_ms(100);
  Candidate candidate = world_.candidate({{"x", "x"}});
  Policy policy =
      GateWorld::policy("echo ran >>$HOME/count; . $HOME/tool.sh; test ! -e $HOME/extra");
  ASSERT_EQ(world_.run(policy, candidate).certificate.limited, "");
  EXPECT_TRUE(world_.run(policy, candidate).reused);
  must(write_file(tool, "echo two\n", Sync::kNo, 0755));
  SystemClock().sleep_ms(100);
  EXPECT_FALSE(world_.run(policy, candidate).reused) << "the tool changed";
  EXPECT_TRUE(world_.run(policy, candidate).reused);
  must(write_file(world_.home("extra"), "", Sync::kNo));
  GateReport report = world_.run(policy, candidate);
  EXPECT_FALSE(report.reused) << "something came where nothing was";
  EXPECT_FALSE(report.certificate.passed);
  EXPECT_EQ(count(), 3);
}

TEST_P(TracedGate, NeverAfterAFailureOrAConnectionOrAMessOfItsOwn) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  auto fresh = [&](const std::string& shell) {
    GateReport report = world_.run(GateWorld::policy(shell), candidate);
    EXPECT_TRUE(report.certificate.tool_env.empty()) << shell;
    EXPECT_FALSE(world_.run(GateWorld::policy(shell), candidate).reused) << shell;
    return report.certificate.limited;
  };
  EXPECT_THAT(fresh("exit 1"), HasSubstr("did not pass"));
  EXPECT_THAT(fresh("bash -c 'exec 3<>/dev/tcp/127.0.0.1/9' 2>/dev/null; exit 0"),
              HasSubstr("127.0.0.1"));
  must(write_file(world_.home("state"), "0\n", Sync::kNo));
  EXPECT_NE(fresh("cat $HOME/state >/dev/null; echo more >>$HOME/state"), "");
  EXPECT_NE(fresh("cat $HOME/state >/dev/null; rm -f $HOME/state"), "");
}

TEST_P(TracedGate, ItsOwnTemporaryFilesAreNoInputs) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  Policy policy = GateWorld::policy(
      "d=$(mktemp -d); echo a >$d/a; cat $d/a; mv $d/a $d/b; cat $d/b; rm -r $d; mkdir out; echo o "
      ">out/o; cat out/o");
  GateReport report = world_.run(policy, candidate);
  EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
  EXPECT_EQ(report.certificate.limited, "");
  EXPECT_TRUE(world_.run(policy, candidate).reused);
}

TEST_P(TracedGate, ACopiedFileIsAnInput) {
  world_.repo().write(".env", "KEY=1\n");
  SystemClock().sleep_ms(100);
  Candidate candidate = world_.candidate({{"x", "x"}});
  Policy policy = GateWorld::policy("cat .env", "[worktree]\ncopy = [\".env\"]\n");
  GateReport first = world_.run(policy, candidate);
  EXPECT_EQ(world_.output_of(first), "KEY=1\n");
  EXPECT_EQ(first.certificate.limited, "");
  EXPECT_TRUE(world_.run(policy, candidate).reused);
  world_.repo().write(".env", "KEY=2\n");
  GateReport second = world_.run(policy, candidate);
  EXPECT_FALSE(second.reused);
  EXPECT_EQ(world_.output_of(second), "KEY=2\n");
}

TEST_P(TracedGate, AnotherBranchOfTheRepositoryIsAnInputOfAGateThatAsksGit) {
  SystemClock().sleep_ms(100);  // what was written a moment ago counts as changed while it ran
  Candidate candidate = world_.candidate({{"x", "x"}});
  Policy policy = GateWorld::policy("git log -1 --format=%s main >/dev/null");
  const Certificate first = world_.run(policy, candidate).certificate;
  EXPECT_EQ(first.limited, "it asked git for refs/heads/main");
  EXPECT_TRUE(world_.run(policy, candidate).reused);
  world_.repo().git({"branch", "other"});
  EXPECT_FALSE(world_.run(policy, candidate).reused);
}

TEST_F(Gate, ALaterNoIsAskedAgain) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  Policy policy = GateWorld::policy("test ! -e \"$HOME/broken\"");
  ASSERT_TRUE(world_.run(policy, candidate).certificate.passed);
  must(write_file(world_.home("broken"), "", Sync::kNo));
  ASSERT_FALSE(world_.run(policy, candidate).certificate.passed);
  must(remove_file(world_.home("broken")));
  EXPECT_FALSE(world_.run(policy, candidate).reused);
}

TEST_P(TracedGate, MustNotTestAnotherCheckout) {
  const Candidate candidate = world_.candidate({{"x", "x"}});
  const std::string checkout = world_.repo().path();
  world_.repo().write("tool.log", "a tool of the person's\n");  // ignored
  const auto elsewhere = [&](const std::string& shell) {
    const Certificate said = world_.run(GateWorld::policy(shell), candidate).certificate;
    EXPECT_EQ(said.passed, said.elsewhere.empty()) << shell;
    EXPECT_EQ(said.exit_status, 0) << shell;
    return said.elsewhere;
  };
  EXPECT_EQ(elsewhere("cat " + checkout + "/src/a.txt"), checkout + "/src/a.txt");
  EXPECT_EQ(elsewhere("ln -s " + checkout + "/src there; cat there/a.txt"),
            checkout + "/src/a.txt");
  EXPECT_EQ(elsewhere("cd " + checkout + "; cat src/a.txt"), checkout + "/src/a.txt");
  EXPECT_EQ(elsewhere("cat src/a.txt " + checkout + "/tool.log"), "");
  EXPECT_EQ(elsewhere("ls " + checkout + "; test -e " + checkout + "/src/a.txt"), "");
}

TEST_F(Gate, AFailureIsRepeatedAsOftenAsThePolicySays) {
  const Candidate candidate = world_.candidate({{"src/new.txt", "new\n"}});
  // It fails twice.
  const std::string command =
      "echo ran >>\"$HOME/count\"; echo out; test $(wc -l <\"$HOME/count\") -gt 2";
  const GateReport once = world_.run(GateWorld::policy(command, "retries = 1\n"), candidate);
  EXPECT_FALSE(once.certificate.passed);
  EXPECT_FALSE(once.certificate.flaky);
  EXPECT_EQ(count(), 2);
  must(remove_file(world_.home("count")));
  const GateReport blocked = world_.run(GateWorld::policy(command, "retries = 2\n"), candidate);
  EXPECT_FALSE(blocked.certificate.passed);
  EXPECT_TRUE(blocked.certificate.flaky);
  EXPECT_EQ(outcome_of(blocked.certificate), "it failed, and passed when it was repeated");
  EXPECT_EQ(world_.output_of(blocked),
            "out\n== run 1 of it: exit status 1\nout\n== run 2 of it: exit status 1\nout\n");
  must(remove_file(world_.home("count")));
  const Policy allowed = GateWorld::policy(command, "retries = 2\nflaky = \"allow\"\n");
  const GateReport passed = world_.run(allowed, candidate);
  EXPECT_TRUE(passed.certificate.passed);
  EXPECT_TRUE(passed.certificate.flaky);
  EXPECT_TRUE(passed.certificate.tool_env.empty()) << "it counts for that run alone";
  EXPECT_FALSE(world_.run(allowed, candidate).reused);
}

TEST_F(Gate, TwoAtOnceGetLanesOfTheirOwn) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  GateContext context = world_.context();
  auto lane = must(GateLane::take(context, "test", candidate.branch, GateLane::Lanes::kAny));
  auto other = must(GateCheckout::make(context, std::move(lane), candidate, candidate.commit));
  EXPECT_EQ(other.lane(), Lane::kFixed);
  GateReport report = world_.run(counting(), candidate);
  EXPECT_TRUE(report.certificate.passed);
  EXPECT_NE(report.certificate.limited, "") << "another path is another environment";
  EXPECT_TRUE(must(exists(other.tree() + "/x"))) << "the other run's checkout was taken away";
}

TEST_F(Gate, LeftoversOfAKilledRunAreRemovedFirst) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  repo::WorktreeSpec left;
  left.path = fixed_path(world_.context(), candidate.branch, "test");
  left.base = world_.base();
  left.target = candidate.branch;
  left.txn = TxnId("t-dead");
  must(make_dirs(parent_dir(left.path)));
  std::string tree = must(repo::create_worktree(world_.repository(), left)).tree;
  must(write_file(tree + "/stale", "stale", Sync::kNo));
  GateReport report = world_.run(GateWorld::policy("test ! -e stale && test -e x"), candidate);
  EXPECT_TRUE(report.certificate.passed) << world_.output_of(report);
}

TEST_F(Gate, AnInterruptIsNoAnswer) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  GateContext context = world_.context();
  bool once = true;
  context.interrupted = [&] { return std::exchange(once, false); };
  auto result = run_gates(context, GateWorld::policy("sleep 30"), candidate);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kInterrupted);
  EXPECT_TRUE(must(world_.store().certificates(candidate.tree)).empty());
}

}  // namespace
}  // namespace gittxn::gates
