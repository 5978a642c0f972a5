// Texts as lines, and the difference of two texts by them: libgit2's, which is git's algorithm, on
// bytes in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace gittxn::semantic {

// Lines from 0, `to` behind the last.
struct LineRange {
  std::size_t from = 0, to = 0;
};

// Lines of `before` that became those of `after`; one of the two may be empty.
struct LineHunk {
  LineRange before, after;
};

// Runs a function of libgit2, which it starts; kFault with `doing` when that gives no 0.
Status by_libgit2(std::string_view doing, const std::function<int()>& call);

// In order, and between two of them the lines are the same. kFault when libgit2 fails.
Result<std::vector<LineHunk>> line_difference(std::string_view before, std::string_view after);

class TextLines {
 public:
  explicit TextLines(std::string_view text);
  std::size_t count() const { return starts_.size() - 1; }
  // The byte that a line begins at; behind the last one the end of the text.
  std::size_t start(std::size_t line) const { return starts_[line]; }
  std::string_view of(LineRange range) const {
    return text_.substr(starts_[range.from], starts_[range.to] - starts_[range.from]);
  }
  // The line that a byte is on, and that a part of the text begins on.
  std::size_t at(std::size_t byte) const;
  std::size_t at(std::string_view part) const {
    return at(static_cast<std::size_t>(part.data() - text_.data()));
  }
  std::uint32_t number_of(std::string_view part) const {  // of that line, from 1
    return static_cast<std::uint32_t>(at(part)) + 1;
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;  // and the end
};

// Differences from one text that are not git's and not the smallest, but cheap: time grows with the
// lines. What stands elsewhere now may be in one together with all that it passed.
class RoughDifference {
 public:
  // `before` must outlive it.
  explicit RoughDifference(std::string_view before);

  const TextLines& before() const { return before_; }
  std::vector<LineHunk> to(const TextLines& after) const;

 private:
  TextLines before_;
  std::unordered_map<std::string_view, std::size_t> once_;  // the place of each line, or kTwice
};

}  // namespace gittxn::semantic
