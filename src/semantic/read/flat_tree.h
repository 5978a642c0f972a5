// tree-sitter's tree as one list, each node before what is in it: what patterns.h matches on and
// syntax.cc makes a Tree of. Comments and strings, which are never looked into, have nothing in
// them.
#pragma once

#include <cstdint>
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
  bool wrong : 1 = false;  // an ERROR, a missing token, or misread (misread.h)
  bool error : 1 = false;  // one of these, here or below
};

using FlatTree = std::vector<FlatNode>;

}  // namespace gittxn::semantic
