#include "semantic/checks.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <utility>

#include "semantic/match.h"

namespace gittxn::semantic {
namespace {

struct Found {
  int times = 0;
  const Node* node = nullptr;
};
using Names = std::map<std::string, Found>;

// How often at most in one node: two objects of one function may have the same keys.
Names by_path(const Tree& tree) {
  Names names;
  std::map<std::pair<const Node*, std::string>, int> within;
  for (const Declared& declared : declarations(tree)) {
    Found& found = names[declared.path];
    found.times = std::max(found.times, ++within[{declared.node->parent, declared.path}]);
    found.node = declared.node;
  }
  return names;
}

// By name alone, for a container that was renamed takes its members along; keys of data with what
// they are in, for they mean nothing without.

Names by_name(const Tree& tree) {
  Names names;
  for (const Declared& declared : declarations(tree)) {
    const bool key = declared.node->decl == "key";
    Found& found =
        names[key ? declared.path : std::string(declared.node->decl) + " " + declared.node->name];
    ++found.times;
    found.node = declared.node;
  }
  return names;
}

int times(const Names& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? 0 : found->second.times;
}

bool is_name(std::string_view token) {
  return std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_';
}

std::string twice(const Sides<const Tree*>& sides, const Tree& merged) {
  const Sides<Names> before = {by_path(*sides[0]), by_path(*sides[1]), by_path(*sides[2])};
  for (const auto& [path, found] : by_path(merged)) {
    const int most = std::max(
        {times(before[kBase], path), times(before[kLeft], path), times(before[kRight], path)});
    if (found.times > std::max(most, 1)) return path + " is there twice";
  }
  return {};
}

std::string missing(const Sides<Names>& before, const Names& after) {
  for (const Side side : {kLeft, kRight}) {
    for (const auto& [name, found] : before[side]) {
      const bool added = !before[kBase].contains(name);
      const bool kept = !added && before[other(side)].contains(name);
      if ((added || kept) && !after.contains(name)) return name + " is missing";
    }
  }
  return {};
}

// Under another name it is most of what it was.
bool renamed(const Tree& base, const Node& was, const Tree& side, const Names& before,
             const Names& now) {
  return std::any_of(now.begin(), now.end(), [&](const auto& entry) {
    const Node& node = *entry.second.node;
    return node.decl == was.decl && !before.contains(entry.first) &&
           likeness(base, was, side, node) >= 0.5;
  });
}

std::string removed_and_changed(const Sides<const Tree*>& sides, const Sides<Names>& before,
                                const Names& after) {
  for (const auto& [name, found] : before[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      if (before[side].contains(name) || found.times != 1) continue;
      const auto kept = before[other(side)].find(name);
      if (kept == before[other(side)].end()) continue;
      if (renamed(*sides[kBase], *found.node, *sides[side], before[kBase], before[side])) continue;
      if (!same_code(*sides[kBase], *found.node, *sides[other(side)], *kept->second.node)) {
        return name + " was removed by one side and changed by the other";
      }
      if (after.contains(name)) return name + " was removed and is there again";
    }
  }
  return {};
}

}  // namespace

std::string broken_rule(const Sides<const Tree*>& sides, const Tree& merged) {
  // Grammars stumble over macros: what the sides brought in adds up.
  const std::size_t base = sides[kBase]->error_bytes();
  const std::size_t left = sides[kLeft]->error_bytes(), right = sides[kRight]->error_bytes();
  const std::size_t added = left + right > base ? left + right - base : 0;
  if (merged.error_bytes() > std::max({left, right, added})) return "the result does not parse";
  if (std::string why = twice(sides, merged); !why.empty()) return why;
  const Sides<Names> before = {by_name(*sides[0]), by_name(*sides[1]), by_name(*sides[2])};
  const Names after = by_name(merged);
  if (std::string why = missing(before, after); !why.empty()) return why;
  return removed_and_changed(sides, before, after);
}

std::string lost_token(const Sides<const Tree*>& sides, const Tree& merged) {
  std::unordered_map<std::string_view, std::array<int, 4>> counts;
  const std::array<const Tree*, 4> all = {sides[kBase], sides[kLeft], sides[kRight], &merged};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Node* leaf : all[i]->leaves()) {
      if (leaf->text.size() > 1)
        ++counts[leaf->text][i];  // separators are put where they are needed
    }
  }
  std::unordered_map<std::string, std::array<int, 4>> comments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Node* comment : all[i]->comments()) ++comments[squeeze(comment->text)][i];
  }
  for (const auto& [text, n] : comments) {
    const bool brought = n[kBase] == 0 && (n[kLeft] > 0 || n[kRight] > 0);
    const bool kept = n[kBase] > 0 && n[kLeft] >= n[kBase] && n[kRight] >= n[kBase];
    if (n[3] < (kept ? n[kBase] : brought ? 1 : 0)) return "a comment would be lost";
  }
  for (const auto& [token, n] : counts) {
    const bool brought = n[kBase] == 0 && (n[kLeft] > 0 || n[kRight] > 0);
    const bool taken = n[kBase] > 0 && n[kLeft] == 0 && n[kRight] == 0;
    for (const Side side : {kLeft, kRight}) {
      const bool renamed = n[kBase] > 0 && n[side] == 0 && n[other(side)] > n[kBase];
      if (renamed && is_name(token)) {
        return "one side uses '" + std::string(token.substr(0, 40)) +
               "' no more, the other uses it anew";
      }
    }
    if (brought && n[3] == 0) return "'" + std::string(token.substr(0, 40)) + "' would be lost";
    if (taken && n[3] > 0) return "'" + std::string(token.substr(0, 40)) + "' would be back";
  }
  return {};
}

}  // namespace gittxn::semantic
