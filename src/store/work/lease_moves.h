// Moves of leases, each one decision under the write lock: asking, trying again from the line,
// renewing, handing on, giving back. leases.h says what a lease is.
//
// If we die before a decision is committed, nothing has happened; after it, the lease is held, or
// waits, by an owner who is dead, and whoever comes next ends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "store/server/locks.h"
#include "store/work/leases.h"

namespace gittxn::store {

struct LeaseAsk {
  std::vector<LeaseSubject> subjects{};
  Sharing sharing = Sharing::kExclusive;
  Force force = Force::kAdvisory;
  std::string owner{};
  TxnId txn{};
  std::int64_t ttl_ms = 0;
  // Attached: for as long as the lock in LeaseAnswer is held; or, where a slot is given, for as
  // long as whoever has that slot of <txn dir>/owners holds it.
  enum class Attach { kDetached, kAttached } attach = Attach::kDetached;
  std::int64_t slot = 0;
};

struct LeaseAnswer {
  Lease lease{};                  // held; or waiting; or neither, and without an id
  std::vector<Lease> blockers{};  // why it is not held
  Lock alive{};                   // of one that waits, and of one that is attached by itself
};

enum class Line { kQueue, kGoAway };  // when it is not to be had at once
// kUsage: no subjects or too many, a time out of bounds, no owner.
Result<LeaseAnswer> ask_lease(Store& store, const LeaseAsk& ask, Line line);
// Of one in line whose `alive` is still held: takes it when it is free, and fills in `blockers`
// otherwise. kStale: it is not in line any more.
Status try_lease(Store& store, const LeaseAsk& ask, LeaseAnswer& answer);

// The next three: kNotFound: there never was such a lease. kStale: it is lost; the hint says who
// has what it was on, or it was given on since it had `fence`. kRefused: it is somebody else's than
// `owner`. kUsage: a time out of bounds.
// Without a time: as long as before.
Result<Lease> renew_lease(Store& store, const std::string& id, const std::string& owner,
                          std::optional<std::int64_t> ttl_ms, std::optional<Seq> fence = {});
Result<Lease> transfer_lease(Store& store, const std::string& id, const std::string& owner,
                             const std::string& to, std::optional<Seq> fence = {});
// Also of one that waits: it leaves the line.
Status release_lease(Store& store, const std::string& id, const std::string& owner,
                     const std::string& why, std::optional<Seq> fence = {});

}  // namespace gittxn::store
