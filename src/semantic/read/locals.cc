// Which names mean something of their own, by their place alone. A name said to be local when it is
// not would hide a read, so every step is one that is known: a parameter from behind its list to
// the end of its function, a declaration from behind its statement to the end of the block or loop
// that it stands in directly. Whatever else is around it ends the search, and the name is not
// local.
#include <algorithm>

#include "semantic/kinds.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

// More places that bind one name are not looked through for each of its uses.
constexpr std::size_t kMaxPlaces = 512;

bool is_scope(const Node& node) {
  if (is_any(node.kind, {"block", "compound_statement", "statement_block", "statement_list",
                         "body_statement", "block_body"})) {
    // In the body of a class a name is a member.
    return node.parent != nullptr && !has_any(node.parent->kind, {"class", "module"});
  }
  return is_any(node.kind,
                {"for_statement", "for_in_statement", "for_range_loop", "enhanced_for_statement",
                 "for_expression", "foreach_statement", "catch_clause", "catch_block"});
}

// Parts of a declaration, between the name and the block.
bool is_passed(const Node& node) {
  if (node.kind.contains("condition")) return false;
  return has_any(node.kind, {"declar", "assignment", "pattern", "_spec", "expression_statement",
                             "expression_list", "with_", "range_clause", "for_clause",
                             "catch_formal", "binding", "variable_name", "pair"});
}

struct Scope {
  const Node* around = nullptr;
  const Node* part = nullptr;  // of it, in which the name is bound
};

Scope parameter_scope(const Node& leaf) {
  for (const Node* list = leaf.parent; list != nullptr; list = list->parent) {
    const bool parameters =
        list->field == "parameters" ||
        is_any(list->kind, {"parameter_list", "function_value_parameters", "lambda_parameters"});
    if (!parameters) continue;
    const Node* owner = list->parent;
    while (owner != nullptr && owner->kind.contains("declarator")) {
      owner = owner->parent;
    }
    return {owner, list};
  }
  return {};
}

Scope block_scope(const Node& leaf) {
  const Node* in = &leaf;
  for (const Node* at = leaf.parent; at != nullptr; in = at, at = at->parent) {
    if (is_scope(*at)) return {at, in};
    if (!is_passed(*at)) return {};
  }
  return {};
}

// The field of something is named too: a key of a literal, an argument by name.
bool names_a_field(const Node& leaf) {
  if (leaf.kind.starts_with("shorthand")) return true;
  const Node* parent = leaf.parent;
  if (parent == nullptr) return false;
  if (parent->kind.starts_with("shorthand")) return true;
  const bool first = !parent->kids.empty() && parent->kids.front() == &leaf;
  const bool told = first && parent->kids.size() > 1 && is_any(parent->kids[1]->text, {":", "="});
  if (told && has_any(parent->kind, {"argument", "subpattern"})) return true;
  if (told && parent->parent != nullptr && has_any(parent->parent->kind, {"initializer"})) {
    return true;
  }
  if (first && has_any(parent->kind, {"keyword_argument", "pair", "keyed_element"})) return true;
  return first && parent->parent != nullptr && parent->kind == "literal_element" &&
         parent->parent->kids.front() == parent;
}

// In these languages a function and a type have names apart from those of variables.
bool is_another_name(const Language& in, const Node& leaf) {
  if (leaf.says == Fact::kType || leaf.says == Fact::kSuper) return true;
  const Node* parent = leaf.parent;
  if (parent == nullptr) return false;
  if (in.name == "java") return leaf.field == "name" && parent->kind == "method_invocation";
  if (in.name == "ruby") return leaf.field == "method";
  if (in.name == "kotlin") {
    return parent->kind == "call_expression" && parent->kids.front() == &leaf;
  }
  if (in.name == "bash") return leaf.kind != "variable_name";
  if (in.name == "php") {
    if (parent->kind != "variable_name") return true;
    return parent->parent != nullptr && parent->parent->kind.starts_with("scoped_property");
  }
  return false;
}

// The innermost function of Ruby or PHP does not see the variables of what is around it; outside of
// all they are everybody's.
const Node* own_scope(const Node& node) {
  const Node* at = node.parent;
  while (at != nullptr &&
         !is_any(at->kind, {"method", "singleton_method", "class", "module", "singleton_class",
                            "function_definition", "method_declaration", "anonymous_function"})) {
    at = at->parent;
  }
  return at;
}

}  // namespace

void Tree::find_locals() {
  std::vector<std::string_view> never;
  for (const Node* leaf : leaves_) {
    if (leaf->says == Fact::kDefine) never.push_back(leaf->text);
    if (leaf->says != Fact::kLocal && leaf->says != Fact::kParameter) continue;
    const Scope scope =
        leaf->says == Fact::kParameter ? parameter_scope(*leaf) : block_scope(*leaf);
    if (scope.around == nullptr || scope.part->text.starts_with("extern")) continue;
    // Others may read what is set outside of a function.
    if (language_->name == "php" && own_scope(*leaf) == nullptr) continue;
    // A name may be its type's as well.
    if (language_->name == "csharp" && leaf->text.front() >= 'A' && leaf->text.front() <= 'Z')
      continue;
    std::vector<LocalName>& places = locals_[leaf->text];
    places.push_back({leaf->text.begin(), leaf->text});
    places.push_back({scope.part->text.end(), scope.around->text});
  }
  for (const std::string_view name : never) locals_.erase(name);
}

bool Tree::is_local(const Node& leaf) const {
  if (!locals_.contains(leaf.text)) return false;
  if (names_a_field(leaf) || is_another_name(*language_, leaf)) return false;
  return is_local_in(leaf, leaf.text);
}

bool Tree::is_local_in(const Node& leaf, std::string_view name) const {
  const auto found = locals_.find(name);
  if (found == locals_.end() || found->second.size() > kMaxPlaces) return false;
  const char* at = name.data();
  const Node* own = is_any(language_->name, {"ruby", "php"}) ? own_scope(leaf) : nullptr;
  return std::ranges::any_of(found->second, [&](const LocalName& local) {
    if (own != nullptr && own->text.data() > local.scope.data()) return false;
    return at >= local.after && at >= local.scope.data() &&
           at < local.scope.data() + local.scope.size();
  });
}

}  // namespace gittxn::semantic
