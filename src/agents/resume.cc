#include "agents/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace gittxn::agents {
namespace {

using Words = std::vector<std::string>;

enum class Takes {
  kNothing,
  kValue,
  kMaybeValue,  // the next word, unless it is an option
  kValues,      // all words up to the next option
  kDropped,     // with its value: it names another conversation
  kNoResume,    // a conversation with this option is not one that we can go on with
};
struct Option {
  std::string_view name;
  Takes takes;
};

// Options of Claude Code 2.1.329.
constexpr Option kClaudeOptions[] = {
    {"--add-dir", Takes::kValues},
    {"--agent", Takes::kValue},
    {"--agents", Takes::kValue},
    {"--allow-dangerously-skip-permissions", Takes::kNothing},
    {"--allowedTools", Takes::kValues},
    {"--allowed-tools", Takes::kValues},
    {"--append-system-prompt", Takes::kValue},
    {"--append-system-prompt-file", Takes::kValue},
    {"--autocompact", Takes::kValue},
    {"--betas", Takes::kValues},
    {"--brief", Takes::kNothing},
    {"--chrome", Takes::kNothing},
    {"--no-chrome", Takes::kNothing},
    {"--dangerously-skip-permissions", Takes::kNothing},
    {"-d", Takes::kMaybeValue},
    {"--debug", Takes::kMaybeValue},
    {"--debug-file", Takes::kValue},
    {"--disable-slash-commands", Takes::kNothing},
    {"--disallowedTools", Takes::kValues},
    {"--disallowed-tools", Takes::kValues},
    {"--effort", Takes::kValue},
    {"--exclude-dynamic-system-prompt-sections", Takes::kNothing},
    {"--fallback-model", Takes::kValue},
    {"--file", Takes::kValues},
    {"--forward-subagent-text", Takes::kNothing},
    {"--ide", Takes::kNothing},
    {"--include-hook-events", Takes::kNothing},
    {"--include-partial-messages", Takes::kNothing},
    {"--json-schema", Takes::kValue},
    {"--max-budget-usd", Takes::kValue},
    {"--max-turns", Takes::kValue},
    {"--mcp-config", Takes::kValues},
    {"--model", Takes::kValue},
    {"-n", Takes::kValue},
    {"--name", Takes::kValue},
    {"--output-format", Takes::kValue},
    {"--permission-mode", Takes::kValue},
    {"--permission-prompt-tool", Takes::kValue},
    {"--permission-prompts", Takes::kValue},
    {"--plugin-dir", Takes::kValue},
    {"--plugin-url", Takes::kValue},
    {"-p", Takes::kNothing},
    {"--print", Takes::kNothing},
    {"--restricted", Takes::kNothing},
    {"-r", Takes::kDropped},
    {"--resume", Takes::kDropped},
    {"--safe-mode", Takes::kNothing},
    {"--session-id", Takes::kDropped},
    {"--setting-sources", Takes::kValue},
    {"--settings", Takes::kValue},
    {"--strict-mcp-config", Takes::kNothing},
    {"--system-prompt", Takes::kValue},
    {"--system-prompt-file", Takes::kValue},
    {"--system-prompt-snapshot", Takes::kValue},
    {"--tools", Takes::kValues},
    {"--verbose", Takes::kNothing},
    {"--bare", Takes::kNoResume},  // without hooks nobody knows which conversation it was
    {"--bg", Takes::kNoResume},
    {"--background", Takes::kNoResume},
    {"--cloud", Takes::kNoResume},
    {"--environment", Takes::kNoResume},
    {"-c", Takes::kNoResume},
    {"--continue", Takes::kNoResume},
    {"--desktop", Takes::kNoResume},
    {"--fork-session", Takes::kNoResume},
    {"--from-pr", Takes::kNoResume},
    {"--input-format", Takes::kNoResume},
    {"--no-session-persistence", Takes::kNoResume},
    {"--remote-control", Takes::kNoResume},
    {"--replay-user-messages", Takes::kNoResume},
    {"--teleport", Takes::kNoResume},
    {"--tmux", Takes::kNoResume},
    {"-w", Takes::kNoResume},
    {"--worktree", Takes::kNoResume},
};

// Options of Codex CLI 0.169.0 and its `exec`.
constexpr Option kCodexOptions[] = {
    {"-c", Takes::kValue},
    {"--config", Takes::kValue},
    {"--enable", Takes::kValue},
    {"--disable", Takes::kValue},
    {"--strict-config", Takes::kNothing},
    {"-m", Takes::kValue},
    {"--model", Takes::kValue},
    {"--oss", Takes::kNothing},
    {"--local-provider", Takes::kValue},
    {"-p", Takes::kValue},
    {"--profile", Takes::kValue},
    {"-s", Takes::kValue},
    {"--sandbox", Takes::kValue},
    {"--approve-for-me", Takes::kNothing},
    {"--dangerously-bypass-approvals-and-sandbox", Takes::kNothing},
    {"--dangerously-bypass-hook-trust", Takes::kNothing},
    {"--add-dir", Takes::kValue},
    {"--thread-source", Takes::kValue},
    {"--cyber-access-program", Takes::kValue},
    {"--skip-git-repo-check", Takes::kNothing},
    {"--trust", Takes::kNothing},
    {"--ignore-user-config", Takes::kNothing},
    {"--ignore-rules", Takes::kNothing},
    {"--output-schema", Takes::kValue},
    {"--color", Takes::kValue},
    {"--json", Takes::kNothing},
    {"-o", Takes::kValue},
    {"--output-last-message", Takes::kValue},
    {"-a", Takes::kValue},
    {"--ask-for-approval", Takes::kValue},
    {"--search", Takes::kNothing},
    {"-C", Takes::kNoResume},
    {"--cd", Takes::kNoResume},
    {"-i", Takes::kNoResume},  // takes any number of words, the prompt among them
    {"--image", Takes::kNoResume},
    {"--ephemeral", Takes::kNoResume},
    {"--worktree", Takes::kNoResume},
    {"--remote", Takes::kNoResume},
};

struct Parsed {
  Words options;  // as they were, with their values
  Words operands;
  std::size_t first = 0;  // where the first operand is
};

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

std::unexpected<Error> cannot(std::string why) {
  return fail(Code::kUnsupported, std::move(why));
}

Result<Parsed> parse(const Words& argv, std::size_t from, std::span<const Option> known) {
  Parsed parsed;
  for (std::size_t i = from; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    if (word == "--" || !is_option(word)) {
      const bool rest = word == "--";
      const auto begin = argv.begin() + static_cast<std::ptrdiff_t>(i) + (rest ? 1 : 0);
      if (parsed.operands.empty()) parsed.first = i;
      parsed.operands.insert(parsed.operands.end(), begin, rest ? argv.end() : begin + 1);
      if (rest) break;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const auto option = std::ranges::find(known, word.substr(0, equals), &Option::name);
    if (option == known.end()) return cannot(fmt::format("its option {} is not known", word));
    if (option->takes == Takes::kNoResume) {
      return cannot(fmt::format("it was begun with {}", option->name));
    }
    std::size_t values = 0;
    const auto more = [&] { return i + values + 1 < argv.size(); };
    const auto next_is_value = [&] { return more() && !is_option(argv[i + values + 1]); };
    if (equals == word.npos) {
      if (option->takes == Takes::kValue || option->takes == Takes::kDropped)
        values = more() ? 1 : 0;
      if (option->takes == Takes::kMaybeValue && next_is_value()) values = 1;
      while (option->takes == Takes::kValues && next_is_value()) ++values;
    }
    const auto begin = argv.begin() + static_cast<std::ptrdiff_t>(i);
    if (option->takes != Takes::kDropped) {
      parsed.options.insert(parsed.options.end(), begin,
                            begin + static_cast<std::ptrdiff_t>(values) + 1);
    }
    i += values;
  }
  return parsed;
}

Words joined(const Words& argv, std::size_t up_to, const Words& options, Words rest) {
  Words all(argv.begin(), argv.begin() + static_cast<std::ptrdiff_t>(up_to));
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Result<Words> of_claude(const FoundAgent& found, const Words& argv, std::string_view session) {
  const Parsed parsed = TRY(parse(argv, found.at + 1, kClaudeOptions));
  const bool prints = std::ranges::any_of(
      parsed.options, [](const std::string& word) { return word == "-p" || word == "--print"; });
  if (!prints) return cannot("it was a conversation at a terminal");
  if (parsed.operands.size() > 1) return cannot("it has more than one prompt");
  return joined(argv, found.at + 1, parsed.options, {"--resume", std::string(session)});
}

// The options of `exec` stand before `resume`, where all of them are known and count for it.
Result<Words> of_codex(const FoundAgent& found, const Words& argv, std::string_view session) {
  Parsed parsed = TRY(parse(argv, found.at + 1, kCodexOptions));
  const bool execs = !parsed.operands.empty() &&
                     (parsed.operands.front() == "exec" || parsed.operands.front() == "e");
  if (!execs) return cannot("it was a conversation at a terminal");
  const std::size_t exec = parsed.first;
  parsed = TRY(parse(argv, exec + 1, kCodexOptions));
  if (!parsed.operands.empty() && parsed.operands.front() == "resume") {
    parsed.operands.erase(
        parsed.operands.begin(),
        parsed.operands.begin() +
            static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, parsed.operands.size())));
  }
  if (parsed.operands.size() > 1) return cannot("it has more than one prompt");
  return joined(argv, exec + 1, parsed.options, {"resume", std::string(session), "-"});
}

}  // namespace

Result<std::vector<std::string>> resuming_command(const FoundAgent& found,
                                                  const std::vector<std::string>& argv,
                                                  std::string_view session) {
  // A name that an option parser could take for one of its own.
  if (session.empty() || session.front() == '-') return cannot("its name is not known");
  return found.program == Program::kCodex ? of_codex(found, argv, session)
                                          : of_claude(found, argv, session);
}

}  // namespace gittxn::agents
