// Recovery, verification and gates on demand.
#include <fmt/format.h>

#include <algorithm>

#include "api/compensations.h"
#include "api/settle.h"
#include "api/state.h"
#include "api/upkeep_events.h"
#include "api/work.h"
#include "audit/audit.h"
#include "base/fs.h"
#include "base/json_value.h"
#include "gates/trust.h"
#include "land/hub.h"
#include "store/compensations.h"
#include "store/events.h"
#include "store/locks.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

// Attached owners that died. A slot is held from before the transaction is recorded, so a free one
// means dead: at once where it would be held in this clone's folder, and of other clones after
// whoever was only cut off from the server has had time to come back.
Result<std::vector<Txn>> lost_owners(Kernel::State& state) {
  using enum TxnState;
  const store::TxnFilter working{{kOpen, kPrepared, kLanding, kRejected, kQuarantined, kRepairing},
                                 0};
  store::Locks& locks = state.store->locks();
  std::vector<Txn> lost;
  std::vector<Txn> elsewhere;
  std::vector<std::int64_t> slots;
  for (Txn& txn : TRY(state.store->txns(working))) {
    if (!txn.attached || TRY(locks.is_held(store::Slots::kOwners, txn.slot))) continue;
    if (state.require_here(txn)) {
      lost.push_back(std::move(txn));
      continue;
    }
    slots.push_back(txn.slot);
    elsewhere.push_back(std::move(txn));
  }
  TRY(locks.confirm(store::Slots::kOwners, slots));
  for (Txn& txn : elsewhere) {
    if (TRY(locks.is_gone(store::Slots::kOwners, txn.slot))) lost.push_back(std::move(txn));
  }
  return lost;
}

// What they were at is open to whoever takes it up.
Status mark_lost_owners(Kernel::State& state, std::vector<std::string>& lines) {
  for (const Txn& txn : TRY(lost_owners(state))) {
    const auto still_lost = [&](const store::View&) -> Status {
      if (!TRY(state.store->locks().is_held(store::Slots::kOwners, txn.slot))) return {};
      return fail(Code::kStale, "its owner is there");
    };
    const auto marked = state.store->append({events::owner_lost(txn.id, txn.slot)}, still_lost);
    if (!marked && marked.error().code == Code::kStale) continue;  // somebody took it up meanwhile
    if (!marked) return std::unexpected(marked.error());
    const bool ended = txn.state == TxnState::kQuarantined || txn.state == TxnState::kRejected;
    if (ended || !state.require_here(txn)) continue;  // its own clone says so
    lines.push_back(
        fmt::format("{}: its process exited; its work is saved. To land it: git txn commit {}",
                    txn.id.str(), txn.id.str()));
  }
  return {};
}

void tell(const land::RecoveryReport& report, std::vector<std::string>& lines) {
  for (const auto& item : report.items) {
    const std::string who = item.txn.empty() ? "" : item.txn.str() + ": ";
    lines.push_back(who + item.found + "; " + item.done);
  }
}

}  // namespace

Status recover_first(Kernel::State& state, const Progress& progress,
                     std::vector<std::string>& notes) {
  const land::Context context = TRY(state.context(progress));
  for (std::string& note : state.home_notes) notes.push_back(std::move(note));
  state.home_notes.clear();
  const land::RecoveryReport report = TRY(land::recover(context));
  tell(report, notes);
  for (const Error& stop : report.stops) {
    notes.push_back(stop.message + (stop.hint.empty() ? "" : "; " + stop.hint));
  }
  const std::vector<TxnId> owing = TRY(store::owing_compensation(*state.store));
  for (const TxnId& id : owing) {
    const Txn txn = TRY(reload(state, id));
    if (!state.require_here(txn)) continue;  // of another clone, which does it
    notes.push_back(fmt::format("{} is {} and its compensations have not all run: git txn recover",
                                id.str(), state_name(txn.state)));
    break;
  }
  std::vector<std::string> lost;  // status and recover tell of them, whoever is asked for nothing
  TRY(mark_lost_owners(state, lost));
  return tell_stale_consumers(state, notes);
}

Result<std::vector<std::string>> Kernel::recover(const Progress& progress) {
  TRY(refuse_inside(state_->host, "recover"));
  const land::Context context = TRY(state_->context(progress));
  land::RecoveryReport report = TRY(land::recover(context));
  std::vector<std::string> lines = std::move(state_->home_notes);
  tell(report, lines);
  for (const std::string& move : report.outside_moves)
    lines.push_back("moved from outside: " + move);
  TRY(mark_lost_owners(*state_, lines));
  TRY(tell_stale_consumers(*state_, lines));
  TRY(compensate_left(*state_, progress, lines));
  if (!report.stops.empty()) return std::unexpected(std::move(report.stops.front()));
  return lines;
}

namespace {

// Brings what others have landed, and says which fences are there.
Result<std::map<RefName, Oid>> look_at_hub(Kernel::State& state, std::vector<std::string>& notes) {
  const land::Context context = TRY(state.context({}));
  std::map<RefName, Oid> fences;
  for (const store::BranchState& branch : TRY(state.store->branches())) {
    const auto asked = land::ask_hub(context, branch.branch);
    if (asked) {
      fences.emplace(branch.branch, asked->fence);
      continue;
    }
    notes.push_back(asked.error().message + ": only what was seen of it before is checked");
    break;
  }
  return fences;
}

}  // namespace

namespace {

constexpr std::size_t kMostDamageBytes = 1u << 16;
constexpr std::string_view kByReplay = "replay\n";
constexpr std::string_view kByChain = "chain\n";

std::string damage_file(const Kernel::State& state) {
  return state.repository.txn_dir() + "/damaged";
}

// An event of a newer program is none: that one may go on.
bool is_damage(const std::string& problem) {
  return problem.find("is not known to this git-txn") == std::string::npos;
}

// What is found wrong with the log itself is remembered, so that nothing lands on it. A look that
// saw less takes nothing back.
Status note_damage(Kernel::State& state, Kernel::Verification& found, std::size_t of_log,
                   audit::Replay replay) {
  const std::string file = damage_file(state);
  const std::string_view by = replay == audit::Replay::kYes ? kByReplay : kByChain;
  const auto first = found.problems.begin();
  const auto damage = std::find_if(first, first + static_cast<std::ptrdiff_t>(of_log), is_damage);
  if (damage != first + static_cast<std::ptrdiff_t>(of_log)) {
    const Status noted = write_file(file, fmt::format("{}{}\n", by, *damage), Sync::kYes);
    // The findings are told all the same.
    if (!noted) found.notes.push_back("it could not be noted: " + noted.error().message);
    return {};
  }
  const auto known = read_file(file, kMostDamageBytes);
  if (!known && known.error().code == Code::kNotFound) return {};
  if (!known) return std::unexpected(known.error());
  if (known->starts_with(kByReplay) && replay != audit::Replay::kYes) {
    found.notes.emplace_back(
        "git txn verify --replay had found it damaged; that look alone says "
        "when it no longer is");
    return {};
  }
  return remove_file(file);
}

}  // namespace

Status refuse_damaged(const Kernel::State& state) {
  const auto known = read_file(damage_file(state), kMostDamageBytes);
  if (!known && known.error().code == Code::kNotFound) return {};
  if (!known) return std::unexpected(known.error());
  const bool replay = known->starts_with(kByReplay);
  std::string what = known->substr(std::min(known->find('\n') + 1, known->size()));
  while (what.ends_with('\n')) what.pop_back();
  return fail(Code::kCorrupt, "git txn verify has found the store damaged: " + what,
              fmt::format("put a copy of it back (docs/BACKUPS.md), then: git txn verify{}",
                          replay ? " --replay" : ""));
}

Result<Kernel::Verification> Kernel::verify(bool replay) {
  Verification verification;
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) {
    audit::Report lost = TRY(audit::verify_without_store(state_->repository));
    verification.problems = std::move(lost.problems);
    verification.notes = std::move(lost.notes);
    return verification;
  }
  const audit::Replay again = replay ? audit::Replay::kYes : audit::Replay::kNo;
  const auto& hub = state_->membership.hub;
  audit::Place place = hub ? audit::Place{hub->clone, hub->remote} : audit::Place{};
  if (hub) place.fences = TRY(look_at_hub(*state_, verification.notes));
  audit::Report report = TRY(audit::verify(state_->repository, *store, again, place));
  verification.events = report.events;
  verification.problems = std::move(report.problems);
  TRY(note_damage(*state_, verification, report.of_log, again));
  for (std::string& note : report.notes) verification.notes.push_back(std::move(note));
  return verification;
}

Result<Json> Kernel::state_at(Seq seq) {
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) {
    return fail(Code::kUsage, "nothing was ever recorded in this repository",
                "git txn run -- COMMAND starts something");
  }
  return store->state_at(seq);
}

Result<std::vector<GateLine>> Kernel::run_gates_on(const std::string& id_or_commit,
                                                   const std::vector<std::string>& names,
                                                   const Progress& progress) {
  TRY(refuse_inside(state_->host, "gate"));
  land::Context context = TRY(state_->context(progress));
  context.gates.shown = gates::GateContext::Shown::kAll;
  gates::Candidate candidate;
  candidate.branch = TRY(state_->target(std::nullopt));
  const auto txn = state_->find(id_or_commit);
  std::string commitish = id_or_commit;
  if (txn) {
    candidate.branch = txn->target;
    candidate.txn = txn->id;
    if (!txn->landed_commit.empty()) {
      commitish = txn->landed_commit.str();
    } else if (!txn->attempts.empty() && !txn->attempts.back().kept.empty()) {
      commitish = txn->attempts.back().kept.str();
    } else {
      return fail(Code::kUsage, txn->id.str() + " has no work to run gates on");
    }
  }
  const auto& git = state_->repository.git();
  const Output found =
      TRY(git.run({"rev-parse", "--verify", "-q", "--end-of-options", commitish + "^{commit}"},
                  state_->repository.here()));
  if (!found.exit.success()) {
    return fail(Code::kUsage, "'" + id_or_commit + "' is neither a transaction nor a commit");
  }
  const auto commit =
      TRY(state_->repository.objects().commit(Oid(found.out.substr(0, found.out.find('\n')))));
  candidate.commit = commit.oid;
  candidate.tree = commit.tree;
  if (!commit.parents.empty()) candidate.parent = commit.parents.front();

  const Oid head = TRY(state_->seen(candidate.branch));
  const Policy policy = TRY(land::policy_at(state_->repository, head));
  TRY(gates::require_trust(*context.store, policy, state_->variable("GIT_TXN_TRUST")));
  for (const std::string& name : names) {
    const auto named = [&](const GateSpec& gate) { return gate.name.str() == name; };
    if (std::none_of(policy.gates.begin(), policy.gates.end(), named)) {
      return fail(Code::kUsage, "the policy has no gate '" + name + "'", "git txn gate list");
    }
  }
  std::vector<GateLine> lines;
  for (const GateSpec& gate : policy.gates) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), gate.name.str()) != names.end();
    if (!wanted) continue;
    if (progress.on_phase) progress.on_phase("gate " + gate.name.str());
    const gates::GateReport report = TRY(gates::run_gate(context.gates, policy, gate, candidate));
    lines.push_back(gate_line(report.certificate));
  }
  return lines;
}

}  // namespace gittxn::api
