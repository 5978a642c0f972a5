// The first rungs of the repair ladder, while a command still runs. The target branch moves: if
// everything that was read until now holds at the new head, the transaction is extended to it,
// which is a mark in the log and changes no file. If something is stale, a brief says what
// (brief.h), and hooks, MCP server and status hand it on.
//
// Only looks and tells: what lands is certified from the start by the landing. A stale read stays
// one, whatever the agent does after it was told; see docs/design/0013-agents.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "txn/attempt.h"
#include "txn/serve/brief.h"

namespace gittxn::api {

class Watch {
 public:
  // Both must outlive it. `txn` has the command that runs as the last trace of its last attempt.
  Watch(State& state, Txn txn);

  // To be called often; looks at the branch four times a second, and judges the reads when it has
  // moved and they may have changed, but is at it for at most a twentieth of the time. A failure
  // ends the watch, for nothing depends on it, and is a note.
  void look();
  const std::vector<std::string>& notes() const { return notes_; }
  // Somebody ended the transaction (a workflow went back): its command has no reason to go on.
  bool cancelled() const { return cancelled_; }
  // True once for the command to end by itself, and once more when it has not.
  bool take_interrupt();

 private:
  Status look_at_state();
  Status look_at_branch();
  Status judge(const Oid& head);
  Status tell(const Oid& head, std::vector<Conflict> conflicts);
  std::uint64_t record_bytes() const;

  State& state_;
  Txn txn_;
  Oid judged_;                      // the head of the last judgement; first the base
  std::uint64_t judged_bytes_ = 0;  // of records, at the last judgement
  std::vector<Conflict> stale_;     // of the last judgement
  std::optional<Conflict> rule_;    // its workflow was cancelled, so that it cannot land
  Oid extended_;                    // the last head that everything held at
  std::vector<std::string> told_;   // what the last brief named, with what it is now
  int number_ = 0;                  // of the last brief
  std::int64_t next_look_ns_ = 0;
  std::int64_t next_judgement_ns_ = 0;
  bool over_ = false;
  bool cancelled_ = false;
  int interrupts_ = 0;
  std::int64_t next_interrupt_ns_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace gittxn::api
