#include "agents/observation.h"

#include <array>

#include "base/json_value.h"

namespace gittxn::agents {

namespace {

template <typename E, std::size_t N>
using Names = std::array<std::pair<E, std::string_view>, N>;

constexpr Names<Program, 4> kPrograms = {{{Program::kUnknown, ""},
                                          {Program::kClaudeCode, "claude-code"},
                                          {Program::kCodex, "codex"},
                                          {Program::kOtel, "otel"}}};
constexpr Names<Outcome, 4> kOutcomes = {{{Outcome::kAsked, "asked"},
                                          {Outcome::kDone, "done"},
                                          {Outcome::kFailed, "failed"},
                                          {Outcome::kAbsent, "absent"}}};
constexpr Names<Via, 3> kVias = {
    {{Via::kTool, "tool"}, {Via::kMention, "mention"}, {Via::kEdit, "edit"}}};
constexpr Names<WriteHow, 5> kHows = {{{WriteHow::kUnknown, "unknown"},
                                       {WriteHow::kCreated, "created"},
                                       {WriteHow::kChanged, "changed"},
                                       {WriteHow::kReplaced, "replaced"},
                                       {WriteHow::kRemoved, "removed"}}};
constexpr Names<QueryKind, 3> kQueries = {
    {{QueryKind::kGrep, "grep"}, {QueryKind::kGlob, "glob"}, {QueryKind::kWeb, "web"}}};
constexpr Names<Phase, 3> kPhases = {
    {{Phase::kLaunched, "launched"}, {Phase::kStarted, "started"}, {Phase::kStopped, "stopped"}}};
constexpr Names<SessionPhase, 4> kSessionPhases = {{{SessionPhase::kStarted, "started"},
                                                    {SessionPhase::kTurnEnded, "turn_ended"},
                                                    {SessionPhase::kEnded, "ended"},
                                                    {SessionPhase::kMoved, "moved"}}};
// In the order of Detail's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Detail>> kKinds = {
    "other", "read",   "list",         "write",    "query",   "command", "url",
    "usage", "prompt", "instructions", "subagent", "session", "summary"};

template <typename E, std::size_t N>
std::string_view name_in(const Names<E, N>& names, E value) {
  for (const auto& [each, name] : names) {
    if (each == value) return name;
  }
  return "";
}

// Writes and reads the same fields by one description of each struct, so that they cannot differ.
struct Writer {
  Json out = Json::object();

  void text(const char* key, const std::string& value) { out[key] = encode_path(value); }
  void number(const char* key, std::int64_t value) { out[key] = value; }
  void number(const char* key, int value) { out[key] = value; }
  void flag(const char* key, bool value) { out[key] = value; }
  template <typename E, std::size_t N>
  void name(const char* key, E value, const Names<E, N>& names) {
    out[key] = std::string(name_in(names, value));
  }
  void texts(const char* key, const std::vector<std::string>& values, std::size_t /*max*/) {
    Json array = Json::array();
    for (const auto& value : values) array.push_back(encode_path(value));
    out[key] = std::move(array);
  }
  void pairs(const char* key, const std::vector<std::pair<std::string, std::string>>& values) {
    Json array = Json::array();
    for (const auto& [name, value] : values) {
      Json pair = Json::array();
      pair.push_back(encode_path(name));
      pair.push_back(encode_path(value));
      array.push_back(std::move(pair));
    }
    out[key] = std::move(array);
  }
};

struct Reader {
  const Json& in;
  std::size_t used = 0;
  std::string wrong = {};  // the first key that was missing or of a wrong type

  const Json* find(const char* key) {
    const auto found = in.find(key);
    if (found == in.end()) return refuse(key);
    ++used;
    return &*found;
  }
  const Json* refuse(const char* key) {
    if (wrong.empty()) wrong = key;
    return nullptr;
  }
  bool string(const Json& value, std::string* out) {
    if (!value.is_string()) return false;
    *out = decode_path(value.get_ref<const std::string&>());
    return out->size() <= kMaxText;
  }
  void text(const char* key, std::string& value) {
    const Json* field = find(key);
    if (field != nullptr && !string(*field, &value)) refuse(key);
  }
  void number(const char* key, std::int64_t& value) {
    const Json* field = find(key);
    if (field == nullptr) return;
    const bool fits = field->is_number_integer() &&
                      (!field->is_number_unsigned() || field->get<std::uint64_t>() <= INT64_MAX);
    if (!fits) {
      refuse(key);
      return;
    }
    value = field->get<std::int64_t>();
  }
  void number(const char* key, int& value) {
    std::int64_t wide = 0;
    number(key, wide);
    if (wide < INT32_MIN || wide > INT32_MAX) refuse(key);
    value = static_cast<int>(wide);
  }
  void flag(const char* key, bool& value) {
    const Json* field = find(key);
    if (field == nullptr) return;
    if (!field->is_boolean()) refuse(key);
    if (field->is_boolean()) value = field->get<bool>();
  }
  template <typename E, std::size_t N>
  void name(const char* key, E& value, const Names<E, N>& names) {
    std::string text_of;
    text(key, text_of);
    for (const auto& [each, name] : names) {
      if (name != text_of) continue;
      value = each;
      return;
    }
    refuse(key);
  }
  void texts(const char* key, std::vector<std::string>& values, std::size_t max) {
    const Json* field = find(key);
    if (field == nullptr) return;
    if (!field->is_array() || field->size() > max) {
      refuse(key);
      return;
    }
    for (const Json& each : *field) {
      if (!string(each, &values.emplace_back())) refuse(key);
    }
  }
  void pairs(const char* key, std::vector<std::pair<std::string, std::string>>& values) {
    const Json* field = find(key);
    if (field == nullptr) return;
    if (!field->is_array() || field->size() > kMaxOptions) {
      refuse(key);
      return;
    }
    for (const Json& each : *field) {
      auto& [name, value] = values.emplace_back();
      const bool pair = each.is_array() && each.size() == 2;
      if (!pair || !string(each[0], &name) || !string(each[1], &value)) refuse(key);
    }
  }
};

template <typename Io, typename T>
void fields(Io& /*io*/, T& /*value*/)
  requires std::same_as<std::remove_const_t<T>, OtherTool>
{}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, FileRead>
{
  io.text("path", value.path);
  io.number("first", value.lines.first);
  io.number("count", value.lines.count);
  io.name("via", value.via, kVias);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Listing>
{
  io.text("path", value.path);
  io.name("via", value.via, kVias);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, FileWrite>
{
  io.text("path", value.path);
  io.name("how", value.how, kHows);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Query>
{
  io.name("query", value.kind, kQueries);
  io.text("pattern", value.pattern);
  io.text("root", value.root);
  io.pairs("options", value.options);
  io.texts("files", value.files, kMaxFiles);
  io.flag("files_known", value.files_known);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Command>
{
  io.text("text", value.text);
  io.texts("argv", value.argv, kMaxFiles);
  io.number("exit_code", value.exit_code);
  io.flag("cwd_exact", value.cwd_exact);
  io.flag("background", value.background);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Url>
{
  io.text("url", value.url);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Usage>
{
  io.text("model", value.model);
  io.number("input", value.input);
  io.number("cache_read", value.cache_read);
  io.number("cache_write", value.cache_write);
  io.number("output", value.output);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Prompt>
{
  std::string digest = value.digest.str();
  io.text("digest", digest);
  if constexpr (!std::is_const_v<T>) value.digest = Digest(digest);
  io.number("bytes", value.bytes);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Instructions>
{
  io.text("path", value.path);
  io.text("reason", value.reason);
  io.text("parent", value.parent);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, SubAgent>
{
  io.name("phase", value.phase, kPhases);
  io.text("id", value.id);
  io.text("type", value.type);
  io.text("transcript", value.transcript);
  io.text("worktree", value.worktree);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, Session>
{
  io.name("phase", value.phase, kSessionPhases);
  io.text("reason", value.reason);
  io.text("parent", value.parent);
  io.text("transcript", value.transcript);
}
template <typename Io, typename T>
void fields(Io& io, T& value)
  requires std::same_as<std::remove_const_t<T>, SummaryUse>
{
  io.text("name", value.name);
  io.text("digest", value.digest);
}
template <typename Io, typename T>
void common_fields(Io& io, T& value) {
  io.name("program", value.program, kPrograms);
  io.text("session", value.session);
  io.text("agent", value.agent);
  io.text("agent_type", value.agent_type);
  io.text("cwd", value.cwd);
  io.text("tool", value.tool);
  io.text("tool_use_id", value.tool_use_id);
  io.text("note", value.note);
  io.number("start_ms", value.start_ms);
  io.number("end_ms", value.end_ms);
  io.name("outcome", value.outcome, kOutcomes);
}

template <std::size_t I = 0>
Detail detail_of(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<Detail>) {
    return index == I ? Detail(std::in_place_index<I>) : detail_of<I + 1>(index);
  } else {
    return Detail(std::in_place_index<I>);
  }
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  lines += other.lines;
  damaged += other.damaged;
  unknown += other.unknown;
  incomplete += other.incomplete;
  return *this;
}

std::string_view kind_name(const Detail& detail) {
  return detail.valueless_by_exception() ? kKinds[0] : kKinds[detail.index()];
}
std::string_view outcome_name(Outcome outcome) {
  return name_in(kOutcomes, outcome);
}
std::string_view program_name(Program program) {
  return name_in(kPrograms, program);
}

Json to_json(const Observation& observation) {
  Writer io;
  io.out["source"] = std::string(source_name(observation.source));
  io.out["kind"] = std::string(kind_name(observation.detail));
  common_fields(io, observation);
  std::visit([&](const auto& detail) { fields(io, detail); }, observation.detail);
  return std::move(io.out);
}

Result<Observation> observation_from_json(const Json& json) {
  if (!json.is_object()) return fail(Code::kCorrupt, "an observation is an object");
  Reader io{json};
  Observation observation;
  std::string source;
  std::string kind;
  io.text("source", source);
  io.text("kind", kind);
  observation.source = TRY(source_from_name(source));
  const auto* const name = std::ranges::find(kKinds, kind);
  if (name == kKinds.end()) return fail(Code::kCorrupt, "an observation of kind '" + kind + "'");
  observation.detail = detail_of(static_cast<std::size_t>(name - kKinds.begin()));
  common_fields(io, observation);
  std::visit([&](auto& detail) { fields(io, detail); }, observation.detail);
  if (!io.wrong.empty()) {
    return fail(Code::kCorrupt,
                "an observation whose field '" + io.wrong + "' is missing or wrong");
  }
  if (io.used != json.size()) return fail(Code::kCorrupt, "an observation with unknown fields");
  return observation;
}

}  // namespace gittxn::agents
