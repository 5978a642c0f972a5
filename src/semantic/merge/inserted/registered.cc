#include "semantic/merge/inserted/registered.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/both/numbers.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMaxKey = 100, kMaxCallee = 200;

// A call, told by the first text that it is given.
struct Registration {
  std::string callee;             // empty: it is none
  std::vector<std::string> keys;  // its text, and the others that begin with "-"
};

bool is_call(const Node& node) {
  return has_any(node.kind, {"call", "invocation"}) && !node.kind.contains("suffix");
}

// `f(…)` of what gives its value to a new name in Go, "x := f(…)".
const Node* given_call(const Node& statement) {
  const Node* values = kid_in(statement, "right");
  const bool one = values != nullptr && values->kids.size() == 1;
  return one && is_call(*values->kids.front()) ? values->kids.front() : nullptr;
}

// `f(…)` of what is only that: "f(…);" as a statement, or as what decorates.
const Node* call_in(const Node& statement) {
  if (is_call(statement)) return &statement;
  if (statement.kind == "short_var_declaration") return given_call(statement);
  if (!is_any(statement.kind, {"expression_statement", "decorator"})) return nullptr;
  const Node* only = nullptr;
  for (const Node* kid : statement.kids) {
    if (!kid->named || kid->comment) continue;
    if (only != nullptr) return nullptr;
    only = kid;
  }
  return only != nullptr && is_call(*only) ? only : nullptr;
}

bool is_arguments(const Node& node) {
  return node.field == "arguments" || is_any(node.kind, {"argument_list", "value_arguments"});
}

const Node* arguments_of(const Node& call) {
  for (const Node* kid : call.kids) {
    if (is_arguments(*kid)) return kid;
    if (kid->kind != "call_suffix") continue;
    for (const Node* part : kid->kids) {
      if (is_arguments(*part)) return part;
    }
  }
  return nullptr;
}

// The name of what is called, as it is said; of a link in a chain where that begins, and its name.
std::string callee_of(const Node& call, const Node& arguments) {
  const auto length = static_cast<std::size_t>(arguments.text.data() - call.text.data());
  const std::string said = squeeze(call.text.substr(0, length));
  const std::size_t link = said.find('('), name = said.rfind('.');
  if (link == std::string::npos) return said.size() > kMaxCallee ? std::string() : said;
  if (name == std::string::npos || said.find('(', name) != std::string::npos) return {};
  return said.substr(0, std::min(link, kMaxCallee)) + "()" + said.substr(name);
}

// "flag." of "flag.Int" and "flag.StringVar": all flags of one set are told apart by their names,
// whatever they are.
std::string set_of_flags(const std::string& callee) {
  const std::size_t dot = callee.rfind('.');
  const bool flags =
      dot != std::string::npos && lower_ascii(callee.substr(0, dot)).contains("flag");
  return flags ? callee.substr(0, dot + 1) : callee;
}

// A call that logs, checks or sends something may do so with one text as often as it wants.
bool tells(std::string_view callee) {
  const std::string name = lower_ascii(callee.substr(callee.find_last_of(".:>$") + 1));
  constexpr std::string_view kTelling[] = {"assert", "expect", "log",  "print", "warn",  "debug",
                                           "info",   "error",  "emit", "trace", "write", "send",
                                           "push",   "append", "puts", "fail"};
  return std::ranges::any_of(kTelling,
                             [&](std::string_view word) { return name.starts_with(word); });
}

// "--size" of `"--size N"`; empty of what is no name but something to read.
std::string key_of_text(std::string_view text) {
  const std::size_t from = text.find_first_of("\"'`");
  if (from > 2 || text.size() < from + 3) return {};  // without a quote it is at npos
  if (text.back() != text[from]) return {};
  text = text.substr(from + 1, text.size() - from - 2);
  if (text.starts_with('-')) text = text.substr(0, text.find_first_of(" =,"));
  const bool plain = std::ranges::none_of(text, [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("\\%\"'`$").contains(c);
  });
  const bool word = std::ranges::any_of(
      text, [](char c) { return c == '/' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
  return plain && word && text.size() <= kMaxKey ? std::string(text) : std::string();
}

// An argument that is a text, without what a grammar puts around each argument.
std::string key_of_argument(const Node& argument) {
  const Node* at = &argument;
  while (at->kind.contains("argument") && at->kids.size() == 1) at = at->kids.front();
  return at->kind.contains("string") ? key_of_text(at->text) : std::string();
}

// The call, which has a text and something besides: another argument, a block, or a sign of an
// option before the text.
Registration registration_of_call(const Node& outer) {
  // A block in Kotlin is given to the call that is before it.
  const bool before =
      arguments_of(outer) == nullptr && outer.kids.size() == 2 && is_call(*outer.kids.front());
  const Node& call = before ? *outer.kids.front() : outer;
  const Node* arguments = arguments_of(call);
  if (arguments == nullptr) return {};
  Registration found;
  std::size_t given = 0;
  for (const Node* each : arguments->kids) {
    if (!each->named || each->comment) continue;
    ++given;
    std::string key = key_of_argument(*each);
    if (key.empty()) continue;
    if (found.keys.empty() || key.starts_with('-')) {
      found.keys.push_back(std::move(key));
    } else if (given == 2 && !found.keys.front().starts_with('-')) {
      found.keys.front() += " " + key;  // ("GET", "/size"): the two tell it
    }
  }
  if (found.keys.empty()) return {};
  const bool block = before || (arguments != call.kids.back() && call.kids.back()->named);
  if (given < 2 && !block && !found.keys.front().starts_with('-')) return {};
  found.callee = callee_of(call, *arguments);
  if (tells(found.callee)) return {};
  if (call.kind == "call_expression") found.callee = set_of_flags(found.callee);
  return found;
}

// The call stands by itself, is a link of a chain, or makes a flag, which has its value.
bool stands_alone(const Node& call, std::string_view callee) {
  const Node& in = *call.parent;
  if (callee.ends_with('.')) return true;
  if (is_any(in.kind, {"expression_statement", "decorator", "list", "array", "array_expression",
                       "statements"}) ||
      is_block(in) || in.parent == nullptr || callee.contains("()")) {
    return true;
  }
  return has_any(in.kind, {"member", "field_expression", "attribute", "selector", "navigation"});
}

using Registered = std::map<std::pair<std::string, std::string>, std::vector<const Node*>>;

// The calls by callee and key.
void find_registered(const Node& node, Registered* found) {
  if (node.kids.empty()) return;
  if (is_call(node) && node.parent != nullptr) {
    const Registration here = registration_of_call(node);
    if (!here.callee.empty() && stands_alone(node, here.callee)) {
      for (const std::string& key : here.keys) (*found)[{here.callee, key}].push_back(&node);
    }
  }
  for (const Node* kid : node.kids) find_registered(*kid, found);
}

std::string_view line_of(const Tree& tree, const Node& node) {
  const std::string_view text = tree.text();
  const auto at = static_cast<std::size_t>(node.text.data() - text.data());
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
  return trimmed(text.substr(from, end - from));
}

// The path to the call: declarations by their names, other blocks by the lines that open them.
std::string place_of_call(const Tree& tree, const Node& call) {
  std::string place;
  for (const Node *from = &call, *at = call.parent; at != nullptr; from = at, at = at->parent) {
    if (!at->decl.empty() && !at->name.empty() && at->decl != "key") {
      place += std::string(at->decl) + " " + std::string(at->name) + "/";
    } else if (is_block(*from)) {
      place += std::string(line_of(tree, *at)) + "/";
    }
  }
  return place;
}

// The calls of one callee in one place, by key.
std::map<std::string, int> keys_at(const Tree& tree, const Registered& registered,
                                   const std::string& callee, const std::string& place) {
  std::map<std::string, int> keys;
  for (auto at = registered.lower_bound({callee, {}});
       at != registered.end() && at->first.first == callee; ++at) {
    for (const Node* call : at->second) {
      if (place_of_call(tree, *call) == place) ++keys[at->first.second];
    }
  }
  return keys;
}

// Several, of which no two have one key: it tells them apart.
bool tells_apart(const std::map<std::string, int>& keys) {
  return keys.size() >= 2 &&
         std::ranges::all_of(keys, [](const auto& entry) { return entry.second == 1; });
}

// A part of a path that stands for any.
bool is_any_part(std::string_view part) {
  return part.find_first_of(":*{<([?") != std::string_view::npos;
}

std::string_view next_part(std::string_view* path) {
  const std::size_t end = std::min(path->find('/'), path->size());
  const std::string_view part = path->substr(0, end);
  path->remove_prefix(std::min(end + 1, path->size()));
  return part;
}

// "/a/:id" and "/a/new"; what stands for several parts may be anything.
bool may_be_one(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view x = next_part(&a), y = next_part(&b);
    if (x.contains('*') || y.contains('*')) return true;
    if (x != y && !is_any_part(x) && !is_any_part(y)) return false;
  }
  return a.empty() && b.empty();
}

bool are_apart(const Registration& a, const Registration& b) {
  return std::ranges::none_of(a.keys, [&](const std::string& x) {
    return std::ranges::any_of(b.keys,
                               [&](const std::string& y) { return x == y || may_be_one(x, y); });
  });
}

// A statement, or what decorates. What a call gives to a name may be anything but a flag.
Registration registration_of(const Node& statement) {
  const Node* call = call_in(statement);
  if (call == nullptr) return {};
  Registration found = registration_of_call(*call);
  const bool given = statement.kind == "short_var_declaration";
  return given && !found.callee.ends_with('.') ? Registration{} : found;
}

}  // namespace

bool registered_apart(const Sides<std::vector<const Node*>>& statements) {
  Sides<std::vector<Registration>> all;
  for (const Side side : {kLeft, kRight}) {
    for (const Node* each : statements[side]) {
      all[side].push_back(registration_of(*each));
      const std::string& callee = all[side].back().callee;
      if (callee.empty() || callee != all[kLeft].front().callee) return false;
    }
    if (all[side].empty()) return false;
  }
  for (const Registration& left : all[kLeft]) {
    const auto apart = [&left](const Registration& right) { return are_apart(left, right); };
    if (!std::ranges::all_of(all[kRight], apart)) return false;
  }
  return std::ranges::any_of(statements[kBase], [&](const Node* each) {
    return registration_of(*each).callee == all[kLeft].front().callee;
  });
}

Broken registered_twice(const Sides<const Tree*>& sides, const Tree& merged) {
  Registered now;
  find_registered(merged.root(), &now);
  std::erase_if(now, [](const auto& entry) { return entry.second.size() < 2; });
  if (now.empty()) return {};
  Sides<Registered> before;
  for (std::size_t i = 0; i < 3; ++i) find_registered(sides[i]->root(), &before[i]);
  for (const auto& [said, calls] : now) {
    const auto& [callee, key] = said;
    if (before[kBase].contains(said)) continue;
    const auto left = before[kLeft].find(said), right = before[kRight].find(said);
    if (left == before[kLeft].end() || right == before[kRight].end()) continue;
    std::map<std::string, std::vector<const Node*>> places;
    for (const Node* call : calls) places[place_of_call(merged, *call)].push_back(call);
    for (const auto& [place, twice] : places) {
      const auto once = [&](Side side) {
        const auto keys = keys_at(*sides[side], before[side], callee, place);
        const auto found = keys.find(key);
        return found != keys.end() && found->second == 1;
      };
      if (twice.size() < 2 || !once(kLeft) || !once(kRight)) continue;
      if (!tells_apart(keys_at(*sides[kBase], before[kBase], callee, place))) continue;
      Broken broken{"both sides added a call of " + callee.substr(0, 80) + " with \"" + key +
                        "\", at two places",
                    {}};
      for (const Node* call : twice) {
        broken.places.push_back(span_of_node(kMergedText, merged, *call));
      }
      return broken;
    }
  }
  return {};
}

}  // namespace gittxn::semantic
