// A name of one function, of which one side took away what gives it a value, or moved that into a
// loop or a block, while the other side says the name in one place more.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// A local name or a parameter that stands outside of all that binds it in a function of the merged
// text, and that does so in neither side's version of that function, of which one binds it.
Broken unbound_name(const Sides<const Tree*>& sides, const Tree& merged);

}  // namespace gittxn::semantic
