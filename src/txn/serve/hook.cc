// What a hook tells while a transaction runs, and its answer: see ask.h.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "agents/hook_log.h"
#include "base/fs.h"
#include "base/json.h"
#include "txn/serve/ask.h"
#include "txn/serve/brief.h"

namespace gittxn::api {

namespace {

// Whoever writes more than that into a hook is not waiting for it to end.
constexpr std::uint64_t kMostRead = std::uint64_t{1} << 30;

constexpr std::int64_t kPatienceMs = 100'000;  // less than the time-out that its hooks are given

// Events whose answer reaches the model, in both programs.
constexpr std::array<std::string_view, 2> kAnswered = {"PostToolUse", "UserPromptSubmit"};

// The event, or one byte more than one may have. The rest is read as well: an agent that writes
// into a closed pipe may take that for a failure of its own.
std::string read_event(int input) {
  std::string event;
  std::array<char, 1 << 16> buffer;
  std::uint64_t seen = 0;
  while (seen < kMostRead) {
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // a descriptor that cannot be read has said all it will
    seen += static_cast<std::uint64_t>(got);
    const std::size_t room = agents::kMaxHookEvent + 1 - event.size();
    event.append(buffer.data(), std::min(static_cast<std::size_t>(got), room));
  }
  return event;
}

bool is_directory(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// What there is to tell: the brief, to each conversation; what became of sub-agents, to the parent.
Result<std::string> news_for(const HookCall& call, const std::string& event) {
  std::string news;
  const auto brief = TRY(read_brief(call.observed));
  const agents::EventNames names = agents::names_of(event);
  if (brief && TRY(first_telling(call.observed, *brief, names.session + '\0' + names.agent))) {
    news = brief_text(*brief);
  }
  if (names.agent.empty()) news += TRY(said(call.observed));
  if (news.empty()) return news;
  const Json output = {
      {"hookSpecificOutput", {{"hookEventName", call.event}, {"additionalContext", news}}}};
  return dump_json(output) + "\n";
}

// The last line of what is said is where the worktree is.
Result<std::string> worktree_for(const HookCall& call, const std::string& event) {
  const std::string name = agents::names_of(event).name;
  return TRY(ask(call.observed, {Ask::Verb::kWorktree, name}, kPatienceMs)) + "\n";
}

// A sub-agent with a worktree of its own has ended: its change is in the parent's worktree before
// the parent hears of it.
Result<std::string> joined(const HookCall& call, const std::string& event) {
  const std::string agent = agents::names_of(event).agent;
  const std::string name = "agent-" + agent;
  if (agent.empty() || !TRY(is_child(call.observed, name))) return std::string();
  TRY(ask(call.observed, {Ask::Verb::kJoin, name}, kPatienceMs));
  return std::string();
}

// Tells what there is to know of a file before its first change, which policy may refuse.
Result<std::string> told_before_writing(const HookCall& call, const std::string& event) {
  const std::string tree = join_path(parent_dir(call.observed), "tree");
  std::string text;
  bool deny = false;
  for (const std::string& file : agents::files_to_be_written(event)) {
    std::string path;
    if (!path_below(normal_path(file), tree, &path) || path.empty()) continue;
    const WriteAnswer told = TRY(ask_before_write(call.observed, path));
    deny = deny || told.deny;
    text += told.text;
  }
  if (text.empty()) return text;
  text.resize(std::min(text.size(), kMaxSaid));
  Json output = {{"hookEventName", call.event}};
  if (deny) {
    output["permissionDecision"] = "deny";
    output["permissionDecisionReason"] = text;
  } else {
    output["additionalContext"] = text;
  }
  return dump_json(Json{{"hookSpecificOutput", output}}) + "\n";
}

Result<std::string> output_for(const HookCall& call, const std::string& event) {
  if (call.event == "WorktreeCreate") return worktree_for(call, event);
  if (call.event == "SubagentStop") return joined(call, event);
  if (call.event == "PreToolUse") return told_before_writing(call, event);
  if (std::ranges::find(kAnswered, call.event) != kAnswered.end()) return news_for(call, event);
  return std::string();
}

}  // namespace

HookAnswer answer_hook(const HookCall& call) {
  HookAnswer answer;
  const std::string event = read_event(call.input);
  if (call.observed.empty()) return answer;
  if (!is_directory(call.observed)) {
    answer.trouble = "the transaction of '" + call.observed + "' has ended";
    return answer;
  }
  const std::string line = agents::log_line_of(event, call.time_ms);
  const Status appended = agents::append_to_hook_log(join_path(call.observed, "hooks.jsonl"), line);
  if (!appended) answer.trouble = "not recorded: " + appended.error().message;
  auto output = output_for(call, event);
  if (output) {
    answer.output = *std::move(output);
  } else {
    answer.trouble += (answer.trouble.empty() ? "" : "; ") + output.error().message;
  }
  return answer;
}

}  // namespace gittxn::api
