#include "semantic/merge/inserted/own_statements.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

using NamesHere = std::set<std::string_view>;

bool is_said_name(const Node& leaf) {
  return leaf.named && has_any(leaf.kind, {"identifier", "variable", "constant", "name"});
}

NamesHere names_said_in(const Tree& tree, const Node& part) {
  NamesHere names;
  for (std::uint32_t i = part.leaf; i < part.leaf + part.leaves; ++i) {
    if (is_said_name(*tree.leaves()[i])) names.insert(tree.leaves()[i]->text);
  }
  return names;
}

// The statements that one side inserted.
struct BroughtHere {
  NamesHere names, given;  // all that it says; what it gives a value
  NamesHere read;          // what is read, but for what stands before a dot
  bool sets_field = false;
  bool calls = false;     // of what may do anything
  bool is_plain = false;  // it can be told what it does
};

bool leaves_the_place(const Node& node) {
  return has_any(node.kind, {"return", "raise", "throw", "break", "continue", "yield", "await",
                             "goto", "defer", "go_statement", "try_expression"});
}

bool is_not_understood(const Node& node) {
  return has_any(node.kind, {"macro", "preproc", "import", "label", "global", "nonlocal", "delete",
                             "update_expression", "inc_statement", "dec_statement", "ERROR"});
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

// The object of which `target` is an element; nullptr where it is none.
const Node* holder_of_element(const Node& target) {
  const Node* at = &target;
  while (at->kind == "expression_list" && at->kids.size() == 1) at = at->kids.front();
  const bool element =
      has_any(at->kind, {"subscript", "index_expression", "array_access", "element_reference"});
  return element && !at->kids.empty() ? at->kids.front() : nullptr;
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

class BroughtLooker {
 public:
  BroughtLooker(const Tree& tree, BroughtHere* found) : tree_(tree), found_(*found) {}

  bool look(const Node& node) {
    if (leaves_the_place(node) || is_not_understood(node)) return false;
    const Node* target = given_in(node);
    if (target == &node || (target != nullptr && !give(*target))) return false;
    if (has_any(node.kind, {"call", "invocation", "new_expression", "object_creation"})) {
      if (const std::uint32_t names = collection_in(tree_, node)) {
        return give_field(node.leaf, names) && look(*node.kids.back());
      }
      found_.calls = found_.calls || !only_makes_a_value(tree_.language(), node);
    }
    if (node.field == "type") {
      say(node, nullptr);
      return true;
    }
    if (node.kids.empty()) say(node, &found_.read);
    return std::ranges::all_of(node.kids, [this](const Node* kid) { return look(*kid); });
  }

 private:
  std::string_view leaf_text(std::uint32_t at) const {
    return at < tree_.leaves().size() ? tree_.leaves()[at]->text : std::string_view();
  }

  void say(const Node& node, NamesHere* read) {
    for (std::uint32_t i = node.leaf; i < node.leaf + node.leaves; ++i) {
      const Node& leaf = *tree_.leaves()[i];
      if (!is_said_name(leaf)) continue;
      found_.names.insert(leaf.text);
      if (read != nullptr && !is_any(leaf_text(i + 1), {".", "->", "::"})) read->insert(leaf.text);
    }
  }

  // The field that these tokens lead to is changed: "self.parent.seen".
  bool give_field(std::uint32_t from, std::uint32_t count) {
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
  bool give(const Node& target) {
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

  const Tree& tree_;
  BroughtHere& found_;
};

BroughtHere brought_by(const Tree& tree, const std::vector<const Node*>& statements) {
  BroughtHere found;
  BroughtLooker looker(tree, &found);
  const bool plain = std::ranges::all_of(statements, [&looker](const Node* each) {
    const bool local = each->kind == "declaration" ||
                       has_any(each->kind, {"lexical_declaration", "variable_declaration"});
    return (each->decl.empty() || local) && looker.look(*each);
  });
  found.is_plain = plain && found.sets_field;
  return found;
}

class SaidInBase {
 public:
  explicit SaidInBase(const Tree& tree) {
    for (const Node* leaf : tree.leaves()) said_.insert(leaf->text);
  }
  bool says(std::string_view name) const { return said_.contains(name); }

  bool says_none_of(const NamesHere& names) const {
    return std::ranges::none_of(names, [this](std::string_view name) { return says(name); });
  }
  bool says_all(const NamesHere& names) const {
    return std::ranges::all_of(names, [this](std::string_view name) { return says(name); });
  }

 private:
  std::unordered_set<std::string_view> said_;
};

bool is_import_of_names(const Node& statement) {
  return statement.decl == "import" && !statement.text.contains('*');
}

// `context["size"] = 3`: something is put into a map under a text.
struct EntryPut {
  std::string_view holder, key;
  const Node* value = nullptr;
};

std::optional<EntryPut> entry_put_by(const Node& statement) {
  const Node* assigns = &statement;
  if (assigns->kind == "expression_statement") assigns = assigns->kids.front();
  const Node* target = kid_in(*assigns, "left");
  const Node* value = kid_in(*assigns, "right");
  if (target == nullptr || value == nullptr || !assigns->kind.contains("assign")) return {};
  const std::string_view between(target->text.end(), value->text.begin());
  const Node* holder = holder_of_element(*target);
  if (squeeze(between) != "=" || holder == nullptr) return {};
  const Node* element = holder->parent;
  const Node* key = nullptr;
  for (const Node* kid : element->kids) {
    if (!kid->named || kid == holder) continue;
    if (key != nullptr) return {};
    key = kid;
  }
  const bool plain = std::ranges::all_of(holder->text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_.$@").contains(c);
  });
  const bool quoted = key != nullptr && key->text.size() > 2 &&
                      (key->text.front() == '"' || key->text.front() == '\'');
  if (!plain || !quoted || has_any(key->text, {"{", "\\"})) return {};
  return EntryPut{holder->text, key->text.substr(1, key->text.size() - 2), value};
}

}  // namespace

bool put_under_other_keys(const Sides<const Tree*>& trees,
                          const Sides<std::vector<const Node*>>& statements) {
  Sides<std::vector<EntryPut>> entries;
  for (const Side side : {kLeft, kRight}) {
    for (const Node* each : statements[side]) {
      const auto put = entry_put_by(*each);
      BroughtHere found;
      if (!put || !BroughtLooker(*trees[side], &found).look(*put->value) || found.calls) {
        return false;
      }
      entries[side].push_back(*put);
    }
  }
  const auto apart = [](const EntryPut& one, const EntryPut& other) {
    return one.key != other.key && !one.value->text.contains(other.holder) &&
           !one.value->text.contains(other.key);
  };
  return !entries[kLeft].empty() && !entries[kRight].empty() &&
         std::ranges::all_of(entries[kLeft], [&](const EntryPut& one) {
           return std::ranges::all_of(entries[kRight], [&](const EntryPut& other) {
             return apart(one, other) && apart(other, one);
           });
         });
}

bool one_only_imports(const Sides<const Tree*>& trees,
                      const Sides<std::vector<const Node*>>& statements) {
  const auto import = [](const Node* each) { return is_import_of_names(*each); };
  return std::ranges::any_of(std::array{kLeft, kRight}, [&](Side side) {
    NamesHere imported;
    for (const Node* each : statements[side]) imported.merge(names_said_in(*trees[side], *each));
    return std::ranges::all_of(statements[side], import) &&
           std::ranges::all_of(statements[other(side)], [&](const Node* each) {
             const NamesHere said = names_said_in(*trees[other(side)], *each);
             return import(each) || std::ranges::none_of(said, [&imported](std::string_view name) {
                      return imported.contains(name);
                    });
           });
  });
}

bool is_imported_above(const Tree& tree, const Node& import) {
  return import.decl == "import" && is_block(*import.parent) &&
         std::ranges::any_of(tree.root().kids, [&import](const Node* each) {
           return each->decl == "import" && same_squeezed(each->text, import.text);
         });
}

bool only_of_their_own(const Sides<const Tree*>& trees,
                       const Sides<std::vector<const Node*>>& statements) {
  Sides<BroughtHere> inserted;
  for (const Side side : {kLeft, kRight}) {
    if (statements[side].empty() || !is_block(*statements[side].front()->parent)) return false;
    inserted[side] = brought_by(*trees[side], statements[side]);
    if (!inserted[side].is_plain) return false;
  }
  if (inserted[kLeft].calls && inserted[kRight].calls) return false;
  const SaidInBase base(*trees[kBase]);
  for (const Side side : {kLeft, kRight}) {
    const BroughtHere& mine = inserted[side];
    const BroughtHere& others = inserted[other(side)];
    if (!base.says_none_of(mine.given)) return false;
    if (others.calls && !base.says_none_of(mine.read)) return false;
    for (const Node* each : statements[side]) {
      if (base.says_all(names_said_in(*trees[side], *each))) return false;
    }
    const bool apart = std::ranges::none_of(mine.names, [&](std::string_view name) {
      return !base.says(name) && others.names.contains(name);
    });
    if (!apart) return false;
  }
  return true;
}

}  // namespace gittxn::semantic
