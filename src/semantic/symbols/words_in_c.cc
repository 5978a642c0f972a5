#include "semantic/symbols/words_in_c.h"

#include <algorithm>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// An include of a file that it says itself, and not by a macro.
bool is_include(const Outlined& symbol) {
  return symbol.kind == "import" && symbol.name.starts_with("#include") &&
         symbol.name.find_first_of("\"<") == std::string_view("#include").size();
}

bool is_parameter(const Outlined& macro, std::string_view word) {
  return std::ranges::all_of(macro.nodes, [&](const Node* node) {
    const Node* list = kid_in(*node, "parameters");
    if (list == nullptr) return false;
    const std::vector<std::string_view> names = words_of(list->text);
    return std::ranges::find(names, word) != names.end();
  });
}

}  // namespace

bool is_mere_word(const Outline& outline, const Outlined& symbol, std::string_view word) {
  const bool in_c = outline.language != nullptr && is_any(outline.language->name, {"c", "cpp"});
  if (!in_c || symbol.opaque) return false;
  if (symbol.kind == "namespace") return true;
  return is_include(symbol) || (symbol.kind == "macro" && is_parameter(symbol, word));
}

bool is_once(const Node& leaf) {
  return leaf.text == "once" && leaf.parent != nullptr && leaf.parent->kind == "preproc_call" &&
         leaf.parent->kids.front()->text == "#pragma";
}

}  // namespace gittxn::semantic
