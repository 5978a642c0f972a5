// Certificates of gates, whose commands are trusted, and which summaries were stored.
#include <fmt/format.h>

#include "base/json_value.h"
#include "model/codec.h"
#include "store/area.h"
#include "store/events.h"
#include "store/summaries.h"

namespace gittxn::store {
namespace {

Status gate_evaluated(db::Database& database, const Event& event, const Json& json) {
  const Certificate certificate = TRY_IN(event.type, certificate_from_json(json));
  db::Statement insert =
      TRY(database.statement("INSERT INTO certificates (seq, tree, body) VALUES (?, ?, ?)"));
  insert.bind_all(event.seq, certificate.tree.str(), event.payload);
  return insert.run();
}

Status trusted(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Digest hash;
  std::string actor;
  fields.name("hash", hash);
  fields.text("actor", actor);
  TRY(fields.done());
  db::Statement insert = TRY(database.statement(
      "INSERT INTO trust (hash, actor, seq) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING"));
  insert.bind_all(hash.str(), encode_path(actor), event.seq);
  return insert.run();
}

// Of one name the newest counts.
Status summary_added(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  events::SummaryAdded added;
  fields.text("name", added.name);
  fields.name("manifest", added.manifest);
  fields.name("txn", added.txn);
  TRY(fields.done());
  if (added.name.empty() || added.manifest.empty()) {
    return fail(Code::kCorrupt, "summary.added: it has no name or no manifest");
  }
  db::Statement save = TRY(database.statement(
      "INSERT INTO summaries (name, manifest, time) VALUES (?, ?, ?) ON CONFLICT (name) "
      "DO UPDATE SET manifest = excluded.manifest, time = excluded.time"));
  save.bind_all(encode_path(added.name), added.manifest.str(), event.time);
  return save.run();
}

Status summary_removed(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string name;
  std::string actor;
  fields.text("name", name);
  fields.text("actor", actor);
  TRY(fields.done());
  db::Statement gone =
      TRY(database.statement("DELETE FROM summaries WHERE name = ? RETURNING name"));
  gone.bind(1, encode_path(name));
  const bool was_there = TRY(gone.step());
  if (!was_there) return stale(event, "there is no summary '" + name + "'");
  return gone.run();
}

std::string tell_gate_evaluated(const Json& payload) {
  const bool passed = payload.value("passed", Json(false)) == Json(true);
  return fmt::format("gate {} {}", telling::text(payload, "gate"), passed ? "passed" : "failed");
}
std::string tell_trusted(const Json& payload) {
  return "commands trusted by " + telling::text(payload, "actor");
}
std::string tell_summary(const Json& payload) {
  return "summary '" + telling::text(payload, "name") + "' stored";
}

std::string tell_summary_removed(const Json& payload) {
  return "summary '" + telling::text(payload, "name") + "' removed by " +
         telling::text(payload, "actor");
}

constexpr std::string_view kGateSql = R"sql(
CREATE TABLE certificates (
  seq  INTEGER PRIMARY KEY,
  tree TEXT    NOT NULL,
  body TEXT    NOT NULL
) STRICT;
CREATE INDEX certificates_by_tree ON certificates (tree, seq);
CREATE TABLE trust (
  hash  TEXT    PRIMARY KEY,
  actor TEXT    NOT NULL,
  seq   INTEGER NOT NULL
) STRICT;
CREATE TABLE summaries (
  name     TEXT PRIMARY KEY,
  manifest TEXT NOT NULL,
  time     TEXT NOT NULL
) STRICT;
)sql";

constexpr ProjectionTable kGateTables[] = {
    {"certificates", "seq"}, {"trust", "hash"}, {"summaries", "name"}};

constexpr EventRule kGateRules[] = {
    {event_type::kGateEvaluated, gate_evaluated, tell_gate_evaluated},
    {event_type::kTrusted, trusted, tell_trusted},
    {event_type::kSummaryAdded, summary_added, tell_summary},
    {event_type::kSummaryRemoved, summary_removed, tell_summary_removed},
};

}  // namespace

Result<std::vector<StoredSummary>> summaries(const View& view) {
  std::vector<StoredSummary> out;
  db::Statement query =
      TRY(view.tables().statement("SELECT name, manifest, time FROM summaries ORDER BY name"));
  while (TRY(query.step())) {
    out.push_back({decode_path(query.text(0)), Digest(query.text(1)), query.text(2)});
  }
  return out;
}

namespace events {

NewEvent summary_removed(const std::string& name, const std::string& actor) {
  return new_event(event_type::kSummaryRemoved, std::string(kSummaries),
                   Json{{"name", encode_path(name)}, {"actor", encode_path(actor)}});
}

}  // namespace events

const Area kGates{kGateSql, kGateTables, kGateRules};

}  // namespace gittxn::store
