#include "agents/observe.h"

#include <algorithm>

#include "agents/fields.h"
#include "base/json.h"
#include "base/text.h"

namespace gittxn::agents {

namespace {

constexpr std::size_t kMaxPatchFiles = 10'000;
constexpr std::size_t kMaxOption = 4096;

struct Context : Emitter {
  const ToolCall& call;
  const Json& input;

  // A call that we should understand and do not.
  void incomplete() const {
    ++tally.incomplete;
    emit(OtherTool{});
  }
  bool succeeded() const { return base.outcome == Outcome::kDone; }
  bool answered() const { return call.response != nullptr && succeeded(); }
};

LineRange asked_range(const Json& input) {
  const auto offset = count_at(input, "offset");
  if (!offset && !input["offset"].is_null()) return {};
  return {std::max<std::int64_t>(offset.value_or(1), 1), count_or(input, "limit", 0)};
}

// What was served, when the answer says so; else what was asked for. A figure that makes no sense
// makes it the whole file: a read may be too wide, never too narrow.
LineRange served_range(const Json& input, const Json* response) {
  const Json& file = (response != nullptr ? *response : input)["file"];
  const auto start = count_at(file, "startLine");
  const auto lines = count_at(file, "numLines");
  const auto total = count_at(file, "totalLines");
  if (!start || !lines || !total) return asked_range(input);
  if (*start <= 1 && *lines >= *total) return {};
  if (*lines == 0 || *start + *lines > *total) return {std::max<std::int64_t>(*start, 1), 0};
  return {std::max<std::int64_t>(*start, 1), *lines};
}

void on_read(const Context& on) {
  auto path = path_at(on.input, "file_path");
  if (!path) return on.incomplete();
  const Json* response = on.answered() ? on.call.response : nullptr;
  LineRange lines = served_range(on.input, response);
  if (on.base.outcome == Outcome::kAbsent) lines = {};
  on.emit(FileRead{std::move(*path), lines, Via::kTool});
}

// An edit finds its old text in the file, so it read it, also when it says that this was not there.
void on_edit(const Context& on) {
  auto path = path_at(on.input, "file_path");
  if (!path) path = path_at(on.input, "notebook_path");
  if (!path) return on.incomplete();
  const Json& old_text = on.input["old_string"];
  const bool creates = old_text.is_string() && old_text.text().empty() && on.answered() &&
                       !is_text_or_cut((*on.call.response)["originalFile"]);
  if (!creates) on.emit(FileRead{*path, {}, Via::kEdit});
  if (on.succeeded() || on.base.outcome == Outcome::kAsked) {
    on.emit(FileWrite{std::move(*path), creates ? WriteHow::kCreated : WriteHow::kChanged});
  }
}

void on_write(const Context& on) {
  auto path = path_at(on.input, "file_path");
  if (!path) return on.incomplete();
  WriteHow how = WriteHow::kUnknown;
  if (on.answered()) {
    const std::string type = name_at(*on.call.response, "type");
    if (type == "create") how = WriteHow::kCreated;
    if (type == "update") how = WriteHow::kReplaced;
  }
  on.emit(FileWrite{std::move(*path), how});
}

Query query_of(const Context& on, QueryKind kind, std::string pattern) {
  Query query{.kind = kind,
              .pattern = std::move(pattern),
              .root = path_at(on.input, "path").value_or(""),
              .options = {},
              .files = {}};
  for (const auto& [name, value] : on.input.items()) {
    if (name == "pattern" || name == "path" || name == "query") continue;
    std::string text = canonical_json(value);
    const bool fits = name.size() <= kMaxOption && text.size() <= kMaxOption;
    if (!fits || query.options.size() == kMaxOptions) {
      ++on.tally.incomplete;  // a query with an option missing is another query
      query.options.emplace_back("?", "");
      break;
    }
    query.options.emplace_back(name, std::move(text));
  }
  std::ranges::sort(query.options);
  return query;
}

void answer_files(const Json& response, Query* query) {
  const Json& files = response["filenames"];
  if (!files.is_array() || files.size() > kMaxFiles) return;
  for (const Json& file : files) {
    auto path = as_path(file.text_or(""));
    if (!path) return;
    query->files.push_back(std::move(*path));
  }
  const auto total =
      count_at(response, query->kind == QueryKind::kGrep ? "totalFiles" : "totalMatches");
  query->files_known = total && static_cast<std::size_t>(*total) == query->files.size() &&
                       !flag_at(response, "truncated");
}

void on_query(const Context& on, QueryKind kind) {
  const char* const key = kind == QueryKind::kWeb ? "query" : "pattern";
  const Json& pattern = on.input[key];
  const bool bad_root = !on.input["path"].is_null() && !path_at(on.input, "path");
  std::string text = text_at(on.input, key, kMaxText);
  if (!pattern.is_string() || text.empty() || bad_root) return on.incomplete();
  Query query = query_of(on, kind, std::move(text));
  const bool names_files =
      kind == QueryKind::kGlob ||
      (on.call.response != nullptr && name_at(*on.call.response, "mode") == "files_with_matches");
  if (on.answered() && names_files) answer_files(*on.call.response, &query);
  on.emit(std::move(query));
}

void on_shell(const Context& on) {
  Command command;
  command.text = text_at(on.input, "command", kMaxText);
  if (command.text.empty()) return on.incomplete();
  // Claude Code reports the directory after the command, Codex the one of the call.
  command.cwd_exact = on.base.outcome == Outcome::kAsked || on.base.program == Program::kCodex;
  command.background = flag_at(on.input, "run_in_background");
  if (on.call.response != nullptr && !name_at(*on.call.response, "backgroundTaskId").empty()) {
    command.background = true;
  }
  constexpr std::string_view kExit = "Exit code ";
  if (on.call.error.starts_with(kExit)) {
    const std::string_view rest = on.call.error.substr(kExit.size(), 4);
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto code = count_at(Json{{"code", std::string(rest.substr(0, end))}}, "code");
    if (code && *code <= 255) command.exit_code = static_cast<int>(*code);
  }
  on.emit(std::move(command));
}

void on_fetch(const Context& on) {
  std::string url = text_at(on.input, "url", kMaxText);
  if (url.empty()) return on.incomplete();
  on.emit(Url{std::move(url)});
}

void on_agent(const Context& on) {
  SubAgent agent;
  agent.type = name_at(on.input, "subagent_type");
  const bool isolated = name_at(on.input, "isolation") == "worktree";
  if (on.call.response != nullptr) {
    agent.id = name_at(*on.call.response, "agentId");
    if (agent.id.empty()) agent.id = name_at(*on.call.response, "agent_id");
    if (agent.id.empty() && on.call.response->is_string()) {  // Codex answers with JSON in a string
      const auto inner = parse_foreign(on.call.response->text());
      if (inner) agent.id = name_at(*inner, "agent_id");
    }
  }
  if (isolated && !agent.id.empty()) agent.worktree = "agent-" + agent.id;
  on.emit(std::move(agent));
}

void on_worktree(const Context& on) {
  const char* const key = on.base.tool == "EnterWorktree" ? "worktreePath" : "restoredCwd";
  if (!on.answered()) return on.emit(OtherTool{});
  auto path = path_at(*on.call.response, key);
  if (!path) path = path_at(*on.call.response, "originalCwd");
  if (!path) return on.incomplete();
  on.emit(Session{SessionPhase::kMoved, std::move(*path), "", ""});
}

// The value after `prefix`, when the line begins with it.
std::optional<std::string> patch_path(std::string_view line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return {};
  line.remove_prefix(prefix.size());
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return as_path(line);
}

// The files of an apply_patch text ("*** Update File: x"), as reads and writes.
void on_patch(const Context& on) {
  std::string patch = text_at(on.input, "command", kMaxEvent);
  if (patch.empty()) patch = text_at(on.input, "input", kMaxEvent);
  std::size_t files = 0;
  std::string updated;  // the file a "Move to" is about
  const bool wrote = on.succeeded() || on.base.outcome == Outcome::kAsked;
  for (const std::string_view line : lines_of(patch)) {
    if (files == kMaxPatchFiles) break;
    if (auto path = patch_path(line, "*** Update File:")) {
      on.emit(FileRead{*path, {}, Via::kEdit});
      if (wrote) on.emit(FileWrite{*path, WriteHow::kChanged});
      updated = std::move(*path);
    } else if (auto added = patch_path(line, "*** Add File:")) {
      if (wrote) on.emit(FileWrite{std::move(*added), WriteHow::kCreated});
    } else if (auto removed = patch_path(line, "*** Delete File:")) {
      if (wrote) on.emit(FileWrite{std::move(*removed), WriteHow::kRemoved});
    } else if (auto moved = patch_path(line, "*** Move to:")) {
      if (wrote && !updated.empty()) on.emit(FileWrite{updated, WriteHow::kRemoved});
      if (wrote) on.emit(FileWrite{std::move(*moved), WriteHow::kCreated});
    } else {
      continue;
    }
    ++files;
  }
  if (files == 0) on.incomplete();
}

}  // namespace

void observe_tool(const ToolCall& call, const Sink& sink, Tally& tally) {
  static const Json nothing = Json::object();
  const bool given = call.input != nullptr && call.input->is_object();
  const Context on{{call.base, sink, tally}, call, given ? *call.input : nothing};
  const std::string& tool = call.base.tool;
  if (tool == "Read") return on_read(on);
  if (tool == "Edit" || tool == "MultiEdit" || tool == "NotebookEdit") return on_edit(on);
  if (tool == "Write") return on_write(on);
  if (tool == "Grep") return on_query(on, QueryKind::kGrep);
  if (tool == "Glob") return on_query(on, QueryKind::kGlob);
  if (tool == "WebSearch") return on_query(on, QueryKind::kWeb);
  if (tool == "WebFetch") return on_fetch(on);
  if (tool == "Bash") return on_shell(on);
  if (tool == "Agent" || tool == "Task" || tool == "spawn_agent") return on_agent(on);
  if (tool == "apply_patch") return on_patch(on);
  if (tool == "EnterWorktree" || tool == "ExitWorktree") return on_worktree(on);
  on.emit(OtherTool{});
}

Usage usage_of(const Json& usage, std::string model) {
  Usage of;
  of.model = std::move(model);
  of.output = count_or(usage, "output_tokens", 0);
  if (usage["cached_input_tokens"].is_null()) {
    of.input = count_or(usage, "input_tokens", 0);
    of.cache_read = count_or(usage, "cache_read_input_tokens", 0);
    of.cache_write = count_or(usage, "cache_creation_input_tokens", 0);
  } else {  // OpenAI's input holds what the cache gave
    of.cache_read = count_or(usage, "cached_input_tokens", 0);
    of.cache_write = count_or(usage, "cache_write_input_tokens", 0);
    const std::int64_t input = count_or(usage, "input_tokens", 0);
    of.input = std::max<std::int64_t>(input - of.cache_read, 0);
  }
  return of;
}

}  // namespace gittxn::agents
