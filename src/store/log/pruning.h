// Forgetting old events. A log begins with its first event, or after a checkpoint: the artifact of
// the state then, whose digest, with the hash of the last event before it, is in an event of the
// log. So the chain still proves where it begins, and replaying begins there.
//
// Order, and what a kill leaves: the artifact is durable first (then a file that nobody names); one
// transaction appends log.checkpoint and moves the beginning; from then on nobody sees what is
// before it, and it is deleted in short transactions of its own, which the next prune goes on with.
// Keys of pruned events are kept, so that production stays idempotent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/store.h"

namespace gittxn::store {

// "urn:uuid:...": the same for as long as the store lives, wherever it is moved; a copy has it too.
Result<std::string> log_uri(const View& view);
// The last event that was pruned; 0: none.
Result<Seq> pruned_until(const View& view);

struct PruneRequest {
  std::optional<Seq> before;                  // events below this number
  std::optional<std::int64_t> older_than_ms;  // by the kernel's clock; exactly one of the two
  std::string actor;
};

// What keeps the events from `from` on.
struct PruneHold {
  std::string what;  // "consumer audit, at event 7", "transaction t-7k2m (open)"
  Seq from = 0;
};

struct PrunePlan {
  Seq first = 0;  // of those that go; last < first: nothing does
  Seq last = 0;
  Seq asked = 0;                 // what the request alone would prune to
  std::vector<PruneHold> holds;  // those below what was asked, the earliest first; at most 20
};

// Never past a durable consumer's position, what a member of the portfolio was not told, the
// beginning of a transaction that has not ended, or a landing that is not resolved. kUsage: beyond
// the log.
Result<PrunePlan> plan_prune(const View& view, const PruneRequest& request);
// kCorrupt: the chain does not hold, then nothing is pruned. kBusy: what holds events back changed
// again and again. Returns what was pruned.
Result<PrunePlan> prune(Store& store, const PruneRequest& request);

namespace events {
NewEvent checkpoint(Seq pruned, const Digest& hash, const Digest& state, const std::string& actor);
}  // namespace events

}  // namespace gittxn::store
