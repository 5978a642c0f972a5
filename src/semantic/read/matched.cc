#include "semantic/read/matched.h"

#include <algorithm>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

const Node* matched_in(const Node& node, std::string_view kind) {
  return node.parent != nullptr && node.parent->kind == kind ? node.parent : nullptr;
}

bool is_one_of_all_in_java(const Node& leaf) {
  const Node* label = matched_in(leaf, "switch_label");
  const Node* block =
      label == nullptr || label->parent == nullptr ? nullptr : label->parent->parent;
  const Node* whole = block == nullptr ? nullptr : block->parent;
  if (whole == nullptr || whole->kind != "switch_expression" || whole->parent == nullptr) {
    return false;
  }
  const bool statement = is_any(whole->parent->kind, {"block", "switch_block_statement_group"});
  return !statement && std::ranges::none_of(block->kids, [](const Node* rule) {
    return !rule->kids.empty() && rule->kids.front()->text.contains("default");
  });
}

// `is Outcome.Good`, `Suit.HEARTS` or the name alone, behind `when (suit)`. Statements have to do
// something for all since Kotlin 1.7.
bool is_one_of_all_in_kotlin(const Node& leaf) {
  const Node* at = &leaf;
  while (at->parent != nullptr && at->parent->kids.back() == at &&
         is_any(at->parent->kind, {"user_type", "type_test", "navigation_expression"})) {
    at = at->parent;
  }
  const Node* entry = at->field == "condition" ? matched_in(*at, "when_entry") : nullptr;
  const Node* whole = entry == nullptr ? nullptr : matched_in(*entry, "when_expression");
  if (whole == nullptr) return false;
  const auto subject =
      std::ranges::find(whole->kids, std::string_view("when_subject"), &Node::kind);
  return subject != whole->kids.end() && std::ranges::none_of(whole->kids, [](const Node* kid) {
           return kid->kind == "when_entry" && kid->kids.front()->text == "else";
         });
}

// `Suit::Hearts` in a `match`
bool is_one_of_all_in_php(const Node& leaf) {
  const Node* constant = matched_in(leaf, "class_constant_access_expression");
  if (constant == nullptr || constant->kids.back() != &leaf) return false;
  const Node* list = matched_in(*constant, "match_condition_list");
  const Node* rule = list == nullptr ? nullptr : list->parent;
  const Node* block = rule == nullptr ? nullptr : matched_in(*rule, "match_block");
  return block != nullptr && std::ranges::none_of(block->kids, [](const Node* kid) {
           return kid->kind == "match_default_expression";
         });
}

}  // namespace

bool is_one_of_all(const Node& leaf, std::string_view language) {
  if (language == "java") return is_one_of_all_in_java(leaf);
  if (language == "kotlin") return is_one_of_all_in_kotlin(leaf);
  return language == "php" && is_one_of_all_in_php(leaf);
}

}  // namespace gittxn::semantic
