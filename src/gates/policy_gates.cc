// [[gate]] of .gittxn.toml.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "gates/evidence/carry.h"
#include "gates/generated.h"
#include "gates/policy_rules.h"
#include "gates/policy_toml.h"
#include "gates/units/names.h"
#include "gates/units/presets.h"

namespace gittxn::gates {
namespace {

using namespace policy_toml;  // NOLINT(google-build-using-namespace)

constexpr Range kJobs{1, 1024}, kRetries{0, 10}, kFresh{0, 1'000'000};

// A gate of units for a runner of tests; each key of it that is given otherwise stands.
Result<GateSpec> preset_of(const toml::node& node) {
  const std::string name = TRY(text_of(node, "preset"));
  for (const GatePreset& preset : gate_presets()) {
    if (preset.name == name) return preset.gate;
  }
  std::vector<std::string_view> known;
  for (const GatePreset& preset : gate_presets()) known.push_back(preset.name);
  return bad(node.source(), fmt::format("there is no preset '{}'", name),
             fmt::format("the presets are {}", fmt::join(known, ", ")));
}

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

Status read_names(const toml::node& node, UnitsSpec& units) {
  units.list.clear();
  units.names.clear();
  if (node.is_string()) {
    units.list = TRY(command_of(node, "units"));
    return {};
  }
  units.names = TRY(texts_of(node, "units", unit_problem,
                             "write a name, or a glob such as \"tests/**/test_*.py\""));
  if (units.names.empty()) return bad(node.source(), "units names none");
  return {};
}

// The keys of a gate of units, over those of its preset.
Status read_units(const toml::table& table, GateSpec& gate) {
  UnitsSpec units = gate.units.value_or(UnitsSpec());
  if (const auto* at = table.get("units")) TRY(read_names(*at, units));
  if (table.contains("setup") || table.contains("build")) {
    units.prepare.clear();
    units.sets_up = table.contains("setup");
  }
  for (const char* key : {"setup", "build"}) {
    if (const auto* at = table.get(key)) units.prepare.push_back(TRY(command_of(*at, key)));
  }
  units.prepare_timeout_ms = gate.timeout_ms;
  if (const auto* at = table.get("build_timeout")) {
    units.prepare_timeout_ms = TRY(timeout_of(*at, "build_timeout"));
  }
  if (const auto* at = table.get("incremental")) {
    units.incremental = TRY(flag_of(*at, "incremental"));
  }
  if (const auto* at = table.get("caches")) {
    units.caches = TRY(
        texts_of(*at, "caches", cache_problem, "write a directory such as \"~/.cache/go-build\""));
  }
  if (const auto* at = table.get("jobs")) units.jobs = TRY(number_of(*at, "jobs", kJobs));
  if (const auto* at = table.get("network")) units.network = TRY(flag_of(*at, "network"));
  gate.units = std::move(units);
  if (const auto why = unit_command_problem(gate.command)) {
    return bad(table.get("run")->source(),
               fmt::format("run of gate '{}' {}", gate.name.str(), *why),
               "write an array such as [\"python3\", \"-m\", \"pytest\", \"{unit}\"]");
  }
  return {};
}

Status refuse_without_units(const toml::table& table) {
  for (const char* key :
       {"setup", "build", "build_timeout", "incremental", "caches", "jobs", "network"}) {
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
  TRY(only_known(
      table, "[[gate]]",
      {"name", "run", "timeout", "env", "carry", "retries", "flaky", "units", "setup", "build",
       "build_timeout", "incremental", "caches", "jobs", "network", "preset", "blind", "fresh"}));
  GateSpec gate;
  if (const auto* preset = table.get("preset")) gate = TRY(preset_of(*preset));
  const toml::node* name = table.get("name");
  if (!name) return bad(table.source(), "a [[gate]] needs a name", "add name = \"test\"");
  std::string text = TRY(text_of(*name, "name"));
  TRY(check_name(name->source(), "gate name", text, gate_name_problem));
  gate.name = GateName(text);
  const toml::node* run = table.get("run");
  if (!run && !gate.units) {
    return bad(table.source(), fmt::format("gate '{}' has no run", text),
               "add run = \"make test\"");
  }
  if (run) gate.command = TRY(command_of(*run, "run"));
  if (const auto* node = table.get("timeout")) gate.timeout_ms = TRY(timeout_of(*node));
  if (const auto* node = table.get("env")) gate.env = TRY(env_of(*node));
  if (const auto* node = table.get("carry")) gate.carry = TRY(flag_of(*node, "carry"));
  if (const auto* node = table.get("fresh")) gate.fresh = TRY(number_of(*node, "fresh", kFresh));
  if (const auto* node = table.get("blind")) {
    gate.blind = sorted_once(
        TRY(texts_of(*node, "blind", blind_problem, "write \"list:docs\" or \"stat:**/*.md\"")));
  }
  if (const auto* node = table.get("retries")) {
    gate.retries = TRY(number_of(*node, "retries", kRetries));
  }
  if (const auto* node = table.get("flaky")) TRY(read_flaky(*node, gate));
  if (gate.units || table.contains("units")) {
    TRY(read_units(table, gate));
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

// [[quarantine]]: units that may fail until a day, for a reason that is written down.
Status read_quarantine(const toml::node& node, Policy& policy) {
  for (const auto* table : TRY(tables_of(node, "quarantine"))) {
    TRY(only_known(*table, "[[quarantine]]", {"gate", "unit", "until", "why"}));
    for (const char* key : {"gate", "unit", "until", "why"}) {
      if (table->contains(key)) continue;
      return bad(table->source(), fmt::format("a [[quarantine]] needs {}", key),
                 "it names a gate, one of its units, a day such as 2026-12-31, and why");
    }
    const toml::node& gate = *table->get("gate");
    const toml::node& until = *table->get("until");
    Quarantine one{GateName(TRY(text_of(gate, "gate"))), TRY(text_of(*table->get("unit"), "unit")),
                   "", TRY(text_of(*table->get("why"), "why"))};
    const auto spec = std::ranges::find(policy.gates, one.gate, &GateSpec::name);
    if (spec == policy.gates.end() || !spec->units) {
      return bad(gate.source(), fmt::format("there is no gate '{}' with units", one.gate.str()));
    }
    const auto day = until.value_exact<toml::date>();
    if (!day) {
      return bad(until.source(), "until must be a day", "write until = 2026-12-31, unquoted");
    }
    one.until = fmt::format("{:04}-{:02}-{:02}", day->year, day->month, day->day);
    policy.quarantine.push_back(std::move(one));
    if (policy.quarantine.size() > kMaxList) {
      return bad(table->source(), fmt::format("more than {} units in quarantine", kMaxList));
    }
  }
  return {};
}

}  // namespace gittxn::gates
