// Changes that both sides of a merge made alike and the result has once: one line that both
// appended, one number that both counted up. Of a counter, a list or a log that is an update that
// is lost, so who merges the work of two transactions must not take it for one decision of both.
#include "land/judge/symbols.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "semantic/symbol.h"

namespace gittxn::land {
namespace {

using Lines = std::unordered_map<std::string_view, int>;

Lines counted(std::string_view text) {
  Lines counts;
  for (const std::string_view line : lines_of(text)) ++counts[line];
  return counts;
}

int count_of(const Lines& lines, std::string_view line) {
  const auto at = lines.find(line);
  return at == lines.end() ? 0 : at->second;
}

bool has_a_word(std::string_view line) {
  return std::ranges::any_of(line, [](unsigned char c) { return std::isalnum(c) != 0 || c > 127; });
}

std::set<std::string_view> lines_of_imports(const semantic::Language* language,
                                            const std::string& text) {
  std::set<std::string_view> lines;
  if (language == nullptr) return lines;
  const semantic::FileSymbols symbols = semantic::symbols_of(language, "", text, {});
  for (const semantic::Symbol& symbol : symbols.symbols) {
    if (symbol.kind != "import") continue;
    for (const semantic::Extent& extent : symbol.extents) {
      const std::string_view part = std::string_view(text).substr(extent.begin);
      const auto within = lines_of(part.substr(0, extent.end - extent.begin));
      lines.insert(within.begin(), within.end());
    }
  }
  return lines;
}

}  // namespace

std::optional<std::string> made_once(const semantic::Language* language,
                                     const semantic::Sides<std::string>& texts,
                                     const std::string& merged) {
  const Lines base = counted(texts[semantic::kBase]);
  const Lines left = counted(texts[semantic::kLeft]);
  const Lines right = counted(texts[semantic::kRight]);
  const Lines both = counted(merged);
  std::optional<std::set<std::string_view>> imports;
  const auto is_import = [&](std::string_view line) {
    if (!imports) {
      imports = lines_of_imports(language, texts[semantic::kLeft]);
      imports->merge(lines_of_imports(language, texts[semantic::kBase]));
    }
    return imports->contains(line);
  };
  std::optional<std::string> found;
  const auto look = [&](std::string_view line) {
    const int was = count_of(base, line);
    const int by_left = count_of(left, line) - was, by_right = count_of(right, line) - was;
    const int now = count_of(both, line) - was;
    const bool once = (by_left > 0 && by_right > 0 && now < by_left + by_right) ||
                      (by_left < 0 && by_right < 0 && now > by_left + by_right);
    if (!once || (found && line >= *found)) return;
    if (language != nullptr && (!has_a_word(line) || is_import(line))) return;
    found = std::string(line);
  };
  for (const auto& [line, count] : left) look(line);
  for (const auto& [line, count] : base) look(line);
  return found;
}

}  // namespace gittxn::land
