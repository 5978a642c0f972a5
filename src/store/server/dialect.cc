#include "store/server/dialect.h"

#include <fmt/format.h>

#include <algorithm>

namespace gittxn::store {
namespace {

bool on_postgres(const db::Database& database) {
  return database.dialect() == db::Dialect::kPostgres;
}

constexpr const char* kSqliteGuards = R"sql(
DROP TRIGGER IF EXISTS events_are_never_updated;
DROP TRIGGER IF EXISTS events_are_never_deleted;
DROP TRIGGER IF EXISTS log_begins_later_only;
CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  WHEN NOT EXISTS (SELECT 1 FROM log WHERE pruned >= OLD.seq)
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER log_begins_later_only BEFORE UPDATE ON log
  WHEN NEW.pruned < OLD.pruned OR NEW.id <> OLD.id
  BEGIN SELECT raise(ABORT, 'a log keeps its name, and never begins earlier'); END;
)sql";

constexpr const char* kPostgresGuards = R"sql(
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'events are append-only'; END $$;
CREATE OR REPLACE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN
    IF EXISTS (SELECT 1 FROM log WHERE pruned >= OLD.seq) THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'events are append-only';
  END $$;
CREATE OR REPLACE FUNCTION refuse_earlier() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN
    IF NEW.pruned < OLD.pruned OR NEW.id <> OLD.id THEN
      RAISE EXCEPTION 'a log keeps its name, and never begins earlier';
    END IF;
    RETURN NEW;
  END $$;
CREATE OR REPLACE TRIGGER events_are_never_updated BEFORE UPDATE ON events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
CREATE OR REPLACE TRIGGER events_are_never_emptied BEFORE TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER log_begins_later_only BEFORE UPDATE ON log
  FOR EACH ROW EXECUTE FUNCTION refuse_earlier();
CREATE OR REPLACE FUNCTION tell_arrival() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_notify('git_txn.' || TG_TABLE_SCHEMA, ''); RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER events_arrive AFTER INSERT ON events
  FOR EACH STATEMENT EXECUTE FUNCTION tell_arrival();
)sql";

// What guards the log, or finds an event in it.
constexpr std::string_view kLogParts[] = {"events_are_never_updated",
                                          "events_are_never_deleted",
                                          "log_begins_later_only",
                                          "events_are_never_emptied",
                                          "events_arrive",
                                          "events_by_subject",
                                          "events_by_type"};

constexpr const char* kSqliteParts =
    "SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'index')";
constexpr const char* kPostgresParts =
    "SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND NOT t.tgisinternal AND t.tgenabled <> 'D' "
    "UNION ALL SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()";

// Ask for the statements that made the constraints, indexes, functions and triggers of the current
// schema, without its name, so that they make the same in another one. (The server leaves out what
// is on the search path, but in the name of a function.)
constexpr const char* kHowMade[] = {
    "SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', r.relname, c.conname, "
    "pg_get_constraintdef(c.oid, true)) FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid "
    "WHERE r.relnamespace = CAST(current_schema() AS regnamespace) AND c.contype IN ('p', 'u') "
    "ORDER BY 1",
    "SELECT pg_get_indexdef(i.indexrelid, 0, true) FROM pg_index i "
    "JOIN pg_class r ON r.oid = i.indrelid "
    "WHERE r.relnamespace = CAST(current_schema() AS regnamespace) AND NOT EXISTS "
    "(SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid) ORDER BY 1",
    "SELECT format('CREATE FUNCTION %I%s', p.proname, substr(d.def, strpos(d.def, '('))) "
    "FROM pg_proc p, LATERAL (SELECT pg_get_functiondef(p.oid) AS def) d "
    "WHERE p.pronamespace = CAST(current_schema() AS regnamespace) AND p.prokind = 'f' ORDER BY 1",
    "SELECT pg_get_triggerdef(t.oid, true) FROM pg_trigger t JOIN pg_class r ON r.oid = t.tgrelid "
    "WHERE r.relnamespace = CAST(current_schema() AS regnamespace) AND NOT t.tgisinternal "
    "ORDER BY 1"};

// A schema that may not be used looks as empty as one that is not there.
Status may_use_schema(const db::Database& database) {
  const auto denied = TRY(
      database.first(db::text_of,
                     "SELECT nspname FROM pg_namespace WHERE quote_ident(nspname) = "
                     "current_setting('search_path') AND NOT has_schema_privilege(oid, 'USAGE')"));
  if (!denied) return {};
  return fail(Code::kFault, fmt::format("permission denied for schema '{}'", *denied),
              "check the account, its rights, and git config txn.store");
}

}  // namespace

Result<Version> version_of(const db::Database& database) {
  if (!on_postgres(database)) {
    return Version{TRY(database.pragma_integer("application_id")),
                   TRY(database.pragma_integer("user_version"))};
  }
  if (!TRY(database.has_row("SELECT 1 WHERE to_regclass('layout') IS NOT NULL"))) {
    TRY(may_use_schema(database));
    return Version{};
  }
  const auto version = [](const db::Statement& row) {
    return Version{row.integer(0), row.integer(1)};
  };
  return TRY(database.first(version, "SELECT application, version FROM layout"))
      .value_or(Version{});
}

Status set_version(db::Database& database, int version) {
  if (!on_postgres(database)) {
    return database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                        kApplicationId, version));
  }
  // A server has no place for it outside of tables.
  return database.execute(
      fmt::format("CREATE TABLE IF NOT EXISTS layout (one BIGINT PRIMARY KEY CHECK (one = 1), "
                  "application BIGINT NOT NULL, version BIGINT NOT NULL); "
                  "INSERT INTO layout (one, application, version) VALUES (1, {}, {}) "
                  "ON CONFLICT (one) DO UPDATE SET version = excluded.version",
                  kApplicationId, version));
}

Result<std::vector<std::string>> tables_of(const db::Database& database) {
  return database.all(
      db::text_of,
      on_postgres(database)
          ? "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND "
            "tablename <> 'layout' ORDER BY tablename"
          : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
            "ORDER BY name");
}

Result<std::vector<std::string>> missing_log_parts(const db::Database& database) {
  const bool server = on_postgres(database);
  const std::vector<std::string> there =
      TRY(database.all(db::text_of, server ? kPostgresParts : kSqliteParts));
  std::vector<std::string> missing;
  for (const std::string_view part : kLogParts) {
    const bool of_servers = part == "events_are_never_emptied" || part == "events_arrive";
    const bool has = std::ranges::find(there, part) != there.end();
    if (!has && (server || !of_servers)) missing.emplace_back(part);
  }
  return missing;
}

Status guard_log(db::Database& database) {
  return database.execute(on_postgres(database) ? kPostgresGuards : kSqliteGuards);
}

Status keep_copy(db::Database& database, const std::string& name, std::int64_t version) {
  if (!on_postgres(database)) {
    return database.backup_to(fmt::format("{}.v{}.bak", name, version));
  }
  const std::string copy = fmt::format("\"{}_v{}_bak\"", name, version);
  std::vector<std::string> tables = TRY(tables_of(database));
  tables.emplace_back("layout");
  // One that is there is of a migration that was undone by hand; the newest counts.
  std::string sql = fmt::format("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0};", copy);
  for (const std::string& table : tables) {
    sql += fmt::format(
        "CREATE TABLE {0}.{1} (LIKE {1} INCLUDING ALL EXCLUDING INDEXES); "
        "INSERT INTO {0}.{1} SELECT * FROM {1};",
        copy, table);
  }
  // What is made LIKE another has no triggers, and its indexes have other names.
  std::string parts;
  for (const char* const asked : kHowMade) {
    for (const std::string& part : TRY(database.all(db::text_of, asked))) parts += part + ";\n";
  }
  TRY(database.execute(sql));
  return database.execute(fmt::format(
      "SET LOCAL search_path TO {}; {} SET LOCAL search_path TO \"{}\"", copy, parts, name));
}

std::string arrivals_channel(std::string_view schema) {
  return fmt::format("git_txn.{}", schema);
}

Result<ServerMoment> server_moment(const db::Database& database) {
  const auto moment_of = [](const db::Statement& row) {
    return ServerMoment{row.integer(0), {row.integer(1), row.integer(2)}};
  };
  const auto moment = TRY(
      database.first(moment_of,
                     "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT), "
                     "coalesce(max(application), 0), coalesce(max(version), 0) FROM layout"));
  if (!moment) return fail(Code::kFault, "the server has no clock");
  return *moment;
}

}  // namespace gittxn::store
