// False invalidations before and after searches are refined, counted on a repository's own history.
#pragma once

#include <string>

#include "base/result.h"
#include "base/subprocess.h"

namespace gittxn::bench {

struct RefineFigures {
  int agents = 0;  // commits that were replayed
  int moves = 0;   // (agent, neighbouring commit) pairs that were judged
  int stale = 0;   // where the agent's commands really print something else
  int refused_before = 0;
  int refused_after = 0;
  int false_before = 0;  // refused although they print the same
  int false_after = 0;
  int missed_before = 0;  // held although they do not: must be 0
  int missed_after = 0;
  std::size_t reads_before = 0;  // all agents together
  std::size_t reads_after = 0;
};

// `source` is cloned below `dir`. For each of the last `commits` commits an agent stands on its
// parent and looks as its author may have: for the names of up to three of the changed files it
// runs grep -rn, rg, git grep and find, lists their directories and prints the files. It is then
// judged against each of the next five commits, put on top of where it stands as if it had just
// landed; those that do not apply are left out. The change of the agent itself counts as its own
// paths.
Result<RefineFigures> measure_refinement(const std::string& dir, const std::string& source,
                                         int commits, const Environment& caller);

}  // namespace gittxn::bench
