// A place that may bind a name is taken for one that does, and its scope is rather too large than
// too small: both sides are looked at in the same way, and a name that is not understood in them is
// not looked at in the merged text.
#include "semantic/merge/both/unbound.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/functions.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// Blocks are scopes there. In the others a name is one of the whole function.
bool has_block_scopes(const Language& language) {
  return !is_any(language.name, {"python", "ruby", "php", "bash"});
}

bool is_own_function(const Node& node) {
  return has_any(node.kind, {"lambda", "arrow_function", "closure", "function_", "func_literal",
                             "anonymous"}) &&
         !has_any(node.kind, {"call", "parameter", "declarator", "type"});
}

bool is_block_scope(const Node& node) {
  return is_any(node.kind, {"block", "compound_statement", "statement_block", "for_statement",
                            "for_in_statement", "for_range_loop", "enhanced_for_statement",
                            "for_expression", "foreach_statement", "if_statement"});
}

// A "var" of scripts is one of the whole function, wherever it stands.
const Node* scope_of(const Language& language, const Node& leaf, const Node* function) {
  bool blocks = has_block_scopes(language);
  for (const Node* at = leaf.parent; at != nullptr && at != function; at = at->parent) {
    if (at->kind == "variable_declaration" && at->text.starts_with("var")) blocks = false;
    if (is_own_function(*at) || (blocks && is_block_scope(*at))) return at;
  }
  return function;
}

// The leaf is a name that may be one of a variable, and not that of a member, a key or an argument.
bool is_variable(const Tree& tree, std::uint32_t at) {
  const Node& leaf = *tree.leaves()[at];
  if (!leaf.named || leaf.parent == nullptr) return false;
  const std::string_view language = tree.language().name;
  if (language == "php") return leaf.kind == "name" && leaf.parent->kind == "variable_name";
  if (!is_any(leaf.kind, {"identifier", "simple_identifier", "shorthand_property_identifier",
                          "shorthand_property_identifier_pattern", "shorthand_field_identifier"})) {
    return false;
  }
  const auto& leaves = tree.leaves();
  if (at > 0 && is_any(leaves[at - 1]->text, {".", "->", "::", "?.", "&.", "!.", "@", "goto"})) {
    return false;
  }
  const std::string_view next = at + 1 < leaves.size() ? leaves[at + 1]->text : std::string_view();
  if (next == "::") return false;
  if (next == "(" && is_any(language, {"java", "kotlin", "csharp", "ruby"})) return false;
  const bool first = leaf.parent->kids.front() == &leaf;
  const Node& in = leaf.parent->kind == "literal_element" ? *leaf.parent->parent : *leaf.parent;
  return !(first && (next == ":" || next == "=") &&
           has_any(in.kind, {"argument", "pair", "keyed_element", "field_initializer", "label",
                             "token_tree", "subpattern"}));
}

// "x -= 1", which needs a value of x; but not "x ||= 1".
bool changes_value(const Node& leaf) {
  const Node& in = *leaf.parent;
  return leaf.field == "left" &&
         has_any(in.kind, {"augmented_assignment", "operator_assignment"}) &&
         std::ranges::none_of(in.kids, [](const Node* kid) { return kid->text == "||="; });
}

bool may_bind(const Language& language, const Node& leaf) {
  const Node& in = *leaf.parent;
  if (changes_value(leaf)) return false;
  if (has_block_scopes(language) && in.kind.contains("assign")) return false;
  if (is_given_here(leaf) || leaf.kind.contains("pattern")) return true;
  if (has_any(in.kind, {"call", "invocation", "member", "access", "selector"})) return false;
  if (is_any(leaf.field, {"name", "alias", "pattern", "declarator", "parameter"})) return true;
  if (has_any(in.kind, {"pattern", "parameter", "declarator", "as_", "global", "nonlocal",
                        "capture", "import", "variable_declaration", "_spec", "exception"})) {
    return true;
  }
  const bool left = leaf.field == "left" || in.field == "left";
  return left && (has_any(in.kind, {"for", "clause", "var"}) ||
                  (in.parent != nullptr && has_any(in.parent->kind, {"for", "clause", "var"})));
}

struct SaidName {
  std::vector<std::string_view> scopes;
  std::vector<const Node*> places;
};

using SaidNames = std::map<std::string_view, SaidName>;

SaidNames names_said(const Tree& tree, const Node& function) {
  SaidNames said;
  for (std::uint32_t i = function.leaf; i < function.leaf + function.leaves; ++i) {
    const Node& leaf = *tree.leaves()[i];
    if (is_variable(tree, i)) {
      SaidName& name = said[leaf.text];
      name.places.push_back(&leaf);
      if (may_bind(tree.language(), leaf)) {
        name.scopes.push_back(scope_of(tree.language(), leaf, &function)->text);
      }
    } else if (leaf.text.contains('{') && leaf.kind.contains("string")) {
      std::vector<NameRead> reads;
      names_of(tree, i, &reads);
      for (const NameRead& read : reads) {
        const bool plain = read.role == UseRole::kPlain || read.role == UseRole::kCall;
        if (plain && read.qualifier.empty()) said[read.name].places.push_back(&leaf);
      }
    }
  }
  return said;
}

bool is_inside(std::string_view text, std::string_view scope) {
  return text.data() >= scope.data() && text.end() <= scope.end();
}

// The first place outside of all scopes; nullptr where there is none.
const Node* unbound_place(const SaidName& name) {
  const auto found = std::ranges::find_if(name.places, [&](const Node* place) {
    return std::ranges::none_of(
        name.scopes, [&](std::string_view scope) { return is_inside(place->text, scope); });
  });
  return found == name.places.end() ? nullptr : *found;
}

Broken unbound_in(const Sides<const Tree*>& sides, const Sides<const Node*>& functions,
                  const Tree& merged, const Node& function) {
  Sides<SaidNames> said;
  for (const Side side : {kLeft, kRight}) {
    said[side] = names_said(*sides[side], *functions[side]);
  }
  for (const auto& [name, now] : names_said(merged, function)) {
    const Node* place = unbound_place(now);
    if (place == nullptr) continue;
    bool bound = false, known = true;
    for (const Side side : {kLeft, kRight}) {
      const auto found = said[side].find(name);
      if (found == said[side].end()) continue;
      bound = bound || !found->second.scopes.empty();
      known = known && unbound_place(found->second) == nullptr;
    }
    if (!bound || !known) continue;
    Broken broken{"one side no longer defines '" + std::string(name.substr(0, 40)) + "' in " +
                      std::string(function.name.substr(0, 80)) +
                      "() where the other side adds a use of it",
                  {span_of_node(kMergedText, merged, *place)}};
    for (const Side side : {kLeft, kRight}) {
      const auto found = said[side].find(name);
      if (found == said[side].end()) continue;
      for (const Node* each : found->second.places) {
        broken.places.push_back(span_of_node(side, *sides[side], *each));
      }
    }
    return broken;
  }
  return {};
}

}  // namespace

Broken unbound_name(const Sides<const Tree*>& sides, const Tree& merged) {
  if (sides[kBase]->language().name == "bash") return {};
  Sides<Functions> functions;
  for (const Side side : {kLeft, kRight}) functions[side] = functions_in(*sides[side]);
  for (const auto& [path, now] : functions_in(merged)) {
    const auto left = functions[kLeft].find(path), right = functions[kRight].find(path);
    if (now == nullptr || now->error || left == functions[kLeft].end() ||
        right == functions[kRight].end()) {
      continue;
    }
    const Sides<const Node*> both = {nullptr, left->second, right->second};
    if (both[kLeft] == nullptr || both[kRight] == nullptr) continue;
    if (now->hash == both[kLeft]->hash || now->hash == both[kRight]->hash) continue;
    Broken broken = unbound_in(sides, both, merged, *now);
    if (!broken.why.empty()) return broken;
  }
  return {};
}

}  // namespace gittxn::semantic
