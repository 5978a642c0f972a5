// Lists in three versions: the children of a node as a list that can be put together anew, where
// every byte of the node belongs to the opening, to one item, or to the closing; which item of one
// version is which of another; which are in the result, in what order and with what between them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// --- items.cc ---

struct Item {
  const Node* node = nullptr;
  std::string_view lead;   // white space, comments and attributes before it
  std::string_view sep;    // from its end through the separator behind it; empty when it has none
  std::string_view trail;  // a comment on its last line
  std::string key;         // kind, name and detail; empty when nothing tells it but its code
  std::string name_key;    // kind and name
};

struct Items {
  std::string_view open, close;
  std::vector<Item> items;
  bool set = false;  // of a node with that role: an element is another one as soon as it changed
  std::string_view separator;  // what stands between every two items; empty when nothing must
};

Items items_of(const Node& node);

// The name of an item for messages: "'function f'", or the kind of its code: "an if statement".
std::string shown_item(const Item& item);

// It is told by its name (@keyed), which is no pattern of several, as one of Bash may be.
bool is_one_key(const Node& node);

// Lists that can be put together where both sides added one and the base has none: the imports of
// one statement, or what a type implements and a method throws, on their own or in the clause.
bool are_lists_of_both(const Node& left, const Node& right);

// --- match.cc ---

inline constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

struct Listed {
  const Tree& tree;
  const Items& list;
};

// For every item of `a` its place in `b`, or kUnmatched. By key; imports by the names that they
// bring; by the same code, in order; then, in the gap between two that are matched, by place in the
// parent, name, or likeness.
std::vector<std::size_t> match_items(const Listed& a, const Listed& b);

// How much of the tokens of two nodes is common, 0 to 1.
double likeness(const Tree& a, const Node& x, const Tree& b, const Node& y);

// One thing in up to three versions: its place in each list, or kUnmatched.
struct Slot {
  Sides<std::size_t> at = {kUnmatched, kUnmatched, kUnmatched};
  bool free = false;  // a statement that may stand before or behind what the other side added there
};

// --- slots.cc ---

struct Slotted {
  std::vector<Slot> slots;
  Sides<std::vector<std::size_t>> order;  // of each version: the slot of each of its items
};
// What is one thing in several versions is one slot: what is matched, and what both sides added
// under one name or with the same code.
Slotted slots_of(const Sides<const Tree*>& trees, const Sides<Items>& lists);

// The item in each version; nullptr where it is not.
Sides<const Item*> slot_items(const Sides<Items>& lists, const Slot& slot);

// Both sides added something without a name, in the same code, which is two slots.
bool added_as_two(const Sides<const Tree*>& trees, const Sides<Items>& lists,
                  const std::vector<Slot>& slots, const Sides<std::vector<std::size_t>>& order);

// The sides added several declarations of the same names: the one has been taken over from the
// other, and what it has besides may be an older version of it.
bool share_a_change(const Sides<const Tree*>& trees);

// --- merge_list.cc ---

// What stands between two things that all versions have, or before the first or behind the last,
// and cannot be merged.
struct Clash {
  std::size_t before = 0;  // the slot of the result that it stands in front of
  Sides<std::size_t> from = {0, 0, 0}, to = {0, 0, 0};  // items of each list
  std::string why;
  // Before the first thing that all versions have: what is first in one has nothing before it.
  bool begins() const { return from == Sides<std::size_t>{0, 0, 0}; }
};

struct ListOrder {
  std::vector<Slot> slots;        // of the result, in order, without those of clashes
  std::vector<Clash> clashes;     // in order
  Sides<std::vector<bool>> kept;  // of the items of each list, which are in the result or a clash
  std::string why;                // not empty: the lists cannot be merged at all
  std::string_view way;           // how: "parts of", "both added to", "moved in"
};

// `role` kMembers: declarations and imports that both sides add at one place stand one behind the
// other, left before right; kSet: everything does; else two changes at one place are a clash.
ListOrder order_items(const Sides<const Tree*>& trees, const Sides<Items>& lists, Role role);

constexpr bool in_all(const Sides<const Item*>& item) {
  return item[kBase] != nullptr && item[kLeft] != nullptr && item[kRight] != nullptr;
}

// --- items.cc: what stands between them ---

// The white space before the item at `place` of the result, and the separator behind it.
struct Spacing {
  std::string blank;
  std::string sep;
  bool clash = false;  // both sides laid it out differently
};
Spacing spacing_of(const Sides<Items>& lists, const ListOrder& order, std::size_t place);

// A lead without the white space it begins with.
std::string_view rest_of(std::string_view lead);

// --- columns.cc: lists of which every line stands in columns, as formatters lay them out. A cell
// is as wide as the widest of it in the lines that follow one another, and one space more. Two
// sides that each made a column wider agree on the rule, though not on the width ---

enum class Columns { kNone, kNarrow, kWide };
// kNarrow and kWide: all white space inside of the lines of `list` is what that rule says; kWide:
// and somewhere it is more than one space.
Columns columns_of(const Node& list);

// A list in parentheses over several lines that one side changed, behind something on its first
// line that the other side changed.
bool aligned_apart(const Sides<Items>& lists, const ListOrder& order);

// A side gave lines of a list other columns, and the other side added or changed lines of it,
// which stand in the old ones.
bool columns_apart(const Sides<Items>& lists, const ListOrder& order);

// A line that a side added stands in columns with the lines before and behind it; the other side
// changed one of those.
bool neighbour_apart(const Sides<Items>& lists, const ListOrder& order);

// The text of `merged` with the columns of every list of one of `kinds` that none of the sides has
// as it is.
std::string with_columns(const Tree& merged, const Sides<const Tree*>& sides,
                         const std::set<std::string_view>& kinds);

}  // namespace gittxn::semantic
