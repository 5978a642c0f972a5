// The passes of a landing that ask hooks and gates about the candidate.
//
// Hooks run with the turn held. A gate that has to run does not, twice at most: the landing lets go
// of the turn, runs what is missing on its candidate, and comes back. If the head is the same, what
// was said is remembered; if somebody else landed meanwhile, the certificates are carried over to
// the new candidate where the gates would look at the same (gates/evidence/evidence.h), and only
// what is missing then runs again. After two lost races it runs with the turn held, so that
// everybody's turn comes.
#include <algorithm>
#include <iterator>
#include <string>

#include "base/failpoint.h"
#include "gates/fresh.h"
#include "gates/gate.h"
#include "land/landing.h"

namespace gittxn::land {
namespace {

FAILPOINT(fp_before_gates, "land.before_gates");
FAILPOINT(fp_after_gates, "land.after_gates");

constexpr std::int64_t kEvidenceNs = 600'000'000'000;  // a gate's time limit where none is set
constexpr int kMostGatedApart = 2;

Conflict gate_conflict(const gates::GateReport& report) {
  const Certificate& certificate = report.certificate;
  return {.kind = ConflictKind::kGate,
          .subject = certificate.gate.str(),
          .read_digest = certificate.gate_version.str(),
          .hint = gates::outcome_of(certificate)};
}

}  // namespace

// What hooks and gates have said now; the first no is a refusal.
Result<Step> Landing::heard(std::vector<gates::GateReport> reports) {
  std::ranges::move(reports, std::back_inserter(outcome_.gates));
  const auto passed = [](const gates::GateReport& report) { return report.certificate.passed; };
  const auto failed = std::ranges::find_if_not(outcome_.gates, passed);
  return failed == outcome_.gates.end() ? go_on() : reject({gate_conflict(*failed)});
}

Result<Step> Landing::hooks(Candidate& candidate) {
  TRY(write_candidate(context_, candidate));
  gates::HookOutcome hooked = TRY(gates::run_commit_hooks(
      gates_, candidate.policy, for_gates(candidate), candidate.commit.message));
  Step said = TRY(heard(std::move(hooked.reports)));
  if (said.kind != Step::Kind::kGoOn || (!hooked.new_tree && !hooked.new_message)) return said;
  const bool tree_edited = hooked.new_tree.has_value();
  Edits edits{std::move(hooked.new_tree), std::move(hooked.new_message)};
  Decision decision = TRY(decide_again(context_, work_, std::move(candidate), edits, &askings_));
  Step step = TRY(settle(std::move(decision), &candidate));
  if (tree_edited) outcome_.notes.emplace_back("a hook edited the candidate");
  return step;
}

Result<std::vector<gates::GateReport>> Landing::run_gates(const Candidate& candidate,
                                                          gates::Turn turn) {
  TRY(fp_before_gates.hit());
  say("gates");
  auto reports = TRY(gates::run_gates(gates_, candidate.policy, for_gates(candidate), turn));
  TRY(fp_after_gates.hit());
  return reports;
}

// kGates: some has to run, and nobody else is to wait for it.
Result<Step> Landing::gates(Candidate& candidate) {
  TRY(write_candidate(context_, candidate));  // as the hooks left it
  if (candidate.policy.gates.empty()) return go_on();
  auto known = TRY(gates::known_gates(gates_, candidate.policy, for_gates(candidate)));
  if (known) return heard(*std::move(known));
  if (gated_apart_ < kMostGatedApart) return Step{Step::Kind::kGates, {}};
  return heard(TRY(run_gates(candidate, gates::Turn::kHeld)));
}

// Runs the gates on the candidate of the last round, for the next round to remember. Their
// verdicts, failures included, count if the head is still the same.
Status Landing::gates_apart() {
  if (gated_apart_ > 0) ++lost_;
  ++gated_apart_;
  auto reports = TRY(run_gates(evidence_->candidate, gates::Turn::kNotHeld));
  std::ranges::move(reports, std::back_inserter(evidence_->reports));
  evidence_->since_ns = context_.clock->monotonic_ns();
  evidence_->whole = true;
  return {};
}

// After the landing, with no lock held. What an audit cannot do is a note: the change has landed.
Status Landing::audit_gates() {
  if (!evidence_) return {};
  const Policy& policy = evidence_->candidate.policy;
  const bool audited =
      std::ranges::any_of(policy.gates, [](const GateSpec& gate) { return gate.fresh > 0; });
  if (!audited) return {};
  say("audit of gates");
  auto notes =
      gates::audit_carried(gates_, policy, for_gates(evidence_->candidate), outcome_.gates);
  if (!notes && notes.error().code == Code::kInterrupted) return std::unexpected(notes.error());
  if (!notes) outcome_.notes.push_back("no audit of gates: " + notes.error().message);
  if (notes) std::ranges::move(*notes, std::back_inserter(outcome_.notes));
  return {};
}

bool Landing::proven(const Candidate& candidate, const Digest& hooks) const {
  return evidence_ && evidence_->whole && evidence_->is_of(candidate) &&
         evidence_->hooks == hooks &&
         context_.clock->monotonic_ns() - evidence_->since_ns <= kEvidenceNs;
}

// Hooks and gates, or what they said of this very candidate before.
Result<Step> Landing::check(Round& round) {
  Candidate& candidate = round.candidate;
  const Digest hooks_now = TRY(gates::commit_hooks_version(gates_, candidate.head));
  if (proven(candidate, hooks_now)) {
    Step step = TRY(heard(evidence_->reports));
    if (step.kind != Step::Kind::kGoOn) return step;
    Candidate known = evidence_->candidate;
    known.versions = std::move(candidate.versions);  // those it was certified with just now
    return settle({Decision::Kind::kCandidate, std::move(known), {}}, &candidate);
  }
  Evidence evidence{candidate, hooks_now, {}, {}, context_.clock->monotonic_ns()};
  Step step = TRY(hooks(candidate));
  if (step.kind == Step::Kind::kGoOn) step = TRY(gates(candidate));
  evidence.whole = step.kind == Step::Kind::kGoOn;
  if (!evidence.whole && step.kind != Step::Kind::kGates) return step;
  evidence.candidate = candidate;
  evidence.candidate.notes = outcome_.notes;
  evidence.reports = outcome_.gates;
  evidence_ = std::move(evidence);
  return step;
}

}  // namespace gittxn::land
