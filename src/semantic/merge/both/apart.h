// The parts of versions of a file that not all of them have, so that a rule costs as much as the
// change does.
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

// The nodes at the top of each tree (kMostApart trees at most), without those that all trees have
// to the byte and equally often: all say what is in these equally often. If one type or namespace
// is left in each, it is looked into in the same way. A version may say a name elsewhere that is in
// none of its nodes here; but a name that one version never says is in none that are left out.
std::vector<Nodes> not_in_all(std::span<const Tree* const> trees);

// The root of each tree: what not_in_all gives for trees that have nothing in common.
std::vector<Nodes> whole(std::span<const Tree* const> trees);

}  // namespace gittxn::semantic
