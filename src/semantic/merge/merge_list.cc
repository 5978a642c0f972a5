#include "semantic/merge/lists.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace gittxn::semantic {
namespace {

using Order = std::vector<std::size_t>;  // slots

constexpr std::size_t kMaxItems = 50'000;  // of the three lists: some steps are quadratic

class ListMerger {
 public:
  ListMerger(const Sides<const Tree*>& trees, const Sides<Items>& lists, Role role)
      : trees_(trees), lists_(lists), role_(role) {}

  ListOrder merge() {
    ListOrder out;
    if (lists_[0].items.size() + lists_[1].items.size() + lists_[2].items.size() > kMaxItems) {
      out.why = "too many parts";
      return out;
    }
    match();
    out.why = check_slots();
    if (out.why.empty()) out.why = choose_skeleton();
    if (out.why.empty()) out.why = check_gaps();
    if (out.why.empty()) out.why = check_places();
    if (!out.why.empty()) return out;
    for (std::size_t i = 0; i < 3; ++i) out.kept[i].resize(lists_[i].items.size());
    for (const std::size_t slot : put_together()) {
      out.slots.push_back(slots_[slot]);
      for (std::size_t i = 0; i < 3; ++i) {
        if (slots_[slot].at[i] != kUnmatched) out.kept[i][slots_[slot].at[i]] = true;
      }
    }
    out.way = moved_ ? "moved in" : together_ ? "both added to" : "parts of";
    return out;
  }

 private:
  bool in(std::size_t slot, Side side) const { return slots_[slot].at[side] != kUnmatched; }
  bool in_all(std::size_t slot) const {
    return in(slot, kBase) && in(slot, kLeft) && in(slot, kRight);
  }
  bool added(std::size_t slot) const { return !in(slot, kBase); }
  bool dropped(std::size_t slot) const {
    return in(slot, kBase) && (!in(slot, kLeft) || !in(slot, kRight));
  }
  const Item& item(std::size_t slot, Side side) const {
    return lists_[side].items[slots_[slot].at[side]];
  }
  bool same(std::size_t slot, Side a, Side b) const {
    const Item& x = item(slot, a);
    const Item& y = item(slot, b);
    return same_code(*trees_[a], *x.node, *trees_[b], *y.node) &&
           squeeze(x.node->text) == squeeze(y.node->text) && squeeze(x.lead) == squeeze(y.lead) &&
           squeeze(x.trail) == squeeze(y.trail);
  }
  // What may stand in any order beside another of its kind.
  bool free_of_order(std::size_t slot) const {
    const Side side = in(slot, kLeft) ? kLeft : kRight;
    if (role_ == Role::kSet) return item(slot, side).node->named;
    const Node& node = *item(slot, side).node;
    return role_ == Role::kMembers && (!node.decl.empty() || node.role == Role::kFree);
  }

  void match() {
    const std::size_t count = lists_[kBase].items.size();
    slots_.resize(count);
    for (std::size_t i = 0; i < count; ++i) slots_[i].at[kBase] = i;
    for (const Side side : {kLeft, kRight}) {
      const auto to = match_items({*trees_[kBase], lists_[kBase]}, {*trees_[side], lists_[side]});
      for (std::size_t i = 0; i < count; ++i) slots_[i].at[side] = to[i];
    }
    const auto across =
        match_items({*trees_[kLeft], lists_[kLeft]}, {*trees_[kRight], lists_[kRight]});
    Sides<Order> slot_of;
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
      const std::size_t there = across[i];
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
    order_ = std::move(slot_of);
    apart_ = added_apart();
  }

  // The same code that both added, not at the same place: once or twice, and where, is for them to
  // say. The same declaration is there once, at the place of one of the two; then something with an
  // order that a side added behind it would be behind what it did not know.
  bool added_apart() const {
    if (role_ == Role::kSet) return false;
    Sides<std::vector<std::size_t>> place;
    for (const Side side : {kLeft, kRight}) {
      place[side].resize(slots_.size());
      std::size_t before = 0;
      for (const std::size_t slot : order_[side]) {
        if (in_all(slot)) ++before;
        place[side][slot] = before;
      }
    }
    bool ordered = false;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      ordered = ordered || (added(slot) && !free_of_order(slot));
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (!added(slot) || !in(slot, kLeft) || !in(slot, kRight)) continue;
      if (place[kLeft][slot] == place[kRight][slot]) continue;
      if (item(slot, kLeft).key.empty() || ordered) return true;
    }
    return added_twice();
  }

  bool added_twice() const {
    std::unordered_multimap<std::uint64_t, std::size_t> left;
    const auto own = [this](std::size_t slot, Side side) {
      return added(slot) && in(slot, side) && !in(slot, other(side)) &&
             item(slot, side).key.empty() && item(slot, side).node->named;
    };
    for (const std::size_t slot : order_[kLeft]) {
      if (own(slot, kLeft)) left.emplace(item(slot, kLeft).node->hash, slot);
    }
    for (const std::size_t slot : order_[kRight]) {
      if (left.empty() || !own(slot, kRight)) continue;
      const auto [from, to] = left.equal_range(item(slot, kRight).node->hash);
      if (std::any_of(from, to, [&](const auto& entry) {
            return same_code(*trees_[kLeft], *item(entry.second, kLeft).node, *trees_[kRight],
                             *item(slot, kRight).node);
          })) {
        return true;
      }
    }
    return false;
  }

  // Added by both: under the same name, or the same code.
  bool one_thing(std::size_t left, std::size_t right) const {
    const Item& x = lists_[kLeft].items[left];
    const Item& y = lists_[kRight].items[right];
    if (!x.key.empty() && x.key == y.key) return true;
    return same_code(*trees_[kLeft], *x.node, *trees_[kRight], *y.node);
  }

  bool broken(std::size_t slot) const {
    for (const Side side : {kBase, kLeft, kRight}) {
      if (in(slot, side) && item(slot, side).node->kind == "ERROR") return true;
    }
    return false;
  }
  bool untouched(std::size_t slot) const {
    return in_all(slot) && same(slot, kBase, kLeft) && same(slot, kBase, kRight);
  }

  std::string check_slots() const {
    if (apart_) return "both sides added one thing at two places";
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (broken(slot) && !untouched(slot)) return "both sides changed a place that does not parse";
      const bool left = in(slot, kLeft), right = in(slot, kRight);
      if (added(slot) && left && right && !same(slot, kLeft, kRight)) {
        return "both sides added " + called(slot, kLeft) + " differently";
      }
      if (!in(slot, kBase) || left == right) continue;
      const Side kept = left ? kLeft : kRight;
      if (!same(slot, kBase, kept)) {
        return "one side removed and the other changed " + called(slot, kBase);
      }
    }
    return {};
  }

  std::string called(std::size_t slot, Side side) const {
    const Item& x = item(slot, side);
    return "'" + (x.key.empty() ? std::string(x.node->kind) : x.name_key.substr(0, 80)) + "'";
  }

  Order common(Side side) const {
    Order out;
    std::ranges::copy_if(order_[side], std::back_inserter(out),
                         [this](std::size_t slot) { return in_all(slot); });
    return out;
  }

  std::string choose_skeleton() {
    const Order base = common(kBase), left = common(kLeft), right = common(kRight);
    moved_ = left != base || right != base;
    if (!moved_) return {};
    if (left != base && right != base && left != right) return "both sides moved something";
    skeleton_ = left != base ? kLeft : kRight;
    if (role_ == Role::kMembers || role_ == Role::kSet) return check_moved();
    // In a list with an order, a move alone is taken when the other side has the old list.
    const Side still = other(skeleton_);
    for (const std::size_t slot : order_[still]) {
      if (added(slot)) return "something was moved and something added";
    }
    return slots_.size() == base.size() ? std::string()
                                        : "something was moved and something removed";
  }

  // What one side put in another order, where the other side changed which there are.
  std::string check_moved() const {
    const Side still = other(skeleton_);
    if (common(kLeft) == common(kRight)) {  // both moved the same: only what both add is uncertain
      Sides<bool> adds = {false, false, false};
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (added(slot) && in(slot, kLeft) != in(slot, kRight)) {
          adds[in(slot, kLeft) ? kLeft : kRight] = true;
        }
      }
      return adds[kLeft] && adds[kRight] ? "both sides moved and added something" : "";
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (in(slot, kBase) != in(slot, still) && in(slot, skeleton_) != in(slot, still)) {
        return "one side moved something, the other added or removed something";
      }
    }
    return {};
  }

  // What stood before something that one side added, and what stood behind it, was taken away by
  // the other.
  std::string check_places() const {
    for (const Side side : {kLeft, kRight}) {
      const Order& order = order_[side];
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (!added(order[i]) || in(order[i], other(side))) continue;
        std::size_t before = i, after = i + 1;
        while (before > 0 && added(order[before - 1])) --before;
        while (after < order.size() && added(order[after])) ++after;
        const bool first_gone = before > 0 && dropped(order[before - 1]);
        const bool last_gone = after < order.size() && dropped(order[after]);
        const bool import = item(order[i], side).node->decl == "import";
        if (first_gone && last_gone && !import) {
          return "the place where something was added is gone";
        }
      }
    }
    return {};
  }

  using Gap = Sides<Order>;
  // What stands between two slots that all have, in each version; only when nothing was moved.
  std::vector<Gap> gaps() const {
    std::vector<Gap> out(1 + common(kBase).size());
    for (const Side side : {kBase, kLeft, kRight}) {
      std::size_t gap = 0;
      for (const std::size_t slot : order_[side]) {
        if (in_all(slot)) {
          ++gap;
        } else {
          out[gap][side].push_back(slot);
        }
      }
    }
    return out;
  }

  // Where `side` added an import and the other removed one: which stands for which is for them to
  // say who know both modules.
  bool swaps_import(const Gap& gap, const Order& added_by, Side side) const {
    const auto import = [&](std::size_t slot, Side in) {
      return item(slot, in).node->decl == "import";
    };
    return std::ranges::any_of(added_by, [&](std::size_t slot) { return import(slot, side); }) &&
           std::ranges::any_of(gap[kBase], [&](std::size_t slot) {
             return in(slot, side) && !in(slot, other(side)) && import(slot, kBase);
           });
  }

  std::string check_gaps() {
    const bool unordered = role_ == Role::kMembers || role_ == Role::kSet;
    if (moved_) return {};
    for (const Gap& gap : gaps()) {
      if (gap[kLeft] == gap[kBase] || gap[kRight] == gap[kBase]) continue;
      if (gap[kLeft] == gap[kRight]) continue;
      if (!unordered) return "both sides changed one place";
      Sides<Order> own;
      for (const Side side : {kLeft, kRight}) {
        for (const std::size_t slot : gap[side]) {
          if (added(slot) && !in(slot, other(side))) own[side].push_back(slot);
        }
        if (swaps_import(gap, own[side], side)) {
          return "one side removed an import where the other added one";
        }
      }
      if (own[kLeft].empty() || own[kRight].empty()) continue;
      together_ = true;
      // One block that both brought in, in two versions: what is in one only may be gone from the
      // other.
      if (std::ranges::any_of(gap[kLeft], [this](std::size_t slot) {
            return added(slot) && in(slot, kRight) && item(slot, kLeft).node->decl != "import";
          })) {
        return "both sides added one block in different versions";
      }
      for (const Side side : {kLeft, kRight}) {
        for (const std::size_t slot : own[side]) {
          if (!free_of_order(slot)) return "both sides added statements at one place";
        }
      }
      if (std::ranges::any_of(gap[kBase], [this](std::size_t slot) {
            return !in(slot, kLeft) && !in(slot, kRight) &&
                   item(slot, kBase).node->decl != "import";
          })) {
        return "both sides replaced something";
      }
    }
    return {};
  }

  Order put_together() const {
    Order out;
    for (const std::size_t slot : order_[skeleton_]) {
      if (!dropped(slot)) out.push_back(slot);
    }
    const Order& rest = order_[other(skeleton_)];
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (!added(rest[i]) || in(rest[i], skeleton_)) continue;
      auto place = out.begin();
      for (std::size_t before = i; before-- > 0;) {
        const auto found = std::ranges::find(out, rest[before]);
        if (found == out.end()) continue;
        place = found + 1;
        break;
      }
      // Left before right; but what is imported before what is declared.
      const bool import = item(rest[i], other(skeleton_)).node->decl == "import";
      if (skeleton_ == kLeft) {
        while (place != out.end() && added(*place) && !in(*place, kRight) &&
               (!import || item(*place, kLeft).node->decl == "import")) {
          ++place;
        }
      }
      out.insert(place, rest[i]);
    }
    return out;
  }

  const Sides<const Tree*>& trees_;
  const Sides<Items>& lists_;
  Role role_;
  std::vector<Slot> slots_;
  Sides<Order> order_;
  Side skeleton_ = kLeft;
  bool moved_ = false;
  bool apart_ = false;     // both added one thing, not at the same place
  bool together_ = false;  // both sides added at one place
};

}  // namespace

ListOrder order_items(const Sides<const Tree*>& trees, const Sides<Items>& lists, Role role) {
  return ListMerger(trees, lists, role).merge();
}

Sides<const Item*> slot_items(const Sides<Items>& lists, const Slot& slot) {
  Sides<const Item*> items = {nullptr, nullptr, nullptr};
  for (std::size_t side = 0; side < 3; ++side) {
    if (slot.at[side] != kUnmatched) items[side] = &lists[side].items[slot.at[side]];
  }
  return items;
}

}  // namespace gittxn::semantic
