#include "model/workflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json_value.h"
#include "model/codec.h"
#include "model/names.h"

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

Result<PhaseGate::Kind> gate_kind_from_name(std::string_view name) {
  using Kind = PhaseGate::Kind;
  for (const Kind kind :
       {Kind::kRun, Kind::kArtifact, Kind::kTransactions, Kind::kVerdict, Kind::kMembers}) {
    if (phase_gate_kind_name(kind) == name) return kind;
  }
  return fail(Code::kCorrupt, fmt::format("unknown kind of gate '{}'", name));
}

Json to_json(const Phase& phase) {
  return Json{{"name", encode_path(phase.name)},
              {"state", phase_state_name(phase.state)},
              {"version", phase.version}};
}

Result<Phase> phase_from_json(const Json& json) {
  Fields fields(json, "phase");
  Phase phase;
  fields.text("name", phase.name);
  fields.choice("state", phase.state, phase_state_from_name);
  fields.integer("version", phase.version);
  TRY(fields.done());
  return phase;
}

Result<Cancelled> cancelled_from_json(const Json& json) {
  Fields fields(json, "cancelled");
  Cancelled cancelled;
  fields.text("actor", cancelled.actor);
  fields.text("reason", cancelled.reason);
  TRY(fields.done());
  return cancelled;
}

std::string subject_of(KernelSubject::Kind kind, const WorkflowId& id, std::string_view phase) {
  std::string text = fmt::format("{}:{}", name_in(kSubjects, kind), id.str());
  return phase.empty() ? text : fmt::format("{}/{}", text, phase);
}

}  // namespace

std::string_view phase_state_name(PhaseState state) {
  return name_in(kPhaseStates, state);
}
Result<PhaseState> phase_state_from_name(std::string_view name) {
  return value_in(kPhaseStates, "state of a phase", name);
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
  const auto found = std::ranges::find(phases, wanted, &Phase::name);
  if (found == phases.end() || found + 1 == phases.end()) return nullptr;
  return &*(found + 1);
}

bool is_workflow_name(std::string_view name) {
  const auto alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= kMaxWorkflowName && alnum(name.front()) &&
         std::ranges::all_of(name,
                             [&](char c) { return alnum(c) || c == '.' || c == '_' || c == '-'; });
}

Json to_json(const Workflow& workflow) {
  Json phases = Json::array();
  for (const Phase& phase : workflow.phases) phases.push_back(to_json(phase));
  Json json{{"id", encode_path(workflow.id.str())},         {"name", encode_path(workflow.name)},
            {"branch", encode_path(workflow.branch.str())}, {"phases", std::move(phases)},
            {"actor", encode_path(workflow.actor)},         {"version", workflow.version}};
  if (workflow.cancelled) {
    json["cancelled"] = Json{{"actor", encode_path(workflow.cancelled->actor)},
                             {"reason", encode_path(workflow.cancelled->reason)}};
  }
  return json;
}

Result<Workflow> workflow_from_json(const Json& json) {
  Fields fields(json, "workflow");
  Workflow workflow;
  fields.name("id", workflow.id);
  fields.text("name", workflow.name);
  fields.name("branch", workflow.branch);
  fields.list("phases", workflow.phases, phase_from_json);
  fields.text("actor", workflow.actor);
  fields.integer("version", workflow.version);
  if (const auto found = json.find("cancelled"); fields.has("cancelled")) {
    workflow.cancelled = TRY(cancelled_from_json(*found));
  }
  TRY(fields.done());
  return workflow;
}

Json to_json(const PhaseEvidence& evidence) {
  return Json{{"phase", encode_path(evidence.phase)},
              {"version", evidence.version},
              {"gate", encode_path(evidence.gate.str())},
              {"kind", phase_gate_kind_name(evidence.kind)},
              {"gate_version", encode_path(evidence.gate_version.str())},
              {"head", evidence.head.str()},
              {"passed", evidence.passed},
              {"why", encode_path(evidence.why)},
              {"certificate", encode_path(evidence.certificate.str())}};
}

Result<PhaseEvidence> phase_evidence_from_json(const Json& json) {
  Fields fields(json, "what a gate said");
  PhaseEvidence evidence;
  fields.text("phase", evidence.phase);
  fields.integer("version", evidence.version);
  fields.name("gate", evidence.gate);
  fields.choice("kind", evidence.kind, gate_kind_from_name);
  fields.name("gate_version", evidence.gate_version);
  fields.oid("head", evidence.head);
  fields.boolean("passed", evidence.passed);
  fields.text("why", evidence.why);
  fields.name("certificate", evidence.certificate);
  TRY(fields.done());
  return evidence;
}

Json to_json(const PhaseVerdict& verdict) {
  return Json{{"phase", encode_path(verdict.phase)}, {"version", verdict.version},
              {"name", encode_path(verdict.name)},   {"passed", verdict.passed},
              {"actor", encode_path(verdict.actor)}, {"note", encode_path(verdict.note)}};
}

Result<PhaseVerdict> phase_verdict_from_json(const Json& json) {
  Fields fields(json, "verdict");
  PhaseVerdict verdict;
  fields.text("phase", verdict.phase);
  fields.integer("version", verdict.version);
  fields.text("name", verdict.name);
  fields.boolean("passed", verdict.passed);
  fields.text("actor", verdict.actor);
  fields.text("note", verdict.note);
  TRY(fields.done());
  return verdict;
}

Json to_json(const PhaseMember& member) {
  return Json{{"workflow", encode_path(member.workflow.str())},
              {"phase", encode_path(member.phase)},
              {"workflow_version", member.workflow_version},
              {"phase_version", member.phase_version},
              {"gates", encode_path(member.gates.str())}};
}

Result<PhaseMember> phase_member_from_json(const Json& json) {
  Fields fields(json, "member of a phase");
  PhaseMember member;
  fields.name("workflow", member.workflow);
  fields.text("phase", member.phase);
  fields.integer("workflow_version", member.workflow_version);
  fields.integer("phase_version", member.phase_version);
  fields.name("gates", member.gates);
  TRY(fields.done());
  return member;
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
