#include "semantic/symbols/values.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/declared.h"
#include "semantic/symbols/parameters.h"
#include "semantic/symbols/results.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {

namespace {

// The value that a variable or a field is given; nullptr: none, or it is not known.
const Node* value_of(const Outline& outline, const Outlined& symbol) {
  if (symbol.nodes.size() != 1 || !is_any(symbol.kind, {"variable", "field", "constant"})) {
    return nullptr;
  }
  const std::string name = short_name(outline.language->name, symbol.kind, symbol.name);
  const Node* node = symbol.nodes.front();
  for (;;) {
    const Node* inner = kid_in(*node, "value");
    if (inner == nullptr) inner = kid_in(*node, "right");
    if (inner != nullptr) {
      while (inner->kind == "expression_list" && inner->kids.size() == 1) inner = inner->kids[0];
      return inner;
    }
    const auto its = std::ranges::find_if(node->kids, [&](const Node* kid) {
      if (is_any(kid->kind, {"variable_declarator", "var_spec", "const_spec"})) {
        const Node* said = kid_in(*kid, "name");
        return said != nullptr && said->text == name;
      }
      return is_any(kid->kind, {"lexical_declaration", "variable_declaration", "assignment",
                                "assignment_expression"});
    });
    if (its == node->kids.end()) return nullptr;
    node = *its;
  }
}

bool is_script(std::string_view language) {
  return is_any(language, {"javascript", "typescript", "tsx"});
}

bool is_function_node(const Node& node) {
  return is_any(node.kind, {"arrow_function", "function_expression", "generator_function",
                            "func_literal", "lambda", "method_definition"});
}

// The function that a value is, or a method of an object, which is part of that.
const Node* function_in(const Outline& outline, const Outlined& symbol) {
  const bool method =
      symbol.kind == "function" && symbol.nodes.size() == 1 && symbol.units.front().tokens.empty();
  const Node* node = method ? symbol.nodes.front() : value_of(outline, symbol);
  return node != nullptr && is_function_node(*node) ? node : nullptr;
}

const Node* parameters_of_value(const Node& function) {
  const Node* list = kid_in(function, "parameters");
  return list != nullptr ? list : kid_in(function, "parameter");
}

// The words of a function but for its parameters and its body.
Words other_words(const Node& function) {
  Words words;
  for (const Node* kid : function.kids) {
    if (is_any(kid->field, {"parameters", "parameter", "body"})) continue;
    add_words(*kid, nullptr, &words);
  }
  return words;
}

// The words of the parameters in Go, without their names.
Words typed_words(const Node& list) {
  Words words;
  for (const Node* kid : list.kids) {
    for (const Node* part : kid->kids) {
      if (part->field != "name" && part->text != ",") add_words(*part, nullptr, &words);
    }
    words.push_back(",");
  }
  return words;
}

bool calls_differ(std::string_view language, const Node& was, const Node& is) {
  if (other_words(was) != other_words(is)) return true;
  const Node *old = parameters_of_value(was), *now = parameters_of_value(is);
  if (old == nullptr || now == nullptr) return old != now;
  if (language == "go") return typed_words(*old) != typed_words(*now);
  return callers_with(language, *old, *now) == Callers::kOther;
}

// The function or type of the file that a value is another name of; empty: it is none.
std::string_view named_by(const Outline& outline, const Node& value) {
  if (!is_identifier(value.text)) return {};
  const bool known = std::ranges::any_of(outline.symbols, [&](const Outlined& symbol) {
    return symbol.parent == 0 && (symbol.kind == "function" || symbol.kind == "type") &&
           symbol.name == value.text;
  });
  return known ? value.text : std::string_view();
}

bool makes_a_type(const Node& value) {
  const Node* function = kid_in(value, "function");
  if (value.kind != "call" || function == nullptr) return false;
  const std::vector<std::string_view> words = words_of(function->text);
  return !words.empty() &&
         is_any(words.back(), {"namedtuple", "NamedTuple", "TypedDict", "NewType", "Enum",
                               "IntEnum", "StrEnum", "Flag", "IntFlag", "make_dataclass"});
}

// A `Struct` in Ruby whose values are given by their names.
bool takes_names_in_ruby(const Node& value) {
  return value.text.starts_with("Struct.new") && squeeze(value.text).contains("keyword_init:true");
}

// The function in Python has a `yield` of its own.
bool gives_one_by_one(const Outline& outline, const Outlined& symbol) {
  const Node* function = without_wrapping(symbol.nodes.back());
  for (const Unit& unit : symbol.units) {
    for (const std::uint32_t token : unit.tokens) {
      const Node* up = outline.tree->leaves()[token];
      if (up->text != "yield" || up->named) continue;
      while (up != nullptr && !is_any(up->kind, {"function_definition", "lambda"})) {
        up = up->parent;
      }
      if (up == function) return true;
    }
  }
  return false;
}

// The parameters that a function calls, each with the counts of arguments that it gives them.
using Asked = std::set<std::pair<std::string_view, int>>;
Asked asked_of_given(const Outline& outline, const Outlined& symbol) {
  Asked asked;
  const Words names = head_in(outline, symbol).parameters;
  if (names.empty()) return asked;
  for (const Unit& unit : symbol.units) {
    names_in(outline, symbol, unit, [&](const NameIn& name) {
      const bool call = name.read.role == UseRole::kCall && name.read.local;
      if (call && std::ranges::find(names, name.read.name) != names.end()) {
        if (name.read.named.empty()) asked.emplace(name.read.name, name.read.arity);
      }
    });
  }
  return asked;
}

// A parameter that the function called is called with a count of arguments that it was not.
bool asks_otherwise(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const Asked before = asked_of_given(pair.before, was);
  if (before.empty()) return false;
  return std::ranges::any_of(asked_of_given(pair.after, is), [&](const Asked::value_type& now) {
    const auto same = before.lower_bound({now.first, INT_MIN});
    return same != before.end() && same->first == now.first && !before.contains(now);
  });
}

// A value that a file says outright, as those who use it mind: a truth may stand for a number but
// in Go, where a number may be no whole one, too.
enum class LiteralAs : std::uint8_t { kNone, kText, kNumber, kFraction, kTruth };

LiteralAs literal_in(std::string_view language, const Node& value) {
  const bool go = language == "go";
  if (is_any(value.text, {"true", "false", "True", "False"})) {
    return go ? LiteralAs::kTruth : LiteralAs::kNumber;
  }
  if (value.kind == "float_literal") return go ? LiteralAs::kFraction : LiteralAs::kNumber;
  if (is_any(value.kind, {"integer", "float", "number", "int_literal"})) return LiteralAs::kNumber;
  const bool text = is_any(value.kind, {"string", "template_string", "interpreted_string_literal",
                                        "raw_string_literal"});
  return text ? LiteralAs::kText : LiteralAs::kNone;
}

// The declaration says the type, whatever the value is.
bool says_type(const Node& value) {
  const Node* up = value.parent;
  while (up != nullptr && up->kind == "expression_list") up = up->parent;
  return up != nullptr && kid_in(*up, "type") != nullptr;
}

bool is_of_other_type(const Outlines& pair, const Node& was, const Node& is) {
  const std::string_view language = pair.after.language->name;
  const LiteralAs from = literal_in(language, was), to = literal_in(language, is);
  if (from != LiteralAs::kNone && to != LiteralAs::kNone) return from != to;
  if (language != "go") return false;
  const Words before = type_of_value_in_go(pair.before, was);
  const Words after = type_of_value_in_go(pair.after, is);
  return !before.empty() && !after.empty() && before != after;
}

// The parts without names that a type or a constant of an enum in Rust has, where others see all of
// them.
Words open_parts(const Outlined& symbol) {
  Words words;
  if (symbol.nodes.size() != 1) return words;
  const auto list = std::ranges::find(symbol.nodes.front()->kids,
                                      std::string_view("ordered_field_declaration_list"),
                                      [](const Node* kid) { return kid->kind; });
  if (list == symbol.nodes.front()->kids.end()) return words;
  for (const Node* kid : (*list)->kids) {
    if (symbol.kind == "type" && kid->field == "type") {
      const auto at = std::ranges::find((*list)->kids, kid) - (*list)->kids.begin();
      if (at == 0 || (*list)->kids[static_cast<std::size_t>(at) - 1]->kind != "visibility_modifier")
        return {};
    }
    add_words(*kid, nullptr, &words);
  }
  return words;
}

bool says_other_parts(const Outlined& was, const Outlined& is) {
  const Words before = open_parts(was), after = open_parts(is);
  return !before.empty() && before != after;
}

}  // namespace

const Node* function_or_value(const Outline& outline, const Outlined& symbol) {
  if (symbol.nodes.size() != 1) return nullptr;
  return is_function(symbol.kind) ? without_wrapping(symbol.nodes.front())
                                  : value_of(outline, symbol);
}

bool is_value_of_more(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const std::string_view language = pair.after.language->name;
  if (!is_script(language)) return false;
  const Node *old = function_in(pair.before, was), *now = function_in(pair.after, is);
  if (old == nullptr || now == nullptr || other_words(*old) != other_words(*now)) return false;
  const Node *from = parameters_of_value(*old), *to = parameters_of_value(*now);
  return from != nullptr && to != nullptr && callers_with(language, *from, *to) == Callers::kMore;
}

int most_arguments_in_script(const Outline& outline, const Outlined& symbol) {
  const Node* function = function_or_value(outline, symbol);
  const Node* list = function == nullptr ? nullptr : parameters_of_value(*function);
  const Node* body = list == nullptr ? nullptr : kid_in(*function, "body");
  if (body == nullptr || has_word(body->text, "arguments")) return -1;
  if (list->kids.empty()) return 1;  // `total => 1`
  int most = 0;
  for (const Node* kid : list->kids) {
    if (!kid->named || kid->comment) continue;
    if (kid->text.starts_with("...")) return -1;
    ++most;
  }
  return most;
}

bool calls_stay_alike(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const std::string_view language = pair.after.language->name;
  if (!is_script(language)) return false;
  const auto function = [](const Outline& outline, const Outlined& symbol) -> const Node* {
    if (!is_function(symbol.kind)) return function_in(outline, symbol);
    return symbol.nodes.size() == 1 ? without_wrapping(symbol.nodes.front()) : nullptr;
  };
  const Node *old = function(pair.before, was), *now = function(pair.after, is);
  if (old == nullptr || now == nullptr) return false;
  const auto waits = [](const Node& node) { return node.text.starts_with("async"); };
  const auto yields = [](const Node& node) { return node.kind.contains("generator"); };
  if (waits(*old) != waits(*now) || yields(*old) || yields(*now)) return false;
  const auto gives = [](const Node& node) {
    const Node* type = kid_in(node, "return_type");
    return type == nullptr ? std::string() : squeeze(type->text);
  };
  const Node *from = parameters_of_value(*old), *to = parameters_of_value(*now);
  return from != nullptr && to != nullptr && gives(*old) == gives(*now) &&
         callers_with(language, *from, *to) != Callers::kOther;
}

bool is_value_used_otherwise(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const std::string_view language = pair.after.language->name;
  const bool by_text = language == "python" || is_script(language);
  if (by_text && gives_otherwise(pair, was, is)) return true;
  if (is_any(language, {"cpp", "go", "python"}) && is_function(is.kind) && is_function(was.kind)) {
    if (asks_otherwise(pair, was, is)) return true;
    return language == "python" &&
           gives_one_by_one(pair.before, was) != gives_one_by_one(pair.after, is);
  }
  if (language == "rust") return says_other_parts(was, is);
  const Node *old = function_in(pair.before, was), *now = function_in(pair.after, is);
  if (old != nullptr && now != nullptr) return calls_differ(language, *old, *now);
  old = value_of(pair.before, was);
  now = value_of(pair.after, is);
  if (old == nullptr || now == nullptr || old->text == now->text) return false;
  if (!says_type(*old) && !says_type(*now) && is_of_other_type(pair, *old, *now)) return true;
  if (!named_by(pair.before, *old).empty() && !named_by(pair.after, *now).empty()) return true;
  if (language == "ruby") return takes_names_in_ruby(*old) != takes_names_in_ruby(*now);
  const bool python = language == "python" && makes_a_type(*old);
  return python && words_in_node(*old) != words_in_node(*now);
}

}  // namespace gittxn::semantic
