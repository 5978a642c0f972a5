#include "semantic/merge/both/functions.h"

#include <algorithm>

#include "semantic/kinds.h"

namespace gittxn::semantic {

Functions functions_in(const Tree& tree) {
  Functions functions;
  for (const Declared& declared : tree.declarations()) {
    if (!is_function(declared.node->decl)) continue;
    const auto [at, fresh] = functions.emplace(declared.path, declared.node);
    if (!fresh) at->second = nullptr;
  }
  return functions;
}

bool is_given_here(const Node& leaf) {
  if (!leaf.named || leaf.parent == nullptr) return false;
  const Node& in = *leaf.parent;
  if (leaf.field == "left") return has_any(in.kind, {"assign", "short_var"});
  if (in.kind == "expression_list" && in.field == "left") return in.parent->kind.contains("var");
  if (leaf.field == "name") return in.kind == "variable_declarator";
  if (leaf.field == "pattern") return in.kind == "let_declaration";
  return leaf.field == "declarator" && in.kind == "init_declarator";
}

const Node& giver_of(const Node& leaf) {
  const Node& in = *leaf.parent;
  return in.kind == "expression_list" ? *in.parent : in;
}

namespace {

// True for a declaration that is no assignment and no "var" of JavaScript, whose scope is the
// function.
bool is_declared_for_block(const Node& giver) {
  return !giver.kind.contains("assign") && giver.parent != nullptr &&
         giver.parent->kind != "variable_declaration";
}

bool has_names_of_its_own(const Node& node) {
  return is_block(node) || has_any(node.kind, {"if_", "for_", "while_", "switch_"});
}

}  // namespace

NewBlocks::NewBlocks(const Node& base, const Tree& side, const Node& now)
    : language_(side.language()), function_(now), lines_(now.text) {
  if (auto hunks = line_difference(base.text, now.text)) hunks_ = *std::move(hunks);
}

bool NewBlocks::hold(const std::vector<const Node*>& givers) const {
  // Java and C# do not let an inner block reuse a name of the outer one.
  if (is_any(language_.name, {"java", "csharp"})) return false;
  return std::ranges::all_of(givers, [this](const Node* giver) {
    return is_declared_for_block(*giver) && is_in_one(*giver);
  });
}

bool NewBlocks::is_in_one(const Node& giver) const {
  for (const Node* at = giver.parent; at != nullptr && at != &function_; at = at->parent) {
    if (has_names_of_its_own(*at) && is_new(*at)) return true;
  }
  return false;
}

// The closing line of a new block may count as one of the base: a block before it that ends with an
// equal line makes the difference take that line for new instead.
bool NewBlocks::is_new(const Node& block) const {
  const LineRange range{lines_.at(block.text), lines_.at(block.text.substr(block.text.size() - 1))};
  return std::ranges::any_of(hunks_, [&range](const LineHunk& hunk) {
    const bool only_added = hunk.before.from == hunk.before.to;
    return only_added && hunk.after.from <= range.from && range.to <= hunk.after.to;
  });
}

}  // namespace gittxn::semantic
