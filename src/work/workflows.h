// Workflows: creating one, looking at it, and moving it from phase to phase. Each move is one
// decision under the write lock of the store: the workflow is at the version the caller saw, every
// gate holds for the head the branch has then, and no transaction of it is being landed; the move
// and what was said are appended together. Commands of gates run before, outside of the lock.
//
// All but the looks are refused inside of a transaction (kUnsupported). What an agent is shown
// inside of one is on record before it gets it, as hard reads of kind kernel.
//
// If we die: before the decision, certificates that the next advance may use; after it, everything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/workflow.h"
#include "txn/host.h"

namespace gittxn::api {

struct WorkflowRequest {
  std::string name;                 // of its definition in the policy
  std::optional<std::string> id;    // unset: made up
  std::optional<std::string> onto;  // unset: the branch that is checked out
  std::string actor;                // empty: the caller's git identity
  // The workflow created under this key is returned, and none is created. Instead of an id.
  std::optional<std::string> key = {};
};
// kNotFound: the policy of the branch has no such workflow. kExists: another has that id.
Result<Workflow> create_workflow(State& state, const WorkflowRequest& request);

Result<std::vector<Workflow>> list_workflows(State& state);  // newest first

// Who brought a phase where it is by other means than its gates, and why.
struct PhaseWhy {
  std::string what;  // "skipped", "overridden", "rolled back to", "cancelled"
  std::string actor;
  std::string reason;
};
struct PhaseLine {
  Phase phase;
  std::optional<PhaseWhy> moved;       // unset: it was not, or that event was pruned
  std::vector<PhaseEvidence> gates;    // what each said last, of this version of the phase
  std::vector<PhaseVerdict> verdicts;  // of this version
  std::vector<Txn> unfinished;         // who is next first
};
struct WorkflowReport {
  Workflow workflow;
  std::vector<PhaseLine> phases;
};
// An id, or its unique prefix. kNotFound.
Result<WorkflowReport> workflow_status(State& state, const std::string& id);

struct PhaseMoveRequest {
  std::string id;
  std::optional<std::string> from;  // kStale when another phase is open
  std::string to;                   // rollback
  std::string reason;               // all but advance: not empty, kUsage
  std::string actor;                // empty: the caller's git identity
};
struct PhaseMoveReport {
  Workflow workflow;  // as it is then
  std::string from;
  std::string to;      // "" behind the last
  bool moved = false;  // false: a gate does not hold; that is on record
  std::vector<PhaseEvidence> gates;
  std::vector<std::string> not_judged;  // commands that were not run, because another gate says no
  std::vector<TxnId> cancelled;         // rollback
};
enum class PhaseVerb {
  kAdvance,
  kSkip,      // past the open phase without working it; kRefused: it has gates
  kOverride,  // past gates that do not hold, which is on record with who and why
  kRollback,  // back to an earlier phase
  kCancel,    // see cancel_workflow
};
// All but a cancellation. kUsage: it is finished. kStale: somebody moved it meanwhile. kBusy: a
// landing of it takes long, or the branch keeps moving.
//
// An override runs no command: what has no certificate for the head does not hold. kUsage: every
// gate holds. With a rollback the unfinished transactions of the later phases are aborted with the
// reason, their work is kept, and what runs in them is ended by whoever runs it.
Result<PhaseMoveReport> move_workflow(State& state, PhaseVerb verb, const PhaseMoveRequest& request,
                                      const Progress& progress);

// Its end before the last phase was left: nothing is begun in it and nothing moves it any more. Its
// unfinished transactions are left alone; who runs one is told, and none of them lands. There is no
// verb that finishes a workflow early: past a gate there is only an override, phase by phase.
struct CancelReport {
  Workflow workflow;
  bool already = false;         // somebody cancelled it before, and that is what it stays
  std::vector<Txn> unfinished;  // in the order of its phases
};
// The request's reason may be empty. kUsage: it is finished. kBusy: a landing of it takes long.
Result<CancelReport> cancel_workflow(State& state, const PhaseMoveRequest& request,
                                     const Progress& progress);

// Of the open phase in its present version, which is filled in; an empty actor is the caller's git
// identity. kUsage: no gate of it asks for that verdict.
Result<PhaseVerdict> give_verdict(State& state, const std::string& id, PhaseVerdict verdict);

}  // namespace gittxn::api
