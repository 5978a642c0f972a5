// Landings as they are now: whether their commits are still on their branch. Internal to api/.
#pragma once

#include <map>
#include <vector>

#include "api/kernel.h"
#include "txn/state.h"

namespace gittxn::api {

using Fates = std::map<Seq, LandingNow>;  // of landings, by event

// `rows`: of any branches, the newest first.
Result<Fates> landings_now(State& state, const std::vector<store::LandedRow>& rows);

}  // namespace gittxn::api
