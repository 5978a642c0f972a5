// The names that a side uses through modules which hand them on, under these or other names: what
// they are called in the files that the other side changed. Footprints know only the files that a
// side changed, and most modules between are in none.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "catalogue/cache.h"
#include "model/change.h"
#include "repo/objects.h"
#include "semantic/footprint.h"

namespace gittxn::land {

// The files as the side sees them: its own changes on the base of both.
struct SeenTree {
  const repo::Objects& objects;
  const Oid& tree;  // of the base but for what either changed
  const Changes& own;
  const Changes& others;
  std::size_t most = 0;  // bytes of a file
  catalogue::Cache* cache = nullptr;
};

// Adds to the uses of `side` those that mean something in a file that `other` changed. Of Python
// and of scripts. Looks only, into files that the imports of changed files lead to, up to a number.
Status follow_chains(const SeenTree& seen, const semantic::Footprint& other,
                     semantic::Footprint* side);

}  // namespace gittxn::land
