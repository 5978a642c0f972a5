#include "semantic/merge/both/apart.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

// The same bytes may be read otherwise beside others, and nodes of one hash may have other comments
// in them.
struct Look {
  std::uint64_t hash = 0;
  std::string_view text;
  bool operator==(const Look&) const = default;
};
struct HashOfLook {
  std::size_t operator()(const Look& look) const {
    return look.hash ^ std::hash<std::string_view>()(look.text);
  }
};

// A file, a type or a namespace, or its members.
bool holds_more(const Node& node) {
  if (node.kids.empty()) return false;
  return node.parent == nullptr || node.role == Role::kMembers || is_container(node);
}

std::vector<Nodes> without_common(std::span<const std::span<Node* const>> lists) {
  using Times = std::array<std::uint32_t, kMostApart>;  // in each list
  std::unordered_map<Look, Times, HashOfLook> times;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Node* node : lists[i]) ++times[{node->hash, node->text}][i];
  }
  std::vector<Nodes> left(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Node* node : lists[i]) {
      const Times& here = times.at({node->hash, node->text});
      const auto end = here.begin() + lists.size();
      if (std::count(here.begin(), end, here[0]) != static_cast<std::ptrdiff_t>(lists.size()))
        left[i].push_back(node);
    }
  }
  return left;
}

}  // namespace

std::vector<Nodes> whole(std::span<const Tree* const> trees) {
  std::vector<Nodes> roots;
  for (const Tree* tree : trees) roots.push_back({&tree->root()});
  return roots;
}

std::vector<Nodes> not_in_all(std::span<const Tree* const> trees) {
  std::vector<Nodes> left = whole(trees);
  for (;;) {
    const bool alike = std::ranges::all_of(left, [&](const Nodes& nodes) {
      return nodes.size() == 1 && holds_more(*nodes[0]) && nodes[0]->kind == left[0][0]->kind;
    });
    if (!alike) return left;
    std::vector<std::span<Node* const>> lists;
    for (const Nodes& nodes : left) lists.push_back(nodes[0]->kids);
    left = without_common(lists);
  }
}

bool is_name(std::string_view token) {
  return std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_';
}

Uses uses_apart(const Sides<const Tree*>& sides) {
  Uses uses;
  const std::vector<Nodes> apart = not_in_all(sides);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Node* node : apart[i]) {
      for (const Node* leaf : std::span(sides[i]->leaves()).subspan(node->leaf, node->leaves)) {
        if (is_name(leaf->text)) ++uses[leaf->text][i];
      }
    }
  }
  return uses;
}

}  // namespace gittxn::semantic
