// tree-sitter's tree as one list, each node before what is in it: what patterns.h matches on and
// syntax.cc makes a Tree of. Comments and strings, which are never looked into, have nothing in
// them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gittxn::semantic {

inline constexpr std::uint16_t kErrorSymbol = 0xffff;

struct FlatNode {
  std::uint32_t begin = 0, end = 0;  // bytes, as the grammar has them
  std::uint32_t next = 0;            // index of the first node behind it that is not in it
  std::uint16_t symbol = 0;          // the grammar's number for its kind, or kErrorSymbol
  std::uint16_t field = 0;           // the grammar's number for its place; 0 when it has none
  bool named : 1 = false;
  bool comment : 1 = false;
  bool wrong : 1 = false;  // an ERROR, a missing token, or misread
  bool error : 1 = false;  // one of these, here or below
};

using FlatTree = std::vector<FlatNode>;

struct Language;

// Text that a grammar accepts though its language does not, where that puts what follows into
// something else, or takes it out: marked as an error in the flat tree, so that who looks at errors
// sees it.
//
//   Python  a suite without a statement; a statement that is no deeper than what it is in, or not
//           as deep as the others of its block
//   Ruby    an "end" that ends nothing, which the grammar takes for a name
//   Bash    the same of "fi", "done", "esac", "}" and the words before them, taken for a command
//   PHP     a here-document that goes on behind its own last line, to that of a later one
//
// What is valid and read as it is meant is never marked.
//
// `tree` is of `text`. Time grows with both.
void mark_misread(const Language& language, std::string_view text, FlatTree* tree);

}  // namespace gittxn::semantic
