// The name of an owner, of a transaction, a lease or a budget: somebody's mail address, or whatever
// a program calls itself. It is in the log for good and is shown among lines of ours, so that every
// way in asks here.
#pragma once

#include <string>
#include <string_view>

#include "txn/state.h"

namespace gittxn::api {

// kUsage: it is empty, longer than 256 bytes, or has a line break or another control character.
Status check_owner(std::string_view name);
// As given; where nothing is, the mail address of the caller's git identity.
Result<std::string> owner_of(State& state, const std::string& asked);

}  // namespace gittxn::api
