// [[gate]] of .gittxn.toml.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "gates/generated.h"
#include "gates/policy_rules.h"
#include "gates/policy_toml.h"
#include "gates/units/names.h"

namespace gittxn::gates {
namespace {

using namespace policy_toml;  // NOLINT(google-build-using-namespace)

constexpr Range kJobs{1, 1024}, kRetries{0, 10};

// A name stands for itself; one with a star for the files of the candidate that it matches.
std::optional<std::string> unit_problem(std::string_view unit) {
  if (unit.contains('*')) return glob_problem(unit);
  if (unit.empty()) return "is empty";
  if (unit.starts_with('-')) return "would be an option of the command";
  return std::nullopt;
}

std::optional<std::string> cache_problem(std::string_view path) {
  const bool whole = path.starts_with('/') && path.size() > 1;
  const bool below_home = path.starts_with("~/") && path.size() > 2;
  if (!whole && !below_home) return "is neither absolute nor below ~/";
  return std::nullopt;
}

Status read_units(const toml::table& table, const toml::node& node, GateSpec& gate) {
  UnitsSpec units;
  if (node.is_string()) {
    units.list = TRY(command_of(node, "units"));
  } else {
    units.names = TRY(texts_of(node, "units", unit_problem,
                               "write a name, or a glob such as \"tests/**/test_*.py\""));
    if (units.names.empty()) return bad(node.source(), "units names none");
  }
  for (const char* key : {"setup", "build"}) {
    if (const auto* at = table.get(key)) units.prepare.push_back(TRY(command_of(*at, key)));
  }
  if (const auto* at = table.get("caches")) {
    units.caches = TRY(
        texts_of(*at, "caches", cache_problem, "write a directory such as \"~/.cache/go-build\""));
  }
  if (const auto* at = table.get("jobs")) units.jobs = TRY(number_of(*at, "jobs", kJobs));
  if (const auto* at = table.get("network")) units.network = TRY(flag_of(*at, "network"));
  gate.units = std::move(units);
  const auto* run = table.get("run");
  if (const auto why = unit_command_problem(gate.command)) {
    return bad(run->source(), fmt::format("run of gate '{}' {}", gate.name.str(), *why),
               "write an array such as [\"python3\", \"-m\", \"pytest\", \"{unit}\"]");
  }
  return {};
}

Status refuse_without_units(const toml::table& table) {
  for (const char* key : {"setup", "build", "caches", "jobs", "network"}) {
    const auto* at = table.get(key);
    if (at == nullptr) continue;
    return bad(at->source(), fmt::format("{} is for a gate with units", key),
               "add units, or make it part of run");
  }
  return {};
}

Status read_flaky(const toml::node& node, GateSpec& gate) {
  const std::string text = TRY(text_of(node, "flaky"));
  if (text != "block" && text != "allow") {
    return bad(node.source(), "flaky must be \"block\" or \"allow\"");
  }
  gate.allow_flaky = text == "allow";
  if (gate.retries > 0) return {};
  return bad(node.source(), "without retries no failure of the gate is found to be flaky",
             "add retries = 2");
}

Result<GateSpec> gate_of(const toml::table& table) {
  TRY(only_known(table, "[[gate]]",
                 {"name", "run", "timeout", "env", "carry", "retries", "flaky", "units", "setup",
                  "build", "caches", "jobs", "network"}));
  GateSpec gate;
  const toml::node* name = table.get("name");
  if (!name) return bad(table.source(), "a [[gate]] needs a name", "add name = \"test\"");
  std::string text = TRY(text_of(*name, "name"));
  TRY(check_name(name->source(), "gate name", text, gate_name_problem));
  gate.name = GateName(text);
  const toml::node* run = table.get("run");
  if (!run) {
    return bad(table.source(), fmt::format("gate '{}' has no run", text),
               "add run = \"make test\"");
  }
  gate.command = TRY(command_of(*run, "run"));
  if (const auto* node = table.get("timeout")) gate.timeout_ms = TRY(timeout_of(*node));
  if (const auto* node = table.get("env")) gate.env = TRY(env_of(*node));
  if (const auto* node = table.get("carry")) gate.carry = TRY(flag_of(*node, "carry"));
  if (const auto* node = table.get("retries")) {
    gate.retries = TRY(number_of(*node, "retries", kRetries));
  }
  if (const auto* node = table.get("flaky")) TRY(read_flaky(*node, gate));
  if (const auto* node = table.get("units")) {
    TRY(read_units(table, *node, gate));
  } else {
    TRY(refuse_without_units(table));
  }
  gate.version = gate_version(gate);
  return gate;
}

}  // namespace

Status read_gates(const toml::node& node, Policy& policy) {
  std::set<std::string> seen;
  for (const auto* table : TRY(tables_of(node, "gate"))) {
    GateSpec gate = TRY(gate_of(*table));
    if (!seen.insert(gate.name.str()).second) {
      return bad(table->source(), fmt::format("gate '{}' is defined twice", gate.name.str()));
    }
    policy.gates.push_back(std::move(gate));
    if (policy.gates.size() > kMaxGates) {
      return bad(table->source(), fmt::format("more than {} gates", kMaxGates));
    }
  }
  return {};
}

}  // namespace gittxn::gates
