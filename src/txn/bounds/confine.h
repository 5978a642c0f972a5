// --confine, txn.confine: whether a command is confined, and to what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/trace/confine/confine.h"
#include "txn/attempt.h"

namespace gittxn::api {

// The mode that is recorded for a confined command (txn.command.started).
inline constexpr std::string_view kConfinedWrites = "writes";

// --confine, else txn.confine, else not at all. kUsage: a value nobody knows.
Result<bool> is_confined(State& state, const RunOptions& options);

// Refuses, before anything is made, what this kernel or the options cannot give.
Status check_confine(State& state, const RunOptions& options);

// What a confined command may write: `own` (its worktree first, as it is seen from inside, and what
// belongs to it), temporary directories, terminals, the caches of tools and the agents' own state
// and what txn.confineWrite names, separated by ':'. Never the repository, its
// store, its checkouts and other transactions' worktrees, also where they lie below one of those.
// Notes: what is left out, and what is not confined, because this machine lacks something.
// `env`: gets a TMPDIR of its own where the usual ones may not be written.
struct ConfinedPlace {
  std::vector<std::string> own;
  std::string temp;  // may be made below one of `own`
};
Result<capture::Confine> confine_to(State& state, const ConfinedPlace& place, Environment& env,
                                    std::vector<std::string>& notes);

// What the records say was outside, as notes for people and in a file for the agent's next turn.
Status tell_outside(const std::string& record_file, const capture::Confine& confine,
                    std::vector<std::string>& notes);

}  // namespace gittxn::api
