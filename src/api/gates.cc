// Gates by hand: run on a change, explained, counted.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/kernel.h"
#include "gates/evidence/evidence.h"
#include "gates/gate.h"
#include "gates/suggest.h"
#include "gates/trust.h"
#include "gates/units/units.h"
#include "land/land.h"
#include "store/gate_marks.h"
#include "txn/state.h"

namespace gittxn::api {
namespace {

constexpr std::size_t kCounted = 2000;       // certificates, by gate_stats
constexpr std::size_t kCountedTables = 200;  // of units

// The work of a transaction, or a commit.
Result<gates::Candidate> candidate_of(State& state, const std::string& id_or_commit) {
  gates::Candidate candidate;
  candidate.branch = TRY(state.target(std::nullopt));
  const auto txn = state.find(id_or_commit);
  std::string commitish = id_or_commit;
  if (txn) {
    candidate.branch = txn->target;
    candidate.txn = txn->id;
    commitish = work_of(*txn).str();
    if (commitish.empty()) {
      return fail(Code::kUsage, txn->id.str() + " has no work to run gates on");
    }
  }
  const Output found = TRY(state.repository.git().run(
      {"rev-parse", "--verify", "-q", "--end-of-options", commitish + "^{commit}"},
      state.repository.here()));
  if (!found.exit.success()) {
    return fail(Code::kUsage, "'" + id_or_commit + "' is neither a transaction nor a commit");
  }
  const auto commit =
      TRY(state.repository.objects().commit(Oid(found.out.substr(0, found.out.find('\n')))));
  candidate.commit = commit.oid;
  candidate.tree = commit.tree;
  if (!commit.parents.empty()) candidate.parent = commit.parents.front();
  return candidate;
}

// The named gates in the order of the policy; all of them when none is named.
Result<std::vector<GateSpec>> named_gates(const Policy& policy,
                                          const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto named = [&](const GateSpec& gate) { return gate.name.str() == name; };
    if (std::ranges::none_of(policy.gates, named)) {
      return fail(Code::kUsage, "the policy has no gate '" + name + "'", "git txn gate list");
    }
  }
  std::vector<GateSpec> wanted;
  std::ranges::copy_if(policy.gates, std::back_inserter(wanted), [&](const GateSpec& gate) {
    return names.empty() || std::ranges::find(names, gate.name.str()) != names.end();
  });
  return wanted;
}

Result<GateExplained> explain_units(const gates::GateContext& context, const Policy& policy,
                                    const GateSpec& gate, const gates::Candidate& candidate,
                                    gates::Evidence& evidence) {
  gates::UnitGate units = TRY(gates::UnitGate::open(context, policy, gate, candidate, evidence));
  GateExplained one{.gate = gate.name};
  one.not_carried = TRY(evidence.why_not_carried(gate));
  const auto known = TRY(units.known());
  if (known) one.counts = known->certificate;
  gates::UnitGate::Explained explained = TRY(units.explained());
  one.units = explained.units;
  for (auto& [unit, why] : explained.would_run) {
    one.would_run.emplace_back(std::move(unit), std::move(why));
  }
  if (known || one.would_run.empty()) return one;
  one.nearest = explained.nearest;
  const auto& [unit, why] = one.would_run.front();
  one.why = unit.empty() || why.empty() ? why : unit + ": " + why;
  return one;
}

void count(const Certificate& one, GateStats& stats) {
  if (!one.carried_from.empty()) {
    ++stats.carried;
    stats.saved_ms += one.duration_ms;
    return;
  }
  if (stats.runs == 0) stats.limited = one.limited;
  ++stats.runs;
  stats.saved_ms += one.tally.saved_ms;
  if (!one.passed) ++stats.failed;
  stats.run_ms += one.duration_ms;
  if (one.missed.empty()) return;
  const auto same = std::ranges::find(stats.missed, one.missed, &GateStats::Cause::why);
  if (same == stats.missed.end()) {
    stats.missed.push_back({one.missed, 1});
  } else {
    ++same->times;
  }
}

}  // namespace

Result<std::vector<gates::GateReport>> Kernel::run_gates_on(const std::string& id_or_commit,
                                                            const std::vector<std::string>& names,
                                                            const Progress& progress) {
  TRY(refuse_inside(state_->host, "gate"));
  land::Context context = TRY(state_->context(progress));
  context.gates.shown = gates::GateContext::Shown::kAll;
  const gates::Candidate candidate = TRY(candidate_of(*state_, id_or_commit));
  const Policy policy = TRY(state_->policy_on(candidate.branch));
  TRY(gates::require_trust(*context.store, policy, state_->host.variable("GIT_TXN_TRUST")));
  std::vector<gates::GateReport> reports;
  for (const GateSpec& gate : TRY(named_gates(policy, names))) {
    if (progress.on_phase) progress.on_phase("gate " + gate.name.str());
    reports.push_back(TRY(gates::run_gate(context.gates, policy, gate, candidate)));
  }
  return reports;
}

Result<std::vector<GateExplained>> Kernel::explain_gates(const std::string& id_or_commit,
                                                         const std::vector<std::string>& names) {
  const gates::Candidate candidate = TRY(candidate_of(*state_, id_or_commit));
  const Policy policy = TRY(state_->policy_on(candidate.branch));
  gates::GateContext context = TRY(state_->gate_context({}));
  context.store = TRY(state_->recorded());
  gates::Evidence evidence(context, policy, candidate);
  std::vector<GateExplained> explained;
  for (const GateSpec& gate : TRY(named_gates(policy, names))) {
    if (gate.units) {
      explained.push_back(TRY(explain_units(context, policy, gate, candidate, evidence)));
      continue;
    }
    GateExplained one{.gate = gate.name};
    one.not_carried = TRY(evidence.why_not_carried(gate));
    std::optional<gates::Miss> nearest;
    one.counts = TRY(evidence.find(gate, &nearest));
    if (!one.counts && nearest) {
      one.nearest = nearest->known.tree;
      one.why = nearest->why;
      const bool shown = nearest->changed && nearest->changed->look.kind != ReadKind::kListing;
      if (shown) {
        one.diff = TRY(difference(*state_, one.nearest, candidate.tree, nearest->changed->cause));
      }
    }
    explained.push_back(std::move(one));
  }
  return explained;
}

Status Kernel::clear_gate(const std::string& name, const std::optional<std::string>& onto) {
  TRY(refuse_inside(state_->host, "gate"));
  store::Store* store = TRY(state_->writing());
  const Policy found = TRY(policy(onto));
  const std::vector<GateSpec> gates = TRY(named_gates(found, {name}));
  const auto mark = TRY(store::unsound_gate(*store, gates.front().name, gates.front().version));
  if (!mark) {
    return fail(Code::kUsage, "certificates of gate '" + name + "' were not carried wrongly",
                "git txn gate explain HEAD says what keeps one from counting");
  }
  const auto caller = TRY(state_->caller());
  TRY(store->append({store::events::gate_cleared(gates.front().name, caller)}));
  return {};
}

Result<SuggestedPolicy> Kernel::suggest_gates(const std::optional<std::string>& onto) {
  constexpr std::size_t kMostText = 1u << 20;
  const repo::Objects& objects = state_->repository.objects();
  const RefName branch = TRY(state_->target(onto));
  const Oid tree = TRY(objects.tree_of(TRY(state_->repository.refs().read(branch))));
  std::vector<std::string> files;
  for (const PathChange& one : TRY(objects.diff(Oid(), tree))) {
    if (one.after.is_file()) files.push_back(one.path);
  }
  const auto text_of = [&](const std::string& path) -> Result<std::string> {
    const Oid blob = TRY(objects.entry_at(tree, path)).oid;
    if (TRY(objects.blob_size(blob)) > kMostText) return std::string();
    return objects.blob(blob, kMostText);
  };
  SuggestedPolicy suggested;
  suggested.gates = TRY(gates::suggested_gates(files, text_of));
  suggested.text = gates::suggested_policy(suggested.gates);
  return suggested;
}

namespace {

// Counts the units of a table that was not counted yet.
void count_units(const gates::UnitTable& table, std::map<std::string, GateStats::Unit>& units) {
  for (const gates::UnitSaid& said : table) {
    if (said.part != gates::UnitSaid::Part::kUnit) continue;
    GateStats::Unit& unit = units[said.unit];
    const bool first = unit.name.empty();
    unit.name = said.unit;
    ++(said.ran ? unit.runs : unit.carried);
    (said.ran ? unit.run_ms : unit.saved_ms) += said.duration_ms;
    if (!said.ran) continue;
    if (!said.passed) ++unit.failed;
    if (said.flaky) ++unit.flaky;
    if (first || unit.missed.empty()) unit.missed = said.missed;
  }
}

Status count_units(const store::Store& store, const std::vector<Certificate>& newest,
                   std::vector<GateStats>& all) {
  std::set<Digest> counted;
  std::map<GateName, std::map<std::string, GateStats::Unit>> units;
  for (const Certificate& one : newest) {
    if (one.units.empty() || counted.size() == kCountedTables) continue;
    if (!counted.insert(one.units).second) continue;
    const auto text = store.artifact(one.units);
    const auto table = text ? gates::units_from_lines(*text) : Result<gates::UnitTable>({});
    if (text && table) count_units(*table, units[one.gate]);
  }
  for (GateStats& stats : all) {
    for (auto& [name, unit] : units[stats.gate]) stats.units.push_back(std::move(unit));
    std::ranges::stable_sort(stats.units, std::greater(), &GateStats::Unit::run_ms);
  }
  return {};
}

}  // namespace

Result<std::vector<GateStats>> Kernel::gate_stats() {
  std::vector<GateStats> all;
  const store::Store* store = TRY(state_->recorded());
  std::set<std::pair<TxnId, GateName>> carried;  // a change is carried over once, whatever it lost
  const auto newest = TRY(store->newest_certificates(kCounted));
  for (const Certificate& one : newest) {
    const bool again =
        !one.carried_from.empty() && !one.txn.empty() && !carried.emplace(one.txn, one.gate).second;
    if (again) continue;
    auto stats = std::ranges::find(all, one.gate, &GateStats::gate);
    if (stats == all.end()) stats = all.insert(stats, GateStats{.gate = one.gate});
    count(one, *stats);
  }
  std::ranges::sort(all, {}, &GateStats::gate);
  for (GateStats& stats : all) {
    std::ranges::stable_sort(stats.missed, std::greater(), &GateStats::Cause::times);
  }
  TRY(count_units(*store, newest, all));
  return all;
}

}  // namespace gittxn::api
