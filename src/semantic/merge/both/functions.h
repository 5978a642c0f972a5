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
// The node that gives the value: the whole of "a, b := f()".
const Node& giver_of(const Node& leaf);

// The blocks that a side put into a function, with the statements that they belong to, and that
// hold nothing of the base.
class NewBlocks {
 public:
  // `side` and `now` must outlive the object.
  NewBlocks(const Node& base, const Tree& side, const Node& now);

  // True: each of these declares its name for such a block alone, so that no code outside the block
  // refers to it, and the block refers to nothing outside by that name.
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
