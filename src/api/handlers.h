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

#include "api/kernel.h"
#include "base/result.h"

namespace gittxn::api {

// For the handlers of the policy of `onto`, or of the branch that is checked out. Does nothing
// inside of a transaction, inside of a handler, and where nobody said yes to the commands. Handlers
// that fail are told by on_note, and are no error.
Status deliver_events(const Host& host, const std::optional<std::string>& onto,
                      const Progress& progress);

// A handler that failed is tried again, from the first attempt. kUsage: there is none of that name,
// or it did not fail.
Status retry_handler(Kernel& kernel, const std::string& name);

}  // namespace gittxn::api
