// What the table promises of itself, and what becomes of a spelling that is given up.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/fs.h"
#include "base/testing/field_schema.inc"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/json_out.h"
#include "cli/parse.h"

namespace gittxn::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct MinorVersion {
  int major = -1;
  int minor = -1;
  auto operator<=>(const MinorVersion&) const = default;
};

MinorVersion version_of(std::string_view text) {
  MinorVersion version;
  const auto [dot, error] = std::from_chars(text.begin(), text.end(), version.major);
  if (error == std::errc() && dot != text.end()) {
    std::from_chars(dot + 1, text.end(), version.minor);
  }
  return version;
}

// Of a former spelling: what it must say, and that its time is not over.
template <typename Spec>
void check_former(const Spec& spec) {
  const Deprecation& deprecated = spec.deprecated;
  if (deprecated.since.empty()) {
    EXPECT_TRUE(deprecated.removed.empty() && deprecated.successor.empty()) << spec.name;
    return;
  }
  const MinorVersion since = version_of(deprecated.since);
  const MinorVersion removed = version_of(deprecated.removed);
  EXPECT_GE(since.minor, 0) << spec.name;
  EXPECT_TRUE(removed >= (MinorVersion{since.major, since.minor + 2})) << spec.name;
  EXPECT_LT(version_of(GIT_TXN_VERSION), removed) << spec.name << ": it is to go now";
}

TEST(Stability, OfTheTableIsConsistent) {
  const Table& table = command_table();
  for (const CommandSpec* one : all_commands(table)) {
    const CommandSpec& command = *one;
    check_former(command);
    if (!command.deprecated.since.empty()) {
      EXPECT_NE(find_command(command.deprecated.successor), nullptr) << command.name;
    }
    for (const FlagSpec& flag : command.flags) {
      check_former(flag);
      EXPECT_TRUE(command.stability == Stability::kStable || flag.stability != Stability::kStable)
          << command.name << " may change, so " << flag.name << " is not stable";
      if (flag.deprecated.since.empty()) continue;
      const auto successor = std::ranges::find_if(command.flags, [&](const FlagSpec& other) {
        return other.name == flag.deprecated.successor && other.deprecated.since.empty();
      });
      ASSERT_NE(successor, command.flags.end()) << command.name << " " << flag.name;
      EXPECT_EQ(successor->value, flag.value) << command.name << " " << flag.name;
    }
  }
}

// Every command says what --json prints of it, in words that its operands and flags can have, and
// the schemas are there.
TEST(Stability, EveryCommandSaysWhatItPrints) {
  for (const CommandSpec* one : all_commands()) {
    const CommandSpec& command = *one;
    std::set<std::string_view> on;
    for (const Output& output : command.outputs) {
      EXPECT_TRUE(on.insert(output.on).second) << command.name << " " << output.on;
      const bool flag = std::ranges::find(command.flags, std::string_view(output.on),
                                          &FlagSpec::name) != command.flags.end();
      EXPECT_TRUE(output.on.empty() || output.on == "--" || flag)
          << command.name << " " << output.on;
    }
  }
}

// The schemas of what --json prints are made of the lists that print it; GIT_TXN_GOLDEN=write
// writes them.
TEST(Outputs, SchemasAreMadeOfTheFieldLists) {
  const auto folder = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() /
                      "share" / "schemas" / "output";
  const char* mode = std::getenv("GIT_TXN_GOLDEN");
  std::set<std::string> known;
  const auto check = [&](const Output& output) {
    const std::string name = fmt::format("{}.v1.json", output.schema);
    if (output.schema.empty() || !known.insert(name).second) return;
    const bool by_hand = output.schema == "event" || output.schema == "state";  // of the store's
    ASSERT_EQ(output.fields == nullptr, by_hand) << output.schema;
    if (by_hand) return;
    const std::string made = gittxn::testing::schema_file(
        {output_schema_uri(output.schema), std::string(output.schema), std::string(output.about)},
        output.fields, gittxn::testing::SchemaOf::kPrinted);
    if (mode != nullptr && std::string_view(mode) == "write") {
      ASSERT_TRUE(write_file(folder / name, made, Sync::kNo));
    }
    EXPECT_EQ(read_file(folder / name).value_or(""), made)
        << name << ": make it with GIT_TXN_GOLDEN=write";
  };
  for (const CommandSpec* command : all_commands()) {
    for (const Output& output : command->outputs) check(output);
  }
  check(kErrorJson);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    EXPECT_TRUE(known.contains(file.path().filename())) << file << " is printed by nothing";
  }
}

TEST(Stability, NamesEverything) {
  const std::string table = stability_table();
  EXPECT_THAT(table, HasSubstr("stable        run\n"));
  EXPECT_THAT(table, HasSubstr("experimental  run --keep-running\n"));
  EXPECT_THAT(table, HasSubstr("internal      internal\n"));
  EXPECT_THAT(table, HasSubstr("internal      hook\n"));
  const std::string page = commands_page();
  EXPECT_THAT(page, HasSubstr("| `run` | `--onto` "));
  EXPECT_THAT(page, HasSubstr("| `lease acquire` | `--shared` "));
  EXPECT_THAT(page, HasSubstr("`--` [command]"));
  EXPECT_THAT(table, HasSubstr("stable        gate list --onto\n"));
  EXPECT_THAT(table, HasSubstr("stable        gate --onto\n")) << "of any of its subcommands";
  EXPECT_THAT(page, Not(HasSubstr("`hook`")));
  EXPECT_THAT(help_text(), Not(HasSubstr("hook ")));
  EXPECT_THAT(help_text(*find_command("hook")), HasSubstr("--into FOLDER"));
}

// Of the lines "COMMAND [--FLAG]" that were ever stable, those that no longer are, and of which no
// former spelling is left.
std::vector<std::string> broken_promises(std::string_view lines, const Table& table) {
  std::set<std::string> kept;
  const auto keep = [&](const auto& spec, const std::string& name) {
    if (spec.stability == Stability::kStable) kept.insert(name);
  };
  for (const CommandSpec* command : all_commands(table)) {
    keep(*command, std::string(command->name));
    for (const FlagSpec& flag : flags_of(*command)) {
      keep(flag, fmt::format("{} {}", command->name, flag.name));
    }
  }
  for (const FlagSpec& flag : table.common) keep(flag, std::string(flag.name));
  std::vector<std::string> broken;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string line(lines.substr(0, end));
    if (!kept.contains(line)) broken.push_back(line);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return broken;
}

// A table of its own: `send` was called `remit`, and its --to was called --at, its --fast --speedy.
const CommandSpec kTestCommands[] = {
    {.name = "send",
     .summary = "send something",
     .group = Group::kDaily,
     .stability = Stability::kStable,
     .operands = {{"WHAT", Value::kText, 0, 3}},
     .flags = {stable({"--to", "PLACE", "where it goes", Value::kText, "-t"}),
               {.name = "--at",
                .label = "PLACE",
                .help = "where it goes",
                .value = Value::kText,
                .stability = Stability::kStable,
                .deprecated = {"0.3", "0.5", "--to"}},
               stable({.name = "--fast", .label = {}, .help = "without a stop", .letter = "-f"}),
               {.name = "--speedy",
                .label = {},
                .help = "without a stop",
                .letter = "-s",
                .stability = Stability::kStable,
                .deprecated = {"0.4", "0.6", "--fast"}},
               {"--wait", "D", "how long", Value::kDuration}},
     .examples = {{"git txn send x", "it goes"}}},
    {.name = "remit",
     .summary = {},
     .group = Group::kDaily,
     .stability = Stability::kStable,
     .deprecated = {"0.2", "0.4", "send"}}};
const Table& test_table() {
  static const Table kTable{kTestCommands, command_table().common, {}};
  return kTable;
}

Parsed parsed_words(const std::vector<std::string>& argv) {
  auto parsed = parse(argv, test_table());
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Parsed{};
}

Error refused(const std::vector<std::string>& argv) {
  auto parsed = parse(argv, test_table());
  EXPECT_FALSE(parsed.has_value());
  return parsed ? Error{} : parsed.error();
}

// F9: flags were renamed and taken away under those who had written scripts for them.
TEST(F9, AFormerFlagMeansItsSuccessorAndIsWarnedOf) {
  const Parsed now = parsed_words({"send", "--to", "x"});
  EXPECT_THAT(now.former, IsEmpty());
  for (const auto& argv : {std::vector<std::string>{"send", "--at", "x"},
                           std::vector<std::string>{"--at=x", "send"}}) {
    const Parsed parsed = parsed_words(argv);
    EXPECT_EQ(parsed.command->name, "send");
    EXPECT_EQ(parsed.flags, now.flags) << "nobody behind the parser knows the former name";
    EXPECT_THAT(parsed.former,
                ElementsAre("git txn send --at is deprecated since 0.3 and goes in 0.5: write "
                            "--to"));
  }
  EXPECT_TRUE(parsed_words({"send", "-s"}).has("--fast")) << "by its letter, too";
  EXPECT_THAT(parsed_words({"send", "--at", "x", "--at", "y", "-s"}).former, ::testing::SizeIs(2))
      << "each once";
  EXPECT_EQ(parsed_words({"send", "--at", "x", "--at", "y"}).text("--to"), "y");
  EXPECT_THAT(refused({"send", "--at", "x", "--to", "y"}).message,
              HasSubstr("--at is the former name of --to"));
  EXPECT_THAT(refused({"send", "--at", ""}).message, HasSubstr("--at is empty"));
}

TEST(F9, AFormerCommandMeansItsSuccessorAndIsWarnedOf) {
  const Parsed parsed = parsed_words({"remit", "a", "--to", "x", "--json"});
  EXPECT_EQ(parsed.command->name, "send");
  EXPECT_EQ(parsed.flags, parsed_words({"send", "a", "--to", "x", "--json"}).flags);
  EXPECT_THAT(parsed.operands, ElementsAre("a"));
  EXPECT_THAT(parsed.former, ElementsAre("git txn remit is deprecated since 0.2 and goes in 0.4: "
                                         "write git txn send"));
  EXPECT_THAT(parsed_words({"remit", "--at", "x"}).former, ::testing::SizeIs(2));
  EXPECT_EQ(parsed_words({"help", "remit"}).command->name, "send");
}

// A rename without a deprecation, a stable command that becomes experimental: they break every
// script that has them, and nothing in the program itself would tell.
TEST(F9, WhatWasEverStableIsStableOrDeprecated) {
  const auto file = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() /
                    "tests" / "golden" / "stable.txt";
  const std::string promised = read_file(file).value();
  EXPECT_THAT(promised, HasSubstr("run --onto\n"));
  EXPECT_THAT(broken_promises(promised, command_table()), IsEmpty());
  // And what the list is for: `remit` and --at are former names, --gone was just taken away.
  EXPECT_THAT(broken_promises("remit\nsend\nsend --at\nsend --gone\nsend --to\nsend --wait\n",
                              test_table()),
              ElementsAre("send --gone", "send --wait"));
}

TEST(F9, NobodyIsShownOrAdvisedAFormerSpelling) {
  const Table& table = test_table();
  std::string shown = help_text({}, table) + help_text("--all", table);
  shown += help_text(table.commands[0]);
  for (const std::vector<std::string>& words : {std::vector<std::string>{""}, {"send", "-"}}) {
    for (const auto& word : completion_of(words, table).words) shown += word.text + " " + word.says;
  }
  for (const auto& [name, text] : man_pages("1.2.3", table)) shown += name + text;
  EXPECT_THAT(shown, HasSubstr("--to"));
  EXPECT_THAT(shown, HasSubstr("send"));
  EXPECT_THAT(shown, Not(HasSubstr("remit")));
  EXPECT_THAT(shown, Not(HasSubstr("--at ")));
  EXPECT_THAT(shown, Not(HasSubstr("--speedy")));
  EXPECT_THAT(refused({"send", "--speedyy"}).hint, Not(HasSubstr("--speedy?")));
  EXPECT_THAT(refused({"remti"}).hint, Not(HasSubstr("remit")));
}

TEST(F9, TheTableTellsOfWhatIsDeprecatedAndUntilWhen) {
  EXPECT_THAT(stability_table(test_table()),
              HasSubstr("deprecated    send --at  (since 0.3, until 0.5: --to)\n"));
  const Json json = json_of([](FieldIo& io) { table_fields(io, test_table()); });
  EXPECT_EQ(json["commands"][1]["deprecated"],
            (Json{{"since", "0.2"}, {"removed", "0.4"}, {"successor", "send"}}));
  EXPECT_EQ(json["commands"][0]["flags"][3]["deprecated"]["successor"], "--fast");
  EXPECT_TRUE(json["commands"][0]["flags"][0]["deprecated"].is_null());
  EXPECT_THAT(commands_page(test_table()), HasSubstr("| `send --at` | 0.3 | 0.5 | `--to` |\n"));
}

}  // namespace
}  // namespace gittxn::cli
