#include "agents/import.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "agents/fields.h"
#include "agents/hook_log.h"
#include "agents/observe.h"
#include "agents/session_file.h"
#include "base/fs.h"
#include "base/json.h"

namespace gittxn::agents {

namespace {

constexpr std::size_t kMaxFolder = 4096;      // names looked at in a folder of session files
constexpr std::size_t kMaxMeta = 1u << 20;    // of a .meta.json, and of a rollout's first line
constexpr std::size_t kMaxMissingNamed = 16;  // the others are only counted
constexpr std::string_view kSuffix = ".jsonl";

// Lines on their way to a file that is there whole or not at all.
class Lines {
 public:
  explicit Lines(Imported& report) : report_(report) {}

  void add(const Observation& observation) {
    const auto line = log_line_of(observation);
    if (!line || text_.size() + line->size() + 1 > kMaxImported) {
      ++report_.left_out;
      return;
    }
    ++report_.observations;
    text_ += *line;
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  Imported& report_;
  std::string text_;
};

struct SessionFile {
  Program program = Program::kUnknown;
  std::string path;
};

// The first line of a file that somebody named: regular or nothing, and no more than a bound of it.
std::string first_line(const std::string& path) {
  std::string line;
  // What cannot be read has none.
  static_cast<void>(feed_file(path, [&](std::string_view part) {
    const std::size_t end = part.find('\n');
    line += part.substr(0, end);
    return end == part.npos && line.size() < kMaxMeta;
  }));
  return line;
}

class Import {
 public:
  Import(const std::string& directory, Imported& report, const Sink& sink)
      : directory_(directory), report_(report), sink_(sink) {}

  Status go() {
    HookLogReader hooks([this](Observation&& seen) { note(seen); });
    const Status read = read_hook_log(join_path(directory_, "hooks.jsonl"), hooks);
    if (!read && read.error().code == Code::kNotFound) return {};  // no hook ever ran
    TRY(read);
    report_.sessions = hooks.sessions();
    report_.sessions_ended = hooks.all_sessions_ended();
    report_.hooks = hooks.tally();
    report_.unparsed_hooks = hooks.unparsed_events();
    while (!due_.empty()) {
      const SessionFile file = std::move(due_.front());
      due_.pop_front();
      if (file.program == Program::kCodex) {
        rollout(file.path);
      } else {
        session(file.path);
      }
    }
    if (report_.files > 0 && whole()) say_read();
    return {};
  }

 private:
  // Nothing of what the sessions did is missing.
  bool whole() const {
    const Tally& hooks = report_.hooks;
    const Tally& files = report_.tally;
    return report_.sessions_ended && report_.missing.empty() && report_.left_out == 0 &&
           hooks.damaged + hooks.incomplete + report_.unparsed_hooks == 0 &&
           files.damaged + files.incomplete + files.unknown == 0;
  }

  void say_read() {
    for (const std::string& session : sessions_) {
      Observation read;
      read.source = ReadSource::kTranscript;
      read.session = session;
      read.detail = Session{SessionPhase::kRead, "", "", ""};
      sink_(std::move(read));
    }
  }

  void note_session(const Observation& seen) {
    if (!seen.session.empty() && sessions_.size() < kMaxSessionFiles) {
      sessions_.insert(seen.session);
    }
  }

  void note(const Observation& seen) {
    note_session(seen);
    if (const auto* session = std::get_if<Session>(&seen.detail)) {
      ask(seen.program, session->transcript);
    } else if (const auto* agent = std::get_if<SubAgent>(&seen.detail)) {
      ask(seen.program, agent->transcript);
    }
  }

  void ask(Program program, const std::string& path) {
    if (path.empty() || !known_.insert(path).second) return;
    if (known_.size() > kMaxSessionFiles || !path.starts_with('/') || !path.ends_with(kSuffix)) {
      ++report_.left_out;
      return;
    }
    due_.push_back({program, path});
  }

  bool feed(const std::string& path, SessionReader& reader) {
    const Status read = feed_file(path, [&](std::string_view bytes) {
      reader.feed(bytes);
      return true;
    });
    if (!read) {
      if (report_.missing.size() < kMaxMissingNamed) {
        report_.missing.push_back(fmt::format("{}: {}", path, read.error().message));
      }
      return false;
    }
    reader.finish();
    ++report_.files;
    report_.tally += reader.tally();
    return true;
  }

  // A session of Claude Code. Its sub-agents have files below a folder of its name, also those
  // whose end no hook has seen.
  void session(const std::string& path) {
    feed(path, *transcript_reader(sink_));
    const std::string folder = join_path(path.substr(0, path.size() - kSuffix.size()), "subagents");
    for (const std::string& name : session_files(folder, "agent-")) {
      const std::string file = join_path(folder, name);
      meta(file, name);
      ask(Program::kClaudeCode, file);
    }
  }

  void meta(const std::string& file, const std::string& name) {
    constexpr std::string_view kAgent = "agent-";
    const std::string agent =
        name.substr(kAgent.size(), name.size() - kAgent.size() - kSuffix.size());
    const std::string text =
        first_line(file.substr(0, file.size() - kSuffix.size()) + ".meta.json");
    if (text.empty()) return;  // not every version writes one
    auto seen = observe_sub_agent_meta(text, agent);
    if (seen) {
      sink_(*std::move(seen));
    } else {
      ++report_.tally.damaged;
    }
  }

  // A rollout of Codex. Those of sub-agents lie beside it and name the session they came from.
  void rollout(const std::string& path) {
    const auto reader = rollout_reader([this](Observation&& seen) {
      note_session(seen);
      sink_(std::move(seen));
    });
    if (!feed(path, *reader)) return;
    const std::string folder = parent_dir(path);
    for (const std::string& name : session_files(folder, "rollout-")) {
      const std::string file = join_path(folder, name);
      if (known_.contains(file)) continue;
      auto [parent, fresh] = parents_.try_emplace(file);
      if (fresh) {
        const auto json = parse_foreign(first_line(file));
        if (json) parent->second = name_at((*json)["payload"], "parent_thread_id");
      }
      if (sessions_.contains(parent->second)) ask(Program::kCodex, file);
    }
  }

  std::vector<std::string> session_files(const std::string& folder, std::string_view prefix) {
    std::vector<std::string> names;
    auto entries = list_dir(folder);
    if (!entries) return names;  // most sessions have no such folder
    if (entries->size() > kMaxFolder) {
      // Names begin with the time: the newest are last.
      report_.left_out += entries->size() - kMaxFolder;
      entries->erase(entries->begin(), entries->end() - static_cast<std::ptrdiff_t>(kMaxFolder));
    }
    for (const DirEntry& entry : *entries) {
      if (entry.name.starts_with(prefix) && entry.name.ends_with(kSuffix)) {
        names.push_back(entry.name);
      }
    }
    return names;
  }

  const std::string& directory_;
  Imported& report_;
  const Sink& sink_;
  std::set<std::string> known_;  // paths that were asked for
  std::deque<SessionFile> due_;
  std::set<std::string> sessions_;
  std::map<std::string, std::string> parents_;  // of rollouts that were looked at
};

}  // namespace

Result<Imported> import_sessions(const std::string& directory) {
  Imported report;
  Lines lines(report);
  const Sink sink = [&](Observation&& seen) { lines.add(seen); };
  TRY(Import(directory, report, sink).go());
  if (report.files == 0) return report;
  TRY(write_file(join_path(directory, "transcripts.jsonl"), lines.text(), Sync::kYes));
  return report;
}

Status read_sessions(const std::string& directory, const Sink& sink) {
  Imported report;
  return Import(directory, report, sink).go();
}

Result<Imported> import_otel(const std::string& directory, const std::string& file) {
  const std::string text = TRY(read_file(file, kMaxOtelFile));
  Imported report;
  Lines lines(report);
  observe_otel(text, [&](Observation&& seen) { lines.add(seen); }, report.tally);
  if (report.observations == 0) {
    return fail(Code::kUsage,
                fmt::format("'{}' has no span that says what a tool was asked for", file),
                "an OTLP export in JSON is expected, whole or one request a line");
  }
  ++report.files;
  // One write at the end of the file: two imports at once are both kept. An empty line first ends
  // one that a power cut has torn.
  const std::string path = join_path(directory, "otel.jsonl");
  const UniqueFd fd = TRY(open_fd(path, O_WRONLY | O_CREAT | O_APPEND, 0600));
  TRY_IN("appending to '" + path + "'", write_all(fd.get(), "\n" + lines.text()));
  TRY(fsync_path(path));
  TRY(fsync_parent(path));
  return report;
}

}  // namespace gittxn::agents
