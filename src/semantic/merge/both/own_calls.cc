#include "semantic/merge/both/own_calls.h"

#include <algorithm>
#include <set>

#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

// The last name in "(s *Store)" and the first one.
struct GoReceiver {
  std::string_view name, type;
};

GoReceiver receiver_of(const Node& method) {
  const Node* list = kid_in(method, "receiver");
  if (list == nullptr) return {};
  const auto words = words_of(list->text);
  return words.size() == 2 ? GoReceiver{words[0], words[1]} : GoReceiver{};
}

// The type, or what else holds declarations, that a node is in; empty at the top of a file.
std::string_view holder_of(const Node& node) {
  for (const Node* at = node.parent; at != nullptr; at = at->parent) {
    if (is_any(at->decl, {"type", "impl", "namespace"})) return at->name;
    if (at->kind == "method_declaration" && !receiver_of(*at).type.empty()) {
      return receiver_of(*at).type;
    }
  }
  return {};
}

bool is_maker(const Node& function, std::string_view holder) {
  return function.decl == "constructor" || function.name == holder ||
         is_any(function.name, {"__init__", "constructor", "__construct"});
}

// The function that a variable of a script is given.
const Node* function_value(const Node& variable) {
  for (const Node* at = &variable; !at->kids.empty();) {
    const auto next = std::ranges::find_if(at->kids, [](const Node* kid) {
      return kid->field == "value" || kid->field == "declaration" ||
             kid->kind == "variable_declarator" || kid->kind == "lexical_declaration";
    });
    if (next == at->kids.end()) return nullptr;
    at = *next;
    if (is_any(at->kind, {"arrow_function", "function_expression"})) return at;
  }
  return nullptr;
}

std::string key_of_function(const Declared& declared, std::string_view holder) {
  const Node& node = *declared.node;
  if (!holder.empty() && is_maker(node, holder)) return "new " + std::string(holder);
  if (!holder.empty()) return std::string(holder) + "." + std::string(node.name);
  return declared.path.contains('/') ? std::string() : std::string(node.name);
}

// Languages in which a plain name may be a member of the type around it.
bool has_plain_members(const Language& language) {
  return is_any(language.name, {"java", "csharp", "kotlin", "cpp"});
}

bool is_own_object(std::string_view before, const Node& call) {
  if (is_any(before, {"self.", "this.", "this->", "$this->", "self::", "Self::", "cls.",
                      "static::", "this?."})) {
    return true;
  }
  const Node* at = call.parent;
  while (at != nullptr && at->kind != "method_declaration") at = at->parent;
  const std::string_view receiver = at == nullptr ? std::string_view() : receiver_of(*at).name;
  return !receiver.empty() && before.size() == receiver.size() + 1 && before.ends_with('.') &&
         before.starts_with(receiver);
}

// The keys under which a call may mean a function of the file.
std::vector<std::string> keys_of_call(const Tree& tree, const Node& call, const Node& arguments) {
  constexpr std::size_t kMaxCallee = 100;
  const auto length = static_cast<std::size_t>(arguments.text.data() - call.text.data());
  if (length > kMaxCallee) return {};
  std::string said = squeeze(call.text.substr(0, length));
  if (said.ends_with('>')) said.resize(std::min(said.find('<'), said.size()));
  if (has_any(call.kind, {"new_expression", "object_creation"})) {
    return said.starts_with("new") ? std::vector{"new " + said.substr(3)}
                                   : std::vector<std::string>();
  }
  const std::size_t name = said.find_last_of(".:>") + 1;
  const std::string function = said.substr(name), before = said.substr(0, name);
  if (!is_identifier(function)) return {};
  const std::string holder(holder_of(call));
  if (!before.empty()) {
    if (holder.empty() || !is_own_object(before, call)) return {};
    return {holder + "." + function};
  }
  std::vector<std::string> keys = {function, "new " + function};
  if (has_plain_members(tree.language()) && !holder.empty())
    keys.push_back(holder + "." + function);
  return keys;
}

void find_own_calls(const Tree& tree, const Node& node, OwnCalls* calls) {
  const bool call = has_any(node.kind, {"call", "invocation", "new_expression", "object_creation"});
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const Node& kid = *node.kids[i];
    const bool list = kid.named && !kid.kids.empty() && kid.kids.front()->text == "(";
    if (call && i > 0 && list && node.kids[i - 1]->named) {
      for (std::string& key : keys_of_call(tree, node, kid)) {
        (*calls)[std::move(key)].push_back({&node, &kid});
      }
    }
    find_own_calls(tree, kid, calls);
  }
}

}  // namespace

OwnFunctions own_functions(const Tree& tree) {
  OwnFunctions functions;
  std::set<std::string> names, twice;
  for (const Declared& declared : tree.declarations()) {
    const Node* node = declared.node;
    const bool variable = node->decl == "variable";
    if (!variable && !is_function(node->decl)) continue;
    const Node* function = variable ? function_value(*node) : node;
    if (function == nullptr) continue;
    std::string_view holder = holder_of(*node);
    if (const auto receiver = receiver_of(*node); !receiver.type.empty()) holder = receiver.type;
    std::string key = key_of_function(declared, holder);
    // Constructors of two types may have one name (`__init__`), so these are told by the type.
    const std::string name = key.starts_with("new ") ? key : std::string(node->name);
    if (!names.insert(name).second) twice.insert(name);
    if (!key.empty()) functions.emplace(std::move(key), function);
  }
  for (auto& [key, function] : functions) {
    const std::size_t at = key.starts_with("new ") ? 0 : key.rfind('.') + 1;
    if (twice.contains(key.substr(at))) function = nullptr;
  }
  return functions;
}

OwnCalls own_calls(const Tree& tree) {
  OwnCalls calls;
  find_own_calls(tree, tree.root(), &calls);
  return calls;
}

std::vector<ChangedFunction> changed_functions(const Sides<const Tree*>& sides) {
  const Sides<OwnFunctions> functions = {own_functions(*sides[kBase]), own_functions(*sides[kLeft]),
                                         own_functions(*sides[kRight])};
  std::vector<ChangedFunction> changed;
  for (const auto& [key, base] : functions[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      const auto now = functions[side].find(key), there = functions[other(side)].find(key);
      if (now == functions[side].end() || there == functions[other(side)].end()) continue;
      if (base == nullptr || now->second == nullptr || there->second == nullptr) continue;
      if (now->second->hash == base->hash) continue;
      changed.push_back({key, side, base, now->second, there->second});
    }
  }
  return changed;
}

std::string shown_function(std::string_view key) {
  return std::string(key.substr(key.rfind('.') + 1).substr(0, 80)) + "()";
}

}  // namespace gittxn::semantic
