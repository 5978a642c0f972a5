// Keys that stand in a program as strings.
#include <algorithm>
#include <string>
#include <string_view>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// What the string is put behind in brackets, or asked for by name; nullptr: nothing.
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

}  // namespace

std::string key_name(std::string_view key) {
  return "[" + std::string(key) + "]";
}

void more_reads(const Tree& tree, const Node& leaf, const NameRead& read,
                std::vector<NameRead>* more) {
  const std::string_view language = tree.language().name;
  if (read.role == UseRole::kText &&
      is_any(language, {"python", "javascript", "typescript", "tsx"})) {
    add_key(tree, leaf, more);
  }
}

}  // namespace gittxn::semantic
