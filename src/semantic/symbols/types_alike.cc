#include "semantic/symbols/types_alike.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

// The head of an enum in C++ without the type under it.
Words without_underlying(Words words) {
  const auto type = std::ranges::find(words, ":");
  words.erase(type, std::find(type, words.end(), "{"));
  return words;
}

bool is_same_enum(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const Words before = head_in(pair.before, was).words, after = head_in(pair.after, is).words;
  return !before.empty() && before.front() == "enum" &&
         without_underlying(before) == without_underlying(after);
}

const Node* record_of(const Outlined& symbol) {
  if (symbol.nodes.size() != 1) return nullptr;
  const Node* node = without_wrapping(symbol.nodes.front());
  return node->kind == "record_declaration" ? node : nullptr;
}

// The words of each value of a record.
std::vector<Words> components_of(const Node& record) {
  std::vector<Words> all;
  const Node* list = kid_in(record, "parameters");
  if (list == nullptr) return all;
  for (const Node* kid : list->kids) {
    if (kid->named && !kid->comment) all.push_back(words_in_node(*kid));
  }
  return all;
}

Words other_words_of(const Node& record) {
  Words words;
  for (const Node* kid : record.kids) {
    if (kid->field != "parameters" && kid->part != Fact::kBody && kid->field != "body") {
      add_words(*kid, nullptr, &words);
    }
  }
  return words;
}

// All that the record had follows in its order.
bool has_more_values(const Outlined& was, const Outlined& is) {
  const Node *before = record_of(was), *after = record_of(is);
  if (before == nullptr || after == nullptr) return false;
  if (other_words_of(*before) != other_words_of(*after)) return false;
  const std::vector<Words> old = components_of(*before), now = components_of(*after);
  std::size_t next = 0;
  for (const Words& one : now) next += next < old.size() && old[next] == one ? 1 : 0;
  return next == old.size();
}

bool is_same_component(const Outlined& was, const Outlined& is) {
  const auto parameter = [](const Outlined& symbol) -> const Node* {
    const Node* up = symbol.nodes.size() == 1 ? symbol.nodes.front()->parent : nullptr;
    return up != nullptr && up->kind == "formal_parameter" ? up : nullptr;
  };
  const Node *before = parameter(was), *after = parameter(is);
  return before != nullptr && after != nullptr && words_in_node(*before) == words_in_node(*after);
}

// The line of its group that declares a constant of Go; nullptr: this was not understood.
const Node* spec_of(const Outlined& symbol) {
  if (symbol.nodes.size() != 1) return nullptr;
  const Node* node = symbol.nodes.front();
  const auto declares = [&](const Node* spec) {
    return spec->kind == "const_spec" && std::ranges::any_of(spec->kids, [&](const Node* kid) {
             return kid->field == "name" && kid->text == symbol.name;
           });
  };
  if (node->kind == "const_declaration") {
    const auto found = std::ranges::find_if(node->kids, declares);
    return found == node->kids.end() ? nullptr : *found;
  }
  while (node != nullptr && !declares(node)) node = node->parent;
  return node;
}

// The words that the constant says itself, and those of the last one up to it with a value, which
// is repeated for those that have none.
std::pair<Words, Words> said_of(const Node& spec) {
  Words repeated;
  for (const Node* kid : spec.parent->kids) {
    if (kid->kind == "const_spec" && kid_in(*kid, "value") != nullptr) {
      repeated.clear();
      for (const Node* part : kid->kids) {
        if (part->field != "name") add_words(*part, nullptr, &repeated);
      }
    }
    if (kid == &spec) break;
  }
  return {words_in_node(spec), repeated};
}

bool is_same_in_group(const Outlined& was, const Outlined& is) {
  const Node *before = spec_of(was), *after = spec_of(is);
  return before != nullptr && after != nullptr && said_of(*before) == said_of(*after);
}

// The template and the list of what it takes; nullptr: it is none.
const Node* taken_by_template(const Outlined& symbol) {
  if (symbol.nodes.size() != 1 || symbol.nodes.front()->kind != "template_declaration") {
    return nullptr;
  }
  return kid_in(*symbol.nodes.front(), "parameters");
}

std::vector<const Node*> template_parameters_in(const Node& list) {
  std::vector<const Node*> kids;
  std::ranges::copy_if(list.kids, std::back_inserter(kids),
                       [](const Node* kid) { return kid->named && !kid->comment; });
  return kids;
}

// The head of a template without the list of what it takes.
void add_head_words(const Node& node, const Node& list, Words* words) {
  if (node.comment || &node == &list || node.part == Fact::kBody) return;
  if (node.kids.empty()) words->push_back(node.text);
  for (const Node* kid : node.kids) add_head_words(*kid, list, words);
}

Words behind_list(const Outlined& symbol, const Node& list) {
  Words words;
  add_head_words(*symbol.nodes.front(), list, &words);
  return words;
}

}  // namespace

bool declaration_stays_alike(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const std::string_view language = pair.after.language->name;
  if (language == "cpp") return is.kind == "type" && is_same_enum(pair, was, is);
  if (language == "go") return is.kind == "constant" && is_same_in_group(was, is);
  return language == "java" && (has_more_values(was, is) || is_same_component(was, is));
}

bool template_takes_more(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const Node *before = taken_by_template(was), *after = taken_by_template(is);
  if (pair.after.language->name != "cpp" || before == nullptr || after == nullptr) return false;
  const std::vector<const Node*> old = template_parameters_in(*before),
                                 now = template_parameters_in(*after);
  if (old.size() >= now.size()) return false;
  const auto same = [](const Node* a, const Node* b) {
    return words_in_node(*a) == words_in_node(*b);
  };
  if (!std::equal(old.begin(), old.end(), now.begin(), same)) return false;
  const bool optional =
      std::ranges::all_of(now.begin() + static_cast<std::ptrdiff_t>(old.size()), now.end(),
                          [](const Node* one) { return one->kind.starts_with("optional_"); });
  return optional && behind_list(was, *before) == behind_list(is, *after);
}

}  // namespace gittxn::semantic
