#include "store/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/random.h"
#include "store/projection.h"
#include "store/rows.h"
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

// What schema 2 has beside the log that does not follow from it (docs/design/0021: positions are
// not state). `log` says which log this is, and where it begins: after event `pruned`, whose hash
// and whose state (an artifact) are there; `pruned_keys` has the keys of what was pruned, so that a
// repeat stays one. Whatever the log has begun after may be deleted, and nothing else.
constexpr const char* kTo2 = R"sql(
CREATE TABLE positions (
  consumer     TEXT    PRIMARY KEY,
  registration INTEGER NOT NULL,
  acked        INTEGER NOT NULL,
  moved_ms     INTEGER NOT NULL
) STRICT;
CREATE TABLE log (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  id     TEXT    NOT NULL,
  pruned INTEGER NOT NULL,
  hash   TEXT    NOT NULL,
  state  TEXT    NOT NULL
) STRICT;
CREATE TRIGGER log_begins_later_only BEFORE UPDATE ON log
  WHEN NEW.pruned < OLD.pruned OR NEW.id <> OLD.id
  BEGIN SELECT raise(ABORT, 'a log keeps its name, and never begins earlier'); END;
CREATE TABLE pruned_keys (
  dedup_key TEXT    PRIMARY KEY,
  seq       INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  payload   TEXT    NOT NULL
) STRICT;
CREATE INDEX events_by_type ON events (type, seq);
DROP TRIGGER events_are_never_deleted;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  WHEN NOT EXISTS (SELECT 1 FROM log WHERE pruned >= OLD.seq)
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TABLE sentinels (
  name     TEXT    PRIMARY KEY,
  until_ms INTEGER NOT NULL
) STRICT;
)sql";

constexpr std::string_view kKept[] = {"events", "clock",       "positions",
                                      "log",    "pruned_keys", "sentinels"};

// How far the projections have got. The tables of the areas follow.
constexpr const char* kProgress = R"sql(
CREATE TABLE progress (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash TEXT    NOT NULL
) STRICT;
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

// A name that no other log has, as a UUID of version 4. It stays when the repository is moved.
Status name_log(db::Database& database) {
  db::Statement named = TRY(database.statement("SELECT 1 FROM log"));
  const bool there = TRY(named.step());
  if (there) return {};
  Random random;
  const std::string hex = fmt::format("{:016x}{:016x}", random.next(), random.next());
  constexpr std::string_view kVariants = "89ab";
  const std::string id =
      fmt::format("{}-{}-4{}-{}{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(13, 3),
                  kVariants[random.below(4)], hex.substr(17, 3), hex.substr(20, 12));
  return save_log_start(database, LogStart{.id = id});
}

// A fresh store is made as the first version was and migrated like any other: both end up the same.
Status create(db::Database& database, const Plan& plan) {
  TRY(database.execute(kLog));
  TRY(run_migrations(database, kFirstVersion, plan));
  TRY(name_log(database));
  TRY(create_projections(database, plan));
  return set_version(database, plan);
}

Status drop_projections(db::Database& database) {
  std::vector<std::string> tables;
  {
    db::Statement query = TRY(database.statement(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
        "ORDER BY name"));
    while (TRY(query.step())) {
      std::string name = query.text(0);
      if (std::ranges::find(kKept, name) == std::end(kKept)) tables.push_back(std::move(name));
    }
  }
  for (const std::string& table : tables) {
    if (table.find('"') != std::string::npos) return fail(Code::kCorrupt, "odd table name");
    TRY(database.execute(fmt::format("DROP TABLE \"{}\"", table)));
  }
  return {};
}

Status migrate(db::Database& database, const std::string& dir, int from, const Plan& plan) {
  TRY(run_migrations(database, from, plan));
  TRY(name_log(database));
  TRY(drop_projections(database));
  TRY(create_projections(database, plan));
  TRY(replay(Log{database, dir}, database, 0));
  return set_version(database, plan);
}

}  // namespace

const Plan& current_plan() {
  static const Plan plan{
      .version = kSchemaVersion, .migrations = {{.from = 1, .sql = kTo2}}, .projections = {}};
  return plan;
}

const std::vector<ProjectionTable>& projection_tables() {
  static const std::vector<ProjectionTable> kTables = [] {
    std::vector<ProjectionTable> tables{{"progress", "one"}};
    for (const Area* area : areas()) {
      tables.insert(tables.end(), area->tables.begin(), area->tables.end());
    }
    return tables;
  }();
  return kTables;
}

Status create_projections(db::Database& database, const Plan& plan) {
  TRY(database.execute(kProgress));
  for (const Area* area : areas()) TRY(database.execute(std::string(area->sql)));
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
    TRY(migrate(database, parent_dir(path), static_cast<int>(version), plan));
  }
  TRY(fp_before_migration_commit.hit());
  return transaction.commit();
}

}  // namespace gittxn::store
