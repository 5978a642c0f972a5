#include "semantic/merge/both/functions.h"

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

}  // namespace gittxn::semantic
