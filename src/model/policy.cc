#include "model/policy.h"

#include "model/fields.h"

namespace gittxn {
namespace {

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

bool covers(std::string_view prefix, std::string_view path) {
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (prefix.empty() || path == prefix) return true;
  return path.starts_with(prefix) && path[prefix.size()] == '/';
}

const PhaseSpec* WorkflowSpec::phase(std::string_view wanted) const {
  return named(phases, wanted);
}
const WorkflowSpec* Policy::workflow(std::string_view name) const {
  return named(workflows, name);
}

void fields(FieldIo& io, UnitTally& tally) {
  io.thing("units");
  io.integer("units", tally.units);
  io.integer({"ran", "in this run"}, tally.ran);
  io.integer({"carried", "the rest was not looked at, after one that failed"}, tally.carried);
  io.integer("failed", tally.failed);
  io.integer({"flaky", "that passed after they had failed"}, tally.flaky);
  io.integer({"quarantined", "of those that failed"}, tally.quarantined);
  io.integer({"saved_ms", "what those that did not run took when they did"}, tally.saved_ms);
  io.text({"first_failed", "its name"}, tally.first_failed);
}

void fields(FieldIo& io, Certificate& certificate) {
  io.thing("certificate");
  io.name("gate", certificate.gate);
  io.name("gate_version", certificate.gate_version);
  io.oid("tree", certificate.tree);
  io.oid("parent", certificate.parent);
  io.name("tool_env", certificate.tool_env);
  io.name("inputs", certificate.inputs);
  io.boolean("passed", certificate.passed);
  io.integer("exit_status", certificate.exit_status);
  io.boolean("timed_out", certificate.timed_out);
  io.name("output", certificate.output);
  io.integer("duration_ms", certificate.duration_ms);
  io.name("txn", certificate.txn);
  if (io.maybe("looks", certificate.looks)) {
    io.name({"looks", "artifact: what it looked at in the tree"}, certificate.looks);
  }
  if (io.maybe("carried_from", certificate.carried_from)) {
    io.oid({"carried_from", "the tree that the gate ran on"}, certificate.carried_from);
  }
  if (io.maybe("limited", certificate.limited)) {
    io.text({"limited", "why it counts for this run, or this tree and parent, alone"},
            certificate.limited);
  }
  if (io.maybe("elsewhere", certificate.elsewhere)) {
    io.text({"elsewhere", "a file of another checkout that it tested, so that it did not pass"},
            certificate.elsewhere);
  }
  if (io.maybe("missed", certificate.missed)) {
    io.text({"missed", "why nothing that was known counted"}, certificate.missed);
  }
  if (io.maybe("flaky", certificate.flaky)) {
    io.boolean({"flaky", "it passed after it had failed"}, certificate.flaky);
  }
  if (io.maybe({"units", "tally"}, certificate.units)) {
    io.name({"units", "artifact: what each unit said"}, certificate.units);
    io.value("tally", certificate.tally);
  }
  if (io.maybe("refused", certificate.refused)) {
    io.text({"refused", "why none of its units could be run"}, certificate.refused);
  }
}

}  // namespace gittxn
