// Three lists of items as one: which are there, and in what order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge/items.h"
#include "semantic/merge/match.h"
#include "semantic/sides.h"

namespace gittxn::semantic {

// One thing in up to three versions: its place in each list, or kUnmatched.
struct Slot {
  Sides<std::size_t> at = {kUnmatched, kUnmatched, kUnmatched};
};

struct ListOrder {
  std::vector<Slot> slots;        // of the result, in order
  Sides<std::vector<bool>> kept;  // of the items of each list, which are in the result
  std::string why;                // not empty: the lists cannot be merged
  std::string_view way;           // how: "parts of", "both added to", "moved in"
};

// `role` kMembers: declarations and imports that both sides add at one place stand one behind the
// other, left before right; kSet: everything does; else two changes at one place are a conflict.
ListOrder order_items(const Sides<const Tree*>& trees, const Sides<Items>& lists, Role role);

Sides<const Item*> slot_items(const Sides<Items>& lists, const Slot& slot);

}  // namespace gittxn::semantic
