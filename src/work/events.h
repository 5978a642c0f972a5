// Reading the log as it grows, and its consumers: git txn events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "txn/host.h"

namespace gittxn::api {

struct TailRequest {
  std::optional<Seq> from;  // unset: the beginning, or where the consumer is
  std::vector<std::string> types;
  std::string subject;
  std::int64_t limit = 0;  // 0: all
  bool follow = false;     // wait for more, until interrupted
  std::string consumer;    // empty: none
  bool acknowledge = false;
};

// Whole lines of CloudEvents JSON, to be written out before it returns.
enum class Go { kOn, kStop };
using TakeLines = std::function<Result<Go>(std::string_view lines)>;

// Delivers at least once and in order; what it acknowledges was taken before. kStop: nobody reads
// any more, and nothing more is acknowledged. kStale: events were pruned, or the consumer has
// ended.
Status tail_events(State& state, const TailRequest& request, const TakeLines& take,
                   const Progress& progress);

struct ConsumerRequest {
  std::string name;
  std::int64_t ttl_ms = 0;  // 0: durable
  std::vector<std::string> types;
  std::optional<Seq> from;
  bool from_start = false;  // neither: from now on
};
struct ConsumerLine {
  std::string name;
  std::string kind;
  std::int64_t ttl_ms = 0;
  std::vector<std::string> types;
  Seq position = 0;
  std::int64_t behind = 0;  // events for it that it has not acknowledged
  Seq oldest = 0;           // the first of them; 0: none
  std::int64_t oldest_age_ms = 0;
  std::int64_t idle_ms = 0;     // since it moved
  std::int64_t holds_back = 0;  // from pruning: of what txn.retention lets go, else of all
  bool stale = false;
  bool ended = false;
  std::string handler;  // of a handler: running, done, failing or stopped, with its last event
  int handler_exit = 0;
  Seq handler_event = 0;
};

Result<ConsumerLine> register_consumer(State& state, const ConsumerRequest& request);
Result<ConsumerLine> acknowledge(State& state, const std::string& name, Seq seq);
Status remove_consumer(State& state, const std::string& name);
// Raises consumer.stale for those that have stalled, but inside of a transaction.
Result<std::vector<ConsumerLine>> list_consumers(State& state);

struct PruneOptions {
  std::optional<Seq> before;
  std::optional<std::int64_t> older_than_ms;  // neither: txn.retention
  bool dry_run = false;
};
struct PruneLine {
  Seq first = 0;
  Seq last = 0;  // below `first`: nothing goes
  Seq asked = 0;
  std::vector<std::string> holds;  // what keeps events that were asked for
  std::vector<Seq> held_from;
};
Result<PruneLine> prune_events(State& state, const PruneOptions& options);

}  // namespace gittxn::api
