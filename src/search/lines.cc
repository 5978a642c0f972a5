#include <algorithm>

#include "base/text.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

std::string prefix(const Query& query, const std::string& name, std::size_t number, char sign) {
  std::string text;
  if (!name.empty()) text += name + sign;
  if (query.line_numbers) text += std::to_string(number) + sign;
  return text;
}

// The parts of a line that match, one a line. An empty match is printed by some and not by others.
bool print_parts(const Matcher& matcher, const std::string& start, std::string_view line,
                 std::vector<std::string>& out) {
  for (std::size_t from = 0; from <= line.size();) {
    Match match;
    const Found found = matcher.find(line, from, match);
    if (found == Found::kUnknown || (found == Found::kYes && match.begin == match.end))
      return false;
    if (found == Found::kNo) break;
    out.push_back(start + std::string(line.substr(match.begin, match.end - match.begin)));
    from = match.end;
  }
  return true;
}

void print_groups(const Query& query, const std::string& name,
                  const std::vector<std::string_view>& lines, const std::vector<bool>& selected,
                  std::vector<std::string>& out) {
  std::vector<bool> shown(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!selected[i]) continue;
    const std::size_t first = i - std::min<std::size_t>(i, query.before);
    const std::size_t last = std::min(lines.size() - 1, i + query.after);
    for (std::size_t k = first; k <= last; ++k) shown[k] = true;
  }
  const bool context = query.before + query.after > 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!shown[i]) continue;
    if (context && !out.empty() && !shown[i - 1]) out.emplace_back("--");
    out.push_back(prefix(query, name, i + 1, selected[i] ? ':' : '-') + std::string(lines[i]));
  }
}

}  // namespace

PathAnswer lines_of(const Query& query, const Matcher& matcher, const std::string& name,
                    std::string_view text) {
  PathAnswer result;
  if (!answer_is_certain(query, text)) return {false, false, {}};
  const std::vector<std::string_view> lines = gittxn::lines_of(text);
  std::vector<bool> selected(lines.size(), false);
  std::size_t count = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (query.max_per_file != 0 && count == query.max_per_file) break;
    Match match;
    const Found found = matcher.find(lines[i], 0, match);
    if (found == Found::kUnknown) return {false, false, {}};
    selected[i] = (found == Found::kYes) != query.invert;
    count += selected[i] ? 1 : 0;
  }
  result.selected = count > 0;
  if (query.shown == Shown::kLines) print_groups(query, name, lines, selected, result.lines);
  if (query.shown == Shown::kOnlyMatching) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!selected[i]) continue;
      const std::string start = prefix(query, name, i + 1, ':');
      if (!print_parts(matcher, start, lines[i], result.lines)) return {false, false, {}};
    }
  }
  if (query.shown == Shown::kCount && (count > 0 || query.tool == Tool::kGrep)) {
    result.lines.push_back((name.empty() ? "" : name + ":") + std::to_string(count));
  }
  if (query.shown == (count > 0 ? Shown::kWithMatch : Shown::kWithoutMatch)) {
    result.lines.push_back(name);
  }
  return result;
}

}  // namespace gittxn::search
