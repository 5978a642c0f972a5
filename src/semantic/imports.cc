#include "semantic/imports.h"

#include <algorithm>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

using Strings = std::vector<std::string>;

// Of "a.b.C" and of "C as D" the last word; nothing when there is none.
void add_last_word(std::string_view text, Strings* names) {
  const std::vector<std::string_view> words = words_of(text);
  if (!words.empty()) names->emplace_back(words.back());
}

Strings brought_to_script(const Node& node) {
  Strings names;
  for (const Node* clause : node.kids) {
    if (clause->kind != "import_clause") continue;
    for (const Node* kid : clause->kids) {
      if (!kid->named) continue;
      if (kid->kind != "named_imports") {
        add_last_word(kid->text, &names);
        continue;
      }
      for (const Node* one : kid->kids) {
        if (one->named && !one->comment) add_last_word(one->text, &names);
      }
    }
  }
  return names;
}

Strings brought_to_python(const Node& node) {
  Strings names;
  for (const Node* kid : node.kids) {
    if (kid->kind == "wildcard_import") return {};
    if (kid->field != "name") continue;
    if (kid->kind == "dotted_name" && node.kind == "import_statement") {
      names.emplace_back(words_of(kid->text).front());
    } else {
      add_last_word(kid->text, &names);
    }
  }
  return names;
}

Strings brought_to_go(const Node& node) {
  if (node.kind == "import_declaration") {
    for (const Node* kid : node.kids) {
      if (kid->kind == "import_spec") return brought_to_go(*kid);
    }
  }
  for (const Node* kid : node.kids) {
    if (kid->field == "name") {
      return is_identifier(kid->text) && kid->text != "_" ? Strings{std::string(kid->text)}
                                                          : Strings{};
    }
  }
  std::string_view path = node.text;
  while (!path.empty() && (path.back() == '"' || path.back() == '`')) path.remove_suffix(1);
  const std::string_view last = path.substr(path.find_last_of("/\"`") + 1);
  const bool version = last.size() > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9';
  return is_identifier(last) && !version ? Strings{std::string(last)} : Strings{};
}

void brought_to_rust(const Node& node, Strings* names) {
  if (node.kind == "use_list" || node.kind == "scoped_use_list" || node.kind == "use_declaration") {
    for (const Node* kid : node.kids) {
      if (kid->named && kid->field != "path" && kid->kind != "visibility_modifier") {
        brought_to_rust(*kid, names);
      }
    }
  } else {
    add_last_word(node.text, names);
  }
}

}  // namespace

std::vector<std::string> brought_names(const Language& in, const Node& node) {
  const std::string_view language = in.name;
  if (language == "go") return brought_to_go(node);
  if (language == "python") return brought_to_python(node);
  if (is_any(language, {"javascript", "typescript", "tsx"})) return brought_to_script(node);
  Strings names;
  if (node.text.find('*') != std::string_view::npos) return names;
  if (language == "java") add_last_word(node.text, &names);
  if (language == "rust") brought_to_rust(node, &names);
  return names;
}

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
