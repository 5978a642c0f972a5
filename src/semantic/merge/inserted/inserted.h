// The order of statements that both sides inserted at one place, as far as it is known.
//
// Pure.
#pragma once

#include <vector>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

enum class Inserted {
  kOrdered,    // it may say something
  kAskedFor,   // nothing where what one of the sides added is not used
  kUnordered,  // nothing
};

// `statements`: those of each side, and all of the base's block.
Inserted how_inserted(const Sides<const Tree*>& trees,
                      const Sides<std::vector<const Node*>>& statements);

}  // namespace gittxn::semantic
