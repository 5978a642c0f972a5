#include "model/policy.h"

#include "base/json_value.h"
#include "model/codec.h"
#include "model/names.h"

namespace gittxn {
namespace {

constexpr NameTable<PhaseGate::Kind, 5> kPhaseGateKinds{{
    {PhaseGate::Kind::kRun, "run"},
    {PhaseGate::Kind::kArtifact, "artifact"},
    {PhaseGate::Kind::kTransactions, "transactions"},
    {PhaseGate::Kind::kVerdict, "verdict"},
    {PhaseGate::Kind::kMembers, "members"},
}};

constexpr NameTable<OnClose, 2> kOnClose{{
    {OnClose::kDrop, "drop"},
    {OnClose::kCarry, "carry"},
}};

template <typename Spec>
const Spec* named(const std::vector<Spec>& specs, std::string_view name) {
  for (const Spec& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace

std::string_view phase_gate_kind_name(PhaseGate::Kind kind) {
  return name_in(kPhaseGateKinds, kind);
}
std::string_view on_close_name(OnClose action) {
  return name_in(kOnClose, action);
}
Result<OnClose> on_close_from_name(std::string_view name) {
  return value_in(kOnClose, "action", name);
}

const PhaseSpec* WorkflowSpec::phase(std::string_view wanted) const {
  return named(phases, wanted);
}
const WorkflowSpec* Policy::workflow(std::string_view name) const {
  return named(workflows, name);
}

Json to_json(const Certificate& certificate) {
  return Json{{"gate", encode_path(certificate.gate.str())},
              {"gate_version", encode_path(certificate.gate_version.str())},
              {"tree", certificate.tree.str()},
              {"parent", certificate.parent.str()},
              {"tool_env", encode_path(certificate.tool_env.str())},
              {"inputs", encode_path(certificate.inputs.str())},
              {"passed", certificate.passed},
              {"exit_status", certificate.exit_status},
              {"timed_out", certificate.timed_out},
              {"output", encode_path(certificate.output.str())},
              {"duration_ms", certificate.duration_ms},
              {"txn", encode_path(certificate.txn.str())}};
}

Result<Certificate> certificate_from_json(const Json& json) {
  Fields fields(json, "certificate");
  Certificate certificate;
  fields.name("gate", certificate.gate);
  fields.name("gate_version", certificate.gate_version);
  fields.oid("tree", certificate.tree);
  fields.oid("parent", certificate.parent);
  fields.name("tool_env", certificate.tool_env);
  fields.name("inputs", certificate.inputs);
  fields.boolean("passed", certificate.passed);
  fields.integer("exit_status", certificate.exit_status);
  fields.boolean("timed_out", certificate.timed_out);
  fields.name("output", certificate.output);
  fields.integer("duration_ms", certificate.duration_ms);
  fields.name("txn", certificate.txn);
  TRY(fields.done());
  return certificate;
}

}  // namespace gittxn
