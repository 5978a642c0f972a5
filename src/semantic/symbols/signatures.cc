#include "semantic/symbols/signatures.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

using Words = std::vector<std::string_view>;

// All of a function but its body, and the names of its parameters apart from that.
struct Head {
  Words words, parameters;
};

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

// One that stands elsewhere in `b` is another parameter.
bool keep_places(const Words& a, const Words& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto found = std::ranges::find(b, a[i]);
    if (found != b.end() && static_cast<std::size_t>(found - b.begin()) != i) return false;
  }
  return true;
}

bool only_names_parameters(const Outlines& pair, const Outlined& was, const Outlined& is) {
  if (was.units.empty() || is.units.empty()) return false;
  const Head before = head_in(pair.before, was), after = head_in(pair.after, is);
  return before.words == after.words && keep_places(before.parameters, after.parameters);
}

// The function itself, of one that is exported or decorated.
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

// --- variables and fields ---

// The code of a symbol, as one that stands beside another in a declaration has it (views.cc).
std::string shared_code(const Outlined& symbol, Capability capability) {
  const std::string& code = symbol.code[static_cast<std::size_t>(capability)];
  if (code.empty() || code.front() == '&') return code;
  std::string shared;
  put_code(&shared, '&', {}, sha256(code).str());
  return shared;
}

bool is_shared(const Outlined& was, const Outlined& is, Capability capability) {
  return shared_code(was, capability) == shared_code(is, capability);
}

// One of the things that a declaration may have several of.
bool is_declarator(const Node& node) {
  if (is_any(node.kind, {"variable_declarator", "init_declarator"})) return true;
  return is_any(node.field, {"declarator", "name"});
}

// The type that a value in Go says that it has; none: it does not.
Words said_by_value(const Node& value) {
  if (value.kind == "expression_list") {
    return value.kids.size() == 1 ? said_by_value(*value.kids.front()) : Words();
  }
  if (value.kind == "composite_literal") {
    const Node* type = kid_in(value, "type");
    return type == nullptr ? Words() : words_in_node(*type);
  }
  if (value.kind == "interpreted_string_literal") return {"string"};
  const Node* function = kid_in(value, "function");
  const Node* arguments = kid_in(value, "arguments");
  const bool made = value.kind == "call_expression" && function != nullptr &&
                    arguments != nullptr && function->text == "make" && arguments->kids.size() > 1;
  return made ? words_in_node(*arguments->kids[1]) : Words();
}

class DeclaredWords {
 public:
  DeclaredWords(std::string_view language, const Outlined& symbol)
      : language_(language),
        name_(short_name(language, symbol.kind, symbol.name)),
        keeps_types_(language != "python") {
    if (symbol.nodes.size() != 1 || !is_any(symbol.kind, {"variable", "field"})) return;
    const Node* declaration = symbol.nodes.front();
    while (declaration != nullptr && declaration->decl != symbol.kind) {
      declaration = declaration->parent;
    }
    if (declaration == nullptr) return;
    for (const Node* kid : declaration->kids) add(*kid);
    // A field of a class is more than a name when it has a type.
    if (typed_ && symbol.member && !keeps_types_) words_.push_back(":");
  }

  // The words of the declaration that it stands in, without those of what stands beside it there;
  // none where it is declared in another way.
  const Words& words() const { return words_; }

 private:
  void add(const Node& kid) {
    if (kid.text == "," || kid.comment) return;
    const Words own = words_in_node(kid);
    if (is_declarator(kid) && std::ranges::find(own, name_) == own.end()) return;
    below(kid);
  }

  void below(const Node& node) {
    if (node.comment || node.text == "=") return;
    if (node.field == "type" && !keeps_types_) {
      typed_ = true;
      std::erase(words_, ":");
      return;
    }
    if (node.part == Fact::kBody) {
      const bool untyped = language_ == "go" && kid_in(*node.parent, "type") == nullptr;
      if (untyped) std::ranges::copy(said_by_value(node), std::back_inserter(words_));
      return;
    }
    if (node.kids.empty()) words_.push_back(node.text);
    for (const Node* kid : node.kids) below(*kid);
  }

  std::string_view language_;
  std::string name_;
  bool keeps_types_ = true, typed_ = false;
  Words words_;
};

// --- parameters ---

struct Parameter {
  std::string_view name;   // in Python; else all of it but the value that it has when left out
  std::string_view value;  // it has when it is left out
  enum class Kind : std::uint8_t {
    kPlain,
    kOptional,
    kRest,
    kNamedRest,
    kMark
  } kind = Kind::kPlain;
  bool operator==(const Parameter&) const = default;
};
using Parameters = std::vector<Parameter>;
using PKind = Parameter::Kind;

Parameter in_python(const Node& node) {
  const auto text_of = [&](std::string_view field) {
    const Node* kid = kid_in(node, field);
    return kid == nullptr ? std::string_view() : kid->text;
  };
  if (node.kind == "identifier") return {node.text, {}, PKind::kPlain};
  if (node.kind.ends_with("default_parameter")) {
    return {text_of("name"), text_of("value"), PKind::kOptional};
  }
  if (node.kind == "typed_parameter") {
    return node.kids.empty() ? Parameter{node.text, {}, PKind::kPlain}
                             : in_python(*node.kids.front());
  }
  if (node.kind == "list_splat_pattern") return {node.text, {}, PKind::kRest};
  if (node.kind == "dictionary_splat_pattern") return {node.text, {}, PKind::kNamedRest};
  return {node.text, {}, PKind::kMark};
}

Parameter in_others(const Node& node) {
  const Node* value = kid_in(node, node.kind == "assignment_pattern" ? "right" : "value");
  const bool rest = node.kind == "rest_pattern" || node.kind == "variadic_parameter_declaration" ||
                    node.text.starts_with("...");
  if (rest) return {node.text, {}, PKind::kRest};
  if (value != nullptr) {
    const auto before = static_cast<std::size_t>(value->text.data() - node.text.data());
    std::string_view name = node.text.substr(0, before);
    while (!name.empty() && is_any(name.substr(name.size() - 1), {" ", "=", "\n", "\t"})) {
      name.remove_suffix(1);
    }
    return {name, value->text, PKind::kOptional};
  }
  const bool optional = node.kind == "optional_parameter";
  return {node.text, {}, optional ? PKind::kOptional : PKind::kPlain};
}

Parameters parameters_in(std::string_view language, const Node& list) {
  Parameters all;
  for (const Node* kid : list.kids) {
    if (kid->comment || is_any(kid->text, {",", "(", ")"})) continue;
    all.push_back(language == "python" ? in_python(*kid) : in_others(*kid));
  }
  return all;
}

// Whoever gave `was` may give the same to `is`.
bool accepts(const Parameter& was, const Parameter& is) {
  if (was.name != is.name) return false;
  if (was.kind == is.kind) return was.value == is.value;
  return was.kind == PKind::kPlain && is.kind == PKind::kOptional;
}

// Behind these, parameters are given by their names alone.
bool ends_places(const Parameter& one) {
  return one.kind == PKind::kRest || one.kind == PKind::kNamedRest || one.name == "*";
}

// Each call of a function with `was` is one of a function with `is`.
bool accepts_all(std::string_view language, const Parameters& was, const Parameters& is) {
  const auto old_end = std::ranges::find_if(was, ends_places);
  const auto new_end = std::ranges::find_if(is, ends_places);
  const auto places = old_end - was.begin();
  if (new_end - is.begin() < places) return false;
  if (!std::equal(was.begin(), old_end, is.begin(), accepts)) return false;
  const bool takes_rest = old_end != was.end() && old_end->kind == PKind::kRest;
  if (takes_rest && new_end - is.begin() != places) return false;
  for (auto one = old_end; one != was.end(); ++one) {
    if (one->name == "*") continue;
    const bool there = std::any_of(is.begin() + places, is.end(), [&](const Parameter& now) {
      return accepts(*one, now) || (one->kind == now.kind && ends_places(*one));
    });
    if (!there) return false;
  }
  return std::all_of(is.begin() + places, is.end(), [&](const Parameter& now) {
    if (now.kind != PKind::kPlain && now.kind != PKind::kMark) return true;
    if (now.name == "*") return true;
    return language == "python" && std::any_of(old_end, was.end(), [&](const Parameter& one) {
             return one.name == now.name;
           });
  });
}

// The function, and all that is said of it before its body but parameters, and in Python types.
struct Signed {
  const Node* function = nullptr;
  const Node* parameters = nullptr;
  Words rest;
};

Signed signed_in(std::string_view language, const Outlined& symbol) {
  Signed found;
  // The parts before the last one in Python tell its types, or are hidden by it.
  if (symbol.nodes.empty() || (symbol.nodes.size() > 1 && language != "python")) return found;
  found.function = without_wrapping(symbol.nodes.back());
  found.parameters = kid_in(*found.function, "parameters");
  const bool typed = language != "python";
  const auto add = [&](const auto& self, const Node& node) -> void {
    if (node.comment || &node == found.parameters || node.part == Fact::kBody) return;
    if (!typed && (node.field == "return_type" || node.text == "->")) return;
    if (node.kids.empty()) found.rest.push_back(node.text);
    for (const Node* kid : node.kids) self(self, *kid);
  };
  add(add, *symbol.nodes.back());
  return found;
}

enum class Callers : std::uint8_t { kOther, kSame, kMore };

// The parameters of a function in C: the words of each, without its own name and what is constant
// for the function alone, and the names.
struct InC {
  std::vector<Words> words;
  Words names;
};

InC parameters_in_c(const Outlined& symbol) {
  InC all;
  const Node* declarator = kid_in(*without_wrapping(symbol.nodes.back()), "declarator");
  while (declarator != nullptr && declarator->kind != "function_declarator") {
    declarator = kid_in(*declarator, "declarator");
  }
  const Node* list = declarator == nullptr ? nullptr : kid_in(*declarator, "parameters");
  if (list == nullptr) return all;
  for (const Node* kid : list->kids) {
    if (!kid->named || kid->comment) continue;
    Words& words = all.words.emplace_back(words_in_node(*kid));
    const Node* name = kid_in(*kid, "declarator");
    while (name != nullptr && name->kind == "pointer_declarator")
      name = kid_in(*name, "declarator");
    if (name == nullptr || name->kind != "identifier") continue;
    all.names.push_back(name->text);
    std::erase(words, name->text);
    const bool pointer = std::ranges::count(words, "*") > 0;
    if (!pointer) std::erase(words, "const");
    if (pointer && words.back() == "const") words.pop_back();
  }
  return all;
}

// Whoever gave a pointer to something gives one to something constant, too.
bool becomes_constant(const Words& was, Words is) {
  if (was == is) return true;
  if (std::ranges::count(is, "*") != 1 || std::ranges::count(was, "const") != 0) return false;
  return std::erase(is, "const") == 1 && was == is;
}

// Calls in C are as they were, of a function that promises not to change what it is given.
bool only_promises(const Outlined& was, const Outlined& is) {
  if (was.nodes.size() != 1 || is.nodes.size() != 1) return false;
  const InC before = parameters_in_c(was), after = parameters_in_c(is);
  if (before.words.empty() || !keep_places(before.names, after.names)) return false;
  if (!std::ranges::equal(before.words, after.words, becomes_constant)) return false;
  const auto outside = [](const Outlined& symbol) {
    Words words;
    for (const Node* kid : without_wrapping(symbol.nodes.back())->kids) {
      if (kid->field == "declarator" || kid->part == Fact::kBody) continue;
      add_words(*kid, nullptr, &words);
    }
    const Node* declarator = kid_in(*without_wrapping(symbol.nodes.back()), "declarator");
    for (; declarator != nullptr && declarator->kind == "pointer_declarator";
         declarator = kid_in(*declarator, "declarator")) {
      words.push_back("*");
    }
    return words;
  };
  return outside(was) == outside(is);
}

// The arguments that callers of a function may give.
Callers callers_of(std::string_view language, const Outlined& was, const Outlined& is) {
  const Signed before = signed_in(language, was), after = signed_in(language, is);
  if (before.parameters == nullptr || after.parameters == nullptr) return Callers::kOther;
  if (before.rest != after.rest) return Callers::kOther;
  const Parameters old = parameters_in(language, *before.parameters);
  const Parameters now = parameters_in(language, *after.parameters);
  if (old == now) return Callers::kSame;
  return accepts_all(language, old, now) ? Callers::kMore : Callers::kOther;
}

// The types that each part of a symbol says it has or gives.
std::vector<const Node*> said_types(const Outlined& symbol) {
  std::vector<const Node*> types;
  for (const Node* node : symbol.nodes) {
    const Node& declared = *without_wrapping(node);
    for (const std::string_view field : {"result", "return_type", "type"}) {
      const Node* type = kid_in(declared, field);
      if (type != nullptr) types.push_back(type);
    }
  }
  return types;
}

// The words before the body of a class in Python, but for the types that it is told of.
Words class_words(const Outlined& symbol) {
  Words words;
  const Node* type = without_wrapping(symbol.nodes.back());
  add_words(*symbol.nodes.back(), type, &words);
  for (const Node* kid : type->kids) {
    if (kid->comment || kid->part == Fact::kBody || kid->kind == "type_parameter") continue;
    if (kid->field != "superclasses") {
      add_words(*kid, nullptr, &words);
      continue;
    }
    for (const Node* base : kid->kids) {
      if (!base->named || base->comment) continue;
      const std::string_view name = base->text.substr(0, base->text.find('['));
      if (!name.ends_with("Generic")) words.push_back(name);
    }
  }
  return words;
}

std::string said_result(const Outlined& symbol) {
  std::string said;
  for (const Node* type : said_types(symbol)) said += squeeze(type->text) + "\n";
  return said;
}

// Its language, where both have one and are understood.
std::string_view language_of_both(const Outlines& pair, const Outlined* was, const Outlined* is) {
  if (was == nullptr || is == nullptr || was->opaque || is->opaque) return {};
  const Language* language = pair.after.language;
  if (language == nullptr || pair.before.language != language) return {};
  return language->name;
}

bool has_changed(const Outlined& was, const Outlined& is, Capability capability) {
  const auto at = static_cast<std::size_t>(capability);
  return was.code[at] != is.code[at];
}

bool is_number(std::string_view text) {
  bool digit = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool letter = (text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z';
    if (letter && (i == 0 || !digit)) return false;
    if (std::string_view("\"'_{};,#").contains(text[i])) return false;
    digit = (text[i] >= '0' && text[i] <= '9') || (letter && digit);
  }
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_number_macro(const Outlined& symbol) {
  if (symbol.kind != "macro" || symbol.nodes.size() != 1) return false;
  const Node* value = kid_in(*symbol.nodes.front(), "value");
  return kid_in(*symbol.nodes.front(), "parameters") == nullptr && value != nullptr &&
         is_number(value->text);
}

}  // namespace

bool signed_alike(const Outlines& pair, const Outlined* was, const Outlined* is) {
  const std::string_view language = language_of_both(pair, was, is);
  if (language.empty() || !has_changed(*was, *is, Capability::kSignature)) return false;
  if (has_changed(*was, *is, Capability::kBuild) && !is_shared(*was, *is, Capability::kBuild)) {
    return false;
  }
  if (!is_shared(*was, *is, Capability::kVisibility)) return false;
  if (is_function(is->kind) && language == "python") {
    return callers_of(language, *was, *is) == Callers::kSame;
  }
  if (is->kind == "type") {
    return language == "python" && was->nodes.size() == 1 && is->nodes.size() == 1 &&
           class_words(*was) == class_words(*is);
  }
  if (!is_shared(*was, *is, Capability::kContract)) return false;
  if (is_function(is->kind)) {
    return is_any(language, {"c", "cpp", "go", "java", "rust"}) &&
           only_names_parameters(pair, *was, *is);
  }
  const Words before = DeclaredWords(language, *was).words();
  return !before.empty() && before == DeclaredWords(language, *is).words();
}

bool takes_more(const Outlines& pair, const Outlined* was, const Outlined* is) {
  const std::string_view language = language_of_both(pair, was, is);
  if (language.empty() || !is_function(is->kind)) return false;
  if (has_changed(*was, *is, Capability::kVisibility)) return false;
  if (has_changed(*was, *is, Capability::kBuild)) return false;
  if (language == "c") return only_promises(*was, *is);
  if (!is_any(language, {"python", "javascript", "typescript", "tsx", "go"})) return false;
  return callers_of(language, *was, *is) == Callers::kMore;
}

std::vector<std::string> types_said(const Outlined& symbol) {
  std::vector<std::string> names;
  if (symbol.opaque) return names;
  if (!is_function(symbol.kind) && !is_any(symbol.kind, {"variable", "field"})) return names;
  for (const Node* type : said_types(symbol)) {
    for (const std::string_view word : words_of(type->text)) {
      if (std::ranges::find(names, word) == names.end()) names.emplace_back(word);
    }
  }
  return names;
}

bool gives_another_type(const Outlined* was, const Outlined* is) {
  if (was == nullptr || is == nullptr || was->opaque || is->opaque) return false;
  return is_function(is->kind) && said_result(*was) != said_result(*is);
}

bool stays_number(const Outlined* was, const Outlined* is) {
  return was != nullptr && is != nullptr && is_number_macro(*was) && is_number_macro(*is);
}

}  // namespace gittxn::semantic
