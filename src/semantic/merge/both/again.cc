#include "semantic/merge/both/again.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "semantic/merge/both/numbers.h"

namespace gittxn::semantic {
namespace {

using InFour = std::array<std::uint32_t, 4>;  // in the three versions and their merge

// A hash of a declaration and of its path.
std::uint64_t look_of(const Declared& declared) {
  return declared.node->hash ^ std::hash<std::string_view>()(declared.path);
}

}  // namespace

const Node& declared_at(const Tree& tree, std::string_view path, const Node& last) {
  const auto& all = tree.declarations();
  const auto found = std::ranges::find(all, path, &Declared::path);
  return found == all.end() ? last : *found->node;
}

Broken removed_and_again(const Sides<const Tree*>& sides, const Tree& merged) {
  std::unordered_map<std::uint64_t, InFour> times;
  const std::array<const Tree*, 4> all = {sides[kBase], sides[kLeft], sides[kRight], &merged};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Declared& declared : all[i]->declarations()) ++times[look_of(declared)][i];
  }
  for (const Declared& declared : sides[kBase]->declarations()) {
    const InFour& n = times.at(look_of(declared));
    // Any of several objects in one array may have the key.
    if (declared.node->decl == "key" && n[kBase] > 1) continue;
    for (const Side side : {kLeft, kRight}) {
      if (n[side] >= n[kBase] || n[other(side)] != n[kBase] || n[3] < n[kBase]) continue;
      const std::string what =
          std::string(declared.node->decl) + " " + std::string(declared.node->name.substr(0, 80));
      return {what + " was removed and is there again",
              {span_of_node(kBase, *sides[kBase], *declared.node)}};
    }
  }
  return {};
}

}  // namespace gittxn::semantic
