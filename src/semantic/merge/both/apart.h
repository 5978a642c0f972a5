// The parts of versions of a file that not all of them have, and what these say, so that a rule
// costs as much as the change does.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantic/merge/line_merge.h"
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

// A token that may name something.
bool is_name(std::string_view token);

// The times that each version says a name, in the parts that not all versions have.
using Uses = std::unordered_map<std::string_view, Sides<std::uint32_t>>;
Uses uses_apart(const Sides<const Tree*>& sides);

}  // namespace gittxn::semantic
