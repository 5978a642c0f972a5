#include "semantic/symbols/imports.h"

#include <algorithm>
#include <iterator>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// Used by a sign, not by a name.
bool is_operator(const Node& node, std::size_t words) {
  if (is_any(node.kind,
             {"operator_declaration", "conversion_operator_declaration", "indexer_declaration"})) {
    return true;
  }
  if (words == 0) return true;
  if (node.kids.empty() || node.kids.front()->kind != "modifiers") return false;
  const std::vector<std::string_view> modifiers = words_of(node.kids.front()->text);
  return std::ranges::find(modifiers, "operator") != modifiers.end();
}

// Of `fun A.f()` and of `f(this A a)`.
std::string_view extended(const Node& node) {
  for (std::size_t i = 0; i + 1 < node.kids.size(); ++i) {
    const Node& kid = *node.kids[i];
    if (node.kids[i + 1]->text == "." && kid.kind.ends_with("_type")) return first_word(kid.text);
    if (kid.kind != "parameter_list" || kid.kids.size() < 2) continue;
    const Node& parameter = *kid.kids[1];
    if (parameter.kids.empty() || parameter.kids.front()->text != "this") continue;
    if (const Node* type = kid_in(parameter, "type"); type != nullptr)
      return first_word(type->text);
  }
  return {};
}

using Strings = std::vector<std::string>;

// Of "a.b.C" and of "C as D" the last word; nothing when there is none.
void add_last_word(std::string_view text, Strings* names) {
  const std::vector<std::string_view> words = words_of(text);
  if (!words.empty()) names->emplace_back(words.back());
}

// What the clause of a script's import binds; of names in braces each, or none where these are
// symbols of their own.
enum class Braces { kNone, kEach };
void add_clause(const Node& import, Braces braces, Strings* names) {
  for (const Node* clause : import.kids) {
    if (clause->kind != "import_clause") continue;
    for (const Node* kid : clause->kids) {
      if (!kid->named) continue;
      if (kid->kind != "named_imports") {
        add_last_word(kid->text, names);
        continue;
      }
      if (braces == Braces::kNone) continue;
      for (const Node* one : kid->kids) {
        if (one->named && !one->comment) add_last_word(one->text, names);
      }
    }
  }
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
  if (const Node* name = kid_in(node, "name"); name != nullptr) {
    const bool said = is_identifier(name->text) && name->text != "_";
    return said ? Strings{std::string(name->text)} : Strings{};
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

// The `a` of `*(*a)(int b)`.
const Node* declared_in(const Node* declarator) {
  while (declarator != nullptr && !is_identifier(declarator->text)) {
    const Node* inner = kid_in(*declarator, "declarator");
    for (const Node* kid : declarator->kids) {
      if (inner == nullptr && kid->named && declarator->kind.starts_with("parenthesized"))
        inner = kid;
    }
    declarator = inner;
  }
  return declarator;
}

// Adds all that a declaration declares, as `int a, *b[2];`, `a, b int` and a group of constants:
// which of them its name is, is another matter.
void add_declared(const Language& in, const Node& node, Strings* names) {
  const bool c = is_any(in.name, {"c", "cpp"});
  if (!c && in.name != "go") return;
  for (const Node* kid : node.kids) {
    if (!c && kid->kind == "const_spec") add_declared(in, *kid, names);
    if (kid->field != (c ? "declarator" : "name")) continue;
    const Node* declared = c ? declared_in(kid) : kid;
    if (declared == nullptr || !is_identifier(declared->text)) continue;
    const bool known = std::ranges::find(*names, declared->text) != names->end();
    if (!known) names->emplace_back(declared->text);
  }
}

// The last name of a type or of a path in Rust, before what it is told in `<...>`.
std::string_view last_name_in(std::string_view path) {
  const std::vector<std::string_view> words = words_of(path.substr(0, path.find('<')));
  return words.empty() ? std::string_view() : words.back();
}

// The type that an implementation in Rust is for. One for all types that a parameter stands for is
// part of its trait.
std::string_view type_of_impl(const Outlined& impl) {
  const Node* node = impl.nodes.empty() ? nullptr : impl.nodes.front();
  if (node == nullptr || node->kind != "impl_item") return first_word(impl.name);
  const std::string_view type = last_name_in(impl.name);
  const Node* any = kid_in(*node, "type_parameters");
  const Node* trait = kid_in(*node, "trait");
  const bool blanket =
      trait != nullptr && any != nullptr && std::ranges::any_of(any->kids, [&](const Node* kid) {
        return kid->named && first_word(kid->text) == type;
      });
  return blanket ? last_name_in(trait->text) : type;
}

}  // namespace

void given_by(const Language& in, const Node& node, std::vector<std::string>* defines) {
  if (is_any(node.decl, {"guard", "impl", "imports"})) return;
  if (node.decl == "import") return bound_by(in, node, defines);
  // A call that declares is named by how it begins.
  if (in.name == "ruby" && is_any(node.decl, {"block", "field"})) return;
  std::vector<std::string_view> words = words_of(node.name);
  for (std::string_view& word : words) {
    if (in.name == "php") word.remove_prefix(std::min(word.find_first_not_of('$'), word.size()));
  }
  const bool one =
      is_any(node.decl, {"function", "prototype", "constructor", "type", "macro", "destructor"});
  if (one && is_operator(node, words.size())) defines->emplace_back("operator");
  const bool script = is_any(in.name, {"javascript", "typescript", "tsx"});
  const bool path = script && node.kind == "expression_statement" && node.name.contains(".");
  if ((one || path) && !words.empty()) words = {words.back()};
  // The keys of the object say what a file gives.
  if (path && is_any(words.back(), {"exports", "prototype"})) words.clear();
  Strings declared;
  if (is_any(node.decl, {"field", "constant", "variable"})) add_declared(in, node, &declared);
  // The other words in the name of something in C are its type.
  if (declared.empty() || in.name == "go") {
    for (const std::string_view word : words) {
      if (!word.empty()) defines->emplace_back(word);
    }
  }
  std::ranges::move(declared, std::back_inserter(*defines));
}

std::string type_of(const Outline& outline, const Outlined& symbol) {
  const std::string_view language = outline.language == nullptr ? "" : outline.language->name;
  const Outlined* parent = &outline.symbols[symbol.parent];
  if (language == "rust" && symbol.kind == "impl") return std::string(type_of_impl(symbol));
  if (language == "rust" && symbol.member && parent->kind == "impl") {
    return std::string(type_of_impl(*parent));
  }
  if (symbol.member || (language == "ruby" && parent->kind == "namespace")) {
    // What is said of the type itself, not of one of it.
    while (is_any(parent->name, {"self", "companion"}) && parent->parent != 0) {
      parent = &outline.symbols[parent->parent];
    }
    return std::string(first_word(parent->name));
  }
  if (symbol.kind != "function") return {};
  if (is_any(language, {"kotlin", "csharp"}) && !symbol.nodes.empty()) {
    return std::string(extended(*symbol.nodes.front()));
  }
  const std::size_t from = symbol.id.rfind('(');
  if (from == std::string::npos || language != "go") return {};
  return std::string(first_word(std::string_view(symbol.id).substr(from)));
}

bool imports_in_block(const Outline& outline) {
  return std::ranges::any_of(outline.tree->leaves(), [](const Node* leaf) {
    if (leaf->text != "use" || leaf->parent == nullptr) return false;
    const Node* around = leaf->parent->parent;
    return leaf->parent->kind == "use_declaration" && around != nullptr && around->kind == "block";
  });
}

std::vector<std::string> brought_names(const Language& in, const Node& node) {
  const std::string_view language = in.name;
  if (language == "go") return brought_to_go(node);
  if (language == "python") return brought_to_python(node);
  Strings names;
  if (is_any(language, {"javascript", "typescript", "tsx"}))
    add_clause(node, Braces::kEach, &names);
  if (node.text.contains('*')) return names;
  if (language == "java") add_last_word(node.text, &names);
  if (language == "rust") brought_to_rust(node, &names);
  return names;
}

void bound_by(const Language& in, const Node& node, std::vector<std::string>* defines) {
  const std::string_view language = in.name;
  if (is_any(language, {"ruby", "bash"})) return;
  const bool csharp = language == "csharp";
  if (csharp || (language == "php" && node.kind != "namespace_use_clause")) {
    for (const Node* kid : node.kids) {
      const bool name = csharp ? kid->field == "name" : kid->kind == "namespace_use_clause";
      if (name) add_last_word(kid->text, defines);
    }
    return;
  }
  Strings words;
  if (language == "go" || (language == "python" && node.kind == "import_statement")) {
    for (const std::string_view word : words_of(node.text)) words.emplace_back(word);
  } else if (node.kind == "import_statement") {
    add_clause(node, Braces::kNone, &words);
  } else if (node.kind != "preproc_include" && node.kind != "import_from_statement") {
    add_last_word(node.text, &words);
  }
  std::ranges::copy_if(words, std::back_inserter(*defines),
                       [](const std::string& word) { return word != "import" && word != "as"; });
}

bool imports_all(const Language& in, const Node& node) {
  const std::string_view language = in.name;
  if (is_any(language, {"c", "cpp", "rust", "ruby", "bash"})) return true;
  if (language == "php") return node.kind == "use_declaration";
  if (language == "csharp") {
    return kid_in(node, "name") == nullptr;
  }
  const auto has = [&node](std::string_view kind) {
    return std::ranges::any_of(node.kids, [kind](const Node* kid) { return kid->kind == kind; });
  };
  if (is_any(language, {"javascript", "typescript", "tsx"})) {
    return node.kind == "import_statement" && !has("import_clause");
  }
  return has("dot") || node.text.contains('*');
}

bool brings_names(const Tree& tree, const Unit& unit) {
  const std::string_view language = tree.language().name;
  if (!is_any(language, {"ruby", "php", "bash"})) return false;
  return std::ranges::any_of(unit.tokens, [&](std::uint32_t token) {
    const Node& leaf = *tree.leaves()[token];
    if (language == "ruby") {
      return leaf.field == "method" &&
             is_any(leaf.text, {"require", "require_relative", "load", "include", "extend",
                                "prepend", "eval", "instance_eval", "class_eval"});
    }
    if (language == "php") {
      return !leaf.named &&
             is_any(leaf.text, {"include", "include_once", "require", "require_once"});
    }
    return leaf.says == Fact::kCall && is_any(leaf.text, {"source", ".", "eval"});
  });
}

}  // namespace gittxn::semantic
