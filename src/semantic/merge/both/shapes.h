// A struct, or a variant of an enum, to which one side gave another shape, while the other side
// makes one more, or takes one more apart, in the shape that it had. In Rust, where each has to say
// all of it.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

Broken shaped_as_before(const Sides<const Tree*>& sides);

}  // namespace gittxn::semantic
