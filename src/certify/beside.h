// New things beside what an agent alone was shown: what semantic makes of a file of code that was
// read whole and declares more now, and of a search that finds more now. All that was seen stands
// there as it stood. An agent reads files and searches for examples all day, and seldom decides on
// what somebody else adds beside them.
//
// It refuses where the transaction can have depended on there being no more:
//   a name    what came is named in what it wrote
//   nothing   the search had found nothing: whether there is one was the question
// and whoever looks into files refuses where the search was a list of work, or its answer says
// where something is declared (land/judge/beside.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/listings.h"
#include "model/read.h"
#include "model/verdict.h"

namespace gittxn::certify {

struct Came {
  std::vector<std::string> names;  // of what is declared besides
  bool found_before = false;       // the search is known to have found something
};

// Tells what came, where nothing else is different: of a read of a whole file that the transaction
// has not written, and of a search of contents. nullopt: something that was seen is otherwise, or
// nobody can tell. `question` is the one whose look it is, or null; `own` are the transaction's
// writes.
using OnlyCame = std::function<std::optional<Came>(const Read& read, const Question* question,
                                                   const SnapshotDiff& diff, const Changes& own)>;

// True if a read that does not hold may be excused; `diff` leads from its snapshot to the head.
bool is_beside(const Read& read, const SnapshotDiff& diff, const OnlyCame& only_came,
               const NameRules& rules);

}  // namespace gittxn::certify
