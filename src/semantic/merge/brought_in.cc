#include "semantic/merge/brought_in.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

// --- one name, two values ---

using Functions = std::map<std::string, const Node*>;

// By path; without those of which there are several.
Functions functions_in(const Tree& tree) {
  Functions functions;
  for (const Declared& declared : declarations(tree)) {
    if (!is_function(declared.node->decl)) continue;
    const auto [at, fresh] = functions.emplace(declared.path, declared.node);
    if (!fresh) at->second = nullptr;
  }
  return functions;
}

// Where a value is given to a plain name: "name = …", "let name = …", "T name = …".
bool is_bound(const Node& leaf) {
  if (!leaf.named || leaf.parent == nullptr) return false;
  const Node& in = *leaf.parent;
  if (leaf.field == "left") return has_any(in.kind, {"assign", "short_var"});
  if (in.kind == "expression_list" && in.field == "left") return in.parent->kind.contains("var");
  if (leaf.field == "name") return in.kind == "variable_declarator";
  if (leaf.field == "pattern") return in.kind == "let_declaration";
  return leaf.field == "declarator" && in.kind == "init_declarator";
}

using Bound = std::map<std::string_view, std::vector<const Node*>>;

// The names that a function gives a value, with what gives it.
Bound bound_in(const Tree& tree, const Node& function) {
  Bound bound;
  for (std::uint32_t i = function.leaf; i < function.leaf + function.leaves; ++i) {
    const Node& leaf = *tree.leaves()[i];
    if (is_bound(leaf)) bound[leaf.text].push_back(leaf.parent);
  }
  return bound;
}

bool has_word(const Tree& tree, const Node& function, std::string_view name) {
  const auto from = tree.leaves().begin() + function.leaf;
  return std::any_of(from, from + function.leaves,
                     [name](const Node* leaf) { return leaf->text == name; });
}

Span span_of_node(std::size_t version, const Tree& tree, const Node& node) {
  const auto from = static_cast<std::size_t>(node.text.data() - tree.text().data());
  return {version, from, from + node.text.size()};
}

Broken both_bind(const Sides<const Tree*>& sides) {
  const Sides<Functions> functions = {functions_in(*sides[kBase]), functions_in(*sides[kLeft]),
                                      functions_in(*sides[kRight])};
  for (const auto& [path, was] : functions[kBase]) {
    const auto left = functions[kLeft].find(path), right = functions[kRight].find(path);
    if (was == nullptr || left == functions[kLeft].end() || right == functions[kRight].end()) {
      continue;
    }
    if (left->second == nullptr || right->second == nullptr) continue;
    if (left->second->hash == was->hash || right->second->hash == was->hash) continue;
    const Bound there = bound_in(*sides[kRight], *right->second);
    for (const auto& [name, here] : bound_in(*sides[kLeft], *left->second)) {
      const auto also = there.find(name);
      if (also == there.end() || has_word(*sides[kBase], *was, name)) continue;
      const bool same = here.size() == also->second.size() &&
                        std::ranges::equal(here, also->second, [&](const Node* x, const Node* y) {
                          return same_code(*sides[kLeft], *x, *sides[kRight], *y);
                        });
      if (same) continue;
      return {"both sides gave a new name '" + std::string(name.substr(0, 40)) +
                  "' a value of their own in " + std::string(was->name.substr(0, 80)) + "()",
              {span_of_node(kLeft, *sides[kLeft], *here.front()),
               span_of_node(kRight, *sides[kRight], *also->second.front())}};
    }
  }
  return {};
}

// --- a path that was moved ---

// "a/b.c" as "a", "b", "c", with the sign before each.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/' || c == '.' || c == ':') parts.emplace_back();
    parts.back() += c;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += parts[i];
  return text;
}

using Modules = std::map<std::string, const Node*>;

void find_modules(const Node& node, Modules* modules) {
  if (node.decl == "import") modules->emplace(std::string(node.name), &node);
  for (const Node* kid : node.kids) {
    if (node.parent == nullptr || node.decl.starts_with("import") || kid->decl == "import") {
      find_modules(*kid, modules);
    }
  }
}

// What each beginning of a path became, wherever a path ends as it did.
std::map<std::string, std::string> moved_paths(const Modules& before, const Modules& after) {
  std::map<std::string, std::string> moved;
  for (const auto& [was, node] : before) {
    if (after.contains(was)) continue;
    const auto old = parts_of(was);
    for (const auto& [is, other_node] : after) {
      if (before.contains(is)) continue;
      const auto fresh = parts_of(is);
      std::size_t same = 0;
      while (same < old.size() && same < fresh.size() &&
             old[old.size() - 1 - same] == fresh[fresh.size() - 1 - same]) {
        ++same;
      }
      if (same == 0 || same == old.size() || same == fresh.size()) continue;
      moved[joined(old, old.size() - same)] = joined(fresh, fresh.size() - same);
    }
  }
  return moved;
}

bool is_below(const std::string& path, const std::string& prefix) {
  return path.size() > prefix.size() && path.starts_with(prefix) &&
         (path[prefix.size()] == '/' || path[prefix.size()] == '.' || path[prefix.size()] == ':');
}

Broken moved_and_used(const Sides<const Tree*>& sides) {
  Sides<Modules> modules;
  for (std::size_t i = 0; i < 3; ++i) find_modules(sides[i]->root(), &modules[i]);
  for (const Side side : {kLeft, kRight}) {
    const Modules& there = modules[other(side)];
    for (const auto& [prefix, fresh] : moved_paths(modules[kBase], modules[side])) {
      const bool left_some = std::ranges::any_of(
          modules[side], [&](const auto& each) { return is_below(each.first, prefix); });
      if (left_some) continue;
      for (const auto& [path, node] : there) {
        if (!is_below(path, prefix) || modules[kBase].contains(path)) continue;
        return {"one side imports from '" + fresh.substr(0, 60) + "' what was at '" +
                    prefix.substr(0, 60) + "', and the other imports more from there",
                {span_of_node(other(side), *sides[other(side)], *node)}};
      }
    }
  }
  return {};
}

}  // namespace

Broken brought_in_twice(const Sides<const Tree*>& sides) {
  Broken broken = both_bind(sides);
  return broken.why.empty() ? moved_and_used(sides) : broken;
}

}  // namespace gittxn::semantic
