// What a Store holds, for the .cc files that implement it. Internal to store/.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "db/database.h"
#include "db/writer_queue.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/server/locks.h"
#include "store/store.h"

namespace gittxn::store {

struct Store::State {
  Location place;
  const Clock* clock = nullptr;
  std::string boot_id;  // of this boot: a process does not live through two
  Plan plan;
  std::optional<db::WriterQueue> queue;  // a server has its own
  db::Database database;
  std::optional<Error> damage;   // what opening found wrong: reading goes on, appending does not
  bool outcome_unknown = false;  // a commit's sync failed: nothing more is written through this one
  std::unique_ptr<Locks> locks = {};
  bool log_named = true;  // not so: as far as is known, the -wal file's name may be lost
  std::optional<std::int64_t> now_ms = {};  // while the write lock is held
  std::optional<Progress> appended = {};    // where the log ends by the write that is under way
  LeftReads left_reads = {};
};

// As errors name it: the file, or the schema on a server.
std::string name_of(const Location& place);

// kNewer, as opening says it: a newer program has migrated the store since; kFault: an older copy
// was put in its place. write() asks it under the lock, so that nothing is decided on a layout that
// this program does not know. Reading does not ask: what is read has no effect without a write, and
// of tables that are not as they were it fails.
Status check_version(const Store::State& state);

// The file of commits that are not in the database yet: a sync of it makes them durable.
std::string log_file(const Location& place);
// Nobody writes there before its name is on disk, so what has something in it has its name.
bool log_has_commits(const Location& place);

// For the files of store/ that keep rows of their own beside the log: under the writer's turn, in
// one write transaction that is committed when `write` says kCommit.
// kOutcomeUnknown: the commit's sync failed; nothing more is written through this store. On a
// server the connection ended in the commit, and whether it happened could not be looked up; what
// appends to the log is looked up as soon as the server can be reached.
enum class Then { kCommit, kRollBack };
Status write(Store::State& state, const std::function<Result<Then>(db::Database&)>& write,
             Store::Durable durable = Store::Durable::kNow);

// Appends under the write lock, as decide() does. Returns the last event's number.
// `end`: where the log ends then.
Result<Seq> append_all(db::Database& database, const std::vector<NewEvent>& events,
                       std::int64_t now_ms, std::optional<Progress>* end = nullptr);
// Projections without a row.
Result<db::Database> empty_state(const Plan& plan);
// kCorrupt: not the bytes that it is named by.
Result<std::string> read_artifact(const Log& log, const Digest& digest);

// FULL: a commit is on disk before append() returns. That is what every promise hangs on.
inline constexpr std::string_view kSyncEachCommit = "PRAGMA synchronous = FULL";
inline constexpr std::int64_t kWriteDeadlineMs = 30'000;

// Store::open with a plan given, so that tests can try versions that do not exist yet.
Result<Store> open_with_plan(const Location& place, const Clock& clock, Create create,
                             const Plan& plan);

// What an event is that this program cannot have written; "": it knows the type and the version.
std::string unknown_event(const Event& event);
// Checks the links, hashes and types of events (after, ...] in order; problems are appended. Stops
// at some dozens. `events` is the last one's number.
Status check_chain(const db::Database& database, Seq after, VerifyReport* report);

// "2026-11-21T11:02:25.000Z" as milliseconds; nullopt when it is not of that form.
std::optional<std::int64_t> parse_utc(std::string_view text);

}  // namespace gittxn::store
