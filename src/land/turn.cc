#include "land/turn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/if_there.h"
#include "store/events.h"
#include "store/server/locks.h"

namespace gittxn::land {

namespace events = store::events;

namespace {

FAILPOINT(fp_after_ticket, "land.after_ticket");
FAILPOINT(fp_after_turn, "land.after_turn");

constexpr std::int64_t kPollMs = 50;
constexpr int kLoserPriority = 1'000'000;  // above any priority a person can give

std::string lock_name(const RefName& branch, std::string_view which) {
  return fmt::format("{}.{}", sha256(branch.str()).str().substr(0, 32), which);
}

std::string path_of(const Context& context, const std::string& lock) {
  return fmt::format("{}/locks/{}", context.store->dir(), lock);
}

bool before(const store::Ticket& a, const store::Ticket& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.number < b.number;
}

// What stands in the lock file is for people who look at it, never a lock: who took it last. A
// server's lock has no file.
void sign_lock(const std::string& path, const TxnId& txn) {
  auto file = open_fd(path, O_WRONLY | O_TRUNC);
  if (!file) return;
  Status written = write_all(file->get(), fmt::format("{} {}\n", txn.str(), ::getpid()));
  static_cast<void>(written.has_value());  // nobody depends on it
}

// The tickets in line whose slot nobody holds. Who leaves closes the ticket before it lets go of
// the slot, so that of one that is still in line at the second look the owner is dead, or cut off.
Result<std::vector<std::int64_t>> silent_tickets(const Context& context, const RefName& branch) {
  std::vector<std::int64_t> silent;
  for (const store::Ticket& ticket : TRY(context.store->tickets(branch))) {
    const bool held = TRY(context.store->locks().is_held(store::Slots::kTickets, ticket.number));
    if (!held) silent.push_back(ticket.number);
  }
  if (silent.empty()) return silent;
  const std::vector<store::Ticket> line = TRY(context.store->tickets(branch));
  std::erase_if(silent, [&](std::int64_t number) {
    return std::ranges::find(line, number, &store::Ticket::number) == line.end();
  });
  return silent;
}

// Closes the tickets of the dead and returns the living, first in line first. On a server it takes
// some seconds to be sure that one is dead.
Result<std::vector<store::Ticket>> clean_line(const Context& context, const RefName& branch) {
  store::Locks& locks = context.store->locks();
  const std::vector<std::int64_t> silent = TRY(silent_tickets(context, branch));
  TRY(locks.confirm(store::Slots::kTickets, silent));
  std::vector<store::Ticket> living;
  std::vector<NewEvent> closing;
  for (store::Ticket& ticket : TRY(context.store->tickets(branch))) {
    const bool suspected = std::ranges::find(silent, ticket.number) != silent.end();
    const bool gone = suspected && TRY(locks.is_gone(store::Slots::kTickets, ticket.number));
    if (!gone) {
      living.push_back(std::move(ticket));
    } else {
      closing.push_back(events::ticket_done(ticket, "its owner died"));
    }
  }
  if (!closing.empty()) TRY(context.store->append(closing));
  std::sort(living.begin(), living.end(), before);
  return living;
}

// Who stands directly before the ticket; nullopt: it is first.
Result<std::optional<store::Ticket>> one_before(const Context& context, const RefName& branch,
                                                std::int64_t number) {
  std::optional<store::Ticket> previous;
  for (store::Ticket& ticket : TRY(clean_line(context, branch))) {
    if (ticket.number == number) return previous;
    previous = std::move(ticket);
  }
  return fail(Code::kFault, fmt::format("ticket {} of {} is not in line", number, branch.str()));
}

// True when the lock was had.
Result<bool> try_lock(const Context& context, const std::string& name, std::int64_t deadline_ms,
                      store::Lock* out) {
  auto lock = TRY(unless(Code::kBusy, context.store->locks().acquire(name, deadline_ms)));
  const bool had = lock.has_value();
  if (had) *out = *std::move(lock);
  return had;
}

Status check_waiting(const Context& context, const Txn& txn, const TurnOptions& options) {
  if (options.interrupted && options.interrupted()) {
    return fail(Code::kInterrupted,
                "interrupted while waiting for the turn on " + txn.target.str());
  }
  return check_still_asked(*context.store, txn);
}

}  // namespace

Status check_still_asked(const store::Store& store, const Txn& txn) {
  const std::optional<Txn> now = TRY(store.txn(txn.id));
  if (!now) return fail(Code::kStale, txn.id.str() + " is gone");
  const bool same = now->attempts.size() == txn.attempts.size() &&
                    (txn.attempts.empty() || now->attempts.back().kept == txn.attempts.back().kept);
  // Of a hub that does not answer: what became of its landing is the next round's to find out.
  const bool asked = now->state == TxnState::kPrepared || now->state == TxnState::kLanding;
  if (asked && same) return {};
  return fail(Code::kStale, fmt::format("{} is {} now", txn.id.str(), state_name(now->state)));
}

std::string turn_lock_path(const Context& context, const RefName& branch) {
  return path_of(context, lock_name(branch, "turn"));
}

std::string landing_lock_path(const Context& context, const RefName& branch) {
  return path_of(context, landing_lock_name(branch));
}

std::string landing_lock_name(const RefName& branch) {
  return lock_name(branch, "land");
}

Result<std::vector<store::Ticket>> line_for(const Context& context, const RefName& branch) {
  std::vector<store::Ticket> living;
  for (store::Ticket& ticket : TRY(context.store->tickets(branch))) {
    if (TRY(context.store->locks().is_held(store::Slots::kTickets, ticket.number))) {
      living.push_back(std::move(ticket));
    }
  }
  std::sort(living.begin(), living.end(), before);
  return living;
}

std::vector<NewEvent> Turn::closing() const {
  if (!ticket_) return {};
  return {events::ticket_done(*ticket_, "its turn is over")};
}

Status Turn::release(store::Store& store) {
  const std::vector<NewEvent> ending = closing();
  const Result<Seq> told = ending.empty() ? Result<Seq>(0) : store.append(ending);
  closed();
  lock_.release();
  slot_.release();
  TRY(told);
  return {};
}

Result<std::optional<Turn>> Turn::take(const Context& context, const Txn& txn,
                                       const TurnOptions& options, Wait* waited) {
  const std::string name = lock_name(txn.target, "turn");
  const std::string path = path_of(context, name);
  Turn turn;
  if (INJECTED_BUG("land.no_locks")) return turn;
  if (TRY(clean_line(context, txn.target)).empty() &&
      TRY(try_lock(context, name, 0, &turn.lock_))) {
    sign_lock(path, txn.id);
    TRY(fp_after_turn.hit());
    return turn;
  }

  const std::int64_t number = TRY(context.store->next_slot());
  turn.slot_ = TRY(context.store->locks().try_slot(store::Slots::kTickets, number));
  const int priority = options.losses > 0 ? kLoserPriority + options.losses : txn.priority;
  const store::Ticket ticket{number, txn.target, txn.id, priority, txn.owner};
  *waited = {WaitReason::kTurn, txn.target.str()};
  TRY(context.store->append(
      {events::ticket_taken(ticket), events::waiting(txn.id, waited->reason, waited->subject)}));
  turn.ticket_ = ticket;
  TRY(fp_after_ticket.hit());
  if (options.on_wait) options.on_wait(*waited);

  const Deadline deadline(*context.clock, options.wait_ms);
  while (true) {
    Status waiting = check_waiting(context, txn, options);
    if (!waiting) {
      TRY(turn.release(*context.store));
      return std::unexpected(std::move(waiting).error());
    }
    const std::optional<store::Ticket> ahead = TRY(one_before(context, txn.target, number));
    const std::int64_t pause_ms = deadline.clip(kPollMs);
    if (!ahead) {
      if (TRY(try_lock(context, name, pause_ms, &turn.lock_))) break;
    } else {
      TRY(unless(Code::kTimeout, context.store->locks().wait_free(store::Slots::kTickets,
                                                                  ahead->number, pause_ms)));
    }
    if (deadline.passed()) {
      if (ahead) waited->subject = fmt::format("{} behind {}", txn.target.str(), ahead->txn.str());
      TRY(turn.release(*context.store));
      return std::optional<Turn>{};
    }
  }
  sign_lock(path, txn.id);
  const auto told = context.store->append({events::waiting(txn.id, WaitReason::kNone, "")});
  if (!told) {
    TRY(turn.release(*context.store));
    return std::unexpected(told.error());
  }
  if (options.on_wait) options.on_wait({});
  TRY(fp_after_turn.hit());
  return turn;
}

}  // namespace gittxn::land
