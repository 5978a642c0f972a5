#include "semantic/merge/both/brought_in.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/both/answers.h"
#include "semantic/merge/both/called.h"
#include "semantic/merge/both/demands.h"
#include "semantic/merge/both/functions.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/merge/both/own_calls.h"
#include "semantic/merge/both/shapes.h"
#include "semantic/merge/both/taken.h"
#include "semantic/read/text_lines.h"

namespace gittxn::semantic {
namespace {

// --- one name, two values ---

using GivenNames = std::map<std::string_view, std::vector<const Node*>>;

// The names that a function gives a value, with what gives it.
GivenNames given_names(const Tree& tree, const Node& function) {
  GivenNames given;
  for (std::uint32_t i = function.leaf; i < function.leaf + function.leaves; ++i) {
    const Node& leaf = *tree.leaves()[i];
    if (is_given_here(leaf)) given[leaf.text].push_back(&giver_of(leaf));
  }
  return given;
}

bool has_word(const Tree& tree, const Node& function, std::string_view name) {
  const auto from = tree.leaves().begin() + function.leaf;
  return std::any_of(from, from + function.leaves,
                     [name](const Node* leaf) { return leaf->text == name; });
}

Broken both_bind(const Sides<const Tree*>& sides) {
  const Sides<Functions> functions = {functions_in(*sides[kBase]), functions_in(*sides[kLeft]),
                                      functions_in(*sides[kRight])};
  for (const auto& [path, was] : functions[kBase]) {
    const auto left = functions[kLeft].find(path), right = functions[kRight].find(path);
    if (was == nullptr || left == functions[kLeft].end() || right == functions[kRight].end()) {
      continue;
    }
    if (left->second == nullptr || right->second == nullptr) continue;
    if (left->second->hash == was->hash || right->second->hash == was->hash) continue;
    const GivenNames there = given_names(*sides[kRight], *right->second);
    for (const auto& [name, here] : given_names(*sides[kLeft], *left->second)) {
      const auto also = there.find(name);
      if (also == there.end() || has_word(*sides[kBase], *was, name)) continue;
      const bool same = here.size() == also->second.size() &&
                        std::ranges::equal(here, also->second, [&](const Node* x, const Node* y) {
                          return same_code(*sides[kLeft], *x, *sides[kRight], *y);
                        });
      if (same) continue;
      if (NewBlocks(*was, *sides[kLeft], *left->second).hold(here)) continue;
      if (NewBlocks(*was, *sides[kRight], *right->second).hold(also->second)) continue;
      return {"both sides gave a new name '" + std::string(name.substr(0, 40)) +
                  "' a value of their own in " + std::string(was->name.substr(0, 80)) + "()",
              {span_of_node(kLeft, *sides[kLeft], *here.front()),
               span_of_node(kRight, *sides[kRight], *also->second.front())}};
    }
  }
  return {};
}

// --- a count that both raised ---

// A line with a sign for each whole number that stands alone in it, and the numbers.
struct NumberedLine {
  std::string line;
  std::vector<unsigned long> numbers;
};

NumberedLine numbers_on(std::string_view line) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.\"'").contains(c);
  };
  NumberedLine counted;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && is_word(line[end])) ++end;
    const std::string_view word = line.substr(i, end - i);
    if (!word.empty() && word.size() < 10 &&
        word.find_first_not_of("0123456789") == std::string_view::npos) {
      counted.numbers.push_back(std::stoul(std::string(word)));
      counted.line += '#';
    } else {
      counted.line += word.empty() ? line.substr(i, 1) : word;
    }
    i = std::max(end, i + 1);
  }
  return counted;
}

// Lines that are the same but for numbers, which have grown.
bool has_raised(std::string_view before, std::string_view after) {
  const NumberedLine was = numbers_on(before), is = numbers_on(after);
  if (was.line != is.line || was.numbers == is.numbers) return false;
  for (std::size_t i = 0; i < was.numbers.size(); ++i) {
    if (is.numbers[i] < was.numbers[i]) return false;
  }
  return true;
}

// A side's change, as lines; cheap, since only equal changes of both sides are looked for.
struct LineChange {
  LineRange lines;  // of the base
  std::string_view was, is;

  bool operator==(const LineChange& other) const {
    return lines.from == other.lines.from && lines.to == other.lines.to && is == other.is;
  }
};

std::vector<LineChange> changes_in(const RoughDifference& base, const TextLines& after) {
  std::vector<LineChange> changes;
  for (const LineHunk& hunk : base.to(after)) {
    changes.push_back({hunk.before, base.before().of(hunk.before), after.of(hunk.after)});
  }
  return changes;
}

// Each counted what it added, and neither what the other did.
Broken both_raised(const Sides<const Tree*>& sides) {
  const RoughDifference base(sides[kBase]->text());
  Sides<std::vector<LineChange>> changes;
  for (const Side side : {kLeft, kRight}) {
    changes[side] = changes_in(base, TextLines(sides[side]->text()));
  }
  Broken broken{"both sides raised a number alike, and each added something", {}};
  Sides<bool> adds = {false, false, false};
  for (const Side side : {kLeft, kRight}) {
    for (const LineChange& change : changes[side]) {
      const bool alike =
          std::ranges::find(changes[other(side)], change) != changes[other(side)].end();
      adds[side] = adds[side] || (change.is.size() > change.was.size() && !alike);
      if (side == kRight || !alike || !has_raised(change.was, change.is)) continue;
      const std::size_t at = base.before().start(change.lines.from);
      broken.places.push_back({kBase, at, at + change.was.size()});
    }
  }
  return !broken.places.empty() && adds[kLeft] && adds[kRight] ? broken : Broken{};
}

// --- a field of another type ---

std::map<std::string, const Node*> fields_in(const Tree& tree) {
  std::map<std::string, const Node*> fields;
  for (const Declared& each : tree.declarations()) {
    if (each.node->decl == "field") fields.emplace(each.path, each.node);
  }
  return fields;
}

// Its type, as far as the grammar says it.
std::string type_of_field(const Node& node) {
  const Node* type = kid_in(node, "type");
  return type == nullptr ? std::string() : squeeze(type->text);
}

// Each place where a value is given to something of that name: "name: 3" in a literal.
std::vector<const Node*> given_to(const Tree& tree, std::string_view name) {
  std::vector<const Node*> given;
  for (const Node* leaf : tree.leaves()) {
    if (leaf->text != name) continue;
    for (const Node* at = leaf; at != nullptr && at->text.size() < name.size() + 2;
         at = at->parent) {
      if (at->parent == nullptr || at->parent->decl != "key") continue;
      given.push_back(at->parent);
      break;
    }
  }
  return given;
}

Broken retyped_and_given(const Sides<const Tree*>& sides) {
  Sides<std::map<std::string, const Node*>> fields;
  for (std::size_t i = 0; i < 3; ++i) fields[i] = fields_in(*sides[i]);
  for (const auto& [path, was] : fields[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      const auto now = fields[side].find(path), there = fields[other(side)].find(path);
      if (now == fields[side].end() || there == fields[other(side)].end()) continue;
      const std::string type = type_of_field(*was);
      if (type.empty() || type == type_of_field(*now->second)) continue;
      if (type != type_of_field(*there->second)) continue;
      const auto before = given_to(*sides[kBase], was->name);
      const auto after = given_to(*sides[other(side)], was->name);
      if (after.size() <= before.size()) continue;
      Broken broken{"one side gave '" + std::string(was->name.substr(0, 40)) +
                        "' another type, and the other gives it one more value of the old one",
                    {}};
      for (const Node* each : after) {
        broken.places.push_back(span_of_node(other(side), *sides[other(side)], *each));
      }
      return broken;
    }
  }
  return {};
}

// --- a name of one function ---

std::ptrdiff_t times_said(const Tree& tree, const Node& in, std::string_view name) {
  const auto from = tree.leaves().begin() + in.leaf;
  return std::count_if(from, from + in.leaves,
                       [name](const Node* leaf) { return leaf->text == name; });
}

// The function takes the name, or gives it a value.
bool binds(const Tree& tree, const Node& function, std::string_view name) {
  for (std::uint32_t i = function.leaf; i < function.leaf + function.leaves; ++i) {
    const Node& leaf = *tree.leaves()[i];
    if (leaf.text != name) continue;
    if (is_given_here(leaf)) return true;
    for (const Node* at = &leaf; at != &function; at = at->parent) {
      if (is_any(at->field, {"parameters", "receiver"})) return true;
    }
  }
  return false;
}

bool is_of_one_function(const Sides<const Tree*>& sides, Side user, std::string_view name) {
  const Tree& base = *sides[kBase];
  const Functions there = functions_in(*sides[user]);
  const auto all = times_said(base, base.root(), name);
  for (const auto& [path, function] : functions_in(base)) {
    if (function == nullptr || times_said(base, *function, name) != all) continue;
    const auto now = there.find(path);
    if (now == there.end() || now->second == nullptr || !binds(base, *function, name)) continue;
    if (times_said(*sides[user], *now->second, name) == all) return true;
  }
  return false;
}

// "with open(p) as name", "for name in …", and what gives it a value otherwise.
bool is_bound_here(const Node& leaf) {
  if (is_given_here(leaf) || leaf.parent == nullptr) return is_given_here(leaf);
  const Node& in = *leaf.parent;
  return in.kind.contains("as_pattern") || (leaf.field == "left" && in.kind.starts_with("for_")) ||
         (in.field == "left" && in.kind.contains("pattern") && in.parent->kind.starts_with("for_"));
}

bool is_bound_first(const Tree& merged, std::string_view name) {
  std::ptrdiff_t bound = 0;
  for (const auto& [path, function] : functions_in(merged)) {
    if (function == nullptr) continue;
    const auto from = merged.leaves().begin() + function->leaf, to = from + function->leaves;
    const auto first = std::find_if(from, to, [&](const Node* leaf) { return leaf->text == name; });
    if (first != to && is_bound_here(**first)) bound += times_said(merged, *function, name);
  }
  return bound > 0 && bound == times_said(merged, merged.root(), name);
}

}  // namespace

bool is_something_else(const Sides<const Tree*>& sides, Side user, std::string_view name,
                       const Tree& merged) {
  return is_of_one_function(sides, user, name) || is_bound_first(merged, name);
}

Broken brought_in_twice(const Sides<const Tree*>& sides) {
  Broken broken = both_bind(sides);
  if (broken.why.empty()) broken = both_number(sides);
  if (broken.why.empty()) broken = both_raised(sides);
  if (broken.why.empty()) broken = retyped_and_given(sides);
  if (broken.why.empty()) broken = moved_and_used(sides);
  if (broken.why.empty()) broken = dropped_and_used(sides);
  if (broken.why.empty()) broken = undeclared_and_used(sides);
  if (broken.why.empty()) broken = brought_by_both(sides);
  if (!broken.why.empty()) return broken;
  const std::vector<ChangedFunction> changed = changed_functions(sides);
  broken = called_as_before(sides, changed);
  if (broken.why.empty()) broken = answers_otherwise(sides, changed);
  if (broken.why.empty()) broken = shaped_as_before(sides);
  if (broken.why.empty()) broken = left_out_of_cases(sides);
  return broken.why.empty() ? left_out_of_type(sides) : broken;
}

}  // namespace gittxn::semantic
