#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/bug.h"
#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/both/again.h"
#include "semantic/merge/both/apart.h"
#include "semantic/merge/both/brought_in.h"
#include "semantic/merge/both/called.h"
#include "semantic/merge/both/named.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/merge/both/standard.h"
#include "semantic/merge/both/taken.h"
#include "semantic/merge/both/unbound.h"
#include "semantic/merge/inserted/registered.h"
#include "semantic/merge/lists.h"
#include "semantic/merge/merge_tree.h"
#include "semantic/merge/prose.h"

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

// "type Token/" of "type Token/method validate(int)": what it is in; empty at the top.
std::string_view container_of(const Declared& declared) {
  const Node& node = *declared.node;
  const std::size_t own =
      node.decl.size() + 1 + node.name.size() + (node.detail.empty() ? 0 : node.detail.size() + 1);
  return std::string_view(declared.path).substr(0, declared.path.size() - own);
}

// By what a declaration may be there once only. Of one module several imports may bring several
// names. In a class a function is declared or defined, not both.
std::string once_name(const Declared& declared) {
  const Node& node = *declared.node;
  if (node.decl == "import") return declared.path + " " + squeeze(node.text);
  if (node.decl != "prototype" || node.parent == nullptr ||
      node.parent->kind != "field_declaration_list") {
    return declared.path;
  }
  const std::size_t at = container_of(declared).size();
  return declared.path.substr(0, at) + "function" + declared.path.substr(at + node.decl.size());
}

// How often at most in one node: two objects of one function may have the same keys. A type may be
// declared in the declaration of something else, or of nothing.
std::map<std::string, int> times_in_one(const Declarations& all) {
  std::map<std::string, int> times;
  std::map<std::pair<const Node*, std::string>, int> within;
  for (const Declared& declared : all) {
    const Node* in = declared.node;
    while (in->field == "type" && in->parent != nullptr) in = in->parent;
    const std::string name = once_name(declared);
    int& most = times[name];
    most = std::max(most, ++within[{in->parent, name}]);
  }
  return times;
}

// Arguments and cases, which are told by their names (@keyed), of which one node has several of one
// name. Statements are none of them.
using KeyedTwice = std::map<std::string, std::vector<const Node*>>;

void find_keyed_twice(const Node& node, KeyedTwice* found) {
  std::map<std::string, std::vector<const Node*>> keyed;
  for (const Node* kid : node.kids) {
    if (kid->role == Role::kKeyed && kid->kind != "expression_statement") {
      // One case of Bash has several names, "-v|--verbose".
      for (const auto name : pieces_of(kid->detail, kid->kind == "case_item" ? ',' : '\0')) {
        if (!name.empty()) keyed[std::string(kid->kind) + " " + std::string(name)].push_back(kid);
      }
    }
    find_keyed_twice(*kid, found);
  }
  for (auto& [name, nodes] : keyed) {
    if (nodes.size() > 1) found->emplace(name, std::move(nodes));
  }
}

// The declarations at the top that hold what does not parse.
Broken unparsed(const Tree& merged) {
  Broken broken{"the result does not parse", {}};
  for (const Node* kid : merged.root().kids) {
    if (kid->error) broken.places.push_back(span_of_node(kMergedText, merged, *kid));
  }
  return broken;
}

std::span<const Node* const> leaves_of(const Tree& tree, const Node& node) {
  return std::span(tree.leaves()).subspan(node.leaf, node.leaves);
}

// A thing that both sides added is one: of two versions the one with fewer counts.
int most_of(int base, int left, int right) {
  if (left > base && right > base) return std::min(left, right);
  return std::max({base, left, right});
}

constexpr double kRenamed = 0.4;  // as much of a declaration stays under another name

class Checker {
 public:
  Checker(const Sides<const Tree*>& sides, const Tree& merged) : sides_(sides), merged_(merged) {}

  Broken check() {
    Broken broken = twice();
    if (!broken.why.empty()) return broken;
    for (std::size_t i = 0; i < 3; ++i) before_[i] = by_name(sides_[i]->declarations());
    after_ = by_name(merged_.declarations());
    broken = missing();
    if (broken.why.empty()) broken = strayed();
    return broken.why.empty() ? removed_and_changed() : broken;
  }

  Broken twice() const {
    std::map<std::string, int> several = times_in_one(merged_.declarations());
    std::erase_if(several, [](const auto& entry) { return entry.second < 2; });
    if (several.empty()) return keyed_twice();
    Sides<std::map<std::string, int>> before;
    for (std::size_t i = 0; i < 3; ++i) before[i] = times_in_one(sides_[i]->declarations());
    for (const auto& [name, times] : several) {
      const int most = most_of(before[kBase][name], before[kLeft][name], before[kRight][name]);
      if (times <= std::max(most, 1)) continue;
      Broken broken{name.substr(0, 120) + " is there twice", {}};
      for (const Declared& each : merged_.declarations()) {
        if (once_name(each) == name) {
          broken.places.push_back(span_of_node(kMergedText, merged_, *each.node));
        }
      }
      return broken;
    }
    return keyed_twice();
  }

 private:
  Broken keyed_twice() const {
    KeyedTwice found;
    find_keyed_twice(merged_.root(), &found);
    if (found.empty()) return {};
    KeyedTwice before;
    for (const Tree* side : sides_) find_keyed_twice(side->root(), &before);
    for (const auto& [name, nodes] : found) {
      if (before.contains(name)) continue;
      std::string_view shown = nodes.back()->detail;
      if (shown.ends_with(',')) shown.remove_suffix(1);
      Broken broken{"'" + std::string(shown.substr(0, 80)) + "' is there twice", {}};
      for (const Node* each : nodes) {
        broken.places.push_back(span_of_node(kMergedText, merged_, *each));
      }
      return broken;
    }
    return {};
  }

  // What is taken apart, "const {a, b} = f()", has no name but several.
  static bool is_pattern(const Node& node) {
    return node.decl == "variable" && (node.name.starts_with("{") || node.name.starts_with("["));
  }

  Broken missing() const {
    for (const Side side : {kLeft, kRight}) {
      for (const Declared& declared : sides_[side]->declarations()) {
        if (is_pattern(*declared.node)) continue;
        const std::string name = name_of(declared);
        const bool added = !before_[kBase].contains(name);
        const bool kept = !added && is_left_by_both(name);
        if (!(added || kept) || after_.contains(name)) continue;
        // The grammar may stumble over the result alone: then the text is there to the letter.
        if (merged_.error_bytes() == 0 || !merged_.text().contains(declared.node->text)) {
          return {name + " is missing", {span_of_node(side, *sides_[side], *declared.node)}};
        }
      }
    }
    return {};
  }

  // True: a declaration of the name is left even if the sides removed different ones.
  bool is_left_by_both(const std::string& name) const {
    const auto times = [&](Side side) {
      const auto found = before_[side].find(name);
      return found == before_[side].end() ? 0 : found->second.times;
    };
    return times(kLeft) > 0 && times(kRight) > 0 && times(kLeft) + times(kRight) > times(kBase);
  }

  // What it is in and its name, for both sides may have changed its parameters.
  static std::string place_of(const Declared& declared) {
    return std::string(container_of(declared)) + name_of(declared);
  }

  bool parses() const {
    return merged_.error_bytes() == 0 &&
           std::ranges::all_of(sides_, [](const Tree* tree) { return tree->error_bytes() == 0; });
  }

  // What a side put into something that is still there, with some of what it had, is in something
  // else: the other side had the one begin or end elsewhere. What does not parse says nothing of
  // what is in what.
  Broken strayed() const {
    if (!parses()) return {};
    std::unordered_set<std::string> before, now, still;
    for (const Declared& declared : sides_[kBase]->declarations())
      before.insert(place_of(declared));
    for (const Declared& declared : merged_.declarations()) now.insert(place_of(declared));
    for (const Declared& declared : sides_[kBase]->declarations()) {
      const bool kept = declared.node->decl != "import" && now.contains(place_of(declared));
      if (kept) still.emplace(container_of(declared));
    }
    for (const Side side : {kLeft, kRight}) {
      for (const Declared& declared : sides_[side]->declarations()) {
        const std::string place = place_of(declared);
        if (declared.node->decl == "import" || before.contains(place)) continue;
        if (now.contains(place) || !still.contains(std::string(container_of(declared)))) continue;
        const std::string name = name_of(declared);
        if (!after_.contains(name)) continue;
        return {name + " is not in what it was put into",
                {span_of_node(side, *sides_[side], *declared.node)}};
      }
    }
    return {};
  }

  // Under another name it is most of what it was.
  bool renamed(const Node& was, Side side) const {
    return std::ranges::any_of(before_[side], [&](const auto& entry) {
      const Node& node = *entry.second.node;
      return node.decl == was.decl && !before_[kBase].contains(entry.first) &&
             likeness(*sides_[kBase], was, *sides_[side], node) >= kRenamed;
    });
  }

  Broken removed_and_changed() const {
    for (const Declared& declared : sides_[kBase]->declarations()) {
      if (is_pattern(*declared.node)) continue;
      const std::string name = name_of(declared);
      const Found& found = before_[kBase].at(name);
      for (const Side side : {kLeft, kRight}) {
        if (before_[side].contains(name) || found.times != 1) continue;
        const auto kept = before_[other(side)].find(name);
        if (kept == before_[other(side)].end() || renamed(*found.node, side)) continue;
        // Any of several objects in one array may have the key.
        if (declared.node->decl == "key" && kept->second.times > 1) continue;
        const Node& now = declared_at(*sides_[other(side)], declared.path, *kept->second.node);
        const std::vector<Span> places = {span_of_node(kBase, *sides_[kBase], *found.node),
                                          span_of_node(other(side), *sides_[other(side)], now)};
        if (!same_code(*sides_[kBase], *found.node, *sides_[other(side)], now)) {
          return {name + " was removed by one side and changed by the other", places};
        }
        const auto after = after_.find(name);
        const bool again = after != after_.end() && after->second.times >= kept->second.times;
        if (again) return {name + " was removed and is there again", places};
      }
    }
    return {};
  }

  const Sides<const Tree*>& sides_;
  const Tree& merged_;
  Sides<Names> before_;
  Names after_;
};

// The lines of all that is written for people: how often each is there.
using ProseLines = std::unordered_map<std::string, int>;

void add_prose(const Node& node, ProseLines* lines) {
  for (const std::string_view line : lines_of(node.text)) {
    std::string bare = squeeze(line);
    if (!bare.empty()) ++(*lines)[std::move(bare)];
  }
}

void add_prose_in(const Tree& tree, const Node& node, ProseLines* lines) {
  const auto begin = [](const Node* each) { return each->text.data(); };
  const auto from = std::ranges::lower_bound(tree.comments(), node.text.data(), {}, begin);
  for (auto at = from; at != tree.comments().end() && begin(*at) < &*node.text.end(); ++at) {
    add_prose(**at, lines);
  }
  for (const Node* leaf : leaves_of(tree, node)) {
    if (is_for_people(*leaf)) add_prose(*leaf, lines);
  }
}

ProseLines prose_in(const Tree& tree) {
  ProseLines lines;
  add_prose_in(tree, tree.root(), &lines);
  return lines;
}

bool in_import(const Node& leaf) {
  const Node* at = &leaf;
  while (at != nullptr && at->decl != "import") at = at->parent;
  return at != nullptr;
}

// Grammars stumble over macros: what the sides brought in adds up.
bool parses_no_worse(const Sides<const Tree*>& sides, const Tree& merged) {
  const std::size_t base = sides[kBase]->error_bytes();
  const std::size_t left = sides[kLeft]->error_bytes(), right = sides[kRight]->error_bytes();
  const std::size_t added = left + right > base ? left + right - base : 0;
  return merged.error_bytes() <= std::max({left, right, added});
}

// The versions and their merge.
using Four = std::array<const Tree*, 4>;

std::string lost_prose(const Four& all, std::span<const Nodes> nodes) {
  std::unordered_map<std::string, std::array<int, 4>> prose;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ProseLines lines;
    for (const Node* node : nodes[i]) add_prose_in(*all[i], *node, &lines);
    for (const auto& [line, times] : lines) prose[line][i] = times;
  }
  for (const auto& [line, n] : prose) {
    const bool brought = n[kBase] == 0 && (n[kLeft] > 0 || n[kRight] > 0);
    const bool kept = n[kBase] > 0 && n[kLeft] >= n[kBase] && n[kRight] >= n[kBase];
    if (n[3] < (kept ? n[kBase] : brought ? 1 : 0)) return "a comment would be lost";
  }
  return {};
}

// The first thing that is lost, counted in these nodes of each; empty when nothing is.
std::string lost_in(const Four& all, std::span<const Nodes> nodes,
                    const std::set<std::string>& outdone) {
  std::unordered_map<std::string_view, std::array<int, 4>> counts, code;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Node* node : nodes[i]) {
      for (const Node* leaf : leaves_of(*all[i], *node)) {
        // Separators are put where they are needed.
        if (leaf->text.size() == 1 || is_for_people(*leaf)) continue;
        ++counts[leaf->text][i];
        if (is_name(leaf->text) && !in_import(*leaf)) ++code[leaf->text][i];
      }
    }
  }
  std::string lost = lost_prose(all, nodes);
  if (!lost.empty()) return lost;
  for (const auto& [token, n] : counts) {
    const bool brought = n[kBase] == 0 && (n[kLeft] > 0 || n[kRight] > 0);
    const bool taken = n[kBase] > 0 && n[kLeft] == 0 && n[kRight] == 0;
    const bool gone = brought && n[3] == 0 && !outdone.contains(std::string(token));
    if (gone) return "'" + std::string(token.substr(0, 40)) + "' would be lost";
    if (taken && n[3] > 0) return "'" + std::string(token.substr(0, 40)) + "' would be back";
  }
  // A key of data is nothing that another place uses.
  if (is_data(all[kBase]->language())) return {};
  for (const auto& [name, n] : code) {
    for (const Side side : {kLeft, kRight}) {
      const bool anew = n[kBase] > 0 && n[side] == 0 && n[other(side)] > n[kBase];
      if (anew && !is_of_library(*all[other(side)], name)) {
        return "one side uses '" + std::string(name.substr(0, 40)) +
               "' no more, the other uses it anew";
      }
    }
  }
  return {};
}

}  // namespace

Broken broken_rule(const Sides<const Tree*>& sides, const Tree& merged) {
  if (!parses_no_worse(sides, merged)) return unparsed(merged);
  Broken broken = Checker(sides, merged).check();
  if (broken.why.empty()) broken = renamed_and_used(sides, merged);
  if (broken.why.empty()) broken = called_otherwise(sides);
  if (!broken.why.empty() || INJECTED_BUG("semantic.both_brought_in")) return broken;
  broken = removed_and_again(sides, merged);
  if (broken.why.empty()) broken = unbound_name(sides, merged);
  if (broken.why.empty()) broken = registered_twice(sides, merged);
  if (broken.why.empty()) broken = named_twice(sides, merged);
  return broken.why.empty() ? brought_in_twice(sides) : broken;
}

std::string lost_token(const Sides<const Tree*>& sides, const Tree& merged,
                       const std::set<std::string>& outdone) {
  const Four all = {sides[kBase], sides[kLeft], sides[kRight], &merged};
  if (lost_in(all, not_in_all(all), outdone).empty()) return {};
  // Counted where the versions differ alone, something may be new that is not.
  return lost_in(all, whole(all), outdone);
}

std::string broken_parts(const Sides<const Tree*>& sides, const Tree& left, const Tree& right,
                         const std::set<std::string>& outdone) {
  std::unordered_set<std::string_view> there;  // tokens of the two
  ProseLines prose;
  for (const Tree* tree : {&left, &right}) {
    if (!parses_no_worse(sides, *tree)) return "the result does not parse";
    const Broken broken = Checker(sides, *tree).twice();
    if (!broken.why.empty()) return broken.why;
    for (const Node* leaf : tree->leaves()) there.insert(leaf->text);
    for (const auto& [line, times] : prose_in(*tree)) prose[line] += times;
  }
  const ProseLines known = prose_in(*sides[kBase]);
  std::unordered_set<std::string_view> before;
  for (const Node* leaf : sides[kBase]->leaves()) before.insert(leaf->text);
  for (const Side side : {kLeft, kRight}) {
    for (const Node* leaf : sides[side]->leaves()) {
      if (leaf->text.size() == 1 || is_for_people(*leaf) || before.contains(leaf->text)) continue;
      if (!there.contains(leaf->text) && !outdone.contains(std::string(leaf->text))) {
        return "'" + std::string(leaf->text.substr(0, 40)) + "' would be lost";
      }
    }
    for (const auto& [line, times] : prose_in(*sides[side])) {
      if (!known.contains(line) && !prose.contains(line)) return "a comment would be lost";
    }
  }
  return {};
}

}  // namespace gittxn::semantic
