#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "semantic/merge/lists.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

class SlotMaker {
 public:
  SlotMaker(const Sides<const Tree*>& trees, const Sides<Items>& lists)
      : trees_(trees), lists_(lists) {}

  Slotted make() {
    const std::size_t count = lists_[kBase].items.size();
    slots_.resize(count);
    for (std::size_t i = 0; i < count; ++i) slots_[i].at[kBase] = i;
    for (const Side side : {kLeft, kRight}) {
      const auto to = match_items({*trees_[kBase], lists_[kBase]}, {*trees_[side], lists_[side]});
      for (std::size_t i = 0; i < count; ++i) slots_[i].at[side] = to[i];
    }
    const auto across =
        match_items({*trees_[kLeft], lists_[kLeft]}, {*trees_[kRight], lists_[kRight]});
    Sides<std::vector<std::size_t>> slot_of;
    for (const Side side : {kBase, kLeft, kRight}) {
      slot_of[side].assign(lists_[side].items.size(), kUnmatched);
      for (std::size_t i = 0; i < count; ++i) {
        if (in(i, side)) slot_of[side][slots_[i].at[side]] = i;
      }
    }
    for (std::size_t i = 0; i < slot_of[kLeft].size(); ++i) {
      if (slot_of[kLeft][i] != kUnmatched) continue;
      slot_of[kLeft][i] = slots_.size();
      slots_.push_back({{kUnmatched, i, kUnmatched}});
      const std::size_t there = lists_[kLeft].set ? element(i, slot_of[kRight]) : across[i];
      if (there == kUnmatched || slot_of[kRight][there] != kUnmatched) continue;
      if (!one_thing(i, there)) continue;
      slots_.back().at[kRight] = there;
      slot_of[kRight][there] = slots_.size() - 1;
    }
    for (std::size_t i = 0; i < slot_of[kRight].size(); ++i) {
      if (slot_of[kRight][i] != kUnmatched) continue;
      slot_of[kRight][i] = slots_.size();
      slots_.push_back({{kUnmatched, kUnmatched, i}});
    }
    return {std::move(slots_), std::move(slot_of)};
  }

 private:
  bool in(std::size_t slot, Side side) const { return slots_[slot].at[side] != kUnmatched; }

  // The element of the right set that is the same as the left one and has no slot yet.
  std::size_t element(std::size_t left, const std::vector<std::size_t>& slot_of_right) const {
    const Node& node = *lists_[kLeft].items[left].node;
    for (std::size_t i = 0; i < slot_of_right.size(); ++i) {
      const Node& there = *lists_[kRight].items[i].node;
      if (slot_of_right[i] != kUnmatched || there.hash != node.hash) continue;
      if (same_code(*trees_[kLeft], node, *trees_[kRight], there)) return i;
    }
    return kUnmatched;
  }

  // Two imports of other names from one place, from which the base has none that they may be
  // versions of.
  bool brings_others(const Node& left, const Node& right) const {
    for (const Item& item : lists_[kBase].items) {
      if (item.node->decl == "import" && item.node->name == left.name) return false;
    }
    const std::vector<std::string> here = brought_names(trees_[kLeft]->language(), left);
    const std::vector<std::string> there = brought_names(trees_[kRight]->language(), right);
    return !here.empty() && !there.empty() && std::ranges::none_of(here, [&](const auto& name) {
      return std::ranges::find(there, name) != there.end();
    });
  }

  // Added by both: under the same name, or the same code.
  bool one_thing(std::size_t left, std::size_t right) const {
    const Item& x = lists_[kLeft].items[left];
    const Item& y = lists_[kRight].items[right];
    if (!x.key.empty() && x.key == y.key) {
      return x.node->decl != "import" || !brings_others(*x.node, *y.node);
    }
    return are_lists_of_both(*x.node, *y.node) ||
           same_code(*trees_[kLeft], *x.node, *trees_[kRight], *y.node);
  }

  const Sides<const Tree*>& trees_;
  const Sides<Items>& lists_;
  std::vector<Slot> slots_;
};

}  // namespace

Slotted slots_of(const Sides<const Tree*>& trees, const Sides<Items>& lists) {
  return SlotMaker(trees, lists).make();
}

bool added_as_two(const Sides<const Tree*>& trees, const Sides<Items>& lists,
                  const std::vector<Slot>& slots, const Sides<std::vector<std::size_t>>& order) {
  const auto own = [&](std::size_t slot, Side side) {
    const Slot& at = slots[slot];
    if (at.at[kBase] != kUnmatched || at.at[other(side)] != kUnmatched) return false;
    const Item& item = lists[side].items[at.at[side]];
    return item.key.empty() && item.node->named;
  };
  const auto node_of = [&](std::size_t slot, Side side) {
    return lists[side].items[slots[slot].at[side]].node;
  };
  std::unordered_multimap<std::uint64_t, std::size_t> left;
  for (const std::size_t slot : order[kLeft]) {
    if (own(slot, kLeft)) left.emplace(node_of(slot, kLeft)->hash, slot);
  }
  if (left.empty()) return false;
  return std::ranges::any_of(order[kRight], [&](std::size_t slot) {
    if (!own(slot, kRight)) return false;
    const Node& here = *node_of(slot, kRight);
    const auto [from, to] = left.equal_range(here.hash);
    return std::any_of(from, to, [&](const auto& entry) {
      return same_code(*trees[kLeft], *node_of(entry.second, kLeft), *trees[kRight], here);
    });
  });
}

bool share_a_change(const Sides<const Tree*>& trees) {
  constexpr std::ptrdiff_t kSeveral = 3;
  Sides<std::set<std::string_view>> names;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Declared& each : trees[i]->declarations()) {
      if (each.node->decl != "import") names[i].insert(each.path);
    }
  }
  return std::ranges::count_if(names[kLeft], [&](std::string_view name) {
           return names[kRight].contains(name) && !names[kBase].contains(name);
         }) >= kSeveral;
}

Sides<const Item*> slot_items(const Sides<Items>& lists, const Slot& slot) {
  Sides<const Item*> items = {nullptr, nullptr, nullptr};
  for (std::size_t side = 0; side < 3; ++side) {
    if (slot.at[side] != kUnmatched) items[side] = &lists[side].items[slot.at[side]];
  }
  return items;
}

}  // namespace gittxn::semantic
