#include "semantic/symbols/results.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "semantic/kinds.h"
#include "semantic/symbols/signature_words.h"
#include "semantic/symbols/values.h"

namespace gittxn::semantic {
namespace {

// Forms are words: "number", "text", "truth", "list", "dictionary", "set", "function", "promise",
// "generator", "object" of a script, "tuple" with the count of its parts, "time" of what `datetime`
// gives, "made" of what a class makes, and "instance" where that one says all that it is. Empty:
// not known.
using Forms = std::set<std::string, std::less<>>;

constexpr std::size_t kMostNamed = 4;     // from a variable to what it is given
constexpr std::size_t kMostResults = 32;  // of one function

bool is_function_of_own(const Node& node) {
  return is_any(node.kind, {"function_definition", "lambda", "class_definition"});
}

void add_returned(const Node& node, std::vector<const Node*>* values) {
  if (node.kind == "return_statement") {
    for (const Node* kid : node.kids) {
      if (kid->named && !kid->comment) values->push_back(kid);
    }
  }
  for (const Node* kid : node.kids) {
    if (!is_within_itself(*kid)) add_returned(*kid, values);
  }
}

std::string tuple_of(const Node& node) {
  int parts = 0;
  for (const Node* kid : node.kids) {
    if (kid->kind == "list_splat") return "tuple";
    if (kid->named && !kid->comment) ++parts;
  }
  return "tuple " + std::to_string(parts);
}

std::string form_of_call(const Node& call) {
  const Node* function = kid_in(call, "function");
  if (function == nullptr) return {};
  const std::string_view name = function->text;
  if (is_any(name, {"int", "float", "len", "abs", "round", "Number", "parseInt"})) return "number";
  if (is_any(name, {"str", "repr", "String", "JSON.stringify"})) return "text";
  if (is_any(name, {"list", "sorted"})) return "list";
  if (is_any(name, {"dict"})) return "dictionary";
  if (is_any(name, {"set"})) return "set";
  if (is_any(name, {"tuple"})) return "tuple";
  if (is_any(name, {"bool", "isinstance", "any", "all", "Boolean"})) return "truth";
  if (name.starts_with("Promise.")) return "promise";
  if (is_any(name, {"os.getenv", "os.environ.get"})) return "text";
  if (is_any(name, {"timedelta", "datetime.timedelta", "datetime.now", "datetime.datetime.now"})) {
    return "time";
  }
  const std::string_view last = name.substr(name.rfind('.') + 1);
  const bool python = call.kind == "call";
  const bool makes = !last.empty() && last.front() >= 'A' && last.front() <= 'Z';
  return python && makes ? "made" : std::string();
}

std::string form_of_literal(const Node& node) {
  const std::string_view kind = node.kind;
  if (is_any(kind, {"expression_list", "tuple"})) return tuple_of(node);
  if (is_any(kind, {"list", "list_comprehension", "array"})) return "list";
  if (is_any(kind, {"dictionary", "dictionary_comprehension"})) return "dictionary";
  if (is_any(kind, {"set", "set_comprehension"})) return "set";
  if (kind == "generator_expression") return "generator";
  if (is_any(kind, {"string", "template_string", "concatenated_string"})) return "text";
  if (is_any(kind, {"integer", "float", "number"})) return "number";
  if (is_any(kind, {"true", "false", "comparison_operator", "not_operator"})) return "truth";
  if (kind == "object") return "object";
  if (is_any(kind, {"lambda", "arrow_function", "function_expression"})) return "function";
  if (kind == "new_expression") {
    const Node* made = kid_in(node, "constructor");
    return made != nullptr && made->text == "Promise" ? "promise" : "made";
  }
  return is_any(kind, {"call", "call_expression"}) ? form_of_call(node) : std::string();
}

bool yields_any(const Node& node) {
  if (is_any(node.kind, {"yield", "yield_expression"})) return true;
  return std::ranges::any_of(
      node.kids, [](const Node* kid) { return !is_within_itself(*kid) && yields_any(*kid); });
}

// A class that extends none and says itself of nothing that it can stand for.
bool is_plain_class(const Outline& outline, const Outlined& symbol) {
  if (symbol.kind != "type" || symbol.opaque || symbol.nodes.size() != 1) return false;
  const auto extends = [](const Node* kid) {
    return kid->field == "superclasses" || kid->kind == "class_heritage";
  };
  if (std::ranges::any_of(without_wrapping(symbol.nodes.front())->kids, extends)) return false;
  return std::ranges::none_of(outline.symbols, [&](const Outlined& member) {
    if (member.container != symbol.id) return false;
    const bool special = member.name.starts_with("__") || member.name.starts_with('[') ||
                         is_any(member.name, {"valueOf", "toString", "then"});
    return special && !is_any(member.name, {"__init__", "__post_init__", "__repr__", "__str__",
                                            "__eq__", "__hash__", "__slots__"});
  });
}

// Finds the forms that values in a function, or at the top of a file, may have.
class FormFinder {
 public:
  FormFinder(const Outline& outline, const Node& around) : outline_(outline), around_(around) {}

  // False: some of them are not known.
  bool add(const Node& value, Forms* forms, std::size_t steps = 0) const {
    if (is_nothing(value)) return true;
    if (value.kind == "parenthesized_expression") {
      const auto inner = std::ranges::find_if(
          value.kids, [](const Node* kid) { return kid->named && !kid->comment; });
      return inner != value.kids.end() && add(**inner, forms, steps);
    }
    if (value.kind == "ternary_expression") {
      const Node *yes = kid_in(value, "consequence"), *no = kid_in(value, "alternative");
      return yes != nullptr && no != nullptr && add(*yes, forms, steps) && add(*no, forms, steps);
    }
    if (value.kind == "conditional_expression" && value.kids.size() == 5) {
      return add(*value.kids.front(), forms, steps) && add(*value.kids.back(), forms, steps);
    }
    if (value.kind == "identifier") {
      std::vector<const Node*> given;
      if (steps == kMostNamed || !add_given(around_, value.text, &given) || given.empty()) {
        return false;
      }
      return std::ranges::all_of(given,
                                 [&](const Node* one) { return add(*one, forms, steps + 1); });
    }
    if (const Outlined* own = called_in(value); own != nullptr) return add_own(*own, forms, steps);
    std::string form = form_of_literal(value);
    if (form.empty()) return false;
    forms->insert(std::move(form));
    return true;
  }

 private:
  // The function or plain class at the top of the file that a value is a call of; nullptr: none.
  const Outlined* called_in(const Node& value) const {
    if (!is_any(value.kind, {"call", "call_expression", "new_expression"})) return nullptr;
    const bool made = value.kind == "new_expression";
    const Node* name = kid_in(value, made ? "constructor" : "function");
    if (name == nullptr || name->kind != "identifier") return nullptr;
    const auto own = std::ranges::find_if(outline_.symbols, [&](const Outlined& symbol) {
      if (symbol.parent != 0 || symbol.name != name->text || symbol.nodes.size() != 1) return false;
      return (symbol.kind == "function" && !made) || is_plain_class(outline_, symbol);
    });
    return own == outline_.symbols.end() || own->opaque ? nullptr : &*own;
  }

  bool add_own(const Outlined& own, Forms* forms, std::size_t steps) const {
    if (own.kind == "type") return forms->insert("instance"), true;
    const Node& function = *without_wrapping(own.nodes.front());
    const Node* body = kid_in(function, "body");
    if (body == nullptr || steps == kMostNamed) return false;
    // A decorator may give something else.
    if (&function != own.nodes.front() && own.nodes.front()->kind == "decorated_definition") {
      return false;
    }
    if (function.text.starts_with("async")) return forms->insert("promise"), true;
    if (yields_any(*body)) return forms->insert("generator"), true;
    const std::vector<const Node*> values = values_given_by(function);
    const FormFinder inner(outline_, function);
    return !values.empty() && values.size() <= kMostResults &&
           std::ranges::all_of(values,
                               [&](const Node* one) { return inner.add(*one, forms, steps + 1); });
  }

  // Adds what a variable is given; false: it gets something in another way, too.
  static bool add_given(const Node& node, std::string_view name, std::vector<const Node*>* given) {
    const bool declares = node.kind == "variable_declarator";
    if (declares || is_any(node.kind, {"assignment", "assignment_expression"})) {
      const Node* target = kid_in(node, declares ? "name" : "left");
      const Node* value = kid_in(node, declares ? "value" : "right");
      if (target != nullptr && target->text == name && value != nullptr) given->push_back(value);
      if (target != nullptr && target->text != name && takes(*target, name)) return false;
    }
    const bool binds = is_any(node.kind, {"for_statement", "for_in_statement", "for_in_clause"});
    const Node* bound = binds ? kid_in(node, "left") : nullptr;
    if (bound != nullptr && takes(*bound, name)) return false;
    if (node.kind == "as_pattern_target" && takes(node, name)) return false;
    if (is_any(node.kind, {"parameters", "formal_parameters", "global_statement"}) &&
        takes(node, name)) {
      return false;
    }
    return std::ranges::all_of(node.kids, [&](const Node* kid) {
      return is_within_itself(*kid) || add_given(*kid, name, given);
    });
  }

  // The target is the name, or is taken apart to it.
  static bool takes(const Node& target, std::string_view name) {
    if (is_any(target.kind,
               {"attribute", "subscript", "member_expression", "subscript_expression"})) {
      return false;
    }
    if (target.kids.empty()) return target.text == name;
    return std::ranges::any_of(target.kids, [&](const Node* kid) { return takes(*kid, name); });
  }

  const Outline& outline_;
  const Node& around_;
};

// The results of one version.
struct Results {
  std::vector<const Node*> values;  // without those that are nothing
  std::string form;                 // of all of them; empty: not known, or not one
  std::string said;                 // the type that it says
};

Results results_of(const Outline& outline, const Outlined& symbol) {
  Results found;
  const Node* node = symbol.opaque ? nullptr : function_or_value(outline, symbol);
  const Node* body = node == nullptr ? nullptr : kid_in(*node, "body");
  if (node == nullptr || (body != nullptr && yields_any(*body))) return found;
  const bool function = is_within_itself(*node) || node->kind == "lambda";
  if (const Node* type = kid_in(*node, "return_type"); type != nullptr) {
    found.said = squeeze(type->text);
  }
  found.values = function ? values_given_by(*node) : std::vector<const Node*>{node};
  std::erase_if(found.values, [](const Node* value) { return is_nothing(*value); });
  if (found.values.size() > kMostResults) found.values.clear();
  Forms forms;
  const FormFinder finder(outline, *node);
  const bool known = std::ranges::all_of(
      found.values, [&](const Node* value) { return finder.add(*value, &forms); });
  if (known && forms.size() == 1) found.form = *forms.begin();
  return found;
}

bool is_one_of(std::string_view form, std::initializer_list<std::string_view> forms) {
  return is_any(form.substr(0, form.find(' ')), forms);
}

// Code that counts on the first form is wrong about the second.
bool is_other_form(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.starts_with(b) || b.starts_with(a)) return false;
  const auto are = [&](std::initializer_list<std::string_view> one,
                       std::initializer_list<std::string_view> other) {
    return (is_one_of(a, one) && is_one_of(b, other)) || (is_one_of(b, one) && is_one_of(a, other));
  };
  // Any value is true or not, but these always are.
  if (is_one_of(a, {"truth"}) || is_one_of(b, {"truth"})) {
    return are({"truth"}, {"tuple", "function", "promise", "generator", "object"});
  }
  return !are({"made"}, {"tuple", "number", "object", "instance", "time"}) &&
         !are({"instance"}, {"object"}) && !are({"list"}, {"tuple"});
}

// A value is a part of what is given instead: `return rows, count` of `return rows`.
bool is_wrapped_in(const Results& inner, const Results& outer) {
  if (!is_one_of(outer.form, {"tuple", "list", "dictionary", "object"})) return false;
  if (outer.form == inner.form) return false;
  for (const Node* whole : outer.values) {
    for (const Node* kid : whole->kids) {
      const Node* value = kid->kind == "pair" ? kid_in(*kid, "value") : kid;
      if (value == nullptr || !value->named) continue;
      const bool same = std::ranges::any_of(inner.values, [&](const Node* one) {
        return same_squeezed(one->text, value->text) && !is_any(one->kind, {"true", "false"});
      });
      if (same) return true;
    }
  }
  return false;
}

}  // namespace

bool is_within_itself(const Node& node) {
  return is_function_of_own(node) ||
         is_any(node.kind, {"arrow_function", "function_expression", "function_declaration",
                            "generator_function", "generator_function_declaration",
                            "method_definition", "class_body"});
}

bool is_nothing(const Node& node) {
  return is_any(node.kind, {"none", "null", "undefined"}) || node.text == "undefined";
}

std::vector<const Node*> values_given_by(const Node& function) {
  std::vector<const Node*> values;
  const Node* body = kid_in(function, "body");
  if (body == nullptr) return values;
  if (is_any(body->kind, {"statement_block", "block"})) {
    add_returned(*body, &values);
  } else {
    values.push_back(body);
  }
  return values;
}

bool gives_otherwise(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const Results before = results_of(pair.before, was), after = results_of(pair.after, is);
  if (before.values.empty() || after.values.empty()) return false;
  if (!before.said.empty() && before.said == after.said) return false;
  if (is_other_form(before.form, after.form)) return true;
  return (before.form.empty() && is_wrapped_in(before, after)) ||
         (after.form.empty() && is_wrapped_in(after, before));
}

}  // namespace gittxn::semantic
