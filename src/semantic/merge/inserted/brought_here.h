// Statements that one side inserted: what they say, give a value and call.
//
// Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_set>

#include "semantic/syntax.h"

namespace gittxn::semantic {

using NamesHere = std::set<std::string_view>;

NamesHere names_said_in(const Tree& tree, const Node& part);

struct BroughtHere {
  NamesHere names, given;  // all that it says; what it gives a value
  NamesHere read;          // what is read, but for what stands before a dot
  bool sets_field = false;
  bool calls = false;     // of what may do anything
  bool is_plain = false;  // it can be told what it does
};

// The object of which `target` is an element; nullptr where it is none.
const Node* holder_of_element(const Node& target);

bool is_import_of_names(const Node& statement);

// The expression of a statement that is nothing else; the statement itself where it is more.
inline const Node& expression_of(const Node& statement) {
  const bool only = statement.kind == "expression_statement" && !statement.kids.empty();
  return only ? *statement.kids.front() : statement;
}

// An import of names gives them a value, or is nothing that can be told.
enum class Imports { kRefused, kTaken };

// Looks at statements one after the other.
class BroughtLooker {
 public:
  BroughtLooker(const Tree& tree, BroughtHere* found, Imports imports = Imports::kRefused)
      : tree_(tree), found_(*found), imports_(imports) {}

  // False: it may leave the function or the block, or it cannot be told what it does.
  bool look(const Node& node);

 private:
  bool look_into_function(const Node& node);
  bool look_at_call(const Node& node);
  bool take_import(const Node& node);
  std::string_view leaf_text(std::uint32_t at) const;
  void say(const Node& node, NamesHere* read);
  bool give_field(std::uint32_t from, std::uint32_t count);
  bool give(const Node& target);

  const Tree& tree_;
  BroughtHere& found_;
  Imports imports_;
  int functions_ = 0;  // that the node is in, of the statements
};

// All that a version says, or a part of it.
class SaidIn {
 public:
  explicit SaidIn(const Tree& tree) : SaidIn(tree, tree.root()) {}
  SaidIn(const Tree& tree, const Node& part) {
    for (std::uint32_t i = 0; i < part.leaves; ++i) {
      said_.insert(tree.leaves()[part.leaf + i]->text);
    }
  }
  bool says(std::string_view name) const { return said_.contains(name); }
  bool says_none_of(const NamesHere& names) const;
  bool says_all(const NamesHere& names) const;

 private:
  std::unordered_set<std::string_view> said_;
};

}  // namespace gittxn::semantic
