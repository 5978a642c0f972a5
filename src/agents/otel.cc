#include "agents/observe.h"

#include <algorithm>
#include <initializer_list>

#include "agents/fields.h"
#include "agents/lines.h"
#include "base/json.h"
#include "base/text.h"

namespace gittxn::agents {

namespace {

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxAttributes = 1024;

using Keys = std::initializer_list<const char*>;

// An AnyValue of OTLP as plain JSON; null for what is no value or nested too deep.
Json plain(const Json& any, int depth) {
  if (depth > kMaxDepth || !any.is_object()) return {};
  if (const Json& text = any["stringValue"]; text.is_string()) return text;
  if (const Json& flag = any["boolValue"]; flag.is_boolean()) return flag;
  if (const auto whole = count_at(any, "intValue")) return *whole;
  if (const Json& real = any["doubleValue"]; real.is_number()) return real;
  if (const Json& values = any["arrayValue"]["values"]; values.is_array()) {
    Json out = Json::array();
    for (const Json& value : values) out.push_back(plain(value, depth + 1));
    return out;
  }
  if (const Json& values = any["kvlistValue"]["values"]; values.is_array()) {
    Json out = Json::object();
    for (const Json& pair : values) out[name_at(pair, "key")] = plain(pair["value"], depth + 1);
    return out;
  }
  return {};
}

Json attributes_of(const Json& holder) {
  Json out = Json::object();
  for (const Json& pair : holder["attributes"]) {
    if (out.size() >= kMaxAttributes) break;
    const std::string key = name_at(pair, "key");
    if (!key.empty()) out[key] = plain(pair["value"], 0);
  }
  return out;
}

std::string first_name(const Json& attributes, Keys keys) {
  for (const char* const key : keys) {
    std::string text = name_at(attributes, key);
    if (!text.empty()) return text;
  }
  return "";
}

// The tool's arguments: an object, or one as text.
Json arguments_of(const Json& attributes) {
  for (const char* const key : {"gen_ai.tool.call.arguments", "tool.parameters", "input.value",
                                "traceloop.entity.input", "tool.arguments"}) {
    const Json& value = attributes[key];
    Json found = value;
    if (value.is_string()) {
      auto parsed = parse_foreign(value.text());
      if (parsed) found = std::move(*parsed);
    }
    // LangChain and OpenLLMetry wrap them once more.
    for (const char* const wrapper : {"inputs", "kwargs", "args", "arguments", "input"}) {
      const Json inner = std::as_const(found)[wrapper];
      if (inner.is_object()) found = inner;
    }
    if (found.is_object()) return found;
  }
  return Json::object();
}

bool name_has(std::string_view name, std::initializer_list<std::string_view> words) {
  const std::string low = lower_ascii(name);
  return std::ranges::any_of(words, [&](auto word) { return low.contains(word); });
}

std::int64_t nanos_to_ms(const Json& span, const char* key) {
  // 2026 in nanoseconds is beyond 2^53, so the text is read and not a number.
  const Json& value = span[key];
  if (value.is_string()) {
    const auto& digits = value.text();
    if (digits.size() <= 6 || digits.size() > 19) return 0;
    return count_or(Json{{"ms", digits.substr(0, digits.size() - 6)}}, "ms", 0);
  }
  const bool known = value.is_integer() && value.get<double>() >= 0;
  return known ? static_cast<std::int64_t>(value.get<std::uint64_t>() / 1'000'000) : 0;
}

struct Span : Emitter {
  Json arguments;
};

std::vector<std::string> paths_in(const Span& span) {
  std::vector<std::string> paths;
  const auto take = [&](const Json& value) {
    if (!value.is_string() || paths.size() >= kMaxFiles) return;
    auto path = as_path(from_file_url(value.text()));
    const bool file =
        path && path->find("://") == std::string::npos && path->find('\n') == std::string::npos;
    if (file) paths.push_back(std::move(*path));
    if (!file) ++span.tally.incomplete;
  };
  for (const char* const key :
       {"file_path", "path", "filepath", "filePath", "filename", "file_name", "file", "target_file",
        "notebook_path", "relative_workspace_path", "uri"}) {
    take(span.arguments[key]);
  }
  for (const char* const key : {"paths", "files", "file_paths", "filenames"}) {
    for (const Json& each : span.arguments[key]) take(each);
  }
  return paths;
}

void on_tool(const Span& span) {
  const std::string& tool = span.base.tool;
  const std::string url = text_at(span.arguments, "url", kMaxText);
  const std::string command = text_at(span.arguments, "command", kMaxText);
  std::string pattern = text_at(span.arguments, "pattern", kMaxText);
  if (pattern.empty()) pattern = text_at(span.arguments, "query", kMaxText);
  if (pattern.empty()) pattern = text_at(span.arguments, "regex", kMaxText);
  if (!pattern.empty() && name_has(tool, {"grep", "glob", "search", "find"})) {
    Query query;
    query.kind = name_has(tool, {"glob", "find"}) ? QueryKind::kGlob : QueryKind::kGrep;
    if (name_has(tool, {"web"})) query.kind = QueryKind::kWeb;
    query.pattern = std::move(pattern);
    query.root = path_at(span.arguments, "path").value_or("");
    return span.emit(std::move(query));
  }
  const auto paths = paths_in(span);
  const bool lists = name_has(tool, {"list", "ls_", "readdir"}) || tool == "ls" || tool == "LS";
  const bool creates = name_has(tool, {"write", "create", "save"});
  const bool removes = name_has(tool, {"delete", "remove"});
  const bool edits = name_has(tool, {"edit", "patch", "replace", "insert", "append", "update"});
  for (const std::string& path : paths) {
    if (lists) {
      span.emit(Listing{path, Via::kTool});
    } else if (removes) {
      span.emit(FileWrite{path, WriteHow::kRemoved});
    } else if (creates && !edits) {
      span.emit(FileWrite{path, WriteHow::kUnknown});
    } else {
      span.emit(FileRead{path, {}, edits ? Via::kEdit : Via::kTool});
      if (edits) span.emit(FileWrite{path, WriteHow::kChanged});
    }
  }
  if (!url.empty()) span.emit(Url{url});
  if (!command.empty()) {
    Command run;
    run.text = command;
    span.emit(std::move(run));
  }
  if (paths.empty() && url.empty() && command.empty()) span.emit(OtherTool{});
}

std::string tool_of(const Json& span, const Json& attributes) {
  std::string tool = first_name(attributes, {"gen_ai.tool.name", "tool.name", "tool_name"});
  if (tool.empty() && name_at(attributes, "traceloop.span.kind") == "tool") {
    tool = name_at(attributes, "traceloop.entity.name");
  }
  constexpr std::string_view kExecute = "execute_tool ";
  const std::string name = name_at(span, "name");
  if (tool.empty() && name.starts_with(kExecute)) tool = name.substr(kExecute.size());
  if (tool.empty() && name_at(attributes, "openinference.span.kind") == "TOOL") tool = name;
  return tool;
}

void on_span(const Json& json, const Json& resource, const Sink& sink, Tally& tally) {
  ++tally.lines;
  if (!json.is_object()) {
    ++tally.damaged;
    return;
  }
  const Json attributes = attributes_of(json);
  Span span{{Observation(), sink, tally}, arguments_of(attributes)};
  Observation& base = span.base;
  base.source = ReadSource::kDeclared;
  base.program = Program::kOtel;
  base.session = first_name(attributes, {"session.id", "gen_ai.conversation.id",
                                         "traceloop.association.properties.session_id"});
  if (base.session.empty()) base.session = name_at(resource, "session.id");
  if (base.session.empty()) base.session = name_at(json, "traceId");
  base.agent = first_name(attributes, {"gen_ai.agent.id", "gen_ai.agent.name"});
  base.cwd = path_at(attributes, "process.working_directory")
                 .value_or(path_at(resource, "process.working_directory").value_or(""));
  base.tool = tool_of(json, attributes);
  base.tool_use_id = first_name(attributes, {"gen_ai.tool.call.id", "tool_call.id", "tool.id"});
  if (base.tool_use_id.empty()) base.tool_use_id = name_at(json, "spanId");
  base.start_ms = nanos_to_ms(json, "startTimeUnixNano");
  base.end_ms = nanos_to_ms(json, "endTimeUnixNano");
  const Json& status = json["status"];
  if (count_or(status, "code", 0) == 2 || name_at(status, "code") == "STATUS_CODE_ERROR") {
    const bool absent = says_absent(text_at(status, "message", kMaxText));
    base.outcome = absent ? Outcome::kAbsent : Outcome::kFailed;
  }
  if (!base.tool.empty()) return on_tool(span);
  Usage usage;
  usage.model =
      first_name(attributes, {"gen_ai.response.model", "gen_ai.request.model", "llm.model_name"});
  usage.input = count_or(attributes, "gen_ai.usage.input_tokens",
                         count_or(attributes, "llm.token_count.prompt", 0));
  usage.output = count_or(attributes, "gen_ai.usage.output_tokens",
                          count_or(attributes, "llm.token_count.completion", 0));
  base.tool_use_id.clear();
  if (usage.input + usage.output > 0) return span.emit(std::move(usage));
  ++tally.unknown;
}

// False when the value is no export.
bool on_export(const Json& json, const Sink& sink, Tally& tally) {
  const Json& resources = json["resourceSpans"];
  if (!resources.is_array()) return false;
  for (const Json& resource : resources) {
    const Json attributes = attributes_of(resource["resource"]);
    for (const Json& scope : resource["scopeSpans"]) {
      for (const Json& span : scope["spans"]) on_span(span, attributes, sink, tally);
    }
  }
  return true;
}

}  // namespace

void observe_otel(std::string_view text, const Sink& sink, Tally& tally) {
  const auto damaged = [&](std::uint64_t lines) {
    tally.lines += lines;
    tally.damaged += lines;
  };
  if (text.size() > kMaxOtelFile) return damaged(1);
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.size() == text.size() || !parse_foreign(first, kMaxOtelFile)) {
    const auto whole = parse_foreign(text, kMaxOtelFile);
    if (whole) {
      if (!on_export(*whole, sink, tally)) damaged(1);
      return;
    }
  }
  LineSplitter lines(kMaxEvent, [&](std::string_view line) {
    const auto json = parse_foreign(line);
    if (!json || !on_export(*json, sink, tally)) damaged(1);
  });
  lines.feed(text);
  lines.finish();
  damaged(lines.too_long());
}

}  // namespace gittxn::agents
