// Work that goes on from another head: the branch is merged into the worktree of a transaction that
// was refused, and what it read counts from there on.
//
// It is a new attempt in the worktree of the one before it. Its snapshot is the head; its reads are
// those of the earlier attempts (Inherited), each as one of these:
//
//   holds     it is the same on the head, and a read of the head from now on
//   rejudged  it has changed, and whoever goes on was shown the whole difference: what the head has
//             counts as read, and their word for it that the work still stands
//   stale     it has changed, and is too long to be shown, or the level is an exact one: no landing
//             will take it
//
// A command that only printed something is judged by what it looked at. A test run is asked again
// by the landing, and another branch that was read is never rejudged.
//
// If we die: before the log has the attempt, a worktree with the branch merged into it, as if the
// command had done it; its reads are as they were, and going on is done again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "txn/attempt.h"
#include "txn/outcome.h"

namespace gittxn::api {

inline constexpr std::string_view kJudged = "brief";  // Read::op of one that was rejudged

// The reads that an attempt has from those before it. The file is beside its worktree.
struct Inherited {
  int attempt = 0;  // that has them
  Digest reads;     // artifact
  bool complete = true;
  std::string unknown_reason;
  Oid unknown_since;                // model/read.h
  std::vector<std::string> marked;  // files that had conflict markers when it began
  std::string message;              // of the last commit that the agent made before; "" none
  // The conversation that is to judge what has changed, and the SHA-256 of what it is told, empty
  // before that is written; "": somebody has judged it.
  std::string session;
  Digest told;
};
// nullopt: it has none. kCorrupt: the file is damaged.
Result<std::optional<Inherited>> inherited_by(const Attempt& attempt);
Status write_inherited(const Attempt& attempt, const Inherited& inherited);
// Adds the reads to those of the attempt itself.
Status add_inherited(State& state, const Inherited& inherited, ReadSet& reads);

// The caller holds the transaction, which is open and has a worktree. nullopt: it is at the head
// already.
//
// `session`: of the agent's conversation that is going to be told what has changed; "": the caller
// shows it to whoever goes on.
Result<std::optional<WentOn>> go_on(State& state, const Txn& txn, const Progress& progress,
                                    const std::string& session = "");

// The files of those that had conflict markers when the last attempt began which still have some.
Result<std::vector<std::string>> markers_left(State& state, const Txn& txn);
// Folder in which observations of the attempt of that number, earlier in the same worktree, are
// put.
std::string observed_before(const Attempt& attempt, int number);

// True if the agent's conversation was to judge what has changed, and was not told.
Result<bool> is_unjudged(const Txn& txn);
// kRefused: there are such; or what has changed was to be judged by the agent's conversation, which
// was not told.
Status check_judged(State& state, const Txn& txn);

}  // namespace gittxn::api
