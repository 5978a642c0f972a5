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

}  // namespace

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
