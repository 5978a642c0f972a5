// The rules of a policy apart from its syntax: which names and paths are allowed, the normal form
// that is hashed, and which isolation a change needs. Pure functions.
//
// The normal form is canonical JSON of what the file means, so that comments, order of keys and the
// two ways to write a command do not change a version: `run = "make"` is the same gate as `run =
// ["sh", "-c", "make"]`. A golden test pins the digests, because a change of the normal form would
// silently drop every certificate and every yes that people gave.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/policy.h"

namespace gittxn::gates {

// What is wrong with it, as the rest of a sentence ("leaves the repository"); nullopt: nothing.
std::optional<std::string> path_problem(std::string_view path);
std::optional<std::string> env_name_problem(std::string_view name);
std::optional<std::string> gate_name_problem(std::string_view name);
std::optional<std::string> handled_type_problem(std::string_view type);

// Of a workflow or a phase.
std::optional<std::string> workflow_name_problem(std::string_view name);

Digest gate_version(const GateSpec& gate);
Digest setup_version(const WorktreeSpec& worktree);  // of what is placed and run before a gate
// Of a gate that runs nothing; one that does has gate_version(), so that what it said of a
// candidate that landed counts for the head as well.
Digest phase_gate_version(const PhaseGate& gate);
Digest phase_version(const PhaseSpec& phase);
// Fills in version and trust_hash from the rest.
void seal_policy(Policy& policy);

}  // namespace gittxn::gates
