#include "store/work/lease_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/bug.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "base/subprocess.h"
#include "store/events.h"
#include "store/log/pruning.h"
#include "store/server/locks.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

FAILPOINT(fp_slot_held, "store.lease.slot_held");

Status check_ttl(std::int64_t ttl_ms) {
  if (ttl_ms > 0 && ttl_ms <= kMaxLeaseMs) return {};
  return fail(Code::kUsage, fmt::format("a lease cannot last {}", format_duration(ttl_ms)),
              fmt::format("from 1 ms to {}", format_duration(kMaxLeaseMs)));
}

Status check_ask(const LeaseAsk& ask) {
  if (ask.subjects.empty() || ask.subjects.size() > kMaxLeaseSubjects) {
    return fail(Code::kUsage, fmt::format("a lease is on 1 to {} subjects", kMaxLeaseSubjects));
  }
  if (ask.owner.empty()) return fail(Code::kUsage, "a lease needs an owner");
  return check_ttl(ask.ttl_ms);
}

Result<LeaseMoment> moment(const View& view, Store& store) {
  return moment_of(view, store, *store.state().clock);
}

// Of those that keep `wanted` off, who is dead is to be sure before the decision.
Status confirm_in_the_way(Store& store, const Lease& wanted) {
  std::vector<Lease> in_the_way;
  for (Lease& other : TRY(leases(store))) {
    if (other.number != wanted.number && exclude(wanted, other)) {
      in_the_way.push_back(std::move(other));
    }
  }
  return confirm_owners(store, in_the_way, *store.state().clock);
}

Status confirm_owner(Store& store, const std::string& id) {
  const std::optional<Lease> known = TRY(lease(store, id));
  if (!known) return {};
  return confirm_owners(store, {*known}, *store.state().clock);
}

void begin(Lease& lease, const LeaseAsk& ask, const LeaseMoment& now) {
  lease.held = true;
  lease.until_ms = now.now_ms + ask.ttl_ms;
  lease.boot = now.boot_id;
  if (ask.attach == LeaseAsk::Attach::kDetached) lease.slot = 0;
}

// Those that are over, whoever they kept waiting: nobody else tidies them up.
std::vector<NewEvent> end_over(const LeaseWay& way, const Lease& next) {
  std::vector<NewEvent> ending;
  for (const auto& [lease, why] : way.over) {
    ending.push_back(events::lease_expired(lease, std::string(why_over(why)),
                                           exclude(lease, next) ? next.id : ""));
  }
  return ending;
}

std::string subjects_text(const std::vector<LeaseSubject>& subjects) {
  std::string out;
  for (const LeaseSubject& subject : subjects) {
    out += (out.empty() ? "" : ", ") + subject_text(subject);
  }
  return out;
}

// Who has, or waits for, what the lease was on.
Result<std::string> who_has(const View& view, const Lease& lost) {
  for (const Lease& other : TRY(leases(view))) {
    if (other.id == lost.id || !other.held || !exclude(lost, other)) continue;
    return fmt::format("{} has {} now ({}, fence {})", other.owner, subjects_text(other.subjects),
                       other.id, other.fence);
  }
  std::vector<std::string> again{"git", "txn", "lease", "acquire"};
  for (const LeaseSubject& subject : lost.subjects) again.push_back(subject_text(subject));
  return "nobody has it now; ask for it anew with: " + quote_argv(again);
}

std::unexpected<Error> unknown(const std::string& id) {
  return fail(Code::kNotFound, fmt::format("there is no lease '{}'", id),
              "git txn lease list has those there are");
}

// A lease's name says at which event it began; a pruned event may have been its beginning.
Result<bool> was_pruned(const Store& store, const std::string& id) {
  Seq began = 0;
  const char* end = id.data() + id.size();
  if (!id.starts_with("l-")) return false;
  const auto read = std::from_chars(id.data() + 2, end, began);
  return read.ec == std::errc() && read.ptr == end && began > 0 &&
         began <= TRY(pruned_until(store));
}

// A lease that is over: what became of it, as the log has it.
Result<Error> lost_lease(const Store& store, const std::string& id) {
  const std::vector<Event> history = TRY(store.events_of(id));
  const bool known = !history.empty() && (history.front().type == event_type::kLeaseQueued ||
                                          history.front().type == event_type::kLeaseAcquired);
  if (!known && TRY(was_pruned(store, id))) {
    return Error{
        Code::kStale,
        fmt::format("there is no lease '{}' now, and the events that would say what became "
                    "of it have been pruned",
                    id),
        "git txn lease list has those there are",
        {}};
  }
  if (!known) return unknown(id).error();
  const Lease was = TRY(events::lease_of(history.front()));
  constexpr std::string_view kOver = "over: ";  // "is lost" says it
  std::string end = events::describe(history.back());
  if (end.starts_with(kOver)) end.erase(0, kOver.size());
  return Error{Code::kStale,
               fmt::format("{} on {} is lost: {}", id, subjects_text(was.subjects), end),
               TRY(who_has(store, was)),
               {}};
}

// kEnding: that its transaction has ended is no hindrance to giving it back.
enum class Needs { kHeld, kWaiting, kEnding };
// The lease, good and `owner`'s.
Result<Lease> own(const View& view, Store& store, const std::string& id, const std::string& owner,
                  Needs needs, std::optional<Seq> fence = {}) {
  std::optional<Lease> found = TRY(lease(view, id));
  if (!found) return std::unexpected(TRY(lost_lease(store, id)));
  if (found->owner != owner) {
    return fail(Code::kRefused, fmt::format("{} is {}'s, not {}'s", id, found->owner, owner),
                "say whose you are with --owner");
  }
  if (fence && found->fence != *fence && !INJECTED_BUG("leases.any_fence")) {
    return fail(Code::kStale,
                fmt::format("{} has the fence {} by now, not {}: it was given on meanwhile", id,
                            found->fence, *fence),
                "what was done under the old fence is nobody's any more; git txn lease list has "
                "what is held");
  }
  const LeaseMoment now = TRY(moment(view, store));
  const Standing stands = TRY(standing(view, *found, now, alive_in(store)));
  const bool ended = needs == Needs::kEnding && stands == Standing::kTxnOver;
  if (stands != Standing::kGood && !ended) {
    return fail(
        Code::kStale,
        fmt::format("{} on {} is lost: {}", id, subjects_text(found->subjects), why_over(stands)),
        TRY(who_has(view, *found)));
  }
  if (needs == Needs::kHeld && !found->held) {
    return fail(Code::kBusy, fmt::format("{} still waits", id));
  }
  return *std::move(found);
}

void set_number(Seq number, Lease* lease) {
  lease->number = number;
  lease->id = fmt::format("l-{}", number);
}

Lease new_lease(const LeaseAsk& ask, Seq number) {
  Lease lease;
  set_number(number, &lease);
  lease.subjects = ask.subjects;
  lease.sharing = ask.sharing;
  lease.force = ask.force;
  lease.owner = ask.owner;
  lease.txn = ask.txn;
  lease.ttl_ms = ask.ttl_ms;
  lease.slot = ask.slot;
  return lease;
}

// The slot of the lease's own number, had before the log names it: a lease whose slot is free is
// over. The number is nobody else's, but whoever lost the connection to a server in the middle of
// such a decision has the slot of a number that never was, until it finds out. Then the lease gets
// a later number, behind as many events as are given here.
Result<Seq> take_slot(Store& store, Lease* wanted, Lock* alive) {
  constexpr Seq kMostSkipped = 100;
  const Seq first = wanted->number;
  for (;;) {
    auto taken = store.locks().try_slot(Slots::kOwners, wanted->number);
    if (taken) {
      *alive = *std::move(taken);
      wanted->slot = wanted->number;
      return wanted->number - first;
    }
    const bool busy = taken.error().code == Code::kBusy;
    if (!busy || wanted->number - first == kMostSkipped) {
      return std::unexpected(std::move(taken).error());
    }
    set_number(wanted->number + 1, wanted);
  }
}

}  // namespace

Result<LeaseAnswer> ask_lease(Store& store, const LeaseAsk& ask, Line line) {
  TRY(check_ask(ask));
  TRY(confirm_in_the_way(store, new_lease(ask, 0)));
  LeaseAnswer answer;
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    answer = {};
    const LeaseMoment now = TRY(moment(view, store));
    Lease wanted = new_lease(ask, 0);
    LeaseWay way = TRY(way_of(view, wanted, now, alive_in(store)));
    answer.blockers = std::move(way.blockers);
    const bool free = answer.blockers.empty();
    if (!free && line == Line::kGoAway) return std::vector<NewEvent>{};
    const Seq head = TRY(view.head());
    wanted = new_lease(ask, head + static_cast<Seq>(way.over.size()) + 1);
    std::vector<NewEvent> appended;
    const bool by_itself = ask.attach == LeaseAsk::Attach::kAttached || !free;
    if (ask.slot == 0 && by_itself) {
      const auto skipped = static_cast<std::size_t>(TRY(take_slot(store, &wanted, &answer.alive)));
      appended.assign(skipped, events::slot_reserved());
      TRY(fp_slot_held.hit());
    }
    std::ranges::move(end_over(way, wanted), std::back_inserter(appended));
    if (free) begin(wanted, ask, now);
    appended.push_back(free ? events::lease_acquired(wanted) : events::lease_queued(wanted));
    wanted.fence = free ? wanted.number : 0;
    answer.lease = std::move(wanted);
    return appended;
  };
  TRY(store.decide(decision));
  return answer;
}

Status try_lease(Store& store, const LeaseAsk& ask, LeaseAnswer& answer) {
  TRY(confirm_in_the_way(store, answer.lease));
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    Lease wanted = TRY(own(view, store, answer.lease.id, ask.owner, Needs::kWaiting));
    if (wanted.held) return fail(Code::kStale, wanted.id + " is held already");
    const LeaseMoment now = TRY(moment(view, store));
    LeaseWay way = TRY(way_of(view, wanted, now, alive_in(store)));
    answer.blockers = std::move(way.blockers);
    if (!answer.blockers.empty()) return std::vector<NewEvent>{};
    std::vector<NewEvent> appended = end_over(way, wanted);
    begin(wanted, ask, now);
    wanted.fence = TRY(view.head()) + static_cast<Seq>(appended.size()) + 1;
    appended.push_back(events::lease_acquired(wanted));
    answer.lease = std::move(wanted);
    return appended;
  };
  TRY(store.decide(decision));
  if (answer.lease.held && ask.attach == LeaseAsk::Attach::kDetached) answer.alive.release();
  return {};
}

Result<Lease> renew_lease(Store& store, const std::string& id, const std::string& owner,
                          std::optional<std::int64_t> ttl_ms, std::optional<Seq> fence) {
  if (ttl_ms) TRY(check_ttl(*ttl_ms));
  TRY(confirm_owner(store, id));
  Lease renewed;
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    renewed = TRY(own(view, store, id, owner, Needs::kHeld, fence));
    const LeaseMoment now = TRY(moment(view, store));
    renewed.ttl_ms = ttl_ms.value_or(renewed.ttl_ms);
    renewed.until_ms = now.now_ms + renewed.ttl_ms;
    renewed.boot = now.boot_id;
    return std::vector<NewEvent>{events::lease_renewed(renewed)};
  };
  TRY(store.decide(decision));
  return renewed;
}

Result<Lease> transfer_lease(Store& store, const std::string& id, const std::string& owner,
                             const std::string& to, std::optional<Seq> fence) {
  if (to.empty()) return fail(Code::kUsage, "a lease needs an owner");
  TRY(confirm_owner(store, id));
  Lease given;
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    given = TRY(own(view, store, id, owner, Needs::kHeld, fence));
    if (!given.txn.empty()) {
      return fail(Code::kRefused,
                  fmt::format("{} belongs to {} and ends with it", id, given.txn.str()));
    }
    std::vector<NewEvent> appended{events::lease_transferred(given, to)};
    given.owner = to;
    given.slot = 0;
    given.fence = TRY(view.head()) + 1;
    return appended;
  };
  TRY(store.decide(decision));
  return given;
}

Status release_lease(Store& store, const std::string& id, const std::string& owner,
                     const std::string& why, std::optional<Seq> fence) {
  TRY(confirm_owner(store, id));
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const Lease given = TRY(own(view, store, id, owner, Needs::kEnding, fence));
    return std::vector<NewEvent>{events::lease_released(given, why)};
  };
  TRY(store.decide(decision));
  return {};
}

}  // namespace gittxn::store
