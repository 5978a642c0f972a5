#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/hash.h"
#include "base/sync.h"
#include "store/events.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/server/dialect.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

FAILPOINT(fp_before_commit, "store.before_commit");
FAILPOINT(fp_after_commit, "store.after_commit");

// The kernel's clock (5-kernel, F12): time since boot plus an offset that is fixed at the first
// append of each boot, so that a wall clock that jumps changes no order; and never earlier than the
// last event, whatever the wall clock said after a reboot. Machines that share a server have its
// clock.
struct KernelTime {
  std::int64_t now_ms = 0;
  std::int64_t offset_ms = 0;
  bool fixed = false;  // the offset is stored
};

bool servers_clock(const Location& place) {
  return place.on_server() && place.time == Location::Time::kServer;
}

Result<std::int64_t> time_of_last(const Store::State& state) {
  const std::optional<Event> last = TRY(last_event(state.database));
  return last ? parse_utc(last->time).value_or(0) : 0;
}

Result<KernelTime> own_time(const Store::State& state) {
  const std::int64_t last_ms = TRY(time_of_last(state));
  const std::int64_t boot_ms = state.clock->boot_ms();
  db::Statement query = TRY(state.database.statement("SELECT boot_id, offset_ms FROM clock"));
  const bool row = TRY(query.step());
  KernelTime time;
  time.fixed = row && query.text(0) == state.boot_id;
  time.offset_ms =
      time.fixed ? query.integer(1) : std::max(state.clock->wall_ms(), last_ms) - boot_ms;
  time.now_ms = std::max(time.offset_ms + boot_ms, last_ms);
  return time;
}

Result<std::int64_t> fix_own_time(Store::State& state) {
  const KernelTime time = TRY(own_time(state));
  if (time.fixed) return time.now_ms;
  TRY(save_row(state.database, "clock", "one", "boot_id, offset_ms", 1, state.boot_id,
               time.offset_ms));
  return time.now_ms;
}

Status must_be_present(const Store::State& state, const Version& version) {
  if (INJECTED_BUG("store.version_at_opening_alone")) return {};
  if (version.application == kApplicationId && version.schema == state.plan.version) return {};
  const std::string name = name_of(state.place);
  if (TRY(inspect(state.database, name, state.plan)) == Found::kPresent) return {};
  return fail(Code::kFault,
              fmt::format("'{}' is not the store any more that was opened: its schema version was "
                          "{}, now it is {}",
                          name, state.plan.version, version.schema),
              "nothing was written; when whoever put an older copy in its place is done, run this "
              "again");
}

// To be called under the write lock, where the version and the time then stand still.
Result<std::int64_t> begin_writing(Store::State& state) {
  if (!servers_clock(state.place)) {
    TRY(check_version(state));
    return fix_own_time(state);
  }
  const ServerMoment moment = TRY(server_moment(state.database));
  TRY(must_be_present(state, moment.version));
  return std::max(moment.ms, TRY(time_of_last(state)));
}

// Types whose repeat must say exactly the same: they create something that two could want, or move
// something that two could move.
bool creates(std::string_view type) {
  return type == event_type::kTxnBegun || type == event_type::kAttemptStarted ||
         type == event_type::kTicketTaken || type == event_type::kWorkflowCreated ||
         type == event_type::kWorkflowCancelled || type.starts_with("phase.") ||
         type.starts_with("clone.");
}

enum class Kept { kEvents, kPruned };
// The event that used this key before, if any. Of a pruned one the payload's digest is kept.
Result<std::optional<Seq>> repeat_among(const db::Database& database, const NewEvent& wanted,
                                        Kept kept) {
  const bool whole = kept == Kept::kEvents;
  db::Statement query = TRY(database.statement(
      whole ? "SELECT seq, type, subject, payload FROM events WHERE dedup_key = ?"
            : "SELECT seq, type, subject, payload FROM pruned_keys WHERE dedup_key = ?",
      wanted.dedup_key));
  if (!TRY(query.step())) return std::nullopt;
  bool same = query.text(1) == wanted.type && query.text(2) == wanted.subject;
  if (same && creates(wanted.type)) {
    same = query.text(3) == (whole ? wanted.payload : sha256(wanted.payload).str());
  }
  if (!same) {
    return fail(Code::kExists,
                fmt::format("{} of {}: the key '{}' belongs to event {}", wanted.type,
                            wanted.subject, wanted.dedup_key, query.integer(0)));
  }
  return query.integer(0);
}

Result<std::optional<Seq>> repeat_of(const db::Database& database, const NewEvent& wanted) {
  const std::optional<Seq> kept = TRY(repeat_among(database, wanted, Kept::kEvents));
  if (kept || INJECTED_BUG("store.forget_keys")) return kept;
  return repeat_among(database, wanted, Kept::kPruned);
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
    if (const auto repeat = TRY(repeat_of(database, wanted))) return *repeat;
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
  const bool unrecorded =
      wanted.type == event_type::kPhaseOverridden && INJECTED_BUG("workflow.unrecorded_override");
  if (unrecorded) return tail.seq;
  if (INJECTED_BUG("store.state_before_event")) TRY(database.execute("COMMIT; BEGIN IMMEDIATE"));
  TRY(insert_event(database, event));
  tail.seq = event.seq;
  tail.hash = event.hash.str();
  return event.seq;
}

}  // namespace

Result<Seq> append_all(db::Database& database, const std::vector<NewEvent>& events,
                       std::int64_t now_ms, std::optional<Progress>* end) {
  Tail tail;
  const std::optional<Event> last = TRY(last_event(database));
  if (last) tail = Tail{last->seq, last->hash.str(), last->time};
  tail.time = format_utc(now_ms);
  Seq seq = tail.seq;
  for (const NewEvent& event : events) seq = TRY(append_one(database, event, tail));
  // Once for all of them: it is the same transaction.
  const bool any = tail.seq > (last ? last->seq : 0);
  if (any) TRY(save_progress(database, Progress{tail.seq, tail.hash}));
  if (end != nullptr) *end = Progress{tail.seq, tail.hash};
  return seq;
}

Status check_version(const Store::State& state) {
  return must_be_present(state, state.place.on_server() ? TRY(server_moment(state.database)).version
                                                        : TRY(version_of(state.database)));
}

namespace {

// Whether a commit happened in which the connection to the server ended. Who has the write lock
// sees that: the server gives it on when the commit is through, or is not to be.
Result<bool> was_committed(Store::State& state) {
  db::Transaction transaction =
      TRY(db::Transaction::begin(state.database, db::Transaction::Kind::kWrite));
  const auto hash = TRY(state.database.first(db::text_of, "SELECT hash FROM events WHERE seq = ?",
                                             state.appended->seq));
  if (hash) return *hash == state.appended->hash;
  const std::optional<Event> last = TRY(last_event(state.database));
  if (!last || last->seq < state.appended->seq) return false;
  return fail(Code::kOutcomeUnknown, "the events after it were pruned meanwhile");
}

// Looks up what became of it. One that never was is an error that can be tried again.
Status settle_commit(Store::State& state, Status written) {
  const bool unknown = !written && written.error().code == Code::kOutcomeUnknown;
  if (INJECTED_BUG("store.commit_unknown")) return written;
  if (!unknown || !state.place.on_server() || !state.appended || !state.outcome_unknown) {
    return written;
  }
  const auto happened = was_committed(state);
  if (!happened) return written;
  state.outcome_unknown = false;
  if (*happened) return {};
  return db::lost_connection(written.error().message);
}

using Write = std::function<Result<Then>(db::Database&)>;

Status write_in_turn(Store::State& state, const Write& write) {
  std::optional<db::WriterQueue::Turn> turn;
  if (state.queue && !INJECTED_BUG("db.no_write_lock"))
    turn.emplace(TRY(state.queue->enter(kWriteDeadlineMs)));
  db::Transaction transaction =
      TRY(db::Transaction::begin(state.database, db::Transaction::Kind::kWrite));
  state.now_ms = TRY(begin_writing(state));
  const Result<Then> then = write(state.database);
  state.now_ms.reset();
  if (!then) return std::unexpected(then.error());
  if (*then == Then::kRollBack) return {};
  TRY(fp_before_commit.hit());
  const Status committed = transaction.commit();
  if (!committed) {
    // After a sync that failed, what the kernel still holds in memory proves nothing about the
    // disk.
    state.outcome_unknown = committed.error().code == Code::kOutcomeUnknown;
    return committed;
  }
  const Status after = fp_after_commit.hit();
  if (!after) return fail(Code::kOutcomeUnknown, after.error().message);
  return {};
}

// The -wal file is written in order and every sync of it is of the whole file, so a commit that
// waits for the disk takes along those before it that did not.
Status write_once(Store::State& state, const Write& write, Store::Durable durable) {
  state.appended.reset();
  if (state.damage) return std::unexpected(*state.damage);
  if (state.outcome_unknown) {
    return fail(Code::kOutcomeUnknown,
                "an earlier write to the store may not have reached the disk",
                "check the disk, then run 'git txn recover'");
  }
  if (durable == Store::Durable::kNow || state.place.on_server() || !state.log_named) {
    // SQLite's first sync of a -wal file is one of its folder, too.
    Status written = write_in_turn(state, write);
    if (!state.log_named) state.log_named = log_has_commits(state.place);
    return written;
  }
  TRY(state.database.execute("PRAGMA synchronous = NORMAL"));
  Status written = write_in_turn(state, write);
  TRY(state.database.execute(std::string(kSyncEachCommit)));
  return written;
}

}  // namespace

// A transaction that was cut off before its commit never was: with patience it is made anew, once
// for each time that the server could be reached again.
Status write(Store::State& state, const Write& write, Store::Durable durable) {
  constexpr int kMostTimes = 5;
  Status written = settle_commit(state, write_once(state, write, durable));
  const auto cut_off = [&] { return !written && db::is_lost_connection(written.error()); };
  for (int i = 1; i < kMostTimes && state.place.patience.wait_ms != 0 && cut_off(); ++i) {
    state.now_ms.reset();
    written = settle_commit(state, write_once(state, write, durable));
  }
  return written;
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::string& Store::dir() const {
  return state_->place.dir;
}

const Location& Store::place() const {
  return state_->place;
}

void Store::set_left_reads(LeftReads make) {
  state_->left_reads = std::move(make);
}

const Store::LeftReads& Store::left_reads() const {
  return state_->left_reads;
}

Locks& Store::locks() const {
  return *state_->locks;
}

Result<Seq> Store::append(const std::vector<NewEvent>& events, const Check& check,
                          Durable durable) {
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    if (check) TRY(check(view));
    return events;
  };
  return decide(decision, durable);
}

Result<Seq> Store::decide(const Decision& decision, Durable durable) {
  Seq seq = 0;
  const auto append_decided = [&](db::Database& database) -> Result<Then> {
    const std::vector<NewEvent> events = TRY(decision(*this));
    seq = TRY(append_all(database, events, *state_->now_ms, &state_->appended));
    return events.empty() ? Then::kRollBack : Then::kCommit;
  };
  TRY(write(*state_, append_decided, durable));
  return seq;
}

Status Store::make_durable(
    const std::function<Status(const std::vector<std::string>& files)>& sync) {
  std::vector<std::string> files;
  if (!state_->place.on_server()) files.push_back(log_file(state_->place));
  Status synced = sync(files);
  if (synced) return {};
  state_->outcome_unknown = true;
  synced.error().code = Code::kOutcomeUnknown;
  return synced;
}

Status Store::make_durable() {
  return make_durable(fsync_all);
}

Result<std::int64_t> Store::now_ms() const {
  if (state_->now_ms) return *state_->now_ms;
  if (servers_clock(state_->place)) {
    const ServerMoment moment = TRY(server_moment(state_->database));
    return std::max(moment.ms, TRY(time_of_last(*state_)));
  }
  return TRY(own_time(*state_)).now_ms;
}

const db::Database& Store::tables() const {
  return state_->database;
}

Result<std::int64_t> Store::next_slot() {
  return append_soon({::gittxn::store::events::slot_reserved()});
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
