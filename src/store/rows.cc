#include "store/rows.h"

#include <fmt/format.h>

#include <limits>

#include "base/json_value.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/events.h"

namespace gittxn::store {

Result<std::optional<Txn>> load_txn(const db::Database& database, const TxnId& id) {
  db::Statement query = TRY(database.statement("SELECT body FROM txns WHERE id = ?"));
  query.bind_all(encode_path(id.str()));  // whatever somebody asks for; ours are ASCII
  const bool found = TRY(query.step());
  if (!found) return std::optional<Txn>();
  const Json json = TRY_IN("transaction " + id.str(), parse_json(query.text(0)));
  return std::optional<Txn>(TRY_IN("transaction " + id.str(), read_fields<Txn>(json)));
}

Status insert_txn(db::Database& database, const Txn& txn) {
  db::Statement insert = TRY(database.statement(
      "INSERT INTO txns (id, name, state, begun_seq, body) VALUES (?, ?, ?, ?, ?)"));
  insert.bind_all(txn.id.str(), encode_path(txn.name), state_name(txn.state), txn.version,
                  canonical_text(field_list(txn)));
  return insert.run();
}

Status update_txn(db::Database& database, const Txn& txn) {
  db::Statement update =
      TRY(database.statement("UPDATE txns SET state = ?, body = ? WHERE id = ?"));
  update.bind_all(state_name(txn.state), canonical_text(field_list(txn)), txn.id.str());
  return update.run();
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

Result<PreparedLanding> landing_from_payload(const std::string& payload, Seq seq) {
  LandingPayload told;
  TRY(read_text(payload, event_type::kLandingPrepared, field_list(told)));
  told.landing.seq = seq;
  told.landing.payload = payload;
  return std::move(told.landing);
}

Result<std::optional<BranchState>> load_branch(const db::Database& database, const RefName& name) {
  db::Statement query = TRY(database.statement(
      "SELECT head, durable_head, prepared_seq, prepared, fence FROM branches WHERE name = ?"));
  query.bind_all(name.str());
  const bool found = TRY(query.step());
  if (!found) return std::optional<BranchState>();
  BranchState branch;
  branch.branch = name;
  branch.head = Oid(query.text(0));
  branch.durable_head = Oid(query.text(1));
  branch.fence = Oid(query.text(4));
  const Seq prepared = query.integer(2);
  if (prepared != 0) {
    branch.prepared = TRY_IN(name.str(), landing_from_payload(query.text(3), prepared));
  }
  return std::optional<BranchState>(std::move(branch));
}

Status save_branch(db::Database& database, const BranchState& branch) {
  db::Statement save = TRY(database.statement(
      "INSERT INTO branches (name, head, durable_head, prepared_seq, prepared, fence) "
      "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET head = excluded.head, "
      "durable_head = excluded.durable_head, prepared_seq = excluded.prepared_seq, "
      "prepared = excluded.prepared, fence = excluded.fence"));
  const Seq seq = branch.prepared ? branch.prepared->seq : 0;
  const std::string payload = branch.prepared ? branch.prepared->payload : std::string();
  save.bind_all(branch.branch.str(), branch.head.str(), branch.durable_head.str(), seq, payload,
                branch.fence.str());
  return save.run();
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
  static const std::string kSql =
      fmt::format("INSERT INTO events ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", kEventColumns);
  db::Statement insert = TRY(database.statement(kSql));
  insert.bind_all(event.seq, event.time, event.type, event.subject,
                  std::int64_t{event.schema_version}, event.dedup_key, event.payload,
                  event.prev_hash.str(), event.hash.str());
  return insert.run();
}

Status each_event(const db::Database& database, Seq first, Seq last,
                  const std::function<Result<bool>(Event)>& visit) {
  constexpr std::int64_t kPage = 2000;
  static const std::string kSql = fmt::format(
      "SELECT {} FROM events WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?", kEventColumns);
  const Seq end = last == 0 ? std::numeric_limits<Seq>::max() : last;
  Seq next = first;
  while (true) {
    db::Statement query = TRY(database.statement(kSql));
    query.bind_all(next, end, kPage);
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
  static const std::string kSql =
      fmt::format("SELECT {} FROM events ORDER BY seq DESC LIMIT 1", kEventColumns);
  db::Statement query = TRY(database.statement(kSql));
  const bool found = TRY(query.step());
  if (!found) return std::optional<Event>();
  return std::optional<Event>(event_of(query));
}

Result<LogStart> load_log_start(const db::Database& database) {
  db::Statement query = TRY(database.statement("SELECT id, pruned, hash, state FROM log"));
  LogStart start;
  const bool found = TRY(query.step());
  if (found) start = LogStart{query.text(0), query.integer(1), query.text(2), query.text(3)};
  return start;
}

Status save_log_start(db::Database& database, const LogStart& start) {
  db::Statement save = TRY(database.statement(
      "INSERT INTO log (one, id, pruned, hash, state) VALUES (1, ?, ?, ?, ?) "
      "ON CONFLICT (one) DO UPDATE SET pruned = excluded.pruned, hash = excluded.hash, "
      "state = excluded.state"));
  save.bind_all(start.id, start.pruned, start.hash, start.state);
  return save.run();
}

Result<Progress> load_progress(const db::Database& database) {
  db::Statement query = TRY(database.statement("SELECT seq, hash FROM progress"));
  Progress progress;
  const bool found = TRY(query.step());
  if (found) progress = Progress{query.integer(0), query.text(1)};
  return progress;
}

Status save_progress(db::Database& database, const Progress& progress) {
  db::Statement save = TRY(database.statement(
      "INSERT INTO progress (one, seq, hash) VALUES (1, ?, ?) "
      "ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash"));
  save.bind_all(progress.seq, progress.hash);
  return save.run();
}

}  // namespace gittxn::store
