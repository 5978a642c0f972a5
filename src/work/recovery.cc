#include "work/recovery.h"

#include <fmt/format.h>

#include "land/hub.h"
#include "store/events.h"
#include "store/server/locks.h"
#include "store/work/compensations.h"
#include "txn/attempt.h"
#include "work/compensations.h"
#include "work/events.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

// Attached owners that died. A slot is held from before the transaction is recorded, so a free one
// means dead: at once where it would be held in this clone's folder, and of other clones after
// whoever was only cut off from the server has had time to come back.
Result<std::vector<Txn>> lost_owners(State& state) {
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
Status mark_lost_owners(State& state, std::vector<std::string>& lines) {
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

Status recover_first(State& state, const Progress& progress, std::vector<std::string>& notes) {
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

Result<std::vector<std::string>> recover(State& state, const Progress& progress) {
  TRY(refuse_inside(state.host, "recover"));
  const land::Context context = TRY(state.context(progress));
  land::RecoveryReport report = TRY(land::recover(context));
  std::vector<std::string> lines = std::move(state.home_notes);
  tell(report, lines);
  for (const std::string& move : report.outside_moves)
    lines.push_back("moved from outside: " + move);
  TRY(mark_lost_owners(state, lines));
  TRY(tell_stale_consumers(state, lines));
  TRY(compensate_left(state, progress, lines));
  if (!report.stops.empty()) return std::unexpected(std::move(report.stops.front()));
  return lines;
}

}  // namespace gittxn::api
