#include "semantic/imports.h"

#include <algorithm>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
void bound_by(const Language& in, const Node& node, std::vector<std::string>* defines) {
  std::vector<std::string_view> words;
  const std::string_view language = in.name;
  if (node.kind == "import_statement" && language != "python") {
    for (const Node* clause : node.kids) {
      if (clause->kind != "import_clause") continue;
      for (const Node* kid : clause->kids) {
        if (kid->role == Role::kSet || !kid->named) continue;
        const std::vector<std::string_view> said = words_of(kid->text);
        if (!said.empty()) words.push_back(said.back());
      }
    }
  } else if (language == "go" || node.kind == "import_statement") {
    words = words_of(node.text);
  } else if (node.kind != "preproc_include" && node.kind != "import_from_statement") {
    words = words_of(node.text);
    if (!words.empty()) words = {words.back()};
  }
  for (const std::string_view word : words) {
    if (word != "import" && word != "as") defines->emplace_back(word);
  }
}

bool imports_all(const Language& in, const Node& node) {
  const std::string_view language = in.name;
  if (is_any(language, {"c", "cpp", "rust"})) return true;
  const auto has = [&node](std::string_view kind) {
    return std::any_of(node.kids.begin(), node.kids.end(),
                       [kind](const Node* kid) { return kid->kind == kind; });
  };
  if (is_any(language, {"javascript", "typescript", "tsx"})) {
    return node.kind == "import_statement" && !has("import_clause");
  }
  return has("dot") || node.text.find('*') != std::string_view::npos;
}

}  // namespace gittxn::semantic
