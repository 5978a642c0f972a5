#include "agents/housekeeping.h"

#include <gtest/gtest.h>

#include <set>

#include "base/text.h"

namespace gittxn::agents {
namespace {

constexpr const char* kClaude = "30e2724e2aecb1bf5dc9f3130901afb71c5fa229051c190a6d7ad9aff6378d6d";
constexpr const char* kRipgrep = "e62198eb19b136b88c330af83647b5a962cb99b6b1f066758568f12de1974849";

std::vector<std::string> asked(const KnownProgram& program, std::string_view question) {
  std::vector<std::string> argv{"/usr/bin/git"};
  for (const std::string_view part : {program.git, question}) {
    for (const std::string_view word : lines_of(part)) argv.emplace_back(word);
  }
  return argv;
}

TEST(KnownPrograms, AreKnownByTheirDigestAlone) {
  ASSERT_NE(known_program(kClaude), nullptr);
  EXPECT_EQ(known_program(kClaude)->program, Program::kClaudeCode);
  ASSERT_NE(known_program(kRipgrep), nullptr);
  EXPECT_FALSE(known_program(kRipgrep)->keeps_house);
  for (const char* other : {"", "gone", "claude", "2.1.329"}) {
    EXPECT_EQ(known_program(other), nullptr) << other;
  }
  EXPECT_TRUE(may_be_known("claude.exe"));
  EXPECT_FALSE(may_be_known("bash"));
}

TEST(KnownPrograms, ToolsThatListNothingAreOnAList) {
  const KnownProgram& claude = *known_program(kClaude);
  for (const char* tool : {"Read", "Edit", "Bash", "mcp__plugin_git-txn_txn__list"}) {
    EXPECT_TRUE(is_harmless_tool(claude, tool)) << tool;
  }
  for (const char* tool : {"Glob", "Grep", "LS", "LSP", "", "mcp__other__list", "read"}) {
    EXPECT_FALSE(is_harmless_tool(claude, tool)) << tool;
  }
}

TEST(KnownPrograms, AQuestionOfItsGitIsKnownByAllOfItsWords) {
  const KnownProgram& claude = *known_program(kClaude);
  ASSERT_EQ(claude.children.size(), 2u);
  for (const std::string_view question : claude.children) {
    std::vector<std::string> argv = asked(claude, question);
    EXPECT_TRUE(is_known_child(claude, argv));
    argv.front() = "git";
    EXPECT_TRUE(is_known_child(claude, argv));
    argv.front() = "/usr/bin/gitk";
    EXPECT_FALSE(is_known_child(claude, argv));
    argv.front() = "git";
    for (std::size_t i = 1; i < argv.size(); ++i) {
      std::vector<std::string> other = argv;
      other[i] += "x";
      EXPECT_FALSE(is_known_child(claude, other)) << other[i];
      other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(is_known_child(claude, other)) << argv[i];
    }
    argv.emplace_back("--");
    EXPECT_FALSE(is_known_child(claude, argv));
  }
  EXPECT_FALSE(is_known_child(claude, {"git", "status"}));
  EXPECT_FALSE(is_known_child(claude, {}));
}

}  // namespace
}  // namespace gittxn::agents
