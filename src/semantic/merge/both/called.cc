#include "semantic/merge/both/called.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/apart.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/merge/calls.h"
#include "semantic/merge/lists.h"
#include "semantic/merge/signature.h"

namespace gittxn::semantic {
namespace {

// Functions at the top of a file by name; nullptr where something else has the name, too.
using Loose = std::map<std::string_view, const Node*>;

Loose loose_functions(const Tree& tree) {
  Loose loose;
  for (const Declared& each : tree.declarations()) {
    if (!is_function(each.node->decl)) continue;
    const bool top = !each.path.contains('/') && each.node->detail.empty();
    const auto [at, fresh] = loose.emplace(each.node->name, top ? each.node : nullptr);
    if (!fresh) at->second = nullptr;
  }
  return loose;
}

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

// The number of arguments that each call has to give; nothing where calls may differ.
std::optional<std::size_t> arguments_wanted(const Node& function) {
  const Node* list = parameters_of(function);
  if (list == nullptr || takes_several(list)) return std::nullopt;
  std::size_t count = 0;
  for (const Node* each : list->kids) {
    if (!each->named || each->comment) continue;
    if (has_any(each->kind, {"attribute", "self"})) return std::nullopt;
    // "a, b int" of Go are two.
    const auto names =
        std::ranges::count_if(each->kids, [](const Node* kid) { return kid->field == "name"; });
    count += static_cast<std::size_t>(std::max<std::ptrdiff_t>(names, 1));
    if (each->text == "void") --count;
  }
  return count;
}

// The lists of arguments of each call by a plain name.
void find_plain_calls(const Node& node,
                      std::map<std::string_view, std::vector<const Node*>>* calls) {
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const Node& kid = *node.kids[i];
    const bool list = kid.named && !kid.kids.empty() && kid.kids.front()->text == "(";
    if (i > 0 && list && has_any(node.kind, {"call", "invocation"})) {
      const Node& callee = *node.kids[i - 1];
      if (callee.named && callee.kids.empty()) (*calls)[callee.text].push_back(&kid);
    }
    find_plain_calls(kid, calls);
  }
}

// The calls with so many arguments, without those in which one may stand for several.
std::vector<const Node*> calls_with(const std::vector<const Node*>& calls, std::size_t count) {
  std::vector<const Node*> found;
  for (const Node* call : calls) {
    std::size_t given = 0;
    bool plain = true;
    for (const Node* each : call->kids) {
      if (!each->named || each->comment) continue;
      ++given;
      plain = plain && !each->text.starts_with('*') && !each->text.contains("...");
    }
    if (plain && given == count) found.push_back(call);
  }
  return found;
}

std::size_t count_arguments(const Node& list) {
  return static_cast<std::size_t>(
      std::ranges::count_if(list.kids, [](const Node* x) { return x->named && !x->comment; }));
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
    if (!all_take(was, arity)) continue;
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

Broken called_as_before(const Sides<const Tree*>& sides) {
  const Sides<Loose> loose = {loose_functions(*sides[kBase]), loose_functions(*sides[kLeft]),
                              loose_functions(*sides[kRight])};
  Sides<std::map<std::string_view, std::vector<const Node*>>> calls;
  const auto with = [&](Side side, std::string_view name, std::size_t count) {
    if (calls[side].empty()) find_plain_calls(sides[side]->root(), &calls[side]);
    return calls_with(calls[side][name], count);
  };
  for (const auto& [name, base] : loose[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      const auto now = loose[side].find(name), there = loose[other(side)].find(name);
      if (base == nullptr || now == loose[side].end() || there == loose[other(side)].end())
        continue;
      if (now->second == nullptr || there->second == nullptr) continue;
      if (now->second->hash == base->hash) continue;
      const auto was = arguments_wanted(*base), is = arguments_wanted(*now->second);
      if (!was || !is || was == is || was != arguments_wanted(*there->second)) continue;
      const auto anew = with(other(side), name, *was);
      if (anew.size() <= with(kBase, name, *was).size() || !with(side, name, *was).empty())
        continue;
      Broken broken{"one side gave " + std::string(name.substr(0, 80)) +
                        "() other parameters, the other calls it anew as it was",
                    {}};
      for (const Node* call : anew) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *call));
      }
      return broken;
    }
  }
  return {};
}

}  // namespace gittxn::semantic
