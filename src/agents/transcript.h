// A Claude Code session file (JSON lines), or that of one of its sub-agents -> observations. It has
// what hooks do not: @-mentions, instruction files that were put in front of the model, models,
// usage. Complete only after the session ended.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "agents/lines.h"
#include "agents/observation.h"
#include "base/json.h"
#include "base/result.h"

namespace gittxn::agents {

class TranscriptReader {
 public:
  explicit TranscriptReader(Sink sink);

  void feed(std::string_view bytes) { lines_.feed(bytes); }
  // Call once: emits calls without an answer, the last usage, and the read_set of the last message.
  void finish();

  const Tally& tally() const { return tally_; }

 private:
  struct Call {
    Observation base;
    std::string input;  // JSON text, which is smaller than the tree
  };
  void on_line(std::string_view text);
  void on_assistant(const Json& line, const Observation& base);
  void on_tool_use(const Json& block, const Observation& base);
  void on_user(const Json& line, const Observation& base);
  void on_tool_result(const Json& block, const Json& line, const Observation& base);
  void on_attachment(const Json& line, const Observation& base);
  void flush_usage();
  void flush_call(const Call& call);
  void emit(const Observation& base, Detail detail);

  Sink sink_;
  LineSplitter lines_;
  Tally tally_;
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

// The .meta.json beside a sub-agent's file, as a SubAgent; `agent` is the id in the file's name.
// kCorrupt when it is not an object.
Result<Observation> observe_sub_agent_meta(std::string_view text, std::string_view agent);

}  // namespace gittxn::agents
