#include "semantic/symbols/signatures.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/arguments.h"
#include "semantic/symbols/callers_in_c.h"
#include "semantic/symbols/declared.h"
#include "semantic/symbols/hints.h"
#include "semantic/symbols/openness.h"
#include "semantic/symbols/parameters.h"
#include "semantic/symbols/signature_words.h"
#include "semantic/symbols/types_alike.h"
#include "semantic/symbols/values.h"

namespace gittxn::semantic {
namespace {

void add_types_in_go(const Node& node, Words* words) {
  if (node.comment || node.part == Fact::kBody) return;
  if (node.kind == "interface_type" && node.kids.size() <= 3 &&
      squeeze(node.text) == "interface{}") {
    return words->push_back("any");
  }
  // Each name of `a, b string` is a parameter of its own, and names are nobody's matter.
  if (is_any(node.kind, {"parameter_declaration", "variadic_parameter_declaration"})) {
    for (int i = 0; i < parameters_at(node); ++i) {
      for (const Node* kid : node.kids) {
        if (kid->field != "name" && kid->text != ",") add_types_in_go(*kid, words);
      }
      words->push_back(",");
    }
    return;
  }
  if (node.kids.empty() && node.text != ",") words->push_back(node.text);
  for (const Node* kid : node.kids) add_types_in_go(*kid, words);
}

// A function in Go as its users see it, in whatever way it is said.
Words types_in_go(const Node& function) {
  Words words;
  add_types_in_go(function, &words);
  return words;
}

bool only_names_parameters(const Outlines& pair, const Outlined& was, const Outlined& is) {
  if (was.units.empty() || is.units.empty()) return false;
  const Head before = head_in(pair.before, was), after = head_in(pair.after, is);
  if (!keep_places(before.parameters, after.parameters)) return false;
  if (before.words == after.words) return true;
  return pair.after.language->name == "go" && was.nodes.size() == 1 && is.nodes.size() == 1 &&
         types_in_go(*was.nodes.front()) == types_in_go(*is.nodes.front());
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
  const auto& kids = found.function->kids;
  const auto list =
      std::ranges::find(kids, std::string_view("function_value_parameters"), &Node::kind);
  if (list != kids.end()) found.parameters = *list;  // in Kotlin it has no field
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

// The arguments that callers of a function may give.
Callers callers_of(std::string_view language, const Outlined& was, const Outlined& is) {
  const Signed before = signed_in(language, was), after = signed_in(language, is);
  if (before.parameters == nullptr || after.parameters == nullptr) return Callers::kOther;
  if (before.rest != after.rest) return Callers::kOther;
  return callers_with(language, *before.parameters, *after.parameters);
}

// A class in Kotlin is made of what it was made of, and of more that may be left out.
bool made_of_more(const Outlined& was, const Outlined& is) {
  if (was.nodes.size() != 1 || is.nodes.size() != 1) return false;
  const auto parameters_of = [](const Node& type) -> const Node* {
    const auto made =
        std::ranges::find(type.kids, std::string_view("primary_constructor"), &Node::kind);
    return made == type.kids.end() || (*made)->kids.empty() ? nullptr : (*made)->kids.back();
  };
  const Node &old = *was.nodes.front(), &now = *is.nodes.front();
  const Node *from = parameters_of(old), *to = parameters_of(now);
  if (from == nullptr || to == nullptr) return false;
  const auto rest_of = [](const Node& type, const Node* parameters) {
    Words words;
    for (const Node* kid : type.kids) {
      if (kid->part != Fact::kBody && !kid->comment) add_words(*kid, parameters, &words);
    }
    return words;
  };
  return rest_of(old, from) == rest_of(now, to) &&
         callers_with("kotlin", *from, *to) == Callers::kMore;
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

// The words that say what a method is called for, in a list of all of its head: places [begin,
// end).
struct ReceiverWords {
  std::size_t begin = 0, end = 0;
};

ReceiverWords receiver_in(std::string_view language, const Words& words) {
  const auto open = static_cast<std::size_t>(std::ranges::find(words, "(") - words.begin());
  if (language == "go") {
    if (open != 1 || words.size() < 4) return {};  // a function
    return {open + 1, open + (words[open + 1] == "*" ? 2 : 1)};
  }
  for (std::size_t at = open + 1; at < words.size(); ++at) {
    if (words[at] == "self") return {open + 1, at};
    if (!is_any(words[at], {"&", "mut"})) return {};
  }
  return {};
}

// The same head, with what the method is called for taken out and told.
std::pair<Words, Words> without_receiver(std::string_view language, Words words) {
  const ReceiverWords at = receiver_in(language, words);
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at.begin);
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(at.end);
  Words receiver(begin, end);
  words.erase(begin, end);
  return {std::move(words), std::move(receiver)};
}

Receiver receiver_of(const Outlines& pair, const Outlined* was, const Outlined* is) {
  const std::string_view language = language_of_both(pair, was, is);
  if (!is_any(language, {"go", "rust"}) || !is_function(is->kind)) return Receiver::kSame;
  for (const auto capability : {Capability::kVisibility, Capability::kBuild}) {
    if (has_changed(*was, *is, capability)) return Receiver::kSame;
  }
  const Head before = head_in(pair.before, *was), after = head_in(pair.after, *is);
  if (!keep_places(before.parameters, after.parameters)) return Receiver::kSame;
  const auto [old_rest, old_receiver] = without_receiver(language, before.words);
  const auto [rest, receiver] = without_receiver(language, after.words);
  if (old_rest != rest || old_receiver == receiver) return Receiver::kSame;
  if (language == "go") return receiver.empty() ? Receiver::kAny : Receiver::kPointer;
  return receiver == Words{"&"} ? Receiver::kAny : Receiver::kSame;
}

bool is_in_script(std::string_view language) {
  return is_any(language, {"javascript", "typescript", "tsx"});
}

bool signed_alike(const Outlines& pair, const Outlined* was, const Outlined* is) {
  const std::string_view language = language_of_both(pair, was, is);
  if (language.empty()) return false;
  if (has_changed(*was, *is, Capability::kBuild) && !is_shared(*was, *is, Capability::kBuild)) {
    return false;
  }
  if (only_hints(pair, *was, *is)) return true;
  if (!has_changed(*was, *is, Capability::kSignature)) return false;
  if (!is_shared(*was, *is, Capability::kVisibility)) return false;
  // A decorator stands with the function in Python.
  const bool shared = language == "python" || is_shared(*was, *is, Capability::kContract);
  if (is_function(is->kind) && (is_any(language, {"python", "ruby"}) || is_in_script(language))) {
    return shared && callers_of(language, *was, *is) == Callers::kSame;
  }
  if (declaration_stays_alike(pair, *was, *is)) return true;
  if (is->kind == "type") {
    return language == "python" && was->nodes.size() == 1 && is->nodes.size() == 1 &&
           class_words(*was) == class_words(*is);
  }
  if (!is_shared(*was, *is, Capability::kContract)) return false;
  if (is_function(is->kind)) {
    return is_any(language, {"c", "cpp", "go", "java", "rust"}) &&
           only_names_parameters(pair, *was, *is);
  }
  return declared_alike(pair, *was, *is);
}

// The function takes any number of what it took one of, in the last place.
bool takes_several(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const std::string_view language = pair.after.language->name;
  if (!is_any(language, {"go", "java"}) || !is_function(is.kind)) return false;
  const Head before = head_in(pair.before, was);
  Head after = head_in(pair.after, is);
  return std::erase(after.words, "...") == 1 && before.words == after.words &&
         std::ranges::find(before.words, "...") == before.words.end() &&
         keep_places(before.parameters, after.parameters);
}

// The parts of the union that a type in TypeScript is another name of; none: it is something else.
Words parts_of_union(const Outlined& symbol) {
  Words parts;
  if (symbol.kind != "type" || symbol.nodes.size() != 1) return parts;
  const Node& alias = *without_wrapping(symbol.nodes.front());
  const Node* value = alias.kind == "type_alias_declaration" ? kid_in(alias, "value") : nullptr;
  if (value == nullptr || kid_in(alias, "type_parameters") != nullptr) return parts;
  const auto add = [&](const auto& self, const Node& node) -> void {
    if (node.kind != "union_type") return parts.push_back(node.text);
    for (const Node* kid : node.kids) {
      if (kid->named && !kid->comment) self(self, *kid);
    }
  };
  add(add, *value);
  std::ranges::sort(parts);
  return parts;
}

// A union that has all that it had, and more.
bool unites_more(const Outlined& was, const Outlined& is) {
  const Words before = parts_of_union(was), after = parts_of_union(is);
  return !before.empty() && before.size() < after.size() && std::ranges::includes(after, before);
}

// Each use of what it was is one of what it is, too.
bool takes_more(const Outlines& pair, const Outlined* was, const Outlined* is) {
  const std::string_view language = language_of_both(pair, was, is);
  if (language.empty() || has_changed(*was, *is, Capability::kBuild)) return false;
  if (opens_up(pair, *was, *is) || derives_more(pair, *was, *is)) return true;
  if (template_takes_more(pair, *was, *is)) return true;
  if (is_in_script(language) && unites_more(*was, *is)) return true;
  if (is_function(was->kind) != is_function(is->kind)) return calls_stay_alike(pair, *was, *is);
  if (language == "kotlin" && is->kind == "type") return made_of_more(*was, *is);
  if (!is_function(is->kind) || has_changed(*was, *is, Capability::kVisibility)) return false;
  if (takes_several(pair, *was, *is)) return true;
  if (is_any(language, {"c", "cpp"})) return calls_stay_in_c(*was, *is);
  if (!is_any(language, {"python", "javascript", "typescript", "tsx", "go", "ruby", "php", "csharp",
                         "kotlin"})) {
    return false;
  }
  return callers_of(language, *was, *is) == Callers::kMore;
}

// Callers that give all arguments by their places do not see the change.
bool takes_places(const Outlines& pair, const Outlined* was, const Outlined* is) {
  const std::string_view language = language_of_both(pair, was, is);
  if (language.empty() || !is_function(is->kind) || has_changed(*was, *is, Capability::kBuild)) {
    return false;
  }
  if (has_changed(*was, *is, Capability::kVisibility)) return false;
  const Signed before = signed_in(language, *was), after = signed_in(language, *is);
  return before.parameters != nullptr && after.parameters != nullptr && before.rest == after.rest &&
         take_places_alike(language, *before.parameters, *after.parameters);
}

// A macro that stands for a number, and did so before.
bool stays_number(const Outlined* was, const Outlined* is) {
  return was != nullptr && is != nullptr && is_number_macro(*was) && is_number_macro(*is);
}

// The parameters of a function in Python, of which nothing else changed that its users see.
void note_parameters(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write) {
  if (is == nullptr || is->opaque || !is_function(is->kind) || write->language != "python") return;
  const Signed after = signed_in("python", *is);
  if (after.parameters == nullptr) return;
  if (was != nullptr) {
    const bool both = !language_of_both(pair, was, is).empty();
    const Signed before = both ? signed_in("python", *was) : Signed();
    if (before.parameters == nullptr || before.rest != after.rest) return;
    if (has_changed(*was, *is, Capability::kBuild)) return;
    write->asked = parameters_in_python(*before.parameters);
  }
  write->asks = parameters_in_python(*after.parameters);
}

// Takes the words that say who can set it out of `words`; true if everybody can.
bool take_setting(std::string_view language, Words* words) {
  const auto readonly = std::erase(*words, "readonly");
  if (language == "php" || is_in_script(language)) return readonly == 0;
  if (language == "kotlin") {
    const bool kept = std::ranges::find(*words, "val") != words->end();
    std::ranges::replace(*words, std::string_view("val"), std::string_view("var"));
    return !kept;
  }
  const auto set = std::ranges::find_if(
      *words, [](std::string_view word) { return is_any(word, {"set", "init"}); });
  if (set == words->end()) return readonly == 0 && std::ranges::find(*words, "get") == words->end();
  const bool open = *set == "set" && !is_any(*(set - 1), {"private", "protected", "internal"});
  words->erase(is_any(*(set - 1), {"private", "protected", "internal"}) ? set - 1 : set, set + 2);
  return open && readonly == 0;
}

// Nothing but that less of the code may set it.
bool only_keeps(const Outlines& pair, const Outlined* was, const Outlined* is) {
  const std::string_view language = language_of_both(pair, was, is);
  if (!is_any(language, {"php", "csharp", "kotlin"}) && !language.starts_with("t")) return false;
  if (was->nodes.size() != 1 || is->nodes.size() != 1) return false;
  const bool function = is_function(is->kind);
  if (!function && !is_any(is->kind, {"field", "variable", "property"})) return false;
  const auto declared = [](const Outlined& symbol) {
    const Node* node = symbol.nodes.front();
    while (node->parent != nullptr && is_any(node->kind, {"name", "variable_name"})) {
      node = node->parent;
    }
    return words_in_node(*node);
  };
  Words before = function ? head_in(pair.before, *was).words : declared(*was);
  Words after = function ? head_in(pair.after, *is).words : declared(*is);
  if (function && head_in(pair.before, *was).parameters != head_in(pair.after, *is).parameters) {
    return false;
  }
  const bool could = take_setting(language, &before), can = take_setting(language, &after);
  return could && !can && before == after;
}

// Arguments that a function took at most which takes more now.
void note_taken(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write) {
  const std::string_view language =
      write->takes_more ? language_of_both(pair, was, is) : std::string_view();
  if (language == "cpp" && is_function(is->kind)) write->took = most_arguments_in_c(*was);
  if (is_in_script(language)) write->took = most_arguments_in_script(pair.before, *was);
}

}  // namespace

bool becomes_constant_method(const Outlines& pair, const Outlined* was, const Outlined* is) {
  return language_of_both(pair, was, is) == "cpp" && is_function(is->kind) &&
         is_constant_method(*is) && !is_constant_method(*was);
}

void note_users(const Outlines& pair, const Outlined* was, const Outlined* is, Write* write) {
  const bool otherwise =
      !language_of_both(pair, was, is).empty() && is_value_used_otherwise(pair, *was, *is);
  const bool more = !language_of_both(pair, was, is).empty() && is_value_of_more(pair, *was, *is);
  if (otherwise || more) {
    write->what.of[static_cast<std::size_t>(Capability::kSignature)] = 1;
    // Users of a method of an object name it.
    if (write->defines.empty()) write->defines = {is->name};
  }
  write->signed_alike = !otherwise && signed_alike(pair, was, is);
  write->number = stays_number(was, is);
  write->receiver = receiver_of(pair, was, is);
  write->takes_more =
      more || write->receiver != Receiver::kSame || (!otherwise && takes_more(pair, was, is));
  if (!otherwise) note_parameters(pair, was, is, write);
  write->takes_places = !otherwise && takes_places(pair, was, is);
  write->kept = !otherwise && only_keeps(pair, was, is);
  note_taken(pair, was, is, write);
  const Arguments before = was == nullptr ? Arguments() : arguments_of(pair.before, *was);
  const Arguments after = is == nullptr ? Arguments() : arguments_of(pair.after, *is);
  const bool both = was != nullptr && is != nullptr;
  const bool any = (was != nullptr && before.most < 0) || (is != nullptr && after.most < 0);
  write->least = both ? std::min(before.least, after.least) : std::max(before.least, after.least);
  write->most = any ? -1 : std::max(before.most, after.most);
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

bool stands_for_constant(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const std::string_view language = language_of_both(pair, &was, &is);
  if (!is_number_macro(was)) return false;
  if (is.kind == "constant") return is_any(language, {"c", "cpp"});
  const Words words = is.nodes.size() == 1 ? words_in_node(*is.nodes.front()) : Words();
  const auto says = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  const bool constant = says("constexpr") || (language == "cpp" && says("const"));
  return is_any(language, {"c", "cpp"}) && is.kind == "variable" && constant;
}

}  // namespace gittxn::semantic
