// The merge of three syntax trees, and what must hold for a merged file, whoever merged it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge/pieces.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

struct TreeMerge {
  Pieces pieces;
  int inside = 0;  // places at which parts of one thing that is no declaration, and no list of
                   // what is told by its name, were put together from both sides
  bool by_lines = false;               // a function that both sides changed was merged by its lines
  std::set<std::string_view> columns;  // kinds of lists whose columns are to be laid out anew
  std::set<std::string> outdone;  // tokens of a side that a higher version of the other replaced
  std::string made;  // the ways that were used where both sides changed a node, with its kind
};

// Whether a node that is no list of members is merged by its lines first, where they merge.
enum class Inner { kLines, kStructure };

// Whether the places that `inside` counts are put together, or in conflict.
enum class Inside { kTogether, kConflict };

TreeMerge merge_trees(const Sides<const Tree*>& trees, Inner inner, Inside inside);

// --- checks.cc ---

// What does not hold, and the bytes it is about.
struct Broken {
  std::string why;  // empty: all holds
  std::vector<Span> places;
};

// The first thing that does not hold of: the result parses no worse than the sides; no declaration
// is there twice that was not; none that a side added, and none that both kept, is missing; none
// that a side put into something that is still there is in something else (where all parse); none
// that one side removed and the other changed is there as if nothing had been; no name that one
// side renamed, or calls with other arguments, wherever it stood is used anew as it was by the
// other.
Broken broken_rule(const Sides<const Tree*>& sides, const Tree& merged);

// A token that a side brought in is there, one that both took out is not: for merges that were put
// together from parts; those of `outdone` may be lost. Nor is a name there that one side took out
// everywhere (it was renamed, or is no more) and the other began to use in one place more, unless
// it is one of the standard library.
std::string lost_token(const Sides<const Tree*>& sides, const Tree& merged,
                       const std::set<std::string>& outdone);

// The same for a merge with conflicts, with each side's text in all of them: both parse no worse
// than the sides, declare nothing twice that was not, and what a side brought in is in one of them.
std::string broken_parts(const Sides<const Tree*>& sides, const Tree& left, const Tree& right,
                         const std::set<std::string>& outdone);

}  // namespace gittxn::semantic
