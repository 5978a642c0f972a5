#include "agents/hook_log.h"

#include <algorithm>
#include <array>

#include "agents/fields.h"
#include "agents/observe.h"
#include "base/fs.h"

namespace gittxn::agents {

namespace {

constexpr std::size_t kMaxAsked = 512;  // calls at once; each may hold a line's worth of text
constexpr std::size_t kMaxSessions = 1024;
constexpr int kVersion = 1;
static_assert(kMaxHookEvent == kMaxEvent);

// Payloads that no parser of ours looks into; cut first.
constexpr std::string_view kBulkKeys[] = {
    "content",    "stdout",     "stderr", "originalFile", "oldString",       "newString",
    "old_string", "new_string", "base64", "delta",        "structuredPatch", "tool_calls"};

struct Cut {
  std::size_t texts;  // strings longer than this are cut
  std::size_t items;  // arrays and objects with more members are cut
  enum class Where { kBulk, kEverywhere } where;
};

void cut_below(Json& value, const Cut& cut, bool bulk) {
  if (value.is_string()) {
    const auto& text = value.text();
    const bool due = bulk || cut.where == Cut::Where::kEverywhere;
    if (due && text.size() > cut.texts) value = cut_marker(text);
  } else if (value.size() > cut.items) {
    value = cut_marker(canonical_json(value));
  } else if (value.is_object()) {
    for (auto& [key, member] : value.items()) {
      cut_below(member, cut, bulk || among(kBulkKeys, key));
    }
  } else {
    for (Json& element : value) cut_below(element, cut, bulk);
  }
}

// What tells one call from another; never cut, unless they are too long to be names.
constexpr std::string_view kNames[] = {"hook_event_name", "session_id",  "agent_id", "agent_type",
                                       "tool_name",       "tool_use_id", "turn_id"};

void cut_event(Json& event, const Cut& cut) {
  for (auto& [key, value] : event.items()) {
    if (!among(kNames, key)) cut_below(value, cut, among(kBulkKeys, key));
  }
}

Json skeleton(const Json& event) {
  Json out = Json::object();
  for (const std::string_view key : kNames) {
    std::string value = name_at(event, key);
    if (!value.empty()) out[std::string(key)] = std::move(value);
  }
  out["cut_event"] = true;
  return out;
}

std::string line_with(const char* key, Json value, std::int64_t time_ms) {
  Json line = {{"v", kVersion}, {"time_ms", time_ms}};
  line[key] = std::move(value);
  return canonical_json(line);
}

}  // namespace

std::string log_line_of(std::string_view event, std::int64_t time_ms) {
  auto json = parse_foreign(event);
  if (!json || !json->is_object()) {
    return line_with("unparsed", cut_marker(event.substr(0, kMaxEvent)), time_ms);
  }
  // One that is far too large is not written out only to be measured.
  const bool may_fit = event.size() <= 2 * kMaxLogLine;
  std::string line = may_fit ? line_with("event", *json, time_ms) : std::string(event);
  constexpr std::size_t kAll = SIZE_MAX;
  constexpr std::array<Cut, 5> kCuts = {{{256, kAll, Cut::Where::kBulk},
                                         {16 << 10, 4096, Cut::Where::kEverywhere},
                                         {4 << 10, 1024, Cut::Where::kEverywhere},
                                         {1 << 10, 128, Cut::Where::kEverywhere},
                                         {256, 32, Cut::Where::kEverywhere}}};
  for (const Cut& cut : kCuts) {
    if (line.size() <= kMaxLogLine) return line;
    cut_event(*json, cut);
    line = line_with("event", *json, time_ms);
  }
  if (line.size() <= kMaxLogLine) return line;
  return line_with("event", skeleton(*json), time_ms);
}

Result<std::string> log_line_of(const Observation& observation) {
  std::string line = line_with("observation", to_json(observation), observation.end_ms);
  if (line.size() > kMaxLogLine) return fail(Code::kUsage, "an observation larger than a log line");
  return line;
}

EventNames names_of(std::string_view event) {
  const auto json = parse_foreign(event);
  if (!json) return {};
  return {name_at(*json, "session_id"), name_at(*json, "agent_id"), name_at(*json, "name")};
}

std::vector<std::string> files_to_be_written(std::string_view event) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> files;
  const auto json = parse_foreign(event);
  if (!json) return files;
  Tally tally;
  const Sink collect = [&files](Observation&& seen) {
    const auto* write = std::get_if<FileWrite>(&seen.detail);
    if (write == nullptr || files.size() == kMost) return;
    std::string file = normal_path(join_path(seen.cwd, write->path));
    if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
  };
  observe_hook_event(*json, 0, collect, tally);
  return files;
}

Status append_to_hook_log(const std::string& path, std::string_view line) {
  if (line.size() > kMaxLogLine) return fail(Code::kUsage, "a line larger than the log allows");
  return append_line_durable(path, line);
}

HookLogReader::HookLogReader(Sink sink)
    : sink_(std::move(sink)),
      lines_(kMaxLogLine, [this](std::string_view line) { on_line(line); }) {}

void HookLogReader::on_line(std::string_view line) {
  const auto json = parse_foreign(line, kMaxLogLine);
  const auto version = json ? count_at(*json, "v") : std::nullopt;
  const auto time = json ? count_at(*json, "time_ms") : std::nullopt;
  if (!version || *version != kVersion || !time) {
    ++tally_.lines;
    ++tally_.damaged;
    return;
  }
  if (json->contains("event")) {
    on_event((*json)["event"], *time);
    return;
  }
  ++tally_.lines;
  if (json->contains("unparsed")) {
    ++unparsed_;
    return;
  }
  auto observation = read_fields<Observation>((*json)["observation"]);
  if (!observation) {
    ++tally_.damaged;
    return;
  }
  sink_(std::move(*observation));
}

void HookLogReader::on_event(const Json& event, std::int64_t time_ms) {
  const Key key{name_at(event, "session_id"), name_at(event, "tool_use_id")};
  std::vector<Observation> seen;
  observe_hook_event(
      event, time_ms,
      [&](Observation&& observation) {
        note_session(observation);
        seen.push_back(std::move(observation));
      },
      tally_);
  if (event["cut_event"].is_boolean()) ++tally_.incomplete;
  const std::string name = name_at(event, "hook_event_name");
  if (name == "PreToolUse" && !key.second.empty() && seen.size() + asked_count_ <= kMaxAsked) {
    // A second asking under one id replaces the first, as an id is used once by an honest agent;
    // the first is emitted, so nothing is lost.
    asked_count_ += seen.size();
    std::swap(asked_[key], seen);
    asked_count_ -= seen.size();
  } else if (const auto found = asked_.find(key);
             name.starts_with("PostToolUse") && !key.second.empty() && found != asked_.end()) {
    for (Observation& observation : seen) {
      if (found->second.empty()) break;
      const Observation& asked = found->second.front();
      observation.start_ms = std::min(observation.start_ms, asked.start_ms);
      observation.cwd = asked.cwd;
      if (auto* command = std::get_if<Command>(&observation.detail)) command->cwd_exact = true;
    }
    asked_count_ -= found->second.size();
    asked_.erase(found);
  }
  for (Observation& observation : seen) sink_(std::move(observation));
}

void HookLogReader::note_session(const Observation& observation) {
  const auto* session = std::get_if<Session>(&observation.detail);
  const bool known = sessions_.contains(observation.session);
  if (!known && sessions_.size() >= kMaxSessions) {
    sessions_lost_ = true;
    return;
  }
  // A session that goes on after its end, or is resumed, has not ended.
  sessions_[observation.session] = session != nullptr && session->phase == SessionPhase::kEnded;
}

void HookLogReader::finish() {
  lines_.finish();
  tally_.lines += lines_.too_long();
  tally_.damaged += lines_.too_long();
  for (auto& [key, asked] : asked_) {
    for (Observation& observation : asked) sink_(std::move(observation));
  }
  asked_.clear();
  asked_count_ = 0;
}

bool HookLogReader::all_sessions_ended() const {
  return !sessions_.empty() && !sessions_lost_ &&
         std::ranges::all_of(sessions_, [](const auto& session) { return session.second; });
}

Status read_hook_log(const std::string& path, HookLogReader& reader) {
  TRY(feed_file(path, [&](std::string_view bytes) {
    reader.feed(bytes);
    return true;
  }));
  reader.finish();
  return {};
}

}  // namespace gittxn::agents
