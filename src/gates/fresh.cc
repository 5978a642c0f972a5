#include "gates/fresh.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/hash.h"
#include "base/if_there.h"
#include "gates/units/units.h"
#include "store/gate_marks.h"

namespace gittxn::gates {
namespace {

constexpr int kRepeats = 3;
constexpr std::size_t kSearched = 2000;  // certificates, for landings that used one

// The choice depends on nothing that a change could decide.
bool is_picked(const GateSpec& gate, std::string_view unit, const Candidate& landed) {
  const std::string hex =
      sha256_fields({gate.name.str(), unit, landed.commit.str()}).str().substr(0, 8);
  std::uint32_t number = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  return number % static_cast<std::uint32_t>(gate.fresh) == 0;
}

struct Disagreed {
  std::string unit;  // "": the whole gate
  Oid passed_on;
  bool flaky = false;
};

class Audit {
 public:
  Audit(const GateContext& context, const Policy& policy, const GateSpec& gate,
        const Candidate& landed)
      : context_(context), policy_(policy), gate_(gate), landed_(landed) {}

  Result<std::vector<Disagreed>> of_units() {
    Evidence evidence(context_, policy_, landed_);
    UnitGate units = TRY(UnitGate::open(context_, policy_, gate_, landed_, evidence));
    if (!TRY(units.known())) return std::vector<Disagreed>();
    const auto picked = [&](const UnitSaid& said) {
      return said.tree != landed_.tree && is_picked(gate_, said.unit, landed_);
    };
    std::vector<Disagreed> all;
    for (const auto& one : TRY(units.audit(TRY(lane()), picked))) {
      if (one.now.passed) continue;
      Disagreed disagreed{one.carried.unit, one.carried.tree};
      for (int run = 0; run < kRepeats && !disagreed.flaky; ++run) {
        disagreed.flaky = TRY(passes(units, one.carried.unit));
      }
      if (!disagreed.flaky) disagreed.flaky = !TRY(passes_there(one.carried));
      all.push_back(std::move(disagreed));
    }
    return all;
  }

  Result<std::vector<Disagreed>> of_all(const GateReport& report) {
    std::vector<Disagreed> all;
    const Oid from = report.certificate.carried_from;
    if (from == landed_.tree || !is_picked(gate_, "", landed_)) return all;
    bool passed = false;
    for (int run = 0; run <= kRepeats && !passed; ++run) {
      passed = TRY(run_gate(context_, policy_, gate_, landed_)).certificate.passed;
      if (passed && run == 0) return all;
    }
    all.push_back({"", from, passed});
    return all;
  }

 private:
  Result<GateLane> lane() const {
    return GateLane::take(context_, gate_.name.str(), landed_.branch, GateLane::Lanes::kFixedOnly);
  }
  Result<bool> passes(UnitGate& units, const std::string& unit) const {
    const auto audited =
        TRY(units.audit(TRY(lane()), [&](const UnitSaid& said) { return said.unit == unit; }));
    return !audited.empty() && audited.front().now.passed;
  }
  // The unit has to pass again where it passed, for otherwise the two trees are not what differs.
  // The outputs of its build there may be gone; then its certificate is believed.
  Result<bool> passes_there(const UnitSaid& carried) const {
    Candidate there = landed_;
    there.tree = carried.tree;
    Evidence evidence(context_, policy_, there);
    UnitGate units = TRY(UnitGate::open(context_, policy_, gate_, there, evidence));
    if (!TRY(units.known())) return true;
    for (int run = 0; run < kRepeats; ++run) {
      if (!TRY(passes(units, carried.unit))) return false;
    }
    return true;
  }

  const GateContext& context_;
  const Policy& policy_;
  const GateSpec& gate_;
  const Candidate& landed_;
};

// The transactions that a certificate carried from that tree let land.
Result<std::vector<std::string>> landed_by(const store::Store& store, const GateSpec& gate,
                                           const Disagreed& wrong) {
  std::set<std::string> landed;
  for (const Certificate& one : TRY(store.newest_certificates(kSearched))) {
    if (one.gate != gate.name || one.gate_version != gate.version || one.txn.empty()) continue;
    bool used = wrong.unit.empty() && one.carried_from == wrong.passed_on;
    if (!wrong.unit.empty() && !one.units.empty()) {
      const auto text = store.artifact(one.units);
      const auto table = text ? units_from_lines(*text) : Result<UnitTable>(UnitTable());
      used =
          text && table && std::ranges::any_of(*table, [&](const UnitSaid& said) {
            return said.unit == wrong.unit && said.tree == wrong.passed_on && said.tree != one.tree;
          });
    }
    const auto txn = used ? TRY(store.txn(one.txn)) : std::nullopt;
    if (txn && txn->state == TxnState::kLanded) landed.insert(one.txn.str());
  }
  return std::vector<std::string>(landed.begin(), landed.end());
}

std::string note_of(const GateSpec& gate, const Disagreed& one) {
  const std::string what = one.unit.empty()
                               ? "gate " + gate.name.str()
                               : fmt::format("unit {} of gate {}", one.unit, gate.name.str());
  if (one.flaky) return what + " was carried over and is flaky: it fails, and passes, on one tree";
  return fmt::format(
      "{} was carried over and fails on what landed; nothing of that gate is carried until "
      "`git txn gate clear {}`",
      what, gate.name.str());
}

}  // namespace

Result<std::vector<std::string>> audit_carried(const GateContext& context, const Policy& policy,
                                               const Candidate& landed,
                                               const std::vector<GateReport>& reports) {
  std::vector<std::string> notes;
  for (const GateReport& report : reports) {
    const auto gate = std::ranges::find(policy.gates, report.certificate.gate, &GateSpec::name);
    if (gate == policy.gates.end() || gate->fresh == 0) continue;
    if (!gate->units && !report.carried()) continue;
    Audit audit(context, policy, *gate, landed);
    const auto found =
        TRY(unless(Code::kBusy, gate->units ? audit.of_units() : audit.of_all(report)));
    for (const Disagreed& one : found.value_or(std::vector<Disagreed>())) {
      notes.push_back(note_of(*gate, one));
      if (one.flaky) continue;
      TRY(context.store->append({store::events::gate_unsound(
          {gate->name, gate->version, one.unit, one.passed_on, landed.tree,
           TRY(landed_by(*context.store, *gate, one))})}));
    }
  }
  return notes;
}

}  // namespace gittxn::gates
