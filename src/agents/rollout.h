// A Codex rollout (JSON lines) -> observations. Items that completed are what is believed; the
// model's requests (response_item) are not, and `parsed_cmd`, a guess, is left out. A sub-agent has
// a rollout of its own, whose session_meta names the parent.
#pragma once

#include <string>
#include <string_view>

#include "agents/lines.h"
#include "agents/observation.h"
#include "base/json.h"

namespace gittxn::agents {

class RolloutReader {
 public:
  explicit RolloutReader(Sink sink);

  void feed(std::string_view bytes) { lines_.feed(bytes); }
  void finish();  // call once

  const Tally& tally() const { return tally_; }
  // Every turn that began has completed, and there was one.
  bool complete() const { return turns_ > 0 && open_turns_ == 0; }

 private:
  void on_line(std::string_view text);
  void on_meta(const Json& payload);
  void on_event(const Json& payload);
  void on_item(const Json& item);
  void on_command(const Json& item);
  void on_changes(const Json& item);
  void on_user_message(const Json& item);
  void on_collab(const Json& item);
  void on_response_item(const Json& payload);
  void on_usage(const Json& record);
  void on_token_count(const Json& info);
  void agents_file(std::string_view directory);
  void emit(Detail detail);

  Sink sink_;
  LineSplitter lines_;
  Tally tally_;
  Observation base_;  // of the line at hand: session, agent, cwd, times
  std::string model_;
  std::string agents_directory_;
  std::string last_response_;
  std::string last_message_;  // of the last turn
  bool has_usage_records_ = false;
  Usage counted_;  // totals of token_count so far
  std::uint64_t turns_ = 0;
  std::uint64_t open_turns_ = 0;
};

}  // namespace gittxn::agents
