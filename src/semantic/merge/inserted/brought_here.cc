#include "semantic/merge/inserted/brought_here.h"

#include <algorithm>
#include <cctype>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

bool is_said_name(const Node& leaf) {
  return leaf.named && has_any(leaf.kind, {"identifier", "variable", "constant", "name"});
}

bool leaves_the_place(const Node& node) {
  return has_any(node.kind, {"return", "raise", "throw", "break", "continue", "yield", "await",
                             "goto", "defer", "go_statement", "try_expression"});
}

bool is_not_understood(const Node& node) {
  return has_any(node.kind, {"macro", "preproc", "import", "label", "global", "nonlocal", "delete",
                             "update_expression", "inc_statement", "dec_statement", "ERROR"});
}

bool is_clock(std::string_view callee) {
  return is_any(callee, {"time.Now", "time.time", "time.monotonic", "time.perf_counter", "Date.now",
                         "performance.now", "System.nanoTime", "Instant::now"});
}

// The call makes a value and does nothing else.
bool only_makes_a_value(const Language& language, const Node& call) {
  if (has_any(call.kind, {"new_expression", "object_creation"})) return true;
  const Node* callee = call.kids.empty() ? nullptr : call.kids.front();
  if (callee == nullptr) return false;
  const std::string_view said = callee->text;
  const std::string_view name = said.substr(said.find_last_of(".:") + 1);  // all without one
  const bool types_are_called = is_any(language.name, {"python", "kotlin"});
  if (types_are_called && !name.empty() && std::isupper(static_cast<unsigned char>(name[0])) != 0) {
    return true;
  }
  if (language.name == "go") return is_any(said, {"make", "len", "cap", "append", "new"});
  return language.name == "python" &&
         is_any(said, {"isinstance", "issubclass", "len",   "set",  "dict",      "list", "tuple",
                       "str",        "int",        "float", "bool", "frozenset", "type", "callable",
                       "hasattr",    "min",        "max",   "any",  "all",       "abs"});
}

// Its statements are done where it is called.
bool is_function_here(const Node& node) {
  return !node.kids.empty() &&
         (is_function(node.decl) ||
          has_any(node.kind, {"lambda", "arrow_function", "func_literal", "closure_expression"}));
}

// The number of tokens of "self.seen" in a call `self.seen.add(x)`, which changes what is in a
// collection; 0 where it is none.
std::uint32_t collection_in(const Tree& tree, const Node& call) {
  const auto text = [&](std::uint32_t i) { return tree.leaves()[call.leaf + i]->text; };
  std::uint32_t count = 0;
  while (count < call.leaves && text(count) != "(") ++count;
  if (count < 5 || count == call.leaves || count % 2 == 0) return 0;
  for (std::uint32_t i = 1; i < count; i += 2) {
    if (!is_any(text(i), {".", "->"})) return 0;
  }
  const bool changes = is_any(
      text(count - 1), {"add", "append", "appendleft", "clear", "discard", "erase", "extend",
                        "insert", "pop", "push", "push_back", "remove", "unshift", "update"});
  return changes ? count - 2 : 0;
}

// The target of an assignment or a loop; `node` itself if it cannot be told, nullptr if it is
// neither.
const Node* given_in(const Node& node) {
  const bool assigns = node.kind.contains("assign") || node.kind.contains("short_var");
  const bool loops = has_any(node.kind, {"for_", "foreach", "range_clause"});
  for (const Node* kid : node.kids) {
    if (kid->field == "left" && (assigns || loops)) return kid;
    if (kid->field == "name" && is_any(node.kind, {"variable_declarator", "named_expression"})) {
      return kid;
    }
    if (kid->field == "pattern" && node.kind == "let_declaration") return kid;
    if (kid->field == "declarator" && node.kind == "init_declarator") return kid;
  }
  return assigns || loops ? &node : nullptr;
}

}  // namespace

NamesHere names_said_in(const Tree& tree, const Node& part) {
  NamesHere names;
  for (std::uint32_t i = part.leaf; i < part.leaf + part.leaves; ++i) {
    if (is_said_name(*tree.leaves()[i])) names.insert(tree.leaves()[i]->text);
  }
  return names;
}

const Node* holder_of_element(const Node& target) {
  const Node* at = &target;
  while (at->kind == "expression_list" && at->kids.size() == 1) at = at->kids.front();
  const bool element =
      has_any(at->kind, {"subscript", "index_expression", "array_access", "element_reference"});
  return element && !at->kids.empty() ? at->kids.front() : nullptr;
}

bool is_import_of_names(const Node& statement) {
  return statement.decl == "import" && !statement.text.contains('*');
}

bool BroughtLooker::look(const Node& node) {
  if (is_function_here(node)) return look_into_function(node);
  if (leaves_the_place(node) && functions_ == 0) return false;
  if (imports_ == Imports::kTaken && node.decl == "import") return take_import(node);
  if (is_not_understood(node)) return false;
  const Node* target = node.kind == "as_pattern_target" ? &node : given_in(node);
  const bool unknown = target == &node && !node.kind.contains("as_pattern");
  if (unknown || (target != nullptr && !give(*target))) return false;
  if (has_any(node.kind, {"call", "invocation", "new_expression", "object_creation"})) {
    return look_at_call(node);
  }
  if (node.field == "type") {
    say(node, nullptr);
    return true;
  }
  if (node.kids.empty()) say(node, &found_.read);
  return std::ranges::all_of(node.kids, [this](const Node* kid) { return look(*kid); });
}

bool BroughtLooker::look_into_function(const Node& node) {
  if (is_function(node.decl) && !node.name.empty()) found_.given.insert(node.name);
  ++functions_;
  const bool known = std::ranges::all_of(node.kids, [this](const Node* kid) { return look(*kid); });
  --functions_;
  return known;
}

bool BroughtLooker::look_at_call(const Node& node) {
  if (const std::uint32_t names = collection_in(tree_, node)) {
    return give_field(node.leaf, names) && look(*node.kids.back());
  }
  if (!node.kids.empty() && is_clock(node.kids.front()->text)) return true;
  found_.calls = found_.calls || !only_makes_a_value(tree_.language(), node);
  if (node.kids.empty()) say(node, &found_.read);
  return std::ranges::all_of(node.kids, [this](const Node* kid) { return look(*kid); });
}

bool BroughtLooker::take_import(const Node& node) {
  for (const std::string_view name : names_said_in(tree_, node)) {
    found_.names.insert(name);
    found_.given.insert(name);
  }
  return is_import_of_names(node);
}

std::string_view BroughtLooker::leaf_text(std::uint32_t at) const {
  return at < tree_.leaves().size() ? tree_.leaves()[at]->text : std::string_view();
}

void BroughtLooker::say(const Node& node, NamesHere* read) {
  for (std::uint32_t i = node.leaf; i < node.leaf + node.leaves; ++i) {
    const Node& leaf = *tree_.leaves()[i];
    if (!is_said_name(leaf)) continue;
    found_.names.insert(leaf.text);
    if (read != nullptr && !is_any(leaf_text(i + 1), {".", "->", "::"})) read->insert(leaf.text);
  }
}

// The field that these tokens lead to is changed: "self.parent.seen".
bool BroughtLooker::give_field(std::uint32_t from, std::uint32_t count) {
  for (std::uint32_t i = from; i < from + count; ++i) {
    const Node& leaf = *tree_.leaves()[i];
    if ((i - from) % 2 == 0 && !is_said_name(leaf) && !is_any(leaf.text, {"self", "this"})) {
      return false;
    }
    if (is_said_name(leaf)) found_.names.insert(leaf.text);
  }
  found_.given.insert(leaf_text(from + count - 1));
  found_.sets_field = true;
  return count >= 3;
}

// NamesHere, and members of something; several with commas between them. An element of something
// but a field, and what a pointer leads to, may be anything.
bool BroughtLooker::give(const Node& target) {
  if (const Node* holder = holder_of_element(target)) {
    for (std::uint32_t i = holder->leaf + 1; i < holder->leaf + holder->leaves; i += 2) {
      if (!is_any(tree_.leaves()[i]->text, {".", "->"})) return false;
    }
    return holder->leaves % 2 == 1 && give_field(holder->leaf, holder->leaves);
  }
  for (std::uint32_t i = target.leaf; i < target.leaf + target.leaves; ++i) {
    const Node& leaf = *tree_.leaves()[i];
    if (is_any(leaf.text, {"[", "(", "*", "&", "{"})) return false;
    const bool of_field = is_any(leaf.text, {".", "->"}) || leaf.kind == "instance_variable";
    found_.sets_field = found_.sets_field || of_field;
    if (is_said_name(leaf) && !is_any(leaf_text(i + 1), {".", "->"})) {
      found_.given.insert(leaf.text);
    }
  }
  return !found_.given.empty();
}

bool SaidIn::says_none_of(const NamesHere& names) const {
  return std::ranges::none_of(names, [this](std::string_view name) { return says(name); });
}

bool SaidIn::says_all(const NamesHere& names) const {
  return std::ranges::all_of(names, [this](std::string_view name) { return says(name); });
}

}  // namespace gittxn::semantic
