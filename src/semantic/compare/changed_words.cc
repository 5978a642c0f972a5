#include "semantic/compare/file_footprint.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

// What a reader of prose takes for code: in `back quotes`, or with a parenthesis behind it.
std::vector<std::string_view> code_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : words_of(line)) {
    const auto begin = static_cast<std::size_t>(word.data() - line.data());
    const bool call = begin + word.size() < line.size() && line[begin + word.size()] == '(';
    const auto quotes =
        std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(begin), '`');
    if (call || quotes % 2 == 1) words.push_back(word);
  }
  return words;
}

std::string_view text_of(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view();
}

}  // namespace

std::set<std::string_view> changed_words(const FileChange& change) {
  std::unordered_map<std::string_view, int> count;
  std::set<std::string_view> words;
  const std::string_view a = text_of(change.before), b = text_of(change.after);
  if (a.contains('\0') || b.contains('\0')) {
    return words;
  }
  for (const std::string_view line : lines_of(a)) ++count[line];
  for (const std::string_view line : lines_of(b)) --count[line];
  const bool prose = is_prose(change.path);
  for (const auto& [line, times] : count) {
    if (times == 0) continue;
    const auto found = prose && line.size() < 10'000 ? code_words(line) : words_of(line);
    words.insert(found.begin(), found.end());
  }
  return words;
}

}  // namespace gittxn::semantic
