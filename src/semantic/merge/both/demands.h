// Something that has to say all of what a type has, of which one side made more while the other
// side says what there was.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// A variant or a constant that one side added to a type, where the other side adds a `match`
// (Rust), a `when` (Kotlin) or a `switch` with a value (Java) that has a case of each other one of
// them, and none for what is left.
Broken left_out_of_cases(const Sides<const Tree*>& sides);

// A member without a body that one side added to an interface, a trait or an abstract class, or one
// that may not be left out, and the other side adds a type that is one of these alone and has no
// such member; in TypeScript a value of that type too.
Broken left_out_of_type(const Sides<const Tree*>& sides);

}  // namespace gittxn::semantic
