#include "model/workflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/fields.h"

namespace gittxn {
namespace {

constexpr NameTable<PhaseState, 6> kPhaseStates{{
    {PhaseState::kPending, "pending"},
    {PhaseState::kOpen, "open"},
    {PhaseState::kDone, "done"},
    {PhaseState::kSkipped, "skipped"},
    {PhaseState::kOverridden, "overridden"},
    {PhaseState::kCancelled, "cancelled"},
}};

constexpr NameTable<KernelSubject::Kind, 5> kSubjects{{
    {KernelSubject::Kind::kWorkflow, "workflow"},
    {KernelSubject::Kind::kPhase, "phase"},
    {KernelSubject::Kind::kGates, "gates"},
    {KernelSubject::Kind::kPending, "pending"},
    {KernelSubject::Kind::kWorkflows, kWorkflowsSubject},
}};

constexpr std::size_t kMaxWorkflowName = 64;

std::string subject_of(KernelSubject::Kind kind, const WorkflowId& id, std::string_view phase) {
  std::string text = fmt::format("{}:{}", name_in(kSubjects, kind), id.str());
  return phase.empty() ? text : fmt::format("{}/{}", text, phase);
}

}  // namespace

std::string_view phase_state_name(PhaseState state) {
  return name_in(kPhaseStates, state);
}

const Phase* Workflow::open() const {
  const auto found = std::ranges::find(phases, PhaseState::kOpen, &Phase::state);
  return found == phases.end() ? nullptr : &*found;
}

const Phase* Workflow::phase(std::string_view wanted) const {
  const auto found = std::ranges::find(phases, wanted, &Phase::name);
  return found == phases.end() ? nullptr : &*found;
}

const Phase* Workflow::after(std::string_view wanted) const {
  const Phase* found = phase(wanted);
  return found == nullptr || found == &phases.back() ? nullptr : found + 1;
}

bool is_workflow_name(std::string_view name) {
  const auto alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= kMaxWorkflowName && alnum(name.front()) &&
         std::ranges::all_of(name,
                             [&](char c) { return alnum(c) || c == '.' || c == '_' || c == '-'; });
}

void fields(FieldIo& io, Phase& phase) {
  io.thing("phase");
  io.text("name", phase.name);
  io.choice("state", phase.state, kPhaseStates);
  io.integer("version", phase.version, kPositive);
}

void fields(FieldIo& io, Cancelled& cancelled) {
  io.thing("cancelled");
  io.text("actor", cancelled.actor);
  io.text("reason", cancelled.reason);
}

void fields(FieldIo& io, Workflow& workflow) {
  io.thing("workflow");
  io.name("id", workflow.id);
  io.text("name", workflow.name);
  io.name("branch", workflow.branch);
  io.list("phases", workflow.phases);
  io.text("actor", workflow.actor);
  io.integer("version", workflow.version, kPositive);
  if (io.maybe("cancelled", workflow.cancelled)) io.value("cancelled", *workflow.cancelled);
}

void fields(FieldIo& io, PhaseEvidence& evidence) {
  io.thing("what a gate said");
  io.text("phase", evidence.phase);
  io.integer("version", evidence.version, kPositive);
  io.name("gate", evidence.gate);
  io.choice("kind", evidence.kind, kPhaseGateKinds);
  io.name("gate_version", evidence.gate_version);
  io.oid("head", evidence.head);
  io.boolean("passed", evidence.passed);
  io.text("why", evidence.why);
  io.name({"certificate", "\"\" unless `run`"}, evidence.certificate);
}

void fields(FieldIo& io, PhaseVerdict& verdict) {
  io.thing("verdict");
  io.text("phase", verdict.phase);
  io.integer({"version", "of the phase"}, verdict.version, kPositive);
  io.text("name", verdict.name);
  io.boolean("passed", verdict.passed);
  io.text("actor", verdict.actor);
  io.text("note", verdict.note);
}

void fields(FieldIo& io, PhaseMember& member) {
  io.thing("member of a phase");
  io.name("workflow", member.workflow);
  io.text("phase", member.phase);
  io.integer("workflow_version", member.workflow_version, kPositive);
  io.integer("phase_version", member.phase_version, kPositive);
  io.name({"gates", "hash of the phase's definition"}, member.gates);
}

std::string workflow_subject(const WorkflowId& id) {
  return subject_of(KernelSubject::Kind::kWorkflow, id, {});
}
std::string phase_subject(const WorkflowId& id, std::string_view phase) {
  return subject_of(KernelSubject::Kind::kPhase, id, phase);
}
std::string gates_subject(const WorkflowId& id, std::string_view phase) {
  return subject_of(KernelSubject::Kind::kGates, id, phase);
}
std::string pending_subject(const WorkflowId& id, std::string_view phase) {
  return subject_of(KernelSubject::Kind::kPending, id, phase);
}

std::optional<KernelSubject> parse_kernel_subject(std::string_view subject) {
  if (subject == kWorkflowsSubject) return KernelSubject{KernelSubject::Kind::kWorkflows, {}, {}};
  const std::size_t colon = subject.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  for (const auto& [kind, name] : kSubjects) {
    if (name != subject.substr(0, colon) || kind == KernelSubject::Kind::kWorkflows) continue;
    std::string_view rest = subject.substr(colon + 1);
    const std::size_t slash = rest.find('/');
    KernelSubject parsed;
    parsed.kind = kind;
    parsed.workflow = WorkflowId(std::string(rest.substr(0, slash)));
    if (slash != std::string_view::npos) parsed.phase = std::string(rest.substr(slash + 1));
    const bool of_phase = kind != KernelSubject::Kind::kWorkflow;
    const bool whole = is_workflow_name(parsed.workflow.str()) &&
                       of_phase == (slash != std::string_view::npos) &&
                       (!of_phase || is_workflow_name(parsed.phase));
    if (!whole) return std::nullopt;
    return parsed;
  }
  return std::nullopt;
}

}  // namespace gittxn
