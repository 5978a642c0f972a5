#include "semantic/merge/both/called.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/apart.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/merge/both/own_calls.h"
#include "semantic/merge/calls.h"
#include "semantic/merge/lists.h"
#include "semantic/merge/signature.h"

namespace gittxn::semantic {
namespace {

// It may be left out, or stands for several.
bool is_optional(const Node& parameter) {
  return parameter.role == Role::kKeyed || parameter.text.contains("...") ||
         parameter.text.contains('=') || parameter.text.contains('?') ||
         parameter.text.starts_with('*') || parameter.text.starts_with('/') ||
         has_any(parameter.kind, {"variadic", "splat", "rest"});
}

// The list declares parameters, and not every call gives as many.
bool takes_several(const Node* list) {
  return list->field == "parameters" && std::ranges::any_of(list->kids, [](const Node* each) {
           return each->named && !each->comment && is_optional(*each);
         });
}

// The object that a method is called for, which no call passes.
bool is_own_parameter(const Node& parameter) {
  return has_any(parameter.kind, {"self_parameter"}) ||
         is_any(parameter.text, {"self", "cls", "this"});
}

// The number of arguments that each call has to give; nothing where calls may differ.
std::optional<std::size_t> arguments_wanted(const Node& function) {
  const Node* list = parameters_of(function);
  if (list == nullptr || takes_several(list)) return std::nullopt;
  std::size_t count = 0;
  bool first = true;
  for (const Node* each : list->kids) {
    if (!each->named || each->comment) continue;
    if (std::exchange(first, false) && is_own_parameter(*each)) continue;
    if (has_any(each->kind, {"attribute"})) return std::nullopt;
    // "a, b int" of Go are two.
    const auto names =
        std::ranges::count_if(each->kids, [](const Node* kid) { return kid->field == "name"; });
    count += static_cast<std::size_t>(std::max<std::ptrdiff_t>(names, 1));
    if (each->text == "void") --count;
  }
  return count;
}

// The calls with so many arguments, without those in which one may stand for several.
std::vector<const Node*> calls_with(const std::vector<OwnCall>& calls, std::size_t count) {
  std::vector<const Node*> found;
  for (const OwnCall& call : calls) {
    std::size_t given = 0;
    bool plain = true;
    for (const Node* each : call.arguments->kids) {
      if (!each->named || each->comment) continue;
      ++given;
      plain = plain && !each->text.starts_with('*') && !each->text.contains("...");
    }
    if (plain && given == count) found.push_back(call.arguments);
  }
  return found;
}

std::size_t count_arguments(const Node& list) {
  return static_cast<std::size_t>(
      std::ranges::count_if(list.kids, [](const Node* x) { return x->named && !x->comment; }));
}

// The parameters of a function that nothing calls: called_as_before() says what they are.
bool is_declared(const Node* list) {
  return list->field == "parameters";
}

bool all_take(const std::vector<const Node*>& lists, std::size_t arity) {
  return std::ranges::all_of(lists,
                             [arity](const Node* list) { return count_arguments(*list) == arity; });
}

Broken called_otherwise_in(const Sides<const Tree*>& sides, std::span<const Nodes> nodes) {
  Sides<Calls> calls;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Node* node : nodes[i]) find_calls(*node, &calls[i]);
  }
  for (const auto& [name, was] : calls[kBase]) {
    const std::size_t arity = count_arguments(*was.front());
    if (!all_take(was, arity) || std::ranges::all_of(was, is_declared)) continue;
    for (const Side side : {kLeft, kRight}) {
      const auto now = calls[side].find(name), there = calls[other(side)].find(name);
      if (now == calls[side].end() || there == calls[other(side)].end()) continue;
      const std::size_t fresh = count_arguments(*now->second.front());
      if (fresh == arity || !all_take(now->second, fresh)) continue;
      if (std::ranges::any_of(now->second, takes_several)) continue;
      Broken broken{"one side gives '" + name.substr(0, 40) +
                        "' other arguments, the other uses it anew as it was",
                    {}};
      std::size_t like = 0;
      for (const Node* list : there->second) {
        if (count_arguments(*list) != arity) continue;
        const Tree& tree = *sides[other(side)];
        if (was.size() == 1 && likeness(*sides[kBase], *was.front(), tree, *list) < 0.5) continue;
        ++like;
        broken.places.push_back(span_of_node(other(side), tree, *list));
      }
      if (like > was.size()) return broken;
    }
  }
  return {};
}

}  // namespace

Broken called_otherwise(const Sides<const Tree*>& sides) {
  const std::vector<Nodes> apart = not_in_all(sides);
  // No call of such a name is the same in all versions, but one of another name may be.
  if (called_otherwise_in(sides, apart).why.empty()) return {};
  return called_otherwise_in(sides, whole(sides));
}

Broken called_as_before(const Sides<const Tree*>& sides,
                        const std::vector<ChangedFunction>& changed) {
  Sides<std::optional<OwnCalls>> calls;
  const auto with = [&](Side side, const std::string& key, std::size_t count) {
    if (!calls[side]) calls[side] = own_calls(*sides[side]);
    return calls_with((*calls[side])[key], count);
  };
  for (const auto& [key, side, base, now, there] : changed) {
    const auto was = arguments_wanted(*base), is = arguments_wanted(*now);
    if (!was || !is || was == is || was != arguments_wanted(*there)) continue;
    const auto anew = with(other(side), key, *was);
    if (anew.size() <= with(kBase, key, *was).size() || !with(side, key, *was).empty()) continue;
    Broken broken{"one side gave " + shown_function(key) +
                      " other parameters, and the other side adds a call with the old ones",
                  {}};
    for (const Node* call : anew) {
      broken.places.push_back(span_of_node(other(side), *sides[other(side)], *call));
    }
    return broken;
  }
  return {};
}

}  // namespace gittxn::semantic
