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

class Completion : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(dir_.at("completion"), bash_completion(), Sync::kNo));
    // What stands in for the program and git.
    ASSERT_TRUE(
        write_file(dir_.at("world"),
                   "git() { case \"$*\" in 'txn internal ids '?*) echo t-aaaa; echo t-bbbb ;;\n"
                   "  for-each-ref*) echo main; echo release ;; esac; }\n",
                   Sync::kNo));
  }
  // Words after `git-txn`; the last one is being typed.
  std::string complete(const std::string& words) {
    return sh(
        fmt::format(
            "set -u; . ./world; . ./completion; COMP_WORDS=(git-txn {}); "
            "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _git_txn_main; echo \"${{COMPREPLY[*]-}}\"",
            words),
        dir_.path());
  }
  testing::TempDir dir_;
};

TEST_F(Completion, CommandsFlagsValuesAndTransactions) {
  EXPECT_EQ(complete("sta"), "status state\n");
  EXPECT_EQ(complete("run --re"), "--retries\n");
  EXPECT_EQ(complete("run --isolation s"), "snapshot semantic serializable strict\n");
  EXPECT_EQ(complete("run --onto ''"), "main release\n");
  EXPECT_EQ(complete("show t-b"), "t-bbbb\n");
  EXPECT_EQ(complete("--json show ''"), "t-aaaa t-bbbb\n");
  EXPECT_EQ(complete("gate ''"), "list show run\n");
  EXPECT_EQ(complete("gate run t-a"), "t-aaaa\n");
  EXPECT_EQ(complete("run -- __git_txn_inn"), "__git_txn_inner\n");
  EXPECT_EQ(complete("run -- cat wor"), "world\n");
  EXPECT_EQ(complete("run --name x ''"), "--\n") << "a command comes next";
  EXPECT_EQ(complete("exec t-aaaa ''"), "--\n");
  EXPECT_EQ(complete("commit --wait 10m ''"), "t-aaaa t-bbbb\n") << "10m is no operand";
  EXPECT_EQ(complete("commit --wait = 10m ''"), "t-aaaa t-bbbb\n");
  EXPECT_EQ(complete("show t-aaaa ''"), "\n") << "one is enough";
  EXPECT_EQ(complete("run --isolation ="),
            "read-committed snapshot semantic serializable strict\n");
  EXPECT_EQ(complete("run --isolation = st"), "strict\n");
}

TEST_F(Completion, OffersEveryCommandAndFlagOfTheTable) {
  std::string names = complete("''");
  for (const CommandSpec& command : command_table().commands) {
    if (!is_shown(command)) continue;
    EXPECT_THAT(names, HasSubstr(fmt::format("{} ", command.name)));
    std::string flags = complete(fmt::format("{} --", command.name));
    for (const FlagSpec& flag : command.flags) EXPECT_THAT(flags, HasSubstr(flag.name));
  }
}

TEST_F(Completion, WorksThroughGitsOwn) {
  std::string out =
      sh(". ./world; . ./completion; words=(git -C x txn show ''); cword=5; cur=''; _git_txn; "
         "echo \"${COMPREPLY[*]}\"",
         dir_.path());
  EXPECT_EQ(out, "t-aaaa t-bbbb\n");
  out =
      sh(". ./world; . ./completion; words=(git txn run --onto=re); cword=3; cur=--onto=re; "
         "_git_txn; echo \"${COMPREPLY[*]}\"",
         dir_.path());
  EXPECT_EQ(out, "release\n");
}

}  // namespace
}  // namespace gittxn::cli
