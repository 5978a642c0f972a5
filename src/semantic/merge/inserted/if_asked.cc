#include "semantic/merge/inserted/if_asked.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "semantic/kinds.h"
#include "semantic/merge/inserted/brought_here.h"

namespace gittxn::semantic {
namespace {

constexpr std::array kBothSides = {kLeft, kRight};

void add_names(const NamesHere& from, NamesHere* to) {
  to->insert(from.begin(), from.end());
}

// The statements of one side.
struct AskedHere {
  BroughtHere found;
  bool only_values = true;  // they give values to local names, and do nothing else
  bool only_asked = true;   // the others ask for something that the side added
};

// A parameter that is none where it is not passed, or a field that is none where it is not set.
bool starts_as_none(const Node& node, std::string_view name) {
  const Node* said = kid_in(node, node.kind == "assignment_pattern" ? "left" : "name");
  const Node* value = kid_in(node, node.kind == "assignment_pattern" ? "right" : "value");
  const bool parameter =
      is_any(node.kind, {"default_parameter", "typed_default_parameter", "assignment_pattern"});
  if (parameter && said != nullptr && value != nullptr && said->text == name) {
    return is_any(value->text,
                  {"None", "False", "0", "\"\"", "''", "()", "null", "undefined", "false", "[]"});
  }
  if (node.kind == "field_declaration" && said != nullptr && said->text == name) return true;
  return std::ranges::any_of(node.kids,
                             [name](const Node* kid) { return starts_as_none(*kid, name); });
}

// The name that has to be there, or to be true, where the condition is: `self.size` or `size is not
// None`, alone or beside others. Empty where it is no such condition.
std::vector<std::string_view> asked_for(const Tree& tree, const Node& condition) {
  const Node* at = &condition;
  while (at->kind.contains("parenthesized") && at->kids.size() == 3) at = at->kids[1];
  const Node* left = kid_in(*at, "left");
  const Node* right = kid_in(*at, "right");
  const Node* operates = kid_in(*at, "operator");
  if (left != nullptr && right != nullptr && operates != nullptr &&
      is_any(operates->text, {"and", "&&"})) {
    std::vector<std::string_view> names = asked_for(tree, *left);
    for (const std::string_view name : asked_for(tree, *right)) names.push_back(name);
    return names;
  }
  const auto text = [&](std::uint32_t i) { return tree.leaves()[at->leaf + i]->text; };
  std::uint32_t last = 0;
  while (last + 2 < at->leaves && is_any(text(last + 1), {".", "->"})) last += 2;
  std::string rest;
  for (std::uint32_t i = last + 1; i < at->leaves; ++i) rest += squeeze(text(i));
  if (!is_any(rest, {"", "isnotNone", "!=nil", "!=null", "!==null", "!==undefined"})) return {};
  return {text(last)};
}

// All that the base and the other side say, anywhere and in the function of the statements.
struct SaidElsewhere {
  SaidIn base, others, base_here, others_here;

  bool is_new(const NamesHere& names) const {
    return base.says_none_of(names) && others.says_none_of(names);
  }
  bool is_new_here(const NamesHere& names) const {
    return base_here.says_none_of(names) && others_here.says_none_of(names);
  }
};

const Node& whole_function(const Node& statement) {
  const Node* function = nullptr;
  for (const Node* at = &statement; at != nullptr; at = at->parent) {
    if (is_function(at->decl)) function = at;
  }
  return function != nullptr ? *function : statement;
}

class AskedLooker {
 public:
  AskedLooker(const Tree& tree, const SaidElsewhere& elsewhere)
      : tree_(tree), elsewhere_(elsewhere) {}

  AskedHere look(const std::vector<const Node*>& statements) {
    AskedHere all;
    for (const Node* each : statements) {
      if (gives_values(*each, &all.found)) continue;
      all.only_values = false;
      all.only_asked = all.only_asked && asks(*each, &all.found);
    }
    return all;
  }

 private:
  bool gives_values(const Node& statement, BroughtHere* all) const {
    const Node* at = &expression_of(statement);
    if (!is_any(at->kind, {"assignment", "short_var_declaration", "lexical_declaration",
                           "let_declaration", "local_variable_declaration"})) {
      return false;
    }
    BroughtHere found;
    const bool plain = BroughtLooker(tree_, &found).look(*at);
    if (!plain || found.calls || found.sets_field || found.given.empty()) return false;
    add(found, all);
    return elsewhere_.is_new_here(found.given);
  }

  static void add(const BroughtHere& found, BroughtHere* all) {
    add_names(found.names, &all->names);
    add_names(found.given, &all->given);
    add_names(found.read, &all->read);
  }

  // `if own: …`, with nothing but values where it is not.
  bool asks(const Node& statement, BroughtHere* all) const {
    const Node* at = &expression_of(statement);
    const Node* condition = kid_in(*at, "condition");
    const Node* then = kid_in(*at, "consequence");
    if (!is_any(at->kind, {"if_statement", "if_expression"}) || condition == nullptr ||
        then == nullptr || kid_in(*at, "initializer") != nullptr) {
      return false;
    }
    const auto is_own = [this](std::string_view name) {
      return elsewhere_.is_new({name}) && starts_as_none(tree_.root(), name);
    };
    if (!std::ranges::any_of(asked_for(tree_, *condition), is_own)) return false;
    BroughtHere asked, done;
    if (!BroughtLooker(tree_, &asked).look(*condition) || asked.calls || !asked.given.empty()) {
      return false;
    }
    if (!BroughtLooker(tree_, &done, Imports::kTaken).look(*then)) return false;
    const bool is_new =
        done.sets_field ? elsewhere_.is_new(done.given) : elsewhere_.is_new_here(done.given);
    if (!is_new) return false;
    add(asked, all);
    add(done, all);
    return std::ranges::all_of(at->kids, [&](const Node* kid) {
      return kid->field != "alternative" || gives_values_else(*kid, all);
    });
  }

  bool gives_values_else(const Node& part, BroughtHere* all) const {
    const Node* block = &part;
    if (part.kind == "else_clause" && !part.kids.empty()) block = part.kids.back();
    while (block->kids.size() == 3 && block->kids[0]->text == "{") block = block->kids[1];
    return is_block(*block) && std::ranges::all_of(block->kids, [&](const Node* kid) {
             return !kid->named || kid->comment || gives_values(*kid, all);
           });
  }

  const Tree& tree_;
  const SaidElsewhere& elsewhere_;
};

// The name always stands behind one that the base says, in these statements: what they ask of it
// is not theirs.
bool is_member_of_known(const Tree& tree, const std::vector<const Node*>& statements,
                        std::string_view name, const SaidIn& base) {
  const auto text = [&tree](std::uint32_t i) { return tree.leaves()[i]->text; };
  return std::ranges::all_of(statements, [&](const Node* each) {
    for (std::uint32_t i = each->leaf; i < each->leaf + each->leaves; ++i) {
      if (text(i) != name) continue;
      if (i < 2 || text(i - 1) != "." || !base.says(text(i - 2))) return false;
      if (is_any(text(i - 2), {"self", "this", "cls"})) return false;
    }
    return true;
  });
}

// The values that `mine` gives are the same before and behind the statements of the other side.
bool stand_apart_from(const BroughtHere& mine, const Tree& tree,
                      const std::vector<const Node*>& statements) {
  BroughtHere theirs;
  BroughtLooker looker(tree, &theirs);
  const bool plain = std::ranges::all_of(statements, [&looker](const Node* each) {
    return each->decl != "import" && looker.look(*each);
  });
  if (!plain) return false;
  const auto in = [](const NamesHere& names) {
    return [&names](std::string_view name) { return names.contains(name); };
  };
  if (std::ranges::any_of(mine.names, in(theirs.given))) return false;
  return !theirs.calls || std::ranges::includes(mine.given, mine.read);
}

}  // namespace

bool does_nothing_unasked(const Sides<const Tree*>& trees,
                          const Sides<std::vector<const Node*>>& statements) {
  for (const auto& each : statements) {
    if (each.empty() || !is_block(*each.front()->parent)) return false;
  }
  const auto said_here = [&](Side side) {
    return SaidIn(*trees[side], whole_function(*statements[side].front()));
  };
  const SaidIn base(*trees[kBase]);
  Sides<AskedHere> all;
  for (const Side side : kBothSides) {
    const SaidElsewhere elsewhere{base, SaidIn(*trees[other(side)]), said_here(kBase),
                                  said_here(other(side))};
    all[side] = AskedLooker(*trees[side], elsewhere).look(statements[side]);
  }
  // Values alone may be one thing under two names.
  if (all[kLeft].only_values && all[kRight].only_values) return false;
  for (const Side side : kBothSides) {
    if (!all[side].only_values) continue;
    const Side rest = other(side);
    if (stand_apart_from(all[side].found, *trees[rest], statements[rest])) return true;
  }
  if (!all[kLeft].only_asked || !all[kRight].only_asked) return false;
  return std::ranges::none_of(all[kLeft].found.names, [&](std::string_view name) {
    return !base.says(name) && all[kRight].found.names.contains(name) &&
           !std::ranges::all_of(kBothSides, [&](Side side) {
             return is_member_of_known(*trees[side], statements[side], name, base);
           });
  });
}

}  // namespace gittxn::semantic
