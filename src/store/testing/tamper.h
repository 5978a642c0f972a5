// Editing a store as somebody with a SQLite shell would. For tests, of floors above too.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "db/database.h"
#include "store/server/dialect.h"

namespace gittxn::store::testing {

// The triggers keep honest mistakes out; they are no protection against this. Put back after it,
// they do not tell either.
inline Status tamper(db::Database& database, const std::string& sql) {
  const bool server = database.dialect() == db::Dialect::kPostgres;
  const auto drop = [&](std::string_view trigger, std::string_view table) {
    return database.execute(fmt::format("DROP TRIGGER IF EXISTS {}{}{}", trigger,
                                        server ? " ON " : "", server ? table : ""));
  };
  TRY(drop("events_are_never_updated", "events"));
  TRY(drop("events_are_never_deleted", "events"));
  TRY(drop("log_begins_later_only", "log"));
  TRY(database.execute(sql));
  return guard_log(database);
}

inline Status tamper(const std::string& database_path, const std::string& sql) {
  db::Database database = TRY(db::Database::open(database_path, {}));
  return tamper(database, sql);
}

inline Status backup(const std::string& database_path, const std::string& copy_path) {
  const db::Database database = TRY(db::Database::open(database_path, {}));
  return database.backup_to(copy_path);
}

}  // namespace gittxn::store::testing
