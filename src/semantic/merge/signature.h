// Two changes of one signature. It is one contract with those who call it, so it is put together
// only where no call can tell: both sides added parameters that may be left out, and nothing else.
//
// Pure.
#pragma once

#include <string>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// The body of a function, also of one that is decorated, exported or a template's; nullptr when
// it has none.
const Node* body_of(const Node& function);

// The list of its parameters; nullptr when it has none of its own.
const Node* parameters_of(const Node& function);

// Whether both sides changed, differently, what a function is called with, gives or throws. What
// they only added to its modifiers, to what it throws and to what decorates it does not count.
bool both_changed_signature(const Sides<const Tree*>& trees, const Sides<const Node*>& functions);

// The reason against a signature with the changes of both; empty when nothing does. Each side has
// the parameters of the base as they were and in their order; what it added may be left out
// (@keyed) and has a name that the other side did not add; and no call in its file passes by
// position a parameter that would stand at another place.
std::string against_both_signatures(const Sides<const Tree*>& trees,
                                    const Sides<const Node*>& functions);

}  // namespace gittxn::semantic
