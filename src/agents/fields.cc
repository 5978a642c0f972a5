#include "agents/fields.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "agents/observation.h"
#include "base/hash.h"
#include "base/text.h"

namespace gittxn::agents {

namespace {

constexpr std::size_t kMaxValues = 1u << 20;
constexpr std::size_t kMaxName = 1024;
constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;

// Values by the characters outside strings; prose in strings is full of commas.
std::size_t values_in(std::string_view text) {
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == ',' || c == '[' || c == '{' || c == ':') {
      ++values;
    }
  }
  return values;
}

// The code unit of "\uXXXX" at `i`, or -1.
int escape_at(std::string_view text, std::size_t i) {
  if (i + 6 > text.size() || text[i] != '\\' || text[i + 1] != 'u') return -1;
  unsigned unit = 0;
  const char* begin = text.data() + i + 2;
  const auto [end, error] = std::from_chars(begin, begin + 4, unit, 16);
  return error == std::errc() && end == begin + 4 ? static_cast<int>(unit) : -1;
}

std::string without_lone_surrogates(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const int unit = escape_at(text, i);
    if (unit >= 0xD800 && unit < 0xDC00) {
      const int low = escape_at(text, i + 6);
      const bool pair = low >= 0xDC00 && low < 0xE000;
      out += pair ? text.substr(i, 12) : "\\ufffd";
      i += pair ? 12 : 6;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      out += "\\ufffd";
      i += 6;
    } else {
      const std::size_t length = text[i] == '\\' ? 2 : 1;  // "\\\\ud800" is no escape
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

// The number in `width` digits at `i`, or -1.
int digits(std::string_view text, std::size_t i, std::size_t width) {
  unsigned value = 0;
  const std::string_view figures = text.substr(std::min(i, text.size()), width);
  const auto [end, error] = std::from_chars(figures.begin(), figures.end(), value);
  const bool whole = error == std::errc() && end == figures.end() && figures.size() == width;
  return whole ? static_cast<int>(value) : -1;
}

}  // namespace

Result<Json> parse_foreign(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes && values_in(text) > kMaxValues) {
    return fail(Code::kCorrupt, "JSON of more than a million values");
  }
  auto json = parse_json(text, {.max_bytes = max_bytes});
  if (json || text.size() > max_bytes) return json;
  if (!text.contains("\\ud") && !text.contains("\\uD")) return json;
  return parse_json(without_lone_surrogates(text), {.max_bytes = max_bytes});
}

bool flag_at(const Json& object, std::string_view key) {
  return object[key] == true;
}

std::string text_at(const Json& object, std::string_view key, std::size_t max) {
  std::string text = object[key].text_or("");
  return text.size() <= max ? text : "";
}

std::string name_at(const Json& object, std::string_view key) {
  return text_at(object, key, kMaxName);
}

std::optional<std::string> as_path(std::string_view text) {
  if (text.empty() || text.size() > kMaxPath || text.contains('\0')) return {};
  return std::string(text);
}

std::optional<std::string> path_at(const Json& object, std::string_view key) {
  return as_path(text_at(object, key, kMaxPath));
}

std::optional<std::int64_t> count_at(const Json& object, std::string_view key) {
  const Json& value = object[key];
  std::int64_t number = -1;
  if (value.is_integer()) {
    number = value.get<std::int64_t>();
  } else if (value.is_number()) {
    const double real = value.get<double>();
    const bool fits = real >= 0 && real <= static_cast<double>(kMaxCount);
    if (fits && std::floor(real) == real) number = static_cast<std::int64_t>(real);
  } else if (value.is_string()) {
    const auto& text = value.text();
    std::int64_t parsed = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (error == std::errc() && end == text.data() + text.size()) number = parsed;
  }
  if (number < 0 || number > kMaxCount) return {};
  return number;
}

std::int64_t count_or(const Json& object, std::string_view key, std::int64_t fallback) {
  return count_at(object, key).value_or(fallback);
}

std::int64_t parse_utc(std::string_view text) {
  // 2026-11-21T09:18:01[.340...]Z
  if (text.size() < 20 || text.size() > 40 || text.back() != 'Z' || text[4] != '-' ||
      text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':') {
    return 0;
  }
  const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 ||
      minute < 0 || minute > 59 || second < 0 || second > 60) {
    return 0;
  }
  std::int64_t ms = 0;
  if (text.size() > 20) {
    if (text[19] != '.' || text.size() == 21) return 0;
    std::int64_t unit = 100;
    for (const char c : text.substr(20, text.size() - 21)) {
      if (c < '0' || c > '9') return 0;
      ms += (c - '0') * unit;
      unit /= 10;
    }
  }
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  return ((date.time_since_epoch().count() * 24LL + hour) * 60 + minute) * 60000 +
         std::int64_t{second} * 1000 + ms;
}

std::string from_file_url(std::string_view text) {
  constexpr std::string_view kScheme = "file://";
  if (!text.starts_with(kScheme)) return std::string(text);
  text.remove_prefix(kScheme.size());
  return text.starts_with('/') ? decode_path(text) : std::string(kScheme) + std::string(text);
}

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool says_absent(std::string_view error) {
  constexpr std::string_view kPhrases[] = {"no such file or directory",
                                           "enoent",
                                           "does not exist",
                                           "doesn't exist",
                                           "file not found",
                                           "path not found",
                                           "cannot find the file"};
  const std::string low = lower_ascii(error.substr(0, std::size_t{64} << 10));
  return std::ranges::any_of(kPhrases, [&](auto phrase) { return low.contains(phrase); });
}

Json cut_marker(std::string_view text) {
  return {{"cut_bytes", text.size()}, {"sha256", sha256(text).str()}};
}

bool is_text_or_cut(const Json& value) {
  return value.is_string() || (value.is_object() && value.size() == 2 &&
                               value.contains("cut_bytes") && value.contains("sha256"));
}

}  // namespace gittxn::agents
