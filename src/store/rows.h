// Rows of the tables, as values. Internal to store/: queries and projections share these, so that
// what is written is what is read.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "db/database.h"
#include "store/store.h"

namespace gittxn::store {

// Reads a value that is kept as JSON, in the first column. `what`: for errors.
template <typename T>
auto body_of(std::string what = {}) {
  return [what = std::move(what)](const db::Statement& row) -> Result<T> {
    T value{};
    Status read = read_text(row.text(0), "", field_list(value));
    if (read) return value;
    return std::unexpected(what.empty() ? std::move(read).error()
                                        : std::move(read).error().in(what));
  };
}

// "INSERT INTO table (key, rest) VALUES (?, ...)"; where there is that key already, the rest of its
// columns is changed. No key: there is none.
std::string save_sql(std::string_view table, std::string_view key, std::string_view rest);
template <typename... Values>
Status save_row(const db::Database& database, std::string_view table, std::string_view key,
                std::string_view rest, const Values&... values) {
  return database.run(save_sql(table, key, rest), values...);
}
template <typename... Values>
Status insert_row(const db::Database& database, std::string_view table, std::string_view columns,
                  const Values&... values) {
  return database.run(save_sql(table, "", columns), values...);
}

Result<std::optional<Txn>> load_txn(const db::Database& database, const TxnId& id);
Status insert_txn(db::Database& database, const Txn& txn);
Status update_txn(db::Database& database, const Txn& txn);
// The transaction the event is about; kStale when there is none.
Result<Txn> known_txn(const db::Database& database, const Event& event);
// Moves it to a state if may_follow() says so, else kStale. Ends a wait and notes the event.
Status move_txn(Txn& txn, TxnState to, const Event& event);

inline constexpr std::string_view kSelectBranch =
    "SELECT name, head, durable_head, fence, prepared_seq, prepared FROM branches";
Result<BranchState> branch_of(const db::Statement& row);
Result<std::optional<BranchState>> load_branch(const db::Database& database, const RefName& name);
Status save_branch(db::Database& database, const BranchState& branch);
// The payload of landing.prepared, as its rule wants it (EventRule::payload).
void landing_payload(std::initializer_list<FieldIo*> told);
Result<PreparedLanding> landing_from_payload(const std::string& payload, Seq seq);

// The columns are those of kEventColumns.
inline constexpr std::string_view kEventColumns =
    "seq, time, type, subject, schema_version, dedup_key, payload, prev_hash, hash";
Event event_of(const db::Statement& row);
Status insert_event(db::Database& database, const Event& event);
// The events from `first` to `last` (0: to the end) in order, read in pages; `visit` says whether
// to go on.
Status each_event(const db::Database& database, Seq first, Seq last,
                  const std::function<Result<bool>(Event)>& visit);
Result<std::optional<Event>> last_event(const db::Database& database);

// Keys that the store gave: not kept of what was pruned, for nobody can ask for them again.
inline constexpr std::string_view kMadeKey = "seq:";

inline const std::string kGenesisHash = std::string(64, '0');

// How far the projections have got: the last event they contain.
struct Progress {
  Seq seq = 0;
  std::string hash = kGenesisHash;
};
// Where the log begins: after `pruned`, whose hash is there, and as an artifact the state then.
struct LogStart {
  std::string id;
  Seq pruned = 0;
  std::string hash = kGenesisHash;
  std::string state = {};
};
// A log, and the directory with its artifacts where they are files.
struct Log {
  const db::Database& database;
  std::string dir;
};
Result<LogStart> load_log_start(const db::Database& database);
Status save_log_start(db::Database& database, const LogStart& start);

Result<Progress> load_progress(const db::Database& database);
Status save_progress(db::Database& database, const Progress& progress);

}  // namespace gittxn::store
