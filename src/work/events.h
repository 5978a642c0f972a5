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
#include "store/log/consumers.h"
#include "store/log/handlers.h"
#include "store/log/pruning.h"
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

struct ConsumerLine : store::Consumer {
  std::int64_t behind = 0;  // events for it that it has not acknowledged
  Seq oldest = 0;           // the first of them; 0: none
  std::int64_t oldest_age_ms = 0;
  std::int64_t idle_ms = 0;     // since it moved
  std::int64_t holds_back = 0;  // from pruning: of what txn.retention lets go, else of all
  bool stale = false;
  bool ended = false;
  std::optional<store::HandlerRow> handler = {};  // of a handler that was given an event
};

inline constexpr std::string_view kHandlerMark = "on/";  // how the names of handlers' begin

// Its kind follows from its time to live.
Result<ConsumerLine> register_consumer(State& state, store::Registration request);
Result<ConsumerLine> acknowledge(State& state, const std::string& name, Seq seq);
// kRefused: it is that of a handler which the policy has.
Status remove_consumer(State& state, const std::string& name);
// Raises consumer.stale for those that have stalled, but inside of a transaction.
Result<std::vector<ConsumerLine>> list_consumers(State& state);

// Of neither a number nor an age: what txn.retention lets go.
enum class Prune { kNow, kOnlyTell };
Result<store::PrunePlan> prune_events(State& state, store::PruneRequest request, Prune how);

// A setting that is a duration; none: it is not set. kUsage: it does not parse.
Result<std::optional<std::int64_t>> duration_setting(State& state, std::string_view key);
inline constexpr std::string_view kRetention = "txn.retention";
// How long events are kept; none: for ever.
Result<std::optional<std::int64_t>> retention_ms(State& state);
// Consumers that stopped moving, as notes. A setting that does not parse is one too: it is no
// reason to refuse other work.
Status tell_stale_consumers(State& state, std::vector<std::string>& notes);
inline constexpr Seq kPassedOver = 4'096;  // so many events of no interest move a position

}  // namespace gittxn::api
