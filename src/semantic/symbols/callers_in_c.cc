#include "semantic/symbols/callers_in_c.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

struct ParameterInC {
  Words type;              // without its own name, and what is constant for the function alone
  std::string_view name;   // empty when it has none
  std::string_view value;  // it has when it is left out
  bool optional = false;
};

// One part of a function.
struct PartInC {
  const Node* list = nullptr;  // of parameters; nullptr: this was not understood
  std::vector<ParameterInC> parameters;
  Words head;  // all of it but parameters, what stands behind them, and the body
  Words tail;  // `const`, `noexcept` and the like
};

// The node that a declarator is of: `f(int)` of `*f(int)`.
const Node* function_declarator(const Node* node) {
  while (node != nullptr && node->kind != "function_declarator") {
    const Node* inner = kid_in(*node, "declarator");
    const bool reference = node->kind == "reference_declarator" && !node->kids.empty();
    node = inner == nullptr && reference ? node->kids.back() : inner;
  }
  return node;
}

void add_type_words(const Node& node, ParameterInC* parameter) {
  if (node.comment || node.field == "default_value") return;
  if (node.says == Fact::kParameter) {
    parameter->name = node.text;
  } else if (node.kids.empty() && node.text != "=") {
    parameter->type.push_back(node.text);
  }
  for (const Node* kid : node.kids) add_type_words(*kid, parameter);
}

ParameterInC parameter_in_c(const Node& node) {
  ParameterInC parameter;
  add_type_words(node, &parameter);
  Words& type = parameter.type;
  const bool pointer = std::ranges::count(type, "*") > 0;
  const bool reference = std::ranges::count(type, "&") > 0;
  if (!pointer && !reference) std::erase(type, "const");
  if (pointer && type.back() == "const") type.pop_back();
  if (const Node* value = kid_in(node, "default_value"); value != nullptr) {
    parameter.value = value->text;
    parameter.optional = true;
  }
  return parameter;
}

void add_head(const Node& node, PartInC* part) {
  if (node.comment || &node == part->list || node.part == Fact::kBody) return;
  if (node.kids.empty()) part->head.push_back(node.text);
  bool behind = false;
  for (const Node* kid : node.kids) {
    if (behind) {
      add_words(*kid, nullptr, &part->tail);
    } else {
      add_head(*kid, part);
    }
    behind = behind || kid == part->list;
  }
}

PartInC part_in_c(const Node& node) {
  PartInC part;
  const Node* declarator = function_declarator(kid_in(*without_wrapping(&node), "declarator"));
  part.list = declarator == nullptr ? nullptr : kid_in(*declarator, "parameters");
  if (part.list == nullptr) return part;
  for (const Node* kid : part.list->kids) {
    const bool any = kid->text == "...";
    if (kid->comment || (!kid->named && !any)) continue;
    part.parameters.push_back(parameter_in_c(*kid));
  }
  const bool none = part.parameters.size() == 1 && part.parameters[0].type == Words{"void"};
  if (none) part.parameters.clear();
  add_head(node, &part);
  return part;
}

// A pointer or a reference to something is taken for one to something constant, too.
bool becomes_constant(const Words& was, Words is) {
  if (was == is) return true;
  const auto count = [](const Words& words, std::string_view word) {
    return std::ranges::count(words, word);
  };
  if (count(is, "*") + count(is, "&") != 1 || count(was, "const") != 0) return false;
  // A constant argument of a template makes another type of it.
  if (count(is, "<") > 0 && is.front() != "const") return false;
  if (std::erase(is, "const") != 1) return false;
  if (was == is) return true;
  // A value is given as a reference to something constant.
  return std::erase(is, "&") == 1 && was == is;
}

bool accepts_in_c(const ParameterInC& was, const ParameterInC& is) {
  if (was.optional && (!is.optional || was.value != is.value)) return false;
  return becomes_constant(was.type, is.type);
}

// A member that was made by default is written out now, and is called as it was.
bool is_said_now(Words was, Words is) {
  const Words by_default = {"=", "default", ";"};
  if (was.size() < by_default.size() || was == is) return false;
  const auto end = was.end() - static_cast<std::ptrdiff_t>(by_default.size());
  if (!std::equal(end, was.end(), by_default.begin())) return false;
  was.erase(end, was.end());
  if (!is.empty() && is.back() == ";") is.pop_back();
  return was == is;
}

bool part_stays(const PartInC& was, const PartInC& is) {
  if (was.list == nullptr || is.list == nullptr) return false;
  if (was.head != is.head && !is_said_now(was.head, is.head)) return false;
  if (is.parameters.size() < was.parameters.size()) return false;
  Words names, others;
  for (const ParameterInC& one : was.parameters) names.push_back(one.name);
  for (const ParameterInC& one : is.parameters) others.push_back(one.name);
  std::erase(names, "");
  std::erase(others, "");
  if (!keep_places(names, others)) return false;
  // Promises may have come behind the parameters.
  Words tail = is.tail;
  for (const std::string_view promise : {"const", "noexcept", "override"}) {
    if (std::ranges::count(was.tail, promise) == 0) std::erase(tail, promise);
  }
  return was.tail == tail && std::equal(was.parameters.begin(), was.parameters.end(),
                                        is.parameters.begin(), accepts_in_c);
}

std::vector<PartInC> parts_in_c(const Outlined& symbol) {
  std::vector<PartInC> parts;
  for (const Node* node : symbol.nodes) parts.push_back(part_in_c(*node));
  return parts;
}

}  // namespace

bool calls_stay_in_c(const Outlined& was, const Outlined& is) {
  const std::vector<PartInC> before = parts_in_c(was), after = parts_in_c(is);
  if (before.empty() || !std::ranges::equal(before, after, part_stays)) return false;
  // New parameters may be left out in one of the parts.
  const std::size_t old = before.front().parameters.size();
  for (std::size_t i = old; i < after.front().parameters.size(); ++i) {
    const bool optional = std::ranges::any_of(after, [&](const PartInC& part) {
      return i < part.parameters.size() && part.parameters[i].optional;
    });
    if (!optional) return false;
  }
  return true;
}

int least_arguments_in_c(const Outlined& symbol) {
  int least = -1;
  for (const PartInC& part : parts_in_c(symbol)) {
    if (part.list == nullptr) return -1;
    const auto count = static_cast<int>(
        std::ranges::count_if(part.parameters, [](const auto& one) { return !one.optional; }));
    least = least < 0 ? count : std::min(least, count);
  }
  return least;
}

int most_arguments_in_c(const Outlined& symbol) {
  int most = -1;
  for (const PartInC& part : parts_in_c(symbol)) {
    if (part.list == nullptr || part.list->text.contains("...")) return -1;
    most = std::max(most, static_cast<int>(part.parameters.size()));
  }
  return most;
}

bool is_constant_method(const Outlined& symbol) {
  return std::ranges::any_of(parts_in_c(symbol), [](const PartInC& part) {
    return std::ranges::find(part.tail, "const") != part.tail.end();
  });
}

}  // namespace gittxn::semantic
