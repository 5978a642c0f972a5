// Certificates of gates, whose commands are trusted, and which summaries were stored.
#include "model/fields.h"
#include "store/area.h"
#include "store/events.h"
#include "store/gate_marks.h"
#include "store/rows.h"
#include "store/summaries.h"

namespace gittxn::store {

namespace events {
static void fields(FieldIo& io, SummaryAdded& added) {
  io.text("name", added.name);
  io.name({"manifest", "artifact"}, added.manifest);
  io.name({"txn", "\"\" a person's"}, added.txn);
}
}  // namespace events

static void fields(FieldIo& io, UnsoundGate& mark) {
  io.thing("unsound gate");
  io.name("gate", mark.gate);
  io.name("version", mark.version);
  io.text({"unit", "\"\": the whole gate"}, mark.unit);
  io.oid("passed_on", mark.passed_on);
  io.oid("failed_on", mark.failed_on);
  io.texts({"landed", "transactions, by certificates carried from there"}, mark.landed);
}

namespace {

Status gate_evaluated(db::Database& database, const Event& event, const Certificate& certificate) {
  return insert_row(database, "certificates", "seq, tree, body", event.seq, certificate.tree,
                    event.payload);
}

struct Trusted {
  Digest hash;
  std::string actor;
};
void fields(FieldIo& io, Trusted& trust) {
  io.name("hash", trust.hash);
  io.text("actor", trust.actor);
}

struct Cleared {
  GateName gate;
  std::string actor;
};
void fields(FieldIo& io, Cleared& cleared) {
  io.name("gate", cleared.gate);
  io.text("actor", cleared.actor);
}

struct SummaryRemoved {
  std::string name;
  std::string actor;
};
void fields(FieldIo& io, SummaryRemoved& removed) {
  io.text("name", removed.name);
  io.text("actor", removed.actor);
}

Status trusted(db::Database& database, const Event& event, const Trusted& trust) {
  return database.run(
      "INSERT INTO trust (hash, actor, seq) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
      trust.hash, encode_path(trust.actor), event.seq);
}

// Of one name the newest counts.
Status summary_added(db::Database& database, const Event& event,
                     const events::SummaryAdded& added) {
  if (added.name.empty() || added.manifest.empty()) {
    return fail(Code::kCorrupt, "summary.added: it has no name or no manifest");
  }
  return save_row(database, "summaries", "name", "manifest, time", encode_path(added.name),
                  added.manifest, event.time);
}

Status summary_removed(db::Database& database, const Event& event, const SummaryRemoved& removed) {
  const bool was_there = TRY(database.has_row("DELETE FROM summaries WHERE name = ? RETURNING name",
                                              encode_path(removed.name)));
  return was_there ? Status() : stale(event, "there is no summary '" + removed.name + "'");
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
    {event_type::kGateEvaluated,
     {"The certificate of one run of a gate.", "the transaction, or the gate", "", "",
      "a certificate (below)"},
     accepts<gate_evaluated>,
     "gate {gate} {passed?passed:failed}"},
    {event_type::kGateUnsound,
     {"A certificate was carried to a tree on which the gate fails: nothing of that version is "
      "carried any more.",
      "the gate"},
     accepts<only_told<UnsoundGate>>,
     "gate {gate} was carried wrongly{: unit}"},
    {event_type::kGateCleared,
     {"A person has looked at a gate that was carried wrongly: it is carried again.", "the gate"},
     accepts<only_told<Cleared>>,
     "gate {gate} cleared by {actor}"},
    {event_type::kTrusted,
     {"Somebody said yes to the commands of a policy.", "the hash"},
     accepts<trusted>,
     "commands trusted by {actor}"},
    {event_type::kSummaryAdded,
     {"A summary was stored.", "`summaries`"},
     accepts<summary_added>,
     "summary '{name}' stored"},
    {event_type::kSummaryRemoved,
     {"A summary was removed.", "`summaries`", "there is one"},
     accepts<summary_removed>,
     "summary '{name}' removed by {actor}"},
};

}  // namespace

Result<std::optional<UnsoundGate>> unsound_gate(const Store& store, const GateName& gate,
                                                const Digest& version) {
  std::optional<UnsoundGate> mark;
  for (const Event& event : TRY(store.events_of(gate.str()))) {
    if (event.type == event_type::kGateCleared) mark.reset();
    if (event.type != event_type::kGateUnsound) continue;
    UnsoundGate one;
    TRY(read_text(event.payload, "gate.unsound", field_list(one)));
    if (one.version == version) mark = std::move(one);
  }
  return mark;
}

Result<std::vector<StoredSummary>> summaries(const View& view) {
  const auto summary_of = [](const db::Statement& row) {
    return StoredSummary{decode_path(row.text(0)), Digest(row.text(1)), row.text(2)};
  };
  return view.tables().all(summary_of, "SELECT name, manifest, time FROM summaries ORDER BY name");
}

namespace events {

NewEvent gate_evaluated(const Certificate& certificate) {
  const std::string subject =
      certificate.txn.empty() ? certificate.gate.str() : certificate.txn.str();
  return event_with(event_type::kGateEvaluated, subject, certificate);
}

NewEvent gate_unsound(const UnsoundGate& mark) {
  return event_with(event_type::kGateUnsound, mark.gate.str(), mark);
}

NewEvent gate_cleared(const GateName& gate, const std::string& actor) {
  return event_with(event_type::kGateCleared, gate.str(), Cleared{gate, actor});
}

NewEvent trusted(const Digest& trust_hash, const std::string& actor) {
  return event_with(event_type::kTrusted, trust_hash.str(), Trusted{trust_hash, actor},
                    event_key("policy", trust_hash.str(), "trusted", actor));
}

NewEvent summary_added(const SummaryAdded& added) {
  const std::string version = added.manifest.str() + "/" + added.txn.str();
  return event_with(event_type::kSummaryAdded, std::string(kSummaries), added,
                    added.txn.empty() ? "" : event_key("summary", added.name, "added", version));
}

NewEvent summary_removed(const std::string& name, const std::string& actor) {
  return event_with(event_type::kSummaryRemoved, std::string(kSummaries),
                    SummaryRemoved{name, actor});
}

}  // namespace events

const Area kGates{kGateSql, kGateTables, kGateRules};

}  // namespace gittxn::store
