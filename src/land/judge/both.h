// Changes of the head and of a transaction since one base, looked at together, and as one tree:
// mended where that can be done, and where policy allows it. For candidate.cc.
//
// Writes blobs and trees, which nobody names if we die.
#pragma once

#include "land/candidate.h"
#include "land/judge/mend.h"
#include "land/judge/symbols.h"

namespace gittxn::land {

struct Both {
  MergeSides sides;  // trees; of what was mended
  SymbolFindings findings;
};

enum class MayMend { kNo, kYes };

// Finds where the two meet. Fills candidate.moved, .symbols and .mended; `objects` is what is read
// and written (in memory: nothing stays).
Result<Both> look_at_both(const Context& context, repo::Objects& objects, const Work& work,
                          Candidate& candidate, MayMend may);

// kNo at exact levels, whatever policy says: what both changed is a conflict there.
MayMend may_mend(const Work& work, const Candidate& candidate);

// The tree of both. Where it has conflicts nothing of it is mended, so that what is told of them is
// what there is. Fills candidate.merged and .notes as well.
Result<repo::MergeOutcome> merge_both(const Context& context, const Work& work,
                                      Candidate& candidate);

std::vector<std::string> file_paths_of(const Changes& changes);

}  // namespace gittxn::land
