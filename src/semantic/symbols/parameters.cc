#include "semantic/symbols/parameters.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

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
  std::string_view own = {};  // its name, where callers cannot say it
  bool by_name = false;       // callers have to say its name, and it has no place
  bool operator==(const Parameter& other) const {
    return name == other.name && value == other.value && kind == other.kind;
  }
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

// The name of a parameter in a script that is nothing but a name; nullptr: it is taken apart.
const Node* plain_name(const Node& node) {
  if (node.kind == "identifier") return &node;
  const bool holds =
      is_any(node.kind, {"assignment_pattern", "required_parameter", "optional_parameter"});
  const Node* inner =
      holds ? kid_in(node, node.kind == "assignment_pattern" ? "left" : "pattern") : nullptr;
  return inner != nullptr && inner->kind == "identifier" ? inner : nullptr;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_any(text.substr(text.size() - 1), {" ", "=", "\n", "\t"})) {
    text.remove_suffix(1);
  }
  return text;
}

Parameter in_others(std::string_view language, const Node& node) {
  const Node* value = kid_in(node, node.kind == "assignment_pattern" ? "right" : "value");
  const bool rest = node.kind == "rest_pattern" || node.kind == "variadic_parameter_declaration" ||
                    node.text.starts_with("...");
  if (rest) return {node.text, {}, PKind::kRest};
  Parameter found{node.text, {}, PKind::kPlain};
  if (node.kind == "optional_parameter") found.kind = PKind::kOptional;
  if (value != nullptr) {
    found.name = trimmed(
        node.text.substr(0, static_cast<std::size_t>(value->text.data() - node.text.data())));
    found.value = value->text;
    found.kind = PKind::kOptional;
  }
  const Node* own = language == "go" ? nullptr : plain_name(node);
  if (own == nullptr) return found;
  found.own = own->text;
  const char* type = own->text.data() + own->text.size();
  const char* end = found.name.data() + found.name.size();
  found.name = end > type ? std::string_view(type, static_cast<std::size_t>(end - type))
                          : std::string_view();
  return found;
}

// The parameter between two commas, in Ruby, PHP, C# and Kotlin: all that stands before a "=", for
// callers may say its name.
Parameter in_row(std::span<Node* const> nodes) {
  if (nodes.size() == 1 && nodes[0]->kind == "keyword_parameter") {
    const Node *name = kid_in(*nodes[0], "name"), *value = kid_in(*nodes[0], "value");
    if (name == nullptr) return {nodes[0]->text, {}, PKind::kMark};
    return {name->text,
            value == nullptr ? std::string_view() : value->text,
            value == nullptr ? PKind::kPlain : PKind::kOptional,
            {},
            true};
  }
  const auto text_between = [](const Node& first, const Node& last) {
    const char *begin = first.text.data(), *end = last.text.data() + last.text.size();
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  const std::string_view whole = text_between(*nodes.front(), *nodes.back());
  if (whole.starts_with("**")) return {whole, {}, PKind::kNamedRest};
  const bool several = whole.starts_with('*') || whole.contains("...") ||
                       whole.starts_with("params ") || whole.starts_with("vararg ");
  if (several) return {whole, {}, PKind::kRest};
  if (whole.starts_with('&')) return {whole, {}, PKind::kOptional};
  if (nodes.size() == 1) nodes = nodes[0]->kids;
  const auto sign = std::ranges::find(nodes, std::string_view("="), &Node::text);
  if (sign == nodes.end() || sign == nodes.begin() || sign + 1 == nodes.end()) {
    return {whole, {}, PKind::kPlain};
  }
  return {text_between(*nodes.front(), **(sign - 1)), text_between(**(sign + 1), *nodes.back()),
          PKind::kOptional};
}

Parameters rows_in(const Node& list) {
  Parameters all;
  std::size_t from = 1;
  for (std::size_t i = 1; i < list.kids.size(); ++i) {
    if (!is_any(list.kids[i]->text, {",", ")"})) continue;
    if (from < i) all.push_back(in_row(list.kids.subspan(from, i - from)));
    from = i + 1;
  }
  return all;
}

// Nobody who calls a function in Ruby can say the name of a parameter that has a place.
void hide_names(Parameters* all) {
  for (Parameter& one : *all) {
    const bool placed = one.kind == PKind::kPlain || one.kind == PKind::kOptional;
    if (!placed || one.by_name || !is_identifier(one.name)) continue;
    one.own = one.name;
    one.name = {};
  }
}

// A parameter without its name: "int" of `int amount`.
std::string_view typed(std::string_view language, std::string_view parameter) {
  if (language == "kotlin")
    return parameter.substr(std::min(parameter.find(':'), parameter.size()));
  const std::size_t end = parameter.rfind(language == "php" ? '$' : ' ');
  return end == parameter.npos ? std::string_view() : trimmed(parameter.substr(0, end));
}

bool has_rows(std::string_view language) {
  return is_any(language, {"ruby", "php", "csharp", "kotlin"});
}

Parameters parameters_in(std::string_view language, const Node& list) {
  Parameters all = has_rows(language) ? rows_in(list) : Parameters();
  if (language == "ruby") hide_names(&all);
  if (has_rows(language)) return all;
  if (list.kids.empty()) return {in_others(language, list)};  // `total => 1`
  for (const Node* kid : list.kids) {
    if (kid->comment || is_any(kid->text, {",", "(", ")"})) continue;
    all.push_back(language == "python" ? in_python(*kid) : in_others(language, *kid));
  }
  return all;
}

// The types in TypeScript that a text like ": string | number" is of; none: it is not that plain.
Words united(std::string_view type) {
  Words types;
  if (!type.starts_with(':') || type.find_first_of("<>(){}[]?=&") != type.npos) return types;
  for (type.remove_prefix(1); !type.empty();) {
    const std::size_t end = std::min(type.find('|'), type.size());
    std::string_view one = trimmed(type.substr(0, end));
    one.remove_prefix(std::min(one.find_first_not_of(" \n\t"), one.size()));
    if (!one.empty()) types.push_back(one);
    type.remove_prefix(std::min(end + 1, type.size()));
  }
  return types;
}

// `string` may be given where `string | number` is taken.
bool takes_type(std::string_view was, std::string_view is) {
  const Words old = united(was), now = united(is);
  return !old.empty() && std::ranges::all_of(old, [&](std::string_view type) {
    return std::ranges::find(now, type) != now.end();
  });
}

// An argument that was given to `was` may be given to `is`.
bool accepts(const Parameter& was, const Parameter& is) {
  if (was.name != is.name && !takes_type(was.name, is.name)) return false;
  if (was.kind == is.kind) return was.value == is.value;
  return was.kind == PKind::kPlain && is.kind == PKind::kOptional;
}

// Parameters behind this one are given by their names alone.
bool ends_places(const Parameter& one) {
  return one.kind == PKind::kRest || one.kind == PKind::kNamedRest || one.by_name ||
         one.name == "*";
}

// Each call of a function with `was` is one of a function with `is`.
bool accepts_all(std::string_view language, const Parameters& was, const Parameters& is) {
  const bool anything = !is.empty() && is.front().kind == PKind::kRest &&
                        (is.back().kind == PKind::kNamedRest || language == "javascript");
  if (anything) return true;
  const auto old_end = std::ranges::find_if(was, ends_places);
  const auto new_end = std::ranges::find_if(is, ends_places);
  const auto places = old_end - was.begin();
  if (new_end - is.begin() < places) return false;
  if (!std::equal(was.begin(), old_end, is.begin(), accepts)) return false;
  // A lambda behind a call in Kotlin is its last argument.
  const bool trails = language == "kotlin" && !was.empty() && was.back().name.contains("->");
  if (trails && was.size() != is.size()) return false;
  const bool takes_rest = old_end != was.end() && old_end->kind == PKind::kRest;
  if (takes_rest && new_end - is.begin() != places) return false;
  for (auto one = old_end; one != was.end(); ++one) {
    if (one->name == "*") continue;
    const bool there = std::any_of(is.begin() + places, is.end(), [&](const Parameter& now) {
      return accepts(*one, now) || (one->kind == now.kind && !one->by_name && ends_places(*one));
    });
    if (!there) return false;
  }
  return std::all_of(is.begin() + places, is.end(), [&](const Parameter& now) {
    if (now.kind != PKind::kPlain && now.kind != PKind::kMark) return true;
    if (now.name == "*") return true;
    return is_any(language, {"python", "ruby"}) &&
           std::any_of(old_end, was.end(),
                       [&](const Parameter& one) { return one.name == now.name; });
  });
}

Words own_names_of(const Parameters& parameters) {
  Words names;
  for (const Parameter& one : parameters) {
    if (!one.own.empty()) names.push_back(one.own);
  }
  return names;
}

}  // namespace

Callers callers_with(std::string_view language, const Node& was, const Node& is) {
  const Parameters old = parameters_in(language, was), now = parameters_in(language, is);
  if (!keep_places(own_names_of(old), own_names_of(now))) return Callers::kOther;
  if (old == now) return Callers::kSame;
  return accepts_all(language, old, now) ? Callers::kMore : Callers::kOther;
}

bool take_places_alike(std::string_view language, const Node& was, const Node& is) {
  if (!is_any(language, {"php", "csharp", "kotlin"})) return false;
  const Parameters old = parameters_in(language, was), now = parameters_in(language, is);
  if (old.size() != now.size()) return false;
  bool placed = true;
  for (std::size_t i = 0; i < old.size(); ++i) {
    placed = placed && !ends_places(old[i]) && !ends_places(now[i]);
    const bool same = placed ? typed(language, old[i].name) == typed(language, now[i].name)
                             : old[i].name == now[i].name;
    if (!same || old[i].kind != now[i].kind || old[i].value != now[i].value) return false;
  }
  Words before, after;
  for (const Parameter& one : old) before.push_back(one.name);
  for (const Parameter& one : now) after.push_back(one.name);
  return keep_places(before, after);
}

std::string parameters_in_python(const Node& list) {
  std::string all;
  for (const Parameter& one : parameters_in("python", list)) {
    const bool mark = one.kind == PKind::kMark || is_any(one.name, {"*", "/"});
    const char sign = mark                            ? '|'
                      : one.kind == PKind::kRest      ? '*'
                      : one.kind == PKind::kNamedRest ? '@'
                                                      : ' ';
    all += sign + std::string(one.name);
    if (one.kind == PKind::kOptional) all += "=" + squeeze(one.value);
    all += '\n';
  }
  return all;
}

}  // namespace gittxn::semantic
