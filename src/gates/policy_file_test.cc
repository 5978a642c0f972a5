#include "gates/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "gates/generated.h"
#include "gates/policy_rules.h"

namespace gittxn::gates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kFull = R"(
# how a change is checked here
[[gate]]
name = "test"
run = "make test"
timeout = "15m"
env = ["CI", "CC", "CI"]

[[gate]]
name = "lint"
run = ["npm", "run", "lint"]

[worktree]
copy = [".env", "config/local.toml"]
share = ["node_modules/"]
run = ["npm ci", ["make", "setup"]]
ports = [3000, 3999]

[[rule]]
path = "src/auth/"
isolation = "strict"

[isolation]
default = "snapshot"
)";

TEST(PolicyFile, ReadsEveryKey) {
  Policy policy = parse_policy(kFull).value();
  ASSERT_EQ(policy.gates.size(), 2u);
  EXPECT_EQ(policy.gates[0].name, GateName("test"));
  EXPECT_THAT(policy.gates[0].command, ElementsAre("sh", "-c", "make test"));
  EXPECT_EQ(policy.gates[0].timeout_ms, 900'000);
  EXPECT_THAT(policy.gates[0].env, ElementsAre("CC", "CI"));
  EXPECT_THAT(policy.gates[1].command, ElementsAre("npm", "run", "lint"));
  EXPECT_EQ(policy.gates[1].timeout_ms, 600'000);
  EXPECT_THAT(policy.worktree.copy, ElementsAre(".env", "config/local.toml"));
  EXPECT_THAT(policy.worktree.share, ElementsAre("node_modules"));
  EXPECT_THAT(policy.worktree.run,
              ElementsAre(ElementsAre("sh", "-c", "npm ci"), ElementsAre("make", "setup")));
  EXPECT_EQ(policy.worktree.ports, std::make_pair(3000, 3999));
  ASSERT_EQ(policy.rules.size(), 1u);
  EXPECT_EQ(policy.rules[0].prefix, "src/auth/");
  EXPECT_EQ(policy.default_isolation, Isolation::kSnapshot);
}

TEST(PolicyFile, NothingIsTheEmptyPolicy) {
  for (const char* text : {"", "\n", "# only a comment\n"}) {
    Policy policy = parse_policy(text).value();
    EXPECT_TRUE(policy.gates.empty());
    EXPECT_TRUE(policy.trust_hash.empty()) << "it runs nothing";
    EXPECT_EQ(policy.version, parse_policy("").value().version);
  }
}

TEST(PolicyFile, WhatIsMadeFromWhat) {
  const Policy policy =
      parse_policy(
          "[generated.\"gen/\"]\nfrom = [\"api/openapi.json\"]\n"
          "[generated.\"api/openapi.json\"]\nfrom = [\"src/**/*.ts\", \"api/base/\"]\n")
          .value();
  ASSERT_EQ(policy.generated.size(), 2u);
  EXPECT_EQ(policy.generated[0].artifact, "api/openapi.json");
  EXPECT_THAT(policy.generated[0].from, ElementsAre("api/base/", "src/**/*.ts"));
  const Generated generated(policy);
  const Generated::File &api = generated.files()[0], &code = generated.files()[1];
  EXPECT_TRUE(api.is("api/openapi.json"));
  EXPECT_FALSE(api.is("api/openapi.json2"));
  EXPECT_TRUE(code.is("gen/a/b.ts"));
  EXPECT_FALSE(code.is("generated/b.ts"));
  EXPECT_TRUE(generated.is_made_from(api, "src/a.ts"));
  EXPECT_TRUE(generated.is_made_from(api, "src/a/b.ts"));
  EXPECT_TRUE(generated.is_made_from(api, "api/base/deep/x"));
  EXPECT_FALSE(generated.is_made_from(api, "src/a.js"));
  EXPECT_FALSE(generated.is_made_from(api, "other/src/a.ts"));
  EXPECT_TRUE(generated.is_made_from(code, "api/openapi.json"));
  EXPECT_TRUE(generated.is_made_from(code, "src/a.ts")) << "by way of the description";
  EXPECT_NE(policy.version, parse_policy("").value().version);
}

struct Bad {
  const char* text;
  const char* place;    // how the message starts
  const char* mention;  // what it must name
};

TEST(PolicyFile, HandlersAreGivenEvents) {
  const Policy policy =
      parse_policy(
          "[on.\"transaction.landed\"]\nrun = \"./tell\"\n"
          "[on.\"txn.rejected\"]\nrun = [\"./ask\", \"x\"]\ntimeout = \"5s\"\nname = \"ask\"\n")
          .value();
  ASSERT_EQ(policy.handlers.size(), 2u);
  EXPECT_EQ(policy.handlers[0].name, "ask");
  EXPECT_EQ(policy.handlers[0].type, "txn.rejected");
  EXPECT_THAT(policy.handlers[0].command, ElementsAre("./ask", "x"));
  EXPECT_EQ(policy.handlers[0].timeout_ms, 5'000);
  EXPECT_EQ(policy.handlers[1].name, "transaction.landed");
  EXPECT_EQ(policy.handlers[1].timeout_ms, 30'000);
  EXPECT_FALSE(policy.trust_hash.empty());
  constexpr const char* kTwice =
      "[on.\"txn.begun\"]\nrun = \"x\"\nname = \"a\"\n"
      "[on.\"txn.aborted\"]\nrun = \"x\"\nname = \"a\"";
  for (const std::string_view wrong :
       {"on = 1", "[on]\n\"txn.begun\" = 1", "[on.\"txn.begun\"]\n",
        "[on.\"no.such\"]\nrun = \"x\"", "[on.\"handler.ended\"]\nrun = \"x\"",
        "[on.\"txn.begun\"]\nrun = \"x\"\nenv = []",
        "[on.\"txn.begun\"]\nrun = \"x\"\nname = \"a/b\"",
        "[on.\"txn.begun\"]\nrun = \"x\"\ntimeout = \"0\"", kTwice}) {
    EXPECT_FALSE(parse_policy(wrong)) << wrong;
  }
}

TEST(PolicyHash, TrustIsOfHandlersToo) {
  const auto trust = [](const std::string& rest) {
    return parse_policy("[on.\"txn.begun\"]\n" + rest)->trust_hash;
  };
  const Digest plain = trust("run = \"a\"");
  EXPECT_NE(plain, trust("run = \"b\""));
  EXPECT_NE(plain, trust("run = \"a\"\nname = \"x\""));
  EXPECT_EQ(plain, trust("run = \"a\"\ntimeout = \"1m\""));
}

TEST(PolicyFile, SaysWhatMayBecomeOfProposals) {
  EXPECT_EQ(parse_policy("[proposals]\n")->proposals, ProposalRules{});
  const Policy policy = parse_policy(
                            "[proposals]\nstart = 1\nperson = 0.29\nlog = 0\nsame_text = 0.9\n"
                            "same_embedding = 0.999\n")
                            .value();
  EXPECT_EQ(policy.proposals, (ProposalRules{1000, 290, 0, 900, 999}));
  EXPECT_EQ(parse_policy("[proposals]\nstart = \"never\"\n")->proposals.start,
            ProposalRules::kNever);
  EXPECT_EQ(parse_policy("[proposals]\nstart = 0.8\n")->version, parse_policy("")->version)
      << "what is the default anyway changes no hash";
  EXPECT_NE(policy.version, parse_policy("")->version);
  EXPECT_TRUE(policy.trust_hash.empty()) << "it runs nothing";
}

void expect_refused(std::span<const Bad> mistakes) {
  for (const Bad& bad : mistakes) {
    auto result = parse_policy(bad.text);
    ASSERT_FALSE(result.has_value()) << bad.text;
    EXPECT_EQ(result.error().code, Code::kUsage) << bad.text;
    EXPECT_THAT(result.error().message, StartsWith(bad.place)) << bad.text;
    EXPECT_THAT(result.error().message, HasSubstr(bad.mention)) << bad.text;
  }
}

TEST(PolicyFile, RefusesMistakesInWhatMayBecomeOfProposals) {
  const Bad kBad[] = {
      {"proposals = 1\n", ".gittxn.toml:1:13: ", "write [proposals]"},
      {"[proposals]\nstrat = 1\n", ".gittxn.toml:2:1: ", "unknown key 'strat'"},
      {"[proposals]\nstart = \"always\"\n", ".gittxn.toml:2:9: ", "from 0 to 1"},
      {"[proposals]\nlog = 1.001\n", ".gittxn.toml:2:7: ", "from 0 to 1"},
      {"[proposals]\nlog = nan\n", ".gittxn.toml:2:7: ", "from 0 to 1"},
      {"[proposals]\nlog = -0.1\n", ".gittxn.toml:2:7: ", "from 0 to 1"},
      {"[proposals]\nlog = true\n", ".gittxn.toml:2:7: ", "from 0 to 1"},
      {"[proposals]\nperson = 0.5555\n", ".gittxn.toml:2:10: ", "three digits"},
      {"[proposals]\nstart = 0.4\n", ".gittxn.toml:1:1: ", "not in order"},
      {"[proposals]\nsame_text = 0\n", ".gittxn.toml:1:1: ", "every proposal is the same"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, RefusesEachMistakeWithItsPlace) {
  const Bad kBad[] = {
      {"[[gate]]\nname = \"x\"\nrum = \"true\"\n", ".gittxn.toml:3:1: ", "unknown key 'rum'"},
      {"gates = 1\n", ".gittxn.toml:1:1: ", "unknown key 'gates'"},
      {"[gate]\nname = \"x\"\n", ".gittxn.toml:1:1: ", "[[gate]]"},
      {"gate = [1]\n", ".gittxn.toml:1:9: ", "must be a table"},
      {"[[gate]]\nrun = \"x\"\n", ".gittxn.toml:1:1: ", "needs a name"},
      {"[[gate]]\nname = \"x\"\n", ".gittxn.toml:1:1: ", "'x' has no run"},
      {"[[gate]]\nname = \"a/b\"\nrun = \"x\"\n", ".gittxn.toml:2:8: ", "'a/b' is not a name"},
      {"[[gate]]\nname = \"..\"\nrun = \"x\"\n", ".gittxn.toml:2:8: ", "is not a name"},
      {"[[gate]]\nname = \"pre-commit\"\nrun = \"x\"\n", ".gittxn.toml:2:8: ", "kept for the hook"},
      {"[[gate]]\nname = 7\nrun = \"x\"\n", ".gittxn.toml:2:8: ", "must be a string"},
      {"[[gate]]\nname = \"x\"\nrun = 7\n", ".gittxn.toml:3:7: ", "a string or an array"},
      {"[[gate]]\nname = \"x\"\nrun = []\n", ".gittxn.toml:3:7: ", "names no program"},
      {"[[gate]]\nname = \"x\"\nrun = \"  \"\n", ".gittxn.toml:3:7: ", "is empty"},
      {"[[gate]]\nname = \"x\"\nrun = [\"a\", 1]\n", ".gittxn.toml:3:13: ", "must be a string"},
      {"[[gate]]\nname = \"x\"\nrun = \"a\\u0000b\"\n", ".gittxn.toml:3:7: ", "NUL"},
      {"[[gate]]\nname=\"x\"\nrun=\"x\"\ntimeout = \"10\"\n", ".gittxn.toml:4:11: ", "no unit"},
      {"[[gate]]\nname=\"x\"\nrun=\"x\"\ntimeout = \"0s\"\n", ".gittxn.toml:4:11: ", "more than 0"},
      {"[[gate]]\nname=\"x\"\nrun=\"x\"\ntimeout = \"25h\"\n", ".gittxn.toml:4:11: ", "24h"},
      {"[[gate]]\nname=\"x\"\nrun=\"x\"\nenv = [\"A=B\"]\n", ".gittxn.toml:4:8: ", "'A=B'"},
      {"[[gate]]\nname=\"x\"\nrun=\"x\"\nenv = [\"GIT_DIR\"]\n", ".gittxn.toml:4:8: ", "GIT_DIR"},
      {"[[gate]]\nname=\"x\"\nrun=\"x\"\n[[gate]]\nname=\"x\"\nrun=\"y\"\n",
       ".gittxn.toml:4:1: ", "defined twice"},
      {"[worktree]\ncopy = [\"../secret\"]\n", ".gittxn.toml:2:9: ", "'../secret' in copy leaves"},
      {"[worktree]\nshare = [\"/etc\"]\n", ".gittxn.toml:2:10: ", "not relative"},
      {"[worktree]\nshare = [\"a/../../b\"]\n", ".gittxn.toml:2:10: ", "leaves"},
      {"[worktree]\ncopy = [\".GIT/config\"]\n", ".gittxn.toml:2:9: ", "git directory"},
      {"[worktree]\ncopy = [\"\"]\n", ".gittxn.toml:2:9: ", "is empty"},
      {"[worktree]\ncopy = \".env\"\n", ".gittxn.toml:2:8: ", "must be an array"},
      {"[worktree]\nrun = \"npm ci\"\n", ".gittxn.toml:2:7: ", "must be an array"},
      {"[worktree]\nports = [80, 90]\n", ".gittxn.toml:2:9: ", "between 1024"},
      {"[worktree]\nports = \"3000\"\n", ".gittxn.toml:2:9: ", "two numbers"},
      {"[worktree]\nlink = [\"x\"]\n", ".gittxn.toml:2:1: ", "unknown key 'link'"},
      {"[[rule]]\npath = \"src\"\n", ".gittxn.toml:1:1: ", "needs path and isolation"},
      {"[[rule]]\npath = \"src\"\nisolation = \"chaos\"\n", ".gittxn.toml:3:13: ", "'chaos'"},
      {"[isolation]\ndefault = \"none\"\n", ".gittxn.toml:2:11: ", "'none'"},
      {"[isolation]\nminimum = \"strict\"\n", ".gittxn.toml:2:1: ", "'minimum'"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, RefusesMistakesInWhatIsGenerated) {
  const Bad kBad[] = {
      {"generated = 1\n", ".gittxn.toml:1:13: ", "write [generated."},
      {"[generated.\"a\"]\n", ".gittxn.toml:1:", "needs from"},
      {"[generated]\na = 1\n", ".gittxn.toml:2:1: ", "needs from"},
      {"[generated.\"a\"]\nfrom = []\n", ".gittxn.toml:2:8: ", "made from nothing"},
      {"[generated.\"a\"]\nfrom = [1]\n", ".gittxn.toml:2:9: ", "must be a string"},
      {"[generated.\"a\"]\nform = [\"b\"]\n", ".gittxn.toml:1:", "needs from"},
      {"[generated.\"a\"]\nfrom = [\"b\"]\nrun = \"x\"\n", ".gittxn.toml:3:1: ", "key 'run'"},
      {"[generated.\"/a\"]\nfrom = [\"b\"]\n", ".gittxn.toml:1:", "'/a' in [generated] is not"},
      {"[generated.\"a/../b\"]\nfrom = [\"b\"]\n", ".gittxn.toml:1:", "leaves the repository"},
      {"[generated.\"a\"]\nfrom = [\"/b/**\"]\n", ".gittxn.toml:2:9: ", "not relative"},
      {"[generated.\"a\"]\nfrom = [\"../**\"]\n", ".gittxn.toml:2:9: ", "leaves the repository"},
      {"[generated.\"a\"]\nfrom = [\".git/**\"]\n", ".gittxn.toml:2:9: ", "git directory"},
      {"[generated.\"a\"]\nfrom = [\"b/[x]\"]\n", ".gittxn.toml:2:9: ", "is no glob"},
      {"[generated.\"a\"]\nfrom = [\"b**\"]\n", ".gittxn.toml:2:9: ", "is no glob"},
      {"[generated.\"api/a\"]\nfrom = [\"src/b\", \"api/*\"]\n",
       ".gittxn.toml:1:", "'api/a' is made from itself: it is one of 'api/*'"},
      {"[generated.\"gen/\"]\nfrom = [\"**\"]\n", ".gittxn.toml:1:", "made from itself"},
      {"[generated.\"a\"]\nfrom = [\"b\"]\n[generated.\"b\"]\nfrom = [\"a\"]\n",
       ".gittxn.toml:", "'a' and 'b' are made from each other"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, NamesCommandsWhoseStatusIsTheirAnswer) {
  const Policy policy = parse_policy(
                            "[[question]]\nmatch = \"./check -a\"\nanswer = \"status\"\n"
                            "[[question]]\nmatch = [\"make\", \"a b\"]\n"
                            "answer = \"status\"\n")
                            .value();
  ASSERT_EQ(policy.questions.size(), 2u);
  EXPECT_THAT(policy.questions[0].command, ElementsAre("sh", "-c", "./check -a"));
  EXPECT_THAT(policy.questions[1].command, ElementsAre("make", "a b"));
  EXPECT_NE(policy.version, parse_policy("")->version);
  EXPECT_TRUE(policy.trust_hash.empty()) << "it runs nothing of its own";
  const Bad kBad[] = {
      {"[[question]]\nmatch = \"./check\"\n", ".gittxn.toml:1:", "both match and answer"},
      {"[[question]]\nanswer = \"status\"\n", ".gittxn.toml:1:", "both match and answer"},
      {"[[question]]\nmatch = \"\"\nanswer = \"status\"\n", ".gittxn.toml:2:", "is empty"},
      {"[[question]]\nmatch = \"x\"\nanswer = \"bytes\"\n", ".gittxn.toml:3:", "\"status\""},
      {"[[question]]\nmatch = \"x\"\nanswer = \"status\"\nwhen = 1\n",
       ".gittxn.toml:4:", "unknown key 'when'"},
      {"[question]\nmatch = \"x\"\n", ".gittxn.toml:1:", "two brackets"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, KeepsListingsHardByPath) {
  const Policy policy = parse_policy("listings = [\"migrations/\", \"db\", \"db\"]\n").value();
  EXPECT_THAT(policy.listings, ElementsAre("db", "migrations/"));
  EXPECT_NE(policy.version, parse_policy("")->version);
  EXPECT_NE(policy.version, parse_policy("listings = [\"db\"]\n")->version);
  EXPECT_TRUE(policy.trust_hash.empty()) << "it runs nothing";
  EXPECT_THAT(parse_policy("listings = [\"\"]\n")->listings, ElementsAre(""));
  const Bad kBad[] = {
      {"listings = \"migrations/\"\n", ".gittxn.toml:1:", "listings must be an array"},
      {"listings = [1]\n", ".gittxn.toml:1:", "each entry of listings must be a string"},
      {"listings = [\"/etc\"]\n", ".gittxn.toml:1:", "'/etc' in listings"},
      {"listings = [\"../a\"]\n", ".gittxn.toml:1:", "'../a' in listings"},
      {"[listings]\npath = \"a\"\n", ".gittxn.toml:1:", "listings must be an array"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, SaysWhatALandingMayMend) {
  const Policy usual = parse_policy("").value();
  EXPECT_TRUE(usual.mend.rename);
  EXPECT_FALSE(usual.mend.rerere) << "what a person recorded is taken when policy says so";
  EXPECT_EQ(parse_policy("mend = [\"rename\"]\n")->version, usual.version);
  const Policy none = parse_policy("mend = []\n").value();
  EXPECT_EQ(none.mend, (MendRules{.rename = false, .rerere = false}));
  EXPECT_NE(none.version, usual.version);
  const Policy both = parse_policy("mend = [\"rerere\", \"rename\"]\n").value();
  EXPECT_EQ(both.mend, (MendRules{.rename = true, .rerere = true}));
  EXPECT_TRUE(both.trust_hash.empty()) << "it runs nothing";
  const Bad kBad[] = {
      {"mend = \"rename\"\n", ".gittxn.toml:1:", "mend must be an array"},
      {"mend = [\"renames\"]\n", ".gittxn.toml:1:", "'renames' in mend"},
      {"mend = true\n", ".gittxn.toml:1:", "mend must be an array"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, SaysWhoMayAnswerForAReadAndHowLongOthersWait) {
  const Policy usual = parse_policy("").value();
  EXPECT_TRUE(usual.rejudge);
  EXPECT_EQ(usual.first_write, FirstWrite::kAdvise);
  EXPECT_EQ(usual.patience_ms, 600'000);
  const Policy own =
      parse_policy("rejudge = \"deny\"\nfirst_write = \"deny\"\n[queue]\npatience = \"90s\"\n")
          .value();
  EXPECT_FALSE(own.rejudge);
  EXPECT_EQ(own.first_write, FirstWrite::kDeny);
  EXPECT_EQ(own.patience_ms, 90'000);
  EXPECT_NE(own.version, usual.version);
  EXPECT_EQ(parse_policy("first_write = \"ignore\"\n")->first_write, FirstWrite::kIgnore);
  EXPECT_EQ(parse_policy("[queue]\npatience = \"0s\"\n")->patience_ms, 0);
  EXPECT_EQ(parse_policy("rejudge = \"allow\"\n[queue]\npatience = \"10m\"\n")->version,
            usual.version);
  const Bad kBad[] = {
      {"rejudge = \"never\"\n", ".gittxn.toml:1:", "rejudge 'never' is not known"},
      {"rejudge = true\n", ".gittxn.toml:1:", "rejudge must be a string"},
      {"first_write = \"warn\"\n", ".gittxn.toml:1:", "first_write 'warn' is not known"},
      {"[queue]\npatience = \"soon\"\n", ".gittxn.toml:2:", "patience 'soon' is not a duration"},
      {"[queue]\npatience = \"25h\"\n", ".gittxn.toml:2:", "patience '25h' is not a duration"},
      {"[queue]\nwait = \"1h\"\n", ".gittxn.toml:2:", "wait"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, RefusesWhatIsNotToml) {
  const Bad kBad[] = {
      {"[[gate]\nname = 1\n", ".gittxn.toml:1:", "not valid TOML"},
      {"a = \"\xff\"\n", ".gittxn.toml:1:", "not valid TOML"},
      {"[worktree]\ncopy = []\ncopy = []\n", ".gittxn.toml:3:", "not valid TOML"},
  };
  expect_refused(kBad);
}

TEST(PolicyFile, IsBounded) {
  std::string large = "# " + std::string(2u << 20, 'x');
  EXPECT_THAT(parse_policy(large).error().message, HasSubstr("1 MiB"));
  std::string deep = "a = " + std::string(100'000, '[');
  EXPECT_EQ(parse_policy(deep).error().code, Code::kUsage);
  std::string many;
  for (int i = 0; i < 65; ++i)
    many += "[[gate]]\nname = \"g" + std::to_string(i) + "\"\nrun = \"x\"\n";
  EXPECT_THAT(parse_policy(many).error().message, HasSubstr("more than 64 gates"));
}

TEST(PolicyFile, AnyPrefixOfAGoodFileIsReadOrRefusedNeverACrash) {
  for (std::size_t n = 0; n <= kFull.size(); ++n) {
    auto result = parse_policy(kFull.substr(0, n));
    if (!result) {
      EXPECT_EQ(result.error().code, Code::kUsage) << n;
    }
  }
}

TEST(PolicyHash, IsOfTheMeaningAndNotOfTheText) {
  auto a = parse_policy("[[gate]]\nname = \"t\"\nrun = \"make\"\nenv = [\"B\", \"A\"]\n").value();
  auto b = parse_policy(
               "# new\n[[gate]]\nenv = ['A', 'B', 'A']\nrun = ['sh', '-c', 'make']\n"
               "name = 't'\ntimeout = \"600s\"\n")
               .value();
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.gates[0].version, b.gates[0].version);
  EXPECT_EQ(a.trust_hash, b.trust_hash);
}

TEST(PolicyHash, EveryPartOfAGateCounts) {
  auto version = [](const char* text) { return parse_policy(text).value().gates[0].version; };
  Digest base = version("[[gate]]\nname = \"t\"\nrun = \"make\"\n");
  EXPECT_NE(base, version("[[gate]]\nname = \"u\"\nrun = \"make\"\n"));
  EXPECT_NE(base, version("[[gate]]\nname = \"t\"\nrun = \"make \"\n"));
  EXPECT_NE(base, version("[[gate]]\nname = \"t\"\nrun = \"make\"\ntimeout = \"1s\"\n"));
  EXPECT_NE(base, version("[[gate]]\nname = \"t\"\nrun = \"make\"\nenv = [\"CI\"]\n"));
}

TEST(PolicyHash, TrustIsAboutWhatRunsOnly) {
  auto trust = [](const std::string& text) { return parse_policy(text).value().trust_hash; };
  std::string gate = "[[gate]]\nname = \"t\"\nrun = \"make\"\n";
  Digest base = trust(gate);
  EXPECT_EQ(base, trust(gate + "timeout = \"5m\"\n"));
  EXPECT_EQ(base, trust(gate + "[worktree]\ncopy = [\".env\"]\n"));
  EXPECT_NE(base, trust(gate + "env = [\"TOKEN\"]\n")) << "what it may see is part of the yes";
  EXPECT_NE(base, trust(gate + "[worktree]\nrun = [\"make\"]\n"));
  EXPECT_NE(base, trust("[[gate]]\nname = \"t\"\nrun = \"make all\"\n"));
  EXPECT_TRUE(trust("[worktree]\ncopy = [\".env\"]\n").empty());
}

// A change here drops every certificate and every yes on record: it needs an entry in the
// changelog.
TEST(PolicyHash, Golden) {
  Policy policy = parse_policy(kFull).value();
  EXPECT_EQ(parse_policy("").value().version.str(),
            "ccd21cafad2cf8917f5bbe2c638254d7499a2b6faec2f915ca2457e2bf664194");
  EXPECT_EQ(policy.version.str(),
            "abdb416ba839d71dc8f7093094d9a8c33f58c01e2dd0d1e364821c3435ff4bcc");
  EXPECT_EQ(policy.trust_hash.str(),
            "13a66b500f24f210fa65f50c054ca9a4bae250d63180086fee24a63fcfcc1f83");
  EXPECT_EQ(policy.gates[0].version.str(),
            "d45e1efc124fd3175a5d534673e31fda3c2de9b8ebf8fea759b1250d9c782242");
}

TEST(PolicyRules, RaiseAndNeverLower) {
  Policy policy = parse_policy(
                      "[[rule]]\npath = \"src/auth/\"\nisolation = \"strict\"\n"
                      "[[rule]]\npath = \"\"\nisolation = \"snapshot\"\n")
                      .value();
  auto need = [&](Isolation asked, const std::vector<std::string>& paths) {
    return required_isolation(policy, asked, paths);
  };
  EXPECT_EQ(need(Isolation::kReadCommitted, {"docs/a"}), Isolation::kSnapshot);
  EXPECT_EQ(need(Isolation::kReadCommitted, {"docs/a", "src/auth/x.c"}), Isolation::kStrict);
  EXPECT_EQ(need(Isolation::kReadCommitted, {"src/auth"}), Isolation::kStrict);
  EXPECT_EQ(need(Isolation::kReadCommitted, {"src/authority"}), Isolation::kSnapshot);
  EXPECT_EQ(need(Isolation::kStrict, {"docs/a"}), Isolation::kStrict);
  EXPECT_EQ(need(Isolation::kReadCommitted, {}), Isolation::kReadCommitted);
}

}  // namespace
}  // namespace gittxn::gates
