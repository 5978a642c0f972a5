#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/policy_file.h"
#include "gates/policy_rules.h"
#include "gates/trust.h"

namespace gittxn::gates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTwo = R"(
[workflow.feature]
phases = ["plan", "build"]
on_close = { build = "carry" }

[[workflow.feature.gate]]
phase = "plan"
name = "written"
artifact = "docs/plan.md"

[[workflow.feature.gate]]
phase = "build"
name = "test"
run = "make test"
timeout = "5m"
env = ["CI"]

[[workflow.feature.gate]]
phase = "build"
name = "all"
transactions = "complete"

[[workflow.feature.gate]]
phase = "build"
name = "review"
verdict = "review"
)";

std::string error_of(const std::string& text) {
  const auto policy = parse_policy(text);
  if (policy) return "(no error)";
  EXPECT_EQ(policy.error().code, Code::kUsage);
  return policy.error().message;
}

TEST(PolicyWorkflows, PhasesInOrderWithTheirGates) {
  const Policy policy = parse_policy(kTwo).value();
  const WorkflowSpec* feature = policy.workflow("feature");
  ASSERT_NE(feature, nullptr);
  EXPECT_EQ(policy.workflow("other"), nullptr);
  ASSERT_EQ(feature->phases.size(), 2u);
  EXPECT_EQ(feature->phases[0].on_close, OnClose::kDrop) << "what is not said lets nothing through";
  EXPECT_EQ(feature->phases[1].on_close, OnClose::kCarry);
  const auto& gates = feature->phase("build")->gates;
  ASSERT_EQ(gates.size(), 3u);
  EXPECT_EQ(gates[0].kind, PhaseGate::Kind::kRun);
  EXPECT_THAT(gates[0].gate.command, ElementsAre("sh", "-c", "make test"));
  EXPECT_EQ(gates[0].gate.timeout_ms, 300'000);
  EXPECT_EQ(gates[1].kind, PhaseGate::Kind::kTransactions);
  EXPECT_EQ(gates[2].kind, PhaseGate::Kind::kVerdict);
  EXPECT_EQ(gates[2].subject, "review");
  EXPECT_EQ(feature->phase("plan")->gates[0].subject, "docs/plan.md");
}

TEST(PolicyWorkflows, AGateMayAskTheMembersOfThePortfolio) {
  const std::string head =
      "[workflow.w]\nphases = [\"a\"]\n[[workflow.w.gate]]\nphase = \"a\"\nname = \"g\"\n";
  for (const std::string good : {"feature", "feature/build"}) {
    const Policy policy = parse_policy(head + "members = \"" + good + "\"\n").value();
    const PhaseGate& gate = policy.workflow("w")->phase("a")->gates.at(0);
    EXPECT_EQ(gate.kind, PhaseGate::Kind::kMembers);
    EXPECT_EQ(gate.subject, good);
    EXPECT_TRUE(policy.trust_hash.empty()) << "it runs nothing";
  }
  for (const std::string bad : {"", "/", "feature/", "/build", "a/b/c", "a b"}) {
    EXPECT_THAT(error_of(head + "members = \"" + bad + "\"\n"), HasSubstr("is not a name")) << bad;
  }
  EXPECT_THAT(error_of(head + "members = \"w\"\nverdict = \"v\"\n"), HasSubstr("more than one"));
  EXPECT_THAT(error_of(head + "members = [\"w\"]\n"), HasSubstr("must be a string"));
}

TEST(PolicyWorkflows, AnyChangeOfAPhaseIsAnotherVersionOfIt) {
  const Policy policy = parse_policy(kTwo).value();
  const auto version = [](const Policy& of, std::string_view phase) {
    return of.workflow("feature")->phase(phase)->version;
  };
  for (const auto& [was, is] : std::vector<std::pair<std::string, std::string>>{
           {"make test", "make check"},
           {"timeout = \"5m\"", "timeout = \"6m\""},
           {"build = \"carry\"", "build = \"drop\""},
           {"transactions = \"complete\"", "verdict = \"complete\""},
           {"name = \"review\"", "name = \"second\""}}) {
    std::string text(kTwo);
    text.replace(text.find(was), was.size(), is);
    const Policy changed = parse_policy(text).value();
    EXPECT_NE(version(changed, "build"), version(policy, "build")) << is;
    EXPECT_EQ(version(changed, "plan"), version(policy, "plan")) << is;
    EXPECT_NE(changed.version, policy.version) << is;
  }
}

TEST(PolicyWorkflows, TheirCommandsNeedAYesOfTheirOwn) {
  const Policy policy = parse_policy(kTwo).value();
  EXPECT_FALSE(policy.trust_hash.empty());
  EXPECT_THAT(
      trusted_commands(policy),
      ElementsAre(HasSubstr("workflow feature, phase build, gate test: sh -c 'make test'")));
  const std::string plain = "[[gate]]\nname = \"lint\"\nrun = \"true\"\n";
  EXPECT_NE(parse_policy(plain + std::string(kTwo))->trust_hash, parse_policy(plain)->trust_hash);
  const std::string quiet =
      "[workflow.w]\nphases = [\"a\"]\n[[workflow.w.gate]]\nphase = \"a\"\nname = \"g\"\n"
      "verdict = \"v\"\n";
  EXPECT_TRUE(parse_policy(quiet)->trust_hash.empty()) << "it runs nothing";
}

// A gate that runs the same here and there is one gate: what it said of a landing counts.
TEST(PolicyWorkflows, ACommandHasTheVersionItHasAsAGateOfLandings) {
  const Policy policy = parse_policy(
                            "[[gate]]\nname = \"test\"\nrun = \"make\"\n[workflow.w]\n"
                            "phases = [\"a\"]\n[[workflow.w.gate]]\nphase = \"a\"\n"
                            "name = \"test\"\nrun = \"make\"\n")
                            .value();
  EXPECT_EQ(policy.workflows[0].phases[0].gates[0].gate.version, policy.gates[0].version);
}

TEST(PolicyWorkflows, WhatMakesNoSenseIsRefused) {
  const std::string head = "[workflow.w]\nphases = [\"a\", \"b\"]\n";
  const std::string gate = "[[workflow.w.gate]]\nphase = \"a\"\nname = \"g\"\n";
  EXPECT_THAT(error_of("[workflow.w]\n"), HasSubstr("[workflow.w] needs phases"));
  EXPECT_THAT(error_of("[workflow.w]\nphases = []\n"), HasSubstr("phases is empty"));
  EXPECT_THAT(error_of("[workflow.w]\nphases = \"a\"\n"), HasSubstr("phases must be an array"));
  EXPECT_THAT(error_of("[workflow.w]\nphases = [\"a\", \"a\"]\n"), HasSubstr("is there twice"));
  EXPECT_THAT(error_of("[workflow.w]\nphases = [\"a/b\"]\n"), HasSubstr("is not a name"));
  EXPECT_THAT(error_of("[workflow.\"\\u0007\"]\nphases = [\"a\"]\n"), HasSubstr("is not a name"));
  EXPECT_THAT(error_of("[workflow." + std::string(65, 'x') + "]\nphases = [\"a\"]\n"),
              HasSubstr("is not a name"));
  EXPECT_THAT(error_of("workflow = 1\n"), HasSubstr("write [workflow.NAME]"));
  EXPECT_THAT(error_of(head + "gates = 1\n"), HasSubstr("unknown key 'gates'"));
  EXPECT_THAT(error_of(head + "on_close = { c = \"drop\" }\n"), HasSubstr("has no phase 'c'"));
  EXPECT_THAT(error_of(head + "on_close = { a = \"land\" }\n"),
              HasSubstr("on_close cannot be 'land'"));
  EXPECT_THAT(error_of(head + gate), HasSubstr("says nothing that must hold"));
  EXPECT_THAT(error_of(head + gate + "run = \"x\"\nverdict = \"v\"\n"),
              HasSubstr("more than one of"));
  EXPECT_THAT(error_of(head + gate + "verdict = \"v\"\ntimeout = \"1m\"\n"),
              HasSubstr("runs nothing"));
  EXPECT_THAT(error_of(head + gate + "transactions = \"all\"\n"),
              HasSubstr("transactions cannot be 'all'"));
  EXPECT_THAT(error_of(head + gate + "artifact = \"../x\"\n"), HasSubstr("leaves the repository"));
  EXPECT_THAT(error_of(head + gate + "verdict = \"\"\n"), HasSubstr("is not a name"));
  EXPECT_THAT(error_of(head + gate + "verdict = \"v\"\n" + gate + "verdict = \"w\"\n"),
              HasSubstr("is defined twice"));
  EXPECT_THAT(
      error_of(head + "[[workflow.w.gate]]\nphase = \"c\"\nname = \"g\"\nverdict = \"v\"\n"),
      HasSubstr("has no phase 'c'"));
  EXPECT_THAT(error_of(head + "[[workflow.w.gate]]\nname = \"g\"\nverdict = \"v\"\n"),
              HasSubstr("needs phase and name"));
}

TEST(PolicyLimits, AreNumbersInTheirRange) {
  const Policy policy =
      parse_policy("[limits]\nconcurrent = 4\nper_owner = 2\ndepth = 1\n").value();
  EXPECT_EQ(policy.limits, (Limits{4, 2, 1}));
  EXPECT_NE(policy.version, parse_policy("")->version);
  EXPECT_EQ(parse_policy("[limits]\n")->version, parse_policy("")->version) << "it says nothing";
  for (const char* text : {"concurrent = 0", "concurrent = 1.5", "per_owner = \"2\"", "depth = -1",
                           "depth = 17", "concurrent = 99999999999"}) {
    EXPECT_THAT(error_of(std::string("[limits]\n") + text + "\n"), HasSubstr("must be a number"));
  }
  EXPECT_THAT(error_of("[limits]\nmost = 1\n"), HasSubstr("unknown key 'most'"));
  EXPECT_THAT(error_of("limits = 3\n"), HasSubstr("as a table"));
}

}  // namespace
}  // namespace gittxn::gates
