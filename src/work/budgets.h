// Budgets, as faces ask for them. store/work/budgets.h says what counts and docs/enforces.md what
// is enforced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/work/budgets.h"
#include "txn/bounds/budget_values.h"
#include "txn/host.h"

namespace gittxn::api {

// One of the three.
struct BudgetOf {
  std::optional<std::string> txn;  // id, prefix or name
  std::optional<std::string> owner;
  std::optional<std::string> workflow;
};

struct BudgetLine {
  store::Scope of;
  store::Kind kind = store::Kind::kInput;
  std::int64_t used = 0;
  std::optional<std::int64_t> limit = {};
  store::Budget::Level level = store::Budget::Level::kWithin;
};

// The next two refuse to run inside a transaction.
Result<std::vector<BudgetLine>> set_budget(State& state, const BudgetOf& of,
                                           const std::vector<std::string>& values);
// By hand; `key` names the report, so that the same one twice counts once ("": it is a new one), by
// its larger numbers. Notes of those that were not taken.
Result<std::vector<std::string>> report_budget(State& state, const std::string& txn,
                                               const std::vector<std::string>& values,
                                               const std::string& key);
// All budgets, and what was used of them; of one, everything that was used.
Result<std::vector<BudgetLine>> show_budgets(State& state, const std::optional<BudgetOf>& of);

// The text of a bill: JSON lines, each {"txn"|"owner"|"workflow": NAME, KIND: NUMBER...}. kUsage:
// it is not that. Records each comparison.
Result<std::vector<store::Reconciled>> reconcile_budgets(State& state, std::string_view bill,
                                                         std::int64_t tolerance_percent);

}  // namespace gittxn::api
