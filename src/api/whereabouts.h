// The fate of the commits of landings: they are on their branch until somebody resets it or
// rewrites its history, which git lets everybody do. A commit that was written anew, by a rebase
// over landings, still says in its trailers which transaction it is.
#pragma once

#include <vector>

#include "api/kernel.h"
#include "store/store.h"

namespace gittxn::api {

// One entry for each row, in order. `rows`: one branch, newest first, outside moves included.
// Looks at few commits: where no move from outside stands between, what lies below a commit that is
// there is there as well. With a branch that is gone everything on it is.
Result<std::vector<LandingNow>> whereabouts(State& state,
                                            const std::vector<store::LandedRow>& rows);

}  // namespace gittxn::api
