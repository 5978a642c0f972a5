#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/outline.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMaxViewName = 200;

bool is_value_kind(std::string_view kind) {
  return is_any(kind, {"variable", "field", "constant", "key"});
}

bool is_script(const Language& language) {
  return is_any(language.name, {"javascript", "typescript", "tsx"});
}

// A function without a name, whose variables are its own.
bool is_closure(const Node& node) {
  if (has_any(node.kind, {"arrow_function", "function_expression", "lambda", "closure",
                          "func_literal", "generator_function", "anonymous_function"})) {
    // One that is called where it stands is there to have variables of a file.
    const Node* around = node.parent;
    while (around != nullptr && around->kind == "parenthesized_expression") around = around->parent;
    return around == nullptr || around->kind != "call_expression" || node.field == "arguments" ||
           node.parent->kind == "arguments";
  }
  return false;
}

// The last function that is given to a call which is there to run it: what it declares is the
// file's.
bool wraps_file(const Node& closure) {
  const Node* in = closure.parent;
  while (in != nullptr && in->kind == "parenthesized_expression") in = in->parent;
  if (in == nullptr || in->kind != "arguments") return false;
  const Node* function = kid_in(*in->parent, "function");
  if (function == nullptr) return false;
  return is_any(function->kind, {"parenthesized_expression", "function_expression"}) ||
         is_any(function->text, {"define", "require", "requirejs", "$", "jQuery",
                                 "$(document).ready", "jQuery(document).ready"});
}

class Viewer {
 public:
  explicit Viewer(Outline* outline) : out_(*outline), tree_(*outline->tree) {
    for (std::size_t i = 0; i < out_.symbols.size(); ++i) {
      ids_.insert(out_.symbols[i].id);
      if (i == 0) continue;
      for (const Node* node : out_.symbols[i].nodes) entered_.emplace(node, i);
    }
  }

  void run() { below(tree_.root(), 0); }

 private:
  enum class Of : std::uint8_t { kSame, kType };
  // Digests of the code of the declaration that all its names share. Most have one name, and then
  // nobody asks.
  using Shared = std::optional<std::array<Digest, kCapabilities>>;

  void below(const Node& node, std::size_t parent) {
    for (const Node* kid : node.kids) {
      if (!kid->comment) look(*kid, parent);
    }
  }

  void look(const Node& node, std::size_t parent) {
    if (const auto found = entered_.find(&node); found != entered_.end()) {
      const std::size_t index = found->second;
      if (out_.symbols[index].opaque || out_.symbols[index].kind == "import") return;
      others(node, index);
      // `exports = { load }` gives its keys to other files.
      gives_ = node.kind == "expression_statement" && is_script(tree_.language());
      inside(node, index);
      gives_ = false;
      return;
    }
    if (is_closure(node) && (parent != 0 || !wraps_file(node))) {
      const Node* body = kid_in(node, "body");
      if (parent != 0 && body != nullptr && is_script(tree_.language())) methods(*body, parent);
      return;
    }
    std::string_view name = name_of(node, out_.symbols[parent].kind);
    if (parent == 0 && node.kind == "assignment_expression") name = assigned(node);
    if (name.empty()) return below(node, parent);
    const std::size_t view = add(node, kind_of(node), name, parent);
    if (view == 0) return;
    // Nothing else says that it does.
    if (gives_ || node.kind == "function_call_expression") {
      out_.symbols[view].defines.emplace_back(name);
    }
    others(node, view);
    inside(node, view);
    const Node* next = node.kind == "assignment_expression" ? kid_in(node, "right") : nullptr;
    if (next != nullptr && next->kind == node.kind) look(*next, parent);
  }

  // Looks below a symbol. What a function has in it is its own.
  void inside(const Node& node, std::size_t index) {
    if (!is_function(out_.symbols[index].kind)) return below(node, index);
    if (is_any(tree_.language().name, {"c", "cpp"})) return macros(node);
    if (!is_script(tree_.language()) || node.kind == "method_definition") return;
    if (node.kind == "expression_statement") return own_name(node, index);
    if (const Node* body = kid_in(node, "body"); body != nullptr) methods(*body, index);
  }

  // A name that is defined in a function is defined for all that is behind it.
  void macros(const Node& node) {
    for (const Node* kid : node.kids) {
      if (kid->decl == "macro") {
        add(*kid, "macro", kid->name, 0);
      } else {
        macros(*kid);
      }
    }
  }

  // `load` of `module.exports = function load() {}`.
  void own_name(const Node& statement, std::size_t index) {
    const Node* function =
        statement.kids.empty() ? nullptr : kid_in(*statement.kids.front(), "right");
    const Node* name = function == nullptr ? nullptr : kid_in(*function, "name");
    if (name != nullptr) add(*function, "function", name->text, index);
  }

  // `this.total = function () {}` in a function that makes objects.
  void methods(const Node& body, std::size_t index) {
    for (const Node* statement : body.kids) {
      if (statement->kind != "expression_statement" || statement->kids.empty()) continue;
      const Node& assignment = *statement->kids.front();
      const Node* left = kid_in(assignment, "left");
      const Node* right = kid_in(assignment, "right");
      if (left == nullptr || right == nullptr || !left->text.starts_with("this.")) continue;
      if (!is_any(right->kind, {"function_expression", "arrow_function"})) continue;
      const Node* property = kid_in(*left, "property");
      if (property != nullptr) add(*statement, "function", property->text, index);
    }
  }

  static std::string_view unquoted(std::string_view name) {
    while (!name.empty() && is_any(name.substr(0, 1), {"\"", "'", ":", "`"})) name.remove_prefix(1);
    while (!name.empty() && is_any(name.substr(name.size() - 1), {"\"", "'", "`"})) {
      name.remove_suffix(1);
    }
    return name;
  }

  // The name of what declares something where no symbol is.
  std::string_view name_of(const Node& node, std::string_view parent) const {
    std::string_view name;
    const bool in_value = is_value_kind(parent);
    if (node.decl == "key") {
      if (in_value && is_script(tree_.language())) name = unquoted(node.name);
    } else if (!node.decl.empty() && !is_wrapped(node) &&
               !is_any(node.decl,
                       {"import", "imports", "package", "guard", "impl", "block", "alias"})) {
      name = unquoted(node.name);
    } else if (!in_value && is_any(node.kind, {"variable_declarator", "assignment"})) {
      const Node* left = kid_in(node, node.kind == "assignment" ? "left" : "name");
      if (left != nullptr && left->kind == "identifier") name = left->text;
    } else if (node.kind == "function_call_expression") {
      name = defined_by(node);
    }
    return name.size() <= kMaxViewName && is_identifier(first_word(name)) ? name : "";
  }

  // `app.load = function () {}` and `app.limits = {}` in a function around the whole file, and what
  // becomes a method.
  static std::string_view assigned(const Node& assignment) {
    const Node* left = kid_in(assignment, "left");
    const Node* right = kid_in(assignment, "right");
    if (left == nullptr || right == nullptr) return {};
    const bool named = is_any(left->kind, {"member_expression", "identifier"});
    const bool value = is_any(right->kind, {"function_expression", "arrow_function", "object",
                                            "class", "generator_function"}) ||
                       left->text.contains(".prototype.");
    return named && value && left->text.size() <= kMaxViewName ? left->text : std::string_view();
  }

  // `define('LIMIT', 1)` of PHP.
  static std::string_view defined_by(const Node& call) {
    const Node* arguments = kid_in(call, "arguments");
    if (arguments == nullptr || arguments->kids.size() < 2) return {};
    const std::string_view first = arguments->kids[1]->text;
    const bool text = first.starts_with('\'') || first.starts_with('"');
    return call.kids.front()->text == "define" && text ? unquoted(first) : std::string_view();
  }

  std::string_view kind_of(const Node& node) const {
    if (node.kind == "function_call_expression") return "constant";
    if (node.decl == "key" && !is_data(tree_.language())) return "field";
    return node.decl.empty() ? std::string_view("variable") : node.decl;
  }

  // Its index; 0 when there is one of that id.
  std::size_t add(const Node& node, std::string_view kind, std::string_view name,
                  std::size_t parent) {
    const std::string id = out_.symbols[parent].id + descriptor(kind, name, node.detail);
    if (!ids_.insert(id).second) return 0;
    Outlined& made = out_.symbols.emplace_back();
    made.id = id;
    made.container = out_.symbols[parent].id;
    made.kind = kind;
    made.name = name;
    made.parent = parent;
    made.nodes = {&node};
    made.units.emplace_back();
    const auto begin = static_cast<std::size_t>(node.text.data() - tree_.text().data());
    made.extents = {{begin, begin + node.text.size()}};
    // Its tokens are hashed with what they belong to; once more for each symbol around it would be
    // too much.
    std::string& body = made.code[static_cast<std::size_t>(Capability::kBody)];
    put_code(&body, 'v', node.kind, std::to_string(node.hash));
    return out_.symbols.size() - 1;
  }

  // --- names besides the first ---

  void others(const Node& node, std::size_t index) {
    const std::string_view decl = out_.symbols[index].kind;
    const bool value = is_value_kind(decl) || decl == "prototype";
    const bool alias = node.kind == "type_definition";
    if (!value && !alias && !is_any(decl, {"type", "constructor", "function"})) return;
    if (node.decl == "key") return;  // parts of its text are no names
    std::vector<const Node*> names;
    names_in_declaration(node, &names);
    if (names.empty()) return;
    Shared shared;
    for (const Node* name : names) {
      const bool same = (name->is_name || name->parent->kind == "const_spec") && (value || alias);
      const bool given = name->says == Fact::kMember || is_property(*name);
      // `attr_reader` of Ruby is a part of the name.
      if (name->kind == "identifier" && name->parent->kind == "call") continue;
      if (!same && !given) continue;
      const Of of = value || alias ? Of::kSame : Of::kType;
      if (name->kind.ends_with("_pattern")) {
        bound_in(*name, index, of, shared);
      } else if (name->kids.empty()) {
        other(*name, index, of, shared);
      }
    }
  }

  void names_in_declaration(const Node& node, std::vector<const Node*>* names) const {
    for (const Node* kid : node.kids) {
      if (entered_.contains(kid) || kid->comment) continue;
      const bool spec = kid->kind == "const_spec" && kid->field != "name";
      if (kid->is_name || kid->says == Fact::kMember || is_property(*kid) ||
          (kid->parent->kind == "const_spec" && kid->field == "name")) {
        names->push_back(kid);
      } else if (spec || (kid->part != Fact::kBody && kid->role != Role::kMembers)) {
        names_in_declaration(*kid, names);
      }
    }
  }

  // `const { a, b: c } = d`
  void bound_in(const Node& pattern, std::size_t index, Of of, Shared& shared) {
    for (const Node* kid : pattern.kids) {
      const bool name =
          kid->kind == "identifier" || kid->kind == "shorthand_property_identifier_pattern";
      if (name) {
        other(*kid, index, of, shared);
      } else if (kid->field != "right" && kid->field != "key") {
        bound_in(*kid, index, of, shared);
      }
    }
  }

  // A parameter of a constructor of TypeScript that is a field.
  bool is_property(const Node& name) const {
    if (name.field != "pattern" || !is_script(tree_.language())) return false;
    return std::ranges::any_of(name.parent->kids, [](const Node* kid) {
      return kid->kind == "accessibility_modifier" || kid->text == "readonly";
    });
  }

  static std::array<Digest, kCapabilities> digests_of(const Outlined& symbol) {
    std::array<Digest, kCapabilities> digests;
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      if (!symbol.code[i].empty()) digests[i] = sha256(symbol.code[i]);
    }
    return digests;
  }

  void other(const Node& name, std::size_t index, Of of, Shared& shared) {
    const std::string_view word = first_word(name.text);
    const Outlined& named = out_.symbols[index];
    const std::string own = short_name(tree_.language().name, named.kind, named.name);
    if (word.empty() || word == own || "#" + std::string(word) == own) return;
    const bool same = of == Of::kSame;
    const bool member = !same && is_function(out_.symbols[index].kind);
    const std::string kind = same ? out_.symbols[index].kind : "field";
    const std::size_t parent = same || member ? out_.symbols[index].parent : index;
    const std::size_t added = add(name, kind, word, parent);
    if (added == 0) return;
    Outlined& made = out_.symbols[added];
    Outlined& first = out_.symbols[index];
    made.defines = {std::string(word)};
    made.member = !same || first.member;
    made.ordered = first.ordered;
    made.runs = same && first.runs;
    made.code = {};
    if (!shared) shared = digests_of(first);
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      const bool body = static_cast<Capability>(i) == Capability::kBody;
      const Digest& digest = (*shared)[i];
      if (!digest.empty() && (same || !body)) put_code(&made.code[i], '&', {}, digest.str());
    }
    put_code(&made.code[0], '"', {}, word);
    if (!same) std::erase(first.defines, word);
  }

  Outline& out_;
  const Tree& tree_;
  std::unordered_map<const Node*, std::size_t> entered_;
  std::unordered_set<std::string> ids_;
  bool gives_ = false;
};

}  // namespace

void add_views(Outline* outline) {
  if (is_data(*outline->language)) return;
  Viewer(outline).run();
}

}  // namespace gittxn::semantic
