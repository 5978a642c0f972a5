// [workflow.NAME]: its phases in order, their gates, and what becomes of a transaction whose phase
// was left before it landed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>

#include "gates/policy_rules.h"
#include "gates/policy_toml.h"

namespace gittxn::gates {
namespace {

using namespace policy_toml;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kMaxWorkflows = 64;
constexpr std::size_t kMaxPhases = 64;
constexpr std::size_t kMaxPhaseGates = 256;  // of one workflow

std::string phases_of(const WorkflowSpec& workflow) {
  std::vector<std::string_view> names;
  for (const PhaseSpec& phase : workflow.phases) names.push_back(phase.name);
  return fmt::format("its phases are {}", fmt::join(names, ", "));
}

PhaseSpec* find_phase(WorkflowSpec& workflow, std::string_view name) {
  const auto found = std::ranges::find(workflow.phases, name, &PhaseSpec::name);
  return found == workflow.phases.end() ? nullptr : &*found;
}

Status read_phases(const toml::node& node, WorkflowSpec& workflow) {
  for (const auto& item : *TRY(list_of(node, "phases"))) {
    std::string name = TRY(text_of(item, "each entry of phases"));
    TRY(check_name(item.source(), "phase", name, workflow_name_problem));
    if (find_phase(workflow, name) != nullptr) {
      return bad(item.source(), fmt::format("phase '{}' is there twice", name));
    }
    PhaseSpec phase;
    phase.name = std::move(name);
    workflow.phases.push_back(std::move(phase));
  }
  if (workflow.phases.empty()) return bad(node.source(), "phases is empty");
  if (workflow.phases.size() > kMaxPhases) {
    return bad(node.source(), fmt::format("more than {} phases", kMaxPhases));
  }
  return {};
}

// run, artifact, transactions, verdict or members: exactly one of them.
Result<PhaseGate::Kind> kind_of(const toml::table& table, const std::string& where) {
  using Kind = PhaseGate::Kind;
  std::optional<Kind> kind;
  for (const Kind one :
       {Kind::kRun, Kind::kArtifact, Kind::kTransactions, Kind::kVerdict, Kind::kMembers}) {
    if (table.get(phase_gate_kind_name(one)) == nullptr) continue;
    if (kind)
      return bad(table.source(),
                 where + " has more than one of run, artifact, transactions, verdict, members");
    kind = one;
  }
  if (kind) return *kind;
  return bad(table.source(), where + " says nothing that must hold",
             "add run = \"make test\", artifact = \"docs/plan.md\", transactions = \"complete\", "
             "verdict = \"review\" or members = \"feature\"");
}

Status read_subject(const toml::table& table, const std::string& where, PhaseGate& gate) {
  const std::string key(phase_gate_kind_name(gate.kind));
  const toml::node& node = *table.get(key);
  std::string text = TRY(text_of(node, key));
  if (gate.kind == PhaseGate::Kind::kTransactions) {
    if (text == "complete") return {};
    return bad(node.source(), fmt::format("transactions cannot be '{}' in {}", text, where),
               "write transactions = \"complete\"");
  }
  if (gate.kind == PhaseGate::Kind::kArtifact) {
    if (auto why = path_problem(text)) {
      return bad(node.source(), fmt::format("artifact '{}' {}", text, *why),
                 "write a path inside the repository, such as \"docs/plan.md\"");
    }
    while (text.ends_with('/')) text.pop_back();
  } else if (gate.kind == PhaseGate::Kind::kMembers) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string rest = slash == text.size() ? text : text.substr(slash + 1);
    for (const std::string& name : {text.substr(0, slash), rest}) {
      if (auto why = workflow_name_problem(name)) {
        return bad(node.source(), fmt::format("members: '{}' {}", name, *why),
                   "write a workflow, or a workflow and a phase of it: \"feature/build\"");
      }
    }
  } else {
    TRY(check_name(node.source(), "verdict", text, workflow_name_problem));
  }
  gate.subject = std::move(text);
  return {};
}

Status read_gate(const toml::table& table, WorkflowSpec& workflow) {
  const std::string where = fmt::format("[[workflow.{}.gate]]", workflow.name);
  TRY(only_known(table, where,
                 {"phase", "name", "run", "artifact", "transactions", "verdict", "members",
                  "timeout", "env"}));
  const toml::node* of = table.get("phase");
  const toml::node* name = table.get("name");
  if (of == nullptr || name == nullptr) {
    return bad(table.source(), where + " needs phase and name",
               "add phase = \"build\" and name = \"test\"");
  }
  const std::string phase_name = TRY(text_of(*of, "phase"));
  PhaseSpec* phase = find_phase(workflow, phase_name);
  if (phase == nullptr) {
    return bad(of->source(),
               fmt::format("workflow '{}' has no phase '{}'", workflow.name, phase_name),
               phases_of(workflow));
  }
  PhaseGate gate;
  std::string text = TRY(text_of(*name, "name"));
  TRY(check_name(name->source(), "gate name", text, gate_name_problem));
  for (const PhaseGate& known : phase->gates) {
    if (known.gate.name.str() != text) continue;
    return bad(name->source(),
               fmt::format("gate '{}' of phase '{}' is defined twice", text, phase->name));
  }
  gate.gate.name = GateName(std::move(text));
  gate.kind = TRY(kind_of(table, where));
  const toml::node* timeout = table.get("timeout");
  const toml::node* env = table.get("env");
  if (gate.kind == PhaseGate::Kind::kRun) {
    gate.gate.command = TRY(command_of(*table.get("run"), "run"));
    if (timeout != nullptr) gate.gate.timeout_ms = TRY(timeout_of(*timeout));
    if (env != nullptr) gate.gate.env = TRY(env_of(*env));
    gate.gate.version = gate_version(gate.gate);
  } else {
    if (timeout != nullptr || env != nullptr) {
      return bad(table.source(), where + " runs nothing, so it has neither timeout nor env");
    }
    TRY(read_subject(table, where, gate));
    gate.gate.version = phase_gate_version(gate);
  }
  phase->gates.push_back(std::move(gate));
  return {};
}

// [workflow.NAME.on_close]: a phase and what it is.
Status read_on_close(const toml::node& node, WorkflowSpec& workflow) {
  const auto* table = node.as_table();
  if (table == nullptr) {
    return bad(node.source(), "on_close must be a table", "write on_close = { build = \"carry\" }");
  }
  for (const auto& [key, value] : *table) {
    PhaseSpec* phase = find_phase(workflow, key.str());
    if (phase == nullptr) {
      return bad(key.source(),
                 fmt::format("workflow '{}' has no phase '{}'", workflow.name, key.str()),
                 phases_of(workflow));
    }
    const std::string text = TRY(text_of(value, "on_close"));
    const auto action = on_close_from_name(text);
    if (!action) {
      return bad(value.source(), fmt::format("on_close cannot be '{}'", text),
                 "write \"drop\" or \"carry\"");
    }
    phase->on_close = *action;
  }
  return {};
}

Result<WorkflowSpec> workflow_of(const toml::key& key, const toml::node& node) {
  WorkflowSpec workflow;
  workflow.name = std::string(key.str());
  TRY(check_name(key.source(), "workflow", workflow.name, workflow_name_problem));
  const auto* table =
      TRY(table_with(key.source(), node, fmt::format("[workflow.{}]", workflow.name),
                     "write phases = [\"plan\", \"build\"]", {"phases", "gate", "on_close"}));
  TRY(read_phases(*table->get("phases"), workflow));
  if (const toml::node* gates = table->get("gate")) {
    const auto tables = TRY(tables_of(*gates, fmt::format("workflow.{}.gate", workflow.name)));
    if (tables.size() > kMaxPhaseGates) {
      return bad(gates->source(), fmt::format("more than {} gates", kMaxPhaseGates));
    }
    for (const auto* gate : tables) TRY(read_gate(*gate, workflow));
  }
  if (const toml::node* on_close = table->get("on_close")) TRY(read_on_close(*on_close, workflow));
  for (PhaseSpec& phase : workflow.phases) phase.version = phase_version(phase);
  return workflow;
}

}  // namespace

Status read_workflows(const toml::node& node, Policy& policy) {
  const auto* tables = TRY(named_tables(node, {"workflow.NAME", "workflows", kMaxWorkflows}));
  for (const auto& [key, value] : *tables) policy.workflows.push_back(TRY(workflow_of(key, value)));
  std::ranges::sort(policy.workflows, {}, &WorkflowSpec::name);
  return {};
}

}  // namespace gittxn::gates
