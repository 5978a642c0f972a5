// Landing: the one place where the branch moves. The order of durable steps, the locks and the recovery
// table are design document 4-landing; docs/design/0004-landing.md says where we differ and why.
//
// Threads: one Lander per process and thread. Locks, in order: turn, landing, index.lock, kernel, ref.
#pragma once

#include <functional>
#include <optional>
#include <string>
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

// Why a landing waits, holding no lock, and what will end the wait. Shown by `status`.
struct Wait {
  std::string reason;    // "turn", "dirty file", "merge in progress", "signing key", ...
  std::string subject;
};

struct LandOptions {
  std::int64_t wait_ms = 0;            // how long waiting for a person or a turn may last; < 0: for ever
  std::string trust_offered;           // GIT_TXN_TRUST
  std::function<void(const Wait&)> on_wait;       // begins; an empty reason ends it
  std::function<void(std::string_view)> on_step;  // progress, one short phrase
  std::function<bool()> interrupted;
};

enum class LandResult { kLanded, kNothing, kConflict, kRejected, kWaiting };

struct LandOutcome {
  LandResult result = LandResult::kConflict;
  Oid head_before;
  Oid commit;                          // kLanded
  std::vector<Conflict> conflicts;     // kConflict, kRejected
  std::vector<gates::GateReport> gates;
  std::optional<Wait> wait;            // kWaiting: the wait that ran out
  std::vector<std::string> left_to_person;
  std::size_t reads_checked = 0;
};

struct Context {
  repo::Repository* repository = nullptr;
  store::Store* store = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  gates::GateContext gates;
};

// Lands the last attempt of a transaction in state prepared. Waiting holds no lock. Every outcome is an
// event before this returns. kOutcomeUnknown: a sync failed past the point of no return; recover().
Result<LandOutcome> land(const Context& context, const TxnId& txn, const LandOptions& options);

struct RecoveryReport {
  struct Item {
    TxnId txn;
    std::string found;       // row of the recovery table
    std::string done;
  };
  std::vector<Item> items;   // empty: nothing to do
  std::vector<std::string> outside_moves;
};
// Resolves every unresolved LandingPrepared and records outside moves. Idempotent; may be killed; never
// moves a ref. Called by every command that writes.
Result<RecoveryReport> recover(const Context& context);

}  // namespace gittxn::land
