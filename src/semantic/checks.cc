#include "semantic/checks.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "semantic/match.h"

namespace gittxn::semantic {
namespace {

// The declarations of a version, looked up by name.
struct Found {
  int times = 0;
  const Node* node = nullptr;  // the last one
};
using Names = std::unordered_map<std::string, Found>;
using Declarations = std::vector<Declared>;

// By name alone, for a container that was renamed takes its members along; keys of data with what
// they are in, for they mean nothing without.
std::string name_of(const Declared& declared) {
  const Node& node = *declared.node;
  return node.decl == "key" ? declared.path : std::string(node.decl) + " " + std::string(node.name);
}

Names by_name(const Declarations& all) {
  Names names;
  for (const Declared& declared : all) {
    Found& found = names[name_of(declared)];
    ++found.times;
    found.node = declared.node;
  }
  return names;
}

// How often at most in one node: two objects of one function may have the same keys.
std::unordered_map<std::string_view, int> times_by_path(const Declarations& all) {
  std::unordered_map<std::string_view, int> times;
  std::map<std::pair<const Node*, std::string_view>, int> within;
  for (const Declared& declared : all) {
    int& most = times[declared.path];
    most = std::max(most, ++within[{declared.node->parent, declared.path}]);
  }
  return times;
}

bool is_name(std::string_view token) {
  return std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_';
}

Span span_of(std::size_t version, const Tree& tree, const Node& node) {
  const auto from = static_cast<std::size_t>(node.text.data() - tree.text().data());
  return {version, from, from + node.text.size()};
}

// The declarations at the top that hold what does not parse.
Broken unparsed(const Tree& merged) {
  Broken broken{"the result does not parse", {}};
  for (const Node* kid : merged.root().kids) {
    if (kid->error) broken.places.push_back(span_of(kMergedText, merged, *kid));
  }
  return broken;
}

// How often each name is used in each version.
using Uses = std::unordered_map<std::string_view, Sides<std::uint32_t>>;

Uses uses_in(const Sides<const Tree*>& sides) {
  Uses uses;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Node* leaf : sides[i]->leaves()) {
      if (is_name(leaf->text)) ++uses[leaf->text][i];
    }
  }
  return uses;
}

// The tokens before and behind each use.
using Neighbours = std::vector<std::pair<std::string_view, std::string_view>>;

Neighbours neighbours(const Tree& tree, std::string_view name) {
  const auto& leaves = tree.leaves();
  Neighbours found;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]->text != name) continue;
    found.emplace_back(i > 0 ? leaves[i - 1]->text : std::string_view(),
                       i + 1 < leaves.size() ? leaves[i + 1]->text : std::string_view());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A name of which one side made another one wherever it stood, and the other side uses it more. One
// use alone may as well have been replaced.
Broken renamed_and_used(const Sides<const Tree*>& sides) {
  const Uses uses = uses_in(sides);
  for (const auto& [name, n] : uses) {
    for (const Side side : {kLeft, kRight}) {
      if (n[kBase] < 2 || n[side] != 0 || n[other(side)] <= n[kBase]) continue;
      const Neighbours was = neighbours(*sides[kBase], name);
      for (const auto& [fresh, m] : uses) {
        if (m[kBase] != 0 || m[side] != n[kBase]) continue;
        if (neighbours(*sides[side], fresh) != was) continue;
        Broken broken{"one side renamed '" + std::string(name.substr(0, 40)) + "' to '" +
                          std::string(fresh.substr(0, 40)) + "', the other uses it anew",
                      {}};
        const Tree& tree = *sides[other(side)];
        for (const Node* leaf : tree.leaves()) {
          if (leaf->text == name) broken.places.push_back(span_of(other(side), tree, *leaf));
        }
        return broken;
      }
    }
  }
  return {};
}

class Checker {
 public:
  Checker(const Sides<const Tree*>& sides, const Tree& merged) : sides_(sides), merged_(merged) {
    for (std::size_t i = 0; i < 3; ++i) all_[i] = declarations(*sides[i]);
    after_all_ = declarations(merged);
  }

  Broken check() {
    Broken broken = twice();
    if (!broken.why.empty()) return broken;
    for (std::size_t i = 0; i < 3; ++i) before_[i] = by_name(all_[i]);
    after_ = by_name(after_all_);
    broken = missing();
    return broken.why.empty() ? removed_and_changed() : broken;
  }

 private:
  // What both sides added is one thing: of two versions of it, the one with fewer.
  static int most_of(int base, int left, int right) {
    if (left > base && right > base) return std::min(left, right);
    return std::max({base, left, right});
  }

  Broken twice() const {
    std::unordered_map<std::string_view, int> several;
    for (const auto& [path, times] : times_by_path(after_all_)) {
      if (times > 1) several[path] = times;
    }
    if (several.empty()) return {};
    Sides<std::unordered_map<std::string_view, int>> before;
    for (std::size_t i = 0; i < 3; ++i) before[i] = times_by_path(all_[i]);
    const auto times = [&](Side side, std::string_view path) {
      const auto found = before[side].find(path);
      return found == before[side].end() ? 0 : found->second;
    };
    for (const Declared& declared : after_all_) {
      const auto found = several.find(declared.path);
      if (found == several.end()) continue;
      const int most = most_of(times(kBase, declared.path), times(kLeft, declared.path),
                               times(kRight, declared.path));
      if (found->second <= std::max(most, 1)) continue;
      Broken broken{declared.path + " is there twice", {}};
      for (const Declared& each : after_all_) {
        if (each.path == declared.path) {
          broken.places.push_back(span_of(kMergedText, merged_, *each.node));
        }
      }
      return broken;
    }
    return {};
  }

  // What is taken apart, "const {a, b} = f()", has no name but several.
  static bool is_pattern(const Node& node) {
    return node.decl == "variable" && (node.name.starts_with('{') || node.name.starts_with('['));
  }

  Broken missing() const {
    for (const Side side : {kLeft, kRight}) {
      for (const Declared& declared : all_[side]) {
        if (is_pattern(*declared.node)) continue;
        const std::string name = name_of(declared);
        const bool added = !before_[kBase].contains(name);
        const bool kept = !added && before_[other(side)].contains(name);
        if ((added || kept) && !after_.contains(name)) {
          return {name + " is missing", {span_of(side, *sides_[side], *declared.node)}};
        }
      }
    }
    return {};
  }

  // Under another name it is most of what it was.
  bool renamed(const Node& was, Side side) const {
    return std::any_of(before_[side].begin(), before_[side].end(), [&](const auto& entry) {
      const Node& node = *entry.second.node;
      return node.decl == was.decl && !before_[kBase].contains(entry.first) &&
             likeness(*sides_[kBase], was, *sides_[side], node) >= 0.5;
    });
  }

  Broken removed_and_changed() const {
    for (const Declared& declared : all_[kBase]) {
      if (is_pattern(*declared.node)) continue;
      const std::string name = name_of(declared);
      const Found& found = before_[kBase].at(name);
      for (const Side side : {kLeft, kRight}) {
        if (before_[side].contains(name) || found.times != 1) continue;
        const auto kept = before_[other(side)].find(name);
        if (kept == before_[other(side)].end() || renamed(*found.node, side)) continue;
        const Node& now = *kept->second.node;
        const std::vector<Span> places = {span_of(kBase, *sides_[kBase], *found.node),
                                          span_of(other(side), *sides_[other(side)], now)};
        if (!same_code(*sides_[kBase], *found.node, *sides_[other(side)], now)) {
          return {name + " was removed by one side and changed by the other", places};
        }
        if (after_.contains(name)) return {name + " was removed and is there again", places};
      }
    }
    return {};
  }

  const Sides<const Tree*>& sides_;
  const Tree& merged_;
  Sides<Declarations> all_;
  Declarations after_all_;
  Sides<Names> before_;
  Names after_;
};

}  // namespace

Broken broken_rule(const Sides<const Tree*>& sides, const Tree& merged) {
  // Grammars stumble over macros: what the sides brought in adds up.
  const std::size_t base = sides[kBase]->error_bytes();
  const std::size_t left = sides[kLeft]->error_bytes(), right = sides[kRight]->error_bytes();
  const std::size_t added = left + right > base ? left + right - base : 0;
  if (merged.error_bytes() > std::max({left, right, added})) return unparsed(merged);
  Broken broken = Checker(sides, merged).check();
  return broken.why.empty() ? renamed_and_used(sides) : broken;
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
