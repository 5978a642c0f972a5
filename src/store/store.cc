#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/bug.h"
#include "base/failpoint.h"
#include "store/events.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

FAILPOINT(fp_before_commit, "store.before_commit");
FAILPOINT(fp_after_commit, "store.after_commit");

constexpr std::string_view kMadeKey = "seq:";

// The kernel's clock (5-kernel, F12): time since boot plus an offset that is fixed at the first
// append of each boot, so that a wall clock that jumps changes no order; and never earlier than the
// last event, whatever the wall clock said after a reboot.
Result<std::int64_t> boot_offset(db::Database& database, const Clock& clock,
                                 const std::string& boot_id, const std::string& last_time) {
  {
    db::Statement query = TRY(database.statement("SELECT boot_id, offset_ms FROM clock"));
    const bool row = TRY(query.step());
    if (row && query.text(0) == boot_id) return query.integer(1);
  }
  const std::int64_t now_ms = std::max(clock.wall_ms(), parse_utc(last_time).value_or(0));
  const std::int64_t offset_ms = now_ms - clock.boot_ms();
  db::Statement save =
      TRY(database.statement("INSERT INTO clock (one, boot_id, offset_ms) VALUES (1, ?, ?) "
                             "ON CONFLICT (one) DO UPDATE SET boot_id = excluded.boot_id, "
                             "offset_ms = excluded.offset_ms"));
  save.bind_all(boot_id, offset_ms);
  TRY(save.run());
  return offset_ms;
}

// Types whose repeat must say exactly the same: they create something that two could want.
bool creates(std::string_view type) {
  return type == event_type::kTxnBegun || type == event_type::kAttemptStarted ||
         type == event_type::kTicketTaken;
}

// The event that used this key before, if any.
Result<std::optional<Seq>> repeat_of(const db::Database& database, const NewEvent& wanted) {
  db::Statement query =
      TRY(database.statement("SELECT seq, type, subject, payload FROM events WHERE dedup_key = ?"));
  query.bind_all(wanted.dedup_key);
  const bool found = TRY(query.step());
  if (!found) return std::optional<Seq>();
  const bool same = query.text(1) == wanted.type && query.text(2) == wanted.subject &&
                    (!creates(wanted.type) || query.text(3) == wanted.payload);
  if (!same) {
    return fail(Code::kExists,
                fmt::format("{} of {}: the key '{}' belongs to event {}", wanted.type,
                            wanted.subject, wanted.dedup_key, query.integer(0)));
  }
  return std::optional<Seq>(query.integer(0));
}

// Where the log ends, while a list of events is appended to it.
struct Tail {
  Seq seq = 0;
  std::string hash = kGenesisHash;
  std::string time;
};

Result<Seq> append_one(db::Database& database, const NewEvent& wanted, Tail& tail) {
  if (wanted.dedup_key.starts_with(kMadeKey)) {
    return fail(Code::kUsage, fmt::format("the key '{}' is not for callers", wanted.dedup_key));
  }
  if (!wanted.dedup_key.empty()) {
    const std::optional<Seq> repeat = TRY(repeat_of(database, wanted));
    if (repeat) return *repeat;
  }
  Event event;
  event.seq = tail.seq + 1;
  event.time = tail.time;
  event.type = wanted.type;
  event.subject = wanted.subject;
  event.dedup_key =
      wanted.dedup_key.empty() ? fmt::format("{}{}", kMadeKey, event.seq) : wanted.dedup_key;
  event.payload = wanted.payload;
  event.prev_hash = Digest(tail.hash);
  event.hash = event_hash(event);
  TRY(project(database, event));
  if (INJECTED_BUG("store.state_before_event")) TRY(database.execute("COMMIT; BEGIN IMMEDIATE"));
  TRY(insert_event(database, event));
  tail.seq = event.seq;
  tail.hash = event.hash.str();
  return event.seq;
}

Result<Seq> append_all(db::Database& database, const std::vector<NewEvent>& events,
                       const Clock& clock, const std::string& boot_id) {
  Tail tail;
  const std::optional<Event> last = TRY(last_event(database));
  if (last) tail = Tail{last->seq, last->hash.str(), last->time};
  const std::int64_t offset_ms = TRY(boot_offset(database, clock, boot_id, tail.time));
  tail.time = std::max(tail.time, format_utc(offset_ms + clock.boot_ms()));
  Seq seq = tail.seq;
  for (const NewEvent& event : events) seq = TRY(append_one(database, event, tail));
  return seq;
}

}  // namespace

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::string& Store::dir() const {
  return state_->dir;
}

Result<Seq> Store::append(const std::vector<NewEvent>& events, const Check& check) {
  State& state = *state_;
  if (state.damage) return std::unexpected(*state.damage);
  if (state.outcome_unknown) {
    return fail(Code::kOutcomeUnknown,
                "an earlier write to the store may not have reached the disk",
                "check the disk, then run 'git txn recover'");
  }
  const db::WriterQueue::Turn turn = TRY(state.queue.enter(kWriteDeadlineMs));
  db::Transaction transaction =
      TRY(db::Transaction::begin(state.database, db::Transaction::Kind::kWrite));
  if (check) TRY(check(*this));
  const Seq seq = TRY(append_all(state.database, events, *state.clock, state.boot_id));
  TRY(fp_before_commit.hit());
  const Status committed = transaction.commit();
  if (!committed) {
    // After a sync that failed, what the kernel still holds in memory proves nothing about the
    // disk.
    state.outcome_unknown = committed.error().code == Code::kOutcomeUnknown;
    return std::unexpected(committed.error());
  }
  const Status after = fp_after_commit.hit();
  if (!after) return fail(Code::kOutcomeUnknown, after.error().message);
  return seq;
}

Result<std::int64_t> Store::next_slot() {
  return append({::gittxn::store::events::slot_reserved()});
}

std::optional<std::int64_t> parse_utc(std::string_view text) {
  // yyyy-mm-ddThh:mm:ss.mmmZ
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t length) {
    int value = 0;
    for (const char c : text.substr(at, length)) value = value * 10 + (c - '0');
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch();
  const std::int64_t seconds = (number(11, 2) * 60 + number(14, 2)) * 60 + number(17, 2);
  return std::chrono::milliseconds(days).count() + seconds * 1000 + number(20, 3);
}

}  // namespace gittxn::store
