#include "semantic/symbols/more_reads.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/symbols/results.h"

namespace gittxn::semantic {
namespace {

// The value that is asked for the string, in brackets or by `get`; nullptr: there is none.
const Node* owner_of_key(const Node& leaf) {
  const Node* around = leaf.parent;
  if (around == nullptr) return nullptr;
  if (around->kind == "subscript") return kid_in(*around, "value");
  if (around->kind == "subscript_expression") return kid_in(*around, "object");
  const bool first = around->kind == "argument_list" && around->kids.size() > 1 &&
                     around->kids[1] == &leaf && around->parent != nullptr;
  const Node* function = first ? kid_in(*around->parent, "function") : nullptr;
  const Node* asked = function == nullptr ? nullptr : kid_in(*function, "attribute");
  if (asked == nullptr || !is_any(asked->text, {"get", "pop"})) return nullptr;
  return kid_in(*function, "object");
}

void add_key(const Tree& tree, const Node& leaf, std::vector<NameRead>* more) {
  const std::string_view text = leaf.text;
  if (text.size() < 3 || !std::string_view("'\"").contains(text.front())) return;
  const Node* owner = owner_of_key(leaf);
  const std::string_view name = text.substr(1, text.size() - 2);
  if (owner == nullptr || owner == &leaf || !is_identifier(name)) return;
  NameRead& read = more->emplace_back();
  read.name = name;
  read.role = UseRole::kMember;
  read.key = tree.language().name == "python";
  if (owner->kind != "identifier") return;
  read.qualifier = owner->text;
  read.of_local = tree.is_local(*owner);
}

// Adds an error that is said by its name alone.
void add_error(const Node& error, std::vector<std::string_view>* outcomes) {
  if (!is_any(error.kind, {"identifier", "attribute"})) return;
  const std::vector<std::string_view> words = words_of(error.text);
  if (!words.empty()) outcomes->push_back(words.back());
}

// The errors that are caught around what stands in a `try`, each by itself.
void add_caught(const Node& around, std::vector<std::string_view>* outcomes) {
  for (const Node* clause : around.kids) {
    if (clause->kind != "except_clause") continue;
    for (const Node* kid : clause->kids) {
      if (!kid->named || kid->comment) continue;
      const bool named = kid->kind == "as_pattern" && !kid->kids.empty();
      add_error(named ? *kid->kids.front() : *kid, outcomes);
      break;
    }
  }
}

// A handler in a script that does something, and does not only give nothing instead.
bool is_caught_in_script(const Node& around) {
  const Node* handler = kid_in(around, "handler");
  const Node* body = handler == nullptr ? nullptr : kid_in(*handler, "body");
  if (body == nullptr) return false;
  return std::ranges::any_of(body->kids, [](const Node* kid) {
    if (!kid->named || kid->comment) return false;
    const bool leaves = kid->kind == "return_statement";
    const auto given = [](const Node* value) { return value->named && !is_nothing(*value); };
    return !leaves || std::ranges::any_of(kid->kids, given);
  });
}

// `with pytest.raises(KeyError):`
void add_awaited(const Node& with, std::vector<std::string_view>* outcomes) {
  const auto add = [&](const auto& self, const Node& node) -> void {
    if (node.kind == "block") return;
    const Node* function = node.kind == "call" ? kid_in(node, "function") : nullptr;
    const Node* list = function == nullptr ? nullptr : kid_in(node, "arguments");
    const bool raises =
        list != nullptr && list->kids.size() > 1 &&
        (function->text.ends_with("raises") || function->text.ends_with("assertRaises"));
    if (raises) add_error(*list->kids[1], outcomes);
    for (const Node* kid : node.kids) self(self, *kid);
  };
  add(add, with);
}

// The value is compared with nothing, or something else stands for it where it is nothing.
bool is_minded(const Node& value) {
  const Node* around = value.parent;
  if (around == nullptr) return false;
  if (around->kind == "parenthesized_expression" || around->kind == "await_expression") {
    return is_minded(*around) || is_any(around->field, {"condition"});
  }
  if (is_any(around->kind, {"not_operator"})) return true;
  if (around->kind == "unary_expression") return around->text.starts_with('!');
  if (is_any(around->kind, {"if_statement"})) return value.field == "condition";
  if (!is_any(around->kind, {"comparison_operator", "binary_expression", "boolean_operator"})) {
    return false;
  }
  if (around->kids.size() != 3 || around->kids[0] != &value) return false;
  const std::string_view sign = around->kids[1]->text;
  return is_nothing(*around->kids[2]) || is_any(sign, {"??", "||", "or"});
}

// The variable of that name is, somewhere behind leaf `from` in the same function.
bool is_minded_in(const Node& node, std::string_view name, std::uint32_t from) {
  if (node.leaf + node.leaves <= from) return false;
  if (node.kind == "identifier" && node.text == name) return is_minded(node);
  return std::ranges::any_of(node.kids, [&](const Node* kid) {
    return !is_within_itself(*kid) && is_minded_in(*kid, name, from);
  });
}

// The call whose function the name is, or is the last part of.
const Node* call_of(const Node& leaf) {
  const Node* at = &leaf;
  const bool behind =
      at->parent != nullptr && is_any(at->parent->kind, {"attribute", "member_expression"});
  if (behind) at = at->parent;
  const bool called = at->parent != nullptr && at->field == "function";
  return called && is_any(at->parent->kind, {"call", "call_expression"}) ? at->parent : nullptr;
}

constexpr std::uint32_t kMostLooked = 4000;  // leaves of a function in which a variable is followed

// The ways to end that the code around the call of a function is prepared for.
std::vector<std::string_view> outcomes_minded(const Node& leaf) {
  std::vector<std::string_view> outcomes;
  const Node* call = call_of(leaf);
  if (call == nullptr) return outcomes;
  const Node* value = call;
  if (value->parent != nullptr && is_any(value->parent->kind, {"await", "await_expression"})) {
    value = value->parent;
  }
  const Node* given = value->parent;
  const bool declares = given != nullptr && given->kind == "variable_declarator";
  const bool assigns = given != nullptr && is_any(given->kind, {"assignment", "named_expression"});
  const Node* variable = declares || assigns
                             ? kid_in(*given, declares || value->field == "value" ? "name" : "left")
                             : nullptr;
  bool minds = is_minded(*value);
  bool tried = true;
  for (const Node *at = call, *up = call->parent; up != nullptr; at = up, up = up->parent) {
    if (up->kind == "try_statement" && at->field == "body" && tried) {
      add_caught(*up, &outcomes);
      if (is_caught_in_script(*up)) outcomes.push_back(kFails);
    }
    if (up->kind == "with_statement" && at->field == "body" && tried) add_awaited(*up, &outcomes);
    const bool end = is_within_itself(*up) || up->parent == nullptr;
    const bool looks = end && tried && variable != nullptr && up->leaves <= kMostLooked;
    if (looks) minds = minds || is_minded_in(*up, variable->text, call->leaf + call->leaves);
    if (end) tried = false;
  }
  if (minds) outcomes.push_back(kEndsInNothing);
  return outcomes;
}

}  // namespace

std::string key_name(std::string_view key) {
  return "[" + std::string(key) + "]";
}

std::string shown_given(std::string_view name) {
  const std::size_t sign = name.rfind('!');
  if (sign == std::string_view::npos) {
    const bool bracketed = name.starts_with('[') && name.ends_with(']');
    if (bracketed) name = name.substr(1, name.size() - 2);
    return "the key '" + std::string(name) + "'";
  }
  const std::string_view outcome = name.substr(sign + 1);
  if (outcome == kEndsInNothing) return "an empty result";
  if (outcome == kFails) return "a failure";
  if (outcome == kHeard) return "the event '" + std::string(name.substr(0, sign)) + "'";
  return "the error '" + std::string(outcome) + "'";
}

std::string outcome_name(std::string_view function, std::string_view outcome) {
  return std::string(function) + "!" + std::string(outcome);
}

std::string full_name(const NameRead& read) {
  if (!read.outcome.empty()) return outcome_name(read.name, read.outcome);
  return read.key ? key_name(read.name) : std::string(read.name);
}

EventTold event_told(const Node& leaf, std::initializer_list<std::string_view> methods) {
  const Node* list = leaf.parent;
  const bool first = list != nullptr && is_any(list->kind, {"arguments", "argument_list"}) &&
                     list->kids.size() > 1 && list->kids[1] == &leaf && leaf.text.size() > 2 &&
                     std::string_view("'\"").contains(leaf.text.front());
  const Node* function = first ? kid_in(*list->parent, "function") : nullptr;
  const bool python = first && list->kind == "argument_list";
  const Node* method =
      function == nullptr ? nullptr : kid_in(*function, python ? "attribute" : "property");
  if (function != nullptr && function->kind == "identifier") method = function;
  const bool its = method != nullptr && is_any(method->text, methods);
  if (!its) return {};
  const Node* owner = kid_in(*function, "object");
  const bool named = owner != nullptr && owner->kind == "identifier" && owner->text != "self";
  return {leaf.text.substr(1, leaf.text.size() - 2), named ? owner->text : std::string_view()};
}

void more_reads(const Tree& tree, const Node& leaf, NameRead* of, std::vector<NameRead>* more) {
  if (!is_any(tree.language().name, {"python", "javascript", "typescript", "tsx"})) return;
  NameRead& read = *of;
  const bool keyed = leaf.field == "key" && leaf.parent != nullptr && leaf.parent->kind == "pair";
  if (keyed && leaf.kind == "property_identifier") {
    read.role = UseRole::kMember;
    read.qualifier = kOfObject;
    return;
  }
  if (read.role == UseRole::kText) {
    const EventTold event =
        event_told(leaf, {"on", "once", "addListener", "addEventListener", "add_listener", "listen",
                          "subscribe", "connect", "register", "hook", "receiver"});
    // Once for all words of the string.
    if (!event.name.empty() && event.name.data() == read.name.data()) {
      NameRead& heard = more->emplace_back();
      heard.name = event.name;
      heard.qualifier = event.owner;
      heard.role = UseRole::kMember;
      heard.outcome = kHeard;
    }
    return add_key(tree, leaf, more);
  }
  if (read.arity < 0 || read.role == UseRole::kImport) return;
  for (const std::string_view outcome : outcomes_minded(leaf)) {
    NameRead& ends = more->emplace_back();
    ends.name = read.name;
    ends.qualifier = read.qualifier;
    ends.of_local = read.of_local;
    ends.role = UseRole::kMember;
    ends.outcome = outcome;
  }
}

}  // namespace gittxn::semantic
