// Landing: the one place where the branch moves. The order of durable steps, the locks and the
// recovery table are design document 4-landing; docs/design/0003-landing.md says where we differ
// and why.
//
// Threads: one Lander per process and thread. Locks, in order: turn, landing, index.lock, kernel,
// ref.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "gates/gate.h"
#include "model/verdict.h"
#include "repo/checkout.h"
#include "repo/repository.h"
#include "store/store.h"

namespace gittxn::land {

// The subject of the kernel read of the policy a transaction was begun under.
inline constexpr std::string_view kPolicySubject = "policy";

// Why a landing waits, holding no lock, and what will end the wait. Shown by `status`.
struct Wait {
  WaitReason reason = WaitReason::kNone;
  std::string subject;
  bool operator==(const Wait&) const = default;
};

struct LandOptions {
  std::int64_t wait_ms = 0;        // how long waiting for a person may last; < 0: for ever
  std::int64_t turn_wait_ms = -1;  // how long the queue may last; < 0: for ever (it always moves)
  std::string trust_offered;       // GIT_TXN_TRUST
  bool keep_commits = false;       // the agent's own commits land as they are
  std::function<void(const Wait&)> on_wait;       // begins; kNone ends it
  std::function<void(std::string_view)> on_step;  // progress, one short phrase
  std::function<bool()> interrupted;
};

// kWithdrawn: while it waited, another command ended the transaction or took it up again; its state
// says how.
enum class LandResult { kLanded, kNothing, kConflict, kRejected, kWaiting, kWithdrawn };

struct LandOutcome {
  LandResult result = LandResult::kConflict;
  Oid head_before;
  Oid commit;  // kLanded; kNothing: by which somebody else brought it there, where that is so
  std::vector<Conflict> conflicts;  // kConflict, kRejected
  std::vector<gates::GateReport> gates;
  std::optional<Wait> wait;  // kWaiting: the wait that ran out
  std::vector<std::string> left_to_person;
  std::vector<std::string> notes;  // for a person: what was different from the plain case
  std::size_t reads_checked = 0;
  Admission admitted;                    // kLanded: beside reads that hold as they are
  std::int64_t asked_ms = 0;             // what asking questions again took, whatever the result
  std::vector<std::int64_t> turns_ns;    // how long it had the turn, each time
  Isolation level = Isolation::kStrict;  // what it was certified at, policy included
};

// The remote whose branches many clones land on, which share a store on a server (hub.h).
struct Hub {
  std::string remote;  // by name, as git knows it
  std::string clone;   // who we are among its clones
  std::int64_t timeout_ms = 60'000;
  std::string log = {};  // whose landings it must say it has; "": it is being joined
};

// The policies of commits: the one place that reads them.
class Policies {
 public:
  // .gittxn.toml of a commit or tree; the empty policy when there is none. kUsage: it does not
  // parse. A text is read once for as long as this lives.
  Result<Policy> at(repo::Repository& repository, const Oid& commitish);
  int read() const { return read_; }  // texts, until now

 private:
  std::map<Oid, Policy> known_;  // by the blob; of none: empty
  int read_ = 0;
};

// The place in which questions are asked again (asking/ask.h), and the time limits: of all pure
// ones of a landing together, and of each runner. No root: nowhere, and then their looks decide.
struct Asks {
  std::string root;
  std::string shared;  // the checkouts that worktrees share
  std::int64_t pure_ms = 10'000;
  std::int64_t runner_ms = 600'000;
};

struct Context {
  repo::Repository* repository = nullptr;
  store::Store* store = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  gates::GateContext gates;
  std::optional<Hub> hub = {};  // none: the branch is this repository's
  std::shared_ptr<Policies> policies = std::make_shared<Policies>();  // of one thread
  Asks asks = {};
};

// Lands the last attempt of a transaction in state prepared. Waiting holds no lock. Every outcome
// is an event before this returns. kOutcomeUnknown: past the point of no return a sync failed,
// or the log could not be told; recover().
Result<LandOutcome> land(const Context& context, const TxnId& txn, const LandOptions& options);

// What the certifier would say of a transaction's kept work on the branch as it is now. Only looks:
// no event, no object, no lock.
Result<Verdict> certify_now(const Context& context, const TxnId& txn);
// The same on a head of the caller's choice: of what has landed, the one it landed on.
Result<Verdict> certify_at(const Context& context, const TxnId& txn, const Oid& head);
// The same of reads that are not on record yet: those of a command that still runs.
Result<Verdict> certify_reads(const Context& context, const Txn& txn, const Footprint& footprint,
                              const Oid& head);

// context.policies->at()
Result<Policy> policy_at(const Context& context, const Oid& commitish);

// The checkpoint of outside moves: compares the branch with the last head the log knows, records
// what a person (or a tool beside us) did as an event, and returns the head. An unresolved landing
// is recovered first. Errors are clear stops that name the ref, its last known value and the
// command that restores it.
Result<Oid> checkpoint(const Context& context, const RefName& branch);
// For a snapshot: the same, but where a live landing is inside its critical section the branch is
// taken as it is, and what it is gets recorded by that landing.
Result<Oid> current_head(const Context& context, const RefName& branch);

// What is durable in this repository of a branch: at most one commit, with all that it reaches. The
// log remembers it; of a hub's branch a file of each clone does, and losing that costs a syncfs.
Result<std::vector<Oid>> durable_heads(const Context& context, const RefName& branch);
// Makes a head, and everything reachable from it, durable, so that a ref of ours may name it. The
// first time on a branch it is one syncfs.
Status make_head_durable(const Context& context, const RefName& branch, const Oid& head);

struct RecoveryReport {
  struct Item {
    TxnId txn;
    std::string found;  // row of the recovery table
    std::string done;
  };
  std::vector<Item> items;  // empty: nothing to do
  std::vector<std::string> outside_moves;
  // Branches and checkouts that a person has to look at first; the others were done.
  std::vector<Error> stops;
};
// Resolves every unresolved LandingPrepared and records outside moves. Idempotent; may be killed;
// never moves a ref. Called by every command that writes. A branch whose landing lock is held is in
// progress and skipped, so this never waits.
Result<RecoveryReport> recover(const Context& context);

// Where the locks of a branch are when they are files; for people who ask who holds them.
std::string turn_lock_path(const Context& context, const RefName& branch);
std::string landing_lock_path(const Context& context, const RefName& branch);
inline constexpr std::int64_t kLandingLockMs = 10'000;  // a live landing is inside for milliseconds
std::string landing_lock_name(const RefName& branch);   // of store/server/locks.h

}  // namespace gittxn::land
