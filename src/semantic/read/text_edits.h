// Differences of two texts, line by line, good enough to parse the second one from the first: runs
// of lines between lines that each has once and in the same order. Not the smallest difference, and
// not git's (line_merge.h).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gittxn::semantic {

// Bytes [old_begin, old_end) of the one became [new_begin, new_end) of the other.
struct TextEdit {
  std::size_t old_begin = 0, old_end = 0;
  std::size_t new_begin = 0, new_end = 0;
};

// In order, apart from each other. Time grows with the size, times its logarithm.
std::vector<TextEdit> text_edits(std::string_view old_text, std::string_view new_text);

}  // namespace gittxn::semantic
