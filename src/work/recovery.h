// What commands that died have left: finished, told, or left to who has to decide.
#pragma once

#include <string>
#include <vector>

#include "txn/host.h"

namespace gittxn::api {

// Recovers what can be recovered and tells it as notes; a branch that needs a person first does not
// stop work on another one. Every verb that writes calls it first.
Status recover_first(State& state, const Progress& progress, std::vector<std::string>& notes);
// The same as its own verb, which also runs the compensations that are owed; lines of what was
// done.
Result<std::vector<std::string>> recover(State& state, const Progress& progress);

}  // namespace gittxn::api
