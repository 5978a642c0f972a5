#include "semantic/merge/signature.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bug.h"
#include "semantic/kinds.h"
#include "semantic/merge/calls.h"
#include "semantic/merge/lists.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

using Tokens = std::vector<std::string_view>;

bool is_within(std::uint32_t leaf, const Node* node) {
  return node != nullptr && leaf >= node->leaf && leaf < node->leaf + node->leaves;
}

// The parts of a function that say nothing of its parameters: what is told without an order
// (modifiers, what it throws), and what decorates it.
void find_apart(const Node& function, std::vector<const Node*>* apart) {
  for (const Node* kid : function.kids) {
    if (kid->role == Role::kSet || kid->kind == "decorator") apart->push_back(kid);
    if (kid->decl == function.decl && kid->name == function.name) find_apart(*kid, apart);
  }
}

enum class Apart { kCounts, kLeftOut };

// The tokens of a function but those of its body and of `without`. Commas are layout: some
// formatters put one behind the last parameter.
Tokens signature_of(const Tree& tree, const Node& function, Apart what_is_apart,
                    const Node* without = nullptr) {
  const Node* body = body_of(function);
  std::vector<const Node*> left_out = {body, without};
  if (what_is_apart == Apart::kLeftOut) find_apart(function, &left_out);
  Tokens tokens;
  for (std::uint32_t i = function.leaf; i < function.leaf + function.leaves; ++i) {
    if (std::ranges::any_of(left_out, [i](const Node* part) { return is_within(i, part); }))
      continue;
    if (tree.leaves()[i]->text != ",") tokens.push_back(tree.leaves()[i]->text);
  }
  return tokens;
}

// Each side has what stands apart in the base, and may have more.
Apart only_grown(const Sides<const Tree*>& trees, const Sides<const Node*>& functions) {
  Sides<Tokens> tokens;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<const Node*> apart;
    find_apart(*functions[i], &apart);
    for (const Node* part : apart) {
      for (std::uint32_t leaf = part->leaf; leaf < part->leaf + part->leaves; ++leaf) {
        tokens[i].push_back(trees[i]->leaves()[leaf]->text);
      }
    }
    std::ranges::sort(tokens[i]);
  }
  const bool grown = std::ranges::includes(tokens[kLeft], tokens[kBase]) &&
                     std::ranges::includes(tokens[kRight], tokens[kBase]);
  return grown ? Apart::kLeftOut : Apart::kCounts;
}

bool both_changed(const Sides<Tokens>& tokens) {
  return tokens[kLeft] != tokens[kBase] && tokens[kRight] != tokens[kBase] &&
         tokens[kLeft] != tokens[kRight];
}

// The parameter that a method gets without its being passed.
bool is_receiver(const Item& item) {
  return is_any(item.node->text, {"self", "cls", "this"});
}

// The name by which a call reaches the function: for a constructor that of its type.
std::string_view called_as(const Node& function) {
  if (!is_any(function.name, {"__init__", "constructor", "__construct", "initialize"})) {
    return function.name;
  }
  for (const Node* at = function.parent; at != nullptr; at = at->parent) {
    if (at->decl == "type") return at->name;
  }
  return function.name;
}

struct Parameters {
  const Tree* tree = nullptr;
  const Node* function = nullptr;
  Items list;
  std::vector<std::size_t> added;  // items that the base does not have
};

bool same_item(const Parameters& a, std::size_t i, const Parameters& b, std::size_t j) {
  return same_code(*a.tree, *a.list.items[i].node, *b.tree, *b.list.items[j].node);
}

// Whether `side` has all of `base`, in order; its own are then known.
bool find_added(const Parameters& base, Parameters* side) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < side->list.items.size(); ++i) {
    if (next < base.list.items.size() && same_item(base, next, *side, i)) {
      ++next;
    } else {
      side->added.push_back(i);
    }
  }
  return next == base.list.items.size();
}

// "{a, b}" of the parameter `{a, b}: Props`, which takes an object apart.
const Node* taken_apart(const Node& parameter) {
  if (parameter.kind == "object_pattern") return &parameter;
  const auto found =
      std::ranges::find(parameter.kids, std::string_view("object_pattern"),
                        [](const Node* kid) -> std::string_view { return kid->kind; });
  return found == parameter.kids.end() ? nullptr : *found;
}

// The parts that an object is taken apart into, by name; nothing if one takes the rest.
std::optional<std::map<std::string_view, std::string>> parts_wanted(const Node& pattern) {
  std::map<std::string_view, std::string> parts;
  for (const Node* each : pattern.kids) {
    if (!each->named || each->comment) continue;
    const std::string_view name = first_word(each->text);
    if (each->text.starts_with('.') || !parts.emplace(name, squeeze(each->text)).second) {
      return std::nullopt;
    }
  }
  return parts;
}

// The same parameter, of which the sides only want more, and not one thing in two ways.
bool want_more_of_it(const Sides<const Node*>& parameter) {
  Sides<std::map<std::string_view, std::string>> parts;
  Sides<std::string> type;
  for (std::size_t i = 0; i < 3; ++i) {
    const Node* pattern = taken_apart(*parameter[i]);
    const auto wanted = pattern == nullptr ? std::nullopt : parts_wanted(*pattern);
    if (!wanted) return false;
    parts[i] = *wanted;
    const std::string_view text = parameter[i]->text;
    const auto at = static_cast<std::size_t>(pattern->text.data() - text.data());
    type[i] = squeeze(text.substr(0, at)) + squeeze(text.substr(at + pattern->text.size()));
  }
  const auto has = [&](Side side, const auto& part) {
    const auto found = parts[side].find(part.first);
    return found == parts[side].end() ? std::optional<bool>() : found->second == part.second;
  };
  for (const Side side : {kLeft, kRight}) {
    if (type[side] != type[kBase]) return false;
    const auto kept = [&](const auto& part) { return has(side, part).value_or(false); };
    const auto apart = [&](const auto& part) { return has(other(side), part).value_or(true); };
    if (!std::ranges::all_of(parts[kBase], kept)) return false;
    if (!std::ranges::all_of(parts[side], apart)) return false;
  }
  return true;
}

// The sides have as many parameters, and each is as it was or takes more parts of its object.
bool only_want_more(const Sides<Parameters>& all) {
  const std::size_t count = all[kBase].list.items.size();
  if (all[kLeft].list.items.size() != count || all[kRight].list.items.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool same =
        same_item(all[kBase], i, all[kLeft], i) && same_item(all[kBase], i, all[kRight], i);
    const auto node = [&](Side side) { return all[side].list.items[i].node; };
    if (!same && !want_more_of_it({node(kBase), node(kLeft), node(kRight)})) return false;
  }
  return true;
}

// Whether a call in the version passes the parameter by its position.
bool is_passed_by_position(const Parameters& in, std::size_t parameter, const Calls& calls) {
  const auto found = calls.find(std::string(called_as(*in.function)));
  if (found == calls.end()) return false;
  const bool bound = !in.list.items.empty() && is_receiver(in.list.items.front());
  const std::size_t place = bound ? parameter - 1 : parameter;
  return std::ranges::any_of(found->second, [&](const Node* arguments) {
    if (arguments->field == "parameters") return false;
    const auto by_position = std::ranges::count_if(arguments->kids, [](const Node* each) {
      return each->named && !each->comment && each->role != Role::kKeyed;
    });
    return static_cast<std::size_t>(by_position) > place;
  });
}

}  // namespace

const Node* body_of(const Node& function) {
  for (const Node* kid : function.kids) {
    if (kid->field == "body" || kid->kind == "function_body") return kid;
    if (kid->decl == function.decl && kid->name == function.name) return body_of(*kid);
  }
  return nullptr;
}

const Node* parameters_of(const Node& function) {
  const Node* body = body_of(function);
  for (const Node* kid : function.kids) {
    if (kid == body || kid->comment) continue;
    if (kid->field == "parameters") return kid;
    if (const Node* found = parameters_of(*kid)) return found;
  }
  return nullptr;
}

bool both_changed_signature(const Sides<const Tree*>& trees, const Sides<const Node*>& functions) {
  const Apart apart = only_grown(trees, functions);
  Sides<Tokens> tokens;
  for (std::size_t i = 0; i < 3; ++i) tokens[i] = signature_of(*trees[i], *functions[i], apart);
  return both_changed(tokens);
}

std::string against_both_signatures(const Sides<const Tree*>& trees,
                                    const Sides<const Node*>& functions) {
  const std::string changed = "both sides changed the signature of ";
  const Apart apart = only_grown(trees, functions);
  Sides<Parameters> all;
  Sides<Tokens> rest;
  for (std::size_t i = 0; i < 3; ++i) {
    const Node* list = parameters_of(*functions[i]);
    if (list == nullptr) return changed;
    rest[i] = signature_of(*trees[i], *functions[i], apart, list);
    all[i] = {trees[i], functions[i], items_of(*list), {}};
  }
  if (both_changed(rest)) return changed;
  if (INJECTED_BUG("semantic.any_signature")) return {};
  if (only_want_more(all)) return {};
  for (const Side side : {kLeft, kRight}) {
    if (!find_added(all[kBase], &all[side])) return changed;
    for (const std::size_t i : all[side].added) {
      if (all[side].list.items[i].node->role != Role::kKeyed) return changed;
    }
  }
  for (const std::size_t i : all[kLeft].added) {
    for (const std::size_t j : all[kRight].added) {
      const bool one_name = all[kLeft].list.items[i].key == all[kRight].list.items[j].key;
      if (one_name && !same_item(all[kLeft], i, all[kRight], j)) return changed;
    }
  }
  for (const Side side : {kLeft, kRight}) {
    if (all[side].added.empty() || all[other(side)].added.empty()) continue;
    Calls calls;
    find_calls(trees[side]->root(), &calls);
    const std::size_t first = all[side].added.front();
    if (is_passed_by_position(all[side], first, calls)) {
      return "one side passes a new parameter by its position, and the other side added one, too, "
             "to ";
    }
  }
  return {};
}

}  // namespace gittxn::semantic
