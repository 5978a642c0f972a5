// Names of a whole file that one side took away or moved, and the other side uses anew; or to which
// both sides gave a meaning.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// One side moved what it imports from to another path, and the other side imports more from the old
// one.
Broken moved_and_used(const Sides<const Tree*>& sides);

// One side has no use for what an import brings, and the other uses it once more.
Broken dropped_and_used(const Sides<const Tree*>& sides);

// One side took away what the file declares and says it nowhere, and the other uses it once more.
// Only where a file does not see what another one declares without importing it.
Broken undeclared_and_used(const Sides<const Tree*>& sides);

// A name of which one side made another one wherever it stood, and the other side uses it more. One
// use alone may as well have been replaced. Of neither name a use can be the same in all versions.
Broken renamed_and_used(const Sides<const Tree*>& sides, const Tree& merged);

// Both sides import something under one new name, from two modules; or one side imports it and the
// other declares it.
Broken brought_by_both(const Sides<const Tree*>& sides);

}  // namespace gittxn::semantic
