#include "semantic/kinds.h"

#include <algorithm>

namespace gittxn::semantic {

bool is_any(std::string_view text, std::initializer_list<std::string_view> any_of) {
  return std::ranges::find(any_of, text) != any_of.end();
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [text](std::string_view part) { return text.contains(part); });
}

bool is_data(const Language& language) {
  return is_any(language.name, {"json", "yaml", "toml"});
}

bool is_data_kind(std::string_view kind) {
  return is_any(kind, {"key", "table", "element"});
}

bool is_function(std::string_view kind) {
  return is_any(kind, {"function", "prototype", "constructor"});
}

bool is_section(const Node& node) {
  if (node.kind == "access_specifier") return true;
  return node.kind == "identifier" && node.parent != nullptr &&
         node.parent->kind == "body_statement" &&
         is_any(node.text, {"private", "protected", "public", "module_function"});
}

namespace {

// A block of a call that declares, in which others are declared: a suite of examples, a namespace
// of tasks. One with statements alone is a value.
bool has_declarations(const Node& node) {
  if (is_any(node.kind, {"call", "do_block"})) {
    return std::ranges::any_of(node.kids, [](const Node* kid) { return has_declarations(*kid); });
  }
  return node.kind == "body_statement" &&
         std::ranges::any_of(node.kids, [](const Node* kid) { return !kid->decl.empty(); });
}

}  // namespace

bool is_container(const Node& node) {
  if (node.decl == "block") return has_declarations(node);
  if (holds_members(node)) return true;
  return is_any(node.decl, {"type", "namespace", "impl", "guard", "table", "key", "import"});
}

bool holds_members(const Node& node) {
  // Each variable of a group in Go is declared for itself.
  if (node.kind == "var_declaration" && node.decl.empty() && !node.kids.empty() &&
      node.kids.back()->kind == "var_spec_list") {
    return true;
  }
  const bool holder = is_any(
      node.kind, {"declaration", "field_declaration", "type_definition", "template_declaration"});
  if (holder) {
    const Node* type = kid_in(node, "type");
    return type != nullptr && kid_in(*type, "body") != nullptr;
  }
  if (node.decl.empty() && node.kind == "namespace_definition") return true;
  return is_any(node.kind,
                {"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"}) &&
         kid_in(node, "body") != nullptr;
}

bool is_group(const Node& node) {
  if (node.kind != "const_declaration" || node.role != Role::kMembers) return false;
  return !node.text.contains("iota") && std::ranges::all_of(node.kids, [](const Node* kid) {
    return kid->kind != "const_spec" || !kid->decl.empty();
  });
}

bool guards_file(const Node& node) {
  if (node.decl != "guard" || node.parent == nullptr || node.parent->parent != nullptr)
    return false;
  if (node.kids.empty() || node.kids.front()->text != "#ifndef") return false;
  const Node* first = nullptr;  // behind the name
  for (const Node* kid : node.kids) {
    if (kid->kind.starts_with("preproc_el")) return false;
    const bool inside = !kid->comment && kid->named && !kid->is_name;
    if (first == nullptr && inside) first = kid;
  }
  if (first == nullptr || first->decl != "macro" || first->name != node.name) return false;
  return std::ranges::all_of(
      node.parent->kids, [&](const Node* beside) { return beside == &node || beside->comment; });
}

bool is_block(const Node& node) {
  return is_any(node.kind, {"block", "compound_statement", "statement_block", "constructor_body",
                            "statement_list", "body_statement", "function_body"});
}

bool is_wrapped(const Node& node) {
  return !node.decl.empty() && node.parent != nullptr && node.decl == node.parent->decl &&
         node.name == node.parent->name && !is_group(*node.parent);
}

Capability capability_of(Fact part) {
  return part == Fact::kBody         ? Capability::kBody
         : part == Fact::kVisibility ? Capability::kVisibility
         : part == Fact::kContract   ? Capability::kContract
                                     : Capability::kBuild;
}

bool is_ordered(const Language& language, std::string_view kind, Owner owner) {
  const bool c = is_any(language.name, {"c", "cpp"});
  if (is_function(kind)) return c && owner == Owner::kNone;
  if (is_any(kind, {"type", "impl", "namespace"})) {
    return c || is_any(language.name, {"python", "javascript", "typescript", "tsx", "ruby", "php"});
  }
  if (kind == "import") return c || is_any(language.name, {"ruby", "bash"});
  if (is_data_kind(kind)) return language.name == "yaml";  // anchors
  return true;
}

bool has_contract(const Language& language, std::string_view kind, std::string_view text) {
  if (kind != "import") return true;
  return language.name == "go" && text.contains("\"C\"");
}

bool computes(std::string_view code) {
  return has_any(code, {"call", "new_", "await", "macro", "invocation", "substitution"});
}

bool is_prose(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view ending = name.substr(std::min(name.rfind('.'), name.size()));
  return is_any(ending, {".md", ".markdown", ".rst", ".txt", ".adoc"}) ||
         is_any(name, {"LICENSE", "README", "CHANGELOG", "AUTHORS"});
}

}  // namespace gittxn::semantic
