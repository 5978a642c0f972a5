// Inside of a transaction, whatever the environment says.
#pragma once

#include "txn/host.h"

namespace gittxn::api {

// Puts GIT_TXN_ID back where a command of a transaction of this repository's store has taken it
// away, so that everything that asks the variable is told the truth. One that is there stays: which
// transaction is meant a command may say (a child's, that it has begun), not that it is in none.
// What is below a transaction of another store (a test of a program that uses git-txn, in a
// repository of its own) is inside of nothing here, as long as it does not say so itself.
void restore_fence(Host& host);

}  // namespace gittxn::api
