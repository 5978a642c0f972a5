// Leases and sentinels, as faces ask for them. store/work/leases.h says what a lease is and when it
// is over; here are waiting, holding one for a command or a transaction, and how it is told.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/txn.h"
#include "store/sentinels.h"
#include "store/work/leases.h"
#include "txn/host.h"

namespace gittxn::api {

struct LeaseRequest {
  std::vector<std::string> subjects;
  store::Sharing sharing = store::Sharing::kExclusive;
  store::Force force = store::Force::kAdvisory;
  std::int64_t ttl_ms = 600'000;
  std::int64_t wait_ms = 0;  // < 0: until interrupted
  std::string owner;         // "": the git identity
  std::string txn;           // who has it, and with which it ends: a transaction and no owner
};

struct LeaseLine {
  store::Lease lease;
  store::Standing standing = store::Standing::kGood;
  std::int64_t left_ms = 0;  // 0: it waits

  // Neither waiting nor over.
  bool is_held() const { return lease.held && standing == store::Standing::kGood; }
};
std::string texts_of(const std::vector<store::LeaseSubject>& subjects);  // "src/, a.c"
std::string_view sharing_word(const store::Lease& lease);                // shared, exclusive
std::string_view force_word(const store::Lease& lease);                  // mandatory, advisory
std::string_view state_word(const LeaseLine& line);  // held, waiting, or why it is over

// Each of these refuses to run inside a transaction; errors as store/work/lease_moves.h has them.
// kBusy: it is not to be had at once; kTimeout: not in time either. The message says who has it.
Result<LeaseLine> acquire_lease(State& state, const LeaseRequest& request,
                                const Progress& progress);
// Holds it while the command runs, and renews it; its exit status. Where the lease is lost, because
// this process was stopped for longer than it lasts, the command is ended: kStale.
Result<int> run_under_lease(State& state, const LeaseRequest& request,
                            const std::vector<std::string>& command, const Progress& progress);
// With a fence: only where the lease still has it (kStale). Whoever held it under another one may
// have changed what it is on.
Result<LeaseLine> renew_lease(State& state, const std::string& id, const std::string& owner,
                              std::optional<std::int64_t> ttl_ms, std::optional<Seq> fence);
Result<LeaseLine> transfer_lease(State& state, const std::string& id, const std::string& owner,
                                 const std::string& to, std::optional<Seq> fence);
Status release_lease(State& state, const std::string& id, const std::string& owner,
                     std::optional<Seq> fence);
// Those that are held or wait, and those that are over and that nobody came for. Only looks.
Result<std::vector<LeaseLine>> list_leases(State& state);

Result<store::SentinelAnswer> pass_sentinel(State& state, const std::string& name,
                                            std::int64_t every_ms);
Result<std::vector<store::Sentinel>> list_sentinels(State& state);
Status reset_sentinel(State& state, const std::string& name);  // kNotFound

// What `git txn run --lease` has for its transaction: held from take() until give_back(), renewed
// by look().
class Keeper;
class TxnLease {
 public:
  // Waits; nothing is taken for no subjects. `txn` has its slot held.
  static Result<TxnLease> take(State& state, const std::vector<std::string>& subjects,
                               const Txn& txn, std::int64_t wait_ms, const Progress& progress);
  void look();         // to be called often
  Status give_back();  // that it was lost is a note
  std::vector<std::string> notes = {};

 private:
  std::shared_ptr<Keeper> keeper_;  // null: nothing was taken
};

}  // namespace gittxn::api
