#include "semantic/merge/lists.h"

#include <optional>
#include <utility>

namespace gittxn::semantic {
namespace {

std::string_view blank_of(std::string_view lead) {
  return lead.substr(0, lead.size() - rest_of(lead).size());
}

// The middle one of three by what changed; `left` when both changed.
std::string_view pick(std::string_view base, std::string_view left, std::string_view right) {
  return left == base ? right : left;
}

std::string blank_before(const Sides<Items>& lists, const Slot& slot, bool first, bool* clash) {
  Sides<const std::string_view*> usable = {nullptr, nullptr, nullptr};
  Sides<std::string_view> blanks;
  for (std::size_t side = 0; side < 3; ++side) {
    if (slot.at[side] == kUnmatched || (slot.at[side] == 0) != first) continue;
    blanks[side] = blank_of(lists[side].items[slot.at[side]].lead);
    usable[side] = &blanks[side];
  }
  if (usable[0] != nullptr && usable[1] != nullptr && usable[2] != nullptr) {
    if (blanks[1] != blanks[0] && blanks[2] != blanks[0] && blanks[1] != blanks[2]) *clash = true;
    return std::string(pick(blanks[0], blanks[1], blanks[2]));
  }
  for (const Side side : {kLeft, kRight, kBase}) {
    if (usable[side] != nullptr) return std::string(*usable[side]);
  }
  // It stood elsewhere: as what stands there does.
  for (const Side side : {kLeft, kRight, kBase}) {
    const std::size_t like = first ? 0 : 1;
    if (lists[side].items.size() > like) return std::string(blank_of(lists[side].items[like].lead));
  }
  for (const Side side : {kLeft, kRight, kBase}) {
    if (slot.at[side] == kUnmatched) continue;
    const auto blank = std::string(blank_of(lists[side].items[slot.at[side]].lead));
    return blank.empty() && !first ? (lists[side].separator.empty() ? "\n" : " ") : blank;
  }
  return {};
}

// One that stands, in some version, behind something that is no more: whoever has it behind what it
// now follows knows the space between the two; else it takes the place of what is gone. Nothing
// when it never stood there.
std::optional<std::string> blank_behind_gone(const Sides<Items>& lists, const ListOrder& order,
                                             std::size_t place) {
  if (place == 0) return std::nullopt;
  const Slot& slot = order.slots[place];
  const Slot& before = order.slots[place - 1];
  std::optional<std::string> gone;
  bool behind_gone = false;
  for (const Side side : {kLeft, kRight, kBase}) {
    if (slot.at[side] == kUnmatched || slot.at[side] == 0) continue;
    std::size_t first = slot.at[side];
    while (first > 0 && !order.kept[side][first - 1]) --first;
    if (first == slot.at[side]) continue;
    behind_gone = true;
    // Nobody else has that place yet.
    if (!gone && first > 0 && before.at[side] == first - 1) {
      gone = blank_of(lists[side].items[first].lead);
    }
  }
  if (!behind_gone) return std::nullopt;
  for (const Side side : {kLeft, kRight, kBase}) {
    if (slot.at[side] == kUnmatched || before.at[side] == kUnmatched) continue;
    if (slot.at[side] != before.at[side] + 1) continue;
    return std::string(blank_of(lists[side].items[slot.at[side]].lead));
  }
  return gone;
}

std::string_view last_separator(const Items& list) {
  return list.items.empty() ? std::string_view() : list.items.back().sep;
}

}  // namespace

std::string_view rest_of(std::string_view lead) {
  const std::size_t at = lead.find_first_not_of(" \t\r\n\f\v");
  return at == std::string_view::npos ? lead.substr(lead.size()) : lead.substr(at);
}

Spacing spacing_of(const Sides<Items>& lists, const ListOrder& order, std::size_t place) {
  const Slot& slot = order.slots[place];
  const Sides<const Item*> items = slot_items(lists, slot);
  Spacing out;
  if (auto blank = blank_behind_gone(lists, order, place)) {
    out.blank = *std::move(blank);
  } else {
    out.blank = blank_before(lists, slot, place == 0, &out.clash);
  }
  std::string_view own;
  for (const Side side : {kBase, kRight, kLeft}) {
    if (items[side] != nullptr && !items[side]->sep.empty()) own = items[side]->sep;
  }
  std::string_view between;
  for (const Items& list : lists) {
    for (const Item& item : list.items) {
      if (!list.separator.empty() && between.empty()) between = item.sep;
    }
  }
  if (between.empty()) {
    out.sep = in_all(items) ? pick(items[0]->sep, items[1]->sep, items[2]->sep) : own;
  } else if (place + 1 < order.slots.size()) {
    bool needed = own.empty();  // by an item that was the last one wherever it was
    for (std::size_t side = 0; side < 3; ++side) {
      const bool last = slot.at[side] + 1 == lists[side].items.size();
      needed = needed && (items[side] == nullptr || last);
    }
    out.sep = needed ? between : own;
  } else {
    out.sep = pick(last_separator(lists[0]), last_separator(lists[1]), last_separator(lists[2]));
  }
  return out;
}

}  // namespace gittxn::semantic
