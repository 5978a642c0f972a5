// The turn: the right to be the next to land on a branch. It is let go of while gates run and
// questions are asked (land_gates.cc), unless that lost two races: then it is held, so that a slow
// gate sees a current candidate at last.
//
// The turn is a lock (store/server/locks.h) that dies with its holder. Who gets it next is decided
// by tickets: a ticket is an event (so that everybody sees the same order) and a locked slot (so
// that a dead ticket is known at once and skipped, with no time-out to guess). Order: priority,
// then age; a transaction that has lost before goes ahead of everybody.
//
// A free turn that nobody queues for is taken without a ticket: two synced appends less per
// landing. A taker without a ticket may thus pass somebody whose ticket is being written at that
// very moment, once.
//
// If we die: the lock and the slot are free; the ticket's event stays and the next one who
// queues closes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "land/land.h"
#include "model/event.h"
#include "store/server/locks.h"

namespace gittxn::land {

// A deadline on a clock that is passed in, so that every wait of landing counts alike.
class Deadline {
 public:
  // wait_ms < 0: never.
  Deadline(const Clock& clock, std::int64_t wait_ms)
      : clock_(clock), end_ns_(wait_ms < 0 ? -1 : clock.monotonic_ns() + wait_ms * kNsPerMs) {}
  bool passed() const { return end_ns_ >= 0 && clock_.monotonic_ns() >= end_ns_; }
  // `ms`, or what is left when that is less.
  std::int64_t clip(std::int64_t ms) const {
    if (end_ns_ < 0) return ms;
    const std::int64_t left_ns = end_ns_ - clock_.monotonic_ns();
    return std::clamp<std::int64_t>((left_ns + kNsPerMs - 1) / kNsPerMs, 0, ms);
  }

 private:
  const Clock& clock_;
  std::int64_t end_ns_;
};

struct TurnOptions {
  std::int64_t wait_ms = -1;  // < 0: until it comes
  int losses = 0;             // how often this transaction has lost against a moved head
  std::function<void(const Wait&)> on_wait;
  std::function<bool()> interrupted;
};

class Turn {
 public:
  // nullopt: wait_ms passed; the ticket is given back and `waited` says for whom. kStale: see
  // check_still_asked; kInterrupted. Then the ticket is given back too.
  static Result<std::optional<Turn>> take(const Context& context, const Txn& txn,
                                          const TurnOptions& options, Wait* waited);
  Turn(Turn&&) = default;
  Turn& operator=(Turn&&) = default;

  // The events that give the ticket back, to be appended together with what ends the turn; empty
  // when there is none. After they are appended call closed().
  std::vector<NewEvent> closing() const;
  void closed() { ticket_.reset(); }
  // Gives the ticket back by itself and lets go of the lock.
  Status release(store::Store& store);

 private:
  Turn() = default;
  store::Lock lock_;
  store::Lock slot_;
  std::optional<store::Ticket> ticket_;  // none: it was taken free
};

// kStale when the transaction is not asked to land any more as `txn` was loaded: while it waits,
// another command may end it or take it up again.
Status check_still_asked(const store::Store& store, const Txn& txn);

// The tickets that are alive, first in line first; for `status`.
Result<std::vector<store::Ticket>> line_for(const Context& context, const RefName& branch);

}  // namespace gittxn::land
