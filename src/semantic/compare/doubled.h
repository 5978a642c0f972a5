// Two new things in two files that no program can have both: types of one package in Java, in Rust
// members of one type and implementations of one trait for it.
#pragma once

#include <utility>
#include <vector>

#include "semantic/footprint.h"

namespace gittxn::semantic {

using Doubled = std::vector<std::pair<const Write*, const Write*>>;

// Pairs of what `left`, of side `a`, and `right`, of side `b`, add.
Doubled doubled_in(const Footprint& a, const std::vector<const Write*>& left, const Footprint& b,
                   const std::vector<const Write*>& right);

}  // namespace gittxn::semantic
