// A workflow: an ordered chain of phases, of which one is open until the last is left.
//
//   pending ──> open ──gates hold──> done
//      ^          │ └──skip───────> skipped      (it has no gates)
//      │          └────override───> overridden   (says who and why)
//      └──────rollback to an earlier one: that is open again, the later ones are pending
//
// Cancelling the workflow leaves its open phase as `cancelled`, which is the end of both: no phase
// of it is ever open again.
//
// The workflow and each phase have a version that rises with every such move, so that what was
// decided on one can be told from what holds now; a phase that was left and opened again has
// another version. What a phase means, and what its gates are, is the policy's (model/policy.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/policy.h"

namespace gittxn {

using WorkflowId = Name<struct WorkflowIdTag>;  // "w-7k2m", unique in one repository

enum class PhaseState { kPending, kOpen, kDone, kSkipped, kOverridden, kCancelled };
std::string_view phase_state_name(PhaseState state);

struct Phase {
  std::string name;
  PhaseState state = PhaseState::kPending;
  std::int64_t version = 1;
  bool operator==(const Phase&) const = default;
};
void fields(FieldIo& io, Phase& phase);

// Who ended a workflow before its last phase was left, and why.
struct Cancelled {
  std::string actor;
  std::string reason;  // may be empty
  bool operator==(const Cancelled&) const = default;
};
void fields(FieldIo& io, Cancelled& cancelled);

struct Workflow {
  WorkflowId id;
  std::string name;  // of its definition in the policy
  RefName branch;    // whose policy and head its gates are judged on
  std::vector<Phase> phases;
  std::string actor;  // who created it
  std::int64_t version = 1;
  std::optional<Cancelled> cancelled = {};
  bool operator==(const Workflow&) const = default;

  const Phase* open() const;                          // nullptr: it is finished, or cancelled
  const Phase* phase(std::string_view wanted) const;  // nullptr: there is none
  const Phase* after(std::string_view wanted) const;  // nullptr: it is the last
};
void fields(FieldIo& io, Workflow& workflow);

// A name that a workflow, a phase or a verdict may have: letters, digits, '.', '_' and '-', at most
// 64, the first a letter or digit.
bool is_workflow_name(std::string_view name);

// What a gate of a phase said, of one head and one version of the phase.
struct PhaseEvidence {
  std::string phase;
  std::int64_t version = 0;  // of the phase
  GateName gate;
  PhaseGate::Kind kind = PhaseGate::Kind::kRun;
  Digest gate_version;
  Oid head;
  bool passed = false;
  std::string why;     // in a few words, for a person
  Digest certificate;  // kRun: SHA-256 of it as the log has it; empty: it was not run
  bool operator==(const PhaseEvidence&) const = default;
};
void fields(FieldIo& io, PhaseEvidence& evidence);

struct PhaseVerdict {
  std::string phase;
  std::int64_t version = 0;  // of the phase
  std::string name;
  bool passed = false;
  std::string actor;
  std::string note;
  bool operator==(const PhaseVerdict&) const = default;
};
void fields(FieldIo& io, PhaseVerdict& verdict);

// To which phase a transaction belongs, and which versions it was begun, or carried over, under:
// its kernel reads.
struct PhaseMember {
  WorkflowId workflow;
  std::string phase;
  std::int64_t workflow_version = 0;
  std::int64_t phase_version = 0;
  Digest gates;  // PhaseSpec::version
  bool operator==(const PhaseMember&) const = default;
};
void fields(FieldIo& io, PhaseMember& member);

// The subjects of kernel reads.
std::string workflow_subject(const WorkflowId& id);                         // "workflow:w-1"
std::string phase_subject(const WorkflowId& id, std::string_view phase);    // "phase:w-1/build"
std::string gates_subject(const WorkflowId& id, std::string_view phase);    // "gates:w-1/build"
std::string pending_subject(const WorkflowId& id, std::string_view phase);  // "pending:w-1/build"
inline constexpr std::string_view kWorkflowsSubject = "workflows";          // which there are
struct KernelSubject {
  enum class Kind { kWorkflow, kPhase, kGates, kPending, kWorkflows } kind = Kind::kWorkflow;
  WorkflowId workflow;  // empty: kWorkflows
  std::string phase;    // empty: kWorkflow, kWorkflows
};
std::optional<KernelSubject> parse_kernel_subject(std::string_view subject);

}  // namespace gittxn
