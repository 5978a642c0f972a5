// Consumers: who reads the log, and how far they have got. Registration and removal are events; a
// position is a row beside the log, because an acknowledgement that were an event would have to be
// delivered and acknowledged in its turn.
//
// A durable position ends by removal alone; there is no time in it that could end it, and pruning
// never passes it. An ephemeral one ends when it was not moved for its time to live, and is never
// silently begun again. Delivery is at least once and in order: who dies before acknowledging sees
// the events again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/event.h"
#include "store/store.h"

namespace gittxn::store {

enum class ConsumerKind { kDurable, kEphemeral };
std::string_view consumer_kind_name(ConsumerKind kind);

struct Consumer {
  std::string name;
  ConsumerKind kind = ConsumerKind::kDurable;
  std::int64_t ttl_ms = 0;         // ephemeral
  std::vector<std::string> types;  // of the events it is for, sorted; none: all
  Seq registered = 0;              // the event that registered it
  Seq position = 0;                // the last event it has acknowledged
  std::int64_t moved_ms = 0;       // when it did, in the kernel's clock
  Seq stale_at = -1;               // the position at which consumer.stale was raised; -1: never
};
// By the kernel's clock: an ephemeral one that was not moved for its time to live.
bool has_ended(const Consumer& consumer, std::int64_t now_ms);

// Letters, digits, ".", "_", "-", at most 64; handlers' are such a name behind "on/". kUsage.
Status check_consumer_name(const std::string& name);

Result<std::optional<Consumer>> consumer(const View& view, const std::string& name);
Result<std::vector<Consumer>> consumers(const View& view);  // by name

struct Pending {
  std::int64_t events = 0;  // of its types, after its position
  Seq oldest = 0;           // 0: none
  std::int64_t oldest_ms = 0;
};
Result<Pending> pending(const View& view, const Consumer& consumer);

struct Registration {
  std::string name;
  ConsumerKind kind = ConsumerKind::kDurable;
  std::int64_t ttl_ms = 0;
  std::vector<std::string> types;
  enum class From { kNow, kStart, kSeq } from = From::kNow;
  Seq seq = 0;  // kSeq: the first event it gets
};
// A repeat of the same name, kind, types and time to live is success and changes nothing, position
// included; kExists: it is there as something else. One that has ended is registered anew. kUsage:
// from an event that was pruned, or is beyond the next one.
Result<Consumer> register_consumer(Store& store, const Registration& registration);
// kUsage: there is none of that name.
Status remove_consumer(Store& store, const std::string& name, const std::string& why);

// Of one that can be used now. kUsage: there is none. kStale: it has ended, with the next step.
Result<Consumer> usable_consumer(const View& view, const std::string& name);

// Moves the position forward, durably. The same number again is success, and for an ephemeral one
// proof of life. kUsage: beyond the log's end; kStale: backwards, or it has ended.
Status acknowledge(Store& store, const std::string& name, Seq seq);

// Raises consumer.stale for each durable one that has not moved for that long while there was an
// event for it, once a stall. Their names. Looks without the write lock first.
Result<std::vector<std::string>> raise_stale(Store& store, std::int64_t threshold_ms);

namespace events {
NewEvent consumer_registered(const Consumer& consumer);
NewEvent consumer_removed(const Consumer& consumer, const std::string& why);
NewEvent consumer_stale(const Consumer& consumer, Seq oldest);
}  // namespace events

}  // namespace gittxn::store
