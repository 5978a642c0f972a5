// Files that a failed command looked for, which the person's checkout has and a fresh worktree has
// not, because git ignores them: .env, node_modules and their like.
#pragma once

#include <string>

#include "model/read.h"
#include "txn/state.h"

namespace gittxn::api {

// A note for a person, with what to write into the policy; none when there is nothing of that kind.
Status tell_lacking(State& state, const Oid& snapshot, const ReadSet& reads,
                    std::vector<std::string>& notes);

}  // namespace gittxn::api
