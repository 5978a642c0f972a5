// The way a file that both sides changed may be merged: what the repository says of it with the
// attribute `merge` (gitattributes(5)), as it stands on the branch.
//
//   unspecified, set, text     by symbols, the default
//   a driver that is this one  the same
//   union                      by lines, both sides' lines one after the other, as git does
//   unset, binary              not at all
//   a driver of its own        not at all: it is a program, and no part of what was certified
//
// A driver without a command is the default, and `merge.default` is what unspecified means.
#pragma once

#include <string>
#include <vector>

#include "land/land.h"

namespace gittxn::land {

struct MergeWay {
  enum class Kind { kSymbols, kUnion, kNever } kind = Kind::kSymbols;
  std::string why;  // not to be merged, as the end of a sentence
};

// One a path, in their order. Only looks.
Result<std::vector<MergeWay>> merge_ways(const Context& context, const Oid& head,
                                         const std::vector<std::string>& paths);

}  // namespace gittxn::land
