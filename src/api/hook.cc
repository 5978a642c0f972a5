#include "api/hook.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "agents/hook_log.h"
#include "api/brief.h"
#include "base/fs.h"
#include "base/json.h"

namespace gittxn::api {

namespace {

// Whoever writes more than that into a hook is not waiting for it to end.
constexpr std::uint64_t kMostRead = std::uint64_t{1} << 30;

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

Result<std::string> brief_for(const HookCall& call, const std::string& event) {
  const auto brief = TRY(read_brief(call.observed));
  if (!brief) return std::string();
  if (!TRY(first_telling(call.observed, *brief, agents::asker_of(event)))) return std::string();
  const Json output = {
      {"hookSpecificOutput",
       {{"hookEventName", call.event}, {"additionalContext", brief_text(*brief)}}}};
  return dump_json(output) + "\n";
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
  if (!appended) answer.trouble = appended.error().message;
  if (std::ranges::find(kAnswered, call.event) == kAnswered.end()) return answer;
  auto told = brief_for(call, event);
  if (told) {
    answer.output = *std::move(told);
  } else if (answer.trouble.empty()) {
    answer.trouble = told.error().message;
  }
  return answer;
}

}  // namespace gittxn::api
