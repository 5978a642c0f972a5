#include "agents/inject.h"

#include <fmt/format.h>

#include <cctype>
#include <span>
#include <string_view>

#include "agents/fields.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/subprocess.h"

namespace gittxn::agents {

namespace {

using Words = std::vector<std::string>;
using FileOf = std::function<std::string(const std::string&)>;

// ---- finding -----------------------------------------------------------------------------------

constexpr std::string_view kClaudePackage = "@anthropic-ai/claude-code";
constexpr std::string_view kCodexPackage = "@openai/codex";

Program by_name(std::string_view name) {
  if (name == "claude" || name == "claude.exe") return Program::kClaudeCode;
  if (name == "codex") return Program::kCodex;
  return Program::kUnknown;
}

// The npm packages, and where Claude Code's own installer keeps its versions.
Program by_file(std::string_view file) {
  if (file.contains("/" + std::string(kClaudePackage) + "/") ||
      file.contains("/claude/versions/")) {
    return Program::kClaudeCode;
  }
  if (file.contains("/" + std::string(kCodexPackage) + "/")) return Program::kCodex;
  return Program::kUnknown;
}

// "@openai/codex@0.169.0"
Program by_package(std::string_view spec) {
  const std::size_t version = spec.find('@', 1);
  const std::string_view name = spec.substr(0, version);
  if (name == kClaudePackage) return Program::kClaudeCode;
  if (name == kCodexPackage) return Program::kCodex;
  return Program::kUnknown;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != word.npos && equals > 0 && word.front() != '-';
}

// Skips options; those in `with_value` take the next word as well. "--" ends them.
std::size_t skip_options(const Words& argv, std::size_t i,
                         std::span<const std::string_view> with_value) {
  while (i < argv.size() && argv[i].starts_with('-')) {
    if (argv[i] == "--") return i + 1;
    i += among(with_value, argv[i]) ? 2 : 1;
  }
  return i;
}

constexpr std::string_view kEnvValues[] = {"-u", "--unset", "-C", "--chdir"};
constexpr std::string_view kNiceValues[] = {"-n", "--adjustment"};
constexpr std::string_view kTimeoutValues[] = {"-k", "--kill-after", "-s", "--signal"};
constexpr std::string_view kNodeValues[] = {"-r", "--require", "--import", "--loader",
                                            "--env-file"};
constexpr std::string_view kNpxValues[] = {"-p", "--package", "-w", "--workspace"};

// Where the program behind a wrapper is named; argv.size() when this is no wrapper that we read.
std::size_t behind_wrapper(const Words& argv, std::size_t i) {
  const std::string name = base_name(argv[i]);
  if (name == "nohup") return skip_options(argv, i + 1, {});
  if (name == "nice") return skip_options(argv, i + 1, kNiceValues);
  if (name == "timeout") return skip_options(argv, i + 1, kTimeoutValues) + 1;
  if (name != "env") return argv.size();
  std::size_t at = skip_options(argv, i + 1, kEnvValues);
  while (at < argv.size() && is_assignment(argv[at])) ++at;
  return at;
}

// The word that names a package or its program, behind a package runner. Options of the agent must
// reach the agent: npm itself reads those that do not stand behind "--".
std::size_t behind_runner(const Words& argv, std::size_t i) {
  const std::string name = base_name(argv[i]);
  if (name == "npx" || name == "bunx") return skip_options(argv, i + 1, kNpxValues);
  if (i + 1 >= argv.size()) return argv.size();
  const std::string& verb = argv[i + 1];
  if (name == "pnpm" && verb == "dlx") return skip_options(argv, i + 2, kNpxValues);
  if (name != "npm" || (verb != "exec" && verb != "x")) return argv.size();
  const std::size_t at = skip_options(argv, i + 2, kNpxValues);
  return at <= argv.size() && argv[at - 1] == "--" ? at : argv.size();
}

constexpr std::string_view kClaudeOther[] = {
    "agents", "attach", "auth",    "auto-mode",   "doctor",  "gateway",    "import",  "install",
    "kill",   "logs",   "mcp",     "plugin",      "plugins", "purge",      "respawn", "rm",
    "stop",   "update", "upgrade", "setup-token", "help",    "ultrareview"};
constexpr std::string_view kCodexOther[] = {"agents",         "login",
                                            "logout",         "mcp",
                                            "plugin",         "app-server",
                                            "completion",     "update",
                                            "doctor",         "debug",
                                            "apply",          "a",
                                            "queue",          "archive",
                                            "delete",         "cloud",
                                            "unarchive",      "exec-server",
                                            "features",       "help",
                                            "sandbox",        "migrate-rollouts",
                                            "migrate-nfs-db", "remote-control"};

bool is_session(Program program, const Words& argv, std::size_t at) {
  if (at + 1 >= argv.size()) return true;
  const std::string& next = argv[at + 1];
  return program == Program::kCodex ? !among(kCodexOther, next) : !among(kClaudeOther, next);
}

// ---- injecting ---------------------------------------------------------------------------------

struct HookedEvent {
  std::string_view name;
  int timeout_s;
};
// What says something about reads, and the ends of things. A session's end has to be quick.
constexpr int kTimeoutS = 10;
constexpr int kEndTimeoutS = 3;         // Codex allows no more
constexpr int kWorktreeTimeoutS = 120;  // a checkout, and what the policy does in a fresh one
constexpr HookedEvent kClaudeEvents[] = {{"WorktreeCreate", kWorktreeTimeoutS},
                                         {"SessionStart", kTimeoutS},
                                         {"SessionEnd", kEndTimeoutS},
                                         {"UserPromptSubmit", kTimeoutS},
                                         {"PreToolUse", kTimeoutS},
                                         {"PostToolUse", kTimeoutS},
                                         {"PostToolUseFailure", kTimeoutS},
                                         {"InstructionsLoaded", kTimeoutS},
                                         {"CwdChanged", kTimeoutS},
                                         {"SubagentStart", kTimeoutS},
                                         {"SubagentStop", kWorktreeTimeoutS},
                                         {"Stop", kTimeoutS}};
constexpr HookedEvent kCodexEvents[] = {
    {"SessionStart", kTimeoutS}, {"SessionEnd", kEndTimeoutS}, {"UserPromptSubmit", kTimeoutS},
    {"PreToolUse", kTimeoutS},   {"PostToolUse", kTimeoutS},   {"SubagentStart", kTimeoutS},
    {"SubagentStop", kTimeoutS}, {"Stop", kTimeoutS}};

std::string hook_command(const Reporting& reporting, std::string_view event) {
  return quote_argv({reporting.program, "hook", std::string(event), "--into", reporting.observed});
}

// The MCP server has its directory as an argument: Codex gives its servers four variables.
std::vector<std::string> server_arguments(const Reporting& reporting) {
  return {"mcp", "--into", reporting.observed};
}

// The tools of the server `txn` in the plugin `git-txn`. Without somebody who can be asked, as in
// `claude -p`, a tool that was not granted is refused. They read and declare, and change nothing.
constexpr std::string_view kClaudeTools = "mcp__plugin_git-txn_txn";

Injection for_claude(const Reporting& reporting, const std::string& folder) {
  Json hooks = Json::object();
  for (const HookedEvent& event : kClaudeEvents) {
    const Json command = {{"type", "command"},
                          {"command", hook_command(reporting, event.name)},
                          {"timeout", event.timeout_s}};
    hooks[std::string(event.name)] = Json::array({{{"hooks", Json::array({command})}}});
  }
  const Json manifest = {{"name", "git-txn"},
                         {"version", reporting.version},
                         {"description", "tells git-txn what this run reads"},
                         {"author", {{"name", "git-txn"}}}};
  const Json server = {{"command", reporting.program}, {"args", server_arguments(reporting)}};
  Injection injection;
  injection.files = {{".claude-plugin/plugin.json", canonical_json(manifest) + "\n"},
                     {"hooks/hooks.json", canonical_json(Json{{"hooks", hooks}}) + "\n"},
                     {".mcp.json", canonical_json(Json{{"mcpServers", {{"txn", server}}}}) + "\n"}};
  // Of several words the last is followed by an option: it takes none of the user's. Claude Code
  // adds the user's own --allowedTools to these, and what they forbid stays forbidden.
  injection.options = {"--allowedTools", std::string(kClaudeTools), "--plugin-dir", folder};
  return injection;
}

// "PostToolUse" -> "post_tool_use"
std::string snake(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !out.empty()) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// A string of JSON is one of TOML, but for DEL.
std::string toml(const std::string& text) {
  std::string out = canonical_json(Json(text));
  for (std::size_t at = out.find('\x7f'); at != out.npos; at = out.find('\x7f', at)) {
    out.replace(at, 1, "\\u007F");
  }
  return out;
}

// Codex runs a hook only when its settings say that exactly this one is trusted. The settings of
// this run are a layer of their own, so hooks that the user has stay beside ours.
Injection for_codex(const Reporting& reporting) {
  Injection injection;
  std::string trusted;
  for (const HookedEvent& event : kCodexEvents) {
    const std::string command = hook_command(reporting, event.name);
    const Json hook = {
        {"async", false}, {"command", command}, {"timeout", event.timeout_s}, {"type", "command"}};
    const Json identity = {{"event_name", snake(event.name)}, {"hooks", Json::array({hook})}};
    injection.options.insert(
        injection.options.end(),
        {"-c", fmt::format("hooks.{}=[{{hooks=[{{type=\"command\",command={},timeout={}}}]}}]",
                           event.name, toml(command), event.timeout_s)});
    trusted += fmt::format(
        "{}\"/<session-flags>/config.toml:{}:0:0\"={{trusted_hash=\"sha256:{}\"}}",
        trusted.empty() ? "" : ",", snake(event.name), sha256(canonical_json(identity)).str());
  }
  injection.options.insert(injection.options.end(), {"-c", "hooks.state={" + trusted + "}"});
  std::string arguments;
  for (const std::string& argument : server_arguments(reporting)) {
    arguments += (arguments.empty() ? "" : ",") + toml(argument);
  }
  injection.options.insert(injection.options.end(),
                           {"-c", "mcp_servers.txn.command=" + toml(reporting.program), "-c",
                            "mcp_servers.txn.args=[" + arguments + "]"});
  return injection;
}

// Options of the user's that switch off what we add. They are respected, and said.
std::string switched_off(const FoundAgent& found, const Words& argv) {
  for (std::size_t i = found.at + 1; i < argv.size() && argv[i] != "--"; ++i) {
    const std::string& word = argv[i];
    if (found.program == Program::kClaudeCode && (word == "--bare" || word == "--safe-mode")) {
      return word + " switches the hooks of claude off";
    }
    if (found.program != Program::kCodex) continue;
    const bool off = word == "--disable=hooks" || word == "features.hooks=false" ||
                     (word == "--disable" && i + 1 < argv.size() && argv[i + 1] == "hooks");
    if (off) return "the hooks of codex are disabled on its command line";
    if (word.starts_with("hooks.")) {
      return "its command line has hooks of its own (" + word.substr(0, word.find('=')) +
             "), which replace some of git-txn's";
    }
  }
  return {};
}

}  // namespace

std::optional<FoundAgent> find_agent(const Words& argv, const FileOf& file_of) {
  constexpr int kMostWrappers = 4;
  std::size_t at = 0;
  for (int i = 0; i < kMostWrappers && at < argv.size(); ++i) {
    Program program = by_name(base_name(argv[at]));
    if (program == Program::kUnknown) program = by_file(file_of(argv[at]));
    if (program == Program::kUnknown) {
      if (const std::size_t spec = behind_runner(argv, at); spec < argv.size()) {
        program = by_package(argv[spec]);
        if (program == Program::kUnknown) program = by_name(argv[spec]);
        at = spec;
        if (program == Program::kUnknown) return std::nullopt;
      }
    }
    const std::string name = base_name(argv[at]);
    if (program == Program::kUnknown && (name == "node" || name == "nodejs" || name == "bun")) {
      at = skip_options(argv, at + 1, kNodeValues);
      if (at < argv.size()) program = by_file(file_of(argv[at]));
      if (program == Program::kUnknown) return std::nullopt;
    }
    if (program != Program::kUnknown) {
      if (!is_session(program, argv, at)) return std::nullopt;
      return FoundAgent{program, at};
    }
    at = behind_wrapper(argv, at);
  }
  return std::nullopt;
}

Result<Injection> injection_for(const FoundAgent& found, const Words& argv,
                                const Reporting& reporting, const std::string& folder) {
  for (const std::string& path : {reporting.program, reporting.observed, folder}) {
    if (!is_utf8(path)) {
      return fail(Code::kUnsupported,
                  "'" + path + "' is not UTF-8, so the agent's settings cannot name it");
    }
  }
  Injection injection =
      found.program == Program::kCodex ? for_codex(reporting) : for_claude(reporting, folder);
  injection.switched_off = switched_off(found, argv);
  return injection;
}

}  // namespace gittxn::agents
