// A function that one side calls otherwise, or gave other parameters, while the other side calls it
// anew with as many arguments as before.
//
// Pure.
#pragma once

#include <vector>

#include "semantic/merge/both/own_calls.h"
#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// A name that took so many arguments and that one side gives others wherever it stands, while the
// other side uses it anew as it was. Where it stood once, only a copy of that is one of the same
// kind: what takes any number of arguments is called differently each time. Nothing of one that is
// declared so that an argument may be left out.
Broken called_otherwise(const Sides<const Tree*>& sides);

// Only of functions of the file with a name that no other one of it has, and parameters of which
// none may be left out, before and after: a call says their number. The calls are those of
// own_calls.h.
Broken called_as_before(const Sides<const Tree*>& sides,
                        const std::vector<ChangedFunction>& changed);

}  // namespace gittxn::semantic
