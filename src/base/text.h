// Text cut into pieces, which are views of it. Each ends before the mark; the last may end with the
// text, and what stands behind the last mark is no piece when it is empty. Letters and white space
// are those of ASCII.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
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

// "a, b and 3 more": the first of them.
inline std::string listed(const std::vector<std::string>& names, std::size_t most = SIZE_MAX) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

// Without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t from = std::min(text.find_first_not_of(kSpaces), text.size());
  return text.substr(from, text.find_last_not_of(kSpaces) + 1 - from);
}

inline std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// True if the word stands in the text with no letter or digit beside it.
inline bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_a_word = [&text](std::size_t at) {
    const char c = lower_ascii(text.substr(at, 1))[0];
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_a_word(at - 1)) && (end >= text.size() || !is_of_a_word(end)))
      return true;
  }
  return false;
}

}  // namespace gittxn
