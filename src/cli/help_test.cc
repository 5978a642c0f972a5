#include "cli/help.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/fs.h"
#include "base/subprocess.h"
#include "base/testing/temp_dir.h"
#include "cli/parse.h"

namespace gittxn::cli {
namespace {

using ::testing::HasSubstr;

// What can be called says all of itself: what it is, how, an example, and what --json prints.
void check_called(const CommandSpec& command) {
  EXPECT_FALSE(std::holds_alternative<std::nullptr_t>(command.handler)) << command.name;
  EXPECT_FALSE(command.examples.empty()) << command.name;
  EXPECT_FALSE(command.outputs.empty()) << command.name;
}

// The parser knows the flags of all subcommands before it knows which is meant.
void check_subcommands(const CommandSpec& command) {
  for (const CommandSpec& one : command.subcommands) {
    EXPECT_EQ(one.name, fmt::format("{} {}", command.name, last_word(one)));
    EXPECT_TRUE(one.stability >= command.stability) << one.name << " promises more";
    for (const FlagSpec& flag : one.flags) {
      const auto all = flags_of(command);
      const auto known = std::ranges::find(all, flag.name, &FlagSpec::name);
      ASSERT_NE(known, all.end());
      EXPECT_TRUE(known->value == flag.value && known->letter == flag.letter) << one.name;
    }
  }
  const bool meant = find_word(command.subcommands, command.otherwise) != nullptr;
  EXPECT_EQ(meant, !command.otherwise.empty()) << command.name;
}

TEST(Table, IsConsistent) {
  std::set<std::string_view> names;
  for (const CommandSpec& command : command_table().commands) {
    EXPECT_EQ(command.group == Group::kInternal, command.name == "internal") << command.name;
  }
  for (const CommandSpec* one : all_commands()) {
    const CommandSpec& command = *one;
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty() || command.summary.ends_with('.')) << command.name;
    EXPECT_TRUE(sentence_of(command).ends_with('.')) << command.name;
    if (!needs_subcommand(command)) check_called(command);
    check_subcommands(command);
    std::set<std::string_view> flags;
    for (const FlagSpec& flag : command.flags) {
      EXPECT_TRUE(flags.insert(flag.name).second) << command.name << flag.name;
      EXPECT_TRUE(flag.name.starts_with("--")) << flag.name;
      EXPECT_FALSE(flag.help.empty() || flag.help.ends_with('.')) << flag.name;
      EXPECT_EQ(flag.choices.empty(), flag.value != Value::kChoice) << flag.name;
    }
    for (const FlagSpec& flag : command_table().common) EXPECT_FALSE(flags.contains(flag.name));
  }
  for (const LaterName& later : command_table().later) {
    if (later.command.empty()) {
      EXPECT_EQ(find_command(later.name), nullptr) << later.name;
      continue;
    }
    const CommandSpec* command = find_command(later.command);
    ASSERT_NE(command, nullptr);
    for (const FlagSpec& flag : command->flags) EXPECT_NE(flag.name, later.name);
  }
}

// An example that does not parse would teach a mistake. Quotes and pipes are the shell's.
TEST(Table, EveryExampleParses) {
  for (const CommandSpec* command : all_commands()) {
    for (const Example& example : command->examples) {
      std::string line(example.line);
      if (!line.starts_with("git txn ")) continue;  // what is typed around it
      line = line.substr(0, line.find(" | "));
      Command shell;
      shell.argv = {"sh", "-c", "git() { shift; printf '%s\\n' \"$@\"; }; " + line};
      shell.env = {{"PATH", "/usr/bin:/bin"}, {"SHELL", "/bin/sh"}};
      auto output = run(shell);
      ASSERT_TRUE(output.has_value() && output->exit.success()) << line;
      std::vector<std::string> argv;
      std::string_view rest = output->out;
      while (!rest.empty()) {
        argv.emplace_back(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(argv.back().size() + 1);
      }
      auto parsed = parse(argv);
      EXPECT_TRUE(parsed.has_value()) << line << ": " << (parsed ? "" : parsed.error().message);
    }
  }
}

TEST(Help, NamesEveryCommandFlagAndExample) {
  const std::string all = help_text("--all");
  for (const CommandSpec* command : all_commands()) {
    if (!is_shown(*command)) continue;
    const std::string above(command->name.substr(0, command->name.find(' ')));
    EXPECT_THAT(all, HasSubstr(fmt::format("  {} ", above)));
    const std::string one = help_text(*command);
    for (const FlagSpec& flag : command->flags) EXPECT_THAT(one, HasSubstr(flag.name));
    for (const Example& example : command->examples) {
      EXPECT_THAT(one, HasSubstr(example.line));
      EXPECT_THAT(help_text(*find_command(above)), HasSubstr(example.line));
    }
  }
}

std::size_t lines_that_begin(const std::string& text, const std::string& with) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("\n" + with, at)) != std::string::npos; ++at) ++count;
  return count;
}

// 42 commands before a first landing are no help.
TEST(Help, TheFirstScreenShowsEightCommandsAndALineForEachGroup) {
  const std::string first = help_text();
  const std::string daily = help_text("daily");
  EXPECT_EQ(lines_that_begin(daily, "  "), 8u);
  for (const CommandSpec& command : command_table().commands) {
    if (!is_shown(command)) continue;
    EXPECT_EQ(first.find(command.summary) != std::string::npos, command.group == Group::kDaily)
        << command.name;
    EXPECT_THAT(first, HasSubstr(command.name)) << "each is on it";
  }
  for (const GroupSpec& group : groups()) {
    if (group.group == Group::kDaily) continue;
    EXPECT_EQ(lines_that_begin(first, fmt::format("  {} ", group.name)), 1u) << group.name;
    EXPECT_THAT(help_text(group.name), HasSubstr(group.title));
    EXPECT_EQ(find_word(command_table().commands, group.name), nullptr)
        << "git txn help " << group.name << " would be two things";
  }
}

TEST(Help, OfACommandWithSubcommandsHasALineForEach) {
  const std::string lease = help_text(*find_command("lease"));
  EXPECT_THAT(lease, HasSubstr("git txn lease acquire|release|renew|transfer|list ...\n"));
  EXPECT_THAT(lease, HasSubstr("  lease renew [OPTIONS] ID\n          let the time"));
  EXPECT_THAT(help_text(*find_command("lease renew")), HasSubstr("--fence NUMBER"));
  EXPECT_THAT(help_text(*find_command("lease renew")), HasSubstr("git txn lease --help explains"));
  EXPECT_THAT(help_text(*find_command("lease list")), ::testing::Not(HasSubstr("--fence")));
  EXPECT_THAT(help_text(*find_command("events")), HasSubstr("  events consumer ack NAME SEQ\n"));
  EXPECT_THAT(help_text(*find_command("proposals")), HasSubstr("[list|show|dismiss|link] ..."));
}

TEST(Help, FitsATerminal) {
  std::vector<std::string> texts{help_text(), help_text("--all")};
  for (const CommandSpec* command : all_commands()) texts.push_back(help_text(*command));
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (!rest.empty()) {
      std::size_t end = rest.find('\n');
      ASSERT_NE(end, std::string_view::npos) << "the last line has no end";
      EXPECT_LE(end, 90u) << rest.substr(0, end);
      rest.remove_prefix(end + 1);
    }
  }
}

std::string sh(const std::string& script, const std::string& dir) {
  Command command;
  command.argv = {"bash", "--norc", "-c", script};
  command.cwd = dir;
  command.env = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
  auto output = run(command);
  if (!output) return "(did not run) " + output.error().message;
  return fmt::format("{}{}{}", output->out, output->err,
                     output->exit.success() ? "" : fmt::format("exit {}", output->exit.status));
}

TEST(Man, APageForEveryCommandThatGroffTakesWithoutAWarning) {
  testing::TempDir dir;
  std::set<std::string> names;
  for (const auto& [name, text] : man_pages("1.2.3")) {
    names.insert(name);
    EXPECT_THAT(text, HasSubstr("1.2.3"));
    EXPECT_THAT(text, HasSubstr(".SH SYNOPSIS"));
    ASSERT_TRUE(write_file(dir.at(name), text, Sync::kNo));
  }
  for (const CommandSpec& command : command_table().commands) {
    bool has = names.contains(fmt::format("git-txn-{}.1", command.name));
    EXPECT_EQ(has, is_shown(command)) << command.name;
  }
  if (sh("command -v groff || exit 0", dir.path()).empty()) GTEST_SKIP() << "no groff here";
  EXPECT_EQ(sh("for p in *.1; do groff -man -Tascii -ww \"$p\" >/dev/null; done", dir.path()), "");
  std::string run_page = sh("groff -man -Tascii -P-c -P-b -P-u git-txn-run.1", dir.path());
  EXPECT_THAT(run_page, HasSubstr("git txn run -- make fmt")) << "what is copied must be typable";
  EXPECT_THAT(run_page, HasSubstr("--no-land"));
}

}  // namespace
}  // namespace gittxn::cli
