// Tells an agent before it changes a file for the first time: that the branch has changed
// the file since the snapshot, with the difference; that somebody else holds a lease on it; that
// another transaction is changing it. Most of what is thrown away is thrown away because two worked
// on one thing and neither knew.
//
// The hook of the agent's tool call asks the `git txn run` around it (serve/ask.h), so that looking
// at the repository is no read of the agent's. Only looks: nothing is decided by it, and the
// landing certifies as it always does. Policy says whether the call is refused (`first_write`).
#pragma once

#include <string>

#include "txn/attempt.h"

namespace gittxn::api {

struct FirstWriteAnswer {
  bool deny = false;
  std::string text;  // for the agent; "" there is nothing to tell
};

// `path` of the repository, which the last attempt of `txn` is about to change. Others are those
// whose process is alive, in this clone, on the same branch.
Result<FirstWriteAnswer> before_first_write(State& state, const Txn& txn, const std::string& path);

// The sentence of one transaction: t-7k2m "fix auth". Without a name, or where it is not known, its
// id alone.
std::string with_name(const store::Store& store, const std::string& id);

}  // namespace gittxn::api
