// The merge of three syntax trees.
#pragma once

#include <string>

#include "semantic/sides.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

struct TreeMerge {
  bool clean = false;
  std::string text;
  std::string why;      // the first thing that could not be merged
  bool inside = false;  // something other than which members there are was put together
  std::string made;     // the ways that were used where both sides changed a node, with its kind
};

TreeMerge merge_trees(const Sides<const Tree*>& trees);

}  // namespace gittxn::semantic
