// Mending: what would be a conflict, made into a pair of changes that go together, without the
// agent and before anything is judged. Rung 1 of repair (docs/design/0042-repair.md).
//
// A rename that one side made is carried to the uses of the other (semantic/mend.h): the trees of
// the base and of the side that did not rename have the new name, too, and these are what is merged
// and looked into from here on. Nothing that is judged is judged more mildly for it: what the names
// met by apart from the uses that were rewritten stays a clash.
#pragma once

#include <string>
#include <vector>

#include "certify/certify.h"
#include "land/judge/symbols.h"
#include "model/verdict.h"
#include "repo/objects.h"

namespace gittxn::land {

// Trees.
struct MergeSides {
  Oid base, head, work;
};

struct Mending {
  MergeSides sides;                  // as they are merged
  std::vector<Mended> mended;        // sorted by path; empty: the sides are those that were given
  std::vector<std::string> carried;  // paths that are otherwise in `sides`, sorted
  std::vector<std::string> notes;    // for a person: which rename was carried where
  std::vector<certify::SymbolClash> clashes;  // by the names, and left as they are
};

// Changes of each side, sorted by path.
struct BothChanges {
  const Changes& head;
  const Changes& work;
};

// Renames of either side; `given` are the differences of `sides`. Writes blobs and trees into
// `objects`, and moves nothing; if we die they are objects that nobody names. Where too much
// changed (kMostBytes) nothing is mended.
Result<Mending> carry_renames_of_both(repo::Objects& objects, const MergeSides& sides,
                                      const BothChanges& given, const Around& around);

// Translates what was found of the mended sides to what it means for those that were given: a file
// that both changed, of which the mended sides leave no more than one change, is merged.
void settle_mended(const Mending& mending, const BothChanges& given, const BothChanges& mended,
                   SymbolFindings& findings);

}  // namespace gittxn::land
