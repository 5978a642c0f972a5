// Having a transaction to oneself, and keeping what is in its worktree: see attempt.h.
#include "txn/attempt.h"

#include "store/server/locks.h"
#include "txn/running.h"

namespace gittxn::api {

Result<bool> has_worktree(const Txn& txn) {
  if (txn.attempts.empty() || txn.attempts.back().worktree.empty()) return false;
  return repo::has_files(txn.attempts.back().worktree);
}

Status keep_work(State& state, const Txn& txn, const Progress& progress) {
  if (!TRY(has_worktree(txn)) || !TRY(changed_since_taken(state, txn))) return {};
  TRY(take_work(state, txn, Untraced::kCheck, progress));
  return {};
}

Result<Held> hold(State& state, Txn known) {
  while (true) {
    TRY(state.require_here(known));
    auto lock = state.store->locks().try_slot(store::Slots::kOwners, known.slot);
    if (!lock && lock.error().code == Code::kBusy) return still_running(known);
    if (!lock) return std::unexpected(std::move(lock).error());
    Txn txn = TRY(reload(state, known.id));
    // Whoever resumed it in between has another slot.
    if (txn.slot == known.slot) return Held{std::move(txn), *std::move(lock)};
    known = std::move(txn);
  }
}

}  // namespace gittxn::api
