#include "agents/housekeeping.h"

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"

namespace gittxn::agents {
namespace {

// Claude Code 2.1.329, linux-x64, from npm. At its start it lists the top of the tree twice. Before
// the first command that may write (Bash) it reads the index, copies it to a git directory of its
// own and lists every directory, to watch them; around each such command it asks that git directory
// what has changed. What comes of it are the files that the command changed, which are the
// transaction's own.
//
// Not on the list, because the model is shown it: instruction files, what is below .claude, and
// what git says of branch, status and recent commits at the start.
constexpr std::string_view kToolsInside[] = {"Agent", "Bash",       "Edit", "Read",
                                             "Task",  "ToolSearch", "Write"};
constexpr std::string_view kInsideClaude[] = {"bfs", "rg", "ugrep"};
// The words of its git, and the two questions that it asks.
constexpr std::string_view kGitWords =
    "-c\nprotocol.ext.allow=never\n"
    "-c\ncore.alternateRefsCommand=f() { git --git-dir=\"$1\" for-each-ref "
    "--format='%(objectname)'; }; f\n-c\nsubmodule.recurse=false\n"
    "-c\nlog.showSignature=false\n-c\nformat.pretty=medium\n-c\ngc.auto=0\n"
    "-c\nmaintenance.auto=false\n-c\ndiff.autoRefreshIndex=false\n"
    "-c\nhook.applypatch-msg.enabled=false\n-c\nhook.pre-applypatch.enabled=false\n"
    "-c\nhook.post-applypatch.enabled=false\n-c\nhook.pre-commit.enabled=false\n"
    "-c\nhook.pre-merge-commit.enabled=false\n-c\nhook.prepare-commit-msg.enabled=false\n"
    "-c\nhook.commit-msg.enabled=false\n-c\nhook.post-commit.enabled=false\n"
    "-c\nhook.pre-rebase.enabled=false\n-c\nhook.post-checkout.enabled=false\n"
    "-c\nhook.post-merge.enabled=false\n-c\nhook.pre-push.enabled=false\n"
    "-c\nhook.pre-receive.enabled=false\n-c\nhook.update.enabled=false\n"
    "-c\nhook.proc-receive.enabled=false\n-c\nhook.post-receive.enabled=false\n"
    "-c\nhook.post-update.enabled=false\n-c\nhook.reference-transaction.enabled=false\n"
    "-c\nhook.push-to-checkout.enabled=false\n-c\nhook.pre-auto-gc.enabled=false\n"
    "-c\nhook.post-rewrite.enabled=false\n-c\nhook.sendemail-validate.enabled=false\n"
    "-c\nhook.fsmonitor-watchman.enabled=false\n-c\nhook.p4-changelist.enabled=false\n"
    "-c\nhook.p4-prepare-changelist.enabled=false\n"
    "-c\nhook.p4-post-changelist.enabled=false\n-c\nhook.p4-pre-submit.enabled=false\n"
    "-c\nhook.post-index-change.enabled=false\n--literal-pathspecs\n"
    "-c\ncore.hooksPath=/dev/null\n-c\ncore.fsmonitor=\n-c\ncore.askPass=\n"
    "-c\ncore.quotePath=false\n-c\ncore.safecrlf=false\n";
constexpr std::string_view kGitQuestions[] = {
    "status\n--porcelain=v2\n-z\n--untracked-files=normal\n--ignored=no\n--no-renames\n"
    "--ignore-submodules=all\n",
    "status\n--porcelain=v2\n-z\n--untracked-files=normal\n--ignored=matching\n--no-renames\n"
    "--ignore-submodules=all\n",
};

// Codex CLI 0.169.0, linux-x64, looks for what it wants by name; it comes with rg 15.2.0.
constexpr std::string_view kRipgrep[] = {"rg"};

constexpr KnownProgram kKnown[] = {
    {.program = Program::kClaudeCode,
     .digest = "30e2724e2aecb1bf5dc9f3130901afb71c5fa229051c190a6d7ad9aff6378d6d",
     .searchers = kInsideClaude,
     .tools = kToolsInside,
     .git = kGitWords,
     .children = kGitQuestions,
     .own_git = "/bash-edit-diff/",
     .keeps_house = true},
    {.program = Program::kCodex,
     .digest = "e62198eb19b136b88c330af83647b5a962cb99b6b1f066758568f12de1974849",
     .searchers = kRipgrep,
     .tools = {},
     .git = {},
     .children = {},
     .own_git = {}},
};

}  // namespace

const KnownProgram* known_program(std::string_view digest) {
  const auto* row = std::ranges::find(kKnown, digest, &KnownProgram::digest);
  return row == std::end(kKnown) ? nullptr : row;
}

bool may_be_known(std::string_view file_name) {
  return file_name == "claude" || file_name == "claude.exe" || file_name == "rg";
}

bool is_own_tool(std::string_view tool) {
  return tool.starts_with("mcp__plugin_git-txn_txn__") || tool.starts_with("mcp__txn__");
}

bool is_harmless_tool(const KnownProgram& program, std::string_view tool) {
  return is_own_tool(tool) || std::ranges::find(program.tools, tool) != program.tools.end();
}

bool is_known_child(const KnownProgram& program, const std::vector<std::string>& argv) {
  if (argv.empty() || base_name(argv.front()) != "git") return false;
  if (INJECTED_BUG("agents.any_child_keeps_house")) return true;
  std::string words;
  for (std::size_t i = 1; i < argv.size(); ++i) words += argv[i] + '\n';
  if (!words.starts_with(program.git)) return false;
  const std::string_view question = std::string_view(words).substr(program.git.size());
  return std::ranges::find(program.children, question) != program.children.end();
}

}  // namespace gittxn::agents
