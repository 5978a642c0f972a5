// [proposals]: what may become of a proposal by its score, and what counts as the same.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>

#include "gates/policy_toml.h"

namespace gittxn::gates {
namespace {

using namespace policy_toml;  // NOLINT(google-build-using-namespace)

constexpr int kThousand = 1000;

// Thousandths of a number from 0 to 1 that has no more than three digits behind the point.
Result<int> thousandths_of(const toml::node& node, std::string_view what) {
  constexpr double kNoise = 1e-6;  // 0.29 * 1000 is 290 and a little less
  const auto value = node.value<double>();
  const double scaled = value && node.is_number() ? *value * kThousand : -1;
  const double whole = std::round(scaled);
  if (scaled >= 0 && scaled <= kThousand && std::abs(scaled - whole) < kNoise) {
    return static_cast<int>(whole);
  }
  return bad(node.source(),
             fmt::format(
                 "{} must be a number from 0 to 1, of at most three digits behind the point", what),
             fmt::format("write {} = 0.8", what));
}

}  // namespace

Status read_proposals(const toml::node& node, Policy& policy) {
  const auto* table = node.as_table();
  if (table == nullptr) return bad(node.source(), "write [proposals] as a table");
  TRY(only_known(*table, "[proposals]", {"start", "person", "log", "same_text", "same_embedding"}));
  ProposalRules& rules = policy.proposals;
  const toml::node* start = table->get("start");
  if (start != nullptr && start->value_exact<std::string>() == "never") {
    rules.start = ProposalRules::kNever;
  } else if (start != nullptr) {
    rules.start = TRY(thousandths_of(*start, "start"));
  }
  if (const auto* at = table->get("person")) rules.person = TRY(thousandths_of(*at, "person"));
  if (const auto* at = table->get("log")) rules.log = TRY(thousandths_of(*at, "log"));
  if (const auto* at = table->get("same_text")) {
    rules.same_text = TRY(thousandths_of(*at, "same_text"));
  }
  if (const auto* at = table->get("same_embedding")) {
    rules.same_embedding = TRY(thousandths_of(*at, "same_embedding"));
  }
  if (rules.log > rules.person || rules.person > rules.start) {
    return bad(table->source(),
               "start, person and log are not in order: what may start by itself has the highest "
               "score, what is discarded the lowest",
               "the defaults are start = 0.8, person = 0.5 and log = 0.3");
  }
  if (rules.same_text == 0 || rules.same_embedding == 0) {
    return bad(table->source(), "with same_text or same_embedding 0 every proposal is the same");
  }
  return {};
}

}  // namespace gittxn::gates
