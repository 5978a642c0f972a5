// The words of a landing commit: see message.h.
#include "land/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace gittxn::land {

namespace {

constexpr std::string_view kOwnPrefix = "Txn-";

std::string clean_field(std::string_view text) {
  std::string cleaned;
  for (const char c : text) {
    if (c != '<' && c != '>' && c != '\n' && c != '\0') cleaned += c;
  }
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!cleaned.empty() && blank(cleaned.back())) cleaned.pop_back();
  cleaned.erase(cleaned.begin(), std::find_if_not(cleaned.begin(), cleaned.end(), blank));
  return cleaned;
}

std::string zone_at(std::time_t when) {
  std::tm local{};
  if (::localtime_r(&when, &local) == nullptr) return "+0000";
  const long minutes = local.tm_gmtoff / 60;
  const long positive = minutes < 0 ? -minutes : minutes;
  return fmt::format("{}{:02}{:02}", minutes < 0 ? '-' : '+', positive / 60, positive % 60);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

// "Some-Token: value"
bool is_trailer(const std::string& line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos || colon == 0) return false;
  return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void drop_blank_tail(std::vector<std::string>& lines) {
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
}

// Index of the first line of the last paragraph when all of it is trailers and it is not the
// subject; lines.size() otherwise.
std::size_t trailer_block(const std::vector<std::string>& lines) {
  std::size_t first = lines.size();
  while (first > 0 && !is_blank(lines[first - 1])) --first;
  if (first == 0) return lines.size();
  for (std::size_t i = first; i < lines.size(); ++i) {
    const bool continued = i > first && (lines[i][0] == ' ' || lines[i][0] == '\t');
    if (!continued && !is_trailer(lines[i])) return lines.size();
  }
  return first;
}

}  // namespace

std::string raw_identity(const Identity& who, std::int64_t wall_ms) {
  const auto when = static_cast<std::time_t>(wall_ms / 1000);
  return fmt::format("{} <{}> {} {}", clean_field(who.name), clean_field(who.email), when,
                     zone_at(when));
}

std::string with_trailers(std::string_view message, const Trailers& trailers) {
  std::vector<std::string> lines = lines_of(message);
  drop_blank_tail(lines);
  std::size_t block = trailer_block(lines);
  for (std::size_t i = lines.size(); i > block; --i) {
    if (lines[i - 1].starts_with(kOwnPrefix)) lines.erase(lines.begin() + (i - 1));
  }
  drop_blank_tail(lines);
  block = trailer_block(lines);
  if (!lines.empty() && block == lines.size()) lines.emplace_back();
  for (const auto& [name, value] : trailers) lines.push_back(name + ": " + value);
  std::string whole;
  for (const std::string& line : lines) whole += line + "\n";
  return whole;
}

std::string trailer_of(std::string_view message, std::string_view name) {
  std::vector<std::string> lines = lines_of(message);
  drop_blank_tail(lines);
  std::string value;
  for (std::size_t i = trailer_block(lines); i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string::npos || lines[i].substr(0, colon) != name) continue;
    const std::size_t from = lines[i].find_first_not_of(' ', colon + 1);
    value = from == std::string::npos ? "" : lines[i].substr(from);
  }
  return value;
}

}  // namespace gittxn::land
