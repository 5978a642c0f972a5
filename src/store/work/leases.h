// Leases: who said that a part of the tree is theirs for a while (5-kernel, "Locks, leases,
// sentinels"; F3, F8, F12).
//
// A lease is held from its event lease.acquired until lease.released or lease.expired, and counts
// for nothing from the moment on where its time is over or its owner is dead, event or not: whoever
// comes next writes lease.expired for it in the same append that takes its place. No two leases
// that exclude each other are ever held in the tables: the log does not take such an event.
//
// Owners. An attached one (slot != 0) holds that byte of <txn dir>/owners for as long as it lives;
// the moment it is dead its lease is free, whatever process has its number then. One of another
// clone's is free after a grace of some seconds, because one that lives may have lost its
// connection to the server just now (store/server/locks.h). A detached one holds until its time is
// over. A live owner, stopped ones included, is never robbed before that; on a server that is so as
// long as it keeps its connection or makes another within the grace. A lease of a transaction ends
// with the transaction.
//
// Time is the kernel's clock. Across a reboot a lease has its whole time anew, because how long the
// machine was off is not known: never earlier. With a server's clock no machine's boot counts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/event.h"
#include "store/store.h"
#include "store/work/lease_subject.h"

namespace gittxn::store {

inline constexpr std::size_t kMaxLeaseSubjects = 64;
inline constexpr std::int64_t kMaxLeaseMs = 7LL * 24 * 3600 * 1000;

enum class Sharing { kExclusive, kShared };
enum class Force { kAdvisory, kMandatory };  // told; or in the way of others' landings

struct Lease {
  std::string id;     // "l-120"
  Seq number = 0;     // its place in the line: the event that asked for it
  bool held = false;  // else it waits
  std::vector<LeaseSubject> subjects{};
  Sharing sharing = Sharing::kExclusive;
  Force force = Force::kAdvisory;
  std::string owner{};
  TxnId txn{};            // it ends with this transaction; "" with none
  std::int64_t slot = 0;  // of <txn dir>/owners; 0: detached
  std::int64_t ttl_ms = 0;
  std::int64_t until_ms = 0;  // held: the kernel's clock
  std::string boot{};         // held: the boot it was last renewed in
  Seq fence = 0;              // held: rises with every new holder of what it is on

  bool operator==(const Lease&) const = default;
};

// What a lease's life is measured with.
struct LeaseMoment {
  std::int64_t now_ms = 0;         // View::now_ms
  std::string boot_id{};           // of this boot
  std::int64_t boot_began_ms = 0;  // this boot's first moment, on the kernel's clock
};
// `view`: of that store, or itself.
Result<LeaseMoment> moment_of(const View& view, const Store& store, const Clock& clock);

using IsAlive = std::function<Result<bool>(std::int64_t slot)>;
// For decisions: nobody is dead of whom that is not sure.
IsAlive alive_in(const Store& store);
// For a look, which decides nothing: on a server one who was cut off just now may be told as dead.
IsAlive seen_alive_in(const Store& store);
// Before a decision: makes sure which of their owners are dead. On a server it waits some seconds
// for those who are not there; under the write lock, where nobody may wait, it does nothing.
Status confirm_owners(Store& store, const std::vector<Lease>& of, const Clock& clock);

// In line, first come first.
Result<std::vector<Lease>> leases(const View& view);
Result<std::optional<Lease>> lease(const View& view, const std::string& id);

enum class Standing { kGood, kTimeOver, kOwnerDead, kTxnOver };
Result<Standing> standing(const View& view, const Lease& lease, const LeaseMoment& moment,
                          const IsAlive& alive);
std::string_view why_over(Standing standing);  // "its time is over"; "" of kGood
std::int64_t ends_ms(const Lease& lease, const LeaseMoment& moment);

bool exclude(const Lease& a, const Lease& b);  // they overlap, and one is exclusive

// What keeps `wanted` from being held now: live holders that exclude it, and live waiters before
// its number that do (0: it is not in line yet). And all that are over, to be ended by the events
// of whoever comes next.
struct LeaseWay {
  std::vector<Lease> blockers{};
  std::vector<std::pair<Lease, Standing>> over{};
};
Result<LeaseWay> way_of(const View& view, const Lease& wanted, const LeaseMoment& moment,
                        const IsAlive& alive);

namespace events {
NewEvent lease_queued(const Lease& lease);
NewEvent lease_acquired(const Lease& lease);
NewEvent lease_renewed(const Lease& lease);  // ttl_ms, until_ms and boot as they are to be
// To an owner who is not attached; its time stays. The number of the event is the new fence.
NewEvent lease_transferred(const Lease& lease, const std::string& to);
NewEvent lease_released(const Lease& lease, const std::string& why);
// `by`: who takes its place, "" nobody yet.
NewEvent lease_expired(const Lease& lease, const std::string& why, const std::string& by);
// Of an event that asks for one or has one acquired.
Result<Lease> lease_of(const Event& event);
}  // namespace events

}  // namespace gittxn::store
