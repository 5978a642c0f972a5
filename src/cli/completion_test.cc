#include "cli/completion.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/fs.h"
#include "base/subprocess.h"
#include "base/testing/temp_dir.h"

namespace gittxn::cli {
namespace {

using ::testing::HasSubstr;
using Kind = Completion::Kind;

// The words that are offered behind these, the last of which is being typed.
std::string offered(const std::vector<std::string>& words) {
  std::string out;
  for (const Completion::Word& word : completion_of(words).words) {
    out += (out.empty() ? "" : " ") + word.text;
  }
  return out;
}
Kind kind(const std::vector<std::string>& words) {
  return completion_of(words).kind;
}

TEST(Complete, CommandsFlagsAndValues) {
  EXPECT_EQ(offered({"sta"}), "status state");
  EXPECT_EQ(offered({"run", "--re"}), "--retries --repairs");
  EXPECT_EQ(offered({"run", "--isolation", "s"}), "snapshot semantic serializable strict");
  EXPECT_EQ(offered({"run", "--isolation=st"}), "strict");
  EXPECT_EQ(offered({"run", "--isolation="}),
            "read-committed snapshot semantic serializable strict");
  EXPECT_EQ(offered({"gate", ""}), "list show run explain clear suggest stats");
  EXPECT_EQ(offered({"events", "consumer", "re"}), "register remove retry");
  EXPECT_EQ(offered({"lease", "--ttl", "1h", "rel"}), "release") << "flags may stand before it";
  EXPECT_EQ(offered({"lease", "transfer", "--t"}), "--to") << "those of the subcommand alone";
  EXPECT_EQ(offered({"lease", "--t"}), "--ttl --to") << "it is not known yet";
  EXPECT_EQ(offered({"run", "--name", "x", ""}), "--") << "a command comes next";
  EXPECT_EQ(offered({"exec", "t-aaaa", ""}), "--");
  EXPECT_EQ(offered({"nonsense", ""}), "");
  EXPECT_EQ(offered({"help", "st"}), "stop status state steps");
  EXPECT_EQ(offered({"help", "lease", "re"}), "release renew");
  EXPECT_EQ(offered({"help", "--a"}), "--all");
  EXPECT_EQ(completion_of({"statu"}).words[0].says,
            "show what runs, waits and is open, and what is stale");
}

TEST(Complete, WhatOnlyTheRepositoryKnows) {
  EXPECT_EQ(kind({"run", "--onto", ""}), Kind::kBranches);
  EXPECT_EQ(kind({"run", "--onto=re"}), Kind::kBranches);
  EXPECT_EQ(completion_of({"run", "--onto=re"}).typed, "re");
  EXPECT_EQ(kind({"show", "t-b"}), Kind::kTransactions);
  EXPECT_EQ(completion_of({"show", "t-b"}).command, "show");
  EXPECT_EQ(kind({"--json", "show", ""}), Kind::kTransactions);
  EXPECT_EQ(kind({"gate", "run", "t-a"}), Kind::kTransactions);
  EXPECT_EQ(kind({"commit", "--wait", "10m", ""}), Kind::kTransactions) << "10m is no operand";
  EXPECT_EQ(kind({"show", "t-aaaa", ""}), Kind::kWords) << "one is enough";
  EXPECT_EQ(kind({"run", "--", "ca"}), Kind::kCommand);
  EXPECT_EQ(kind({"run", "--name", "--", "x"}), Kind::kWords) << "-- is the name";
}

TEST(Complete, OffersEveryCommandAndFlagOfTheTable) {
  const std::string names = offered({""}) + " ";
  for (const CommandSpec* one : all_commands()) {
    const CommandSpec& command = *one;
    if (!is_shown(command)) continue;
    std::vector<std::string> words;
    for (std::string_view rest = command.name; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      words.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    EXPECT_THAT(names, HasSubstr(fmt::format("{} ", words[0])));
    words.emplace_back("--");
    const std::string flags = offered(words) + " ";
    for (const FlagSpec& flag : flags_of(command)) {
      if (is_shown(flag)) EXPECT_THAT(flags, HasSubstr(fmt::format("{} ", flag.name)));
    }
  }
}

std::string by_bash(const std::string& script, const std::string& dir) {
  Command command;
  command.argv = {"bash", "--norc", "-c", script};
  command.cwd = dir;
  command.env = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}, {"HOME", dir}};
  const auto output = run(command);
  if (!output) return "(did not run) " + output.error().message;
  return output->out + output->err;
}

// The script for bash, with a git that says what it was asked and answers `words`.
class InBash : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(dir_.at("completion"), completion_script("bash"), Sync::kNo));
    ASSERT_TRUE(write_file(dir_.at("world"),
                           "git() { printf '%s|' \"${@:5}\" >asked; cat answer; }\n", Sync::kNo));
    answers("words\nt-aaaa\tlanded  fix\nt-bbbb\n");
  }
  void answers(const std::string& lines) {
    ASSERT_TRUE(write_file(dir_.at("answer"), lines, Sync::kNo));
  }
  // Words behind `git-txn`, as bash parts them; the last one is being typed.
  std::string complete(const std::string& words) {
    return by_bash(
        fmt::format(
            "set -u; . ./world; . ./completion; COMP_WORDS=(git-txn {}); "
            "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _git_txn_main; echo \"${{COMPREPLY[*]-}}\"",
            words),
        dir_.path());
  }
  std::string asked() { return read_file(dir_.at("asked")).value_or("nothing"); }
  testing::TempDir dir_;
};

TEST_F(InBash, AsksWithTheWordsAndShowsThem) {
  EXPECT_EQ(complete("show ''"), "t-aaaa t-bbbb\n");
  EXPECT_EQ(asked(), "show||");
  complete("commit --wait = 10m ''");
  EXPECT_EQ(asked(), "commit|--wait=10m||");
  complete("run --isolation =");
  EXPECT_EQ(asked(), "run|--isolation=|");
  complete("run --isolation = st");
  EXPECT_EQ(asked(), "run|--isolation=st|");
  answers("");
  EXPECT_EQ(complete("show ''"), "\n");
}

TEST_F(InBash, FilesAndTheCommandBehindTwoDashes) {
  answers("files\n");
  EXPECT_EQ(complete("merge-file wor"), "world\n");
  answers("command\n");
  EXPECT_EQ(complete("run -- __git_txn_inn"), "__git_txn_inner\n");
  EXPECT_EQ(complete("run -- cat wor"), "world\n");
}

TEST_F(InBash, WorksThroughGitsOwn) {
  std::string out = by_bash(
      ". ./world; . ./completion; words=(git -C x txn show ''); cword=5; cur=''; _git_txn; "
      "echo \"${COMPREPLY[*]}\"",
      dir_.path());
  EXPECT_EQ(out, "t-aaaa t-bbbb\n");
  EXPECT_EQ(asked(), "show||");
  by_bash(
      ". ./world; . ./completion; words=(git txn run --onto=re); cword=3; cur=--onto=re; _git_txn",
      dir_.path());
  EXPECT_EQ(asked(), "run|--onto=re|");
}

// Where the shell is there; that it works was seen by hand.
TEST(Scripts, AreOfTheirShell) {
  testing::TempDir dir;
  int looked_at = 0;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    EXPECT_THAT(script, HasSubstr("git txn internal complete -- ")) << shell;
    ASSERT_TRUE(write_file(dir.at(shell), script, Sync::kNo));
    if (by_bash("command -v " + shell, dir.path()).empty()) continue;
    ++looked_at;
    EXPECT_EQ(by_bash(fmt::format("{0} -n {0} || echo failed", shell), dir.path()), "") << shell;
  }
  EXPECT_GE(looked_at, 1) << "bash runs this";
  EXPECT_EQ(completion_script("tcsh"), "");
}

}  // namespace
}  // namespace gittxn::cli
