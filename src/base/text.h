// Text cut into pieces, which are views of it. Each ends before the mark; the last may end with the
// text, and what stands behind the last mark is no piece when it is empty.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace gittxn {

inline std::vector<std::string_view> pieces_of(std::string_view text, char mark) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(mark), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  return pieces_of(text, '\n');
}

}  // namespace gittxn
