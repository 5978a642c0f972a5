#include "agents/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/subprocess.h"

namespace gittxn::agents {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kSession = "11111111-2222-4333-8444-555555555555";

// The command that goes on, or why there is none.
std::string resumed(const Words& argv, const std::string& session = "S") {
  const auto agent = find_agent(argv, [](const std::string&) { return std::string(); });
  if (!agent) return "no agent";
  const auto command = resuming_command(*agent, argv, session);
  return command ? quote_argv(*command) : "no: " + command.error().message;
}

TEST(Resume, OfClaudeIsItsOwnCommandWithoutThePrompt) {
  EXPECT_EQ(resumed({"claude", "-p", "fix it"}), "claude -p --resume S");
  EXPECT_EQ(resumed({"claude", "fix it", "-p"}), "claude -p --resume S");
  EXPECT_EQ(resumed({"claude", "--print"}), "claude --print --resume S") << "it came on the input";
  EXPECT_EQ(resumed({"env", "A=b", "timeout", "9", "claude", "--model", "opus", "-p", "x",
                     "--output-format=json", "--verbose"}),
            "env A=b timeout 9 claude --model opus -p --output-format=json --verbose --resume S");
  EXPECT_EQ(resumed({"claude", "-p", "--allowedTools", "Read", "Bash(git *)", "--add-dir", "/a",
                     "/b", "--", "fix it"}),
            "claude -p --allowedTools Read 'Bash(git *)' --add-dir /a /b --resume S");
  EXPECT_EQ(resumed({"claude", "-p", "--session-id", kSession, "x"}), "claude -p --resume S");
  EXPECT_EQ(resumed({"claude", "--resume", "T", "-p", "go on"}), "claude -p --resume S");
  EXPECT_EQ(resumed({"claude", "-r=T", "-p", "x"}), "no: its option -r=T is not known");
}

TEST(Resume, OfCodexKeepsTheOptionsOfExec) {
  EXPECT_EQ(resumed({"codex", "exec", "fix it"}), "codex exec resume S -");
  EXPECT_EQ(resumed({"codex", "-c", "a=b", "e", "--json", "-s", "workspace-write", "x"}),
            "codex -c a=b e --json -s workspace-write resume S -");
  EXPECT_EQ(resumed({"codex", "-m", "exec", "exec", "-"}), "codex -m exec exec resume S -");
  EXPECT_EQ(resumed({"codex", "exec", "--json", "resume", "T", "go on"}),
            "codex exec --json resume S -");
}

TEST(Resume, IsRefusedWhereThePromptOrTheConversationCannotBeTold) {
  EXPECT_EQ(resumed({"claude", "fix it"}), "no: it was a conversation at a terminal");
  EXPECT_EQ(resumed({"codex", "fix it"}), "no: it was a conversation at a terminal");
  EXPECT_EQ(resumed({"claude", "-p", "--new-option", "x"}),
            "no: its option --new-option is not known");
  EXPECT_EQ(resumed({"claude", "-p", "x", "--no-session-persistence"}),
            "no: it was begun with --no-session-persistence");
  EXPECT_EQ(resumed({"claude", "-p", "x", "--fork-session"}),
            "no: it was begun with --fork-session");
  EXPECT_EQ(resumed({"claude", "-p", "--input-format=stream-json"}),
            "no: it was begun with --input-format");
  EXPECT_EQ(resumed({"codex", "exec", "--ephemeral", "x"}), "no: it was begun with --ephemeral");
  EXPECT_EQ(resumed({"codex", "exec", "-C", "/elsewhere", "x"}), "no: it was begun with -C");
  EXPECT_EQ(resumed({"claude", "-p", "one", "two"}), "no: it has more than one prompt");
  EXPECT_EQ(resumed({"claude", "-p", "x"}, "--dangerously-skip-permissions"),
            "no: its name is not known");
  EXPECT_EQ(resumed({"claude", "-p", "x"}, ""), "no: its name is not known");
}

}  // namespace
}  // namespace gittxn::agents
