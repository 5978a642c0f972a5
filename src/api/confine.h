// --confine: what a command may touch, from what was declared or learned.
#pragma once

#include <optional>

#include "api/work.h"
#include "capture/trace/confine.h"

namespace gittxn::api {

// Writes: the worktree, what its observers append to, temporary directories, devices, and what
// txn.confineWrite names (separated by ':', for agents that keep their state somewhere). Reads of
// the tree: everything; or what --scope names; or, learned, the directories in which complete
// transactions of the same command or name have read before. nullopt: not confined.
// kUsage: a mode nobody knows, a scope that leads out of the tree, nothing learned yet.
Result<std::optional<capture::Confine>> confine_for(Kernel::State& state, const Txn& txn,
                                                    const repo::Worktree& worktree,
                                                    const RunOptions& options);

// Refuses, before anything is made, what this kernel or the options cannot give.
Status check_confine(const RunOptions& options);

// What the records say was outside, as notes for people and in a file for the agent's next turn.
Status tell_outside(const std::string& record_file, const capture::Confine& confine,
                    std::vector<std::string>& notes);

}  // namespace gittxn::api
