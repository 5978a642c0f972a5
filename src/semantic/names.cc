#include "semantic/names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "semantic/kinds.h"
#include "semantic/read/interpolated.h"
#include "semantic/read/matched.h"
#include "semantic/read/needs.h"
#include "semantic/read/receivers.h"
#include "semantic/read/values_in_go.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMaxFunction = 20'000;  // tokens of one that is looked through
constexpr std::size_t kMaxCall = 16;          // children of a call; a longer list is none

bool in_name(char c) {
  return is_word_byte(c) || c == '$';
}
bool is_letter(char c) {
  return in_name(c) && (c < '0' || c > '9');
}

bool is_string(const Node& leaf) {
  constexpr std::string_view kQuotes = "\"'`";
  if (has_any(leaf.kind, {"string", "char", "quote", "heredoc", "nowdoc"})) return true;
  return leaf.kind != "identifier" && kQuotes.contains(leaf.text.front());
}

// In a string '$' stands before a name, and is no part of it.
bool has_dollars(const Language& language) {
  return is_any(language.name, {"php", "kotlin", "bash"});
}

void add_words(std::string_view text, bool dollars, std::vector<NameRead>* names) {
  for (std::string_view word : words_of(text)) {
    if (dollars) word.remove_prefix(std::min(word.find_first_not_of('$'), word.size()));
    if (!word.empty()) names->push_back({word, {}});
  }
}

// Between braces anything may be code; between those of a command too, where a '$' is before them.
void interpolated(const Tree& tree, const Node& leaf, bool dollars, std::vector<NameRead>* names) {
  const std::string_view text = leaf.text;
  const bool code = holds_code(tree.language(), text);
  const auto take = [&](std::string_view inner) {
    if (code) return names_in_braces(tree, leaf, inner, names);
    add_words(inner, dollars, names);
  };
  const auto opens = [&](std::size_t i) {
    return text[i] == '{' || (dollars && text[i] == '(' && i > 0 && text[i - 1] == '$');
  };
  std::size_t depth = 0, begin = 0;
  char open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 ? opens(i) : text[i] == open) {
      if (depth == 0) begin = i + 1;
      if (depth == 0) open = text[i];
      ++depth;
      continue;
    }
    if (depth == 0 || text[i] != (open == '(' ? ')' : '}')) continue;
    --depth;
    if (depth == 0) take(text.substr(begin, i - begin));
  }
  if (depth > 0) take(text.substr(begin));
}

// `$name`, and in PHP what of it.
void behind_dollars(std::string_view text, std::vector<NameRead>* names) {
  const auto take = [&](std::size_t from) {
    std::size_t to = from;
    while (to < text.size() && is_word_byte(text[to])) ++to;
    if (to > from && is_letter(text[from])) {
      names->push_back({text.substr(from, to - from), {}});
    }
    return to;
  };
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const std::size_t end = take(at + 1);
    if (end == at + 1) continue;
    for (const std::string_view sign : {"->", "?->", "["}) {
      if (text.substr(end).starts_with(sign)) take(end + sign.size());
    }
  }
}

// Text that a shell runs.
bool is_run(const Node& leaf) {
  const Node* command = leaf.parent;
  while (command != nullptr && command->kind == "concatenation") command = command->parent;
  if (command == nullptr || command->kind != "command" || command->kids.empty()) return false;
  return is_any(command->kids.front()->text, {"eval", "trap", "alias"});
}

void string_names(const Tree& tree, const Node& leaf, std::vector<NameRead>* names) {
  const std::string_view text = leaf.text;
  const bool dollars = has_dollars(tree.language());
  if (tree.language().name == "bash" && is_run(leaf)) return add_words(text, true, names);
  interpolated(tree, leaf, dollars, names);
  if (dollars) behind_dollars(text, names);
  const std::size_t begin = text.find_first_of("\"'`");
  const std::size_t from =
      begin == std::string_view::npos ? 0 : text.find_first_not_of("\"'`", begin);
  if (from == std::string_view::npos) return;
  const std::size_t to = text.find_last_not_of("\"'`") + 1;
  const std::string_view inner = text.substr(from, to > from ? to - from : 0);
  const bool mention = std::ranges::all_of(
      inner, [](char c) { return in_name(c) || std::string_view(".:/-#").contains(c); });
  if (!mention) return;
  for (const std::string_view word : words_of(inner)) {
    if (!dollars || !word.starts_with('$')) names->push_back({word, {}, UseRole::kText});
  }
}

// In other languages an arrow stands before a type.
bool is_arrow(std::string_view token, std::string_view language) {
  if (token == "->") return is_any(language, {"c", "cpp", "php", "csharp"});
  return token == "?->" || token == "." || token == "?." || token == "!." || token == ".*" ||
         token == "->*" || token == "&.";
}

// The arguments of the call that a name, or the last part of a path, is the function of; nullptr:
// of none.
const Node* arguments_for(const Node& leaf) {
  const Node* at = &leaf;
  while (at->parent != nullptr) {
    const Node& parent = *at->parent;
    if (parent.kids.size() > kMaxCall) return nullptr;
    const Node* arguments = nullptr;
    for (const Node* kid : parent.kids) {
      if (kid->field == "arguments" || kid->kind == "value_arguments") arguments = kid;
    }
    if (arguments != nullptr && arguments != at && at->text.end() <= arguments->text.begin()) {
      return arguments;
    }
    const Node* around = parent.parent;
    const bool told = parent.kind == "generic_type" && around != nullptr &&
                      around->kind == "object_creation_expression";  // `new Box<>(1)` in Java
    if (parent.kids.back() != at && !told) return nullptr;
    at = &parent;
  }
  return nullptr;
}

// The name, or the last part of a path, is given something, counted up or down, or given to what
// may do that.
bool is_set(const Node& leaf) {
  const Node* at = &leaf;
  while (at->parent != nullptr && at->parent->kids.back() == at &&
         has_any(at->parent->kind, {"access", "navigation", "member", "attribute"})) {
    at = at->parent;
  }
  while (at->parent != nullptr && at->parent->kids.front() == at &&
         at->parent->kind == "subscript_expression") {
    at = at->parent;
  }
  const Node* up = at->parent;
  if (up == nullptr) return false;
  const bool sign = std::ranges::any_of(
      up->kids, [](const Node* kid) { return is_any(kid->text, {"++", "--", "ref", "out", "&"}); });
  return sign || (at->field == "left" && up->kind.contains("assign"));
}

// "a" of `a=1` and `a: 1`, "*" of `*all` and `...all`; empty: it has its place.
std::string_view name_of_argument(const Node& argument) {
  if (has_any(argument.kind, {"splat", "spread", "unpacking"})) return "*";
  const bool may =
      argument.kids.size() > 1 &&
      is_any(argument.kind, {"keyword_argument", "argument", "value_argument", "pair"});
  if (may && is_any(argument.kids[1]->text, {":", "="})) return argument.kids.front()->text;
  const bool inner =
      is_any(argument.kind, {"argument", "value_argument"}) && !argument.kids.empty();
  return inner ? name_of_argument(*argument.kids.front()) : std::string_view();
}

void note_call(const Node& leaf, NameRead* read) {
  const Node* arguments = arguments_for(leaf);
  if (arguments == nullptr) return;
  const auto given = [](const Node* kid) { return kid->named && !kid->comment; };
  read->arity = static_cast<int>(std::ranges::count_if(arguments->kids, given));
  std::set<std::string_view> names;
  for (const Node* kid : arguments->kids) names.insert(name_of_argument(*kid));
  names.erase(std::string_view());
  read->named = fmt::format("{}", fmt::join(names, ","));
}

// Children of a literal that no name goes with; in Rust, where each has one, all of them unless the
// rest is taken from another value.
int parts_of(const Node& literal) {
  const Node* list = &literal;
  for (const Node* kid : literal.kids) {
    if (is_any(kid->field, {"body", "value"})) list = kid;
  }
  int parts = 0;
  for (const Node* kid : list->kids) {
    if (kid->kind == "base_field_initializer") return 0;
    const bool keyed = is_any(kid->kind, {"keyed_element", "initializer_pair"});
    if (kid->named && !kid->comment && !keyed) ++parts;
  }
  return parts;
}

// `int a[] = {1}` and `s x{1}`: the declaration of something that is given a list.
bool is_given_a_list(const Node& declaration) {
  return std::ranges::any_of(declaration.kids, [](const Node* kid) {
    return kid->kind == "init_declarator" && std::ranges::any_of(kid->kids, [](const Node* value) {
             return value->kind == "initializer_list" && parts_of(*value) > 0;
           });
  });
}

// The declaration gives a function as its value, in Java, where all other values say what they are.
bool is_given_a_function(const Node& declaration) {
  return std::ranges::any_of(declaration.kids, [](const Node* kid) {
    return std::ranges::any_of(kid->kids, [](const Node* value) {
      return is_any(value->kind, {"lambda_expression", "method_reference"});
    });
  });
}

// The preprocessor has to know the name.
bool is_in_condition(const Node& leaf) {
  const Node* at = &leaf;
  for (std::size_t up = 0; up < kMaxCall && at->parent != nullptr; ++up, at = at->parent) {
    if (at->parent->kind.starts_with("preproc_")) {
      return at->field == "condition" || at->field == "name" || at->kind == "preproc_defined";
    }
  }
  return false;
}

// The name of a type stands where one is made.
bool is_made(const Node& leaf, std::string_view language) {
  if (const auto all = is_pattern_of_all(leaf); all && language == "rust") return *all;
  // A function that is given one does not make it.
  const bool by_type = is_any(language, {"typescript", "tsx", "java", "go"});
  const Node* at = &leaf;
  for (std::size_t up = 0; up < kMaxCall && at->parent != nullptr; ++up) {
    const Node& parent = *at->parent;
    if (is_any(parent.kind,
               {"composite_literal", "struct_expression", "compound_literal_expression"})) {
      return !is_any(at->field, {"body", "value"}) && parts_of(parent) > 0;
    }
    if (parent.kind == "declaration") return is_given_a_list(parent);
    if (is_any(parent.kind, {"formal_parameters", "parameters", "parameter_list"})) {
      return parent.field == "result";
    }
    if (is_any(parent.kind, {"field_declaration", "local_variable_declaration"})) {
      return language == "java" && is_given_a_function(parent);
    }
    if (parent.kind == "property_signature") return false;
    if (has_any(parent.kind, {"block", "body", "program", "source_file"})) return by_type;
    at = &parent;
  }
  return by_type;
}

// Something from leaf `from` to leaf `to` takes the name.
bool is_taken(const Tree& tree, std::uint32_t from, std::uint32_t to, std::string_view name) {
  const std::vector<const Node*>& leaves = tree.leaves();
  for (std::uint32_t i = from; i < to; ++i) {
    if (leaves[i]->text != name) continue;
    if (i > 0 && leaves[i - 1]->text == "var") return true;
    std::uint32_t next = i + 1;
    while (next < to && (leaves[next]->text == "," || is_identifier(leaves[next]->text))) ++next;
    if (next < to && leaves[next]->text == ":=") return true;
  }
  return false;
}

// The parameter of that name of a function in Go; nullptr when it has none.
const Node* parameter_in(const Node& function, std::string_view name) {
  for (const Node* list : function.kids) {
    if (!is_any(list->field, {"parameters", "receiver"})) continue;
    for (const Node* parameter : list->kids) {
      const bool its = std::ranges::any_of(parameter->kids, [&](const Node* kid) {
        return kid->field == "name" && kid->text == name;
      });
      if (its && kid_in(*parameter, "type") != nullptr) return parameter;
    }
  }
  return nullptr;
}

// The declaration of a variable that leaf `at` is a name in; nullptr when it is none.
const Node* declaration_at(const Tree& tree, std::uint32_t at) {
  const Node& leaf = *tree.leaves()[at];
  const Node* up = leaf.parent;
  if (up == nullptr) return nullptr;
  if (up->kind == "var_spec") return leaf.field == "name" ? up : nullptr;
  const bool left = up->kind == "expression_list" && up->field == "left";
  return left && up->parent->kind == "short_var_declaration" ? up->parent : nullptr;
}

// The type that a declaration in Go says, or what is called to get it: `bytes.Buffer` of `var b
// bytes.Buffer`, `os.Open` of `f, err := os.Open(name)`.
std::string_view said_by(const Node& declaration) {
  if (const Node* type = kid_in(declaration, "type"); type != nullptr) return type->text;
  const bool var = declaration.kind == "var_spec";
  const Node* values = kid_in(declaration, var ? "value" : "right");
  if (values == nullptr || values->kids.size() != 1) return {};
  const Node* value = values->kids.front();
  if (value->kind == "unary_expression" && value->text.starts_with('&')) value = value->kids.back();
  if (value->kind == "composite_literal") return kid_in(*value, "type")->text;
  if (value->kind != "call_expression") return {};
  const Node* function = kid_in(*value, "function");
  // It gives what it is asked for.
  if (function == nullptr || function->text == "errors.AsType") return {};
  return function->kind == "selector_expression" ? function->text : std::string_view();
}

// The type in Go that a parameter or variable was declared with around leaf `at`, or what was
// called to get it.
std::string_view declared_as(const Tree& tree, std::uint32_t at, std::string_view name) {
  for (const Node* node = tree.leaves()[at]->parent; node != nullptr; node = node->parent) {
    if (!is_any(node->kind, {"function_declaration", "method_declaration", "func_literal"}))
      continue;
    if (node->leaves > kMaxFunction) return {};
    if (const Node* parameter = parameter_in(*node, name); parameter != nullptr) {
      return is_taken(tree, node->leaf, at, name) ? std::string_view()
                                                  : kid_in(*parameter, "type")->text;
    }
    for (std::uint32_t i = node->leaf; i < at; ++i) {
      if (tree.leaves()[i]->text != name) continue;
      const Node* declaration = declaration_at(tree, i);
      if (declaration == nullptr) continue;
      const bool other = is_taken(tree, node->leaf, declaration->leaf, name) ||
                         is_taken(tree, declaration->leaf + declaration->leaves, at, name);
      return other ? std::string_view() : said_by(*declaration);
    }
  }
  return {};
}

// The type that a key is a field of: "Pool" in `sync.Pool{New: ...}` in Go, where the type has a
// name and does not say that it is a map.
std::string_view type_of_key(const Node& leaf) {
  const Node* key = leaf.parent;
  if (key == nullptr || key->kind != "literal_element" || key->field != "key") return {};
  const Node* element = key->parent;
  const Node* literal = element->parent == nullptr ? nullptr : element->parent->parent;
  const Node* type = literal == nullptr ? nullptr : kid_in(*literal, "type");
  if (type == nullptr || !is_any(type->kind, {"qualified_type", "type_identifier"})) {
    return {};
  }
  const std::vector<std::string_view> words = words_of(type->text);
  return words.empty() ? std::string_view() : words.back();
}

// Notes whether a value is taken or needed here.
void note_given(const Tree& tree, const Node& leaf, NameRead* read) {
  if (tree.language().name == "go") {
    const GivenInGo given = given_in_go(tree, leaf);
    read->valued = given == GivenInGo::kValue;
    if (given == GivenInGo::kPointer) read->declared = "&";
    if (read->arity < 0) read->handed = placed_in_go(leaf);
  } else {
    read->valued = is_needed_early(leaf, tree.language().name);
  }
  if (tree.language().name == "cpp" && leaf.kind == "type_identifier") {
    const GivenInCpp given = given_in_cpp(leaf);
    read->valued = given != GivenInCpp::kOther;
    read->made = read->made || given == GivenInCpp::kFields;
  }
}

// The leaf stands behind the dot of a value: `repo` of `h.repo.Find()` is a field, whatever package
// or module the file imports.
bool is_behind_value(const Tree& tree, std::uint32_t at) {
  if (at < 2 || tree.leaves()[at - 1]->text != ".") return false;
  const Node& owner = *tree.leaves()[at - 2];
  if (tree.language().name == "go") return true;
  const bool modules = is_any(tree.language().name, {"python", "javascript", "typescript", "tsx"});
  return modules && (owner.text == "this" || tree.is_local(owner));
}

void identifier(const Tree& tree, std::uint32_t at, std::vector<NameRead>* names) {
  const Node& leaf = *tree.leaves()[at];
  NameRead read;
  read.name = leaf.text;
  if (leaf.says == Fact::kCall) read.role = UseRole::kCall;
  if (leaf.says == Fact::kType) read.role = UseRole::kType;
  if (leaf.says == Fact::kSuper) read.role = UseRole::kSuper;
  if (at > 0) {
    const std::string_view before = tree.leaves()[at - 1]->text;
    const bool arrow = is_arrow(before, tree.language().name);
    if ((arrow || before == "::") && at > 1) {
      const std::string_view owner = tree.leaves()[at - 2]->text;
      if (is_identifier(owner)) read.qualifier = owner;
      const bool own = is_identifier(owner) && tree.is_local(*tree.leaves()[at - 2]);
      const bool behind = is_identifier(owner) && is_behind_value(tree, at - 2);
      read.of_local = own || behind;
      if (own && !behind && tree.language().name == "go") {
        read.declared = declared_as(tree, at, read.qualifier);
      }
    }
    // The owner stands alone: nothing is looked up behind something else.
    const bool alone = arrow && !read.qualifier.empty() &&
                       (at < 3 || !is_any(tree.leaves()[at - 3]->text, {".", "::"}) ||
                        (at > 3 && tree.leaves()[at - 4]->text == "this"));
    if (alone && tree.language().name == "java") {
      read.declared = declared_type_in_java(*tree.leaves()[at - 2], read.qualifier);
    }
    if (alone && tree.language().name == "rust") {
      read.declared = declared_type_in_rust(*tree.leaves()[at - 2], read.qualifier);
    }
    if (arrow && read.role != UseRole::kSuper) read.role = UseRole::kMember;
    read.local = !arrow && before != "::" && tree.is_local(leaf);
  }
  if (at == 0) read.local = tree.is_local(leaf);
  const std::string_view type = type_of_key(leaf);
  if (!type.empty()) {
    read.role = UseRole::kMember;
    read.qualifier = type;
    read.local = false;
  }
  note_call(leaf, &read);
  read.set = is_set(leaf);
  if (read.arity >= 0 && read.role == UseRole::kPlain) read.role = UseRole::kCall;
  if (read.arity < 0 && is_any(tree.language().name, {"javascript", "typescript", "tsx"})) {
    read.handed = arguments_given_by(leaf);
  }
  if (leaf.kind == "type_identifier" || tree.language().name == "rust") {
    read.made = is_made(leaf, tree.language().name);
  }
  if (is_any(tree.language().name, {"c", "cpp"})) read.made = read.made || is_in_condition(leaf);
  if (tree.language().name == "java") {
    read.made = read.made || is_made_in_java(leaf);
    silent_calls(leaf, names);
  }
  read.made = read.made || is_one_of_all(leaf, tree.language().name);
  note_given(tree, leaf, &read);
  if (tree.language().name == "rust" && is_put_in(leaf)) read.declared = "!";
  names->push_back(read);
}

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  return std::ranges::all_of(text, in_name);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && in_name(text[i])) ++i;
    if (i > begin && is_letter(text[begin])) words.push_back(text.substr(begin, i - begin));
    if (i == begin) ++i;
  }
  return words;
}

std::string_view first_word(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  return words.empty() ? std::string_view() : words.front();
}

void names_of(const Tree& tree, std::uint32_t leaf, std::vector<NameRead>* names) {
  const Node& token = *tree.leaves()[leaf];
  if (token.text.empty()) return;
  if (is_identifier(token.text)) {
    // A keyword is a token without a name of its own in the grammar.
    if (token.named) identifier(tree, leaf, names);
    return;
  }
  if (is_string(token)) return string_names(tree, token, names);
  if (token.named) add_words(token.text, has_dollars(tree.language()), names);
}

}  // namespace gittxn::semantic
