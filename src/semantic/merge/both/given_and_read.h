// Statements that follow one another, of which one side wrote anew what gives a name its value, and
// the other side what reads the name.
//
// Pure.
#pragma once

#include <string_view>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// The name that one side gives its value in another way in `before`, and the other side reads in
// another way in `after`: "wait = 30" and "connect(wait)", of which the one becomes "wait = 30_000"
// and the other "connect(wait * 1000)". Only what both statements of the base say counts, so that
// what a side added alone is none. Empty: there is none.
std::string_view given_and_read(const Sides<const Tree*>& trees, const Sides<const Node*>& before,
                                const Sides<const Node*>& after);

}  // namespace gittxn::semantic
