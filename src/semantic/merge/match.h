// Which item of one version is which of another.
#pragma once

#include <cstddef>
#include <vector>

#include "semantic/merge/items.h"

namespace gittxn::semantic {

inline constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

struct Listed {
  const Tree& tree;
  const Items& list;
};

// For every item of `a` its place in `b`, or kUnmatched. By key; imports by the names that they
// bring; by the same code, in order; then, in the gap between two that are matched, by place in the
// parent, name, or likeness.
std::vector<std::size_t> match_items(const Listed& a, const Listed& b);

// How much of the tokens of two nodes is common, 0 to 1.
double likeness(const Tree& a, const Node& x, const Tree& b, const Node& y);

}  // namespace gittxn::semantic
