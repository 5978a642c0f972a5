#include "questions/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/text.h"

namespace gittxn::questions {
namespace {

constexpr std::size_t kMostFailed = 100;
constexpr std::size_t kMostName = 80;

// ---- lines ----

// The bytes of an escape sequence that begins here, beside ESC itself.
std::size_t escape_length(std::string_view rest) {
  if (rest.empty()) return 0;
  if (rest.front() == '[') {  // up to a final byte
    const auto is_final = [](char c) { return c >= 0x40 && c <= 0x7e; };
    const auto end = std::find_if(rest.begin() + 1, rest.end(), is_final);
    return static_cast<std::size_t>(end - rest.begin()) + (end == rest.end() ? 0 : 1);
  }
  if (rest.front() != ']') return 1;
  const std::size_t end = rest.find_first_of("\x07\x1b");  // a title, up to BEL or ESC \.
  return end == rest.npos ? rest.size() : end + (rest[end] == '\x1b' ? 2 : 1);
}

struct Character {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 && lead < 0xf5   ? 4
                            : lead >= 0xe0 && lead < 0xf0 ? 3
                            : lead >= 0xc2 && lead < 0xe0 ? 2
                                                          : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0xffU >> (bytes + 1));
  for (const char c : text.substr(1, bytes - 1)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  return value < kLeast[bytes] || surrogate || value > 0x10ffff ? Character{}
                                                                : Character{value, bytes};
}

bool is_shown(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
  const bool direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                         (c >= 0x2066 && c <= 0x2069);
  return !direction && c != 0x2028 && c != 0x2029 && c != 0xfeff;
}

// ---- failures ----

// A line that tells of a failure: after white space it begins with `begins`, has `has`, and the
// name stands behind `after` and before `ends`; "" each: nothing is asked of it.
struct Mark {
  std::string_view begins, has, after, ends;
  enum class Ends { kHas, kMay } must = Ends::kMay;  // the line has `ends`
};
using enum Mark::Ends;
// The first that a text has counts, so the sure ones come first.
constexpr Mark kMarks[] = {
    {"FAIL: ", "", "", " (", kHas},          // unittest
    {"ERROR: ", "", "", " (", kHas},         // ... that did not get to its end
    {"FAILED ", "::", "", " - ", kMay},      // pytest
    {"ERROR ", ".py", "", " - ", kMay},      // ... a file that cannot be collected
    {"--- FAIL: ", "", "", " (", kMay},      // go test
    {"test ", "", "", " ... FAILED", kHas},  // cargo test
    {"not ok ", " - ", " - ", " # ", kMay},  // TAP
    {"\u2716 ", "", "", " (", kHas},         // node --test
    {"\u25cf ", " \u203a ", "", "", kMay},   // jest
    {"\u2715 ", "", "", " (", kMay},         // ... one line a test
    {"FAIL ", " > ", "", "", kMay},          // vitest
    {"\u00d7 ", "", "", "", kMay},           // ... one line a test
    {"", " - ", " - ", " (Failed)", kHas},   // ctest
    {"", " > ", "", " FAILED", kHas},        // gradle
    {"Failed ", "", "", " [", kHas},         // dotnet test
    {"1) ", "", "", "", kMay},               // mocha
    {"", ": error", "", "", kMay},           // compilers and type checkers
    {"", "error[", "", "", kMay},            // rustc
};

std::string_view name_in(std::string_view line, const Mark& mark) {
  if (!line.starts_with(mark.begins) || !line.contains(mark.has)) return {};
  line.remove_prefix(mark.begins.size());
  if (!mark.after.empty()) {
    const std::size_t at = line.find(mark.after);
    if (at == line.npos) return {};
    line.remove_prefix(at + mark.after.size());
  }
  const std::size_t end = mark.ends.empty() ? line.npos : line.rfind(mark.ends);
  if (end == line.npos && mark.must == kHas) return {};
  return trimmed(line.substr(0, end));
}

// The first mark that a text has, and its first line with that.
struct FirstFailure {
  const Mark* mark = nullptr;
  std::size_t line = 0;
};
FirstFailure first_failure(const std::vector<std::string>& lines) {
  for (const Mark& mark : kMarks) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!name_in(lines[i], mark).empty()) return {&mark, i};
    }
  }
  return {};
}

std::vector<std::string> plain_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(text)) {
    lines.emplace_back(trimmed(plain(line, 4 * kMostName)));
  }
  return lines;
}

std::string shown_lines(const std::vector<std::string_view>& lines, std::size_t from,
                        std::size_t most) {
  std::string out;
  for (std::size_t i = from; i < lines.size() && i < from + most; ++i) {
    out += plain(lines[i]) + "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

// ---- differences ----

std::string quoted(std::string_view line) {
  return "'" + plain(line, kMostName) + "'";
}

std::string other_line(std::size_t number, std::string_view before, std::string_view now) {
  const std::string was = quoted(before), is = quoted(now);
  if (was == is) return fmt::format("line {} is another one", number);
  return fmt::format("line {} was {} and is {}", number, was, is);
}

std::string in_order(const std::vector<std::string_view>& before,
                     const std::vector<std::string_view>& now) {
  const auto [was, is] = std::ranges::mismatch(before, now);
  const auto number = static_cast<std::size_t>(was - before.begin()) + 1;
  if (was == before.end() && is == now.end()) return "the last line ends otherwise";
  if (was == before.end()) return fmt::format("line {} is new, {}", number, quoted(*is));
  if (is == now.end()) return fmt::format("line {} is gone, {}", number, quoted(*was));
  return other_line(number, *was, *is);
}

std::string in_any_order(std::vector<std::string_view> before, std::vector<std::string_view> now) {
  std::ranges::sort(before);
  std::ranges::sort(now);
  std::vector<std::string_view> gone, come;
  std::ranges::set_difference(before, now, std::back_inserter(gone));
  std::ranges::set_difference(now, before, std::back_inserter(come));
  if (!gone.empty() && !come.empty()) {
    return fmt::format("{} is gone, and {} is new", quoted(gone.front()), quoted(come.front()));
  }
  if (!gone.empty()) return quoted(gone.front()) + " is gone";
  return come.empty() ? "the last line ends otherwise" : quoted(come.front()) + " is new";
}

}  // namespace

std::string plain(std::string_view line, std::size_t most) {
  std::string out;
  while (!line.empty()) {
    if (line.front() == '\x1b') {
      line.remove_prefix(1);
      line.remove_prefix(escape_length(line));
      continue;
    }
    const Character one = first_character(line);
    const std::string_view bytes = line.substr(0, std::max<std::size_t>(one.bytes, 1));
    if (one.value == '\t') {
      out += ' ';
    } else if (one.bytes != 0 && is_shown(one.value)) {
      if (out.size() + bytes.size() > most) return out + "...";
      out += bytes;
    }
    line.remove_prefix(bytes.size());
  }
  return out;
}

std::vector<std::string> failed(std::string_view text) {
  const std::vector<std::string> lines = plain_lines(text);
  const FirstFailure first = first_failure(lines);
  std::vector<std::string> names;
  if (first.mark == nullptr) return names;
  for (std::size_t i = first.line; i < lines.size() && names.size() < kMostFailed; ++i) {
    std::string name = plain(name_in(lines[i], *first.mark), kMostName);
    const bool known = std::ranges::find(names, name) != names.end();
    if (!name.empty() && !known) names.push_back(std::move(name));
  }
  return names;
}

std::string last_lines(std::string_view text, std::size_t most) {
  const std::vector<std::string_view> lines = lines_of(trimmed(text));
  return shown_lines(lines, lines.size() - std::min(most, lines.size()), most);
}

std::string failure_lines(std::string_view text, std::size_t most) {
  const std::string_view whole = trimmed(text);
  const std::vector<std::string_view> lines = lines_of(whole);
  const FirstFailure first = first_failure(plain_lines(whole));
  const std::size_t last = lines.size() - std::min(most, lines.size());
  return shown_lines(lines, first.mark == nullptr ? last : std::min(first.line, last), most);
}

std::string first_difference(std::string_view before, std::string_view now, Order order) {
  if (before == now) return {};
  const auto was = lines_of(before), is = lines_of(now);
  return order == Order::kItsOwn ? in_order(was, is) : in_any_order(was, is);
}

}  // namespace gittxn::questions
