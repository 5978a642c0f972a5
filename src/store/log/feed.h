// The log as a stream: batches of events in order, each read in one short moment, and each event as
// one line of CloudEvents 1.0 JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/event.h"
#include "store/store.h"

namespace gittxn::store {

struct EventFilter {
  std::vector<std::string> types;  // none: all
  std::string subject;             // empty: all
};

struct EventBatch {
  std::vector<Event> events;  // those that pass, in order
  Seq seen = 0;               // everything up to here was looked at
  bool at_end = false;        // `seen` is the end of the log
};
// From event `from` on, at most `limit` events that pass; several thousand are looked at at once,
// so a batch may be empty long before the end. kStale: `from` was pruned; kCorrupt: the next event
// that passes was edited into what is no JSON.
Result<EventBatch> read_batch(const View& view, Seq from, const EventFilter& filter, int limit);

// One event without a line end. `source` is log_uri(). Every column of the log is in it, so that
// the hash of an event can be computed from its line.
std::string cloud_event(const Event& event, std::string_view source);
void append_cloud_event(const Event& event, std::string_view source, std::string& out);
// "urn:git-txn:event:transaction.landed:1": the $id of the payload's JSON Schema.
std::string schema_uri(std::string_view type, int version);

}  // namespace gittxn::store
