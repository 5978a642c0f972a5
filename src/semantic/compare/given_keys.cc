#include "semantic/compare/given_keys.h"

#include <algorithm>
#include <string_view>

#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/results.h"
#include "semantic/symbols/values.h"

namespace gittxn::semantic {
namespace {

using Keys = std::set<std::string, std::less<>>;

// The inside of what leaves a value as it is: parentheses, `as const`, `Object.freeze(...)`,
// `Promise.resolve(...)`.
const Node& bare(const Node& node) {
  const Node* at = &node;
  for (;;) {
    const Node* inner = nullptr;
    if (is_any(at->kind, {"parenthesized_expression", "as_expression", "satisfies_expression",
                          "await_expression", "arguments"})) {
      for (const Node* kid : at->kids) {
        if (inner == nullptr && kid->named && !kid->comment) inner = kid;
      }
    }
    if (at->kind == "call_expression") {
      const Node* function = kid_in(*at, "function");
      const bool keeps =
          function != nullptr &&
          is_any(function->text, {"Object.freeze", "Object.seal", "Promise.resolve"});
      inner = keeps ? kid_in(*at, "arguments") : nullptr;
    }
    if (inner == nullptr) return *at;
    at = inner;
  }
}

void add_key(std::string_view text, Keys* keys) {
  if (text.size() > 2 && (text.front() == '\'' || text.front() == '"')) {
    text = text.substr(1, text.size() - 2);
  }
  if (is_identifier(text)) keys->emplace(text);
}

void add_keys(const Node& object, Keys* keys) {
  for (const Node* kid : object.kids) {
    if (kid->kind == "shorthand_property_identifier") add_key(kid->text, keys);
    const Node* key = kid_in(*kid, kid->kind == "pair" ? "key" : "name");
    if (key != nullptr && is_any(kid->kind, {"pair", "method_definition"})) {
      add_key(key->text, keys);
    }
    const Node* value = kid->kind == "pair" ? kid_in(*kid, "value") : nullptr;
    if (value != nullptr && bare(*value).kind == "object") add_keys(bare(*value), keys);
  }
}

void add_mentioned(const Node& node, Keys* keys) {
  if (node.kind == "object") add_keys(node, keys);
  const Node* left = node.kind == "assignment_expression" ? kid_in(node, "left") : nullptr;
  const Node* set = left == nullptr ? nullptr : kid_in(*left, "property");
  if (set != nullptr) add_key(set->text, keys);
  for (const Node* kid : node.kids) add_mentioned(*kid, keys);
}

// The objects that a function declares a variable with.
void add_declared(const Node& node, std::string_view name, Keys* keys) {
  if (node.kind == "variable_declarator") {
    const Node *said = kid_in(node, "name"), *value = kid_in(node, "value");
    const bool its = said != nullptr && said->text == name && value != nullptr;
    if (its && bare(*value).kind == "object") add_keys(bare(*value), keys);
  }
  for (const Node* kid : node.kids) add_declared(*kid, name, keys);
}

// The objects that a value in the function may be.
void add_value(const Node& value, const Node& function, Keys* keys) {
  const Node& is = bare(value);
  if (is.kind == "object") add_keys(is, keys);
  if (is.kind == "identifier") add_declared(function, is.text, keys);
  if (is.kind != "ternary_expression") return;
  for (const std::string_view side : {"consequence", "alternative"}) {
    const Node* one = kid_in(is, side);
    if (one != nullptr) add_value(*one, function, keys);
  }
}

}  // namespace

GivenKeys given_keys(const Outline& outline, const Outlined& symbol) {
  GivenKeys keys;
  if (symbol.opaque) return keys;
  const Node* node = function_or_value(outline, symbol);
  if (node == nullptr) return keys;
  add_mentioned(*node, &keys.mentioned);
  const Node& value = bare(*node);
  if (value.kind == "object") add_keys(value, &keys.given);
  const Node* body = is_within_itself(value) ? kid_in(value, "body") : nullptr;
  if (body == nullptr) return keys;
  for (const Node* one : values_given_by(value)) add_value(*one, *body, &keys.given);
  return keys;
}

}  // namespace gittxn::semantic
