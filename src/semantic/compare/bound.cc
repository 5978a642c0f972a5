#include "semantic/compare/bound.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "semantic/compare/events.h"
#include "semantic/compare/hidden.h"
#include "semantic/compare/makers.h"
#include "semantic/compare/matched_beside.h"
#include "semantic/compare/module_default.h"
#include "semantic/kinds.h"
#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

std::string_view language_in(const Outline& outline) {
  return outline.language == nullptr ? std::string_view()
                                     : std::string_view(outline.language->name);
}

bool in_script(const Outline& outline) {
  return family_of(language_in(outline)) == Family::kScript;
}

// The string is what something in Python is told to be called: `T = TypeVar("T")`.
bool is_given_name(const Outline& outline, const Node& leaf) {
  const auto& leaves = outline.tree->leaves();
  return leaf.leaf > 1 && leaves[leaf.leaf - 1]->text == "(" &&
         is_any(leaves[leaf.leaf - 2]->text, {"TypeVar", "ParamSpec", "TypeVarTuple", "NewType",
                                              "namedtuple", "NamedTuple", "TypedDict"});
}

bool is_taken_in(const Outline& outline, const Outlined& symbol, const Unit& unit,
                 std::string_view name) {
  bool taken = false;
  for (const std::uint32_t token : unit.tokens) {
    const Node& leaf = *outline.tree->leaves()[token];
    const Node* around = leaf.parent;
    if (leaf.text == "import" && around != nullptr && around->kind.starts_with("import")) {
      taken = taken || has_word(around->text, name);  // a statement, of other names
    } else {
      taken = taken || is_any(leaf.text, {"require", "import", "import_module", "__import__"});
    }
  }
  names_in(outline, symbol, unit, [&](const NameIn& in) {
    const bool text = in.read.role == UseRole::kText && !is_given_name(outline, in.leaf);
    const bool elsewhere = in.read.role == UseRole::kMember || text;
    taken = taken || (elsewhere && in.read.name == name);
  });
  return taken;
}

// A value that is made of something of that name which is another file's, most likely: `log =
// lib.log`, `{log} = lib`, `log = require('./log')`.
bool is_taken(const Outline& outline, const Outlined& symbol, std::string_view name) {
  if (!is_identifier(symbol.name)) return true;
  return std::ranges::any_of(
      symbol.units, [&](const Unit& unit) { return is_taken_in(outline, symbol, unit, name); });
}

bool is_at_top(const Outlined& symbol) {
  return symbol.parent == 0 && !is_any(symbol.kind, {"file", "import", "imports", "package"});
}

// The symbol is declared here and cannot be another file's.
bool is_its_own(const Outlined& symbol) {
  return is_function(symbol.kind) || symbol.kind == "type";
}

void add_own(const Outline& outline, const std::set<std::string>& borrowed,
             std::vector<Bound>* bound) {
  for (const Outlined& symbol : outline.symbols) {
    if (!is_at_top(symbol)) continue;
    // A prototype is somebody else's.
    if (family_of(language_in(outline)) == Family::kC && symbol.kind != "function") continue;
    for (const std::string& name : symbol.defines) {
      if (!is_its_own(symbol) && borrowed.contains(name)) continue;
      bound->push_back({outline.path, name, {}, {}});
    }
  }
}

// Adds the types in the only one at the top of a file in Java: its code sees them before others.
void add_nested(const Outline& outline, std::vector<Bound>* bound) {
  std::size_t tops = 0;
  for (const Outlined& symbol : outline.symbols) tops += is_at_top(symbol) ? 1 : 0;
  for (const Outlined& symbol : outline.symbols) {
    if (tops != 1 || symbol.kind != "type" || symbol.parent == 0) continue;
    if (!is_at_top(outline.symbols[symbol.parent])) continue;
    bound->push_back({outline.path, symbol.name, {}, {}});
  }
}

// All that is brought in with `use super::*` is the file's own: a module in it says so.
bool is_star_of_own(const Outline& outline) {
  return std::ranges::all_of(outline.symbols, [&](const Outlined& symbol) {
    const bool star = symbol.kind == "import" && !symbol.nodes.empty() &&
                      symbol.nodes.front()->text.contains("super") &&
                      symbol.nodes.front()->text.contains('*');
    return !star || (symbol.parent != 0 && outline.symbols[symbol.parent].parent == 0 &&
                     outline.symbols[symbol.parent].kind == "namespace");
  });
}

// Adds variables that statements at the top of a file in Python declare where a condition holds;
// none where an import may bring in any.
void add_conditional(const Outline& outline, std::vector<Bound>* bound) {
  if (std::ranges::any_of(*bound, [](const Bound& one) { return one.name == kAnyName; })) return;
  const Outlined& file = outline.symbols.front();
  for (const Outlined& view : outline.symbols) {
    const bool conditional = view.parent == 0 && view.nodes.size() == 1 && view.defines.empty() &&
                             view.nodes.front()->kind == "assignment";
    if (!conditional) continue;
    const std::uint32_t at = view.nodes.front()->leaf;
    const auto around = std::ranges::find_if(file.units, [at](const Unit& unit) {
      return unit.loose && !unit.tokens.empty() && unit.tokens.front() <= at &&
             at <= unit.tokens.back();
    });
    if (around == file.units.end() || is_taken_in(outline, file, *around, view.name)) continue;
    bound->push_back({outline.path, view.name, {}, {}});
  }
}

// One clause `{ a as b, c } from 'm'` whose brace is leaf `at`.
struct Exported {
  std::string_view name, original;
};
struct ExportClause {
  std::vector<Exported> names;
  std::string_view module;  // empty: of this file
};

std::string_view leaf(const Outline& outline, std::size_t at) {
  const auto& leaves = outline.tree->leaves();
  return at < leaves.size() ? leaves[at]->text : std::string_view();
}

std::string_view module_behind(const Outline& outline, std::size_t at) {
  const std::string_view quoted = leaf(outline, at + 1);
  if (leaf(outline, at) != "from" || quoted.size() < 2) return {};
  return quoted.substr(1, quoted.size() - 2);
}

std::vector<ExportClause> export_clauses(const Outline& outline) {
  std::vector<ExportClause> clauses;
  const std::size_t count = outline.tree->leaves().size();
  for (std::size_t i = 0; i < count; ++i) {
    if (leaf(outline, i) != "export") continue;
    ++i;
    if (leaf(outline, i) == "type") ++i;
    ExportClause& clause = clauses.emplace_back();
    if (leaf(outline, i) == "*") {
      const bool named = leaf(outline, i + 1) == "as";
      clause.names.push_back({named ? leaf(outline, i + 2) : kAnyName, {}});
      clause.module = module_behind(outline, i + (named ? 3 : 1));
    } else if (leaf(outline, i) == "{") {
      for (++i; i < count && leaf(outline, i) != "}"; ++i) {
        const std::string_view original = leaf(outline, i);
        if (!is_identifier(original)) continue;
        const bool renamed = leaf(outline, i + 1) == "as";
        if (renamed) i += 2;
        clause.names.push_back({leaf(outline, i), original});
      }
      clause.module = module_behind(outline, i + 1);
    }
    if (clause.names.empty()) clauses.pop_back();
  }
  return clauses;
}

// `import { a } from 'm'; export { a as b }`
void add_renamed(const Outline& outline, const Exported& one, std::vector<Bound>* bound) {
  const auto found = std::ranges::find(*bound, one.original, &Bound::name);
  if (found == bound->end()) return;
  Bound renamed{outline.path, std::string(one.name), found->module, found->original};
  bound->push_back(std::move(renamed));
}

void add_exported(const Outline& outline, std::vector<Bound>* bound) {
  std::set<std::string_view> handed;
  for (const ExportClause& clause : export_clauses(outline)) {
    for (const Exported& one : clause.names) {
      handed.insert(one.name);
      if (clause.module.empty()) {
        if (one.name != one.original) add_renamed(outline, one, bound);
        continue;
      }
      bound->push_back({outline.path, std::string(one.name), std::string(clause.module),
                        std::string(one.original)});
    }
  }
  for (Bound& one : *bound) one.handed = handed.contains(one.name);
}

// The module of `require('m')` at leaf `at`; empty: none is there.
std::string_view required_at(const Outline& outline, std::size_t at) {
  const std::string_view quoted = leaf(outline, at + 2);
  const bool is = leaf(outline, at) == "require" && leaf(outline, at + 1) == "(" &&
                  leaf(outline, at + 3) == ")" && quoted.size() > 2;
  return is ? quoted.substr(1, quoted.size() - 2) : std::string_view();
}

constexpr std::size_t kRequire = 4;  // its leaves

// The modules of `{ ...require('m'), ...require('n') }` at leaf `at`, or of `require('m')` alone;
// none where anything else is given.
std::vector<std::string_view> given_whole(const Outline& outline, std::size_t at) {
  const std::string_view alone = required_at(outline, at);
  const std::string_view behind = leaf(outline, at + kRequire);
  if (!alone.empty()) {
    return behind == "." || behind == "(" || behind == "[" ? std::vector<std::string_view>()
                                                           : std::vector{alone};
  }
  std::vector<std::string_view> modules;
  if (leaf(outline, at) != "{") return {};
  for (++at; leaf(outline, at) != "}"; at += leaf(outline, at) == "," ? 1 : 0) {
    const std::string_view module = required_at(outline, at + 1);
    if (leaf(outline, at) != "..." || module.empty()) return {};
    modules.push_back(module);
    at += 1 + kRequire;
  }
  return modules;
}

// `exports.a = require('m').b` and `module.exports = { ...require('m') }`
void add_required(const Outline& outline, std::vector<Bound>* bound) {
  for (std::size_t i = 0; i < outline.tree->leaves().size(); ++i) {
    if (leaf(outline, i) != "exports") continue;
    if (leaf(outline, i + 1) == "=") {
      for (const std::string_view module : given_whole(outline, i + 2)) {
        bound->push_back({outline.path, kAnyName, std::string(module), {}, true});
      }
    }
    const std::size_t value = i + 4, dot = value + kRequire;
    const std::string_view module = required_at(outline, value);
    const bool one = leaf(outline, i + 1) == "." && leaf(outline, i + 3) == "=" &&
                     !module.empty() && leaf(outline, dot) == "." &&
                     leaf(outline, dot + 2) != "." && leaf(outline, dot + 2) != "(";
    if (!one) continue;
    bound->push_back({outline.path, std::string(leaf(outline, i + 2)), std::string(module),
                      std::string(leaf(outline, dot + 1)), true});
  }
}

// The names that a file in Rust brings in for others, too.
std::set<std::string> published_in(const Outline& outline) {
  std::set<std::string> names;
  for (const Outlined& symbol : outline.symbols) {
    const bool open = symbol.kind == "import" && !symbol.nodes.empty() &&
                      symbol.nodes.front()->text.starts_with("pub ");
    if (open) names.insert(symbol.defines.begin(), symbol.defines.end());
  }
  return names;
}

bool has_kid(const Node& node, std::string_view kind_or_text) {
  return std::ranges::any_of(node.kids, [&](const Node* kid) {
    return kid->kind == kind_or_text || kid->text == kind_or_text;
  });
}

// The names that the export clauses of a script name, a star with its module, and those that it
// gives to `exports`.
std::vector<std::string> handed_out(const Outline& outline) {
  std::vector<std::string> names;
  if (outline.tree == nullptr || !in_script(outline)) return names;
  for (const ExportClause& clause : export_clauses(outline)) {
    for (const Exported& one : clause.names) {
      const bool any = one.name == kAnyName;
      names.push_back(std::string(one.name) + (any ? std::string(clause.module) : std::string()));
    }
  }
  for (std::size_t i = 3; i < outline.tree->leaves().size(); ++i) {
    if (leaf(outline, i) != "=" || leaf(outline, i - 2) != "." ||
        leaf(outline, i - 3) != "exports") {
      continue;
    }
    names.emplace_back(leaf(outline, i - 1));
  }
  std::ranges::sort(names);
  return names;
}

// A constant of an `enum class`.
bool is_scoped(const Outline& outline, const Outlined& symbol) {
  if (symbol.kind != "constant" || language_in(outline) != "cpp" || symbol.nodes.empty()) {
    return false;
  }
  const Node* list = symbol.nodes.front()->parent;
  const Node* type = list == nullptr ? nullptr : list->parent;
  return type != nullptr && type->kind == "enum_specifier" &&
         (has_kid(*type, "class") || has_kid(*type, "struct"));
}

bool is_needed(const Outline& outline, const Outlined& symbol) {
  if (!symbol.member || symbol.nodes.empty()) return false;
  const Node& node = *symbol.nodes.front();
  const std::string_view language = language_in(outline);
  const bool field = symbol.kind == "field";
  if (is_any(language, {"c", "cpp"})) return field;
  if (language == "go") return field || node.kind == "method_elem";
  if (language == "rust") return field || symbol.kind == "constant";
  if (language == "python") {
    constexpr auto kBody = static_cast<std::size_t>(Capability::kBody);
    return is_any(symbol.kind, {"field", "variable"}) && symbol.code[kBody].empty();
  }
  if (is_any(language, {"typescript", "tsx"})) {
    return node.kind.ends_with("_signature") && !has_kid(node, "?");
  }
  if (language != "java") return false;
  if (node.parent->kind == "formal_parameter") return field;  // of a record
  if (node.kind == "annotation_type_element_declaration") return !has_kid(node, "default");
  return node.kind == "method_declaration" && !has_kid(node, "block");
}

// The other methods of the interface in Go that a method is of, and what may have to be matched
// with it.
std::vector<std::string> others_of(const Outline& outline, const Outlined& symbol) {
  std::vector<std::string> names = matched_beside(outline, symbol);
  if (language_in(outline) != "go" || !is_needed(outline, symbol) || symbol.kind == "field") {
    return names;
  }
  for (const Outlined& other : outline.symbols) {
    const bool its = other.container == symbol.container && other.id != symbol.id;
    if (its) names.push_back(other.name);
  }
  return names;
}

// A method that a type has and that those which are one of it need not have themselves.
bool is_done(const Outline& outline, const Outlined& symbol) {
  if (!symbol.member || symbol.nodes.empty()) return false;
  const Node& node = *symbol.nodes.front();
  const std::string_view language = language_in(outline);
  if (in_script(outline) && node.kind.ends_with("_signature") && has_kid(node, "?")) return true;
  if (language == "php" && symbol.kind == "constant") return true;
  if (!is_function(symbol.kind)) return false;
  if (language == "java") return has_kid(node, "block");
  if (language == "csharp")
    return has_kid(node, "block") || has_kid(node, "arrow_expression_clause");
  if (language == "kotlin") return has_kid(node, "function_body");
  if (language == "php") return has_kid(node, "compound_statement");
  if (language == "ruby") return node.kind == "method";
  if (language == "rust") return node.kind == "function_item";
  if (language == "cpp") return !squeeze(node.text).ends_with("=0;");
  if (language == "python") return !says_word(symbol, Capability::kContract, "abstractmethod");
  return in_script(outline) && node.kind == "method_definition";
}

// The list of what a star brings in, in Python.
bool is_list_for_star(const Outline& outline, const Outlined& symbol) {
  return language_in(outline) == "python" && symbol.parent == 0 && symbol.name == kListForStar;
}

std::vector<std::string> listed_in(const Outline& outline, const Outlined& symbol) {
  std::vector<std::string> names;
  for (const Unit& unit : symbol.units) {
    names_in(outline, symbol, unit, [&](const NameIn& in) {
      if (in.read.role == UseRole::kText) names.emplace_back(in.read.name);
    });
  }
  return names;
}

void add_names_at_top(const Outline& outline, std::vector<std::string>* names) {
  for (const Outlined& symbol : outline.symbols) {
    if (!is_at_top(symbol)) continue;
    names->insert(names->end(), symbol.defines.begin(), symbol.defines.end());
  }
}

}  // namespace

std::vector<Bound> bound_in(const Outline& outline) {
  std::vector<Bound> bound;
  if (outline.tree == nullptr || outline.language == nullptr || is_data(*outline.language)) {
    return bound;
  }
  const bool python = language_in(outline) == "python", rust = language_in(outline) == "rust";
  const auto published = rust ? published_in(outline) : std::set<std::string>();
  const bool own_star = rust && is_star_of_own(outline);
  if (rust && imports_in_block(outline)) bound.push_back({outline.path, kAnyName, "*", {}, false});
  for (const Import& import : imports_in(outline)) {
    if (own_star && import.all && import.module == "super") continue;
    if (import.all) bound.push_back({outline.path, kAnyName, import.module, {}, python});
    for (const Binding& binding : import.binds) {
      const bool handed = python || published.contains(binding.local);
      bound.push_back({outline.path, binding.local, import.module, binding.original, handed});
    }
  }
  if (in_script(outline)) {
    add_exported(outline, &bound);
    add_required(outline, &bound);
  }
  add_own(outline, borrowed_in(outline), &bound);
  if (python) add_conditional(outline, &bound);
  if (language_in(outline) == "java") add_nested(outline, &bound);
  return bound;
}

std::vector<std::string> own_names(const Outline& outline, const Outlined& symbol) {
  std::vector<std::string> names = symbol.defines;
  if (names.size() < 2 || !is_any(symbol.kind, {"variable", "field", "constant"})) return names;
  for (const Outlined& other : outline.symbols) {
    const bool beside = other.id != symbol.id && other.container == symbol.container &&
                        other.kind == symbol.kind && other.defines.size() == 1;
    if (beside) std::erase(names, other.defines.front());
  }
  return names;
}

std::set<std::string> borrowed_in(const Outline& outline) {
  std::set<std::string> names;
  if (outline.tree == nullptr || outline.language == nullptr) return names;
  for (const Import& import : imports_in(outline)) {
    for (const Binding& binding : import.binds) names.insert(binding.local);
  }
  if (!in_script(outline) && language_in(outline) != "python") return names;
  for (const Outlined& symbol : outline.symbols) {
    if (!is_at_top(symbol) || is_its_own(symbol)) continue;
    for (const std::string& name : symbol.defines) {
      if (is_taken(outline, symbol, name)) names.insert(name);
    }
  }
  return names;
}

std::vector<std::string> bases_of(const Outline& outline, const Outlined& type) {
  std::vector<std::string> names;
  for (const std::uint32_t token : type.units.front().tokens) {
    const Node& leaf = *outline.tree->leaves()[token];
    if (leaf.says == Fact::kSuper) names.emplace_back(leaf.text);
  }
  return names;
}

void note_sight(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write) {
  const Outlined& any = is != nullptr ? *is : *was;
  const Outline& there = is != nullptr ? pair.after : pair.before;
  write->needed = is_needed(there, any) || ends_ways_to_make(pair, was, is);
  write->scoped = is_scoped(there, any);
  write->done = was == nullptr && is_done(there, any);
  write->hidden = (was == nullptr || is_hidden(pair.before, *was)) &&
                  (is == nullptr || is_hidden(pair.after, *is));
  if (was == nullptr && is->member && !write->opaque)
    write->bases = bases_of(pair.after, pair.after.symbols[is->parent]);
  if (is == nullptr && was->member && !write->opaque) {
    const std::string& around = pair.before.symbols[was->parent].id;
    const auto type = std::ranges::find(pair.after.symbols, around, &Outlined::id);
    if (type != pair.after.symbols.end() && pair.after.tree != nullptr)
      write->bases = bases_of(pair.after, *type);
  }
  for (std::string& name : others_of(there, any)) {
    const bool old = std::ranges::any_of(pair.before.symbols, [&](const Outlined& other) {
      return (other.container == any.container || any.kind == "type") && other.name == name;
    });
    if (old) write->beside.push_back(std::move(name));
  }
  if (write->opaque) return;
  if (was == nullptr || is == nullptr) return note_default(pair, was, is, write);
  std::vector<std::string> before = own_names(pair.before, *was);
  std::vector<std::string> after = own_names(pair.after, *is);
  if (write->kind == "file") {
    before = handed_out(pair.before);
    after = handed_out(pair.after);
    // A file in another package declares other things, whatever their names.
    const auto package = static_cast<std::size_t>(Capability::kSignature);
    if (was->code[package] != is->code[package]) add_names_at_top(pair.before, &before);
  }
  if (is_list_for_star(pair.after, any)) {
    before = listed_in(pair.before, *was);
    after = listed_in(pair.after, *is);
  }
  std::ranges::sort(before);
  std::ranges::sort(after);
  std::ranges::set_difference(before, after, std::back_inserter(write->gone));
  write->defines.insert(write->defines.end(), write->gone.begin(), write->gone.end());
  note_default(pair, was, is, write);
}

}  // namespace gittxn::semantic
