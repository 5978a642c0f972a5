// Common parts of the verbs about workflows: naming one, what is seen of it before something is
// decided, and what the gates of a phase say of one head.
#pragma once

#include <string>
#include <vector>

#include "model/workflow.h"
#include "txn/attempt.h"

namespace gittxn::api {

inline constexpr std::size_t kMaxWorkflowText = 4096;  // of a reason, a note, an actor

// As given, else the caller's git identity.
Result<std::string> actor_of(State& state, const std::string& given);
Status check_workflow_id(const std::string& id);
// By id or unique prefix. kNotFound.
Result<Workflow> find_workflow(const store::Store& store, const std::string& id);
std::string open_of(const Workflow& workflow);  // "" when it is finished
std::unexpected<Error> moved_meanwhile(const Workflow& workflow);

// What is decided on: the workflow as it was seen, the head of its branch, and what policy says.
struct Scene {
  Workflow workflow;
  Phase phase;  // the open one
  repo::CommitInfo head;
  Policy policy;

  const PhaseSpec* spec() const;  // nullptr: the policy has no such phase any more
  Oid parent() const;             // of the head, its first; empty: none
};
// The workflow has an open phase.
Result<Scene> look_at_phase(State& state, const Workflow& workflow, const Progress& progress);
std::unexpected<Error> no_definition(const Scene& scene);

struct PhaseAnswers {
  std::vector<PhaseEvidence> gates;     // in the policy's order; those that were judged
  std::vector<std::string> not_judged;  // commands without a certificate for this head
  bool all() const;                     // every gate was judged and holds
};
// Artifacts, transactions, verdicts, and commands by the newest certificate for exactly this head;
// runs nothing. The same for a look and for a decision under the write lock.
Result<PhaseAnswers> judge_phase_gates(State& state, const store::View& view, const Scene& scene);
// Runs the commands, or finds certificates that count, up to the first that says no.
Status run_phase_gates(State& state, const Scene& scene, const Progress& progress);

}  // namespace gittxn::api
