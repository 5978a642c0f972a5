// A function that answers otherwise since one side changed it, while the other side calls it anew
// for what it answered before.
//
// Pure.
#pragma once

#include <vector>

#include "semantic/merge/both/own_calls.h"
#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// One side made it one that is awaited, and awaits it wherever the base called it; or its result
// is now inside of something else (`User` in `Result<User>`, in `(User, error)`), and no call of
// the base stayed as it was. The other side uses what one call more answers. Of calls whose value
// nothing uses, neither is said.
Broken answers_otherwise(const Sides<const Tree*>& sides,
                         const std::vector<ChangedFunction>& changed);

}  // namespace gittxn::semantic
