// The places that tools and agents need to go on working: their caches, and the state of the
// agents themselves. A confined command may write there. It is a way out in time: what a later run
// outside takes from a cache, or from an agent's settings, a confined one may have put there
// (`git txn version --enforces` says so).
#pragma once

#include <string>
#include <vector>

#include "base/subprocess.h"

namespace gittxn::api {

// Absolute paths, as the variables of `env` place them (XDG_CACHE_HOME, CARGO_HOME, ...). Those of
// a tool that is on PATH are made where they are not there yet, as the tool itself would: with
// nothing in it a place is no more than a name.
std::vector<std::string> ordinary_places(const Environment& env);

}  // namespace gittxn::api
