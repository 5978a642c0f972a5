#include "store/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "base/random.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/server/dialect.h"
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
CREATE TABLE clock (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  boot_id   TEXT    NOT NULL,
  offset_ms INTEGER NOT NULL
) STRICT;
)sql";

// What schema 2 has beside the log that does not follow from it (docs/design/0021: positions are
// not state). Artifacts are rows on a server; beside a file the large ones are files. `log` says
// which log this is, and where it begins: after event `pruned`, whose hash and whose state (an
// artifact) are there; `pruned_keys` has the keys of what was pruned, so that a repeat stays one.
constexpr const char* kTo2 = R"sql(
CREATE TABLE positions (
  consumer     TEXT    PRIMARY KEY,
  registration INTEGER NOT NULL,
  acked        INTEGER NOT NULL,
  moved_ms     INTEGER NOT NULL
) STRICT;
CREATE TABLE artifacts (
  digest TEXT PRIMARY KEY,
  body   BLOB NOT NULL
) STRICT;
CREATE TABLE log (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  id     TEXT    NOT NULL,
  pruned INTEGER NOT NULL,
  hash   TEXT    NOT NULL,
  state  TEXT    NOT NULL
) STRICT;
CREATE TABLE pruned_keys (
  dedup_key TEXT    PRIMARY KEY,
  seq       INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  payload   TEXT    NOT NULL
) STRICT;
CREATE INDEX events_by_type ON events (type, seq);
CREATE TABLE sentinels (
  name     TEXT    PRIMARY KEY,
  until_ms INTEGER NOT NULL,
  every_ms INTEGER NOT NULL,
  boot     TEXT    NOT NULL
) STRICT;
)sql";

// Schema 3 has the same tables. Its events may name the level `semantic`, which older programs do
// not know, so they are told at the door.
constexpr const char* kTo3 = "";

constexpr std::string_view kKept[] = {"events", "clock",       "positions", "artifacts",
                                      "log",    "pruned_keys", "sentinels"};

// How far the projections have got. The tables of the areas follow.
constexpr const char* kProgress = R"sql(
CREATE TABLE progress (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash TEXT    NOT NULL
) STRICT;
)sql";

Status run_migrations(db::Database& database, int from, const Plan& plan) {
  for (int version = from; version < plan.version; ++version) {
    bool known = false;
    for (const Migration& migration : plan.migrations) {
      if (migration.from != version) continue;
      known = true;
      if (migration.sql.empty()) continue;
      TRY_IN(fmt::format("migrating from schema {}", version), database.create(migration.sql));
    }
    if (!known) {
      return fail(Code::kCorrupt, fmt::format("schema version {} was never released", version));
    }
  }
  return {};
}

// A name that no other log has, as a UUID of version 4. It stays when the repository is moved.
Status name_log(db::Database& database) {
  if (TRY(database.has_row("SELECT 1 FROM log"))) return {};
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
  TRY(database.create(kLog));
  TRY(run_migrations(database, kFirstVersion, plan));
  TRY(guard_log(database));
  TRY(name_log(database));
  TRY(create_projections(database, plan));
  return set_version(database, plan.version);
}

Status drop_projections(db::Database& database) {
  for (const std::string& table : TRY(tables_of(database))) {
    if (std::ranges::find(kKept, table) != std::end(kKept)) continue;
    if (table.find('"') != std::string::npos) return fail(Code::kCorrupt, "odd table name");
    TRY(database.execute(fmt::format("DROP TABLE \"{}\"", table)));
  }
  return {};
}

Status migrate(db::Database& database, const std::string& dir, int from, const Plan& plan) {
  TRY(run_migrations(database, from, plan));
  TRY(guard_log(database));
  TRY(name_log(database));
  TRY(drop_projections(database));
  TRY(create_projections(database, plan));
  TRY(replay(Log{database, dir}, database, 0));
  return set_version(database, plan.version);
}

}  // namespace

const Plan& current_plan() {
  static const Plan plan{.version = kSchemaVersion,
                         .migrations = {{.from = 1, .sql = kTo2}, {.from = 2, .sql = kTo3}},
                         .projections = {}};
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
  TRY(database.create(kProgress));
  for (const Area* area : areas()) TRY(database.create(area->sql));
  return database.create(plan.projections);
}

Result<Found> inspect(const db::Database& database, const std::string& path, const Plan& plan) {
  const Version version = TRY(version_of(database));
  if (version.application == 0 && version.schema == 0 && TRY(tables_of(database)).empty()) {
    return Found::kFresh;
  }
  if (version.application != kApplicationId) {
    const bool file = database.dialect() == db::Dialect::kSqlite;
    return fail(Code::kCorrupt, fmt::format("'{}' is not a git-txn store", path),
                file ? "nothing was changed; move what is there away and restore a backup: "
                       "docs/BACKUPS.md"
                     : "nothing was changed; it is a schema of something else: name the store's "
                       "with git config txn.storeSchema NAME, or git txn init --schema NAME");
  }
  if (version.schema > plan.version) {
    if (INJECTED_BUG("store.newer_is_read")) return Found::kPresent;
    return fail(Code::kNewer,
                fmt::format("'{}' has schema version {}, this git-txn knows {}", path,
                            version.schema, plan.version),
                "use the git-txn that wrote it, or a newer one; nothing was touched");
  }
  if (version.schema == plan.version) return Found::kPresent;
  const auto leads_on = [&](const Migration& step) { return step.from == version.schema; };
  if (std::ranges::any_of(plan.migrations, leads_on)) return Found::kOlder;
  return fail(
      Code::kCorrupt,
      fmt::format("'{}' has schema version {}, which was never released", path, version.schema),
      "nothing was touched; keep it aside and restore a backup: docs/BACKUPS.md");
}

Status check_tables(const db::Database& database, const std::string& path) {
  const std::vector<std::string> there = TRY(tables_of(database));
  const auto missing = [&](std::string_view table) {
    return std::ranges::find(there, table) == there.end();
  };
  std::string_view gone;
  for (const std::string_view table : kKept) {
    if (gone.empty() && missing(table)) gone = table;
  }
  for (const ProjectionTable& table : projection_tables()) {
    if (gone.empty() && missing(table.name)) gone = table.name;
  }
  if (gone.empty()) return {};
  return fail(Code::kCorrupt, fmt::format("'{}' lacks its table '{}'", path, gone),
              "nothing was changed; keep it aside and restore a backup: docs/BACKUPS.md");
}

namespace {

Status keep_log_ahead(db::Database& database, const std::string& path) {
  const std::string mode = TRY(database.pragma_text("journal_mode = WAL"));
  if (mode == "wal") return {};
  return fail(Code::kUnsupported,
              fmt::format("the file system of '{}' cannot hold a write-ahead log", path),
              "put the repository on a local file system");
}

}  // namespace

Status make_present(db::Database& database, const std::string& path, const Plan& plan) {
  const bool file = database.dialect() == db::Dialect::kSqlite;
  if (file) {
    TRY(keep_log_ahead(database, path));
    // A file is copied by its own transaction.
    if (TRY(inspect(database, path, plan)) == Found::kOlder) {
      const Version version = TRY(version_of(database));
      TRY_IN("copying the store before migrating it", keep_copy(database, path, version.schema));
    }
  }
  db::Transaction transaction =
      TRY(db::Transaction::begin(database, db::Transaction::Kind::kWrite));
  if (!file) TRY(database.execute(fmt::format("CREATE SCHEMA IF NOT EXISTS \"{}\"", path)));
  const Found found = TRY(inspect(database, path, plan));
  if (found == Found::kFresh) TRY(create(database, plan));
  if (found == Found::kOlder) {
    const Version version = TRY(version_of(database));
    if (!file) {
      TRY_IN("copying the store before migrating it", keep_copy(database, path, version.schema));
    }
    TRY(migrate(database, file ? parent_dir(path) : std::string(), static_cast<int>(version.schema),
                plan));
  }
  TRY(fp_before_migration_commit.hit());
  return transaction.commit();
}

}  // namespace gittxn::store
