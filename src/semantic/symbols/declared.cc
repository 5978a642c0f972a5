#include "semantic/symbols/declared.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

// One of the things that a declaration may have several of.
bool is_declarator(const Node& node) {
  if (is_any(node.kind, {"variable_declarator", "init_declarator"})) return true;
  return is_any(node.field, {"declarator", "name"});
}

// The type that a function of the file gives, in Go; none: it gives none, or several things.
Words given_by_function(const Outline& outline, std::string_view name) {
  for (const Outlined& symbol : outline.symbols) {
    if (symbol.kind != "function" || symbol.name != name || symbol.nodes.size() != 1) continue;
    const Node* result = kid_in(*symbol.nodes.front(), "result");
    const bool one = result != nullptr && result->kind != "parameter_list" && symbol.parent == 0;
    return one ? words_in_node(*result) : Words();
  }
  return {};
}

Words given_by_call(const Outline& outline, const Node& call) {
  const Node* function = kid_in(call, "function");
  const Node* arguments = kid_in(call, "arguments");
  if (function == nullptr || arguments == nullptr) return {};
  const bool made = is_any(function->text, {"make", "new"});
  if (!made || arguments->kids.size() < 2) return given_by_function(outline, function->text);
  Words words = words_in_node(*arguments->kids[1]);
  if (function->text == "new") words.insert(words.begin(), "*");
  return words;
}

// The type that a value in Go says that it has; none: it does not.
Words said_by_value(const Outline& outline, const Node& value) {
  if (value.kind == "expression_list") {
    return value.kids.size() == 1 ? said_by_value(outline, *value.kids.front()) : Words();
  }
  if (value.kind == "unary_expression" && value.text.starts_with('&')) {
    Words words = said_by_value(outline, *value.kids.back());
    if (!words.empty()) words.insert(words.begin(), "*");
    return words;
  }
  if (value.kind == "composite_literal") {
    const Node* type = kid_in(value, "type");
    return type == nullptr ? Words() : words_in_node(*type);
  }
  if (value.kind == "interpreted_string_literal") return {"string"};
  return value.kind == "call_expression" ? given_by_call(outline, value) : Words();
}

}  // namespace

Words type_of_value_in_go(const Outline& outline, const Node& value) {
  return said_by_value(outline, value);
}

namespace {

class DeclaredWords {
 public:
  DeclaredWords(const Outline& outline, const Outlined& symbol)
      : outline_(outline),
        language_(outline.language->name),
        name_(short_name(language_, symbol.kind, symbol.name)),
        keeps_types_(language_ != "python") {
    if (symbol.nodes.size() != 1 || !is_any(symbol.kind, {"variable", "field"})) return;
    const Node* declaration = symbol.nodes.front();
    while (declaration != nullptr && declaration->decl != symbol.kind) {
      declaration = declaration->parent;
    }
    if (declaration == nullptr) return;
    for (const Node* kid : declaration->kids) add(*kid);
    // A field of a class is more than a name when it has a type.
    if (typed_ && symbol.member && !keeps_types_) words_.push_back(":");
  }

  // The words of the declaration that it stands in, without those of what stands beside it there;
  // none where it is declared in another way.
  const Words& words() const { return words_; }

 private:
  void add(const Node& kid) {
    if (kid.text == "," || kid.comment) return;
    const Words own = words_in_node(kid);
    if (is_declarator(kid) && std::ranges::find(own, name_) == own.end()) return;
    below(kid);
  }

  void below(const Node& node) {
    if (node.comment || node.text == "=") return;
    if (node.field == "type" && !keeps_types_) {
      typed_ = true;
      std::erase(words_, ":");
      return;
    }
    if (node.part == Fact::kBody) {
      const bool untyped = language_ == "go" && kid_in(*node.parent, "type") == nullptr;
      if (untyped) std::ranges::copy(said_by_value(outline_, node), std::back_inserter(words_));
      return;
    }
    if (node.kids.empty()) words_.push_back(node.text);
    for (const Node* kid : node.kids) below(*kid);
  }

  const Outline& outline_;
  std::string_view language_;
  std::string name_;
  bool keeps_types_ = true, typed_ = false;
  Words words_;
};

// The function whose call alone gives a variable in Go its value and its type; nullptr: none does.
const Node* called_for(const Node& spec) {
  const Node* values = kid_in(spec, "value");
  if (spec.kind != "var_spec" || values == nullptr || values->kids.size() != 1) return nullptr;
  const Node& value = *values->kids.front();
  return value.kind == "call_expression" ? kid_in(value, "function") : nullptr;
}

// No value of another type can be given to it: a pointer, a slice or a map of something.
bool is_no_interface(const Node& type) {
  return is_any(type.kind, {"pointer_type", "slice_type", "map_type", "array_type"});
}

// The file has `name = function(...)`.
bool is_given_call(const Outline& outline, std::string_view name, const Node& function) {
  const auto& leaves = outline.tree->leaves();
  return std::ranges::any_of(leaves, [&](const Node* leaf) {
    const Node* left = leaf->parent;
    const bool alone = leaf->text == name && left != nullptr && left->field == "left" &&
                       left->text == name && left->parent->kind == "assignment_statement";
    const Node* right = alone ? kid_in(*left->parent, "right") : nullptr;
    if (right == nullptr || right->kids.size() != 1) return false;
    const Node* called = kid_in(*right->kids.front(), "function");
    return called != nullptr && same_squeezed(called->text, function.text);
  });
}

// A variable in Go that had the type of what a function gives says that type now, for it is given
// what the same function gives.
bool says_type_of_call(const Outlines& pair, const Outlined& was, const Outlined& is) {
  if (pair.after.language->name != "go" || was.nodes.size() != 1 || is.nodes.size() != 1) {
    return false;
  }
  const auto spec_in = [](const Node* node) {
    while (node->kind == "var_declaration" && !node->kids.empty()) node = node->kids.back();
    return node;
  };
  const Node *old = spec_in(was.nodes.front()), *now = spec_in(is.nodes.front());
  const Node* function = called_for(*old);
  const Node* type = kid_in(*now, "type");
  const bool named = kid_in(*old, "name") != nullptr && kid_in(*now, "name") != nullptr &&
                     kid_in(*old, "name")->text == kid_in(*now, "name")->text;
  if (!named || function == nullptr || kid_in(*old, "type") != nullptr) return false;
  if (type == nullptr || !is_no_interface(*type)) return false;
  const Node* called = called_for(*now);
  if (called != nullptr) return same_squeezed(called->text, function->text);
  return kid_in(*now, "value") == nullptr &&
         is_given_call(pair.after, kid_in(*now, "name")->text, *function);
}

// Nobody gives what is constant in a script another value, so that its users are those of a
// variable, too.
Words as_variable(const Words& constant, const Words& variable) {
  Words words = constant;
  const auto at = std::ranges::find(words, "const");
  const auto place = static_cast<std::size_t>(at - words.begin());
  if (at == words.end() || place >= variable.size()) return words;
  if (is_any(variable[place], {"let", "var"})) *at = variable[place];
  return words;
}

}  // namespace

bool declared_alike(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const Words before = DeclaredWords(pair.before, was).words();
  const Words after = DeclaredWords(pair.after, is).words();
  if (before.empty()) return false;
  if (before == after || says_type_of_call(pair, was, is)) return true;
  return pair.after.language->name == "javascript" && as_variable(before, after) == after;
}

}  // namespace gittxn::semantic
