#include <algorithm>
#include <utility>

#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/read/text_lines.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

using Tokens = std::vector<std::string_view>;
constexpr std::size_t kMaxNesting = 32;  // of braces in one `use`

bool is_quoted(std::string_view token) {
  return token.size() >= 2 && (token.front() == '"' || token.front() == '\'' ||
                               token.front() == '`' || token.front() == '<');
}

std::string_view unquote(std::string_view token) {
  return is_quoted(token) ? token.substr(1, token.size() - 2) : token;
}

std::string_view last_part(std::string_view module, std::string_view separator) {
  const std::size_t at = module.rfind(separator);
  return at == std::string_view::npos ? module : module.substr(at + separator.size());
}

// One statement, read from left to right.
class Statement {
 public:
  Statement(Tokens tokens, std::uint32_t line, std::vector<Import>* out)
      : tokens_(std::move(tokens)), line_(line), out_(*out) {}

  void read(std::string_view language) {
    if (tokens_.empty()) return;
    if (language == "python") return python();
    if (is_any(language, {"javascript", "typescript", "tsx"})) return script();
    if (language == "go") return go();
    if (is_any(language, {"java", "kotlin"})) return java();
    if (is_any(language, {"c", "cpp"})) return include();
    if (language == "rust") return rust();
    if (language == "php") return php();
    if (language == "csharp") return csharp();
    if (is_any(language, {"ruby", "bash"})) return command();
  }

 private:
  bool done() const { return at_ >= tokens_.size(); }
  std::string_view peek() const { return done() ? std::string_view() : tokens_[at_]; }
  std::string_view take() { return done() ? std::string_view() : tokens_[at_++]; }
  bool take_if(std::string_view token) {
    if (done() || tokens_[at_] != token) return false;
    ++at_;
    return true;
  }

  // Skips a token that cannot stand here: a loop over a statement that does not parse would not
  // end otherwise.
  void skip_from(std::size_t at) {
    if (at_ == at) take();
  }

  Import& add(std::string module) {
    Import& import = out_.emplace_back();
    import.module = std::move(module);
    import.line = line_;
    return import;
  }

  static void bind(Import* import, std::string_view local, std::string_view original) {
    if (!is_identifier(local)) return;
    import->binds.push_back({std::string(local), std::string(original)});
  }

  // Up to a word of the statement itself.
  std::string joined(std::initializer_list<std::string_view> until) {
    std::string out;
    while (!done() && !is_any(peek(), until)) out += take();
    return out;
  }

  void python() {
    if (take_if("from")) {
      Import& import = add(joined({"import"}));
      take_if("import");
      take_if("(");
      while (!done() && peek() != ")") {
        const std::string_view original = take();
        const std::string_view local = take_if("as") ? take() : original;
        if (original == "*") import.all = true;
        bind(&import, local, original);
        take_if(",");
      }
      return;
    }
    if (!take_if("import")) return;
    while (!done()) {
      const std::string module = joined({"as", ","});
      if (module.empty()) return;
      Import& import = add(module);
      if (take_if("as")) {
        bind(&import, take(), {});
      } else {  // `import a.b` binds a
        bind(&import, std::string_view(import.module).substr(0, import.module.find('.')), {});
      }
      take_if(",");
    }
  }

  void script() {
    std::string_view module;
    for (const std::string_view token : tokens_) {
      if (is_quoted(token)) module = unquote(token);
    }
    if (module.empty() || !take_if("import")) return;
    Import& import = add(std::string(module));
    take_if("type");
    import.all = is_quoted(peek());
    while (!done() && !is_quoted(peek()) && peek() != "from") {
      if (take_if("*")) {
        take_if("as");
        bind(&import, take(), {});
      } else if (take_if("{")) {
        names_in_braces(&import);
      } else if (!take_if(",")) {
        bind(&import, take(), "default");
      }
    }
  }

  void names_in_braces(Import* import) {
    while (!done() && !take_if("}")) {
      if (take_if(",")) continue;
      if (peek() == "type" && at_ + 1 < tokens_.size() && is_identifier(tokens_[at_ + 1]) &&
          tokens_[at_ + 1] != "as") {
        ++at_;
      }
      const std::string_view original = take();
      bind(import, take_if("as") ? take() : original, original);
    }
  }

  void go() {
    take_if("import");
    const std::string_view alias = is_quoted(peek()) ? std::string_view() : take();
    if (!is_quoted(peek())) return;
    Import& import = add(std::string(unquote(take())));
    if (alias == ".") import.all = true;
    if (alias == "." || alias == "_") return;
    const std::string_view last = last_part(import.module, "/");
    bind(&import, alias.empty() ? last : alias, {});
  }

  void java() {
    if (!take_if("import")) return;
    take_if("static");
    std::string module = joined({";", "as", "*"});
    const bool all = take_if("*");
    while (module.ends_with('.')) module.pop_back();
    if (module.empty()) return;
    Import& import = add(std::move(module));
    import.all = all;
    if (all) return;
    const std::string_view last = last_part(import.module, ".");
    bind(&import, take_if("as") ? take() : last, last);
  }

  void include() {
    if (!peek().starts_with("#")) return;  // a using declaration binds names, and no file
    take();
    if (!is_quoted(peek())) return;
    const std::string_view file = take();
    add(std::string(file.front() == '<' ? file : unquote(file))).all = true;
  }

  void rust() {
    while (take_if("pub") || take_if("(") || take_if("crate") || take_if(")")) {
    }
    if (take_if("mod")) {
      const std::string_view name = take();
      if (peek() == ";") bind(&add("self::" + std::string(name)), name, {});
      return;
    }
    if (take_if("use")) use_tree({}, 0);
  }

  void use_tree(const std::string& before, std::size_t depth) {
    std::string path = before;
    if (depth > kMaxNesting) return;
    while (!done() && !is_any(peek(), {";", ",", "}"})) {
      if (take_if("{")) {
        while (!done() && !take_if("}")) {
          const std::size_t at = at_;
          use_tree(path, depth + 1);
          take_if(",");
          skip_from(at);
        }
        return;
      }
      if (take_if("*")) {
        while (path.ends_with(':')) path.pop_back();
        add(path).all = true;
        return;
      }
      if (take_if("as")) {
        const std::string_view local = take();
        Import& import = add(path);
        return bind(&import, local, last_part(import.module, "::"));
      }
      path += take();
    }
    if (path.ends_with("::self")) path.resize(path.size() - 6);
    if (path.empty()) return;
    Import& import = add(path);
    const std::string_view last = last_part(import.module, "::");
    bind(&import, last, last);
  }

  void php() {
    if (is_any(peek(), {"require", "require_once", "include", "include_once"})) return command();
    if (!take_if("use")) return;
    if (peek() == "function" || peek() == "const") take();
    while (!done() && peek() != ";") {
      const std::size_t at = at_;
      const std::string prefix = joined({";", ",", "as", "{"});
      if (take_if("{")) {
        while (!done() && !take_if("}")) {
          const std::size_t name = at_;
          php_name(prefix + joined({",", "}", "as"}));
          take_if(",");
          skip_from(name);
        }
      } else {
        php_name(prefix);
      }
      take_if(",");
      skip_from(at);
    }
  }

  void php_name(const std::string& module) {
    if (module.empty()) return;
    Import& import = add(module);
    const std::string_view last = last_part(import.module, "\\");
    bind(&import, take_if("as") ? take() : last, last);
  }

  void csharp() {
    take_if("global");
    if (!take_if("using")) return;
    take_if("static");
    std::string module = joined({";", "="});
    std::string alias;
    if (take_if("=")) alias = std::exchange(module, joined({";"}));
    if (module.empty()) return;
    Import& import = add(std::move(module));
    import.all = alias.empty();
    bind(&import, alias, last_part(import.module, "."));
  }

  // `require 'x'`, `. ./x.sh`: the first thing in it that names a file.
  void command() {
    const std::string_view how = take();
    for (; !done(); ++at_) {
      const std::string_view token = peek();
      if (is_any(token, {"(", ")", ";"})) continue;
      const std::string_view file = unquote(token);
      if (file.empty() || file.contains('$')) return;
      const bool relative = how == "require_relative" && !file.starts_with('.');
      add((relative ? "./" : "") + std::string(file)).all = true;
      return;
    }
  }

  Tokens tokens_;
  std::uint32_t line_;
  std::vector<Import>& out_;
  std::size_t at_ = 0;
};

// The names that `{a, b: c} = require(…)` binds, whose brace that closes is leaf `at`.
std::vector<Binding> taken_apart(const std::vector<const Node*>& leaves, std::size_t at) {
  std::vector<Binding> bindings;
  for (std::size_t i = at; i-- > 0 && leaves[i]->text != "{";) {
    if (!is_identifier(leaves[i]->text)) continue;
    Binding& binding = bindings.emplace_back();
    binding.local = binding.original = leaves[i]->text;
    if (i < 2 || leaves[i - 1]->text != ":") continue;
    binding.original = leaves[i - 2]->text;
    i -= 2;
  }
  std::ranges::reverse(bindings);
  return bindings;
}

// Of scripts: what calls and exports name.
void loose_imports(const Outline& outline, const TextLines& lines, std::vector<Import>* out) {
  const std::vector<const Node*>& leaves = outline.tree->leaves();
  for (std::size_t i = 1; i < leaves.size(); ++i) {
    const std::string_view text = leaves[i]->text;
    if (!is_quoted(text) || !leaves[i]->kind.contains("string")) continue;
    const bool call =
        leaves[i - 1]->text == "(" && i > 1 && is_any(leaves[i - 2]->text, {"require", "import"});
    const bool from = leaves[i - 1]->text == "from";
    if (!call && !from) continue;
    const std::string_view module = unquote(text);
    const bool known =
        std::ranges::any_of(*out, [&](const Import& there) { return there.module == module; });
    if (known) continue;
    Import& import = out->emplace_back();
    import.module = module;
    import.line = lines.number_of(text);
    if (call && i > 3 && leaves[i - 3]->text == "=" && is_identifier(leaves[i - 4]->text)) {
      import.binds.push_back({std::string(leaves[i - 4]->text), {}});
    }
    if (call && i > 3 && leaves[i - 3]->text == "=" && leaves[i - 4]->text == "}") {
      import.binds = taken_apart(leaves, i - 4);
    }
  }
}

bool is_module_alone(const Outlined& symbol) {
  return symbol.kind == "namespace" && !symbol.nodes.empty() &&
         symbol.nodes.front()->text.ends_with(';');
}

}  // namespace

std::vector<Import> imports_in(const Outline& outline) {
  std::vector<Import> imports;
  if (outline.tree == nullptr || outline.language == nullptr) return imports;
  const std::string_view language = outline.language->name;
  const std::vector<const Node*>& leaves = outline.tree->leaves();
  const TextLines lines(outline.tree->text());
  for (const Outlined& symbol : outline.symbols) {
    const bool module = language == "rust" && is_module_alone(symbol);
    if (symbol.kind != "import" && !module) continue;
    // The names of an import are symbols in it.
    if (outline.symbols[symbol.parent].kind == "import") continue;
    for (const Node* node : symbol.nodes) {
      Tokens tokens;
      for (std::uint32_t i = 0; i < node->leaves; ++i) {
        tokens.push_back(leaves[node->leaf + i]->text);
      }
      Statement(std::move(tokens), lines.number_of(node->text), &imports).read(language);
    }
  }
  if (is_any(language, {"javascript", "typescript", "tsx"}))
    loose_imports(outline, lines, &imports);
  std::ranges::stable_sort(imports, {}, &Import::line);
  return imports;
}

}  // namespace gittxn::semantic
