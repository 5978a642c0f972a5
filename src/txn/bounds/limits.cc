#include "txn/bounds/limits.h"

#include <fmt/format.h>

#include "base/bug.h"
#include "base/text.h"
#include "store/server/locks.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMostRunsNamed = 5;

bool has_owner(const Txn& txn) {
  return txn.attached || !txn.command.empty();
}

Result<std::vector<Txn>> unfinished(const State& state) {
  using enum TxnState;
  return state.store->txns({{kOpen, kPrepared, kLanding, kRepairing}, 0});
}

Result<bool> is_alive(State& state, const Txn& txn) {
  if (!has_owner(txn)) return true;
  return !TRY(state.store->locks().is_gone(store::Slots::kOwners, txn.slot));
}

std::unexpected<Error> too_many(std::string_view what, int limit,
                                const std::vector<std::string>& alive) {
  return fail(Code::kBusy,
              fmt::format("the policy allows {} {} at a time, and alive are {}", limit, what,
                          listed(alive, kMostRunsNamed)),
              "let one end, or give one up: git txn abort ID");
}

}  // namespace

Result<std::optional<Txn>> parent_of(State& state, const Policy& policy) {
  const std::string inside = state.host.variable("GIT_TXN_ID");
  if (inside.empty()) return std::optional<Txn>();
  if (policy.limits.depth == 0) TRY(refuse_inside(state.host, "begin"));
  store::Store* store = TRY(state.looking());
  const auto parent = store == nullptr ? std::nullopt : TRY(store->txn(TxnId(inside)));
  if (!parent || parent->state != TxnState::kOpen) {
    return fail(Code::kUsage,
                fmt::format("this is inside of {}, which is not an open transaction here", inside),
                "unset GIT_TXN_ID, if this is not inside of any");
  }
  return parent;
}

Status confirm_runs(State& state, const Limits& limits) {
  if (!limits.concurrent && !limits.per_owner) return {};
  std::vector<std::int64_t> slots;
  for (const Txn& one : TRY(unfinished(state))) {
    if (has_owner(one)) slots.push_back(one.slot);
  }
  return state.store->locks().confirm(store::Slots::kOwners, slots);
}

Status check_limits(State& state, const Limits& limits, const Txn& txn) {
  if (!txn.parent.empty() && txn.depth > limits.depth) {
    return fail(Code::kRefused,
                fmt::format("the policy allows a depth of {}, and this would be {} below {}",
                            limits.depth, txn.depth, txn.parent.str()),
                "begin it outside of the transaction");
  }
  if (!limits.concurrent && !limits.per_owner) return {};
  if (INJECTED_BUG("begin.no_limits")) return {};
  std::vector<std::string> alive;
  std::vector<std::string> owners;
  for (const Txn& one : TRY(unfinished(state))) {
    if (!TRY(is_alive(state, one))) continue;
    alive.push_back(one.id.str());
    if (one.owner == txn.owner) owners.push_back(one.id.str());
  }
  if (limits.concurrent && std::cmp_greater_equal(alive.size(), *limits.concurrent)) {
    return too_many("transactions", *limits.concurrent, alive);
  }
  if (limits.per_owner && std::cmp_greater_equal(owners.size(), *limits.per_owner)) {
    return too_many("transactions of " + txn.owner, *limits.per_owner, owners);
  }
  return {};
}

}  // namespace gittxn::api
