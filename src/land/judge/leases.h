// Leases of others in the way of a landing (store/work/leases.h). A mandatory one on what it writes
// is in its way: the landing waits, as for a dirty file, and lands when the lease is over. An
// advisory one is a note.
//
// Whether a lease is in the way is decided in the append that makes the landing the next one of its
// branch, under the write lock that also hands out leases: a lease that was had before it denies
// it, one that is had after it finds it landed. What was pushed to a remote before cannot be denied
// any more. A commit that a person makes without a transaction is not asked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "land/land.h"
#include "model/change.h"
#include "store/work/leases.h"

namespace gittxn::land {

// The descriptors that a change of a file touches, by its path. Of a file that is not here, it may
// be any: nobody has looked into it.
using TouchedSymbols = std::map<std::string, std::vector<std::string>>;

// Looks into the changed files in which somebody has a symbol leased.
Result<TouchedSymbols> touched_symbols(const Context& context, const Changes& changes);

struct MetLease {
  store::Lease lease;
  std::string path;  // the first that it is about
};
// Live leases of others that these changes of `txn` meet, oldest first. Its own are those that are
// the transaction's, or its owner's. Of `view`, so that it can be asked under the write lock.
Result<std::vector<MetLease>> leases_met(const Context& context, const store::View& view,
                                         const Txn& txn, const Changes& changes,
                                         const TouchedSymbols& symbols);

// The first that is mandatory, as what the landing waits for.
std::optional<Wait> denied_by(const std::vector<MetLease>& met);
// "src/a.cc is leased to bob (l-120, advisory)", one note each.
std::vector<std::string> notes_of(const std::vector<MetLease>& met);

}  // namespace gittxn::land
