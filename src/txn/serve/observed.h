// Observations as agents report them, from the files beside an attempt's records, in the words of
// capture/; and what follows for a conversation that goes on from an earlier transaction. This is
// the only place that knows both the sources' formats and the reads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/interpret.h"
#include "capture/observed.h"
#include "txn/attempt.h"
#include "txn/state.h"

namespace gittxn::api {

struct ObservedFiles {
  std::vector<capture::Observed> observed;
  capture::Conversations conversations;
  std::vector<capture::ToldCommand> commands;
  std::set<std::string> sessions;  // that were seen
  std::set<std::string> resumed;   // of them, and those they say they go on from
  // The session file of each conversation that no other one began, as its program names it.
  std::map<std::string, std::string> kept;
  std::set<std::pair<std::string, Digest>> prompts;  // of a session, SHA-256 of what it was told
  std::vector<std::string> notes;                    // what could not be read
};

// Reads every source's file in `directory` (agents/hook_log.h); one that is not there says nothing.
// Bounded: what is beyond 200,000 observations is counted in a note.
// Listings shown to an agent alone are known from sessions that have ended. With kRunning they are
// known from what all sessions have said so far, for a caller that only reports.
Result<ObservedFiles> read_observed(const std::string& directory,
                                    Sessions sessions = Sessions::kEnded);

// True if an agent worked in the attempt, or the transaction declared anything.
Result<bool> is_observed(const Attempt& attempt);

// True if the conversation was told exactly that in the attempt, as its program says.
Result<bool> was_told(const Attempt& attempt, const std::string& session, const Digest& text);

// A conversation that was resumed still knows what it read: the reads of every earlier transaction
// that it was part of become reads of this one. Those of one that landed at semantic or above hold
// of the commit it landed as. Where none is on record the set is unknown.
enum class Earlier { kAll, kOthers };  // kOthers: earlier attempts of the same one are known
Status inherit_reads(State& state, const Txn& txn, const ObservedFiles& files, Earlier earlier,
                     ReadSet& reads);

// The reads of summaries that an attempt was shown, from its observations. Any damage is the
// observations' own; what it says was shown counts.
Result<std::vector<Read>> summary_reads(const Attempt& attempt);

// Reads of the kernel's own state, by an agent that was shown it (B1, B2): versions of workflows
// and phases, which workflows there are, and the order of pending transactions.
//
// Inside of a transaction each is a line of JSON in the attempt's observed directory, durable
// before the agent gets the answer; taking the work makes hard reads of them. Outside: nothing.
Status note_kernel_reads(State& state, const store::View& view,
                         const std::vector<std::string>& subjects, std::string_view shown_by);
// Those of an attempt. A line that makes no sense counts as a read that does not hold.
Result<std::vector<Read>> kernel_reads(const Attempt& attempt, const Oid& snapshot);

}  // namespace gittxn::api
