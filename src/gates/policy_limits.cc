// [limits]: how many transactions there may be at a time.
#include <fmt/format.h>
#include <toml++/toml.h>

#include "gates/policy_toml.h"

namespace gittxn::gates {
namespace {

using namespace policy_toml;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kMostAtOnce = 100'000;
constexpr std::int64_t kDeepest = 16;

struct Range {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
Result<int> number_of(const toml::node& node, std::string_view what, Range range) {
  const auto value = node.value_exact<std::int64_t>();
  if (value && *value >= range.least && *value <= range.most) return static_cast<int>(*value);
  return bad(node.source(),
             fmt::format("{} must be a number from {} to {}", what, range.least, range.most));
}

}  // namespace

Status read_limits(const toml::node& node, Policy& policy) {
  const auto* table = node.as_table();
  if (table == nullptr) return bad(node.source(), "write [limits] as a table");
  TRY(only_known(*table, "[limits]", {"concurrent", "per_owner", "depth"}));
  Limits& limits = policy.limits;
  if (const auto* at = table->get("concurrent")) {
    limits.concurrent = TRY(number_of(*at, "concurrent", {1, kMostAtOnce}));
  }
  if (const auto* at = table->get("per_owner")) {
    limits.per_owner = TRY(number_of(*at, "per_owner", {1, kMostAtOnce}));
  }
  if (const auto* at = table->get("depth")) {
    limits.depth = TRY(number_of(*at, "depth", {0, kDeepest}));
  }
  return {};
}

}  // namespace gittxn::gates
