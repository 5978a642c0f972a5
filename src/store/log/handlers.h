// Handlers: commands of the policy that are given events. A handler is a durable consumer of one
// type, "on/" and its name; what came of each delivery is an event, so that a handler that fails is
// seen, and a delivery that has been recorded as done is not made again.
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

std::string handler_consumer(std::string_view name);  // "on/NAME"

// failing: it is tried again. stopped: it failed too often, and waits for a person.
enum class HandlerState { kRunning, kDone, kFailing, kStopped };
std::string_view handler_state_name(HandlerState state);

struct HandlerRow {  // what came of its last delivery
  std::string name;
  Seq event = 0;
  int attempt = 0;  // the how manieth of this event
  HandlerState state = HandlerState::kDone;
  int exit = 0;
  bool timed_out = false;
  Digest output;                 // artifact; empty: none
  std::int64_t retry_at_ms = 0;  // failing: not before, in the kernel's clock
};
Result<std::optional<HandlerRow>> handler(const View& view, const std::string& name);
Result<std::vector<HandlerRow>> handlers(const View& view);  // by name
// Why the delivery of this row is made no more, as "event 9 was passed over"; "": it still waits.
// A row stays as it is when a person moves or removes the consumer.
Result<std::string> why_not_due(const View& view, const HandlerRow& row);

// Failures of one event before it is left for a person.
inline constexpr int kHandlerAttempts = 5;

namespace events {
// kStale when the attempt is not the next one of this event: somebody else has begun it.
NewEvent handler_started(const std::string& name, Seq event, int attempt);
struct HandlerEnd {
  Seq event = 0;
  int attempt = 0;
  HandlerState state = HandlerState::kDone;
  int exit = 0;  // -1: nobody saw its end
  bool timed_out = false;
  Digest output;
  std::int64_t duration_ms = 0;
  std::int64_t retry_at_ms = 0;
};
NewEvent handler_ended(const std::string& name, const HandlerEnd& end);
// Attempts count from one again, at once. kStale: it did not fail.
NewEvent handler_retried(const std::string& name, Seq event, const std::string& actor);
}  // namespace events

}  // namespace gittxn::store
