#include "base/duration.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace gittxn {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};
constexpr std::array<Unit, 5> kUnits = {
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::int64_t kMaxMs = 366LL * 86'400'000;

std::unexpected<Error> bad(std::string_view text, std::string_view why) {
  return fail(Code::kUsage, fmt::format("'{}' is not a duration: {}", text, why),
              "write a number with a unit, such as 250ms, 90s, 10m, 2h or 1h30m");
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

}  // namespace

Result<std::int64_t> parse_duration_ms(std::string_view text) {
  if (text == "0") return 0;
  if (text.empty()) return bad(text, "it is empty");
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t digits = at;
    std::int64_t number = 0;
    while (at < text.size() && is_digit(text[at])) {
      number = number * 10 + (text[at++] - '0');
      if (number > kMaxMs) return bad(text, "it is longer than a year");
    }
    if (at == digits) return bad(text, "a number is missing");
    std::size_t letters = at;
    while (at < text.size() && is_letter(text[at])) ++at;
    std::string_view name = text.substr(letters, at - letters);
    if (name.empty()) return bad(text, "it has no unit");
    std::size_t unit = next_unit;
    while (unit < kUnits.size() && kUnits[unit].name != name) ++unit;
    if (unit == kUnits.size()) return bad(text, fmt::format("'{}' is out of place", name));
    // Checked before it is multiplied, so that nothing can overflow.
    if (number > kMaxMs / kUnits[unit].ms) return bad(text, "it is longer than a year");
    total += number * kUnits[unit].ms;
    if (total > kMaxMs) return bad(text, "it is longer than a year");
    next_unit = unit + 1;
  }
  return total;
}

std::string format_duration(std::int64_t ms) {
  if (ms < 0) ms = 0;
  if (ms < 100) return fmt::format("{} ms", ms);
  // Tenths are cut off, not rounded, so that 9.96 s does not become "10.0 s".
  if (ms < 10'000) return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  std::int64_t seconds = ms / 1000;
  if (seconds < 60) return fmt::format("{} s", seconds);
  std::int64_t minutes = seconds / 60;
  if (minutes < 10 && seconds % 60 != 0) return fmt::format("{} min {} s", minutes, seconds % 60);
  if (minutes < 60) return fmt::format("{} min", minutes);
  std::int64_t hours = minutes / 60;
  if (hours < 24 && minutes % 60 != 0) return fmt::format("{} h {} min", hours, minutes % 60);
  if (hours < 24) return fmt::format("{} h", hours);
  if (hours % 24 != 0) return fmt::format("{} d {} h", hours / 24, hours % 24);
  return fmt::format("{} d", hours / 24);
}

}  // namespace gittxn
