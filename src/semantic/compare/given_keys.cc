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
                          "await_expression", "await", "arguments"})) {
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

// `dict(timeout=3)`
bool is_made_by_dict(const Node& node) {
  const Node* function = node.kind == "call" ? kid_in(node, "function") : nullptr;
  return function != nullptr && function->text == "dict" && kid_in(node, "arguments") != nullptr;
}

bool is_object(const Node& node) {
  return is_any(node.kind, {"object", "dictionary"}) || is_made_by_dict(node);
}

void add_keys(const Node& object, Keys* keys) {
  if (is_made_by_dict(object)) return add_keys(*kid_in(object, "arguments"), keys);
  for (const Node* kid : object.kids) {
    if (kid->kind == "shorthand_property_identifier") add_key(kid->text, keys);
    const Node* key = kid_in(*kid, kid->kind == "pair" ? "key" : "name");
    if (key != nullptr && is_any(kid->kind, {"pair", "method_definition", "keyword_argument"})) {
      add_key(key->text, keys);
    }
    const Node* value = kid->kind == "pair" ? kid_in(*kid, "value") : nullptr;
    if (value != nullptr && is_object(bare(*value))) add_keys(bare(*value), keys);
  }
}

// `config.timeout` and `config["timeout"]`, which are set.
void add_set(const Node& target, Keys* keys) {
  for (const std::string_view part : {"property", "index", "subscript"}) {
    const Node* key = kid_in(target, part);
    if (key != nullptr && (part == "property" || key->text.find_first_of("'\"") == 0)) {
      add_key(key->text, keys);
    }
  }
}

void add_mentioned(const Node& node, Keys* keys) {
  if (is_object(node)) add_keys(node, keys);
  const bool sets = is_any(node.kind, {"assignment_expression", "assignment"});
  const Node* left = sets ? kid_in(node, "left") : nullptr;
  if (left != nullptr) add_set(*left, keys);
  for (const Node* kid : node.kids) add_mentioned(*kid, keys);
}

// The objects that a function declares a variable with, and what it sets of them in Python.
void add_declared(const Node& node, std::string_view name, Keys* keys) {
  const bool python = node.kind == "assignment";
  if (node.kind == "variable_declarator" || python) {
    const Node* said = kid_in(node, python ? "left" : "name");
    const Node* value = kid_in(node, python ? "right" : "value");
    const bool its = said != nullptr && said->text == name && value != nullptr;
    if (its && is_object(bare(*value))) add_keys(bare(*value), keys);
    const Node* of = said == nullptr ? nullptr : kid_in(*said, "value");
    if (of != nullptr && of->text == name) add_set(*said, keys);
  }
  for (const Node* kid : node.kids) add_declared(*kid, name, keys);
}

// Adds the members that objects of a class have.
void add_members(const Node& node, Keys* keys) {
  if (is_any(node.kind, {"method_definition", "field_definition", "public_field_definition"})) {
    const Node* name = kid_in(node, node.kind == "field_definition" ? "property" : "name");
    const bool own =
        std::ranges::none_of(node.kids, [](const Node* kid) { return kid->text == "static"; });
    if (own && name != nullptr) add_key(name->text, keys);
  }
  const bool kept = node.kind == "required_parameter" && node.kids.size() > 1 &&
                    node.kids.front()->kind == "accessibility_modifier";  // in TypeScript
  const Node* parameter = kept ? kid_in(node, "pattern") : nullptr;
  if (parameter != nullptr) add_key(parameter->text, keys);
  const Node* target = node.kind == "assignment_expression" ? kid_in(node, "left") : nullptr;
  const Node* of = target == nullptr ? nullptr : kid_in(*target, "object");
  if (of != nullptr && of->text == "this") add_set(*target, keys);
  for (const Node* kid : node.kids) add_members(*kid, keys);
}

// Objects of a class of the file have what it gives them: `new Point(1, 2)`.
void add_made(const Outline& outline, const Node& made, Keys* keys) {
  const Node* type = made.kind == "new_expression" ? kid_in(made, "constructor") : nullptr;
  if (type == nullptr) return;
  for (const Outlined& symbol : outline.symbols) {
    const bool its = symbol.kind == "type" && symbol.parent == 0 && symbol.name == type->text;
    if (!its) continue;
    for (const Node* node : symbol.nodes) add_members(*node, keys);
  }
}

// The objects that a value in the function may be.
void add_value(const Outline& outline, const Node& value, const Node& function, Keys* keys) {
  const Node& is = bare(value);
  if (is_object(is)) add_keys(is, keys);
  add_made(outline, is, keys);
  if (is.kind == "identifier") add_declared(function, is.text, keys);
  if (is.kind != "ternary_expression") return;
  for (const std::string_view side : {"consequence", "alternative"}) {
    const Node* one = kid_in(is, side);
    if (one != nullptr) add_value(outline, *one, function, keys);
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
  if (is_object(value)) add_keys(value, &keys.given);
  add_made(outline, value, &keys.given);
  const Node* body = is_within_itself(value) ? kid_in(value, "body") : nullptr;
  for (const Node* one : body == nullptr ? std::vector<const Node*>() : values_given_by(value)) {
    add_value(outline, *one, *body, &keys.given);
  }
  keys.mentioned.insert(keys.given.begin(), keys.given.end());
  return keys;
}

}  // namespace gittxn::semantic
