// What a run or a landing came to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gates/gate.h"
#include "model/read.h"
#include "model/txn.h"
#include "model/verdict.h"

namespace gittxn::api {

// The one object --json prints last, and what the one-line summary is made of.
struct Outcome {
  Txn txn;
  Oid head_before;
  std::vector<Conflict> conflicts;
  std::vector<gates::GateReport> gates;
  Admission admitted;          // of one that landed: beside reads that hold as they are
  std::vector<Mended> mended;  // of one that landed: what its commit has otherwise than it wrote it
  std::int64_t asked_ms = 0;   // what running commands again took, with tries that did not land
  ReadSet reads;               // of the last attempt
  Changes writes;
  std::vector<std::string> untracked;
  std::vector<std::string> notes;
  std::size_t notes_told = 0;        // so many of them, from the first, went to on_note already
  std::vector<std::string> repairs;  // one line a repair, for a person
  struct Repair {
    std::string rung, subject, result;
    std::int64_t ms = 0;      // that its command took
    std::int64_t tokens = 0;  // that its agent told of
  };
  std::vector<Repair> repair_steps;  // the same, for programs
  int command_exit = 0;
  std::int64_t command_ms = 0;
  std::int64_t total_ms = 0;
  std::string next;             // the line to type next; empty: nothing to do
  bool as_asked = false;        // left open because --no-land asked for it
  bool command_failed = false;  // and changed nothing, so that there is nothing to land
  int process = 0;              // of git-txn, where it runs a command of this now; 0: none is known
};
// True if what there is may be half of what was to be done: it was begun with a command that
// failed, was stopped or died, and nobody has gone on with it since. It lands only when somebody
// says so.
bool is_unfinished(const Txn& txn);
std::string_view gate_word(const Certificate& certificate);  // passed, failed, timed out
int exit_code(const Outcome& outcome);  // 0 landed or nothing (or open as asked), 1 not landed
// The meaning of exit statuses 0 and 1: landed, merged, nothing, open (as asked), command-failed,
// conflict, rejected, waiting, aborted, unfinished.
std::string_view outcome_name(const Outcome& outcome);

// The subject of what an unknown read set may have read.
inline constexpr std::string_view kAnything = "(everything)";

// A read that does not hold on the head that work went on from (txn/go_on.h).
struct StaleRead {
  std::string subject;
  std::string changed_by;  // "" not known
  std::string diff;        // unified; "" where there is none to show
  bool rejudged = false;   // else it stays stale
  std::string read_by;     // "Read call toolu_01"; "" not known
};
struct WentOn {
  Oid head;
  std::vector<std::string> marked;  // files with conflict markers
  std::vector<std::string> kept;    // paths of which one side was taken, with the reason
  std::vector<StaleRead> stale;
};
struct Resumed {
  Txn txn;
  std::optional<WentOn> went_on;   // where it was refused and the branch has moved
  std::optional<Outcome> outcome;  // of its agent, where that went on
};

}  // namespace gittxn::api
