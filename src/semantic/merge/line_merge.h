// Git's own merge of lines, and the text of a conflict that it did not see. It is libgit2's copy of
// git's algorithm on bytes in memory: no repository, no disk, no configuration; an own diff3 would
// differ from git's in exactly the cases people notice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gittxn::semantic {

// The three versions of anything that is merged.
enum Side : std::size_t { kBase = 0, kLeft = 1, kRight = 2 };

// x[kBase], x[kLeft], x[kRight].
template <typename T>
using Sides = std::array<T, 3>;

// The other of the two sides.
constexpr Side other(Side side) {
  return side == kLeft ? kRight : kLeft;
}

enum class ConflictText {
  kMarkers,  // the two sides between <<<<<<<, ======= and >>>>>>>
  kDiff3,    // and the base between ||||||| and =======
  kZdiff3,   // the same, without the lines that both sides begin or end with
  kUnion,    // both sides, left first, and no conflict: git's merge driver "union"
};

// The style that git's merge.conflictStyle calls "merge", "diff3" or "zdiff3".
std::optional<ConflictText> conflict_style(std::string_view name);

// What stands behind the markers of a conflict.
struct MergeLabels {
  std::string base = "base";
  std::string left = "left";
  std::string right = "right";
  ConflictText style = ConflictText::kMarkers;
  std::uint16_t marker_size = 7;  // characters in a marker; git's own is 7
};

struct LineMerge {
  bool clean = false;
  int conflicts = 0;
  std::string text;  // with conflict markers when not clean
};

// kFault when libgit2 has no memory or cannot start.
Result<LineMerge> merge_lines(const Sides<std::string_view>& sides, const MergeLabels& labels);

// Bytes of a version: kBase, kLeft or kRight, or of the merged text.
inline constexpr std::size_t kMergedText = 3;
struct Span {
  std::size_t version = kBase;
  std::size_t from = 0, to = 0;
};

struct ConflictedText {
  std::string text;
  int conflicts = 0;
  std::vector<std::string> reasons = {};  // of each conflict, where they are known
};

// The sides between markers, as `labels` has it.
std::string between_markers(const Sides<std::string_view>& parts, const MergeLabels& labels);

// `merged` is a merge of lines that was clean, and that a check refused: it, with the changes that
// touch a span taken back and put between markers, both sides of them; all that a span touches is
// one conflict. Both sides whole when no change touches one. kFault when libgit2 has no memory.
Result<ConflictedText> conflict_at(const Sides<std::string>& texts, const std::string& merged,
                                   const std::vector<Span>& spans, const MergeLabels& labels);

}  // namespace gittxn::semantic
