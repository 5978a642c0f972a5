#include "semantic/merge/uses.h"

#include <algorithm>
#include <map>

#include "base/bug.h"
#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

bool is_script(std::string_view language) {
  return is_any(language, {"javascript", "typescript", "tsx"});
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

const Outlined* symbol_of(const Outline& outline, std::string_view id) {
  const auto found = std::ranges::find(outline.symbols, id, &Outlined::id);
  return found == outline.symbols.end() ? nullptr : &*found;
}

// The statement at the top of the file.
const Node& outermost(const Node& leaf) {
  const Node* at = &leaf;
  while (at->parent != nullptr && at->parent->parent != nullptr) at = at->parent;
  return *at;
}

bool is_in(const Node& node, const Node& around) {
  return node.text.data() >= around.text.data() &&
         node.text.data() + node.text.size() <= around.text.data() + around.text.size();
}

// A place in which a name is given to something, taken from it, or is that of a field or an
// argument: by the kinds of nodes in all grammars.
bool is_given(const Node& leaf) {
  if (leaf.is_name || leaf.says == Fact::kLocal || leaf.says == Fact::kParameter ||
      leaf.says == Fact::kDefine || leaf.says == Fact::kMember) {
    return true;
  }
  if (is_any(leaf.field, {"name", "alias", "pattern", "key", "label", "declarator", "parameter"})) {
    return true;
  }
  const Node* parent = leaf.parent;
  if (parent == nullptr) return true;
  if (has_any(parent->kind, {"pattern", "parameter", "global_", "nonlocal_", "delete_", "label",
                             "export_", "import", "capture", "keyed_", "literal_element",
                             "keyword_", "declarator", "token_tree", "shorthand"})) {
    return true;
  }
  for (const Node* at = parent; at->parent != nullptr; at = at->parent) {
    if (at->kind.contains("import")) return true;
  }
  // Targets of assignments, and what a loop goes through.
  if (parent->kind.ends_with("list")) return parent->field == "left";
  return leaf.field == "left" && has_any(parent->kind, {"assign", "for", "clause", "declaration"});
}

bool is_plain_kind(const Node& leaf) {
  return is_any(leaf.kind, {"identifier", "type_identifier"});
}

// The token is a larger one, in which the name is code.
bool reads_inside(const Tree& tree, std::uint32_t at, std::string_view name) {
  const Node& leaf = *tree.leaves()[at];
  if (leaf.text == name || !leaf.text.contains(name)) return false;
  std::vector<NameRead> reads;
  names_of(tree, at, &reads);
  return std::ranges::any_of(reads, [&](const NameRead& read) {
    return read.name == name && read.role != UseRole::kText;
  });
}

class FileUses {
 public:
  FileUses(const Outline& outline, const Definition& definition, const LinkedTo& linked)
      : outline_(outline),
        tree_(*outline.tree),
        definition_(definition),
        linked_(linked),
        own_(symbol_of(outline, definition.id)) {}

  std::optional<UsesFound> find() {
    imports_ = imports_in(outline_);
    if (!is_told_apart()) return std::nullopt;
    for (std::uint32_t i = 0; i < tree_.leaves().size(); ++i) {
      if (tree_.leaves()[i]->text == definition_.name) {
        look_at(i);
      } else if (reads_inside(tree_, i, definition_.name)) {
        unclear_ = true;  // code in a string or in a macro
      }
    }
    if (unclear_) return std::nullopt;
    for (const auto& [statement, here] : statements_) {
      // A language may give a local name to all of a function, from wherever it is bound.
      if (here.local && here.meant) return std::nullopt;
    }
    if (imported_here_ && in_imports_ != 1) return std::nullopt;
    std::ranges::sort(found_.places);
    return std::move(found_);
  }

 private:
  std::string_view language() const { return outline_.language->name; }
  bool is_home() const { return outline_.path == definition_.path; }

  // No other declaration of the file has the name, and what it imports is known.
  bool is_told_apart() {
    if (!is_home() && is_any(language(), {"rust", "c"})) return false;
    for (const Outlined& symbol : outline_.symbols) {
      if (symbol.kind == "import" || &symbol == own_) continue;
      if (std::ranges::find(symbol.defines, definition_.name) != symbol.defines.end()) return false;
    }
    for (const Import& import : imports_) {
      if (import.all && language() == "python") return false;
      for (const Binding& binding : import.binds) look_at_binding(import, binding);
    }
    if (is_home()) return own_ != nullptr && !imported_here_ && !unclear_;
    return !unclear_;
  }

  bool is_from_home(const Import& import) const {
    Import module = import;
    module.binds.clear();
    return linked_(language(), outline_.path, module, definition_.path);
  }

  void look_at_binding(const Import& import, const Binding& binding) {
    const bool by_name = binding.original == definition_.name;
    if (!by_name && binding.local != definition_.name) return;
    const bool from_home = by_name && !imported_here_ && is_from_home(import);
    if (!from_home) {
      unclear_ = true;
      return;
    }
    imported_here_ = true;
    if (binding.local == definition_.name) plain_is_meant_ = true;
  }

  // Whether the name alone means the definition, in this file.
  bool is_plain_meant() const {
    if (is_home() || plain_is_meant_) return true;
    if (INJECTED_BUG("semantic.mend_by_name")) return true;
    return language() == "go" && folder_of(outline_.path) == folder_of(definition_.path) &&
           package_of(outline_) == definition_.package;
  }

  void look_at(std::uint32_t at) {
    const Node& leaf = *tree_.leaves()[at];
    if (!leaf.named || leaf.comment) return;
    std::vector<NameRead> reads;
    names_of(tree_, at, &reads);
    if (reads.size() != 1 || reads.front().name != definition_.name) return;
    const NameRead& read = reads.front();
    if (read.role == UseRole::kText) return;
    const Node& statement = outermost(leaf);
    if (is_import(statement)) return look_at_import(leaf);
    if (is_own_name(leaf)) return found_.places.push_back(place_of(leaf));
    if (read.role == UseRole::kMember || !read.qualifier.empty()) return look_at_member(at, read);
    if (read.local) {
      // Outside of declarations a loop's name may live on.
      if (statement.decl.empty()) unclear_ = true;
      statements_[&statement].local = true;
      return;
    }
    statements_[&statement].meant = true;
    const bool other_scope = statement.kind == "mod_item";  // does not see what is around it
    if (is_given(leaf) || !is_plain_kind(leaf) || other_scope || !is_plain_meant()) unclear_ = true;
    found_.places.push_back(place_of(leaf));
  }

  static bool is_import(const Node& statement) { return statement.decl.starts_with("import"); }

  bool is_own_name(const Node& leaf) const {
    if (own_ == nullptr || !leaf.is_name || own_->nodes.empty()) return false;
    const Node& node = *own_->nodes.front();
    if (!is_in(leaf, node)) return false;
    const auto& leaves = tree_.leaves();
    const auto first = std::find_if(leaves.begin(), leaves.end(), [&](const Node* each) {
      return each->is_name && each->text == definition_.name && is_in(*each, node);
    });
    return first != leaves.end() && *first == &leaf;
  }

  void look_at_import(const Node& leaf) {
    for (const Node* at = &leaf; at->parent != nullptr; at = at->parent) {
      if (is_any(at->field, {"module_name", "source", "path", "alias"})) unclear_ = true;
    }
    ++in_imports_;
    if (!imported_here_ || !is_plain_kind(leaf)) unclear_ = true;
    found_.places.push_back(place_of(leaf));
  }

  void look_at_member(std::uint32_t at, const NameRead& read) {
    const Node& leaf = *tree_.leaves()[at];
    if (is_member_of_home(at, read.qualifier) || INJECTED_BUG("semantic.mend_by_name")) {
      return found_.places.push_back(place_of(leaf));
    }
    found_.members_left = true;
  }

  // "auth.check", where `auth` is the module itself.
  bool is_member_of_home(std::uint32_t at, std::string_view module) const {
    const auto& leaves = tree_.leaves();
    if (is_home() || module.empty() || at < 2 || leaves[at - 1]->text != ".") return false;
    if (at > 2 && !is_whole(leaves[at - 3]->text)) return false;
    int bound = 0;
    for (const Import& import : imports_) {
      for (const Binding& binding : import.binds) {
        if (binding.local != module) continue;
        ++bound;
        const bool itself = binding.original.empty() || binding.original == "*";
        if (!itself || !is_from_home(import)) return false;
      }
    }
    return bound == 1 && !binds_name(outline_, module, {});
  }

  static bool is_whole(std::string_view before) {
    return !is_any(before, {".", "->", "::", "?.", "!."});
  }

  std::size_t place_of(const Node& leaf) const {
    return static_cast<std::size_t>(leaf.text.data() - tree_.text().data());
  }

  struct Statement {
    bool local = false, meant = false;
  };

  const Outline& outline_;
  const Tree& tree_;
  const Definition& definition_;
  const LinkedTo& linked_;
  const Outlined* own_;
  std::vector<Import> imports_;
  bool imported_here_ = false, plain_is_meant_ = false, unclear_ = false;
  int in_imports_ = 0;
  std::map<const Node*, Statement> statements_;
  UsesFound found_;
};

}  // namespace

bool resolves_names(std::string_view language) {
  return is_script(language) || is_any(language, {"python", "go", "rust", "c"});
}

std::optional<UsesFound> uses_of(const Outline& outline, const Definition& definition,
                                 const LinkedTo& linked) {
  if (outline.tree == nullptr || outline.opaque() || !resolves_names(outline.language->name)) {
    return std::nullopt;
  }
  return FileUses(outline, definition, linked).find();
}

std::string package_of(const Outline& outline) {
  if (outline.tree == nullptr) return {};
  for (const Node* kid : outline.tree->root().kids) {
    if (kid->kind == "package_clause") return squeeze(kid->text);
  }
  return {};
}

bool has_name(const Tree& tree, std::string_view name, Counted names) {
  for (std::uint32_t i = 0; i < tree.leaves().size(); ++i) {
    const Node& leaf = *tree.leaves()[i];
    if (leaf.text == name && (names == Counted::kAll || !tree.is_local(leaf))) return true;
    if (reads_inside(tree, i, name)) return true;
  }
  return false;
}

bool binds_name(const Outline& outline, std::string_view name, std::string_view symbol) {
  const Outlined* own = symbol_of(outline, symbol);
  for (const Node* leaf : outline.tree->leaves()) {
    if (leaf->text != name || !is_given(*leaf)) continue;
    if (outermost(*leaf).decl.starts_with("import")) continue;
    const bool declared =
        own != nullptr && leaf->is_name && !own->nodes.empty() && is_in(*leaf, *own->nodes.front());
    if (!declared) return true;
  }
  return false;
}

bool same_but_names(const Outline& a, std::string_view x, const Outline& b, std::string_view y,
                    const NewName& renamed) {
  const Outlined* left = symbol_of(a, x);
  const Outlined* right = symbol_of(b, y);
  if (left == nullptr || right == nullptr) return false;
  if (left->nodes.size() != 1 || right->nodes.size() != 1) return false;
  const Node &from = *left->nodes.front(), &to = *right->nodes.front();
  if (from.leaves != to.leaves) return false;
  for (std::uint32_t i = 0; i < from.leaves; ++i) {
    const std::string_view was = a.tree->leaves()[from.leaf + i]->text;
    const std::string_view is = b.tree->leaves()[to.leaf + i]->text;
    if (was != is && renamed(was) != is) return false;
  }
  return true;
}

}  // namespace gittxn::semantic
