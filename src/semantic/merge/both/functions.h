// The functions of a version, and what they give a value.
//
// Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "semantic/read/text_lines.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

using Functions = std::map<std::string, const Node*>;

// Functions by their paths; nullptr where there are several.
Functions functions_in(const Tree& tree);

// A value is given to a plain name here: "name = …", "let name = …", "T name = …".
bool is_given_here(const Node& leaf);
// What gives it that: the whole of "a, b := f()".
const Node& giver_of(const Node& leaf);

// The blocks that a side put into a function, with the statements that they belong to, and that
// hold nothing of the base.
class NewBlocks {
 public:
  // Both must outlive it.
  NewBlocks(const Node& base, const Tree& side, const Node& now);

  // All of these give a value to a name that is declared for such a block alone, so that nobody
  // else means it, whatever it means around the block.
  bool hold(const std::vector<const Node*>& givers) const;

 private:
  bool is_in_one(const Node& giver) const;
  bool is_new(const Node& block) const;

  const Language& language_;
  const Node& function_;
  TextLines lines_;
  std::vector<LineHunk> hunks_;
};

}  // namespace gittxn::semantic
