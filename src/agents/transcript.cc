#include <algorithm>
#include <map>
#include <utility>

#include "agents/fields.h"
#include "agents/observe.h"
#include "agents/session_file.h"
#include "base/hash.h"
#include "base/json.h"

namespace gittxn::agents {

namespace {

constexpr std::size_t kMaxCalls = 4096;
constexpr std::size_t kMaxCallBytes = 32u << 20;  // of inputs held for their answers

// Types of lines and attachments that say nothing about the tree.
constexpr std::string_view kSilentLines[] = {
    "system",           "queue-operation",   "last-prompt", "tools-used",
    "worktree-state",   "relocated",         "summary",     "file-history-snapshot",
    "progress",         "custom-title",      "agent-name",  "api-request",
    "api-request-blob", "api-request-shape", "atis-latch",  "cost-state"};
constexpr std::string_view kSilentAttachments[] = {"deferred_tools_delta",
                                                   "deferred_tools_record",
                                                   "environment",
                                                   "model",
                                                   "skill_listing",
                                                   "session_context",
                                                   "date",
                                                   "remote_session_change",
                                                   "prompt_snapshot",
                                                   "agent_listing_delta",
                                                   "auto_mode",
                                                   "silent_turn_reminder",
                                                   "hook_success",
                                                   "hook_additional_context",
                                                   "hook_non_blocking_error",
                                                   "hook_cancelled",
                                                   "hook_blocking_error",
                                                   "hook_stopped_continuation",
                                                   "mcp_instructions_delta",
                                                   "todo_reminder",
                                                   "task_status",
                                                   "diagnostics"};

Observation base_of(const Json& line) {
  Observation base;
  base.source = ReadSource::kTranscript;
  base.program = Program::kClaudeCode;
  base.session = name_at(line, "sessionId");
  base.agent = name_at(line, "agentId");
  base.cwd = path_at(line, "cwd").value_or("");
  base.start_ms = base.end_ms = parse_utc(name_at(line, "timestamp"));
  return base;
}

// The text of a tool_result: a string, or blocks of which some are text.
std::string result_text(const Json& content) {
  if (content.is_string()) return content.text();
  std::string text;
  for (const Json& block : content) {
    if (text.size() > kMaxText) break;
    text += text_at(block, "text", kMaxText);
  }
  return text;
}

LineRange served_lines(const Json& file) {
  const auto first = count_at(file, "startLine");
  const auto count = count_at(file, "numLines");
  const auto total = count_at(file, "totalLines");
  if (!first || !count || !total || *count == 0 || *first + *count > *total) {
    return {first.value_or(1) > 1 && total ? *first : 1, 0};
  }
  return {std::max<std::int64_t>(*first, 1), *count};
}

class TranscriptReader final : public SessionReader {
 public:
  using SessionReader::SessionReader;

 private:
  void on_line(const Json& line, const std::string& type) override {
    if (type == "assistant") {
      on_assistant(line, base_of(line));
    } else if (type == "user") {
      on_user(line, base_of(line));
    } else if (type == "attachment") {
      on_attachment(line, base_of(line));
    } else if (!among(kSilentLines, type)) {
      ++tally_.unknown;
    }
  }

  struct Call {
    Observation base;
    std::string input;  // JSON text, which is smaller than the tree
  };

  void on_assistant(const Json& line, const Observation& base) {
    const Json& message = line["message"];
    const std::string id = name_at(message, "id");
    if (id != message_ || id.empty()) flush_usage();
    message_ = id;
    const Json& usage = message["usage"];
    const std::string model = name_at(message, "model");
    if (usage.is_object() && model != "<synthetic>") {  // the agent's own words, nobody was asked
      usage_ = base;
      usage_.tool_use_id = id;
      usage_.detail = usage_of(usage, model);
      usage_due_ = true;
    }
    const Json& content = message["content"];
    if (!content.is_array()) {
      ++tally_.incomplete;
      return;
    }
    for (const Json& block : content) {
      const std::string type = name_at(block, "type");
      if (type == "tool_use") on_tool_use(block, base);
      if (type != "text") continue;
      if (text_message_ != id || id.empty()) text_.clear();
      text_message_ = id;
      text_base_ = base;
      text_ += text_at(block, "text", kMaxText);
      text_ += '\n';
      if (text_.size() > kMaxText) text_.erase(0, text_.size() - kMaxText);  // the end says it
    }
  }

  void on_tool_use(const Json& block, const Observation& base) {
    Call call{.base = base, .input = {}};
    call.base.tool = name_at(block, "name");
    call.base.tool_use_id = name_at(block, "id");
    call.base.outcome = Outcome::kAsked;
    if (call.base.tool.empty()) {
      ++tally_.incomplete;
      return;
    }
    call.input = canonical_json(block["input"]);
    const bool held = !call.base.tool_use_id.empty() && !calls_.contains(call.base.tool_use_id) &&
                      calls_.size() < kMaxCalls &&
                      calls_bytes_ + call.input.size() <= kMaxCallBytes;
    if (!held) return flush_call(call);
    calls_bytes_ += call.input.size();
    calls_.emplace(call.base.tool_use_id, std::move(call));
  }

  void flush_call(const Call& call) {
    const auto input = parse_foreign(call.input);
    ToolCall tool{.base = call.base, .error = {}};
    if (input) tool.input = &*input;
    observe_tool(tool, sink_, tally_);
  }

  void on_user(const Json& line, const Observation& base) {
    const Json& content = line["message"]["content"];
    const bool by_agent = flag_at(line, "isMeta");
    const auto prompt = [&](const std::string& text) {
      if (!by_agent) emit(base, Prompt{sha256(text), static_cast<std::int64_t>(text.size())});
    };
    if (content.is_string()) return prompt(content.text());
    if (!content.is_array()) {
      ++tally_.incomplete;
      return;
    }
    std::string text;
    for (const Json& block : content) {
      const std::string type = name_at(block, "type");
      if (type == "tool_result") on_tool_result(block, line, base);
      if (type == "text") text += block["text"].text_or("");
    }
    if (!text.empty()) prompt(text);
  }

  void on_tool_result(const Json& block, const Json& line, const Observation& base) {
    const auto found = calls_.find(name_at(block, "tool_use_id"));
    if (found == calls_.end()) {  // its call was damaged, or came twice
      ++tally_.incomplete;
      return;
    }
    const Call call = std::move(found->second);
    calls_bytes_ -= call.input.size();
    calls_.erase(found);
    ToolCall tool{.base = call.base, .error = {}};
    tool.base.end_ms = base.end_ms;
    tool.base.outcome = Outcome::kDone;
    const auto input = parse_foreign(call.input);
    if (input) tool.input = &*input;
    std::string error;
    if (flag_at(block, "is_error")) {
      error = result_text(block["content"]);
      tool.error = error;
      tool.base.outcome = says_absent(error) ? Outcome::kAbsent : Outcome::kFailed;
    }
    // The files of sub-agents lack it.
    if (line["toolUseResult"].is_object()) tool.response = &line["toolUseResult"];
    std::vector<Observation> seen;
    observe_tool(tool, [&](Observation&& each) { seen.push_back(std::move(each)); }, tally_);
    for (Observation& each : seen) {
      // The directory is the one of the line that called, so from before a cd.
      if (auto* command = std::get_if<Command>(&each.detail)) command->cwd_exact = true;
      sink_(std::move(each));
    }
  }

  void on_attachment(const Json& line, const Observation& base) {
    const Json& attachment = line["attachment"];
    const std::string type = name_at(attachment, "type");
    if (type == "instructions") {
      const Json& files = attachment["files"];
      if (!files.is_array()) ++tally_.incomplete;
      for (const Json& file : files) {
        auto path = path_at(file, "path");
        if (!path) ++tally_.incomplete;
        if (path) emit(base, Instructions{std::move(*path), "instructions", ""});
      }
      return;
    }
    if (among(kSilentAttachments, type)) return;
    const auto path = path_at(attachment, "path");
    const auto file = path_at(attachment, "filename");
    if (type == "nested_memory" && path) {
      emit(base, Instructions{*path, "nested_memory", ""});
    } else if (type == "directory" && path) {
      emit(base, Listing{*path, Via::kMention});
    } else if (file) {  // "file", and whatever else puts a file in front of the model
      const LineRange lines = served_lines(attachment["content"]["file"]);
      emit(base, FileRead{*file, lines, Via::kMention});
    } else if (type == "nested_memory" || type == "directory" || type == "file") {
      ++tally_.incomplete;
    } else {
      ++tally_.unknown;
    }
  }

  void flush_usage() {
    if (usage_due_) sink_(std::exchange(usage_, Observation()));
    usage_due_ = false;
  }

  void at_end() override {
    for (const auto& [id, call] : calls_) flush_call(call);
    calls_.clear();
    calls_bytes_ = 0;
    flush_usage();
    // Declared by the last message, not by one before it.
    if (text_message_ == message_) declare(text_base_, text_);
  }

  std::map<std::string, Call> calls_;  // by tool_use id, without an answer yet
  std::size_t calls_bytes_ = 0;
  // An answer of the model comes as one line a block, each with the usage so far.
  std::string message_;  // its id
  Observation usage_;
  bool usage_due_ = false;
  std::string text_;  // of the last message that had any
  std::string text_message_;
  Observation text_base_;
};

}  // namespace

std::unique_ptr<SessionReader> transcript_reader(Sink sink) {
  return std::make_unique<TranscriptReader>(std::move(sink));
}

Result<Observation> observe_sub_agent_meta(std::string_view text, std::string_view agent) {
  const Json json = TRY(parse_foreign(text));
  if (!json.is_object()) return fail(Code::kCorrupt, "a sub-agent's description is an object");
  Observation observation;
  observation.source = ReadSource::kTranscript;
  observation.program = Program::kClaudeCode;
  observation.agent = std::string(agent);
  observation.agent_type = name_at(json, "agentType");
  observation.tool_use_id = name_at(json, "toolUseId");
  SubAgent sub;
  sub.phase = flag_at(json, "finished") ? Phase::kStopped : Phase::kStarted;
  sub.id = observation.agent;
  sub.type = observation.agent_type;
  sub.worktree = path_at(json, "worktreePath").value_or("");
  observation.detail = std::move(sub);
  return observation;
}

}  // namespace gittxn::agents
