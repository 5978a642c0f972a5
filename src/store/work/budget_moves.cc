// What is reported, set and compared of budgets: each is one decision under the write lock, of
// which what was used and told until then is part, so that two at once see each other.
#include <fmt/format.h>

#include <map>

#include "base/bug.h"
#include "store/work/budgets.h"

namespace gittxn::store {
namespace {

// The levels that `amounts` bring the budgets of a scope to, where that has not been told.
void add_levels(const std::vector<Budget>& budgets, const Amounts& amounts, const TxnId& txn,
                std::vector<NewEvent>& appended) {
  for (const Budget& budget : budgets) {
    const std::int64_t amount = amounts[static_cast<std::size_t>(budget.kind)];
    const bool over = amount >= budget.limit;
    const bool near =
        amount >= budget.limit / 100 * kWarnPercent + budget.limit % 100 * kWarnPercent / 100;
    if (near && budget.level < Budget::Level::kWarned) {
      appended.push_back(events::budget_reached(budget, Budget::Level::kWarned, amount, txn));
    }
    if (over && budget.level < Budget::Level::kExceeded) {
      appended.push_back(events::budget_reached(budget, Budget::Level::kExceeded, amount, txn));
    }
  }
}

Status check_usage(const Usage& usage) {
  for (const UsageItem& item : usage.items) {
    if (item.id.empty() || item.id.size() > kMaxUsageId) {
      return fail(Code::kUsage, "what a report is of is empty, or longer than 512 bytes");
    }
    for (std::size_t i = 0; i < kKinds; ++i) {
      if (item.amounts[i] < 0 || item.amounts[i] > kMaxAmount) {
        return fail(Code::kUsage, fmt::format("{}: {} is out of bounds",
                                              kind_name(static_cast<Kind>(i)), item.amounts[i]));
      }
      const bool measured = trust_of(static_cast<Kind>(i)) == Trust::kMeasured;
      if (item.amounts[i] == 0 || measured == (usage.source == UsageSource::kMeasured)) continue;
      if (INJECTED_BUG("budgets.anybody_measures")) continue;
      return fail(Code::kUsage,
                  fmt::format("{} is {}", kind_name(static_cast<Kind>(i)),
                              measured ? "measured, not reported" : "reported, not measured"));
    }
  }
  return {};
}

}  // namespace

Status report_usage(Store& store, const Usage& usage, Store::Durable durable) {
  TRY(check_usage(usage));
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const std::optional<Txn> txn = TRY(view.txn(usage.txn));
    if (!txn) return fail(Code::kNotFound, "there is no transaction " + usage.txn.str());
    std::vector<NewEvent> appended;
    Usage fresh{usage.txn, usage.source, {}};
    Amounts more{};
    std::map<std::string, Amounts> here;  // what this report has said already
    const auto append_fresh = [&] {
      if (!fresh.items.empty()) appended.push_back(events::usage_reported(fresh));
      fresh.items.clear();
    };
    for (const UsageItem& one : usage.items) {
      const auto [at, first] = here.try_emplace(one.id);
      if (first) at->second = TRY(reported_of(view, one.id));
      const Amounts added = amounts_beyond(at->second, one.amounts);
      if (added == Amounts{}) continue;
      at->second = amounts_sum(at->second, added);
      more = amounts_sum(more, added);
      fresh.items.push_back(one);
      if (fresh.items.size() == kMaxUsageItems) append_fresh();
    }
    append_fresh();
    if (appended.empty()) return appended;
    for (const Scope& scope : scopes_of(*txn)) {
      const Amounts before = TRY(used(view, scope));
      add_levels(TRY(budgets_of(view, scope)), amounts_sum(before, more), usage.txn, appended);
    }
    return appended;
  };
  TRY(store.decide(decision, durable));
  return {};
}

Status set_budget(Store& store, const Scope& scope, Kind kind, std::optional<std::int64_t> limit) {
  if (limit && (*limit <= 0 || *limit > kMaxAmount)) {
    return fail(Code::kUsage, fmt::format("{}: {} is no budget", kind_name(kind), *limit),
                "give a number above 0, or none to take the budget away");
  }
  if (scope.name.empty() || scope.name.size() > kMaxUsageId) {
    return fail(Code::kUsage, "whose budget it is is empty, or longer than 512 bytes");
  }
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    Budget budget{scope, kind, limit.value_or(0), 0, Budget::Level::kWithin};
    std::vector<NewEvent> appended{events::budget_set(budget, limit)};
    if (!limit) return appended;
    budget.version = TRY(view.head()) + 1;
    add_levels({budget}, TRY(used(view, scope)), TxnId(), appended);
    return appended;
  };
  TRY(store.decide(decision));
  return {};
}

Status reconcile(Store& store, std::vector<Reconciled>& figures) {
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    std::vector<NewEvent> appended;
    for (Reconciled& one : figures) {
      const Amounts amounts = TRY(used(view, one.scope));
      one.reported = amounts[static_cast<std::size_t>(one.kind)];
      appended.push_back(events::budget_reconciled(one));
    }
    return appended;
  };
  TRY(store.decide(decision));
  return {};
}

}  // namespace gittxn::store
