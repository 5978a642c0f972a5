#include "semantic/merge/calls.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace gittxn::semantic {
namespace {

std::string called_name(const Node& callee) {
  constexpr std::size_t kMaxName = 200;
  if (!callee.named || callee.text.size() > kMaxName) return {};
  const bool spaced = std::ranges::any_of(callee.text, is_space);
  const std::string bare = spaced ? squeeze(callee.text) : std::string();
  const std::string_view text = spaced ? bare : callee.text;
  const std::size_t end = text.ends_with('>') ? std::min(text.find('<'), text.size()) : text.size();
  std::size_t from = end;
  while (from > 0 &&
         (std::isalnum(static_cast<unsigned char>(text[from - 1])) != 0 || text[from - 1] == '_')) {
    --from;
  }
  return std::string(from == end ? std::string_view() : text.substr(from));
}

}  // namespace

void find_calls(const Node& node, Calls* calls) {
  const bool list = node.named && !node.kids.empty() && node.kids.front()->text == "(";
  // "T name(a, b);" in C++ declares a variable.
  const bool call = list && node.parent != nullptr && node.parent->kind != "init_declarator";
  if (call && node.parent->kids.front() != &node) {
    const auto at = std::ranges::find(node.parent->kids, &node);
    const std::string name = called_name(**(at - 1));
    if (!name.empty()) (*calls)[name].push_back(&node);
  }
  for (const Node* kid : node.kids) find_calls(*kid, calls);
}

}  // namespace gittxn::semantic
