// What versions of a file do not all have, so that a rule costs as much as the change does.
//
// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::semantic {

inline constexpr std::size_t kMostApart = 4;  // three versions and their merge

using Nodes = std::vector<const Node*>;

// Of each tree, kMostApart at most, the nodes at its top, without those that all of them have to
// the byte, equally often: what is said in these, all say as often. Where one type or namespace is
// left in each, it is looked into in the same way. A name may be in none of the nodes of a version
// that says it elsewhere; but one that is nowhere in some version is in none that are left out.
std::vector<Nodes> not_in_all(std::span<const Tree* const> trees);

// Of each tree its root: what not_in_all gives of trees that have nothing in common.
std::vector<Nodes> whole(std::span<const Tree* const> trees);

}  // namespace gittxn::semantic
