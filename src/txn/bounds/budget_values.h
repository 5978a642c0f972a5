// Budgets as a person writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/work/budgets.h"

namespace gittxn::api {

inline constexpr std::int64_t kCostUnit = 1'000'000;  // costs are counted in millionths

// "input=200k", "cost=2.50", "wall=10m", "bytes=1M", "calls=none". kUsage: no number, negative, no
// such kind, or twice the same.
struct BudgetValue {
  store::Kind kind = store::Kind::kInput;
  std::optional<std::int64_t> amount;
};
Result<std::vector<BudgetValue>> parse_budget(const std::vector<std::string>& texts);
std::string amount_text(store::Kind kind, std::int64_t amount);  // for a person

// "input, output, ..."
std::string budget_kinds();
// kUsage: `text` is no KIND=VALUE, and why.
std::unexpected<Error> no_budget(std::string_view text, std::string_view why);

}  // namespace gittxn::api
