#include "semantic/merge/both/given_and_read.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/functions.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// A statement, or what stands before, between and behind the blocks of one that has some.
struct Clause {
  std::uint32_t from = 0, to = 0;  // leaves
  std::string code;
};

class ClauseFinder {
 public:
  explicit ClauseFinder(const Tree& tree) : tree_(tree) {}

  std::vector<Clause> in(const Node& statement) {
    from_ = statement.leaf;
    look(statement);
    end_at(statement.leaf + statement.leaves);
    return std::move(clauses_);
  }

 private:
  void look(const Node& node) {
    if (!is_block(node)) {
      for (const Node* kid : node.kids) look(*kid);
      return;
    }
    end_at(node.leaf);
    for (const Node* kid : node.kids) {
      look(*kid);
      end_at(kid->leaf + kid->leaves);
    }
  }

  void end_at(std::uint32_t to) {
    if (to <= from_) return;
    Clause clause{from_, to, {}};
    for (std::uint32_t i = from_; i < to; ++i) {
      clause.code += std::string(tree_.leaves()[i]->text) + " ";
    }
    clauses_.push_back(std::move(clause));
    from_ = to;
  }

  const Tree& tree_;
  std::uint32_t from_ = 0;
  std::vector<Clause> clauses_;
};

// Those of the base that the side does not have.
std::vector<Clause> written_anew(const Sides<const Tree*>& trees, const Sides<const Node*>& n,
                                 Side side) {
  std::multiset<std::string> there;
  for (Clause& each : ClauseFinder(*trees[side]).in(*n[side])) there.insert(std::move(each.code));
  std::vector<Clause> gone = ClauseFinder(*trees[kBase]).in(*n[kBase]);
  std::erase_if(gone, [&there](const Clause& each) {
    const auto found = there.find(each.code);
    if (found == there.end()) return false;
    there.erase(found);
    return true;
  });
  return gone;
}

// "a" of "a = 1", and of "a, b = f()".
bool is_target(const Node& leaf) {
  if (is_given_here(leaf)) return true;
  const Node& in = *leaf.parent;
  return leaf.named && in.field == "left" && has_any(in.kind, {"_list", "pattern"}) &&
         in.parent != nullptr && in.parent->kind.contains("assign");
}

// The whole argument, what is called, or the whole value that the name is a part of.
const Node& operand_of(const Node& leaf) {
  const Node* at = &leaf;
  for (; at->parent != nullptr && at->parent->leaves > 0; at = at->parent) {
    const Node& in = *at->parent;
    const bool called = has_any(in.kind, {"call", "invocation"});
    if (called || has_any(in.kind, {"argument", "statement", "declarat", "assign"})) break;
    if (is_block(in)) break;
  }
  return *at;
}

// The operands of the leaves that read a name, which is no target there.
std::multiset<std::string> operands_reading(const Tree& tree, std::string_view name,
                                            std::uint32_t from, std::uint32_t to) {
  std::multiset<std::string> operands;
  for (std::uint32_t i = from; i < to; ++i) {
    const Node& leaf = *tree.leaves()[i];
    if (!leaf.text.contains(name) || is_target(leaf)) continue;
    std::vector<NameRead> said;
    names_of(tree, i, &said);
    const bool reads = std::ranges::any_of(said, [name](const NameRead& each) {
      const bool plain = each.role == UseRole::kPlain || each.role == UseRole::kCall;
      return plain && each.name == name && each.qualifier.empty();
    });
    if (reads) operands.insert(squeeze(operand_of(leaf).text));
  }
  return operands;
}

// The name; empty where there is none.
std::string_view given_and_read(const Sides<const Tree*>& trees, const Sides<const Node*>& before,
                                const Sides<const Node*>& after) {
  const Tree& base = *trees[kBase];
  for (const Side side : {kLeft, kRight}) {
    const Side reader = other(side);
    const std::vector<Clause> given = written_anew(trees, before, side);
    if (given.empty()) continue;
    const std::vector<Clause> read = written_anew(trees, after, reader);
    const auto reads_anew = [&](std::string_view name) {
      const std::uint32_t from = after[reader]->leaf, to = from + after[reader]->leaves;
      const auto now = operands_reading(*trees[reader], name, from, to);
      return std::ranges::any_of(read, [&](const Clause& clause) {
        const auto was = operands_reading(base, name, clause.from, clause.to);
        return std::ranges::any_of(was, [&now](const auto& each) { return !now.contains(each); });
      });
    };
    for (const Clause& clause : given) {
      for (std::uint32_t i = clause.from; i < clause.to; ++i) {
        const Node& leaf = *base.leaves()[i];
        if (is_target(leaf) && reads_anew(leaf.text)) return leaf.text;
      }
    }
  }
  return {};
}

// The next item that all versions have; none: the number of them.
std::size_t next_of_all(const Sides<Items>& lists, const ListOrder& order, std::size_t place) {
  do ++place;
  while (place < order.slots.size() && !in_all(slot_items(lists, order.slots[place])));
  return place;
}

Sides<const Node*> nodes_of(const Sides<const Item*>& items) {
  return {items[kBase]->node, items[kLeft]->node, items[kRight]->node};
}

bool is_changed(const Sides<const Node*>& n) {
  return n[kLeft]->text != n[kBase]->text || n[kRight]->text != n[kBase]->text;
}

}  // namespace

std::optional<GivenToNext> given_to_next(const Sides<const Tree*>& trees, const Sides<Items>& lists,
                                         const ListOrder& order, std::size_t place) {
  if (!order.clashes.empty() || order.way == "moved in") return std::nullopt;
  const Sides<const Item*> first = slot_items(lists, order.slots[place]);
  GivenToNext found;
  found.next = next_of_all(lists, order, place);
  if (found.next == order.slots.size() || !in_all(first)) return std::nullopt;
  const Sides<const Item*> second = slot_items(lists, order.slots[found.next]);
  const Sides<const Node*> before = nodes_of(first), after = nodes_of(second);
  const Node& list = *before[kBase]->parent;
  if (!is_block(list) || list.role == Role::kMembers) return std::nullopt;
  if (!is_changed(before) || !is_changed(after)) return std::nullopt;
  const std::string_view name = given_and_read(trees, before, after);
  if (name.empty()) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    found.texts[i] = std::string_view(first[i]->lead.begin(), second[i]->trail.end());
  }
  const auto lines = merge_lines(found.texts, {});
  if (lines && lines->clean) return std::nullopt;
  found.why = "one side changed the value of '" + std::string(name) +
              "', and the other changed how it is used";
  return found;
}

}  // namespace gittxn::semantic
