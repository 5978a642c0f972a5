#include "semantic/symbols/signature_words.h"

#include <algorithm>
#include <string>

#include "base/hash.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

// The code of a symbol, as one that stands beside another in a declaration has it (views.cc).
std::string shared_code(const Outlined& symbol, Capability capability) {
  const std::string& code = symbol.code[static_cast<std::size_t>(capability)];
  if (code.empty() || code.front() == '&') return code;
  std::string shared;
  put_code(&shared, '&', {}, sha256(code).str());
  return shared;
}

}  // namespace

const Node* without_wrapping(const Node* node) {
  for (const Node* kid : node->kids) {
    if (!kid->decl.empty() && is_wrapped(*kid)) return without_wrapping(kid);
  }
  return node;
}

void add_words(const Node& node, const Node* without, Words* words) {
  if (node.comment || &node == without) return;
  if (node.kids.empty()) words->push_back(node.text);
  for (const Node* kid : node.kids) add_words(*kid, without, words);
}

Words words_in_node(const Node& node) {
  Words words;
  add_words(node, nullptr, &words);
  return words;
}

Head head_in(const Outline& outline, const Outlined& symbol) {
  Head head;
  for (const std::uint32_t token : symbol.units.front().tokens) {
    const Node& leaf = *outline.tree->leaves()[token];
    const bool parameter = leaf.says == Fact::kParameter;
    // A parameter that is constant itself is so for the function alone.
    if (parameter && !head.words.empty() && head.words.back() == "const") head.words.pop_back();
    (parameter ? head.parameters : head.words).push_back(leaf.text);
  }
  return head;
}

bool keep_places(const Words& a, const Words& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto found = std::ranges::find(b, a[i]);
    if (found != b.end() && static_cast<std::size_t>(found - b.begin()) != i) return false;
  }
  return true;
}

int parameters_at(const Node& declaration) {
  const auto names = std::ranges::count(declaration.kids, std::string_view("name"), &Node::field);
  return std::max(1, static_cast<int>(names));
}

bool is_shared(const Outlined& was, const Outlined& is, Capability capability) {
  return shared_code(was, capability) == shared_code(is, capability);
}

}  // namespace gittxn::semantic
