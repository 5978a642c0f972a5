#include "cli/parse.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/campaign.h"

namespace gittxn::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

Parsed good(const std::string& line) {
  auto parsed = parse(words(line));
  EXPECT_TRUE(parsed.has_value()) << line << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Parsed{};
}

Error bad(const std::string& line) {
  auto parsed = parse(words(line));
  EXPECT_FALSE(parsed.has_value()) << line;
  return parsed ? Error{} : parsed.error();
}

TEST(Parse, OptionsBeforeTheCommandAndTheCommandAsItIs) {
  Parsed parsed =
      good("run --onto release --wait 10m --no-land --retries=5 -- make -j4 --json -- x");
  EXPECT_EQ(parsed.command->name, "run");
  EXPECT_EQ(parsed.text("--onto"), "release");
  EXPECT_EQ(parsed.duration_ms("--wait"), 600'000);
  EXPECT_EQ(parsed.number("--retries", 2), 5);
  EXPECT_TRUE(parsed.has("--no-land"));
  EXPECT_FALSE(parsed.has("--json")) << "behind -- it belongs to the command";
  EXPECT_THAT(parsed.rest, ElementsAre("make", "-j4", "--json", "--", "x"));
  EXPECT_EQ(parsed.number("--priority", 7), 7);
  EXPECT_EQ(parsed.duration_ms("--timeout"), std::nullopt);
}

TEST(Parse, SomeOptionsAddUpAndEachValueIsChecked) {
  const Parsed parsed = good("run --lease src --budget wall=1m --lease docs -- true");
  EXPECT_THAT(parsed.texts("--lease"), ElementsAre("src", "docs"));
  EXPECT_THAT(parsed.texts("--budget"), ElementsAre("wall=1m"));
  EXPECT_THAT(parsed.texts("--owner"), ElementsAre());
  EXPECT_EQ(good("run --wait 5s --wait 6s -- true").duration_ms("--wait"), 6'000);
  EXPECT_THAT(bad("run --wait soon --wait 6s -- true").message, HasSubstr("soon"));
}

TEST(Parse, ACommandThatNeedNotBeThereStandsBehindTheDashes) {
  const Parsed with = good("lease acquire src docs --ttl 1h -- make -j4");
  EXPECT_EQ(with.command->name, "lease acquire");
  EXPECT_THAT(with.operands, ElementsAre("src", "docs"));
  EXPECT_THAT(with.rest, ElementsAre("make", "-j4"));
  EXPECT_TRUE(good("lease list").rest.empty());
  EXPECT_THAT(bad("lease acquire src --").message, HasSubstr("no command"));
}

TEST(Parse, CommonOptionsStandAnywhere) {
  for (const char* line : {"--json -q status", "status -q --json", "-q status --json"}) {
    Parsed parsed = good(line);
    EXPECT_TRUE(parsed.has("--json") && parsed.has("--quiet")) << line;
  }
  EXPECT_EQ(good("log -n 5").number("--limit", 20), 5);
  EXPECT_EQ(good("run --name a --name b -- x").text("--name"), "b") << "the last one counts";
}

TEST(Parse, OperandsAreCounted) {
  EXPECT_THAT(good("show t-7k2m").operands, ElementsAre("t-7k2m"));
  EXPECT_THAT(good("gate run t-7k2m one two").operands, ElementsAre("t-7k2m", "one", "two"));
  EXPECT_THAT(good("exec t-7k2m -- sh").operands, ElementsAre("t-7k2m"));
  EXPECT_THAT(bad("show").message, HasSubstr("needs the id of a transaction"));
  EXPECT_THAT(bad("show a b").message, HasSubstr("does not take 'b'"));
  EXPECT_THAT(bad("gate frob").message, HasSubstr("'frob' is not one of list, show, run"));
  EXPECT_THAT(bad("exec -- sh").message, HasSubstr("needs the id"));
  EXPECT_THAT(bad("status now").message, HasSubstr("does not take 'now'"));
}

std::string command_of(const std::string& line) {
  return std::string(good(line).command->name);
}

TEST(Parse, TheFirstOperandsNameASubcommand) {
  EXPECT_EQ(command_of("lease renew l-1"), "lease renew");
  EXPECT_EQ(command_of("lease --ttl 1h renew l-1 --fence=3"), "lease renew") << "flags before it";
  EXPECT_EQ(command_of("--json lease -- renew l-1"), "lease renew") << "and behind --";
  EXPECT_THAT(good("lease release -- -l").operands, ElementsAre("-l"));
  EXPECT_EQ(command_of("events consumer ack audit 7"), "events consumer ack");
  EXPECT_EQ(command_of("proposals"), "proposals list") << "which is meant where none is named";
  EXPECT_EQ(command_of("portfolio --json"), "portfolio status");
  EXPECT_EQ(command_of("sentinel nightly --every 1d"), "sentinel");
  EXPECT_EQ(command_of("sentinel reset nightly"), "sentinel reset");
  EXPECT_EQ(bad("lease").message, "git txn lease needs acquire|release|renew|transfer|list");
  EXPECT_EQ(bad("gate lits").hint, "did you mean git txn gate list?");
  EXPECT_EQ(bad("gate frob").hint, "git txn gate --help lists what it takes");
  EXPECT_EQ(bad("events consumer lst").hint, "did you mean git txn events consumer list?");
  EXPECT_EQ(bad("proposals frob").message,
            "git txn proposals: 'frob' is not one of list, show, dismiss, link");
  EXPECT_EQ(bad("lease renew").message, "git txn lease renew needs the ID of one lease");
  EXPECT_THAT(bad("lease renew").hint, HasSubstr("git txn lease list lists them; usage: "));
  EXPECT_EQ(bad("lease list -- make").message, "git txn lease list does not take 'make'");
  EXPECT_FALSE(parse({"lease renew", "l-1"}).has_value()) << "one word names one command";
}

// It would be passed over, and the opposite of what was asked for might be done.
TEST(Parse, AFlagOfAnotherSubcommandIsRefused) {
  for (const char* line : {"lease renew --shared l-1", "lease --shared renew l-1"}) {
    EXPECT_EQ(bad(line).message, "git txn lease renew does not take --shared") << line;
    EXPECT_EQ(bad(line).hint, "it is of git txn lease acquire") << line;
  }
  EXPECT_EQ(bad("lease list --fence 1").hint, "it is of git txn lease release|renew|transfer");
  EXPECT_EQ(bad("proposals --actor me").message, "git txn proposals list does not take --actor");
  EXPECT_EQ(bad("events consumer list --type x").hint,
            "it is of git txn events tail|consumer register");
  EXPECT_EQ(bad("sentinel list --every 1h").message, "git txn sentinel list does not take --every");
  EXPECT_EQ(bad("lease renew --shraed l-1").message,
            "unknown option '--shraed' of git txn lease renew");
}

// What is refused inside of a transaction, and after what the handlers of events are run.
TEST(Parse, TheEffectIsThatOfTheSubcommandAndOfItsFlags) {
  for (const char* line : {"gate list",
                           "gate show x",
                           "workflow status w-1",
                           "workflow list",
                           "lease list",
                           "sentinel list",
                           "budget show",
                           "portfolio",
                           "portfolio status",
                           "proposals",
                           "proposals show p-1",
                           "summary show x",
                           "summary list",
                           "summary check",
                           "events tail",
                           "events consumer list",
                           "events prune --dry-run",
                           "open t-1",
                           "open t-1 -- ls",
                           "verify"}) {
    EXPECT_EQ(good(line).effect(), Effect::kReads) << line;
  }
  for (const char* line :
       {"gate run t-1", "workflow advance w-1", "workflow create x",
        "workflow verdict w-1 x --pass", "lease acquire x", "lease release l-1",
        "sentinel x --every 1h", "sentinel reset x", "budget set calls=1",
        "budget report t-1 calls=1", "portfolio add x", "portfolio relay", "run -- x",
        "exec t-1 -- x", "commit t-1", "trust", "recover", "gc", "init"}) {
    EXPECT_EQ(good(line).effect(), Effect::kWrites) << line;
  }
  for (const char* line :
       {"begin", "open t-1 --shell", "events prune", "events consumer ack x 1", "summary add x y",
        "summary remove x", "propose x --score 1", "promote p-1", "proposals link p-1 x",
        "proposals dismiss p-1", "compensate -- x"}) {
    EXPECT_EQ(good(line).effect(), Effect::kWritesInside) << line;
  }
}

TEST(Parse, WhatACommandCannotDoWithoutIsAskedFor) {
  EXPECT_EQ(bad("workflow rollback w-1").message,
            "git txn workflow rollback needs --to PHASE: the phase to go back to");
  EXPECT_EQ(bad("workflow rollback w-1").hint,
            "usage: git txn workflow rollback [OPTIONS] --to PHASE ID");
  EXPECT_THAT(bad("merge-file --base a").message, HasSubstr("needs --left FILE"));
  EXPECT_THAT(bad("sentinel nightly").message,
              HasSubstr("git txn sentinel needs --every DURATION"));
}

TEST(Parse, ForgottenDashesAreWrittenOut) {
  Error error = bad("run --name x make -j4 all");
  EXPECT_EQ(error.code, Code::kUsage);
  EXPECT_THAT(error.hint, HasSubstr("git txn run --name x -- make -j4 all"));
  EXPECT_THAT(bad("run make").hint, HasSubstr("git txn run -- make"));
  EXPECT_THAT(bad("exec t-1 make test").hint, HasSubstr("git txn exec t-1 -- make test"));
  EXPECT_THAT(bad("run make -- test").hint, HasSubstr("git txn run -- make test"));
  EXPECT_THAT(bad("run").message, HasSubstr("needs a command to run"));
  EXPECT_THAT(bad("run --").message, HasSubstr("needs a command to run after --"));
}

TEST(Parse, MisspeltWordsAreAnswered) {
  EXPECT_THAT(bad("stauts").hint, HasSubstr("git txn status"));
  EXPECT_THAT(bad("frobnicate").message, HasSubstr("'frobnicate' is not a command"));
  EXPECT_THAT(bad("run --no-such-flag -- true").message,
              HasSubstr("unknown option '--no-such-flag'"));
  EXPECT_THAT(bad("run --tiemout 5s -- true").hint, HasSubstr("did you mean --timeout?"));
  EXPECT_THAT(bad("show -x t-1").message, HasSubstr("unknown option '-x'"));
  EXPECT_THAT(bad("--frob status").message, HasSubstr("unknown option '--frob'"));
}

TEST(Parse, ValuesAreCheckedBeforeAnythingHappens) {
  EXPECT_THAT(bad("run --timeout soon -- x").message,
              HasSubstr("--timeout: 'soon' is not a duration"));
  EXPECT_THAT(bad("run --retries many -- x").message,
              HasSubstr("--retries: 'many' is not a number"));
  EXPECT_THAT(bad("run --retries -1 -- x").message, HasSubstr("--retries"));
  EXPECT_THAT(bad("run --isolation chaotic -- x").message, HasSubstr("--isolation: 'chaotic'"));
  EXPECT_THAT(bad("run --trace magic -- x").message, HasSubstr("--trace: 'magic'"));
  EXPECT_THAT(bad("run --onto -- x").message, HasSubstr("--onto needs a value"));
  EXPECT_THAT(bad("state --at 99999999999999999999").message, HasSubstr("--at"));
  auto empty = parse({"run", "--name", "", "--", "x"});
  ASSERT_FALSE(empty.has_value());
  EXPECT_THAT(empty.error().message, HasSubstr("--name is empty"));
}

// Given a value that says no it was taken for given: `gc --force=false` removed work.
TEST(Parse, ASwitchTakesNoValue) {
  for (const char* line :
       {"gc --force=false", "gc --force=true", "gc --force=", "promote p-1 --approve=false",
        "promote p-1 --approve --approve=false", "--json=false status", "status --quiet=0"}) {
    EXPECT_THAT(bad(line).message, HasSubstr("takes no value")) << line;
  }
  EXPECT_EQ(bad("gc --force=false").message, "--force takes no value");
  EXPECT_EQ(good("promote p-1 --override --reason --approve=no").text("--reason"), "--approve=no")
      << "a value may look like anything";
  EXPECT_THAT(good("run -- make --quiet=false").rest, ElementsAre("make", "--quiet=false"));
  const auto asked = parse({"internal", "complete", "--", "run", ""});
  ASSERT_TRUE(asked.has_value()) << asked.error().message;
  EXPECT_THAT(asked->operands, ElementsAre("run", "")) << "what a shell asks, typed or not";
  EXPECT_TRUE(parse({"internal", "complete", "--", ""}).has_value()) << "the first word, too";
  EXPECT_THAT(good("show -- --json=0").operands, ElementsAre("--json=0"));
}

TEST(Parse, WhatWasMeantIsSaid) {
  EXPECT_EQ(bad("promote").message, "git txn promote needs the id of a proposal");
  EXPECT_THAT(bad("promote").hint, HasSubstr("git txn proposals lists them"));
  EXPECT_EQ(bad("proposals p-1").hint, "git txn proposals show p-1");
  EXPECT_EQ(bad("proposals frob").hint, "git txn proposals --help lists what it takes");
  const auto dashed = parse({"propose", "-x is broken", "--score", "0.5"});
  ASSERT_FALSE(dashed.has_value());
  EXPECT_THAT(dashed.error().hint, HasSubstr("write -- before"));
  EXPECT_THAT(bad("propose x --scroe 1").hint, HasSubstr("did you mean --score?"));
}

TEST(Parse, WhatComesLaterIsRefusedByName) {
  for (const LaterName& later : command_table().later) {
    std::string line = later.command.empty()
                           ? std::string(later.name) + " x"
                           : fmt::format("{} {} x -- true", later.command, later.name);
    Error error = bad(line);
    EXPECT_EQ(error.code, Code::kUnsupported) << line;
    EXPECT_THAT(error.message, HasSubstr(later.name));
    EXPECT_THAT(error.message, HasSubstr("not available in this version"));
  }
  EXPECT_EQ(bad("begin --scope=src").code, Code::kUnsupported);
}

TEST(Parse, HelpInEveryWay) {
  EXPECT_EQ(good("--help").command, nullptr);
  EXPECT_EQ(good("-h").command, nullptr);
  EXPECT_EQ(good("help").command, nullptr);
  EXPECT_TRUE(good("help run").has("--help"));
  EXPECT_EQ(good("help run").command->name, "run");
  EXPECT_EQ(good("help look").topic, "look");
  EXPECT_EQ(good("help --all").topic, "--all");
  EXPECT_EQ(good("help --all").command, nullptr);
  for (const char* line : {"help lease renew", "lease renew -h", "lease -h renew"}) {
    EXPECT_EQ(good(line).command->name, "lease renew") << line;
    EXPECT_TRUE(good(line).has("--help")) << line;
  }
  EXPECT_EQ(good("lease -h").command->name, "lease");
  EXPECT_TRUE(good("run --help").has("--help"));
  EXPECT_TRUE(good("show -h").has("--help"));
  EXPECT_FALSE(good("run -- x --help").has("--help"));
  EXPECT_EQ(good("--version").command->name, "version");
  EXPECT_THAT(bad("").message, HasSubstr("needs a command"));
}

TEST(Parse, AnyWordsAreAnAnswerOrAnError) {
  const std::vector<std::string> kWords = {
      "run",    "show",    "--",       "-",    "--onto",    "--json",   "",     "=",
      "-n",     "--onto=", "[a,b]",    "-qq",  "--retries", "7",        "\xff", "help",
      "--help", "-q=1",    "--json=0", "gate", "list",      "--no-json"};
  std::uint64_t state = 12345;  // every run the same
  for (int round = 0; round < gittxn::testing::campaign_rounds(20'000); ++round) {
    std::vector<std::string> argv;
    for (std::uint64_t n = (state >> 33) % 6; argv.size() <= n;) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      argv.push_back(kWords[(state >> 33) % kWords.size()]);
    }
    auto parsed = parse(argv);
    if (parsed) continue;
    EXPECT_FALSE(parsed.error().message.empty());
    EXPECT_TRUE(parsed.error().code == Code::kUsage || parsed.error().code == Code::kUnsupported)
        << parsed.error().message;
  }
}

TEST(Parse, JsonIsWantedOnlyBeforeTheDashes) {
  EXPECT_TRUE(wants_json({"run", "--json", "--bad"}));
  EXPECT_FALSE(wants_json({"run", "--", "x", "--json"}));
  EXPECT_FALSE(wants_json({"status", "--json=false"})) << "which is refused";
}

}  // namespace
}  // namespace gittxn::cli
