#include "semantic/merge/both/shapes.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/numbers.h"

namespace gittxn::semantic {
namespace {

// "{x,y}" of fields, whatever their order, "(2)" of a tuple of two, "" of neither.
std::string shape_of_names(std::vector<std::string_view> names) {
  std::ranges::sort(names);
  std::string shape = "{";
  for (const std::string_view name : names) shape += std::string(name) + ",";
  return shape + "}";
}

std::string shape_of_count(std::size_t count) {
  return "(" + std::to_string(count) + ")";
}

// The fields that a struct or a variant declares. A tuple lists types, some with "pub" before them.
std::string declared_shape(const Node& node) {
  for (const Node* list : node.kids) {
    if (list->kind == "field_declaration_list") {
      std::vector<std::string_view> names;
      for (const Node* each : list->kids) {
        if (each->decl == "field") names.push_back(each->name);
      }
      return shape_of_names(std::move(names));
    }
    if (list->kind == "ordered_field_declaration_list") {
      return shape_of_count(static_cast<std::size_t>(std::ranges::count_if(
          list->kids, [](const Node* each) { return each->field == "type"; })));
    }
  }
  return {};
}

// Shapes by name, of a variant by "Event::Key". Those that the file declares twice are left out.
using Shapes = std::map<std::string, std::string>;

Shapes shapes_in(const Tree& tree) {
  Shapes shapes;
  std::vector<std::string> twice;
  for (const Declared& declared : tree.declarations()) {
    const Node& node = *declared.node;
    std::string name(node.name);
    if (node.kind == "enum_variant") {
      const Node* of = node.parent == nullptr ? nullptr : node.parent->parent;
      if (of == nullptr || of->name.empty()) continue;
      name = std::string(of->name) + "::" + name;
    } else if (node.kind != "struct_item") {
      continue;
    }
    if (!shapes.emplace(name, declared_shape(node)).second) twice.push_back(name);
  }
  for (const std::string& name : twice) shapes.erase(name);
  return shapes;
}

// One that is made or taken apart, with what it says of it.
struct Shaped {
  std::string path;  // "a::Event::Key"
  std::string shape;
  const Node* node = nullptr;
};

// "x" of "x: 1", of "x", and of "ref x".
std::string_view name_of_field(const Node& field) {
  for (const Node* kid : field.kids) {
    if (is_any(kid->field, {"field", "name"})) return kid->text;
  }
  return field.text;
}

// "a::Event" of "a::Event::<T>" too.
std::string path_of(const Node& type) {
  const std::string path = squeeze(type.text);
  return path.substr(0, path.find('<'));
}

// Nothing of what leaves out the rest ("..").
void add_with_fields(const Node& node, const Node& type, const Node& list,
                     std::vector<Shaped>* found) {
  std::vector<std::string_view> names;
  for (const Node* each : list.kids) {
    if (each->text.starts_with("..")) return;
    if (each->named && !each->comment && each != &type) names.push_back(name_of_field(*each));
  }
  found->push_back({path_of(type), shape_of_names(std::move(names)), &node});
}

void add_with_values(const Node& node, const Node& type, const Node& list,
                     std::vector<Shaped>* found) {
  std::size_t count = 0;
  for (const Node* each : list.kids) {
    if (each->text == "..") return;
    if (each->named && !each->comment && each != &type) ++count;
  }
  found->push_back({path_of(type), shape_of_count(count), &node});
}

void find_shaped(const Node& node, std::vector<Shaped>* found) {
  if (node.kind == "struct_expression") {
    const Node *type = kid_in(node, "name"), *list = kid_in(node, "body");
    if (type != nullptr && list != nullptr) add_with_fields(node, *type, *list, found);
  } else if (node.kind == "call_expression") {
    const Node *type = kid_in(node, "function"), *list = kid_in(node, "arguments");
    if (type != nullptr && list != nullptr) add_with_values(node, *type, *list, found);
  } else if (is_any(node.kind, {"struct_pattern", "tuple_struct_pattern"})) {
    const Node* type = kid_in(node, "type");
    if (type != nullptr && node.kind == "struct_pattern") {
      add_with_fields(node, *type, node, found);
    } else if (type != nullptr) {
      add_with_values(node, *type, node, found);
    }
  }
  for (const Node* kid : node.kids) find_shaped(*kid, found);
}

// A path that ends as the name does; a variant may be one of "Self".
bool is_path_of(std::string_view path, std::string_view name) {
  if (path == name || path.ends_with("::" + std::string(name))) return true;
  const std::size_t variant = name.rfind("::");
  return variant != std::string_view::npos && path == "Self" + std::string(name.substr(variant));
}

std::vector<const Node*> shaped_so(const std::vector<Shaped>& all, std::string_view name,
                                   std::string_view shape) {
  std::vector<const Node*> found;
  for (const Shaped& each : all) {
    if (each.shape == shape && is_path_of(each.path, name)) found.push_back(each.node);
  }
  return found;
}

}  // namespace

Broken shaped_as_before(const Sides<const Tree*>& sides) {
  if (sides[kBase]->language().name != "rust") return {};
  Sides<Shapes> shapes;
  for (std::size_t i = 0; i < 3; ++i) shapes[i] = shapes_in(*sides[i]);
  Sides<std::vector<Shaped>> all;
  for (const auto& [name, was] : shapes[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      const auto now = shapes[side].find(name), there = shapes[other(side)].find(name);
      if (now == shapes[side].end() || there == shapes[other(side)].end()) continue;
      if (was.empty() || now->second == was || there->second != was) continue;
      for (std::size_t i = 0; i < 3; ++i) {
        if (all[i].empty()) find_shaped(sides[i]->root(), &all[i]);
      }
      const auto anew = shaped_so(all[other(side)], name, was);
      if (anew.size() <= shaped_so(all[kBase], name, was).size()) continue;
      if (!shaped_so(all[side], name, was).empty()) continue;
      Broken broken{"one side gave " + name.substr(0, 80) +
                        " other fields, and the other side adds a use with the old ones",
                    {}};
      for (const Node* each : anew) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *each));
      }
      return broken;
    }
  }
  return {};
}

}  // namespace gittxn::semantic
