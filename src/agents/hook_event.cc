#include "agents/observe.h"

#include "agents/fields.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"

namespace gittxn::agents {

namespace {

// Events that say nothing about the tree.
constexpr std::string_view kSilent[] = {
    "MessageDisplay",    "PostToolBatch", "Notification",   "PreCompact",       "PostCompact",
    "PermissionRequest", "Setup",         "WorktreeRemove", "PermissionDenied", "ConfigChange"};

Program program_of(const Json& event) {
  // Both write the same common fields; Claude Code numbers prompts, Codex turns. Events outside a
  // turn have neither, and are told apart by the session file's name.
  const bool turn = event["turn_id"].is_string() && !event["prompt_id"].is_string();
  const std::string transcript = path_at(event, "transcript_path").value_or("");
  if (turn || base_name(transcript).starts_with("rollout-")) return Program::kCodex;
  return Program::kClaudeCode;
}

Observation base_of(const Json& event, std::int64_t time_ms) {
  Observation base;
  base.source = ReadSource::kHook;
  base.program = program_of(event);
  base.session = name_at(event, "session_id");
  base.agent = name_at(event, "agent_id");
  base.agent_type = name_at(event, "agent_type");
  base.cwd = path_at(event, "cwd").value_or("");
  base.tool = name_at(event, "tool_name");
  base.tool_use_id = name_at(event, "tool_use_id");
  base.end_ms = time_ms;
  base.start_ms = time_ms;
  const std::int64_t took = count_or(event, "duration_ms", 0);
  if (took <= time_ms) base.start_ms = time_ms - took;
  return base;
}

struct Event : Emitter {
  const Json& json;
  std::string name;

  std::string path(const char* key) const { return path_at(json, key).value_or(""); }
};

void on_tool(const Event& event) {
  if (event.base.tool.empty()) {
    ++event.tally.incomplete;
    return;
  }
  ToolCall call{.base = event.base, .error = {}};
  call.input = &event.json["tool_input"];
  const Json& error = event.json["error"];
  if (event.name == "PreToolUse") {
    call.base.outcome = Outcome::kAsked;
  } else if (event.name == "PostToolUseFailure") {
    if (error.is_string()) call.error = error.text();
    call.base.outcome = says_absent(call.error) ? Outcome::kAbsent : Outcome::kFailed;
  } else {
    call.response = &event.json["tool_response"];
  }
  observe_tool(call, event.sink, event.tally);
}

void on_prompt(const Event& event) {
  const Json& prompt = event.json["prompt"];
  if (prompt.is_string()) {
    const auto& text = prompt.text();
    event.emit(Prompt{sha256(text), static_cast<std::int64_t>(text.size())});
  } else if (is_text_or_cut(prompt)) {
    event.emit(Prompt{Digest(name_at(prompt, "sha256")), count_or(prompt, "cut_bytes", 0)});
  } else {
    ++event.tally.incomplete;
  }
}

// The last message of an agent may declare what it read.
void on_message(const Event& event) {
  const Json& message = event.json["last_assistant_message"];
  if (message.is_string()) {
    observe_read_set(event.base, message.text(), event.sink, event.tally);
  } else if (is_text_or_cut(message)) {
    ++event.tally.incomplete;
  }
}

void on_sub_agent(const Event& event) {
  SubAgent agent;
  const bool stopped = event.name == "SubagentStop";
  agent.phase = stopped ? Phase::kStopped : Phase::kStarted;
  agent.id = event.base.agent;
  agent.type = event.base.agent_type;
  agent.transcript = event.path("agent_transcript_path");
  // Codex names a sub-agent's own rollout as the transcript of its start.
  if (!stopped && event.base.program == Program::kCodex) {
    agent.transcript = event.path("transcript_path");
  }
  if (agent.id.empty()) ++event.tally.incomplete;
  event.emit(std::move(agent));
  if (stopped) on_message(event);
}

void on_session(const Event& event) {
  Session session;
  session.transcript = event.path("transcript_path");
  if (event.name == "SessionStart") {
    session.phase = SessionPhase::kStarted;
    session.reason = name_at(event.json, "source");
  } else if (event.name == "SessionEnd") {
    session.phase = SessionPhase::kEnded;
    session.reason = name_at(event.json, "reason");
  } else if (event.name == "CwdChanged") {
    session.phase = SessionPhase::kMoved;
    session.reason = event.path("new_cwd");
    if (session.reason.empty()) ++event.tally.incomplete;
  } else {
    session.phase = SessionPhase::kTurnEnded;
  }
  event.emit(std::move(session));
  if (event.name == "Stop") on_message(event);
}

void on_instructions(const Event& event) {
  Instructions loaded{event.path("file_path"), name_at(event.json, "load_reason"),
                      event.path("parent_file_path")};
  if (loaded.parent.empty()) loaded.parent = event.path("trigger_file_path");
  if (loaded.path.empty()) {
    ++event.tally.incomplete;
    return;
  }
  event.emit(std::move(loaded));
}

// A worktree that the agent wants for a sub-agent ("agent-<id>"), or for itself.
void on_worktree(const Event& event) {
  constexpr std::string_view kAgent = "agent-";
  SubAgent agent;
  agent.worktree = name_at(event.json, "name");
  if (agent.worktree.empty()) ++event.tally.incomplete;
  if (!agent.worktree.starts_with(kAgent)) {
    Observation other = event.base;
    other.tool = event.name;
    event.sink(std::move(other));
    return;
  }
  agent.id = agent.worktree.substr(kAgent.size());
  event.emit(std::move(agent));
}

}  // namespace

void observe_hook_event(const Json& json, std::int64_t time_ms, const Sink& sink, Tally& tally) {
  ++tally.lines;
  const std::string name = name_at(json, "hook_event_name");
  if (name.empty()) {
    ++tally.damaged;
    return;
  }
  const Event event{{base_of(json, time_ms), sink, tally}, json, name};
  if (name == "PreToolUse" || name == "PostToolUse" || name == "PostToolUseFailure") {
    on_tool(event);
  } else if (name == "UserPromptSubmit") {
    on_prompt(event);
  } else if (name == "SubagentStart" || name == "SubagentStop") {
    on_sub_agent(event);
  } else if (name == "SessionStart" || name == "SessionEnd" || name == "Stop" ||
             name == "CwdChanged") {
    on_session(event);
  } else if (name == "InstructionsLoaded") {
    on_instructions(event);
  } else if (name == "WorktreeCreate") {
    on_worktree(event);
  } else if (!among(kSilent, name)) {
    ++tally.unknown;
  }
}

}  // namespace gittxn::agents
