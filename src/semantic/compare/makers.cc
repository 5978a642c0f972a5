#include "semantic/compare/makers.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

// A constructor in the class that it makes.
bool makes_in_cpp(const Outline& outline, const Outlined& symbol) {
  if (outline.language == nullptr || outline.language->name != "cpp" || !symbol.member ||
      !is_function(symbol.kind))
    return false;
  return symbol.nodes.size() == 1 && symbol.defines.size() == 1 &&
         symbol.defines.front() == type_of(outline, symbol);
}

// A constructor that takes one of what it makes.
bool takes_its_own(const Outlined& constructor) {
  const std::string_view id = std::string_view(constructor.id).substr(constructor.container.size());
  const std::vector<std::string_view> words = words_of(id);
  return std::ranges::count(words, constructor.defines.front()) > 1;
}

// A method in Go of a name that an interface of the file has, and had as it is.
bool is_asked_in_go(const Outlines& pair, const Outlined& method) {
  if (!is_function(method.kind) || type_of(pair.before, method).empty()) return false;
  const auto asks = [&](const Outlined& one) {
    return one.member && one.name == method.name && one.nodes.size() == 1 &&
           one.nodes.front()->kind == "method_elem";
  };
  return std::ranges::any_of(pair.before.symbols, [&](const Outlined& one) {
    return asks(one) && std::ranges::any_of(pair.after.symbols, [&](const Outlined& now) {
             return asks(now) && now.id == one.id && now.code == one.code;
           });
  });
}

// A method of a trait in Rust that no value of any type has.
bool needs_a_known_type(const Outline& outline, const Outlined& symbol) {
  const Node& node = *symbol.nodes.front();
  const Outlined& around = outline.symbols[symbol.parent];
  const bool in_trait = !around.nodes.empty() && around.nodes.front()->kind == "trait_item";
  if (!in_trait || !is_function(symbol.kind) || has_word(node.text, "Sized")) return false;
  const Node *types = kid_in(node, "type_parameters"), *gives = kid_in(node, "return_type");
  const Node* takes = kid_in(node, "parameters");
  const bool told = types != nullptr && std::ranges::any_of(types->kids, [](const Node* one) {
                      return one->named && !one->comment && !one->text.starts_with('\'');
                    });
  const bool own = gives != nullptr && gives->text == "Self";
  return told || own || (takes != nullptr && !has_word(takes->text, "self"));
}

}  // namespace

bool ends_ways_to_make(const Outlines& pair, const Outlined* was, const Outlined* is) {
  if (pair.after.tree == nullptr || pair.before.tree == nullptr) return false;
  if (was != nullptr && pair.after.language->name == "go") return is_asked_in_go(pair, *was);
  if (is == nullptr) return false;
  if (pair.after.language->name == "rust") return needs_a_known_type(pair.after, *is);
  if (!makes_in_cpp(pair.after, *is)) return false;
  const auto beside = [&](const Outline& outline, const auto& is_such) {
    return std::ranges::any_of(outline.symbols, [&](const Outlined& other) {
      return other.container == is->container && makes_in_cpp(outline, other) && is_such(other);
    });
  };
  const auto any = [](const Outlined&) { return true; };
  if (was == nullptr && !beside(pair.before, any)) return true;
  if (!takes_its_own(*is)) return false;
  const auto says_text = [](const Outlined& one, std::string_view text) {
    return one.nodes.front()->text.contains(text);
  };
  const auto copies = [&](const Outlined& other) {
    return takes_its_own(other) && !says_text(other, "&&");
  };
  if (says_text(*is, "&&")) return was == nullptr && !beside(pair.after, copies);
  return says_text(*is, "delete") && (was == nullptr || !says_text(*was, "delete"));
}

}  // namespace gittxn::semantic
