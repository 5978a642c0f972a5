#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/policy_file.h"
#include "gates/trust.h"
#include "gates/units/names.h"
#include "gates/units/presets.h"

namespace gittxn::gates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kUnits = R"(
[[gate]]
name = "suite"
setup = "npm ci"
build = ["make", "all"]
units = ["tests/**/test_*.py", "extra"]
run = ["python3", "-m", "pytest", "{unit}"]
jobs = 4
caches = ["~/.cache/x", "/var/cache/y"]
network = true
timeout = "1m"
build_timeout = "1h"
incremental = true
retries = 2
flaky = "allow"
)";

Policy with(const std::string& keys) {
  auto policy = parse_policy("[[gate]]\nname = \"suite\"\n" + keys);
  EXPECT_TRUE(policy.has_value()) << (policy ? "" : policy.error().message);
  return policy ? *std::move(policy) : Policy();
}

TEST(PolicyGates, HaveUnits) {
  const Policy policy = parse_policy(kUnits).value();
  const GateSpec& gate = policy.gates.front();
  ASSERT_TRUE(gate.units.has_value());
  EXPECT_THAT(gate.units->prepare,
              ElementsAre(ElementsAre("sh", "-c", "npm ci"), ElementsAre("make", "all")));
  EXPECT_THAT(gate.units->names, ElementsAre("tests/**/test_*.py", "extra"));
  EXPECT_THAT(gate.units->list, IsEmpty());
  EXPECT_THAT(gate.units->caches, ElementsAre("~/.cache/x", "/var/cache/y"));
  EXPECT_EQ(gate.units->jobs, 4);
  EXPECT_TRUE(gate.units->network);
  EXPECT_TRUE(gate.units->sets_up);
  EXPECT_TRUE(gate.units->incremental);
  EXPECT_EQ(gate.timeout_ms, 60'000);
  EXPECT_EQ(gate.units->prepare_timeout_ms, 3'600'000);
  EXPECT_EQ(gate.retries, 2);
  EXPECT_TRUE(gate.allow_flaky);
  EXPECT_THAT(trusted_commands(policy),
              ElementsAre("gate suite, set-up: sh -c 'npm ci'", "gate suite, set-up: make all",
                          "gate suite: python3 -m pytest '{unit}'"));
}

TEST(PolicyGates, MayHaveACommandThatListsThem) {
  const Policy policy = with("units = \"ls\"\nrun = [\"sh\", \"{unit}\"]\n");
  EXPECT_THAT(policy.gates.front().units->list, ElementsAre("sh", "-c", "ls"));
  EXPECT_THAT(trusted_commands(policy),
              ElementsAre("gate suite, units: sh -c ls", "gate suite: sh '{unit}'"));
}

TEST(PolicyGates, AreOthersWhenTheirUnitsAre) {
  const std::string run = "run = [\"sh\", \"{unit}\"]\n";
  const Policy one = with("units = [\"a\"]\n" + run);
  for (const char* more :
       {"build = \"x\"\n", "caches = [\"/x\"]\n", "network = true\n", "build_timeout = \"2h\"\n",
        "incremental = true\n", "retries = 1\n", "retries = 1\nflaky = \"allow\"\n"}) {
    const Policy other = with("units = [\"a\"]\n" + run + more);
    EXPECT_NE(one.gates.front().version, other.gates.front().version) << more;
    EXPECT_NE(one.version, other.version) << more;
  }
  const Policy named = with("units = [\"b\"]\n" + run);
  EXPECT_NE(one.gates.front().version, named.gates.front().version);
  EXPECT_NE(one.trust_hash, with("units = \"b\"\n" + run).trust_hash);
  const Policy faster = with("units = [\"a\"]\njobs = 9\n" + run);
  EXPECT_EQ(one.gates.front().version, faster.gates.front().version);
}

TEST(PolicyGates, SayWhatIsWrongWithTheirUnits) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"run = \"make {unit}\"\nunits = [\"a\"]", "has \"{unit}\" in the text of a shell"},
      {"run = [\"bash\", \"-ec\", \"x {unit}\"]\nunits = [\"a\"]", "in the text of a shell"},
      {"run = [\"make\"]\nunits = [\"a\"]", "has no \"{unit}\" among its arguments"},
      {"run = [\"{unit}\"]\nunits = [\"a\"]", "is run as a program that the unit names"},
      {"run = [\"x\", \"{unit}\"]\nunits = []", "units names none"},
      {"run = [\"x\", \"{unit}\"]\nunits = [\"-x\"]", "would be an option of the command"},
      {"run = [\"x\", \"{unit}\"]\nunits = [\"\"]", "is empty"},
      {"run = [\"x\", \"{unit}\"]\nunits = [\"../*\"]", "leaves the repository"},
      {"run = [\"x\", \"{unit}\"]\nunits = [\"a\"]\ncaches = [\"x\"]", "neither absolute nor"},
      {"run = [\"x\", \"{unit}\"]\nunits = [\"a\"]\njobs = 0", "jobs must be a number from 1"},
      {"run = \"x\"\nretries = 11", "retries must be a number from 0 to 10"},
      {"run = \"x\"\nflaky = \"allow\"", "without retries"},
      {"run = \"x\"\nretries = 1\nflaky = \"yes\"", "flaky must be \"block\" or \"allow\""},
      {"run = [\"x\", \"{unit}\"]\nunits = [\"a\"]\nbuild_timeout = \"0s\"",
       "build_timeout must be more than 0"},
      {"run = \"x\"\nbuild = \"y\"", "build is for a gate with units"},
      {"run = \"x\"\ncaches = [\"/y\"]", "caches is for a gate with units"},
  };
  for (const auto& [keys, why] : wrong) {
    const auto policy = parse_policy("[[gate]]\nname = \"suite\"\n" + keys + "\n");
    ASSERT_FALSE(policy.has_value()) << keys;
    EXPECT_EQ(policy.error().code, Code::kUsage);
    EXPECT_THAT(policy.error().message, HasSubstr(why)) << keys;
  }
  EXPECT_TRUE(parse_policy("[[gate]]\nname = \"suite\"\nunits = [\"a\"]\n"
                           "run = [\"sh\", \"-c\", \"x \\\"$1\\\"\", \"sh\", \"{unit}\"]\n")
                  .has_value());
}

TEST(PolicyGates, OfAPresetAreAsItSaysButForWhatTheySay) {
  for (const GatePreset& preset : gate_presets()) {
    const Policy policy = with(fmt::format("preset = \"{}\"\n", preset.name));
    const GateSpec& gate = policy.gates.front();
    EXPECT_EQ(gate.command, preset.gate.command);
    EXPECT_EQ(unit_command_problem(gate.command), std::nullopt) << preset.name;
  }
  const Policy go = with("preset = \"go\"\nunits = [\"./a\"]\nbuild = \"true\"\njobs = 3\n");
  const UnitsSpec& units = *go.gates.front().units;
  EXPECT_THAT(units.list, IsEmpty());
  EXPECT_THAT(units.names, ElementsAre("./a"));
  EXPECT_THAT(units.prepare, ElementsAre(ElementsAre("sh", "-c", "true")));
  EXPECT_THAT(units.caches, ElementsAre("~/.cache/go-build"));
  EXPECT_EQ(units.jobs, 3);
  const auto unknown = parse_policy("[[gate]]\nname = \"x\"\npreset = \"jest\"\n");
  EXPECT_THAT(unknown.error().message, HasSubstr("there is no preset 'jest'"));
  EXPECT_THAT(unknown.error().hint, HasSubstr("pytest, unittest"));
}

TEST(PolicyGates, MayHaveUnitsInQuarantine) {
  const std::string gate = "units = [\"a\"]\nrun = [\"sh\", \"{unit}\"]\n";
  const std::string entry = "[[quarantine]]\ngate = \"suite\"\nunit = \"a\"\nwhy = \"flaky\"\n";
  const Policy policy = with(gate + entry + "until = 2026-12-31\n");
  ASSERT_EQ(policy.quarantine.size(), 1u);
  EXPECT_EQ(policy.quarantine[0].until, "2026-12-31");
  EXPECT_NE(policy.version, with(gate).version);
  EXPECT_EQ(policy.gates.front().version, with(gate).gates.front().version);
  EXPECT_EQ(policy.trust_hash, with(gate).trust_hash) << "it runs nothing";
  for (const auto& [rest, why] : std::vector<std::pair<std::string, std::string>>{
           {entry, "a [[quarantine]] needs until"},
           {entry + "until = \"2026-12-31\"\n", "until must be a day"},
           {"[[quarantine]]\ngate = \"other\"\nunit = \"a\"\nwhy = \"x\"\nuntil = 2026-12-31\n",
            "there is no gate 'other' with units"}}) {
    const auto wrong = parse_policy("[[gate]]\nname = \"suite\"\n" + gate + rest);
    ASSERT_FALSE(wrong.has_value());
    EXPECT_THAT(wrong.error().message, HasSubstr(why));
  }
}

}  // namespace
}  // namespace gittxn::gates
