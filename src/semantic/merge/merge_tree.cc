#include "semantic/merge/merge_tree.h"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/lists.h"

namespace gittxn::semantic {
namespace {

using Text = std::optional<std::string>;

// Comments count; white space outside of tokens does not.
bool unchanged(const Tree& a, const Node& x, const Tree& b, const Node& y) {
  return x.text == y.text || (same_code(a, x, b, y) && squeeze(x.text) == squeeze(y.text));
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

// The body of a function, also of one that is decorated, exported or a template's.
const Node* body_of(const Node& node) {
  for (const Node* kid : node.kids) {
    if (kid->field == "body") return kid;
    if (kid->decl == node.decl && kid->name == node.name) return body_of(*kid);
  }
  return nullptr;
}

// The tokens of a function but those of its body: what it is called with, gives and throws. Commas
// are layout: some formatters put one behind the last parameter.
std::vector<std::string_view> signature_of(const Tree& tree, const Node& node) {
  const Node* body = body_of(node);
  std::vector<std::string_view> tokens;
  for (std::uint32_t i = node.leaf; i < node.leaf + node.leaves; ++i) {
    if (body != nullptr && i >= body->leaf && i < body->leaf + body->leaves) continue;
    if (tree.leaves()[i]->text != ",") tokens.push_back(tree.leaves()[i]->text);
  }
  return tokens;
}

// White space inside of a line that is there to stand below or above something.
bool in_columns(std::string_view line) {
  return !line.contains('\n') && (line.contains("  ") || line.contains('\t'));
}

class TreeMerger {
 public:
  TreeMerger(const Sides<const Tree*>& trees, Inner inner) : trees_(trees), inner_(inner) {}

  TreeMerge merge() {
    TreeMerge out;
    const Sides<const Node*> roots = {&trees_[0]->root(), &trees_[1]->root(), &trees_[2]->root()};
    const Text body = merge_node(roots);
    Sides<std::string_view> before, after;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string_view whole = trees_[i]->text();
      const auto at = static_cast<std::size_t>(roots[i]->text.data() - whole.data());
      before[i] = whole.substr(0, at);
      after[i] = whole.substr(at + roots[i]->text.size());
    }
    const Text head = merge_texts(before), tail = merge_texts(after);
    if (!head || !tail) refuse("both sides changed what is around the code");
    // As with several conflicts of lines (merge.cc): one place is trusted.
    if (deep_ && beside_) refuse("both sides changed several functions");
    out.clean = why_.empty() && body && head && tail;
    if (out.clean) out.text = *head + *body + *tail;
    out.why = why_;
    out.inside = inside_;
    out.columns = std::move(columns_);
    for (const std::string& way : made_) out.made += (out.made.empty() ? "" : ", ") + way;
    return out;
  }

 private:
  Text refuse(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return std::nullopt;
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

  Text merge_node(const Sides<const Node*>& n) {
    if (unchanged_in(n, kBase, kLeft)) return one_side(n, kRight);
    if (unchanged_in(n, kBase, kRight)) return one_side(n, kLeft);
    if (unchanged_in(n, kLeft, kRight)) return std::string(n[kLeft]->text);
    const std::string name(n[kBase]->kind);
    if (n[kLeft]->kind != name || n[kRight]->kind != name) {
      if (Text wrapped = merge_wrapped(n)) return wrapped;
      return refuse("both sides changed " + place_of(*n[kBase]));
    }
    if (n[0]->kids.empty() || n[1]->kids.empty() || n[2]->kids.empty()) {
      return refuse("both sides changed " + place_of(*n[kBase]));
    }
    const bool container = n[kBase]->role == Role::kMembers || n[kBase]->role == Role::kSet;
    if (inner_ == Inner::kLines && !container && n[kBase]->text.contains('\n')) {
      const auto lines = merge_lines({n[0]->text, n[1]->text, n[2]->text}, {});
      if (lines && lines->clean) {
        beside_ = beside_ || is_function(n[kBase]->decl);
        made_.insert("lines of " + name);
        return lines->text;
      }
    }
    if (is_function(n[kBase]->decl) && both_changed_signature(n)) {
      return refuse("both sides changed the signature of " + place_of(*n[kBase]));
    }
    deep_ = deep_ || (!container && n[kBase]->decl.empty());
    return merge_kids(n);
  }

  // What one side put into something larger is in it as it was: what the other made of it goes
  // there. On one line, for nobody laid it out anew.
  Text merge_wrapped(const Sides<const Node*>& n) {
    if (n[kBase]->kids.empty()) return std::nullopt;
    for (const Side side : {kLeft, kRight}) {
      const std::string_view text = n[other(side)]->text;
      if (n[other(side)]->kind != n[kBase]->kind || text.contains('\n')) {
        continue;
      }
      std::vector<const Node*> found;
      find_copies(*n[side], side, *n[kBase], &found);
      if (found.size() != 1) continue;
      inside_ = true;
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

  // A signature is one contract with those who call it: what is put together from two changes of it
  // is one that nobody wrote.
  bool both_changed_signature(const Sides<const Node*>& n) const {
    Sides<std::vector<std::string_view>> tokens;
    for (std::size_t i = 0; i < 3; ++i) tokens[i] = signature_of(*trees_[i], *n[i]);
    return tokens[kLeft] != tokens[kBase] && tokens[kRight] != tokens[kBase] &&
           tokens[kLeft] != tokens[kRight];
  }

  // Only `side` changed anything; where the other only laid it out anew, in that layout if it can
  // be.
  Text one_side(const Sides<const Node*>& n, Side side) {
    const std::string_view text = n[side]->text;
    const bool alike = n[kBase]->kind == n[side]->kind && !n[kBase]->kids.empty() &&
                       !n[side]->kids.empty() && !n[other(side)]->kids.empty();
    if (!alike || n[kBase]->text == n[other(side)]->text) return std::string(text);
    TreeMerger layout(*this);  // which ways it takes is no decision
    const Text merged = layout.merge_kids(n);
    if (merged) {
      columns_ = layout.columns_;
      inside_ = layout.inside_;
    }
    return merged ? merged : Text(text);
  }

  Text merge_kids(const Sides<const Node*>& n) {
    Sides<Items> lists;
    for (std::size_t i = 0; i < 3; ++i) lists[i] = items_of(*n[i]);
    const ListOrder order = order_items(trees_, lists, n[kBase]->role);
    if (!order.why.empty()) return refuse(order.why + " in " + place_of(*n[kBase], "the file"));
    const bool members = n[kBase]->role == Role::kMembers || n[kBase]->role == Role::kSet;
    inside_ = inside_ || order.way == "both added to" || (!members && n[kBase]->decl.empty());
    if (!order.way.empty())
      made_.insert(std::string(order.way) + " " + std::string(n[kBase]->kind));
    const Text open = merge_texts({lists[0].open, lists[1].open, lists[2].open});
    const Text close = merge_close(lists);
    if (!open || !close)
      return refuse("both sides changed comments in " + place_of(*n[kBase], "the file"));
    if (n[kBase]->role == Role::kNone && aligned_apart(lists, order)) {
      return refuse("lines are aligned with what the other side changed");
    }
    if (in_columns_all(n)) {
      columns_.insert(n[kBase]->kind);
    } else if ((members && columns_apart(lists, order)) || neighbour_apart(lists, order)) {
      return refuse("one side moved columns, the other changed lines in them");
    }
    std::string out = *open;
    for (std::size_t i = 0; i < order.slots.size(); ++i) {
      const Text text = merge_slot(lists, order, i);
      if (!text) return std::nullopt;
      out += *text;
    }
    return out + *close;
  }

  // A list in parentheses over several lines that one side changed, behind something on its first
  // line that the other side changed.
  static bool aligned_apart(const Sides<Items>& lists, const ListOrder& order) {
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

  // A side gave lines of a list other columns, and the other side added or changed lines of it,
  // which stand in the old ones.
  static bool columns_apart(const Sides<Items>& lists, const ListOrder& order) {
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
        (squeeze(text) == squeeze(base) ? moved : changed)[side] = true;
      }
    }
    return (moved[kLeft] && changed[kRight]) || (moved[kRight] && changed[kLeft]);
  }

  // A line that a side added stands in columns with the lines before and behind it; the other side
  // changed one of those.
  static bool neighbour_apart(const Sides<Items>& lists, const ListOrder& order) {
    for (const Side side : {kLeft, kRight}) {
      std::vector<bool> changed(lists[side].items.size(), false);  // by the other side
      for (const Slot& slot : order.slots) {
        const Sides<const Item*> item = slot_items(lists, slot);
        if (!in_all(item)) continue;
        changed[slot.at[side]] =
            squeeze(item[kBase]->node->text) != squeeze(item[other(side)]->node->text);
      }
      for (const Slot& slot : order.slots) {
        const std::size_t at = slot.at[side];
        if (at == kUnmatched || slot.at[kBase] != kUnmatched) continue;
        if (!in_columns(lists[side].items[at].node->text)) continue;
        if ((at > 0 && changed[at - 1]) || (at + 1 < changed.size() && changed[at + 1]))
          return true;
      }
    }
    return false;
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
  static Text merge_close(const Sides<Items>& lists) {
    Sides<std::string_view> close;
    for (std::size_t i = 0; i < 3; ++i) close[i] = lists[i].close;
    if (lists[kBase].items.empty())
      close[kBase] = close[lists[kLeft].items.empty() ? kRight : kLeft];
    for (const Side side : {kLeft, kRight}) {
      if (lists[side].items.empty()) close[side] = close[kBase];
    }
    return merge_texts(close);
  }

  Text merge_slot(const Sides<Items>& lists, const ListOrder& order, std::size_t place) {
    const Slot& slot = order.slots[place];
    const Spacing spacing = spacing_of(lists, order, place);
    const bool lines = spacing.blank.contains('\n');
    if (spacing.clash && (lines || trees_[kBase]->language().name == "python")) {
      return refuse("both sides laid out the lines");
    }
    const Sides<const Item*> item = slot_items(lists, slot);
    if (!in_all(item)) {
      const Item* only = item[kLeft] != nullptr ? item[kLeft] : item[kRight];
      return spacing.blank + std::string(rest_of(only->lead)) + std::string(only->node->text) +
             spacing.sep + std::string(only->trail);
    }
    const Text lead =
        merge_texts({rest_of(item[0]->lead), rest_of(item[1]->lead), rest_of(item[2]->lead)});
    const Text trail = merge_texts({item[0]->trail, item[1]->trail, item[2]->trail});
    if (!lead || !trail) return refuse("both sides changed a comment");
    const Text body = merge_node({item[0]->node, item[1]->node, item[2]->node});
    if (!body) return std::nullopt;
    return spacing.blank + *lead + *body + spacing.sep + *trail;
  }

  Sides<const Tree*> trees_;
  Inner inner_;
  std::string why_;
  bool inside_ = false;
  bool deep_ = false;    // parts of something that is no declaration were put together
  bool beside_ = false;  // a function that both sides changed was merged by its lines
  std::set<std::string> made_;
  std::set<std::string_view> columns_;
};

}  // namespace

TreeMerge merge_trees(const Sides<const Tree*>& trees, Inner inner) {
  return TreeMerger(trees, inner).merge();
}

}  // namespace gittxn::semantic
