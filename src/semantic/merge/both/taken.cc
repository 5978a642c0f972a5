#include "semantic/merge/both/taken.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/apart.h"
#include "semantic/merge/both/brought_in.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

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

// The imports of a file.
Modules modules_in(const Tree& tree) {
  Modules modules;
  for (const Declared& declared : tree.declarations()) {
    const Node& node = *declared.node;
    if (node.decl == "import") modules.emplace(std::string(node.name), &node);
  }
  return modules;
}

// The new beginning of each path that ends as an old one did, by the old beginning.
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

// A path without the signs of quotation around it.
std::string_view unquoted(std::string_view path) {
  constexpr std::string_view kQuotes = "\"'";
  if (!path.empty() && kQuotes.contains(path.front())) path.remove_prefix(1);
  if (!path.empty() && kQuotes.contains(path.back())) path.remove_suffix(1);
  return path;
}

// A path as it is told. The name of an import is its tokens without white space, where a keyword
// may stand first: "fromold" is "old", of `import`, which is one of them.
std::string shown(std::string_view path, const Node& import) {
  const std::string_view keyword = import.text.substr(0, import.text.find_first_of(" \t\r\n"));
  if (path.size() > keyword.size() && path.starts_with(keyword)) path.remove_prefix(keyword.size());
  return std::string(unquoted(path).substr(0, 60));
}

// "#types" of "types": the same with signs before it.
bool is_respelled(std::string_view prefix, std::string_view fresh) {
  prefix = unquoted(prefix);
  fresh = unquoted(fresh);
  return fresh.size() > prefix.size() && fresh.ends_with(prefix) &&
         std::ranges::none_of(fresh.substr(0, fresh.size() - prefix.size()), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
         });
}

// The new path of one side, "b/c", where the other put signs before its own: nothing that the base
// imports begins as it does, and the side does not import "b" itself.
bool is_of_old_spelling(const Sides<Modules>& modules, Side side, std::string_view path) {
  path = unquoted(path);
  const std::string_view first = path.substr(0, path.find('/'));
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  };
  if (first.size() == path.size() || first.empty() || !std::ranges::all_of(first, is_plain)) {
    return false;
  }
  const auto rest_behind = [first](const auto& each) {
    const std::string_view known = unquoted(each.first);
    return known.starts_with(first) ? std::optional(known.substr(first.size())) : std::nullopt;
  };
  return std::ranges::none_of(modules[kBase],
                              [&](const auto& each) {
                                const auto rest = rest_behind(each);
                                return rest && (rest->empty() || !is_plain(rest->front()));
                              }) &&
         std::ranges::none_of(modules[side], [&](const auto& each) {
           const auto rest = rest_behind(each);
           return rest && rest->empty();
         });
}

// --- an import that one side took away ---

// The names that imports bring into a file, and whether one brings what it does not say.
struct Brought {
  std::set<std::string> names;
  bool all = false;
};

Brought brought_in(const Tree& tree) {
  Brought brought;
  for (const Declared& declared : tree.declarations()) {
    const Node& node = *declared.node;
    if (node.decl != "import") continue;
    brought.all = brought.all || node.text.contains('*');
    for (std::string& name : brought_names(tree.language(), node)) {
      brought.names.insert(std::move(name));
    }
  }
  return brought;
}

bool is_import_of(const Node& leaf) {
  const Node* at = &leaf;
  while (at != nullptr && at->decl != "import") at = at->parent;
  return at != nullptr;
}

// Each place where code says the name, not as a member of something.
std::vector<const Node*> said_in(const Tree& tree, std::string_view name) {
  std::vector<const Node*> said;
  const auto& leaves = tree.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]->text != name || is_import_of(*leaves[i])) continue;
    const bool member = i > 0 && is_any(leaves[i - 1]->text, {".", "?.", "->"});
    if (!member) said.push_back(leaves[i]);
  }
  return said;
}

// --- a declaration that one side took away ---

// The names that a file declares at its top.
std::set<std::string_view> declared_in(const Tree& tree) {
  std::set<std::string_view> names;
  for (const Declared& each : tree.declarations()) {
    const bool own = is_function(each.node->decl) ||
                     is_any(each.node->decl, {"type", "constant", "variable", "macro"});
    if (own && !each.path.contains('/')) names.insert(each.node->name);
  }
  return names;
}

// --- a name that both sides brought in ---

bool is_of_file(const Node& import) {
  for (const Node* at = import.parent; at != nullptr; at = at->parent) {
    if (is_function(at->decl) || at->decl == "type") return false;
  }
  return true;
}

// The names that the imports of a whole file bring, each with its import.
std::map<std::string, const Node*> imported_in(const Tree& tree) {
  std::map<std::string, const Node*> names;
  for (const Declared& declared : tree.declarations()) {
    const Node& node = *declared.node;
    if (node.decl != "import" || !is_of_file(node)) continue;
    for (std::string& name : brought_names(tree.language(), node)) {
      names.emplace(std::move(name), &node);
    }
  }
  return names;
}

// The declaration of a name at the top of the file; nullptr where there is none.
const Node* declaration_of(const Tree& tree, std::string_view name) {
  for (const Declared& each : tree.declarations()) {
    if (each.path.contains('/') || each.node->name != name) continue;
    if (is_function(each.node->decl) || is_any(each.node->decl, {"type", "constant", "variable"})) {
      return each.node;
    }
  }
  return nullptr;
}

// --- a name that was made another one ---

// The two tokens before and the two behind each use; the name itself is left out of them.
using Neighbours = std::vector<std::array<std::string_view, 4>>;

Neighbours neighbours(const Tree& tree, std::string_view name) {
  const auto& leaves = tree.leaves();
  const auto at = [&](std::size_t i, std::ptrdiff_t step) {
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(i) + step;
    const bool there = place >= 0 && place < static_cast<std::ptrdiff_t>(leaves.size());
    const std::string_view text =
        there ? leaves[static_cast<std::size_t>(place)]->text : std::string_view();
    return text == name ? std::string_view() : text;
  };
  Neighbours found;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]->text == name) found.push_back({at(i, -2), at(i, -1), at(i, 1), at(i, 2)});
  }
  std::ranges::sort(found);
  return found;
}

// The number of uses behind no dot or arrow: a member of something is another name.
std::size_t no_members(const Neighbours& uses) {
  return static_cast<std::size_t>(std::ranges::count_if(
      uses, [](const auto& around) { return !is_any(around[1], {".", "->", "?."}); }));
}

}  // namespace

Broken moved_and_used(const Sides<const Tree*>& sides) {
  Sides<Modules> modules;
  for (std::size_t i = 0; i < 3; ++i) modules[i] = modules_in(*sides[i]);
  for (const Side side : {kLeft, kRight}) {
    const Modules& there = modules[other(side)];
    for (const auto& [prefix, fresh] : moved_paths(modules[kBase], modules[side])) {
      const bool left_some = std::ranges::any_of(
          modules[side], [&](const auto& each) { return is_below(each.first, prefix); });
      if (left_some) continue;
      for (const auto& [path, node] : there) {
        if (modules[kBase].contains(path)) continue;
        const bool like =
            is_respelled(prefix, fresh) && is_of_old_spelling(modules, other(side), path);
        if (!is_below(path, prefix) && !like) continue;
        const std::string moved = "one side imports from '" + shown(fresh, *node) +
                                  "' what was at '" + shown(prefix, *node) +
                                  "', and the other imports ";
        return {moved + (like ? "from '" + shown(path, *node) + "'" : "more from there"),
                {span_of_node(other(side), *sides[other(side)], *node)}};
      }
    }
  }
  return {};
}

Broken dropped_and_used(const Sides<const Tree*>& sides) {
  Sides<Brought> brought;
  for (std::size_t i = 0; i < 3; ++i) brought[i] = brought_in(*sides[i]);
  for (const std::string& name : brought[kBase].names) {
    for (const Side side : {kLeft, kRight}) {
      const bool dropped = !brought[side].names.contains(name) && !brought[side].all;
      if (!dropped || !brought[other(side)].names.contains(name)) continue;
      if (!said_in(*sides[side], name).empty()) continue;
      const auto uses = said_in(*sides[other(side)], name);
      if (uses.size() <= said_in(*sides[kBase], name).size()) continue;
      Broken broken{
          "one side removed the import of '" + name.substr(0, 40) + "', the other uses it anew",
          {}};
      for (const Node* each : uses) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *each));
      }
      return broken;
    }
  }
  return {};
}

Broken undeclared_and_used(const Sides<const Tree*>& sides) {
  const std::string_view language = sides[kBase]->language().name;
  if (!is_any(language, {"python", "javascript", "typescript", "tsx", "rust"})) return {};
  const Sides<std::set<std::string_view>> names = {
      declared_in(*sides[kBase]), declared_in(*sides[kLeft]), declared_in(*sides[kRight])};
  for (const Side side : {kLeft, kRight}) {
    const Brought brought = brought_in(*sides[side]);
    if (brought.all) continue;
    for (const std::string_view name : names[kBase]) {
      const bool dropped =
          !names[side].contains(name) && !brought.names.contains(std::string(name));
      if (!dropped || !names[other(side)].contains(name)) continue;
      if (!said_in(*sides[side], name).empty()) continue;
      const auto uses = said_in(*sides[other(side)], name);
      if (uses.size() <= said_in(*sides[kBase], name).size()) continue;
      Broken broken{
          "one side removed '" + std::string(name.substr(0, 40)) + "', the other uses it anew", {}};
      for (const Node* each : uses) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *each));
      }
      return broken;
    }
  }
  return {};
}

Broken renamed_and_used(const Sides<const Tree*>& sides, const Tree& merged) {
  const Uses uses = uses_apart(sides);
  for (const auto& [name, n] : uses) {
    for (const Side side : {kLeft, kRight}) {
      if (n[kBase] < 2 || n[side] != 0 || n[other(side)] <= n[kBase]) continue;
      const Neighbours was = neighbours(*sides[kBase], name);
      const auto uses_of_it = neighbours(*sides[other(side)], name);
      if (no_members(was) == was.size() && no_members(uses_of_it) <= was.size()) continue;
      for (const auto& [fresh, m] : uses) {
        if (m[kBase] != 0 || m[side] != n[kBase]) continue;
        if (neighbours(*sides[side], fresh) != was) continue;
        if (is_something_else(sides, other(side), name, merged)) continue;
        Broken broken{"one side renamed '" + std::string(name.substr(0, 40)) + "' to '" +
                          std::string(fresh.substr(0, 40)) + "', the other uses it anew",
                      {}};
        const Tree& tree = *sides[other(side)];
        for (const Node* leaf : tree.leaves()) {
          if (leaf->text == name) broken.places.push_back(span_of_node(other(side), tree, *leaf));
        }
        return broken;
      }
    }
  }
  return {};
}

Broken brought_by_both(const Sides<const Tree*>& sides) {
  Sides<std::map<std::string, const Node*>> imported;
  for (std::size_t i = 0; i < 3; ++i) imported[i] = imported_in(*sides[i]);
  for (const Side side : {kLeft, kRight}) {
    const Tree& there = *sides[other(side)];
    for (const auto& [name, import] : imported[side]) {
      if (imported[kBase].contains(name) || declaration_of(*sides[kBase], name)) continue;
      if (declaration_of(*sides[side], name)) continue;  // an alternative of its own
      const auto also = imported[other(side)].find(name);
      const bool imports = also != imported[other(side)].end();
      const Node* otherwise = imports ? also->second : declaration_of(there, name);
      if (otherwise == nullptr || (imports && otherwise->name == import->name)) continue;
      return {imports ? "both sides import '" + name.substr(0, 40) + "' from different modules"
                      : "one side imports '" + name.substr(0, 40) + "', the other declares it",
              {span_of_node(side, *sides[side], *import),
               span_of_node(other(side), there, *otherwise)}};
    }
  }
  return {};
}

}  // namespace gittxn::semantic
