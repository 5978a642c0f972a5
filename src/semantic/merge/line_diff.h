// The difference of two texts by lines: libgit2's, which is git's algorithm, on bytes in memory.
#pragma once

#include <cstddef>
#include <string>
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

// In order, and between two of them the lines are the same. kFault when libgit2 fails.
Result<std::vector<LineHunk>> line_difference(const std::string& before, const std::string& after);

}  // namespace gittxn::semantic
