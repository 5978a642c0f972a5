// Finds which of many reads a few changes could make stale, by the changes instead of by the reads.
// Private to this module.
#pragma once

#include <vector>

#include "model/change.h"
#include "model/read.h"

namespace gittxn::certify {

using Group = std::vector<const Read*>;  // of one snapshot, sorted by subject

// A superset: each is judged afterwards. `changes` are sorted by path.
Group perhaps_stale(const Group& reads, const Changes& changes);

}  // namespace gittxn::certify
