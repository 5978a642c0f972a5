#include "land/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/json.h"
#include "base/text.h"

namespace gittxn::land {

namespace {

constexpr std::string_view kOwnPrefix = "Txn-";

std::string clean_field(std::string cleaned) {
  std::erase_if(cleaned, [](char c) { return c == '<' || c == '>' || c == '\n' || c == '\0'; });
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

using MessageLines = std::vector<std::string_view>;

// "Some-Token: value"
bool is_trailer(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos || colon == 0) return false;
  return std::ranges::all_of(line.substr(0, colon), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void drop_blank_tail(MessageLines& lines) {
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
}

// Index of the first line of the last paragraph when all of it is trailers and it is not the
// subject; lines.size() otherwise.
std::size_t trailer_block(const MessageLines& lines) {
  std::size_t first = lines.size();
  while (first > 0 && !trimmed(lines[first - 1]).empty()) --first;
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
  MessageLines lines = lines_of(message);
  drop_blank_tail(lines);
  const auto block = lines.begin() + static_cast<std::ptrdiff_t>(trailer_block(lines));
  lines.erase(std::remove_if(block, lines.end(),
                             [](std::string_view line) { return line.starts_with(kOwnPrefix); }),
              lines.end());
  drop_blank_tail(lines);
  if (!lines.empty() && trailer_block(lines) == lines.size()) lines.emplace_back();
  std::string whole;
  for (const std::string_view line : lines) whole.append(line).append("\n");
  for (const auto& [name, value] : trailers) whole += fmt::format("{}: {}\n", name, value);
  return whole;
}

std::string mended_words(const Mended& one) {
  const bool plain = std::ranges::none_of(
      one.path, [](unsigned char c) { return c < ' ' || c == '"' || c == '\\' || c == 0x7f; });
  const bool padded = one.path.starts_with(' ') || one.path.ends_with(' ');
  return one.rule + " " +
         (plain && !padded ? one.path : canonical_json(Json(encode_path(one.path))));
}

std::vector<Mended> mended_in(std::string_view message) {
  MessageLines lines = lines_of(message);
  drop_blank_tail(lines);
  std::vector<Mended> all;
  for (std::size_t i = trailer_block(lines); i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (!line.starts_with(kMendedTrailer)) continue;
    line.remove_prefix(kMendedTrailer.size());
    const std::size_t space = line.find(' ', 2);
    if (!line.starts_with(": ") || space == std::string_view::npos) continue;
    Mended one{std::string(line.substr(2, space - 2)), std::string(line.substr(space + 1))};
    if (one.path.starts_with('"')) {
      const auto path = parse_json(one.path);
      if (!path || !path->is_string()) continue;
      one.path = decode_path(path->text());
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::string trailer_of(std::string_view message, std::string_view name) {
  MessageLines lines = lines_of(message);
  drop_blank_tail(lines);
  std::string_view value;
  for (std::size_t i = trailer_block(lines); i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string::npos || lines[i].substr(0, colon) != name) continue;
    value = lines[i].substr(std::min(lines[i].find_first_not_of(' ', colon + 1), lines[i].size()));
  }
  return std::string(value);
}

}  // namespace gittxn::land
