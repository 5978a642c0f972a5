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

TEST(Table, IsConsistent) {
  std::set<std::string_view> names;
  for (const CommandSpec& command : command_table().commands) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty() || command.summary.ends_with('.')) << command.name;
    EXPECT_TRUE(command.description.ends_with('.')) << command.name;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    std::set<std::string_view> flags;
    for (const FlagSpec& flag : command.flags) {
      EXPECT_TRUE(flags.insert(flag.name).second) << command.name << flag.name;
      EXPECT_TRUE(flag.name.starts_with("--")) << flag.name;
      EXPECT_FALSE(flag.help.empty() || flag.help.ends_with('.')) << flag.name;
      EXPECT_EQ(flag.label.empty(), flag.value == Value::kNone) << flag.name;
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
  for (const CommandSpec& command : command_table().commands) {
    for (const Example& example : command.examples) {
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
  std::string all = help_text();
  for (const CommandSpec& command : command_table().commands) {
    if (!is_shown(command)) continue;
    EXPECT_THAT(all, HasSubstr(fmt::format("  {} ", command.name)));
    std::string one = help_text(command);
    for (const FlagSpec& flag : command.flags) EXPECT_THAT(one, HasSubstr(flag.name));
    for (const Example& example : command.examples) EXPECT_THAT(one, HasSubstr(example.line));
  }
}

TEST(Help, FitsATerminal) {
  std::vector<std::string> texts{help_text()};
  for (const CommandSpec& command : command_table().commands) texts.push_back(help_text(command));
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
