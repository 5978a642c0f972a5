#include "semantic/merge/lists.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "semantic/kinds.h"
#include "semantic/merge/inserted/inserted.h"
#include "semantic/merge/inserted/own_statements.h"

namespace gittxn::semantic {
namespace {

using Order = std::vector<std::size_t>;  // slots

constexpr std::array kVersions = {kBase, kLeft, kRight};
constexpr std::array kTheTwo = {kLeft, kRight};
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
    Slotted slotted = slots_of(trees_, lists_);
    slots_ = std::move(slotted.slots);
    order_ = std::move(slotted.order);
    if (added_apart()) out.why = "both sides added one thing at two places";
    if (out.why.empty()) out.why = choose_skeleton();
    if (out.why.empty()) find_gaps();
    if (out.why.empty()) out.why = check_slots();
    if (out.why.empty()) check_gaps();
    if (out.why.empty()) out.why = check_places();
    if (out.why.empty()) out.why = check_clashes();
    if (!out.why.empty()) return out;
    for (std::size_t i = 0; i < 3; ++i) out.kept[i].resize(lists_[i].items.size());
    std::size_t gap = 0;
    add_clash(gap, &out);
    for (const std::size_t slot : put_together()) {
      if (!in_all(slot) && clashes(slot)) continue;
      out.slots.push_back(slots_[slot]);
      for (std::size_t i = 0; i < 3; ++i) {
        if (slots_[slot].at[i] != kUnmatched) out.kept[i][slots_[slot].at[i]] = true;
      }
      if (in_all(slot)) add_clash(++gap, &out);
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
  bool is_import(std::size_t slot, Side side) const {
    return item(slot, side).node->decl == "import";
  }
  bool same(std::size_t slot, Side a, Side b) const {
    const Item& x = item(slot, a);
    const Item& y = item(slot, b);
    return same_code(*trees_[a], *x.node, *trees_[b], *y.node) &&
           same_squeezed(x.node->text, y.node->text) && same_squeezed(x.lead, y.lead) &&
           same_squeezed(x.trail, y.trail);
  }
  // What may stand in any order beside another of its kind.
  bool free_of_order(std::size_t slot) const {
    const Side side = in(slot, kLeft) ? kLeft : kRight;
    const Node& node = *item(slot, side).node;
    if (role_ == Role::kSet) return node.named;
    if (node.role == Role::kKeyed || role_ == Role::kList) return true;
    return role_ == Role::kMembers && (!node.decl.empty() || node.role == Role::kFree);
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
    return added_as_two(trees_, lists_, slots_, order_);
  }

  // --- clashes. Where nothing was moved, what cannot be merged is in conflict with what stands
  // around it, up to the next things that all versions have; else the whole list is ---

  // Between which of those a slot stands in a version that has it.
  void find_gaps() {
    if (moved_) return;
    for (const Side side : {kBase, kLeft, kRight}) {
      gap_of_[side].assign(slots_.size(), kUnmatched);
      std::size_t gap = 0;
      for (const std::size_t slot : order_[side]) {
        if (in_all(slot)) anchors_[side].push_back(slots_[slot].at[side]);
        gap_of_[side][slot] = in_all(slot) ? ++gap : gap;
      }
    }
    why_.resize(anchors_[kBase].size() + 1);
  }

  // The reason again where it is one for the whole list.
  std::string clash(std::size_t slot, std::string why) {
    if (moved_) return why;
    for (const Side side : {kBase, kLeft, kRight}) {
      if (in(slot, side)) clash_gap(gap_of_[side][slot], why);
    }
    return {};
  }
  void clash_gap(std::size_t gap, std::string_view why) {
    if (why_[gap].empty()) why_[gap] = why;
  }
  bool clashes(std::size_t slot) const {
    return std::ranges::any_of(kVersions, [&](Side side) {
      return !moved_ && in(slot, side) && !why_[gap_of_[side][slot]].empty();
    });
  }

  // A thing that stands in two gaps, one of which is in conflict, has no certain place.
  std::string check_clashes() const {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (in_all(slot) || !clashes(slot)) continue;
      std::set<std::size_t> gaps;
      for (const Side side : kVersions) {
        if (in(slot, side)) gaps.insert(gap_of_[side][slot]);
      }
      for (const std::size_t gap : gaps) {
        if (gaps.size() > 1 && !why_[gap].empty()) return why_[gap];
      }
    }
    return {};
  }

  void add_clash(std::size_t gap, ListOrder* out) const {
    if (moved_ || why_[gap].empty()) return;
    Clash clash;
    clash.before = out->slots.size();
    clash.why = why_[gap];
    for (const Side side : {kBase, kLeft, kRight}) {
      const auto& anchors = anchors_[side];
      clash.from[side] = gap == 0 ? 0 : anchors[gap - 1] + 1;
      clash.to[side] = gap == anchors.size() ? lists_[side].items.size() : anchors[gap];
      for (std::size_t i = clash.from[side]; i < clash.to[side]; ++i) out->kept[side][i] = true;
    }
    out->clashes.push_back(std::move(clash));
  }

  bool broken(std::size_t slot) const {
    return std::ranges::any_of(kVersions, [&](Side side) {
      return in(slot, side) && item(slot, side).node->kind == "ERROR";
    });
  }

  std::string check_slots() {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (in_all(slot)) continue;
      const std::string why = against(slot);
      if (why.empty()) continue;
      const std::string whole = clash(slot, why);
      if (!whole.empty()) return whole;
    }
    return {};
  }

  // The reason against a thing that is not in all versions; empty when there is none.
  std::string against(std::size_t slot) const {
    if (broken(slot)) return "both sides changed a place that does not parse";
    const bool left = in(slot, kLeft), right = in(slot, kRight);
    if (added(slot) && left && right && !same(slot, kLeft, kRight) &&
        !are_lists_of_both(*item(slot, kLeft).node, *item(slot, kRight).node)) {
      return "both sides added " + called(slot, kLeft) + " differently";
    }
    if (!in(slot, kBase) || left == right) return {};
    const Side kept = left ? kLeft : kRight;
    if (same(slot, kBase, kept)) return {};
    return "one side removed and the other changed " + called(slot, kBase);
  }

  std::string called(std::size_t slot, Side side) const { return shown_item(item(slot, side)); }

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
      const bool changed = in(slot, kBase) != in(slot, still);
      if (changed && in(slot, skeleton_) != in(slot, still) && !added_beside_imports(slot)) {
        return "one side moved something, the other added or removed something";
      }
      // A side that rearranges a list and takes from it means more than the order.
      if (dropped(slot)) return "one side moved something, and something was removed";
    }
    return {};
  }

  // One side sorted its imports, moved nothing else and added nothing: an import that the other
  // added is one more of them, and what it added behind something else stands there.
  bool added_beside_imports(std::size_t slot) const {
    const Side still = other(skeleton_);
    Order was = common(kBase), is = common(skeleton_);
    std::erase_if(was, [&](std::size_t each) { return is_import(each, kBase); });
    std::erase_if(is, [&](std::size_t each) { return is_import(each, skeleton_); });
    const bool more =
        std::ranges::any_of(order_[skeleton_], [this](auto each) { return added(each); });
    if (was != is || more || !added(slot)) return false;
    if (is_import(slot, still)) return true;
    std::size_t before = std::ranges::find(order_[still], slot) - order_[still].begin();
    while (before > 0 && added(order_[still][before])) --before;
    return !added(order_[still][before]) && !is_import(order_[still][before], still);
  }

  // What stood before something that one side added, and what stood behind it, was taken away by
  // the other.
  std::string check_places() {
    for (const Side side : {kLeft, kRight}) {
      const Order& order = order_[side];
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (!added(order[i]) || in(order[i], other(side))) continue;
        std::size_t before = i, after = i + 1;
        while (before > 0 && added(order[before - 1])) --before;
        while (after < order.size() && added(order[after])) ++after;
        const bool first_gone = before > 0 && dropped(order[before - 1]);
        const bool last_gone = after < order.size() && dropped(order[after]);
        if (first_gone && last_gone && !is_import(order[i], side)) {
          const std::string whole = clash(order[i], "the place where something was added is gone");
          if (!whole.empty()) return whole;
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

  // `side` added an import and the other removed one: which stands for which is for those to say
  // who know both modules.
  bool swaps_import(const Gap& gap, const Order& added_by, Side side) const {
    return std::ranges::any_of(added_by, [&](auto slot) { return is_import(slot, side); }) &&
           std::ranges::any_of(gap[kBase], [&](std::size_t slot) {
             return in(slot, side) && !in(slot, other(side)) && is_import(slot, kBase);
           });
  }

  void check_gaps() {
    if (moved_) return;
    const std::vector<Gap> all = gaps();
    for (std::size_t i = 0; i < all.size(); ++i) clash_gap(i, against(all[i], i));
  }

  // The case before the gap goes on in the one that is added first.
  bool goes_on_before(std::size_t gap) const {
    return gap > 0 && std::ranges::any_of(kVersions, [&](Side side) {
             const Node& before = *lists_[side].items[anchors_[side][gap - 1]].node;
             return before.role != Role::kKeyed &&
                    has_any(before.kind, {"case_statement", "case_item", "switch_case",
                                          "switch_default", "statement_group"});
           });
  }

  // The reason against a gap in which both sides changed which things there are.
  std::string against(const Gap& gap, std::size_t place) {
    if (gap[kLeft] == gap[kBase] || gap[kRight] == gap[kBase]) return {};
    if (gap[kLeft] == gap[kRight]) return {};
    if (std::ranges::any_of(kTheTwo, [&](Side side) { return moved_up(gap, side); })) return {};
    const bool keyed = is_keyed(gap) && !goes_on_before(place);
    const Inserted inserted = inserted_in(gap);
    const bool told_apart = keyed || inserted != Inserted::kOrdered;
    const bool unordered = role_ == Role::kMembers || role_ == Role::kSet;
    if (!unordered && !told_apart && !adds_values(gap)) return "both sides changed one place";
    Sides<Order> own;
    for (const Side side : {kLeft, kRight}) {
      for (const std::size_t slot : gap[side]) {
        if (added(slot) && !in(slot, other(side))) own[side].push_back(slot);
      }
      if (swaps_import(gap, own[side], side)) {
        return "one side removed an import where the other added one";
      }
    }
    if (both_take_macros(gap)) return "both sides removed macros at one place";
    if (own[kLeft].empty() || own[kRight].empty()) return {};
    for (const Side side : kTheTwo) {
      for (const std::size_t slot : own[side]) slots_[slot].free = inserted == Inserted::kUnordered;
    }
    together_ = true;
    if (share_a_change(trees_)) return "both sides have one change in different versions";
    if (std::ranges::all_of(kTheTwo, [&](Side side) { return counts_up(own[side], side); })) {
      return "both sides gave the next number to something new";
    }
    // One block that both brought in, in two versions: what is in one only may be gone from the
    // other.
    if (role_ != Role::kSet && std::ranges::any_of(gap[kLeft], [this](std::size_t slot) {
          return added(slot) && in(slot, kRight) && !is_import(slot, kLeft);
        })) {
      return "both sides added one block in different versions";
    }
    for (const Side side : {kLeft, kRight}) {
      const auto is_free = [this](std::size_t slot) { return free_of_order(slot); };
      if (!told_apart && !std::ranges::all_of(own[side], is_free)) {
        return "both sides added statements at one place";
      }
    }
    if (std::ranges::any_of(gap[kBase], [this](std::size_t slot) {
          return !in(slot, kLeft) && !in(slot, kRight) && !is_import(slot, kBase);
        })) {
      return "both sides replaced something";
    }
    return {};
  }

  // `side` only took imports out of a function, which it has at the top of the file: what the other
  // side made of the place may say their names as before.
  bool moved_up(const Gap& gap, Side side) const {
    return !std::ranges::any_of(gap[side], [this](auto slot) { return added(slot); }) &&
           std::ranges::all_of(gap[kBase], [&](std::size_t slot) {
             return in(slot, side) || is_imported_above(*trees_[side], *item(slot, kBase).node);
           });
  }

  // Macros that stand together are mostly one group of numbers.
  bool both_take_macros(const Gap& gap) const {
    return std::ranges::all_of(kTheTwo, [&](Side side) {
      return std::ranges::any_of(gap[kBase], [&](std::size_t slot) {
        return !in(slot, side) && in(slot, other(side)) && item(slot, kBase).node->decl == "macro";
      });
    });
  }

  // Enumerators in C, of which each without a value has the number behind the one before it.
  bool counts_up(const Order& slots, Side side) const {
    return std::ranges::any_of(slots, [&](std::size_t slot) {
      const Node& node = *item(slot, side).node;
      return node.kind == "enumerator" && kid_in(node, "value") == nullptr;
    });
  }

  bool is_keyed(const Gap& gap) const {
    return std::ranges::all_of(kVersions, [&](Side side) {
      return std::ranges::all_of(
          gap[side], [&](std::size_t slot) { return is_one_key(*item(slot, side).node); });
    });
  }

  // Both sides only added statements.
  Inserted inserted_in(const Gap& gap) const {
    if (!gap[kBase].empty()) return Inserted::kOrdered;
    Sides<std::vector<const Node*>> nodes;
    for (const Item& each : lists_[kBase].items) nodes[kBase].push_back(each.node);
    for (const Side side : kTheTwo) {
      for (const std::size_t slot : gap[side]) {
        const Node& node = *item(slot, side).node;
        if (in(slot, other(side)) && node.decl != "import") return Inserted::kOrdered;
        nodes[side].push_back(&node);
      }
    }
    return how_inserted(trees_, nodes);
  }

  // Both sides only added values, each on lines of its own, or strings. Numbers on one line may be
  // told by their places.
  bool adds_values(const Gap& gap) const {
    if (role_ != Role::kList || !gap[kBase].empty()) return false;
    return std::ranges::all_of(kTheTwo, [&](Side side) {
      const auto on_own_line = [&](std::size_t slot) {
        return item(slot, side).lead.contains('\n') && item(slot, side).node->named;
      };
      const auto is_string = [&](std::size_t slot) {
        return item(slot, side).node->kind.contains("string");
      };
      return std::ranges::all_of(gap[side], on_own_line) ||
             std::ranges::all_of(gap[side], is_string);
    });
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
      const bool import = is_import(rest[i], other(skeleton_));
      if (skeleton_ == kLeft) {
        while (place != out.end() && added(*place) && !in(*place, kRight) &&
               (!import || is_import(*place, kLeft))) {
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
  bool together_ = false;                    // both sides added at one place
  Sides<std::vector<std::size_t>> gap_of_;   // of each slot in each version
  Sides<std::vector<std::size_t>> anchors_;  // items of each version that all have, in order
  std::vector<std::string> why_;             // of each gap: what stands against it
};

}  // namespace

ListOrder order_items(const Sides<const Tree*>& trees, const Sides<Items>& lists, Role role) {
  return ListMerger(trees, lists, role).merge();
}

}  // namespace gittxn::semantic
