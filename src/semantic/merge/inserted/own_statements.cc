#include "semantic/merge/inserted/own_statements.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "semantic/kinds.h"
#include "semantic/merge/inserted/brought_here.h"

namespace gittxn::semantic {
namespace {

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

// `context["size"] = 3`: something is put into a map under a text.
struct EntryPut {
  std::string_view holder, key;
  const Node* value = nullptr;
};

std::optional<EntryPut> entry_put_by(const Node& statement) {
  const Node* assigns = &expression_of(statement);
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
  const SaidIn base(*trees[kBase]);
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
