// The hook log: one JSON line an event, appended by `git txn hook` while the agent waits, and read
// when the change is taken. docs/formats/observations.md describes the lines.
//
// Any number of hooks append at once without a lock: a line is one write to a descriptor opened
// with O_APPEND, and durable before the hook returns. A power cut tears at most the last line; the
// next append begins a new one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/lines.h"
#include "agents/observation.h"
#include "base/json.h"
#include "base/result.h"

namespace gittxn::agents {

inline constexpr std::size_t kMaxLogLine = 64u << 10;
inline constexpr std::size_t kMaxHookEvent = 16u << 20;  // a larger one is not looked into

// The line of an event as it came on standard input, at most kMaxLogLine bytes, valid JSON whatever
// `event` is. Large payloads are cut: each is replaced by its size and SHA-256. An event that is
// not JSON is kept as the fact that there was one.
std::string log_line_of(std::string_view event, std::int64_t time_ms);
// The line of an observation that comes from no event (the MCP server, `git txn read`). kUsage when
// it is longer than kMaxLogLine.
Result<std::string> log_line_of(const Observation& observation);
// The names in an event that an answer may need; "" what it does not say. Opaque.
struct EventNames {
  std::string session;
  std::string agent;  // sub-agent's id
  std::string name;   // of the worktree that WorktreeCreate asks for
};
EventNames names_of(std::string_view event);
// The files that the tool call of a PreToolUse event is about to change, absolute, in order, at
// most 64; none where the event says of none.
std::vector<std::string> files_to_be_written(std::string_view event);
// Appends a line of the above. kFault, kOutcomeUnknown (written, the sync failed).
Status append_to_hook_log(const std::string& path, std::string_view line);

// Reads a log in bounded memory and joins a call's two events: what was asked is emitted only when
// no answer follows, and the answer has the time and directory of the asking.
class HookLogReader {
 public:
  explicit HookLogReader(Sink sink);

  void feed(std::string_view bytes) { lines_.feed(bytes); }
  void finish();  // call once, at the end

  const Tally& tally() const { return tally_; }
  std::uint64_t unparsed_events() const { return unparsed_; }  // the hook could not read these
  // Every session that was seen has ended, and there was one. Without it the agent was killed, or
  // hooks were lost: lower confidence.
  bool all_sessions_ended() const;
  bool has_ended(const std::string& session) const {
    const auto at = sessions_.find(session);
    return at != sessions_.end() && at->second && !sessions_lost_;
  }
  std::size_t sessions() const { return sessions_.size(); }

 private:
  using Key = std::pair<std::string, std::string>;  // session, tool_use_id
  void on_line(std::string_view line);
  void on_event(const Json& event, std::int64_t time_ms);
  void note_session(const Observation& observation);

  Sink sink_;
  LineSplitter lines_;
  Tally tally_;
  std::uint64_t unparsed_ = 0;
  std::map<Key, std::vector<Observation>> asked_;
  std::size_t asked_count_ = 0;
  std::map<std::string, bool> sessions_;  // ended?
  bool sessions_lost_ = false;            // more than we keep
};

// Feeds the log at `path` and finishes. Errors as feed_file; kNotFound: no hook ever ran.
Status read_hook_log(const std::string& path, HookLogReader& reader);

}  // namespace gittxn::agents
