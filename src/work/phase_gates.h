// What the gates of a phase say of one head.
#pragma once

#include <string>
#include <vector>

#include "model/workflow.h"
#include "txn/state.h"
#include "work/workflow_scene.h"

namespace gittxn::api {

// What is asked: this phase of this workflow, in this version, on this head.
struct PhaseQuestion {
  WorkflowId workflow;
  Phase phase;
  const PhaseSpec* spec = nullptr;
  Oid head;
  Oid tree;
  Oid parent;  // its first; empty: none
};
// About the open phase; the scene lives as long as the question.
Result<PhaseQuestion> question_of(State& state, const Scene& scene);

struct PhaseAnswers {
  std::vector<PhaseEvidence> gates;     // in the policy's order; those that were judged
  std::vector<std::string> not_judged;  // commands without a certificate for this head
  bool all() const;                     // every gate was judged and holds
};
// Artifacts, transactions, verdicts, and commands by the newest certificate for exactly this head;
// runs nothing. The same for a look and for a decision under the write lock.
Result<PhaseAnswers> judge_phase_gates(State& state, const store::View& view,
                                       const PhaseQuestion& question);
// Runs the commands, or finds certificates that count, up to the first that says no.
Status run_phase_gates(State& state, const Policy& policy, const PhaseQuestion& question,
                       const RefName& branch, const Progress& progress);

}  // namespace gittxn::api
