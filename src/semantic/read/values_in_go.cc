#include "semantic/read/values_in_go.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

constexpr std::uint32_t kMostTokens = 20'000;  // of functions, looked through for one value
constexpr int kMostLists = 4;                  // in one another
constexpr int kMostNames = 4;                  // that a value goes through

bool is_function_in_go(const Node& node) {
  return is_any(node.kind, {"function_declaration", "method_declaration", "func_literal"});
}

const Node* function_around(const Node& node) {
  const Node* up = node.parent;
  while (up != nullptr && !is_function_in_go(*up)) up = up->parent;
  return up;
}

enum class TakenInGo : std::uint8_t { kNothing, kPointer };

class ValueInGo {
 public:
  ValueInGo(const Tree& tree, std::string_view type, TakenInGo behind)
      : tree_(tree), type_(type), behind_(behind) {}

  // The value that `node` is may be given to an interface.
  bool is_given(const Node& node, int names) const {
    const Node* value = &node;
    while (value->parent != nullptr && value->parent->kind == "parenthesized_expression") {
      value = value->parent;
    }
    const Node* around = value->parent;
    if (around == nullptr) return false;
    if (is_any(around->kind, {"argument_list", "send_statement"})) return true;
    if (around->kind == "literal_element") return is_other_element(*around);
    return around->kind == "expression_list" && is_given_by(*around, names);
  }

  // A variable that is declared in `declaration` and has such a value.
  bool is_given_later(const Node& declaration, int names) const {
    const Node* left = kid_in(declaration, "left");
    for (const Node* kid : (left == nullptr ? declaration : *left).kids) {
      const bool name = kid->kind == "identifier" && (left != nullptr || kid->field == "name");
      if (name && is_name_given(*kid, names)) return true;
    }
    return false;
  }

 private:
  bool is_given_by(const Node& values, int names) const {
    const Node& statement = *values.parent;
    if (statement.kind == "return_statement") return !is_result(statement);
    if (statement.kind == "assignment_statement") return values.field == "right";
    if (!is_any(statement.kind, {"short_var_declaration", "var_spec"})) return false;
    const Node* said = kid_in(statement, "type");
    if (said != nullptr && !is_type(said->text)) return true;
    return values.field != "left" && is_given_later(statement, names);
  }

  // The function says that it gives one of the type.
  bool is_result(const Node& statement) const {
    const Node* function = function_around(statement);
    const Node* result = function == nullptr ? nullptr : kid_in(*function, "result");
    if (result == nullptr || is_type(result->text)) return true;
    return std::ranges::any_of(result->kids, [&](const Node* kid) {
      const Node* type = kid_in(*kid, "type");
      return type != nullptr && is_type(type->text);
    });
  }

  // The type, or a pointer to it, where that is given.
  bool is_type(std::string_view said) const {
    if (behind_ == TakenInGo::kNothing) return said == type_;
    return said.starts_with('*') && said.substr(1) == type_;
  }

  // The literal that it is an element of does not say that its elements are of the type.
  bool is_other_element(const Node& element) const {
    const Node* up = element.parent;
    while (up != nullptr && up->kind != "composite_literal") up = up->parent;
    const Node* list = up == nullptr ? nullptr : kid_in(*up, "type");
    const bool said =
        list != nullptr && is_any(list->kind, {"slice_type", "array_type", "map_type"});
    return !said || !list->text.ends_with(type_);
  }

  bool is_name_given(const Node& name, int names) const {
    if (names == 0) return true;
    const Node* function = function_around(name);
    const Node& scope = function == nullptr ? tree_.root() : *function;
    const std::vector<const Node*>& leaves = tree_.leaves();
    for (std::uint32_t i = name.leaf + 1; i < scope.leaf + scope.leaves; ++i) {
      if (looked_through_ == kMostTokens) return true;
      ++looked_through_;
      const bool its = leaves[i]->text == name.text && leaves[i - 1]->text != ".";
      if (its && is_given(*leaves[i], names - 1)) return true;
    }
    return false;
  }

  const Tree& tree_;
  std::string_view type_;
  TakenInGo behind_;
  mutable std::uint32_t looked_through_ = 0;  // tokens; a value may be given to itself many times
};

// The values that a list in braces has without a key, or one of those in it, at most.
int placed_in(const Node& list, int depth) {
  int placed = 0, most = -1;
  for (const Node* kid : list.kids) {
    if (!kid->named || kid->comment) continue;
    const bool keyed = kid->kind == "keyed_element";
    if (!keyed) ++placed;
    const Node* value = keyed ? kid_in(*kid, "value") : kid;
    if (value == nullptr || value->kids.empty() || depth == 0) continue;
    const Node& inner = *value->kids.front();
    if (inner.kind == "literal_value") most = std::max(most, placed_in(inner, depth - 1));
  }
  return std::max(most, placed > 0 ? placed : -1);
}

}  // namespace

int placed_in_go(const Node& leaf) {
  const Node* at = &leaf;
  bool several = false;
  while (at->parent != nullptr &&
         is_any(at->parent->kind, {"qualified_type", "pointer_type", "generic_type", "slice_type",
                                   "array_type", "map_type"})) {
    several = several || is_any(at->parent->kind, {"slice_type", "array_type", "map_type"});
    at = at->parent;
  }
  const bool makes = at->parent != nullptr && at->parent->kind == "composite_literal";
  const Node* list = makes && at->field == "type" ? kid_in(*at->parent, "body") : nullptr;
  if (list == nullptr) return -1;
  if (!several) return placed_in(*list, 0);
  int most = -1;
  for (const Node* kid : list->kids) {
    const Node* value = kid->kind == "keyed_element" ? kid_in(*kid, "value") : kid;
    if (value == nullptr || value->kids.empty()) continue;
    const Node& inner = *value->kids.front();
    if (inner.kind == "literal_value") most = std::max(most, placed_in(inner, kMostLists));
  }
  return most;
}

GivenInGo given_in_go(const Tree& tree, const Node& leaf) {
  const Node* type = &leaf;
  if (type->parent == nullptr) return GivenInGo::kNo;
  if (is_any(type->parent->kind, {"qualified_type", "selector_expression"})) type = type->parent;
  const Node* around = type->parent;
  if (around == nullptr) return GivenInGo::kNo;
  const ValueInGo value(tree, type->text, TakenInGo::kNothing);
  const auto given = [](bool is) { return is ? GivenInGo::kValue : GivenInGo::kNo; };
  const bool literal = around->kind == "composite_literal" && type->field == "type";
  const Node* pointer = literal ? around->parent : nullptr;
  if (pointer != nullptr && pointer->kind == "unary_expression" && pointer->text.starts_with('&')) {
    const bool is = ValueInGo(tree, type->text, TakenInGo::kPointer).is_given(*pointer, kMostNames);
    return is ? GivenInGo::kPointer : GivenInGo::kNo;
  }
  const bool conversion = around->kind == "call_expression" && type->field == "function";
  if (literal || conversion) return given(value.is_given(*around, kMostNames));
  const bool declares = is_any(around->kind, {"var_spec", "parameter_declaration"});
  return given(declares && type->field == "type" && value.is_given_later(*around, kMostNames));
}

}  // namespace gittxn::semantic
