#include "store/rows.h"

#include <fmt/format.h>

#include <limits>

#include "base/json.h"
#include "base/text.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/events.h"

namespace gittxn::store {

std::string save_sql(std::string_view table, std::string_view key, std::string_view rest) {
  const std::string columns = fmt::format("{}{}{}", key, key.empty() ? "" : ", ", rest);
  std::string marks = "?";
  for (const char c : columns) marks += c == ',' ? ", ?" : "";
  std::string sql = fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, marks);
  if (key.empty()) return sql;
  std::string changes;
  for (const std::string_view piece : pieces_of(rest, ',')) {
    changes += fmt::format("{0}{1} = excluded.{1}", changes.empty() ? "" : ", ", trimmed(piece));
  }
  return sql + fmt::format(" ON CONFLICT ({}) DO UPDATE SET {}", key, changes);
}

Result<std::optional<Txn>> load_txn(const db::Database& database, const TxnId& id) {
  return database.first(body_of<Txn>("transaction " + id.str()),
                        "SELECT body FROM txns WHERE id = ?",
                        encode_path(id.str()));  // whatever somebody asks for; ours are ASCII
}

Status insert_txn(db::Database& database, const Txn& txn) {
  return insert_row(database, "txns", "id, name, state, begun_seq, body", txn.id,
                    encode_path(txn.name), state_name(txn.state), txn.version,
                    canonical_text(field_list(txn)));
}

Status update_txn(db::Database& database, const Txn& txn) {
  return database.run("UPDATE txns SET state = ?, body = ? WHERE id = ?", state_name(txn.state),
                      canonical_text(field_list(txn)), txn.id);
}

namespace {

struct LandingPayload {
  PreparedLanding landing;
  events::LandingDetails details;
  Json checkout = Json::array();
};
void fields(FieldIo& io, LandingPayload& payload) {
  PreparedLanding& landing = payload.landing;
  io.name("txn", landing.txn);
  io.name("branch", landing.branch);
  io.oid("old", landing.old_head);
  io.oid("new", landing.new_head);
  io.oid("tree", landing.tree);
  io.name("patch", payload.details.patch);
  io.name("reads", payload.details.reads);
  io.name("writes", payload.details.writes);
  io.array({"checkout", "array of what moves in checkouts"}, payload.checkout);
  if (io.maybe({"fence", "fence_before"}, landing.fence)) {  // both only where there is a hub
    io.oid("fence_before", landing.fence_before);
    io.oid({"fence", "with a hub"}, landing.fence);
  }
  if (io.maybe("admitted", payload.details.admitted)) {
    io.value({"admitted", "what it landed by beside reads that hold as they are, below"},
             payload.details.admitted);
  }
}

}  // namespace

void landing_payload(std::initializer_list<FieldIo*> told) {
  payload_of<LandingPayload>(told);
}

NewEvent events::landing_prepared(const PreparedLanding& landing, const LandingDetails& details,
                                  const Json& checkout) {
  return event_with(event_type::kLandingPrepared, landing.txn.str(),
                    LandingPayload{landing, details, checkout});
}

Result<Json> events::landing_checkout(const std::string& payload) {
  LandingPayload told;
  TRY(read_text(payload, event_type::kLandingPrepared, field_list(told)));
  return std::move(told.checkout);
}

Result<Admission> events::admitted_by(const Event& event) {
  LandingPayload told;
  TRY(read_text(event.payload, event_type::kLandingPrepared, field_list(told)));
  return std::move(told.details.admitted);
}

Result<PreparedLanding> landing_from_payload(const std::string& payload, Seq seq) {
  LandingPayload told;
  TRY(read_text(payload, event_type::kLandingPrepared, field_list(told)));
  told.landing.seq = seq;
  told.landing.payload = payload;
  return std::move(told.landing);
}

Result<BranchState> branch_of(const db::Statement& row) {
  BranchState branch{
      RefName(row.text(0)), Oid(row.text(1)), Oid(row.text(2)), Oid(row.text(3)), {}};
  const Seq prepared = row.integer(4);
  if (prepared == 0) return branch;
  branch.prepared = TRY_IN(branch.branch.str(), landing_from_payload(row.text(5), prepared));
  return branch;
}

Result<std::optional<BranchState>> load_branch(const db::Database& database, const RefName& name) {
  return database.first(branch_of, fmt::format("{} WHERE name = ?", kSelectBranch), name);
}

Status save_branch(db::Database& database, const BranchState& branch) {
  const PreparedLanding prepared = branch.prepared.value_or(PreparedLanding{});
  return save_row(database, "branches", "name", "head, durable_head, prepared_seq, prepared, fence",
                  branch.branch, branch.head, branch.durable_head, prepared.seq, prepared.payload,
                  branch.fence);
}

Event event_of(const db::Statement& row) {
  Event event;
  event.seq = row.integer(0);
  event.time = row.text(1);
  event.type = row.text(2);
  event.subject = row.text(3);
  event.schema_version = static_cast<int>(row.integer(4));
  event.dedup_key = row.text(5);
  event.payload = row.text(6);
  event.prev_hash = Digest(row.text(7));
  event.hash = Digest(row.text(8));
  return event;
}

Status insert_event(db::Database& database, const Event& event) {
  return insert_row(database, "events", kEventColumns, event.seq, event.time, event.type,
                    event.subject, event.schema_version, event.dedup_key, event.payload,
                    event.prev_hash, event.hash);
}

Status each_event(const db::Database& database, Seq first, Seq last,
                  const std::function<Result<bool>(Event)>& visit) {
  constexpr std::int64_t kPage = 2000;
  static const std::string kSql = fmt::format(
      "SELECT {} FROM events WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?", kEventColumns);
  const Seq end = last == 0 ? std::numeric_limits<Seq>::max() : last;
  Seq next = first;
  while (true) {
    db::Statement query = TRY(database.statement(kSql, next, end, kPage));
    std::int64_t seen = 0;
    while (TRY(query.step())) {
      Event event = event_of(query);
      next = event.seq + 1;
      ++seen;
      const bool more = TRY(visit(std::move(event)));
      if (!more) return {};
    }
    if (seen < kPage) return {};
  }
}

Result<std::optional<Event>> last_event(const db::Database& database) {
  return database.first(
      event_of, fmt::format("SELECT {} FROM events ORDER BY seq DESC LIMIT 1", kEventColumns));
}

Result<LogStart> load_log_start(const db::Database& database) {
  const auto start_of = [](const db::Statement& row) {
    return LogStart{row.text(0), row.integer(1), row.text(2), row.text(3)};
  };
  return TRY(database.first(start_of, "SELECT id, pruned, hash, state FROM log"))
      .value_or(LogStart{});
}

Status save_log_start(db::Database& database, const LogStart& start) {
  return save_row(database, "log", "one", "id, pruned, hash, state", 1, start.id, start.pruned,
                  start.hash, start.state);
}

Result<Progress> load_progress(const db::Database& database) {
  const auto progress_of = [](const db::Statement& row) {
    return Progress{row.integer(0), row.text(1)};
  };
  return TRY(database.first(progress_of, "SELECT seq, hash FROM progress")).value_or(Progress{});
}

Status save_progress(db::Database& database, const Progress& progress) {
  return save_row(database, "progress", "one", "seq, hash", 1, progress.seq, progress.hash);
}

}  // namespace gittxn::store
