#include "semantic/merge/lists.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

// A list without an order behind a keyword, or the clause that has both.
bool is_clause(std::string_view kind) {
  return is_any(kind, {"type_list", "throws", "super_interfaces", "extends_interfaces",
                       "class_heritage", "implements_clause", "class_interface_clause"});
}

bool is_token(const Node& node, const char* any_of) {
  return !node.named && node.text.size() == 1 && std::strchr(any_of, node.text[0]) != nullptr;
}

// Each part of a detail ends with a comma.
std::string detail_shown(const Node& node) {
  const std::string_view detail = node.detail;
  return std::string(detail.substr(0, detail.size() - (detail.ends_with(',') ? 1 : 0)));
}

std::string_view between(const char* from, const char* to) {
  return from < to ? std::string_view(from, to) : std::string_view(from, from);
}

// Where a comment that begins on the line of `at` ends; `at` when there is none.
const char* trailing_comment(const std::vector<Node*>& kids, std::size_t* next, const char* at) {
  const char* end = at;
  while (*next < kids.size() && kids[*next]->comment) {
    const std::string_view gap = between(end, kids[*next]->text.begin());
    if (gap.contains('\n')) break;
    // One in front of something on the same line belongs to that.
    const bool last = *next + 1 == kids.size();
    const std::string_view behind =
        last ? "\n" : between(kids[*next]->text.end(), kids[*next + 1]->text.begin());
    if (!behind.contains('\n') && !is_token(*kids[*next + 1], "}])")) break;
    end = kids[*next]->text.end();
    ++*next;
  }
  return end;
}

class Splitter {
 public:
  explicit Splitter(const Node& node) : end_(node.text.end()) {
    at_ = node.text.data();
    flatten(node, node.role == Role::kSet ? node.kind : std::string_view());
    out_.set = node.role == Role::kSet;
    const char* separators = node.role == Role::kSet ? ",|&" : ",";
    for (const Node* kid : kids_) {
      if (out_.separator.empty() && is_token(*kid, separators)) out_.separator = kid->text;
    }
    if (out_.separator.empty() && is_clause(node.kind)) out_.separator = ",";
  }

  Items split() {
    std::size_t first = 0, last = kids_.size();
    if (!kids_.empty() && is_token(*kids_.front(), "{[(<")) {
      first = 1;
      at_ = kids_.front()->text.end();
      out_.open = between(kids_.front()->text.begin(), at_);
    } else {
      out_.open = between(at_, at_);
    }
    if (last > first && is_token(*kids_.back(), "}])>")) --last;
    for (std::size_t i = first; i < last;) i = take(i, last);
    out_.close = between(at_, end_);
    name_items();
    return std::move(out_);
  }

 private:
  // "a | b | c" is nested in the grammars; as a set it is one list.
  void flatten(const Node& node, std::string_view nested) {
    for (Node* kid : node.kids) {
      if (kid->named && kid->kind == nested) {
        flatten(*kid, nested);
      } else {
        kids_.push_back(kid);
      }
    }
  }

  bool is_separator(const Node& kid) const {
    return is_token(kid, ",|&;") && kid.text == (out_.separator.empty() ? ";" : out_.separator);
  }

  // The item at `i`, with what belongs to it; the next place.
  std::size_t take(std::size_t i, std::size_t last) {
    const Node& kid = *kids_[i];
    if (kid.comment || kid.role == Role::kPrefix) return i + 1;  // part of the lead of what follows
    Item item;
    item.node = &kid;
    item.lead = between(at_, kid.text.begin());
    at_ = kid.text.end();
    std::size_t next = i + 1;
    std::size_t separator = next;
    while (separator < last && kids_[separator]->comment) ++separator;
    if (separator < last && is_separator(*kids_[separator])) {
      item.sep = between(at_, kids_[separator]->text.end());
      at_ = item.sep.end();
      next = separator + 1;
    }
    const char* comment = trailing_comment(kids_, &next, at_);
    item.trail = between(at_, comment);
    at_ = comment;
    out_.items.push_back(std::move(item));
    return next;
  }

  void name_items() {
    for (Item& item : out_.items) {
      const Node& node = *item.node;
      if (node.role == Role::kKeyed) {
        item.key = "keyed " + std::string(node.detail);
        item.name_key = detail_shown(node);
      }
      if (node.decl.empty()) continue;
      item.name_key = std::string(node.decl) + " " + std::string(node.name);
      item.key = item.name_key + "(" + std::string(node.detail) + ")";
    }
  }

  std::vector<Node*> kids_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  Items out_;
};

// --- what stands between them: white space and separators, from three versions ---

std::string_view blank_of(std::string_view lead) {
  return lead.substr(0, lead.size() - rest_of(lead).size());
}

// The middle one of three by what changed; `left` when both changed.
std::string_view pick(std::string_view base, std::string_view left, std::string_view right) {
  return left == base ? right : left;
}

// The first one of the first list that has one. Where none has two items, a comma stands between
// what is told by its name in parentheses and braces.
std::string_view any_separator(const Sides<Items>& lists) {
  std::string_view without;  // where nobody wrote one
  for (const Items& list : lists) {
    if (list.separator.empty()) continue;
    without = list.separator;
    const auto first =
        std::ranges::find_if(list.items, [](const Item& item) { return !item.sep.empty(); });
    if (first != list.items.end()) return first->sep;
  }
  if (!without.empty()) return without;
  const bool several =
      std::ranges::any_of(lists, [](const Items& list) { return list.items.size() > 1; });
  const bool named = !several && std::ranges::any_of(lists, [](const Items& list) {
    return (list.open == "(" || list.open == "{") &&
           std::ranges::any_of(list.items, [&list](const Item& item) {
             return list.set || item.node->role == Role::kKeyed || item.node->decl == "key";
           });
  });
  return named ? "," : std::string_view();
}

std::string blank_before(const Sides<Items>& lists, const Slot& slot, bool first, bool* clash) {
  Sides<std::optional<std::string_view>> blanks;
  for (std::size_t side = 0; side < 3; ++side) {
    if (slot.at[side] == kUnmatched || (slot.at[side] == 0) != first) continue;
    blanks[side] = blank_of(lists[side].items[slot.at[side]].lead);
  }
  if (blanks[0] && blanks[1] && blanks[2]) {
    if (blanks[1] != blanks[0] && blanks[2] != blanks[0] && blanks[1] != blanks[2]) *clash = true;
    return std::string(pick(*blanks[0], *blanks[1], *blanks[2]));
  }
  for (const Side side : {kLeft, kRight, kBase}) {
    if (blanks[side]) return std::string(*blanks[side]);
  }
  // It stood elsewhere: as what stands there does.
  for (const Side side : {kLeft, kRight, kBase}) {
    const std::size_t like = first ? 0 : 1;
    if (lists[side].items.size() > like) return std::string(blank_of(lists[side].items[like].lead));
  }
  for (const Side side : {kLeft, kRight, kBase}) {
    if (slot.at[side] == kUnmatched) continue;
    const auto blank = std::string(blank_of(lists[side].items[slot.at[side]].lead));
    return blank.empty() && !first ? (any_separator(lists).empty() ? "\n" : " ") : blank;
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

// The members of an enum in Java are an item, but no separator stands before them.
bool stands_behind(const Item& item) {
  return item.node->kind == "enum_body_declarations";
}

bool ends_at(const Items& list, std::size_t place) {
  return place + 1 == list.items.size() || stands_behind(list.items[place + 1]);
}

// The separator behind the last item. A list without items says nothing of it.
std::string_view last_separator(const Sides<Items>& lists) {
  Sides<std::string_view> last;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!lists[i].items.empty()) last[i] = lists[i].items.back().sep;
  }
  const auto is_empty = [&](std::size_t i) { return lists[i].items.empty(); };
  if (is_empty(kBase)) last[kBase] = last[is_empty(kLeft) ? kRight : kLeft];
  for (const Side side : {kLeft, kRight}) {
    if (is_empty(side)) last[side] = last[kBase];
  }
  return pick(last[kBase], last[kLeft], last[kRight]);
}

}  // namespace

Items items_of(const Node& node) {
  return Splitter(node).split();
}

std::string shown_item(const Item& item) {
  if (!item.key.empty()) return "'" + item.name_key.substr(0, 80) + "'";
  std::string kind(item.node->kind);
  if (!item.node->named) return "'" + kind + "'";
  if (kind == "expression_statement") return "a statement";
  std::ranges::replace(kind, '_', ' ');
  return (std::string_view("aeiou").contains(kind.front()) ? "an " : "a ") + kind;
}

bool are_lists_of_both(const Node& left, const Node& right) {
  const bool imports = left.decl == "imports" && right.decl == left.decl;
  return left.kind == right.kind &&
         (imports || left.kind == "import_spec_list" || is_clause(left.kind));
}

bool is_one_key(const Node& node) {
  const bool several = node.kind == "case_item" && has_any(node.detail, {"*", "?", "[", "$"});
  return node.role == Role::kKeyed && !several;
}

std::string_view rest_of(std::string_view lead) {
  const std::size_t at = lead.find_first_not_of(" \t\r\n\f\v");
  return at == std::string_view::npos ? lead.substr(lead.size()) : lead.substr(at);
}

Spacing spacing_of(const Sides<Items>& lists, const ListOrder& order, std::size_t place) {
  const Slot& slot = order.slots[place];
  const Sides<const Item*> items = slot_items(lists, slot);
  Spacing out;
  const auto clash = std::ranges::find(order.clashes, place, &Clash::before);
  const bool behind_clash = clash != order.clashes.end() && in_all(items);
  if (behind_clash && clash->begins()) {
    out.blank = {};           // a part of the clash
  } else if (behind_clash) {  // all versions have it there, behind something
    Sides<std::string_view> blanks;
    for (std::size_t side = 0; side < 3; ++side) blanks[side] = blank_of(items[side]->lead);
    out.blank = pick(blanks[0], blanks[1], blanks[2]);
  } else if (auto blank = blank_behind_gone(lists, order, place)) {
    out.blank = *std::move(blank);
  } else {
    out.blank = blank_before(lists, slot, place == 0, &out.clash);
  }
  std::string_view own;
  for (const Side side : {kBase, kRight, kLeft}) {
    if (items[side] != nullptr && !items[side]->sep.empty()) own = items[side]->sep;
  }
  // A comment may stand in front of the separator.
  if (in_all(items) && !items[0]->sep.empty() && !items[1]->sep.empty() && !items[2]->sep.empty()) {
    own = pick(items[0]->sep, items[1]->sep, items[2]->sep);
  }
  const std::string_view between = any_separator(lists);
  if (between.empty()) {
    out.sep = in_all(items) ? pick(items[0]->sep, items[1]->sep, items[2]->sep) : own;
  } else if (place + 1 < order.slots.size()) {
    bool needed = own.empty();  // by an item that was the last one wherever it was
    for (std::size_t side = 0; side < 3; ++side) {
      needed = needed && (items[side] == nullptr || ends_at(lists[side], slot.at[side]));
    }
    for (const Item* next : slot_items(lists, order.slots[place + 1])) {
      needed = needed && (next == nullptr || !stands_behind(*next));
    }
    out.sep = needed ? between : own;
  } else {
    out.sep = last_separator(lists);
  }
  return out;
}

}  // namespace gittxn::semantic
