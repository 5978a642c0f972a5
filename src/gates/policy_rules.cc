#include "gates/policy_rules.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/json.h"
#include "gates/policy_file.h"
#include "model/workflow.h"
#include "store/events.h"

namespace gittxn::gates {
namespace {

// Part of every hash: raised when the meaning of the normal form changes.
constexpr int kNormalForm = 1;

bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_alnum(char c) {
  return is_alpha(c) || (c >= '0' && c <= '9');
}

Json commands_json(const std::vector<std::vector<std::string>>& commands) {
  Json array = Json::array();
  for (const auto& argv : commands) array.push_back(argv);
  return array;
}

// The number at a time is left out, as it changes no result.
Json units_json(const UnitsSpec& units) {
  return {{"list", units.list},
          {"names", units.names},
          {"prepare", commands_json(units.prepare)},
          {"sets_up", units.sets_up},
          {"caches", units.caches},
          {"network", units.network}};
}

// The commands and variables of a gate, to which its owner says yes; not its time limit.
Json trusted_gate_json(const GateSpec& gate) {
  Json json{{"gate", gate.name.str()}, {"command", gate.command}, {"env", gate.env}};
  if (gate.units) json["units"] = units_json(*gate.units);
  return json;
}

Json gate_json(const GateSpec& gate) {
  Json json{{"name", gate.name.str()},
            {"command", gate.command},
            {"timeout_ms", gate.timeout_ms},
            {"env", gate.env}};
  // Left out where they are as usual, so that versions stay.
  if (!gate.carry) json["carry"] = false;
  if (gate.fresh > 0) json["fresh"] = gate.fresh;
  if (gate.retries > 0) json["retries"] = gate.retries;
  if (gate.allow_flaky) json["flaky"] = "allow";
  if (!gate.blind.empty()) json["blind"] = gate.blind;
  if (gate.units) json["units"] = units_json(*gate.units);
  if (gate.units && gate.units->prepare_timeout_ms != gate.timeout_ms) {
    json["units"]["prepare_timeout_ms"] = gate.units->prepare_timeout_ms;
  }
  if (gate.units && gate.units->incremental) json["units"]["incremental"] = true;
  return json;
}

Json phase_json(const PhaseSpec& phase) {
  Json gates = Json::array();
  for (const PhaseGate& gate : phase.gates) {
    gates.push_back({{"kind", phase_gate_kind_name(gate.kind)},
                     {"name", gate.gate.name.str()},
                     {"version", gate.gate.version.str()}});
  }
  return Json{{"name", phase.name},
              {"on_close", on_close_name(phase.on_close)},
              {"gates", std::move(gates)}};
}

// The commands of phase gates, for the yes to them; null when there are none.
Json phase_commands(const Policy& policy) {
  Json commands;
  for (const WorkflowSpec& workflow : policy.workflows) {
    for (const PhaseSpec& phase : workflow.phases) {
      for (const PhaseGate& gate : phase.gates) {
        if (gate.kind != PhaseGate::Kind::kRun) continue;
        commands.push_back({{"workflow", workflow.name},
                            {"phase", phase.name},
                            {"gate", gate.gate.name.str()},
                            {"command", gate.gate.command},
                            {"env", gate.gate.env}});
      }
    }
  }
  return commands;
}

// git refuses these as path components; so do we, in any case, because file systems fold case.
bool is_git_dir_name(std::string_view part) {
  if (part.size() != 4 || part[0] != '.') return false;
  return (part[1] | 0x20) == 'g' && (part[2] | 0x20) == 'i' && (part[3] | 0x20) == 't';
}

Json limits_json(const Limits& limits) {
  const auto or_null = [](const std::optional<int>& limit) {
    return limit ? Json(*limit) : Json(nullptr);
  };
  return {{"concurrent", or_null(limits.concurrent)},
          {"per_owner", or_null(limits.per_owner)},
          {"depth", limits.depth}};
}

Json worktree_json(const WorktreeSpec& worktree) {
  Json json{{"copy", worktree.copy},
            {"share", worktree.share},
            {"run", commands_json(worktree.run)},
            {"ports", nullptr}};
  if (worktree.ports) {
    json["ports"] = Json::array({worktree.ports->first, worktree.ports->second});
  }
  return json;
}

Json mend_json(const MendRules& mend) {
  return {{"rename", mend.rename}, {"rerere", mend.rerere}};
}

Json proposals_json(const ProposalRules& proposals) {
  return {{"start", proposals.start},
          {"person", proposals.person},
          {"log", proposals.log},
          {"same_text", proposals.same_text},
          {"same_embedding", proposals.same_embedding}};
}

}  // namespace

std::optional<std::string> path_problem(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.front() == '/' || path.front() == '~') return "is not relative to the repository";
  if (path.find('\0') != std::string_view::npos) return "contains a NUL character";
  if (path.size() > 4096) return "is too long";
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  while (true) {
    std::size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    if (part.empty()) return "has an empty component";
    if (part == "." || part == "..") return "leaves the repository or is not written out";
    if (is_git_dir_name(part)) return "is inside a git directory";
    if (slash == std::string_view::npos) return std::nullopt;
    path.remove_prefix(slash + 1);
  }
}

std::optional<std::string> env_name_problem(std::string_view name) {
  if (name.empty() || name.size() > 128) return "is not a variable name";
  if (!is_alpha(name[0]) && name[0] != '_') return "is not a variable name";
  for (char c : name) {
    if (!is_alnum(c) && c != '_') return "is not a variable name";
  }
  // They point git at another repository, index or object store than the candidate's.
  constexpr std::array<std::string_view, 16> kRedirects = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                                           "GIT_CONFIG",
                                                           "GIT_CONFIG_PARAMETERS",
                                                           "GIT_CONFIG_COUNT",
                                                           "GIT_OBJECT_DIRECTORY",
                                                           "GIT_DIR",
                                                           "GIT_WORK_TREE",
                                                           "GIT_IMPLICIT_WORK_TREE",
                                                           "GIT_GRAFT_FILE",
                                                           "GIT_INDEX_FILE",
                                                           "GIT_NO_REPLACE_OBJECTS",
                                                           "GIT_REPLACE_REF_BASE",
                                                           "GIT_PREFIX",
                                                           "GIT_SHALLOW_FILE",
                                                           "GIT_COMMON_DIR",
                                                           "GIT_NAMESPACE"};
  if (std::find(kRedirects.begin(), kRedirects.end(), name) != kRedirects.end() ||
      name.starts_with("GIT_TXN_")) {
    return "is set by git or git-txn and cannot be passed on";
  }
  return std::nullopt;
}

std::optional<std::string> workflow_name_problem(std::string_view name) {
  if (is_workflow_name(name)) return std::nullopt;
  return "is not a name";
}

std::optional<std::string> gate_name_problem(std::string_view name) {
  if (auto why = workflow_name_problem(name)) return why;
  if (name == "pre-commit" || name == "commit-msg") return "is kept for the hook of that name";
  return std::nullopt;
}

std::optional<std::string> handled_type_problem(std::string_view type) {
  if (type.starts_with("handler.")) return "is of handlers, which would handle themselves for ever";
  const std::vector<std::string> known = store::events::types();
  if (std::find(known.begin(), known.end(), type) != known.end()) return std::nullopt;
  return "is no type of event";
}

Digest gate_version(const GateSpec& gate) {
  return sha256(canonical_json(Json{{"format", kNormalForm}, {"gate", gate_json(gate)}}));
}

Digest setup_version(const WorktreeSpec& worktree) {
  return sha256(
      canonical_json(Json{{"format", kNormalForm}, {"worktree", worktree_json(worktree)}}));
}

Digest phase_gate_version(const PhaseGate& gate) {
  return sha256(canonical_json(Json{{"format", kNormalForm},
                                    {"phase_gate",
                                     {{"name", gate.gate.name.str()},
                                      {"kind", phase_gate_kind_name(gate.kind)},
                                      {"subject", encode_path(gate.subject)}}}}));
}

Digest phase_version(const PhaseSpec& phase) {
  return sha256(canonical_json(Json{{"format", kNormalForm}, {"phase", phase_json(phase)}}));
}

namespace {

Json rules_json(const std::vector<PathRule>& all) {
  Json rules = Json::array();
  for (const auto& rule : all) {
    rules.push_back({{"path", rule.prefix}, {"isolation", isolation_name(rule.isolation)}});
  }
  // Only the highest level counts, so their order means nothing.
  std::ranges::sort(rules, {}, [](const Json& rule) {
    return std::pair(rule["isolation"].text(), rule["path"].text());
  });
  return rules;
}

}  // namespace

void seal_policy(Policy& policy) {
  Json gates = Json::array();
  Json commands = Json::array();
  for (const auto& gate : policy.gates) {
    gates.push_back(gate_json(gate));
    commands.push_back(trusted_gate_json(gate));
  }
  Json whole{{"format", kNormalForm},
             {"gates", gates},
             {"rules", rules_json(policy.rules)},
             {"worktree", worktree_json(policy.worktree)},
             {"isolation", isolation_name(policy.default_isolation.value_or(kDefaultIsolation))}};
  // Left out where there is none, so that a policy without them keeps its hash.
  for (const auto& file : policy.generated) {
    whole["generated"].push_back({{"artifact", file.artifact}, {"from", file.from}});
  }
  for (const QuestionRule& rule : policy.questions) whole["questions"].push_back(rule.command);
  for (const Quarantine& one : policy.quarantine) {
    whole["quarantine"].push_back(
        {{"gate", one.gate.str()}, {"unit", encode_path(one.unit)}, {"until", one.until}});
  }
  for (const std::string& prefix : policy.listings) whole["listings"].push_back(prefix);
  if (policy.mend != MendRules{}) whole["mend"] = mend_json(policy.mend);
  if (!policy.rejudge) whole["rejudge"] = "deny";
  if (const Policy usual; policy.patience_ms != usual.patience_ms) {
    whole["patience_ms"] = policy.patience_ms;
  }
  if (policy.limits != Limits{}) whole["limits"] = limits_json(policy.limits);
  if (const ProposalRules& proposals = policy.proposals; proposals != ProposalRules{}) {
    whole["proposals"] = proposals_json(proposals);
  }
  for (const auto& workflow : policy.workflows) {
    Json phases = Json::array();
    for (const auto& phase : workflow.phases) phases.push_back(phase_json(phase));
    whole["workflows"].push_back({{"name", workflow.name}, {"phases", std::move(phases)}});
  }
  const Json in_phases = phase_commands(policy);
  Json trusted{{"format", kNormalForm},
               {"gates", commands},
               {"worktree", commands_json(policy.worktree.run)}};
  if (!in_phases.empty()) trusted["workflows"] = in_phases;
  for (const HandlerSpec& handler : policy.handlers) {
    Json on{{"name", handler.name}, {"on", handler.type}, {"command", handler.command}};
    trusted["handlers"].push_back(on);
    on["timeout_ms"] = handler.timeout_ms;
    whole["handlers"].push_back(std::move(on));
  }
  policy.version = sha256(canonical_json(whole));
  policy.trust_hash = Digest();
  if (commands.empty() && in_phases.empty() && policy.worktree.run.empty() &&
      policy.handlers.empty()) {
    return;
  }
  policy.trust_hash = sha256(canonical_json(trusted));
}

Isolation required_isolation(const Policy& policy, Isolation asked,
                             const std::vector<std::string>& paths) {
  Isolation level = asked;
  for (const auto& rule : policy.rules) {
    if (rule.isolation <= level) continue;  // rules raise, never lower
    const bool touched = std::ranges::any_of(
        paths, [&](const std::string& path) { return covers(rule.prefix, path); });
    if (touched) level = rule.isolation;
  }
  return level;
}

}  // namespace gittxn::gates
