#include "semantic/merge/merge_tree.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/both/given_and_read.h"
#include "semantic/merge/lists.h"
#include "semantic/merge/prose.h"
#include "semantic/merge/runs.h"
#include "semantic/merge/signature.h"

namespace gittxn::semantic {
namespace {

using Text = std::optional<std::string>;

// Comments count; white space outside of tokens does not.
bool unchanged(const Tree& a, const Node& x, const Tree& b, const Node& y) {
  return x.text == y.text || (same_code(a, x, b, y) && same_squeezed(x.text, y.text));
}

Text merge_texts(const Sides<std::string_view>& s) {
  if (s[kLeft] == s[kRight] || s[kRight] == s[kBase]) return std::string(s[kLeft]);
  if (s[kLeft] == s[kBase]) return std::string(s[kRight]);
  const Sides<std::string> bare = {squeeze(s[0]), squeeze(s[1]), squeeze(s[2])};
  if (bare[kLeft] == bare[kBase]) return std::string(s[kRight]);
  if (bare[kRight] == bare[kBase] || bare[kLeft] == bare[kRight]) return std::string(s[kLeft]);
  const auto merged = merge_lines(s, {});
  if (!merged || !merged->clean) return std::nullopt;
  return merged->text;
}

// A lead or a trail with nothing but white space and comments in it.
bool is_comments(std::string_view text) {
  text = rest_of(text);
  if (text.starts_with("#[") || text.starts_with("#!")) return false;
  return text.empty() || text.starts_with("//") || text.starts_with("/*") ||
         text.starts_with('#') || text.starts_with("--");
}

Text merge_comments(const Sides<std::string_view>& s) {
  if (Text merged = merge_texts(s)) return merged;
  if (const auto one = with_one_derive(s)) return merge_texts({(*one)[0], (*one)[1], (*one)[2]});
  if (!std::ranges::all_of(s, is_comments)) return std::nullopt;
  return merge_prose(s);
}

bool is_version(std::string_view name) {
  return lower_ascii(name).contains("version");
}

Sides<std::string_view> texts_of(const Sides<const Node*>& n) {
  return {n[0]->text, n[1]->text, n[2]->text};
}

class TreeMerger {
 public:
  TreeMerger(const Sides<const Tree*>& trees, Inner inner, Inside inside)
      : trees_(trees), inner_(inner), care_(inside) {}

  TreeMerge merge() {
    TreeMerge out;
    const Sides<const Node*> roots = {&trees_[0]->root(), &trees_[1]->root(), &trees_[2]->root()};
    Sides<std::string_view> before, after;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string_view whole = trees_[i]->text();
      const auto at = static_cast<std::size_t>(roots[i]->text.data() - whole.data());
      before[i] = whole.substr(0, at);
      after[i] = whole.substr(at + roots[i]->text.size());
    }
    out.pieces = merge_around(before);
    out.pieces.append(merge_node(roots));
    out.pieces.append(merge_around(after));
    out.inside = inside_;
    out.by_lines = by_lines_;
    out.columns = std::move(columns_);
    out.outdone = std::move(outdone_);
    for (const std::string& way : made_) out.made += (out.made.empty() ? "" : ", ") + way;
    return out;
  }

 private:
  static Pieces in_conflict(const Sides<std::string_view>& texts, std::string why) {
    Pieces pieces;
    pieces.leave(texts, std::move(why));
    return pieces;
  }
  static Pieces merge_around(const Sides<std::string_view>& texts) {
    if (const Text merged = merge_texts(texts)) return Pieces(*merged);
    return in_conflict(texts, "both sides changed what is around the code");
  }

  // "gross()": the innermost declaration with a name that the node is or is in.
  static std::string place_of(const Node& node, std::string_view without = "the same lines") {
    for (const Node* at = &node; at != nullptr; at = at->parent) {
      if (at->decl.empty() || at->decl == "import" || at->name.empty()) continue;
      return std::string(at->name) + (is_function(at->decl) ? "()" : "");
    }
    return std::string(without);
  }

  bool unchanged_in(const Sides<const Node*>& n, Side a, Side b) const {
    return unchanged(*trees_[a], *n[a], *trees_[b], *n[b]);
  }

  Pieces merge_node(const Sides<const Node*>& n) {
    if (unchanged_in(n, kBase, kLeft)) return Pieces(one_side(n, kRight));
    if (unchanged_in(n, kBase, kRight)) return Pieces(one_side(n, kLeft));
    if (unchanged_in(n, kLeft, kRight)) return Pieces(n[kLeft]->text);
    const std::string name(n[kBase]->kind);
    if (n[kLeft]->kind != name || n[kRight]->kind != name) {
      if (auto inner = merge_inner(n)) return *std::move(inner);
      if (const Text wrapped = merge_wrapped(n)) return Pieces(*wrapped);
      return in_conflict(texts_of(n), "both sides changed " + place_of(*n[kBase]));
    }
    if (std::ranges::any_of(n, [](const Node* each) { return each->kind == "ERROR"; })) {
      return in_conflict(texts_of(n), "both sides changed a place that does not parse");
    }
    if (n[0]->kids.empty() || n[1]->kids.empty() || n[2]->kids.empty()) {
      const Text words = is_for_people(*n[kBase]) ? merge_words(n) : std::nullopt;
      if (words) return Pieces(*words);
      if (const auto higher = higher_version(n)) return Pieces(n[*higher]->text);
      return in_conflict(texts_of(n), "both sides changed " + place_of(*n[kBase]));
    }
    const bool container = n[kBase]->role == Role::kMembers || n[kBase]->role == Role::kSet;
    if (inner_ == Inner::kLines && !container && n[kBase]->text.contains('\n')) {
      const auto lines = merge_lines(texts_of(n), {});
      if (lines && lines->clean) {
        by_lines_ = by_lines_ || is_function(n[kBase]->decl);
        made_.insert("lines of " + name);
        return Pieces(lines->text);
      }
    }
    if (is_function(n[kBase]->decl) && both_changed_signature(trees_, n)) {
      const std::string against = against_both_signatures(trees_, n);
      if (!against.empty()) return apart_from_signature(n, against + place_of(*n[kBase]));
      made_.insert("both signatures");
    }
    return is_function(n[kBase]->decl) ? merge_function(n) : merge_kids(n);
  }

  // Where its parts are in conflict, by its lines if one side put something around several of them.
  Pieces merge_function(const Sides<const Node*>& n) {
    TreeMerger parts(*this);
    Pieces merged = parts.merge_kids(n);
    if (!merged.clean()) {
      const auto whole_lines = [&n](Side side) { return std::string(n[side]->text) + "\n"; };
      auto lines = merge_indented({whole_lines(kBase), whole_lines(kLeft), whole_lines(kRight)});
      if (lines && lines->ends_with('\n')) {
        lines->pop_back();
        made_.insert("lines that a side indented");
        by_lines_ = true;
        return Pieces(*lines);
      }
    }
    *this = std::move(parts);
    return merged;
  }

  // Both sides raised what a name calls a version.
  std::optional<Side> higher_version(const Sides<const Node*>& n) {
    const Node* named = n[kBase];
    while (named != nullptr && named->decl.empty()) named = named->parent;
    if (named == nullptr || !is_version(named->name)) return std::nullopt;
    const auto higher = higher_release(texts_of(n));
    if (!higher) return std::nullopt;
    outdone_.emplace(n[other(*higher)]->text);
    made_.insert("the higher version");
    return higher;
  }

  Text merge_words(const Sides<const Node*>& n) {
    Text merged = merge_texts(texts_of(n));
    if (!merged) merged = merge_prose(texts_of(n));
    if (merged) made_.insert("words of " + std::string(n[kBase]->kind));
    return merged;
  }

  // The signature is in conflict, and only that.
  Pieces apart_from_signature(const Sides<const Node*>& n, std::string why) {
    Sides<const Node*> body;
    Sides<std::string_view> before, after;
    for (std::size_t i = 0; i < 3; ++i) {
      body[i] = body_of(*n[i]);
      if (body[i] == nullptr) return in_conflict(texts_of(n), std::move(why));
      const auto at = static_cast<std::size_t>(body[i]->text.data() - n[i]->text.data());
      before[i] = n[i]->text.substr(0, at);
      after[i] = n[i]->text.substr(at + body[i]->text.size());
    }
    Pieces out = in_conflict(before, std::move(why));
    out.append(merge_node(body));
    out.append(merge_around(after));
    return out;
  }

  // One side put something around a declaration that stays what it is (a decorator, "export"), and
  // the other changed it.
  std::optional<Pieces> merge_inner(const Sides<const Node*>& n) {
    for (const Side side : {kLeft, kRight}) {
      if (n[other(side)]->kind != n[kBase]->kind || n[side]->decl != n[kBase]->decl) continue;
      const auto is_inner = [&](const Node* kid) {
        return kid->kind == n[kBase]->kind && !kid->decl.empty() && kid->name == n[side]->name;
      };
      const auto inner = std::ranges::find_if(n[side]->kids, is_inner);
      if (inner == n[side]->kids.end()) continue;
      const std::string_view whole = n[side]->text;
      const auto at = static_cast<std::size_t>((*inner)->text.data() - whole.data());
      Sides<const Node*> inside = n;
      inside[side] = *inner;
      made_.insert("around " + std::string(n[kBase]->kind));
      Pieces out(whole.substr(0, at));
      out.append(merge_node(inside));
      out.settle(whole.substr(at + (*inner)->text.size()));
      return out;
    }
    return std::nullopt;
  }

  // What one side put into something larger is in it as it was: what the other made of it goes
  // there. On one line, for nobody laid it out anew.
  Text merge_wrapped(const Sides<const Node*>& n) {
    if (n[kBase]->kids.empty() || care_ == Inside::kConflict) return std::nullopt;
    for (const Side side : {kLeft, kRight}) {
      const std::string_view text = n[other(side)]->text;
      if (n[other(side)]->kind != n[kBase]->kind || text.contains('\n')) {
        continue;
      }
      std::vector<const Node*> found;
      find_copies(*n[side], side, *n[kBase], &found);
      if (found.size() != 1) continue;
      ++inside_;
      made_.insert("wrapped " + std::string(n[kBase]->kind));
      const std::string_view whole = n[side]->text;
      const auto at = static_cast<std::size_t>(found[0]->text.data() - whole.data());
      return std::string(whole.substr(0, at)) + std::string(text) +
             std::string(whole.substr(at + found[0]->text.size()));
    }
    return std::nullopt;
  }

  void find_copies(const Node& in, Side side, const Node& of,
                   std::vector<const Node*>* found) const {
    if (in.leaves < of.leaves) return;
    if (in.text == of.text && same_code(*trees_[side], in, *trees_[kBase], of)) {
      return found->push_back(&in);
    }
    for (const Node* kid : in.kids) find_copies(*kid, side, of, found);
  }

  // Only `side` changed anything, or neither did; where the other laid it out anew, in that layout
  // if it can be.
  std::string one_side(const Sides<const Node*>& n, Side side) {
    const std::string_view text = n[side]->text;
    if (text == n[kBase]->text) return std::string(n[other(side)]->text);
    const bool alike = n[kBase]->kind == n[side]->kind && !n[kBase]->kids.empty() &&
                       !n[side]->kids.empty() && !n[other(side)]->kids.empty();
    if (!alike || n[kBase]->text == n[other(side)]->text) return std::string(text);
    TreeMerger layout(*this);  // which ways it takes is no decision
    const Pieces merged = layout.merge_kids(n);
    if (!merged.clean()) return std::string(text);
    columns_ = layout.columns_;
    inside_ = layout.inside_;
    return merged.with(kLeft);
  }

  // Each side changed something in the list that the other left alone.
  static bool puts_together(const Sides<Items>& lists, const ListOrder& order) {
    Sides<bool> own = {false, false, false};
    Sides<std::size_t> there = {0, 0, 0};
    for (const Slot& slot : order.slots) {
      const Sides<const Item*> item = slot_items(lists, slot);
      for (const Side side : {kBase, kLeft, kRight}) there[side] += item[side] != nullptr ? 1 : 0;
      if (item[kBase] == nullptr) {
        const Item* added = item[kLeft] != nullptr ? item[kLeft] : item[kRight];
        const bool free = slot.free || added->node->role == Role::kKeyed;
        if (item[kLeft] == nullptr && !free) own[kRight] = true;
        if (item[kRight] == nullptr && !free) own[kLeft] = true;
        continue;
      }
      if (!in_all(item)) continue;
      const auto changed = [&](Side side) {
        return !same_squeezed(item[side]->node->text, item[kBase]->node->text);
      };
      if (changed(kLeft) != changed(kRight)) own[changed(kLeft) ? kLeft : kRight] = true;
    }
    // An item that a side removed is in no slot.
    for (const Side side : {kLeft, kRight}) {
      for (std::size_t i = 0; i < lists[other(side)].items.size(); ++i) {
        if (!order.kept[other(side)][i]) own[side] = true;
      }
    }
    return own[kLeft] && own[kRight];
  }

  Pieces merge_kids(const Sides<const Node*>& n) {
    Sides<Items> lists;
    for (std::size_t i = 0; i < 3; ++i) lists[i] = items_of(*n[i]);
    const ListOrder order = order_items(trees_, lists, n[kBase]->role);
    const std::string in = " in " + place_of(*n[kBase], "the file");
    if (!order.why.empty()) return in_conflict(texts_of(n), order.why + in);
    const bool members = n[kBase]->role == Role::kMembers || n[kBase]->role == Role::kSet;
    if (!members && n[kBase]->decl.empty() && puts_together(lists, order)) {
      if (care_ == Inside::kConflict) {
        return in_conflict(texts_of(n), "both sides changed one statement" + in);
      }
      // The function of a call and its arguments belong together.
      if (has_any(n[kBase]->kind, {"call", "invocation"})) {
        return in_conflict(texts_of(n), "both sides changed one call" + in);
      }
      ++inside_;
      made_.insert("inside " + std::string(n[kBase]->kind));
    }
    if (!order.way.empty())
      made_.insert(std::string(order.way) + " " + std::string(n[kBase]->kind));
    if (n[kBase]->role == Role::kNone && aligned_apart(lists, order)) {
      return in_conflict(texts_of(n), "lines are aligned with what the other side changed" + in);
    }
    if (in_columns_all(n)) {
      columns_.insert(n[kBase]->kind);
    } else if ((members && columns_apart(lists, order)) || neighbour_apart(lists, order)) {
      return in_conflict(texts_of(n),
                         "one side moved columns, and the other changed lines in them" + in);
    }
    return put_together(lists, order, in);
  }

  // `in`: where that is, for the reasons of conflicts.
  Pieces put_together(const Sides<Items>& lists, const ListOrder& order, const std::string& in) {
    Pieces out;
    const auto around = [&](const Sides<std::string_view>& texts) {
      if (const Text merged = merge_comments(texts)) return out.settle(*merged);
      out.leave(texts, "both sides changed comments" + in);
    };
    around({lists[0].open, lists[1].open, lists[2].open});
    std::size_t clash = 0;
    for (std::size_t i = 0; i <= order.slots.size(); ++i) {
      if (clash < order.clashes.size() && order.clashes[clash].before == i) {
        const Clash& here = order.clashes[clash++];
        out.leave(clash_texts(lists, here), here.why + in);
      }
      if (i == order.slots.size()) break;
      if (auto given = given_to_next(trees_, lists, order, i)) {
        out.leave(given->texts, std::move(given->why) + in);
        i = given->next;
      } else {
        out.append(merge_slot(lists, order, i));
      }
    }
    Sides<std::string_view> close = {lists[0].close, lists[1].close, lists[2].close};
    if (order.clashes.empty()) close = closes(lists);
    around(close);
    return out;
  }

  // All that stands between the things around it, with the separators; at the beginning with the
  // white space before the next one, too (spacing_of).
  static Sides<std::string_view> clash_texts(const Sides<Items>& lists, const Clash& clash) {
    Sides<std::string_view> texts;
    for (std::size_t i = 0; i < 3; ++i) {
      const Items& list = lists[i];
      const char* from =
          clash.from[i] == 0 ? list.open.end() : list.items[clash.from[i] - 1].node->text.end();
      const bool last = clash.to[i] == list.items.size();
      const std::string_view lead = last ? list.close : list.items[clash.to[i]].lead;
      const char* to = !last && clash.begins() ? rest_of(lead).begin() : lead.begin();
      texts[i] = std::string_view(from, to);
    }
    return texts;
  }

  bool in_columns_all(const Sides<const Node*>& n) const {
    bool wide = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const Columns columns = columns_of(*n[i]);
      if (columns == Columns::kNone) return false;
      wide = wide || columns == Columns::kWide;
    }
    return wide;
  }

  // The end of a list without items says nothing about the end of one with some.
  static Sides<std::string_view> closes(const Sides<Items>& lists) {
    Sides<std::string_view> close;
    for (std::size_t i = 0; i < 3; ++i) close[i] = lists[i].close;
    if (lists[kBase].items.empty())
      close[kBase] = close[lists[kLeft].items.empty() ? kRight : kLeft];
    for (const Side side : {kLeft, kRight}) {
      if (lists[side].items.empty()) close[side] = close[kBase];
    }
    return close;
  }

  // Both sides have it and the base does not: the same, or lists (are_lists_of_both).
  Pieces merge_added(const Node& left, const Node& right) {
    if (!are_lists_of_both(left, right) || left.text == right.text) return Pieces(left.text);
    Sides<Items> lists = {Items(), items_of(left), items_of(right)};
    lists[kBase].open = lists[kLeft].open;
    lists[kBase].close = lists[kLeft].close;
    const ListOrder order = order_items(trees_, lists, left.role);
    const std::string in = " in " + place_of(left, "the file");
    if (!order.why.empty()) return in_conflict({"", left.text, right.text}, order.why + in);
    made_.insert("both added " + std::string(left.kind));
    return put_together(lists, order, in);
  }

  Pieces merge_slot(const Sides<Items>& lists, const ListOrder& order, std::size_t place) {
    const Spacing spacing = spacing_of(lists, order, place);
    const bool lines = spacing.blank.contains('\n');
    const Sides<const Item*> item = slot_items(lists, order.slots[place]);
    // Separator and comment behind it are a part of a clash that follows.
    const bool last = std::ranges::any_of(
        order.clashes, [place](const Clash& clash) { return clash.before == place + 1; });
    if (!in_all(item)) {
      const Item* only = item[kLeft] != nullptr ? item[kLeft] : item[kRight];
      if (item[kLeft] != nullptr && item[kRight] != nullptr) {
        Pieces out(spacing.blank + std::string(rest_of(only->lead)));
        out.append(merge_added(*item[kLeft]->node, *item[kRight]->node));
        out.settle(spacing.sep + std::string(only->trail));
        return out;
      }
      return Pieces(spacing.blank + std::string(rest_of(only->lead)) +
                    std::string(only->node->text) + spacing.sep + std::string(only->trail));
    }
    if (spacing.clash && (lines || trees_[kBase]->language().name == "python")) {
      Sides<std::string_view> whole;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::string_view end = last ? item[i]->node->text : item[i]->trail;
        whole[i] = std::string_view(item[i]->lead.begin(), end.end());
      }
      return in_conflict(whole, "both sides laid out the lines");
    }
    Pieces out(spacing.blank);
    const auto comments = [&](const Sides<std::string_view>& texts) {
      if (const Text merged = merge_comments(texts)) return out.settle(*merged);
      out.leave(texts, "both sides changed a comment");
    };
    comments({rest_of(item[0]->lead), rest_of(item[1]->lead), rest_of(item[2]->lead)});
    out.append(merge_node({item[0]->node, item[1]->node, item[2]->node}));
    if (last) return out;
    out.settle(spacing.sep);
    comments({item[0]->trail, item[1]->trail, item[2]->trail});
    return out;
  }

  Sides<const Tree*> trees_;
  Inner inner_;
  Inside care_;
  int inside_ = 0;
  bool by_lines_ = false;
  std::set<std::string> made_;
  std::set<std::string> outdone_;
  std::set<std::string_view> columns_;
};

}  // namespace

TreeMerge merge_trees(const Sides<const Tree*>& trees, Inner inner, Inside inside) {
  return TreeMerger(trees, inner, inside).merge();
}

}  // namespace gittxn::semantic
