#include "semantic/read/needs.h"

#include <algorithm>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

constexpr int kMostUp = 16;  // from a name to what it stands in

const Node* kid_of(const Node& node, std::string_view kind) {
  const auto found =
      std::ranges::find_if(node.kids, [&](const Node* kid) { return kid->kind == kind; });
  return found == node.kids.end() ? nullptr : *found;
}

// `_` or a name that takes whatever there is, without a condition.
bool takes_all(const Node& arm) {
  const Node* pattern = kid_in(arm, "pattern");
  if (pattern == nullptr || pattern->kids.size() > 1) return false;
  return pattern->text == "_" || (is_identifier(pattern->text) && pattern->text.front() >= 'a' &&
                                  pattern->text.front() <= 'z');
}

bool has_all_else(const Node& pattern) {
  const Node* arm = pattern.parent;
  const Node* block = arm == nullptr ? nullptr : arm->parent;
  return block != nullptr && takes_what_is_left(*block);
}

// `[x; N]`, which is of any length.
bool is_repeated(const Node* value) {
  return value != nullptr && value->kind == "array_expression" &&
         kid_in(*value, "length") != nullptr;
}

bool is_length(const Node& leaf) {
  bool found = false;
  const Node* at = &leaf;
  for (int up = 0; up < kMostUp && at->parent != nullptr; ++up, at = at->parent) {
    const Node& parent = *at->parent;
    if (parent.kind == "array_type" && at->field == "length") found = true;
    if (parent.kind == "type_arguments") found = true;
    if (is_any(parent.kind, {"let_declaration", "const_item", "static_item"})) {
      return found && at->field == "type" && !is_repeated(kid_in(parent, "value"));
    }
    if (is_any(parent.kind, {"block", "declaration_list", "source_file"})) break;
  }
  return found;
}

// `dyn Shape`
bool is_any_of_trait(const Node& leaf) {
  const Node* up = leaf.parent;
  while (up != nullptr && is_any(up->kind, {"scoped_type_identifier", "generic_type"})) {
    up = up->parent;
  }
  return leaf.kind == "type_identifier" && up != nullptr && up->kind == "dynamic_type";
}

bool is_case_or_annotated(const Node& leaf) {
  const Node* at = &leaf;
  for (int up = 0; up < kMostUp && at->parent != nullptr; ++up, at = at->parent) {
    if (is_any(at->parent->kind, {"switch_label", "annotation_argument_list"})) return true;
    if (has_any(at->parent->kind, {"statement", "declaration", "body", "block"})) return false;
  }
  return false;
}

bool is_given_one(const Node& leaf) {
  const Node* call = leaf.parent;
  if (call == nullptr || call->kind != "method_invocation" || leaf.field != "name") return false;
  const Node* arguments = kid_in(*call, "arguments");
  return arguments != nullptr && std::ranges::any_of(arguments->kids, [](const Node* kid) {
           return is_any(kid->kind, {"lambda_expression", "method_reference"});
         });
}

// `Order::new`
bool is_handed_constructor(const Node& leaf) {
  const Node* parent = leaf.parent;
  return parent != nullptr && parent->kind == "method_reference" && parent->text.ends_with("new");
}

// `{.a = 1}`
bool names_fields(const Node& list) {
  return kid_of(list, "initializer_pair") != nullptr;
}

bool is_variable(const Node& value) {
  return is_any(value.kind,
                {"identifier", "field_expression", "pointer_expression", "subscript_expression"}) &&
         !value.text.starts_with('&');
}

// `T x(y)` in a function, which the grammar takes for the declaration of one where `y` is a name.
bool is_copy_in_parentheses(const Node& declaration, const Node& declarator) {
  const Node* name = kid_in(declarator, "declarator");
  if (name == nullptr || name->kind != "identifier") return false;
  const bool function = declarator.kind == "function_declarator";
  const bool value = declarator.kind == "init_declarator";
  const Node* list = function ? kid_in(declarator, "parameters")
                     : value  ? kid_in(declarator, "value")
                              : nullptr;
  if (list == nullptr || (value && list->kind != "argument_list")) return false;
  const auto named = [](const Node* kid) { return kid->named && !kid->comment; };
  if (std::ranges::count_if(list->kids, named) != 1) return false;
  const Node& given = **std::ranges::find_if(list->kids, named);
  if (value) return is_variable(given);
  const bool in_function =
      declaration.parent != nullptr && declaration.parent->kind == "compound_statement";
  return in_function && given.kind == "parameter_declaration" && is_identifier(given.text);
}

// The name of the type that the class around a node extends; nullptr when it says none.
const Node* super_of(const Node& node) {
  const Node* at = node.parent;
  while (at != nullptr && at->kind != "class_declaration") {
    // A class without a name has no constructor.
    if (is_any(at->kind, {"record_declaration", "enum_declaration"})) return nullptr;
    at = at->parent;
  }
  const Node* super = at == nullptr ? nullptr : kid_of(*at, "superclass");
  const Node* type = super == nullptr || super->kids.empty() ? nullptr : super->kids.back();
  while (type != nullptr && !type->kids.empty()) {
    type = type->kind == "generic_type" ? type->kids.front() : type->kids.back();
  }
  return type;
}

int arguments_in(const Node& call) {
  const Node* list = kid_in(call, "arguments");
  if (list == nullptr) return 0;
  return static_cast<int>(std::ranges::count_if(
      list->kids, [](const Node* kid) { return kid->named && !kid->comment; }));
}

NameRead call_of(std::string_view name, int arguments) {
  NameRead read;
  read.name = name;
  read.role = UseRole::kCall;
  read.arity = arguments;
  read.made = true;
  return read;
}

}  // namespace

bool takes_what_is_left(const Node& match_block) {
  return match_block.kind == "match_block" &&
         std::ranges::any_of(match_block.kids, [](const Node* kid) {
           return kid->kind == "match_arm" && takes_all(*kid);
         });
}

std::optional<bool> is_pattern_of_all(const Node& leaf) {
  const Node* at = &leaf;
  for (int up = 0; up < kMostUp && at->parent != nullptr; ++up, at = at->parent) {
    const Node& parent = *at->parent;
    if (parent.kind == "struct_pattern" && at->field == "type" &&
        kid_of(parent, "remaining_field_pattern") == nullptr) {
      return true;
    }
    if (parent.kind == "match_pattern") return !has_all_else(parent);
    if (is_any(parent.kind, {"block", "match_arm", "source_file", "parameters"})) break;
  }
  return {};
}

bool is_made_in_java(const Node& leaf) {
  const Node* parent = leaf.parent;
  if (parent == nullptr) return false;
  if (is_any(parent->kind, {"annotation", "marker_annotation"})) return leaf.field == "name";
  return is_handed_constructor(leaf);
}

GivenInCpp given_in_cpp(const Node& leaf) {
  const Node* at = &leaf;
  while (at->parent != nullptr && at->field != "type" &&
         is_any(at->parent->kind, {"qualified_identifier", "template_type"})) {
    at = at->parent;
  }
  const Node* whole = at->parent;
  if (whole == nullptr || at->field != "type") return GivenInCpp::kOther;
  if (whole->kind == "compound_literal_expression") {
    const Node* list = kid_in(*whole, "value");
    return list != nullptr && names_fields(*list) ? GivenInCpp::kFields : GivenInCpp::kOther;
  }
  if (whole->kind != "declaration") return GivenInCpp::kOther;
  for (const Node* kid : whole->kids) {
    if (is_copy_in_parentheses(*whole, *kid)) return GivenInCpp::kCopy;
    const Node* value = kid->kind == "init_declarator" ? kid_in(*kid, "value") : nullptr;
    if (value == nullptr) continue;
    if (value->kind == "initializer_list") {
      return names_fields(*value) ? GivenInCpp::kFields : GivenInCpp::kOther;
    }
    const Node* name = kid_in(*kid, "declarator");
    const bool one = name != nullptr && name->kind == "identifier";
    return one && is_variable(*value) ? GivenInCpp::kCopy : GivenInCpp::kOther;
  }
  return GivenInCpp::kOther;
}

bool is_needed_early(const Node& leaf, std::string_view language) {
  if (language == "rust") return is_length(leaf) || is_any_of_trait(leaf);
  return language == "java" &&
         (is_case_or_annotated(leaf) || is_given_one(leaf) || is_handed_constructor(leaf));
}

bool is_put_in(const Node& leaf) {
  if (leaf.field == "macro") return true;
  for (const Node* at = leaf.parent; at != nullptr; at = at->parent) {
    if (is_any(at->kind, {"macro_definition", "attribute_item", "inner_attribute_item"}))
      return true;
    if (at->kind != "macro_invocation") continue;
    const Node* macro = kid_in(*at, "macro");
    return macro == nullptr ||
           !is_any(macro->text,
                   {"print",     "println",       "eprint",          "eprintln", "format",
                    "write",     "writeln",       "panic",           "assert",   "assert_eq",
                    "assert_ne", "debug_assert",  "debug_assert_eq", "vec",      "matches",
                    "todo",      "unimplemented", "unreachable",     "dbg",      "format_args"});
  }
  return false;
}

int arguments_given_by(const Node& leaf) {
  const Node* at = &leaf;
  const bool member = at->parent != nullptr && at->parent->kind == "member_expression";
  if (member && at->field == "property") at = at->parent;
  const Node* list = at->parent;
  if (list == nullptr || list->kind != "arguments" || list->parent == nullptr) return -1;
  const auto first = std::ranges::find_if(list->kids, [](const Node* kid) { return kid->named; });
  const Node* function = kid_in(*list->parent, "function");
  const Node* name = function == nullptr ? nullptr : kid_in(*function, "property");
  if (name == nullptr || first == list->kids.end() || *first != at) return -1;
  if (is_any(name->text, {"reduce", "reduceRight"})) return 4;
  const bool each = is_any(name->text, {"map", "forEach", "filter", "flatMap", "find", "findIndex",
                                        "findLast", "findLastIndex", "some", "every"});
  return each ? 3 : -1;
}

void silent_calls(const Node& leaf, std::vector<NameRead>* names) {
  const Node* parent = leaf.parent;
  if (parent == nullptr) return;
  if (parent->kind == "enum_constant" && leaf.field == "name") {
    const Node* at = parent;
    while (at != nullptr && at->kind != "enum_declaration") at = at->parent;
    const Node* type = at == nullptr ? nullptr : kid_in(*at, "name");
    if (type != nullptr) names->push_back(call_of(type->text, arguments_in(*parent)));
  }
  const bool said = parent->kind == "explicit_constructor_invocation" && leaf.text == "super";
  bool unsaid = parent->kind == "constructor_declaration" && leaf.field == "name";
  if (unsaid) {
    const Node* body = kid_in(*parent, "body");
    unsaid = body != nullptr && kid_of(*body, "explicit_constructor_invocation") == nullptr;
  }
  const Node* super = said || unsaid ? super_of(leaf) : nullptr;
  if (super != nullptr) names->push_back(call_of(super->text, said ? arguments_in(*parent) : 0));
}

}  // namespace gittxn::semantic
