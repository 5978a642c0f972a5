#include "store/work/leases.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/json.h"
#include "model/names.h"
#include "store/area.h"
#include "store/server/locks.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

// Of the machines that have a server's clock: none of them was off.
constexpr std::string_view kServersBoot = "server";

constexpr NameTable<Sharing, 2> kSharings{
    {{Sharing::kExclusive, "exclusive"}, {Sharing::kShared, "shared"}}};
constexpr NameTable<Force, 2> kForces{
    {{Force::kAdvisory, "advisory"}, {Force::kMandatory, "mandatory"}}};
constexpr Bounds kLeaseTime{.least = 1, .most = kMaxLeaseMs};

std::string id_of(Seq number) {
  return fmt::format("l-{}", number);
}

// As the log has it: what was asked for; and when it is held, until when and since which boot.
struct LeaseAsked {
  Lease lease;
};
void fields(FieldIo& io, LeaseAsked& asked) {
  Lease& lease = asked.lease;
  constexpr auto kMost = static_cast<std::int64_t>(kMaxLeaseSubjects);
  io.integer({"number", "of this event"}, lease.number, kPositive);
  const auto subject = [](FieldIo& each, LeaseSubject& one) { fields(each, one); };
  io.list_of("subjects", lease.subjects, subject, {.least = 1, .most = kMost});
  io.choice("sharing", lease.sharing, kSharings);
  io.choice("force", lease.force, kForces);
  io.text("owner", lease.owner);
  io.name({"txn", "\"\" none"}, lease.txn);
  io.integer({"slot", "0: detached"}, lease.slot, kNotNegative);
  io.integer("ttl_ms", lease.ttl_ms, kLeaseTime);
  if (lease.owner.empty()) io.wrong("owner", "empty");
}

struct LeaseTime {
  std::int64_t until_ms = 0;
  std::string boot;
};
void fields(FieldIo& io, LeaseTime& time) {
  io.integer({"until_ms", "the kernel's clock"}, time.until_ms);
  io.text("boot", time.boot);
}

struct LeaseHeld {
  LeaseAsked asked;
  LeaseTime time;
};
void fields(FieldIo& io, LeaseHeld& held) {
  fields(io, held.asked);
  fields(io, held.time);
}

struct LeaseRenewed {
  std::int64_t ttl_ms = 0;
  LeaseTime time;
};
void fields(FieldIo& io, LeaseRenewed& renewed) {
  io.integer("ttl_ms", renewed.ttl_ms, kLeaseTime);
  fields(io, renewed.time);
}

struct LeaseTransferred {
  std::string from;
  std::string to;
};
void fields(FieldIo& io, LeaseTransferred& transferred) {
  io.text("from", transferred.from);
  io.text("to", transferred.to);
  if (transferred.to.empty()) io.wrong("to", "empty");
}

struct LeaseReleased {
  std::string why;
};
void fields(FieldIo& io, LeaseReleased& released) {
  io.text("why", released.why);
}

struct LeaseExpired {
  std::string why;
  std::string by;
};
void fields(FieldIo& io, LeaseExpired& expired) {
  io.text("why", expired.why);
  io.text({"by", "the lease that takes its place, \"\" none"}, expired.by);
}

Lease asked_for(const LeaseAsked& asked) {
  Lease lease = asked.lease;
  lease.id = id_of(lease.number);
  return lease;
}

Lease held_now(const LeaseHeld& told) {
  Lease lease = asked_for(told.asked);
  lease.held = true;
  lease.until_ms = told.time.until_ms;
  lease.boot = told.time.boot;
  return lease;
}

constexpr std::string_view kSelectLease =
    "SELECT number, body, held, owner, slot, ttl_ms, until_ms, boot, fence FROM leases";

Result<Lease> read_row(const db::Statement& row) {
  const Json json = TRY_IN("a stored lease", parse_json(row.text(1)));
  Lease lease = asked_for(TRY(read_fields<LeaseAsked>(json, event_type::kLeaseQueued)));
  lease.held = row.integer(2) != 0;
  lease.owner = decode_path(row.text(3));
  lease.slot = row.integer(4);
  lease.ttl_ms = row.integer(5);
  lease.until_ms = row.integer(6);
  lease.boot = decode_path(row.text(7));
  lease.fence = row.integer(8);
  return lease;
}

Result<std::vector<Lease>> all_of(const db::Database& database) {
  return database.all(read_row, fmt::format("{} ORDER BY number", kSelectLease));
}

Result<std::optional<Lease>> load_lease(const db::Database& database, const std::string& id) {
  return database.first(read_row, fmt::format("{} WHERE id = ?", kSelectLease), id);
}

Result<Lease> known_lease(const db::Database& database, const Event& event) {
  std::optional<Lease> lease = TRY(load_lease(database, event.subject));
  if (!lease) return stale(event, "there is no such lease");
  return *std::move(lease);
}

Status save_lease(db::Database& database, const Lease& lease) {
  return database.run(
      "INSERT INTO leases (number, id, body, held, owner, slot, ttl_ms, until_ms, boot, fence) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET held = "
      "excluded.held, owner = excluded.owner, slot = excluded.slot, ttl_ms = excluded.ttl_ms, "
      "until_ms = excluded.until_ms, boot = excluded.boot, fence = excluded.fence",
      lease.number, lease.id, canonical_text(field_list(LeaseAsked{lease})), lease.held,
      encode_path(lease.owner), lease.slot, lease.ttl_ms, lease.until_ms, encode_path(lease.boot),
      lease.fence);
}

Status check_new(const Event& event, const Lease& lease) {
  if (lease.id == event.subject && lease.number == event.seq) return {};
  return fail(Code::kCorrupt, fmt::format("{}: lease {} cannot begin with event {}", event.type,
                                          event.subject, event.seq));
}

Status queued(db::Database& database, const Event& event, const LeaseAsked& asked) {
  const Lease lease = asked_for(asked);
  TRY(check_new(event, lease));
  return save_lease(database, lease);
}

Status acquired(db::Database& database, const Event& event, const LeaseHeld& told) {
  Lease lease = held_now(told);
  bool waited = false;
  for (const Lease& other : TRY(all_of(database))) {
    if (other.number == lease.number) {
      waited = !other.held && other.subjects == lease.subjects && other.sharing == lease.sharing;
      if (!waited) return stale(event, "it is held already, or is another one");
    } else if (other.held && exclude(lease, other) && !INJECTED_BUG("store.two_holders")) {
      return stale(event, fmt::format("{} of {} is held", other.id, other.owner));
    }
  }
  if (!waited) TRY(check_new(event, lease));
  lease.fence = event.seq;
  return save_lease(database, lease);
}

Status renewed(db::Database& database, const Event& event, const LeaseRenewed& told) {
  Lease lease = TRY(known_lease(database, event));
  if (!lease.held) return stale(event, "it is not held");
  lease.ttl_ms = told.ttl_ms;
  lease.until_ms = told.time.until_ms;
  lease.boot = told.time.boot;
  return save_lease(database, lease);
}

Status transferred(db::Database& database, const Event& event, const LeaseTransferred& told) {
  Lease lease = TRY(known_lease(database, event));
  if (!lease.held || lease.owner != told.from) {
    return stale(event, fmt::format("it is {}'s", lease.owner));
  }
  lease.owner = told.to;
  lease.slot = 0;
  lease.fence = event.seq;
  return save_lease(database, lease);
}

// Given up, or over.
template <typename Why>
Status lease_ended(db::Database& database, const Event& event, const Why&) {
  const bool there =
      TRY(database.has_row("DELETE FROM leases WHERE id = ? RETURNING number", event.subject));
  return there ? Status() : stale(event, "there is no such lease");
}

std::string first_subject(const Json& payload) {
  const Json& list = payload["subjects"];
  if (!list.is_array() || list.empty()) return "?";
  const auto subject = read_fields<LeaseSubject>(list[0]);
  const std::string text = subject ? subject_text(*subject) : "?";
  return list.size() == 1 ? text : fmt::format("{} and {} more", text, list.size() - 1);
}

std::string tell_queued(const Json& payload) {
  return filled_in("{owner} waits for ", payload) + first_subject(payload);
}
std::string tell_acquired(const Json& payload) {
  return filled_in("{owner} has ", payload) + first_subject(payload) +
         filled_in(": {sharing}, {force}", payload);
}

// body is what was asked for; the columns are what of it changes, and what asks by them.
constexpr std::string_view kLeaseSql = R"sql(
CREATE TABLE leases (
  number   INTEGER PRIMARY KEY,
  id       TEXT    NOT NULL UNIQUE,
  body     TEXT    NOT NULL,
  held     INTEGER NOT NULL,
  owner    TEXT    NOT NULL,
  slot     INTEGER NOT NULL,
  ttl_ms   INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  boot     TEXT    NOT NULL,
  fence    INTEGER NOT NULL
) STRICT;
)sql";

constexpr ProjectionTable kLeaseTables[] = {{"leases", "number"}};

constexpr const char* kOfLease = "the lease, `l-NUMBER`";
constexpr EventRule kLeaseRules[] = {
    {event_type::kLeaseQueued,
     {"A lease that waits in line.", kOfLease, "", "it waits"},
     accepts<queued>,
     tell_queued},
    {event_type::kLeaseAcquired,
     {"A lease is held until until_ms of the kernel's clock; its seq is the fence.", kOfLease,
      "no held lease excludes it; new, or waiting", "it is held"},
     accepts<acquired>,
     tell_acquired},
    {event_type::kLeaseRenewed,
     {"A held lease has more time.", kOfLease, "held", "it is held"},
     accepts<renewed>,
     "renewed for {ttl_ms} ms"},
    {event_type::kLeaseTransferred,
     {"A held lease has another owner.", kOfLease, "held, by `from`", "detached"},
     accepts<transferred>,
     "from {from} to {to}"},
    {event_type::kLeaseReleased,
     {"A lease is given up.", kOfLease, "held or waiting", "gone"},
     accepts<lease_ended<LeaseReleased>>,
     "released{:why}"},
    {event_type::kLeaseExpired,
     {"A lease that was over is taken away.", kOfLease, "held or waiting", "gone"},
     accepts<lease_ended<LeaseExpired>>,
     "over: {why}{by?; * came after it:}"},
};

}  // namespace

const Area kLeases{kLeaseSql, kLeaseTables, kLeaseRules};

Result<LeaseMoment> moment_of(const View& view, const Store& store, const Clock& clock) {
  LeaseMoment moment;
  moment.now_ms = INJECTED_BUG("store.lease_wall_clock") ? clock.wall_ms() : TRY(view.now_ms());
  const Location& place = store.place();
  if (place.on_server() && place.time == Location::Time::kServer) {
    moment.boot_id = kServersBoot;
    return moment;
  }
  moment.boot_id = clock.boot_id();
  moment.boot_began_ms = moment.now_ms - clock.boot_ms();
  return moment;
}

IsAlive alive_in(const Store& store) {
  return [&store](std::int64_t slot) -> Result<bool> {
    return !TRY(store.locks().is_gone(Slots::kOwners, slot));
  };
}

IsAlive seen_alive_in(const Store& store) {
  return [&store](std::int64_t slot) { return store.locks().is_held(Slots::kOwners, slot); };
}

Status confirm_owners(Store& store, const std::vector<Lease>& of, const Clock& clock) {
  if (store.state().now_ms) return {};
  const LeaseMoment now = TRY(moment_of(store, store, clock));
  std::vector<std::int64_t> slots;
  for (const Lease& lease : of) {
    const bool over = lease.held && ends_ms(lease, now) <= now.now_ms;
    if (lease.slot != 0 && !over) slots.push_back(lease.slot);
  }
  return store.locks().confirm(Slots::kOwners, slots);
}

Result<std::vector<Lease>> leases(const View& view) {
  return all_of(view.tables());
}

Result<std::optional<Lease>> lease(const View& view, const std::string& id) {
  return load_lease(view.tables(), id);
}

std::int64_t ends_ms(const Lease& lease, const LeaseMoment& moment) {
  if (lease.boot == moment.boot_id) return lease.until_ms;
  return std::max(lease.until_ms, moment.boot_began_ms + lease.ttl_ms);
}

Result<Standing> standing(const View& view, const Lease& lease, const LeaseMoment& moment,
                          const IsAlive& alive) {
  constexpr std::int64_t kStaleMs = 5'000;  // of the injected bug: F3's age of a lock
  if (INJECTED_BUG("store.stale_by_age") && lease.held &&
      moment.now_ms - (lease.until_ms - lease.ttl_ms) >= std::min(kStaleMs, lease.ttl_ms / 2)) {
    return Standing::kTimeOver;
  }
  if (INJECTED_BUG("store.byte_is_right") && lease.slot != 0 && TRY(alive(lease.slot))) {
    return Standing::kGood;
  }
  if (lease.held && ends_ms(lease, moment) <= moment.now_ms) return Standing::kTimeOver;
  const bool asked = lease.slot != 0 && !INJECTED_BUG("store.dead_block");
  if (asked && !TRY(alive(lease.slot))) return Standing::kOwnerDead;
  if (lease.txn.empty()) return Standing::kGood;
  const std::optional<Txn> txn = TRY(view.txn(lease.txn));
  return !txn || is_final(txn->state) ? Standing::kTxnOver : Standing::kGood;
}

std::string_view why_over(Standing standing) {
  constexpr NameTable<Standing, 4> kWhy{{{Standing::kGood, ""},
                                         {Standing::kTimeOver, "its time is over"},
                                         {Standing::kOwnerDead, "its owner died"},
                                         {Standing::kTxnOver, "its transaction has ended"}}};
  return name_in(kWhy, standing);
}

bool exclude(const Lease& a, const Lease& b) {
  if (a.sharing == Sharing::kShared && b.sharing == Sharing::kShared) return false;
  return std::ranges::any_of(a.subjects, [&](const LeaseSubject& one) {
    return std::ranges::any_of(b.subjects,
                               [&](const LeaseSubject& other) { return overlap(one, other); });
  });
}

Result<LeaseWay> way_of(const View& view, const Lease& wanted, const LeaseMoment& moment,
                        const IsAlive& alive) {
  LeaseWay way;
  for (Lease& other : TRY(leases(view))) {
    if (other.number == wanted.number) continue;
    const Standing stands = TRY(standing(view, other, moment, alive));
    if (stands != Standing::kGood) {
      way.over.emplace_back(std::move(other), stands);
      continue;
    }
    if (!exclude(wanted, other)) continue;
    const bool before = wanted.number == 0 || other.number < wanted.number;
    if (other.held || before) way.blockers.push_back(std::move(other));
  }
  return way;
}

namespace events {
namespace {
std::string lease_key(const Lease& lease, std::string_view action) {
  return fmt::format("lease:{}:{}:1", id_of(lease.number), action);
}
}  // namespace

NewEvent lease_queued(const Lease& lease) {
  return event_with(event_type::kLeaseQueued, id_of(lease.number), LeaseAsked{lease},
                    lease_key(lease, "queued"));
}

NewEvent lease_acquired(const Lease& lease) {
  return event_with(event_type::kLeaseAcquired, id_of(lease.number),
                    LeaseHeld{{lease}, {lease.until_ms, lease.boot}}, lease_key(lease, "acquired"));
}

NewEvent lease_renewed(const Lease& lease) {
  return event_with(event_type::kLeaseRenewed, lease.id,
                    LeaseRenewed{lease.ttl_ms, {lease.until_ms, lease.boot}});
}

NewEvent lease_transferred(const Lease& lease, const std::string& to) {
  return event_with(event_type::kLeaseTransferred, lease.id, LeaseTransferred{lease.owner, to});
}

NewEvent lease_released(const Lease& lease, const std::string& why) {
  return event_with(event_type::kLeaseReleased, lease.id, LeaseReleased{why},
                    lease_key(lease, "released"));
}

NewEvent lease_expired(const Lease& lease, const std::string& why, const std::string& by) {
  return event_with(event_type::kLeaseExpired, lease.id, LeaseExpired{why, by},
                    lease_key(lease, "expired"));
}

Result<Lease> lease_of(const Event& event) {
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  if (event.type != event_type::kLeaseQueued) {
    return held_now(TRY(read_fields<LeaseHeld>(json, event.type)));
  }
  return asked_for(TRY(read_fields<LeaseAsked>(json, event.type)));
}

}  // namespace events
}  // namespace gittxn::store
