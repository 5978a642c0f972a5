#include "txn/rounds.h"

#include <algorithm>
#include <utility>

#include "base/failpoint.h"
#include "certify/certify.h"
#include "store/events.h"
#include "txn/go_on.h"
#include "txn/serve/observed.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_asking, "api.rounds.asking");
FAILPOINT(fp_went_on, "api.rounds.went_on");

}  // namespace

Result<bool> Rounds::can_help(const TxnId& id, const std::vector<Conflict>& conflicts) const {
  const Txn txn = TRY(reload(state_, id));
  const bool rejudges = TRY(state_.policy_on(txn.target)).rejudge;
  return std::ranges::all_of(conflicts, [&](const Conflict& conflict) {
    switch (conflict.kind) {
      case ConflictKind::kGate:
      case ConflictKind::kPolicy:
        return true;
      case ConflictKind::kKernel:
      case ConflictKind::kCycle:
        return false;
      case ConflictKind::kReadStale:
      case ConflictKind::kPredicate:
        return rejudges && !certify::is_exact(txn.isolation);
      default:  // nobody's word that a read does not matter counts at an exact level
        return !certify::is_exact(txn.isolation);
    }
  });
}

Result<std::optional<Round>> Rounds::round_of(Of whom, const Txn& txn) const {
  if (whom == Of::kShell) {
    const std::string shell = state_.host.variable("SHELL");
    return Round{{shell.empty() ? "/bin/sh" : shell}, "", Digest()};
  }
  std::string why_not;
  return another_round(state_, txn, options_, &why_not);
}

Result<bool> Rounds::has_agent(const TxnId& id) const {
  if (options_.no_land) return false;
  return TRY(round_of(Of::kAgent, TRY(reload(state_, id)))).has_value();
}

Result<bool> Rounds::begin(Of whom, const TxnId& id, Refusal refusal, const std::string& why) {
  Txn txn = TRY(reload(state_, id));
  auto round = TRY(round_of(whom, txn));
  if (!round) return false;
  const std::string rung = whom == Of::kAgent ? "resume" : "shell";
  TRY(state_.store->append({events::repairing(id, rung, why)}));
  TRY(fp_asking.hit());
  refusal.branch = short_branch(txn.target);
  refusal.writes = TRY(recorded_writes(*state_.store, txn.attempts.back()));
  txn = TRY(reload(state_, id));
  refusal.went_on = TRY(go_on(state_, txn, progress_, round->session));
  TRY(fp_went_on.hit());
  const auto stays_stale = [](const StaleRead& one) { return !one.rejudged; };
  if (refusal.went_on && std::ranges::any_of(refusal.went_on->stale, stays_stale)) return false;
  const Attempt attempt = TRY(reload(state_, id)).attempts.back();
  TRY(write_round(attempt, *round, round_text(refusal)));
  next_.command = round->command;
  file_ = round_file(attempt);
  next_.input = whom == Of::kAgent ? file_ : "";
  // There was nothing to merge.
  if (TRY(reload(state_, id)).state == TxnState::kRepairing) {
    TRY(state_.store->append({events::reopened(id, {txn.owner, txn.slot, true})}));
  }
  round_ = *std::move(round);
  ++count_;
  return true;
}

Result<bool> Rounds::is_lost(const Txn& txn) const {
  if (!round_ || round_->session.empty()) return false;
  return !TRY(was_told(txn.attempts.back(), round_->session, round_->told));
}

void Rounds::start_over() {
  next_ = options_;
  round_.reset();
}

}  // namespace gittxn::api
