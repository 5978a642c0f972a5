#include "txn/bounds/budget_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/duration.h"

namespace gittxn::api {

using store::Kind;

std::string budget_kinds() {
  std::string out;
  for (std::size_t i = 0; i < store::kKinds; ++i) {
    out += (i == 0 ? "" : ", ") + std::string(store::kind_name(static_cast<Kind>(i)));
  }
  return out;
}

std::unexpected<Error> no_budget(std::string_view text, std::string_view why) {
  return fail(Code::kUsage, fmt::format("'{}' is no budget: {}", text, why),
              "write KIND=VALUE, such as input=200k, cost=2.50, calls=500, wall=10m or bytes=1M; "
              "the kinds are " +
                  budget_kinds());
}

namespace {

constexpr int kMicroDigits = 6;

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && !text.empty() && text[0] != '-' ? std::optional(value) : std::nullopt;
}

// "200k": thousands, "1M": millions, "2G": thousands of these.
std::optional<std::int64_t> counted(std::string_view text) {
  constexpr std::string_view kUnits = "kMG";
  std::int64_t unit = 1;
  if (!text.empty()) {
    const std::size_t at = kUnits.find(text.back());
    for (std::size_t i = 0; at != std::string_view::npos && i <= at; ++i) unit *= 1000;
    if (at != std::string_view::npos) text.remove_suffix(1);
  }
  const auto number = whole(text);
  if (!number || *number > store::kMaxAmount / unit) return std::nullopt;
  return *number * unit;
}

// "2.50" as millionths.
std::optional<std::int64_t> money(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto units = whole(text.substr(0, dot));
  std::string rest(dot == std::string_view::npos ? "0" : text.substr(dot + 1));
  if (!units || *units > store::kMaxAmount / kCostUnit || rest.size() > kMicroDigits) {
    return std::nullopt;
  }
  rest.resize(kMicroDigits, '0');
  const auto micros = whole(rest);
  return micros && !text.ends_with('.') ? std::optional(*units * kCostUnit + *micros)
                                        : std::nullopt;
}

Result<std::int64_t> amount_of(Kind kind, std::string_view text, std::string_view whole_text) {
  if (kind == Kind::kWall) {
    const auto ms = parse_duration_ms(text);
    if (!ms) return no_budget(whole_text, ms.error().message);
    return *ms;
  }
  const auto amount = kind == Kind::kCost ? money(text) : counted(text);
  if (!amount)
    return no_budget(whole_text, fmt::format("'{}' is not a number that it could be", text));
  return *amount;
}

}  // namespace

Result<std::vector<BudgetValue>> parse_budget(const std::vector<std::string>& texts) {
  std::vector<BudgetValue> values;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto kind = store::kind_from_name(std::string_view(text).substr(0, equals));
    if (equals == std::string::npos) return no_budget(text, "it has no '='");
    if (!kind) return no_budget(text, "there is no such kind");
    if (std::ranges::any_of(values, [&](const auto& one) { return one.kind == *kind; })) {
      return no_budget(text, "this kind has one already");
    }
    const std::string_view value = std::string_view(text).substr(equals + 1);
    BudgetValue parsed{*kind, std::nullopt};
    if (value != "none") {
      parsed.amount = TRY(amount_of(*kind, value, text));
      if (*parsed.amount <= 0) return no_budget(text, "it has to be above 0");
      if (*parsed.amount > store::kMaxAmount) return no_budget(text, "it is too large");
    }
    values.push_back(parsed);
  }
  return values;
}

std::string amount_text(Kind kind, std::int64_t amount) {
  if (kind == Kind::kWall) return format_duration(amount);
  if (kind != Kind::kCost) return std::to_string(amount);
  return fmt::format("{}.{:06}", amount / kCostUnit, amount % kCostUnit);
}

}  // namespace gittxn::api
