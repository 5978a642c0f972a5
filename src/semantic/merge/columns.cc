#include "semantic/merge/lists.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gittxn::semantic {
namespace {

constexpr std::size_t kWideKey = 40;  // from here on formatters break columns by taste

// White space between two cells of a line, and what the rule makes of it.
struct Gap {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t width = 0;
};

struct Line {
  std::vector<std::size_t> cells;  // widths, in characters
  std::vector<Gap> gaps;           // behind each but the last
  bool follows = false;            // nothing stands between it and the line before
};

std::size_t width_of(const char* begin, const char* end) {
  return static_cast<std::size_t>(std::count_if(
      begin, end, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

// A cell ends where white space stands between two parts, commas and "=" aside.
Line line_of(const Item& item) {
  Line line;
  const char* cell = item.node->text.begin();
  const auto end_cell = [&](const char* at, const char* next) {
    line.cells.push_back(width_of(cell, at));
    line.gaps.push_back({at, next, 0});
    cell = next;
  };
  const Node* before = nullptr;
  for (const Node* kid : item.node->kids) {
    if (before != nullptr && before->text.end() != kid->text.begin() && before->text != "," &&
        before->text != "=") {
      end_cell(before->text.end(), kid->text.begin());
    }
    before = kid;
  }
  const char* end = item.sep.empty() ? item.node->text.end() : item.sep.end();
  if (!item.trail.empty()) {
    const std::size_t comment = item.trail.find_first_not_of(" \t");
    end_cell(end, item.trail.begin() + static_cast<std::ptrdiff_t>(comment));
    end = item.trail.end();
  }
  line.cells.push_back(width_of(cell, end));
  return line;
}

// One for each item; nothing when two of them share a line, and for very long keys.
std::optional<std::vector<Line>> lines_in(const Node& list) {
  const Items items = items_of(list);
  std::vector<Line> lines;
  bool broken = true;
  for (const Item& item : items.items) {
    if (!item.lead.contains('\n')) return std::nullopt;
    const bool several = item.node->text.contains('\n') || item.trail.contains('\n');
    Line line = several ? Line{} : line_of(item);
    line.follows =
        !broken && !several && is_blank(item.lead) && std::ranges::count(item.lead, '\n') == 1;
    broken = several;
    if (!line.cells.empty() && line.cells.front() > kWideKey) return std::nullopt;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<std::vector<Gap>> gaps_of(const Node& list) {
  const auto found = lines_in(list);
  if (!found) return std::nullopt;
  const std::vector<Line>& lines = *found;
  std::vector<Gap> gaps;
  for (std::size_t column = 0, more = 1; more > 0; ++column) {
    more = 0;
    for (std::size_t from = 0; from < lines.size();) {
      std::size_t to = from, widest = 0;
      while (to < lines.size() && lines[to].gaps.size() > column &&
             (to == from || lines[to].follows)) {
        widest = std::max(widest, lines[to].cells[column]);
        ++to;
      }
      for (std::size_t i = from; i < to; ++i) {
        Gap gap = lines[i].gaps[column];
        gap.width = widest - lines[i].cells[column] + 1;
        gaps.push_back(gap);
        ++more;
      }
      from = std::max(to, from + 1);
    }
  }
  return gaps;
}

bool is_right(const Gap& gap) {
  return static_cast<std::size_t>(gap.end - gap.begin) == gap.width &&
         std::all_of(gap.begin, gap.end, [](char c) { return c == ' '; });
}

using Kinds = std::set<std::string_view>;

void find_lists(const Node& node, const Kinds& kinds, std::vector<const Node*>* lists) {
  if (kinds.contains(node.kind)) lists->push_back(&node);
  for (const Node* kid : node.kids) find_lists(*kid, kinds, lists);
}

// White space inside of a line that is there to stand below or above something.
bool in_columns(std::string_view line) {
  return !line.contains('\n') && (line.contains("  ") || line.contains('\t'));
}

}  // namespace

bool aligned_apart(const Sides<Items>& lists, const ListOrder& order) {
  Sides<bool> before = {false, false, false};
  for (const Slot& slot : order.slots) {
    const Sides<const Item*> item = slot_items(lists, slot);
    if (!in_all(item)) continue;
    for (const Side side : {kLeft, kRight}) {
      if (item[side]->lead.contains('\n')) before = {false, false, false};
    }
    Sides<bool> changed = {false, false, false};
    for (const Side side : {kLeft, kRight}) {
      const std::string_view text = item[side]->node->text;
      changed[side] = text != item[kBase]->node->text;
      const std::string_view line = text.substr(0, text.find('\n'));
      const bool list = line.size() < text.size() && !line.contains('{') && line.contains('(');
      if (changed[side] && list && before[other(side)]) return true;
    }
    for (const Side side : {kLeft, kRight}) before[side] = before[side] || changed[side];
  }
  return false;
}

bool columns_apart(const Sides<Items>& lists, const ListOrder& order) {
  Sides<bool> moved = {false, false, false}, changed = {false, false, false};
  for (const Slot& slot : order.slots) {
    const Sides<const Item*> item = slot_items(lists, slot);
    for (const Side side : {kLeft, kRight}) {
      if (item[side] == nullptr) continue;
      const std::string_view text = item[side]->node->text;
      if (item[kBase] == nullptr) {
        changed[side] = changed[side] || (item[other(side)] == nullptr && in_columns(text));
        continue;
      }
      const std::string_view base = item[kBase]->node->text;
      if (text == base || !in_columns(text)) continue;
      (same_squeezed(text, base) ? moved : changed)[side] = true;
    }
  }
  return (moved[kLeft] && changed[kRight]) || (moved[kRight] && changed[kLeft]);
}

bool neighbour_apart(const Sides<Items>& lists, const ListOrder& order) {
  for (const Side side : {kLeft, kRight}) {
    std::vector<bool> changed(lists[side].items.size(), false);  // by the other side
    for (const Slot& slot : order.slots) {
      const Sides<const Item*> item = slot_items(lists, slot);
      if (!in_all(item)) continue;
      changed[slot.at[side]] =
          !same_squeezed(item[kBase]->node->text, item[other(side)]->node->text);
    }
    for (const Slot& slot : order.slots) {
      const std::size_t at = slot.at[side];
      if (at == kUnmatched || slot.at[kBase] != kUnmatched) continue;
      if (!in_columns(lists[side].items[at].node->text)) continue;
      if ((at > 0 && changed[at - 1]) || (at + 1 < changed.size() && changed[at + 1])) return true;
    }
  }
  return false;
}

Columns columns_of(const Node& list) {
  const auto gaps = gaps_of(list);
  if (!gaps || !std::ranges::all_of(*gaps, is_right)) return Columns::kNone;
  return std::ranges::any_of(*gaps, [](const Gap& gap) { return gap.width > 1; })
             ? Columns::kWide
             : Columns::kNarrow;
}

std::string with_columns(const Tree& merged, const Sides<const Tree*>& sides, const Kinds& kinds) {
  std::unordered_set<std::string_view> known;
  std::vector<const Node*> lists;
  for (const Tree* side : sides) {
    find_lists(side->root(), kinds, &lists);
    for (const Node* list : std::exchange(lists, {})) known.insert(list->text);
  }
  find_lists(merged.root(), kinds, &lists);
  std::vector<Gap> wrong;
  for (const Node* list : lists) {
    if (known.contains(list->text)) continue;
    const auto gaps = gaps_of(*list);
    for (const Gap& gap : gaps.value_or(std::vector<Gap>())) {
      if (!is_right(gap)) wrong.push_back(gap);
    }
  }
  std::ranges::sort(wrong, {}, &Gap::begin);
  std::string out;
  const char* at = merged.text().data();
  for (const Gap& gap : wrong) {
    out.append(at, gap.begin);
    out.append(gap.width, ' ');
    at = gap.end;
  }
  return out.append(at, merged.text().data() + merged.text().size());
}

}  // namespace gittxn::semantic
