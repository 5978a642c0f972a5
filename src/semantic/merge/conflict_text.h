// The text of a conflict that git's merge of lines did not see: it was clean, and a check refused
// it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "semantic/merge/line_merge.h"
#include "semantic/sides.h"

namespace gittxn::semantic {

// Bytes of a version: kBase, kLeft or kRight, or of the merged text.
inline constexpr std::size_t kMergedText = 3;
struct Span {
  std::size_t version = kBase;
  std::size_t from = 0, to = 0;
};

struct ConflictedText {
  std::string text;
  int conflicts = 0;
};

// `merged` with the changes that touch a span taken back and put between markers, both sides of
// them; all that a span touches is one conflict. Both sides whole when no change touches one.
// kFault when libgit2 has no memory.
Result<ConflictedText> conflict_at(const Sides<std::string>& texts, const std::string& merged,
                                   const std::vector<Span>& spans, const MergeLabels& labels);

}  // namespace gittxn::semantic
