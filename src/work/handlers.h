// Handlers of the policy: [on."transaction.landed"] run = "...". Each is a durable consumer, so it
// is given every event of its type from the yes to its command on, at least once and in order.
//
// There is no process between two commands: the command that appended gives the events out before
// it exits, never while it holds a lock of the store, and waits for what it has started (F11). What
// a dead one left, the next command that writes does. One delivery of a handler runs at a time, by
// a lock that dies with its holder.
//
// No loops: events of handlers are given to none, which the policy's parser refuses; a command that
// a handler runs gives out nothing (GIT_TXN_HANDLER); and a command gives out only what was there
// when it began to. So what handlers cause is given out by later commands, never for ever by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/policy.h"
#include "store/log/handlers.h"
#include "txn/host.h"

namespace gittxn::api {

// For the handlers of the policy of `onto`, or of the branch that is checked out. Does nothing
// inside of a transaction, inside of a handler, and where nobody said yes to the commands. Handlers
// that fail are told by on_note, and are no error.
Status deliver_events(State& state, const std::optional<std::string>& onto,
                      const Progress& progress);
// The same of a command that has opened nothing.
Status deliver_events(const Host& host, const std::optional<std::string>& onto,
                      const Progress& progress);

// A handler whose last delivery failed, and that has not been given the event yet: what a person
// has passed over, or whose consumer is gone, is no failure any more.
struct HandlerFailure : store::HandlerRow {
  std::string why;   // "exit 3", "took longer than its limit"
  std::string said;  // the last line that it printed, cut; "": nothing, or it is gone
  bool stopped() const { return state == store::HandlerState::kStopped; }  // it is left to a person
};
Result<std::vector<HandlerFailure>> handler_failures(State& state);  // by name

// A handler that failed is tried again, from the first attempt. kUsage: there is none of that name,
// it did not fail, or its event was passed over since.
Status retry_handler(State& state, const std::string& name);

// Makes each handler of a trusted policy the consumer that it is, from now on.
Status register_handlers(State& state, const Policy& policy);
// Those that failed, one line each.
void tell_handlers(const store::Store& store, std::vector<std::string>& notes);

}  // namespace gittxn::api
