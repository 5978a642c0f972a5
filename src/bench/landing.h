// Landing against the ways to beat; see landing.cc.
#pragma once

#include "bench/world.h"

namespace gittxn::bench {

struct LandingFigures {
  Measured ours;
  Measured plumbing;  // merge-tree, commit-tree, update-ref with core.fsync=all
  Measured kept;      // checkout, apply --3way, commit in a worktree that stays
  Measured fresh;     // the same in a new worktree each time
};
Result<LandingFigures> measure_landing(World& world, int rounds);

}  // namespace gittxn::bench
