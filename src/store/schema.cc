#include "store/schema.h"

#include <fmt/format.h>

#include "base/failpoint.h"
#include "store/projection.h"
#include "store/store.h"

namespace gittxn::store {
namespace {

FAILPOINT(fp_before_migration_commit, "store.before_migration_commit");

constexpr int kFirstVersion = 1;

// Events and the clock are what is stored, in the layout of the first version, which never changes
// again; what later versions need is a migration.
constexpr const char* kLog = R"sql(
CREATE TABLE events (
  seq            INTEGER PRIMARY KEY,
  time           TEXT    NOT NULL,
  type           TEXT    NOT NULL,
  subject        TEXT    NOT NULL,
  schema_version INTEGER NOT NULL,
  dedup_key      TEXT    NOT NULL UNIQUE,
  payload        TEXT    NOT NULL,
  prev_hash      TEXT    NOT NULL,
  hash           TEXT    NOT NULL
) STRICT;
CREATE INDEX events_by_subject ON events (subject, seq);
CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TABLE clock (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  boot_id   TEXT    NOT NULL,
  offset_ms INTEGER NOT NULL
) STRICT;
)sql";

// Derived from the events, in the layout of the present version.
constexpr const char* kProjections = R"sql(
CREATE TABLE progress (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash TEXT    NOT NULL
) STRICT;
CREATE TABLE txns (
  id        TEXT    PRIMARY KEY,
  name      TEXT    NOT NULL,
  state     TEXT    NOT NULL,
  begun_seq INTEGER NOT NULL,
  body      TEXT    NOT NULL
) STRICT;
CREATE INDEX txns_by_name ON txns (name);
CREATE INDEX txns_by_state ON txns (state, begun_seq);
CREATE INDEX txns_by_age ON txns (begun_seq);
CREATE TABLE branches (
  name         TEXT    PRIMARY KEY,
  head         TEXT    NOT NULL,
  durable_head TEXT    NOT NULL,
  prepared_seq INTEGER NOT NULL,
  prepared     TEXT    NOT NULL
) STRICT;
CREATE TABLE landed (
  seq      INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  old_head TEXT    NOT NULL,
  new_head TEXT    NOT NULL
) STRICT;
CREATE INDEX landed_by_branch ON landed (branch, seq);
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
CREATE TABLE tickets (
  number   INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  priority INTEGER NOT NULL,
  owner    TEXT    NOT NULL
) STRICT;
CREATE INDEX tickets_by_branch ON tickets (branch, number);
)sql";

Status set_version(db::Database& database, const Plan& plan) {
  return database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                      kApplicationId, plan.version));
}

Status run_migrations(db::Database& database, int from, const Plan& plan) {
  for (int version = from; version < plan.version; ++version) {
    bool known = false;
    for (const Migration& migration : plan.migrations) {
      if (migration.from != version) continue;
      TRY_IN(fmt::format("migrating from schema {}", version), database.execute(migration.sql));
      known = true;
    }
    if (!known) {
      return fail(Code::kCorrupt, fmt::format("schema version {} was never released", version));
    }
  }
  return {};
}

// A fresh store is made as the first version was and migrated like any other: both end up the same.
Status create(db::Database& database, const Plan& plan) {
  TRY(database.execute(kLog));
  TRY(run_migrations(database, kFirstVersion, plan));
  TRY(create_projections(database, plan));
  return set_version(database, plan);
}

Status drop_projections(db::Database& database) {
  std::vector<std::string> tables;
  {
    db::Statement query = TRY(database.statement(
        "SELECT name FROM sqlite_schema WHERE type = 'table' "
        "AND name NOT IN ('events', 'clock') AND name NOT LIKE 'sqlite_%' ORDER BY name"));
    while (TRY(query.step())) tables.push_back(query.text(0));
  }
  for (const std::string& table : tables) {
    if (table.find('"') != std::string::npos) return fail(Code::kCorrupt, "odd table name");
    TRY(database.execute(fmt::format("DROP TABLE \"{}\"", table)));
  }
  return {};
}

Status migrate(db::Database& database, int from, const Plan& plan) {
  TRY(run_migrations(database, from, plan));
  TRY(drop_projections(database));
  TRY(create_projections(database, plan));
  TRY(replay(database, database, 0));
  return set_version(database, plan);
}

}  // namespace

const Plan& current_plan() {
  static const Plan plan{.version = kSchemaVersion, .migrations = {}, .projections = {}};
  return plan;
}

const std::vector<ProjectionTable>& projection_tables() {
  static const std::vector<ProjectionTable> tables{
      {"progress", "one"},     {"txns", "begun_seq"}, {"branches", "name"},  {"landed", "seq"},
      {"certificates", "seq"}, {"trust", "hash"},     {"tickets", "number"},
  };
  return tables;
}

Status create_projections(db::Database& database, const Plan& plan) {
  TRY(database.execute(kProjections));
  return database.execute(plan.projections);
}

Result<Found> inspect(const db::Database& database, const std::string& path, const Plan& plan) {
  const std::int64_t version = TRY(database.pragma_integer("user_version"));
  const std::int64_t application = TRY(database.pragma_integer("application_id"));
  if (application == 0 && version == 0) {
    db::Statement query = TRY(database.statement("SELECT count(*) FROM sqlite_schema"));
    const bool row = TRY(query.step());
    if (row && query.integer(0) == 0) return Found::kFresh;
  }
  if (application != kApplicationId) {
    return fail(Code::kCorrupt, fmt::format("'{}' is not a git-txn store", path),
                "move that file away and restore the store from a backup");
  }
  if (version > plan.version) {
    return fail(Code::kNewer,
                fmt::format("'{}' has schema version {}, this git-txn knows {}", path, version,
                            plan.version),
                "use the git-txn that wrote it, or a newer one; nothing was touched");
  }
  return version == plan.version ? Found::kPresent : Found::kOlder;
}

Status make_present(db::Database& database, const std::string& path, const Plan& plan) {
  const std::string mode = TRY(database.pragma_text("journal_mode = WAL"));
  if (mode != "wal") {
    return fail(Code::kUnsupported,
                fmt::format("the file system of '{}' cannot hold a write-ahead log", path),
                "put the repository on a local file system");
  }
  if (TRY(inspect(database, path, plan)) == Found::kOlder) {
    const std::int64_t version = TRY(database.pragma_integer("user_version"));
    TRY_IN("copying the store before migrating it",
           database.backup_to(fmt::format("{}.v{}.bak", path, version)));
  }
  db::Transaction transaction =
      TRY(db::Transaction::begin(database, db::Transaction::Kind::kWrite));
  const Found found = TRY(inspect(database, path, plan));
  if (found == Found::kFresh) TRY(create(database, plan));
  if (found == Found::kOlder) {
    const std::int64_t version = TRY(database.pragma_integer("user_version"));
    TRY(migrate(database, static_cast<int>(version), plan));
  }
  TRY(fp_before_migration_commit.hit());
  return transaction.commit();
}

}  // namespace gittxn::store
