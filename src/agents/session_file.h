// The session files of agents, JSON lines, -> observations. Read a line at a time in bounded
// memory.
//
// That of Claude Code, or of one of its sub-agents, has what hooks do not: @-mentions, instruction
// files that were put in front of the model, models, usage. Complete only after the session ended.
//
// Of a rollout of Codex the items that completed are what is believed; the model's requests
// (response_item) are not, and `parsed_cmd`, a guess, is left out. A sub-agent has a rollout of its
// own, whose session_meta names the parent.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agents/lines.h"
#include "agents/observation.h"
#include "base/json.h"
#include "base/result.h"

namespace gittxn::agents {

class SessionReader {
 public:
  explicit SessionReader(Sink sink);
  virtual ~SessionReader() = default;
  SessionReader(const SessionReader&) = delete;
  SessionReader& operator=(const SessionReader&) = delete;

  void feed(std::string_view bytes) { lines_.feed(bytes); }
  // Call once, at the end: emits what was still waited for, and the read_set of the last message.
  void finish();

  const Tally& tally() const { return tally_; }

 protected:
  // A line that is an object with a type.
  virtual void on_line(const Json& line, const std::string& type) = 0;
  virtual void at_end() = 0;
  // What the last message says that its change depends on.
  void declare(const Observation& base, std::string_view message);
  void emit(const Observation& base, Detail detail) {
    Emitter{base, sink_, tally_}.emit(std::move(detail));
  }

  Sink sink_;
  Tally tally_;

 private:
  LineSplitter lines_;
};

std::unique_ptr<SessionReader> transcript_reader(Sink sink);  // of Claude Code
std::unique_ptr<SessionReader> rollout_reader(Sink sink);     // of Codex

// The .meta.json beside the file of a sub-agent of Claude Code, as a SubAgent; `agent` is the id in
// the file's name. kCorrupt when it is not an object.
Result<Observation> observe_sub_agent_meta(std::string_view text, std::string_view agent);

}  // namespace gittxn::agents
