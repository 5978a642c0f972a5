#include "semantic/merge/both/demands.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/read/needs.h"

namespace gittxn::semantic {
namespace {

// --- members by the types of the file that have them ---

using Members = std::map<std::string_view, const Node*>;  // by name; nullptr: several have it
using TypesOf = std::map<std::string, Members>;           // by path: "type Shape"

// The path of what a declaration is in; empty at the top.
std::string path_above(const Declared& declared) {
  const Node& node = *declared.node;
  std::size_t own = node.decl.size() + 1 + node.name.size();
  if (!node.detail.empty()) own += node.detail.size() + 1;
  const std::string_view path = declared.path;
  return own < path.size() ? std::string(path.substr(0, path.size() - own - 1)) : std::string();
}

bool is_type_path(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return last.starts_with("type ");
}

template <typename Wanted>
TypesOf types_with(const Tree& tree, Wanted wanted) {
  TypesOf types;
  for (const Declared& declared : tree.declarations()) {
    if (!wanted(*declared.node)) continue;
    std::string above = path_above(declared);
    if (!is_type_path(above)) continue;
    Members& members = types[std::move(above)];
    const auto [at, fresh] = members.emplace(declared.node->name, declared.node);
    if (!fresh) at->second = nullptr;
  }
  return types;
}

std::string_view name_of_type(std::string_view path) {
  return path.substr(path.rfind('/') + 1).substr(std::string_view("type ").size());
}

// A member that one side added to a type that all versions have.
struct AddedMember {
  Side side;
  std::string_view type, name;
  Sides<const Members*> all;  // of the type, in each version
};

std::vector<AddedMember> added_members(const Sides<TypesOf>& types) {
  std::vector<AddedMember> added;
  for (const auto& [path, was] : types[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      const auto now = types[side].find(path), there = types[other(side)].find(path);
      if (now == types[side].end() || there == types[other(side)].end()) continue;
      for (const auto& [name, node] : now->second) {
        if (was.contains(name) || there->second.contains(name)) continue;
        added.push_back({side, name_of_type(path), name, {}});
        added.back().all[kBase] = &was;
        added.back().all[side] = &was;  // what it adds is asked for alone
        added.back().all[other(side)] = &there->second;
      }
    }
  }
  return added;
}

// --- cases ---

bool is_variant(const Node& node) {
  return is_any(node.kind, {"enum_variant", "enum_constant", "enum_entry"});
}

bool is_case(const Node& node) {
  return is_any(node.kind, {"match_arm", "when_entry", "switch_rule"});
}

bool takes_rest(const Node& cases) {
  if (cases.kind == "match_block") return takes_what_is_left(cases);
  return std::ranges::any_of(cases.kids, [](const Node* kid) {
    return is_case(*kid) && (kid->text.starts_with("else") || kid->text.starts_with("default"));
  });
}

// A switch of Java as a statement may leave out what it wants.
bool has_value(const Node& cases) {
  if (cases.kind != "switch_block") return true;
  const Node* in = cases.parent == nullptr ? nullptr : cases.parent->parent;
  return in != nullptr && !is_block(*in) && in->kind != "expression_statement";
}

// The names of this type that a case is for: behind the type's own name, or alone in Java.
std::set<std::string_view> names_in_case(const Tree& tree, const Node& node,
                                         std::string_view type) {
  std::set<std::string_view> names;
  const auto& leaves = tree.leaves();
  const bool alone = tree.language().name == "java";
  for (std::uint32_t i = node.leaf; i < node.leaf + node.leaves; ++i) {
    if (is_any(leaves[i]->text, {"=>", "->"})) break;
    const bool behind = i >= node.leaf + 2 && is_any(leaves[i - 1]->text, {"::", "."}) &&
                        (leaves[i - 2]->text == type || leaves[i - 2]->text == "Self");
    if (behind || alone) names.insert(leaves[i]->text);
  }
  return names;
}

// The places where something has a case of each of `all`, and none of what was added.
void find_cases(const Tree& tree, const Node& node, const AddedMember& added, const Members& all,
                std::vector<const Node*>* found) {
  std::set<std::string_view> names;
  for (const Node* kid : node.kids) {
    if (is_case(*kid)) names.merge(names_in_case(tree, *kid, added.type));
    find_cases(tree, *kid, added, all, found);
  }
  const bool each =
      std::ranges::all_of(all, [&](const auto& member) { return names.contains(member.first); });
  if (names.empty() || !each || names.contains(added.name)) return;
  if (!takes_rest(node) && has_value(node)) found->push_back(&node);
}

// --- types that are of another one ---

// The other side leaves nothing to choose: neither a body nor "?".
bool is_demanded(const Node& node) {
  if (kid_in(node, "body") != nullptr) return false;
  const bool field = node.kind == "property_signature";
  if (!field && !is_function(node.decl) && node.decl != "prototype") return false;
  const bool python = node.kind == "decorated_definition";
  if (python) return node.text.substr(0, node.text.find("def ")).contains("abstractmethod");
  if (node.kind == "method_signature" && node.parent != nullptr &&
      node.parent->kind == "class_body") {
    return false;  // an overload
  }
  if (node.decl == "constructor" || node.kind == "function_definition") return false;
  return std::ranges::none_of(node.kids, [](const Node* kid) {
    return has_any(kid->kind, {"body", "block", "expression_clause"}) ||
           is_any(kid->text, {"?", "native", "external", "extern", "static", "partial"}) ||
           (kid->kind == "modifiers" && has_any(kid->text, {"native", "external"}));
  });
}

// "Shape" of "implements Shape<T>", ": Shape", "(Shape)"; of several nothing that is a name.
std::string only_name(std::string_view clause) {
  for (const std::string_view word : {"implements", "extends"}) {
    if (clause.starts_with(word)) clause.remove_prefix(word.size());
  }
  std::string name = squeeze(clause);
  const std::size_t from = name.find_first_not_of(":(");
  if (from == std::string::npos) return {};
  name = name.substr(from);
  const std::size_t end = name.find_first_of("<()");
  const bool rest = end != std::string::npos && name.find_last_of(",&") != std::string::npos;
  return rest ? std::string() : name.substr(0, end);
}

// The one type that a type says it is of; empty where it says more, or may itself leave out some.
std::string only_type_of(const Node& node) {
  std::string found;
  if (node.text.contains("@abstractmethod")) return {};
  for (const Node* kid : node.kids) {
    if (kid->kind == "modifiers" && kid->text.contains("abstract")) return {};
    if (is_any(kid->text, {"abstract", "interface"})) return {};
    const bool clause =
        kid->field == "trait" ||
        is_any(kid->kind, {"super_interfaces", "superclass", "class_heritage", "base_list",
                           "delegation_specifiers", "class_interface_clause", "base_clause"}) ||
        kid->field == "superclasses";
    if (!clause) continue;
    if (!found.empty()) return {};
    found = only_name(kid->text);
    if (found.empty()) return {};
  }
  return found.substr(found.rfind(':') + 1);
}

bool has_member(const Tree& tree, const Node& type, std::string_view name) {
  const auto from = tree.leaves().begin() + type.leaf;
  return std::any_of(from, from + type.leaves,
                     [name](const Node* leaf) { return leaf->text == name; });
}

// `const a: Shape = {…}` that takes over nothing from elsewhere ("...").
bool is_value_of(const Node& node, std::string_view type) {
  if (node.kind != "variable_declarator") return false;
  const Node *said = kid_in(node, "type"), *value = kid_in(node, "value");
  return said != nullptr && value != nullptr && value->kind == "object" &&
         squeeze(said->text) == ":" + std::string(type) && !value->text.contains("...");
}

void find_values(const Node& node, std::string_view type, std::vector<const Node*>* found) {
  if (is_value_of(node, type)) found->push_back(&node);
  for (const Node* kid : node.kids) find_values(*kid, type, found);
}

// The nodes that must have all members of the type and lack the one that was added.
std::vector<const Node*> without_member(const Tree& tree, const AddedMember& added) {
  std::vector<const Node*> found;
  for (const Declared& declared : tree.declarations()) {
    if (!is_any(declared.node->decl, {"type", "impl"})) continue;
    if (only_type_of(*declared.node) == added.type) found.push_back(declared.node);
  }
  if (is_any(tree.language().name, {"typescript", "tsx"})) {
    find_values(tree.root(), added.type, &found);
  }
  std::erase_if(found, [&](const Node* each) { return has_member(tree, *each, added.name); });
  return found;
}

// Those of the other side that are none of the base.
Broken broken_by(const Sides<const Tree*>& sides, const AddedMember& added, const std::string& why,
                 const Sides<std::vector<const Node*>>& found) {
  const Side there = other(added.side);
  if (found[there].size() <= found[kBase].size() || !found[added.side].empty()) return {};
  Broken broken{why, {}};
  for (const Node* each : found[there]) {
    broken.places.push_back(span_of_node(there, *sides[there], *each));
  }
  return broken;
}

std::string shown_member(const AddedMember& added) {
  return "one side added '" + std::string(added.name.substr(0, 40)) + "' to " +
         std::string(added.type.substr(0, 80)) + ", ";
}

}  // namespace

Broken left_out_of_cases(const Sides<const Tree*>& sides) {
  if (!is_any(sides[kBase]->language().name, {"rust", "kotlin", "java"})) return {};
  Sides<TypesOf> types;
  for (std::size_t i = 0; i < 3; ++i) types[i] = types_with(*sides[i], is_variant);
  for (const AddedMember& added : added_members(types)) {
    Sides<std::vector<const Node*>> found;
    for (std::size_t i = 0; i < 3; ++i) {
      find_cases(*sides[i], sides[i]->root(), added, *added.all[i], &found[i]);
    }
    Broken broken = broken_by(
        sides, added, shown_member(added) + "and the other side adds cases of all but that", found);
    if (!broken.why.empty()) return broken;
  }
  return {};
}

Broken left_out_of_type(const Sides<const Tree*>& sides) {
  if (!is_any(sides[kBase]->language().name,
              {"java", "typescript", "tsx", "kotlin", "csharp", "php", "rust", "python"})) {
    return {};
  }
  Sides<TypesOf> types;
  for (std::size_t i = 0; i < 3; ++i) types[i] = types_with(*sides[i], is_demanded);
  for (const AddedMember& added : added_members(types)) {
    Sides<std::vector<const Node*>> found;
    for (std::size_t i = 0; i < 3; ++i) found[i] = without_member(*sides[i], added);
    Broken broken = broken_by(
        sides, added, shown_member(added) + "and the other side adds one without it", found);
    if (!broken.why.empty()) return broken;
  }
  return {};
}

}  // namespace gittxn::semantic
