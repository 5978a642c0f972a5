#include <fmt/format.h>

#include <algorithm>

#include "agents/fields.h"
#include "agents/observe.h"
#include "agents/session_file.h"
#include "base/hash.h"
#include "base/json.h"

namespace gittxn::agents {

namespace {

constexpr std::size_t kMaxArguments = 4096;
constexpr std::size_t kMaxChanges = 10'000;

constexpr std::string_view kSilentEvents[] = {
    "thread_settings_applied", "task_started",     "turn_started",    "agent_message",
    "agent_reasoning",         "user_message",     "turn_diff",       "item_started",
    "exec_command_begin",      "exec_command_end", "patch_apply_end", "mcp_tool_call_end",
    "web_search_end",          "context_compacted"};
constexpr std::string_view kSilentItems[] = {"AgentMessage", "HookPrompt", "Reasoning", "Plan"};

Outcome outcome_of(const Json& item) {
  const std::string status = name_at(item, "status");
  if (status == "completed" || status.empty()) return Outcome::kDone;
  return status == "in_progress" ? Outcome::kAsked : Outcome::kFailed;
}

class RolloutReader final : public SessionReader {
 public:
  explicit RolloutReader(Sink sink) : SessionReader(std::move(sink)) {
    base_.source = ReadSource::kTranscript;
    base_.program = Program::kCodex;
  }

 private:
  void on_line(const Json& line, const std::string& type) override {
    const Json& payload = line["payload"];
    if (!payload.is_object()) {
      ++tally_.damaged;
      return;
    }
    base_.start_ms = base_.end_ms = parse_utc(name_at(line, "timestamp"));
    base_.tool.clear();
    base_.tool_use_id.clear();
    base_.outcome = Outcome::kDone;
    if (type == "session_meta") {
      on_meta(payload);
    } else if (type == "event_msg") {
      on_event(payload);
    } else if (type == "turn_context") {
      if (auto cwd = path_at(payload, "cwd")) base_.cwd = std::move(*cwd);
      model_ = name_at(payload, "model");
    } else if (type == "token_usage_record") {
      on_usage(payload);
    } else if (type == "world_state") {
      const Json& file = payload["state"]["agents_md"];
      if (auto directory = path_at(file, "directory")) agents_file(*directory);
    } else if (type == "response_item") {
      on_response_item(payload);
    } else if (type != "compacted") {
      ++tally_.unknown;
    }
  }

  void on_meta(const Json& payload) {
    Session session;
    const std::string id = name_at(payload, "id");
    session.parent = name_at(payload, "parent_thread_id");
    base_.session = name_at(payload, "session_id");
    if (base_.session.empty()) base_.session = id;
    base_.agent = session.parent.empty() ? "" : id;  // hooks name it by this id
    if (auto cwd = path_at(payload, "cwd")) base_.cwd = std::move(*cwd);
    if (id.empty()) ++tally_.incomplete;
    session.reason = name_at(payload, "thread_source");
    emit(std::move(session));
  }

  void on_event(const Json& payload) {
    const std::string type = name_at(payload, "type");
    if (type == "item_completed") {
      const Json& item = payload["item"];
      base_.tool_use_id = name_at(item, "id");
      base_.start_ms = count_or(payload, "started_at_ms", base_.start_ms);
      base_.end_ms = count_or(payload, "completed_at_ms", base_.end_ms);
      const std::string cwd = base_.cwd;
      on_item(item);
      base_.cwd = cwd;
    } else if (type == "task_complete" || type == "turn_complete" || type == "turn_aborted") {
      last_message_ = text_at(payload, "last_agent_message", kMaxText);
      emit(Session{SessionPhase::kTurnEnded, type == "turn_aborted" ? "aborted" : "", "", ""});
    } else if (type == "token_count") {
      on_token_count(payload["info"]);
    } else if (!among(kSilentEvents, type)) {
      ++tally_.unknown;
    }
  }

  void on_item(const Json& item) {
    const std::string type = name_at(item, "type");
    base_.outcome = outcome_of(item);
    if (type == "CommandExecution") {
      base_.tool = "Bash";  // as Codex calls it to its hooks
      on_command(item);
    } else if (type == "FileChange") {
      base_.tool = "apply_patch";
      on_changes(item);
    } else if (type == "McpToolCall") {
      base_.tool = "mcp__" + name_at(item, "server") + "__" + name_at(item, "tool");
      emit(OtherTool{});
    } else if (type == "CollabAgentToolCall") {
      base_.tool = name_at(item, "tool");
      on_collab(item);
    } else if (type == "WebSearch") {
      base_.tool = "WebSearch";
      Query query;
      query.kind = QueryKind::kWeb;
      query.pattern = text_at(item, "query", kMaxText);
      if (query.pattern.empty()) ++tally_.incomplete;
      emit(std::move(query));
    } else if (type == "UserMessage") {
      base_.tool_use_id.clear();
      on_user_message(item);
    } else if (type == "ImageView") {
      base_.tool = "view_image";
      auto path = as_path(from_file_url(text_at(item, "path", kMaxPath)));
      if (!path) ++tally_.incomplete;
      if (path) emit(FileRead{std::move(*path), {}, Via::kTool});
    } else if (!among(kSilentItems, type)) {
      ++tally_.unknown;
    }
  }

  void on_command(const Json& item) {
    Command command;
    const Json& argv = item["command"];
    if (argv.is_array() && argv.size() <= kMaxArguments) {
      std::size_t bytes = 0;
      for (const Json& word : argv) {
        if (!word.is_string()) break;
        bytes += word.text().size();
        command.argv.push_back(word.text());
      }
      if (command.argv.size() != argv.size() || bytes > kMaxText) command.argv.clear();
    }
    const auto& words = command.argv;
    if (words.empty()) ++tally_.incomplete;
    if (words.size() == 3 && (words[1] == "-c" || words[1] == "-lc")) command.text = words[2];
    const auto cwd = as_path(from_file_url(text_at(item, "cwd", kMaxPath)));
    command.cwd_exact = cwd.has_value();
    if (cwd) base_.cwd = *cwd;
    const auto code = count_at(item, "exit_code");
    if (code && *code <= 255) command.exit_code = static_cast<int>(*code);
    const bool failed = base_.outcome == Outcome::kFailed;
    if (failed && says_absent(item["aggregated_output"].text_or(""))) {
      base_.outcome = Outcome::kAbsent;
    }
    emit(std::move(command));
  }

  void on_changes(const Json& item) {
    const Json& changes = item["changes"];
    if (!changes.is_object() || changes.empty() || changes.size() > kMaxChanges) {
      ++tally_.incomplete;
      return emit(OtherTool{});
    }
    const bool wrote = base_.outcome != Outcome::kFailed;
    for (const auto& [name, change] : changes.items()) {
      const auto path = as_path(name);
      if (!path) {
        ++tally_.incomplete;
        continue;
      }
      const std::string type = name_at(change, "type");
      const auto moved = path_at(change, "move_path");
      if (type == "update") emit(FileRead{*path, {}, Via::kEdit});
      if (!wrote) continue;
      WriteHow how = WriteHow::kUnknown;
      if (type == "add") how = WriteHow::kCreated;
      if (type == "update") how = WriteHow::kChanged;
      if (type == "delete" || moved) how = WriteHow::kRemoved;
      emit(FileWrite{*path, how});
      if (moved) emit(FileWrite{*moved, WriteHow::kCreated});
    }
  }

  void on_user_message(const Json& item) {
    const Json& content = item["content"];
    if (!content.is_array()) {
      ++tally_.incomplete;
      return;
    }
    std::string text;
    for (const Json& part : content) {
      const std::string type = name_at(part, "type");
      if (type == "text") text += part["text"].text_or("");
      const bool file = type == "local_image" || type == "mention" || type == "skill";
      auto path = file ? path_at(part, "path") : std::nullopt;
      // Mentions of apps and the like are URLs.
      if (path && path->find("://") == std::string::npos) {
        emit(FileRead{std::move(*path), {}, Via::kMention});
      }
    }
    emit(Prompt{sha256(text), static_cast<std::int64_t>(text.size())});
  }

  void on_collab(const Json& item) {
    const Json& receivers = item["receiver_thread_ids"];
    if (base_.tool != "spawn_agent" || !receivers.is_array()) return emit(OtherTool{});
    std::size_t left = kMaxFiles;
    for (const Json& receiver : receivers) {
      if (!receiver.is_string() || left-- == 0) break;
      SubAgent agent;
      agent.id = text_at(Json{{"id", receiver}}, "id", 1024);
      emit(std::move(agent));
    }
  }

  // Only to learn of the instruction file, where world_state does not tell.
  void on_response_item(const Json& payload) {
    if (name_at(payload, "role") != "user") return;
    constexpr std::string_view kStart = "# AGENTS.md instructions for ";
    for (const Json& part : payload["content"]) {
      const std::string text = part["text"].text_or("");
      std::string_view words = text;
      if (!words.starts_with(kStart)) continue;
      words.remove_prefix(kStart.size());
      agents_file(words.substr(0, words.find('\n')));
    }
  }

  void agents_file(std::string_view directory) {
    const auto path = as_path(std::string(directory) + "/AGENTS.md");
    if (!path) {
      ++tally_.incomplete;
      return;
    }
    if (directory == agents_directory_) return;
    agents_directory_ = std::string(directory);
    emit(Instructions{*path, "agents_md", ""});
  }

  void on_usage(const Json& record) {
    has_usage_records_ = true;
    const std::string response = name_at(record, "response_id");
    if (!response.empty() && response == last_response_) return;
    last_response_ = response;
    base_.tool_use_id = response;
    emit(usage_of(record["usage"], model_));
  }

  // Older programs have no usage records. A count may come twice, so what it adds to the total
  // counts.
  void on_token_count(const Json& info) {
    if (has_usage_records_ || !info.is_object()) return;
    const Usage total = usage_of(info["total_token_usage"], model_);
    Usage added = total;
    const bool grew = total.input >= counted_.input && total.output >= counted_.output &&
                      total.cache_read >= counted_.cache_read &&
                      total.cache_write >= counted_.cache_write;
    if (grew) {
      added.input -= counted_.input;
      added.output -= counted_.output;
      added.cache_read -= counted_.cache_read;
      added.cache_write -= counted_.cache_write;
    } else {  // the count began again
      added = usage_of(info["last_token_usage"], model_);
    }
    counted_ = total;
    if (added.input + added.output + added.cache_read + added.cache_write > 0) {
      // No answer has a name; the count after it is as good, in one conversation.
      base_.tool_use_id = fmt::format("{}/{}/{}/{}/{}", base_.session, base_.agent, total.input,
                                      total.output, total.cache_read + total.cache_write);
      emit(std::move(added));
    }
  }

  void at_end() override {
    base_.tool.clear();
    base_.tool_use_id.clear();
    base_.outcome = Outcome::kDone;
    declare(base_, last_message_);
  }

  void emit(Detail detail) { SessionReader::emit(base_, std::move(detail)); }

  Observation base_;  // of the line at hand: session, agent, cwd, times
  std::string model_;
  std::string agents_directory_;
  std::string last_response_;
  std::string last_message_;  // of the last turn
  bool has_usage_records_ = false;
  Usage counted_;  // totals of token_count so far
};

}  // namespace

std::unique_ptr<SessionReader> rollout_reader(Sink sink) {
  return std::make_unique<RolloutReader>(std::move(sink));
}

}  // namespace gittxn::agents
