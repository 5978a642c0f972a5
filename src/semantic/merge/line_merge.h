// Git's own merge of lines. It is libgit2's copy of git's algorithm on bytes in memory: no
// repository, no disk, no configuration; an own diff3 would differ from git's in exactly the cases
// people notice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "semantic/sides.h"

namespace gittxn::semantic {

enum class ConflictText {
  kMarkers,  // the two sides between <<<<<<<, ======= and >>>>>>>
  kDiff3,    // and the base between ||||||| and =======
  kUnion,    // both sides, left first, and no conflict: git's merge driver "union"
};

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

}  // namespace gittxn::semantic
