#include "agents/inject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"
#include "base/json.h"

namespace gittxn::agents {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

// Where the words lead on the machine of these tests.
std::string file_of(const std::string& word) {
  static const std::map<std::string, std::string> kFiles = {
      {"cc", "/usr/bin/cc"},
      {"assistant", "/opt/lib/node_modules/@anthropic-ai/claude-code/cli.js"},
      {"native", "/usr/share/claude/versions/2.1.329"},
      {"helper", "/opt/lib/node_modules/@openai/codex/bin/codex.js"},
      {"/opt/cli.js", "/opt/lib/node_modules/@openai/codex/bin/codex.js"},
      {"claudette", "/usr/bin/claudette"}};
  const auto found = kFiles.find(word);
  return found == kFiles.end() ? "" : found->second;
}

std::string found(const Words& argv) {
  const auto agent = find_agent(argv, file_of);
  if (!agent) return "none";
  return std::string(program_name(agent->program)) + " at " + std::to_string(agent->at);
}

TEST(FindAgent, ByNameByFileAndBehindWrappers) {
  EXPECT_EQ(found({"claude", "-p", "x"}), "claude-code at 0");
  EXPECT_EQ(found({"/usr/local/bin/claude"}), "claude-code at 0");
  EXPECT_EQ(found({"codex", "exec", "x"}), "codex at 0");
  EXPECT_EQ(found({"assistant", "-p", "x"}), "claude-code at 0");
  EXPECT_EQ(found({"native"}), "claude-code at 0");
  EXPECT_EQ(found({"helper"}), "codex at 0");
  EXPECT_EQ(found({"env", "-u", "HOME", "A=b", "claude"}), "claude-code at 4");
  EXPECT_EQ(found({"timeout", "-k", "5", "600", "nice", "-n", "5", "codex", "exec"}), "codex at 7");
  EXPECT_EQ(found({"npx", "-y", "@anthropic-ai/claude-code@2.1.329", "-p", "x"}),
            "claude-code at 2");
  EXPECT_EQ(found({"npx", "-p", "@openai/codex", "codex", "exec"}), "codex at 3");
  EXPECT_EQ(found({"npm", "exec", "--yes", "--", "@openai/codex", "exec"}), "codex at 4");
  EXPECT_EQ(found({"pnpm", "dlx", "@openai/codex"}), "codex at 2");
  EXPECT_EQ(found({"node", "--import", "x", "/opt/cli.js", "exec"}), "codex at 3");
}

TEST(FindAgent, NothingElseIsOne) {
  EXPECT_EQ(found({}), "none");
  EXPECT_EQ(found({"cc", "claude"}), "none");
  EXPECT_EQ(found({"claudette"}), "none");
  EXPECT_EQ(found({"echo", "claude"}), "none");
  EXPECT_EQ(found({"env"}), "none");
  EXPECT_EQ(found({"env", "A=b"}), "none");
  EXPECT_EQ(found({"timeout", "5"}), "none");
  EXPECT_EQ(found({"npx", "left-pad", "claude"}), "none");
  EXPECT_EQ(found({"npm", "exec", "claude", "-p", "x"}), "none");  // npm would take -p itself
  EXPECT_EQ(found({"npm", "install", "claude"}), "none");
  EXPECT_EQ(found({"node", "server.js"}), "none");
  EXPECT_EQ(found({"env", "env", "env", "env", "claude"}), "none");
  EXPECT_EQ(found({"claude", "mcp", "list"}), "none");
  EXPECT_EQ(found({"codex", "login"}), "none");
}

const Reporting kReporting{"/opt/it's/git-txn", "1.2", "/state/t-1/1/observed"};

TEST(Injection, ClaudeCodeGetsAPluginFolder) {
  const auto injection = injection_for({Program::kClaudeCode, 0}, {"claude"}, kReporting, "/p");
  ASSERT_TRUE(injection);
  EXPECT_EQ(injection->options,
            (Words{"--allowedTools", "mcp__plugin_git-txn_txn", "--plugin-dir", "/p"}));
  EXPECT_EQ(injection->switched_off, "");
  std::map<std::string, Json> files;
  for (const auto& [name, text] : injection->files) files[name] = parse_json(text).value();
  EXPECT_EQ(files[".claude-plugin/plugin.json"]["name"], "git-txn");
  const Json& hooks = files["hooks/hooks.json"]["hooks"];
  EXPECT_EQ(hooks.size(), 12u);
  EXPECT_EQ(hooks["PostToolUse"][0]["hooks"][0]["command"],
            R"('/opt/it'\''s/git-txn' hook PostToolUse --into /state/t-1/1/observed)");
  EXPECT_EQ(hooks["PostToolUse"][0]["hooks"][0]["timeout"], 10);
}

// The form and the hash are those that Codex 0.169.0 was seen to accept.
TEST(Injection, CodexGetsTrustedHooksForThisRun) {
  const Reporting reporting{"/bin/git-txn", "1", "/o"};
  const auto injection = injection_for({Program::kCodex, 0}, {"codex"}, reporting, "/p");
  ASSERT_TRUE(injection);
  EXPECT_TRUE(injection->files.empty());
  ASSERT_EQ(injection->options.size(), 22u);
  EXPECT_EQ(injection->options[8], "-c");
  EXPECT_EQ(injection->options[9],
            R"(hooks.PostToolUse=[{hooks=[{type="command",command="/bin/git-txn hook PostToolUse )"
            R"(--into /o",timeout=10}]}])");
  const Digest hash = sha256(
      R"({"event_name":"post_tool_use","hooks":[{"async":false,"command":"/bin/git-txn hook )"
      R"(PostToolUse --into /o","timeout":10,"type":"command"}]})");
  EXPECT_THAT(
      injection->options[17],
      HasSubstr("\"/<session-flags>/config.toml:post_tool_use:0:0\"={trusted_hash=\"sha256:" +
                hash.str() + "\"}"));
}

TEST(Injection, BothGetTheMcpServer) {
  const Reporting reporting{"/bin/git-txn", "1", "/o"};
  const auto claude = injection_for({Program::kClaudeCode, 0}, {"claude"}, reporting, "/p");
  ASSERT_TRUE(claude);
  EXPECT_EQ(claude->files.back().first, ".mcp.json");
  EXPECT_EQ(claude->files.back().second,
            R"({"mcpServers":{"txn":{"args":["mcp","--into","/o"],"command":"/bin/git-txn"}}})"
            "\n");
  const auto codex = injection_for({Program::kCodex, 0}, {"codex"}, reporting, "/p");
  ASSERT_TRUE(codex);
  EXPECT_EQ(codex->options[19], R"(mcp_servers.txn.command="/bin/git-txn")");
  EXPECT_EQ(codex->options[21], R"(mcp_servers.txn.args=["mcp","--into","/o"])");
}

TEST(Injection, TellsWhatTheUserHasSwitchedOff) {
  const auto off = [](Program program, const Words& argv) {
    return injection_for({program, 0}, argv, kReporting, "/p").value().switched_off;
  };
  EXPECT_THAT(off(Program::kClaudeCode, {"claude", "--bare", "-p", "x"}), HasSubstr("--bare"));
  EXPECT_EQ(off(Program::kClaudeCode, {"claude", "--", "--bare"}), "");
  EXPECT_THAT(off(Program::kCodex, {"codex", "--disable", "hooks"}), HasSubstr("disabled"));
  EXPECT_THAT(off(Program::kCodex, {"codex", "-c", "hooks.Stop=[]"}), HasSubstr("hooks.Stop"));
  EXPECT_EQ(off(Program::kCodex, {"codex", "--disable", "plugins"}), "");
}

TEST(Injection, APathThatIsNotTextIsRefused) {
  const Reporting reporting{"/bin/git-txn", "1", "/o\xff"};
  const auto injection = injection_for({Program::kCodex, 0}, {"codex"}, reporting, "/p");
  ASSERT_FALSE(injection);
  EXPECT_EQ(injection.error().code, Code::kUnsupported);
  EXPECT_TRUE(injection_for({Program::kCodex, 0}, {"codex"}, {"/a%b/é", "1", "/o"}, "/p"));
}

}  // namespace
}  // namespace gittxn::agents
