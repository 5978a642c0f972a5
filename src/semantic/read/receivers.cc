#include "semantic/read/receivers.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMostText = 20'000;  // of a block that is looked through

// Nothing: the node does not declare the name. Empty: it does, and what it is is not said.
using Found = std::optional<std::string_view>;

bool is_named(const Node& node, std::string_view name) {
  const Node* own = kid_in(node, "name");
  return own != nullptr && own->text == name;
}

Found typed_in_java(const Node& declaration) {
  const Node* type = kid_in(declaration, "type");
  const bool said = type != nullptr && type->text != "var";
  return said ? type->text : std::string_view();
}

// A declaration of variables or fields.
Found among_declarators(const Node& declaration, std::string_view name) {
  for (const Node* kid : declaration.kids) {
    if (kid->kind != "variable_declarator" || !is_named(*kid, name)) continue;
    return kid_in(*kid, "dimensions") == nullptr ? typed_in_java(declaration) : std::string_view();
  }
  return {};
}

Found among_parameters(const Node& list, std::string_view name) {
  if (list.kids.empty()) return list.text == name ? Found("") : Found();  // `x -> 1`
  for (const Node* kid : list.kids) {
    if (kid->kind == "identifier" && kid->text == name) return "";
    if (kid->kind == "formal_parameter" && is_named(*kid, name)) return typed_in_java(*kid);
    if (kid->kind == "spread_parameter" && has_word(kid->text, name)) return "";
  }
  return {};
}

// The class may have the name from a type that it extends.
bool has_others_in_java(const Node& type) {
  return std::ranges::any_of(type.kids, [](const Node* kid) {
    return is_any(kid->kind, {"superclass", "super_interfaces", "extends_interfaces"});
  });
}

Found among_fields(const Node& body, std::string_view name) {
  for (const Node* kid : body.kids) {
    if (!is_any(kid->kind, {"field_declaration", "constant_declaration"})) continue;
    if (const Found found = among_declarators(*kid, name)) return found;
  }
  const Node& type = *body.parent;
  if (const Node* components = kid_in(type, "parameters")) {
    if (const Found found = among_parameters(*components, name)) return found;
  }
  const bool whole = is_any(type.kind, {"class_declaration", "record_declaration"});
  return whole && !has_others_in_java(type) ? Found() : Found("");
}

// The declarations in `around` that are seen behind `at`, which is in it.
Found declared_around_in_java(const Node& around, const Node& at, std::string_view name) {
  if (is_any(around.kind, {"class_body", "interface_body", "enum_body", "annotation_type_body"})) {
    return among_fields(around, name);
  }
  if (around.text.size() > kMostText) return "";
  if (const Node* parameters = kid_in(around, "parameters"); parameters != nullptr) {
    if (const Found found = among_parameters(*parameters, name)) return found;
  }
  if (around.kind == "enhanced_for_statement" && is_named(around, name)) {
    return typed_in_java(around);
  }
  Found last;
  for (const Node* kid : around.kids) {
    if (kid == &at) break;
    Found found;
    if (kid->kind == "local_variable_declaration") found = among_declarators(*kid, name);
    if (kid->kind == "catch_formal_parameter" && is_named(*kid, name)) found = "";
    if (kid->kind == "resource_specification" && has_word(kid->text, name)) found = "";
    // `x instanceof Order order` binds for what comes behind it.
    if (!found && kid->text.contains("instanceof") && has_word(kid->text, name)) found = "";
    if (found) last = found;
  }
  return last;
}

// The only name that a pattern binds is this one; nothing: it does not bind it.
Found bound_by_pattern(const Node* pattern, const Node* type, std::string_view name) {
  if (pattern == nullptr || !has_word(pattern->text, name)) return {};
  std::string_view text = pattern->text;
  if (text.starts_with("mut ")) text.remove_prefix(4);
  return text == name && type != nullptr ? type->text : std::string_view();
}

// `Vec` of `Vec::new()`, by itself or with what is asked of it in between.
std::string_view made_by(const Node* value) {
  if (value == nullptr || value->kind != "call_expression") return {};
  const Node* function = kid_in(*value, "function");
  if (function == nullptr || function->kind != "scoped_identifier") return {};
  const Node* name = kid_in(*function, "name");
  const Node* path = kid_in(*function, "path");
  const bool makes = name != nullptr && path != nullptr &&
                     is_any(name->text, {"new", "with_capacity"}) && path->kids.empty();
  return makes ? path->text : std::string_view();
}

Found declared_by_let(const Node& let, std::string_view name) {
  const Node* type = kid_in(let, "type");
  const Found found = bound_by_pattern(kid_in(let, "pattern"), type, name);
  if (!found || !found->empty() || type != nullptr) return found;
  const Node& pattern = *kid_in(let, "pattern");
  return pattern.text == name ? made_by(kid_in(let, "value")) : std::string_view();
}

Found declared_around_in_rust(const Node& around, const Node& at, std::string_view name) {
  if (around.text.size() > kMostText) return "";
  Found last;
  if (around.kind == "block") {
    for (const Node* kid : around.kids) {
      if (kid == &at) break;
      if (kid->kind != "let_declaration") continue;
      if (const Found found = declared_by_let(*kid, name)) last = found;
    }
    return last;
  }
  if (around.kind == "function_item") {
    const Node* parameters = kid_in(around, "parameters");
    if (parameters == nullptr) return "";
    for (const Node* kid : parameters->kids) {
      if (const Found found =
              bound_by_pattern(kid_in(*kid, "pattern"), kid_in(*kid, "type"), name)) {
        return found;
      }
    }
    return "";
  }
  // A closure, a loop, an arm, a condition: what they say before the part that `at` is.
  if (is_any(around.kind, {"source_file", "declaration_list", "macro_invocation"})) return "";
  if (is_any(around.kind, {"closure_expression", "match_arm", "for_expression", "if_expression",
                           "while_expression", "let_chain", "let_condition"})) {
    for (const Node* kid : around.kids) {
      if (kid != &at && has_word(kid->text, name) && kid->text.data() < at.text.data()) return "";
    }
  }
  return {};
}

template <typename Look>
std::string_view declared_type(const Node& leaf, std::string_view name, const Look& look) {
  for (const Node* at = &leaf; at->parent != nullptr; at = at->parent) {
    if (const Found found = look(*at->parent, *at, name)) return *found;
  }
  return {};
}

}  // namespace

std::string_view declared_type_in_java(const Node& leaf, std::string_view name) {
  const Node* from = &leaf;
  // `this.name` is a field.
  const bool field = leaf.field == "field";
  while (field && from->parent != nullptr && !from->parent->kind.ends_with("_body")) {
    from = from->parent;
  }
  const std::string_view type = declared_type(*from, name, declared_around_in_java);
  return type.ends_with("]") ? type : type.substr(0, type.find('<'));
}

std::string_view declared_type_in_rust(const Node& leaf, std::string_view name) {
  std::string_view type = declared_type(leaf, name, declared_around_in_rust);
  for (;;) {
    const std::size_t size = type.size();
    while (type.starts_with('&') || type.starts_with(' ')) type.remove_prefix(1);
    if (type.starts_with("mut ")) type.remove_prefix(4);
    if (type.starts_with('\'')) type.remove_prefix(std::min(type.find(' '), type.size()));
    if (type.size() == size) break;
  }
  return type.starts_with('[') ? type : type.substr(0, type.find('<'));
}

}  // namespace gittxn::semantic
