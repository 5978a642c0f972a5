// The merge of three syntax trees.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "semantic/sides.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

struct TreeMerge {
  bool clean = false;
  std::string text;
  std::string why;      // the first thing that could not be merged
  bool inside = false;  // something other than which members there are was put together
  std::set<std::string_view> columns;  // kinds of lists whose columns are to be laid out anew
  std::string made;  // the ways that were used where both sides changed a node, with its kind
};

// Whether a node that is no list of members is merged by its lines first, where they merge.
enum class Inner { kLines, kStructure };

TreeMerge merge_trees(const Sides<const Tree*>& trees, Inner inner);

}  // namespace gittxn::semantic
