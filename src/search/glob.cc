#include "search/glob.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <ranges>
#include <span>

namespace gittxn::search {
namespace {

constexpr std::size_t kMaxGlob = 300;
constexpr std::size_t kMaxRules = 5'000;

bool plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_.-+@,*").contains(c);
}

Refined<void> check(std::string_view glob, std::string_view also) {
  if (glob.empty() || glob.size() > kMaxGlob) return not_refined("glob: empty or too long");
  for (const char c : glob) {
    if (!plain(c) && !also.contains(c)) {
      return not_refined("glob: signs that are not understood");
    }
  }
  return {};
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slash = text.find('/');
    parts.emplace_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

// "**" is any number of names, and at the end at least one.
bool segments_match(std::span<const std::string> glob, std::span<const std::string> path) {
  if (glob.empty()) return path.empty();
  if (glob[0] != "**") {
    return !path.empty() && glob_matches(glob[0], path[0]) &&
           segments_match(glob.subspan(1), path.subspan(1));
  }
  if (glob.size() == 1) return !path.empty();
  for (std::size_t skip = 0; skip <= path.size(); ++skip) {
    if (segments_match(glob.subspan(1), path.subspan(skip))) return true;
  }
  return false;
}

}  // namespace

Refined<void> check_name_glob(std::string_view glob) {
  return check(glob, "");
}
Refined<void> check_path_glob(std::string_view glob) {
  return check(glob, "/");
}

bool glob_matches(std::string_view glob, std::string_view text, Letters letters) {
  const int flags = letters == Letters::kAnyCase ? FNM_CASEFOLD : 0;
  return ::fnmatch(std::string(glob).c_str(), std::string(text).c_str(), flags) == 0;
}

Refined<IgnoreRule> parse_rule(std::string_view line) {
  IgnoreRule rule;
  if (line.starts_with('!')) {
    rule.negated = true;
    line.remove_prefix(1);
  }
  TRY(check(line, "/"));
  if (line.ends_with('/')) {
    rule.directories_only = true;
    line.remove_suffix(1);
  }
  rule.anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  rule.segments = split(line);
  int deep = 0;
  for (const std::string& segment : rule.segments) {
    if (segment.empty() || segment == "." || segment == "..") return not_refined("glob: odd path");
    if (segment == "**" && ++deep > 2) return not_refined("glob: many **");
    if (segment != "**" && segment.find("**") != std::string::npos) {
      return not_refined("glob: ** in a name");
    }
  }
  if (!rule.anchored && rule.segments[0] == "**") return not_refined("glob: ** alone");
  return rule;
}

bool IgnoreRule::matches(std::string_view path, std::string_view last, Target target) const {
  if (directories_only && target != Target::kDirectory) return false;
  if (!anchored) return glob_matches(segments[0], last);
  return segments_match(segments, split(path));
}

bool IgnoreRules::anchored() const {
  return std::ranges::any_of(rules, [](const IgnoreRule& rule) { return rule.anchored; });
}

Ruling IgnoreRules::ruling(std::string_view path, Target target) const {
  const std::string_view last = path.substr(path.rfind('/') + 1);  // npos + 1 is the beginning
  for (const IgnoreRule& rule : std::views::reverse(rules)) {
    if (rule.matches(path, last, target)) return rule.negated ? Ruling::kKept : Ruling::kIgnored;
  }
  return Ruling::kNone;
}

IgnoreRules parse_ignore_file(std::string_view text) {
  IgnoreRules file;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part);
    if (line.empty() || line.starts_with('#')) continue;
    Refined<IgnoreRule> rule = parse_rule(line);
    if (!rule || file.rules.size() >= kMaxRules) return {.opaque = true, .rules = {}};
    file.rules.push_back(*std::move(rule));
  }
  return file;
}

}  // namespace gittxn::search
