// A schema of its own on the PostgreSQL server that tests/postgres/with has started. For tests.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "db/database.h"

namespace gittxn::db::testing {

inline std::optional<std::string> postgres_url() {
  const char* url = std::getenv("GIT_TXN_TEST_POSTGRES");
  return url == nullptr ? std::nullopt : std::optional<std::string>(url);
}

// A test that needs the server asks this first; without one it is skipped, and ./dev always has
// one.
#define NEEDS_POSTGRES()                                           \
  if (!::gittxn::db::testing::postgres_url()) {                    \
    GTEST_SKIP() << "run it with tests/postgres/with PROGRAM ..."; \
  }

class PostgresSchema {
 public:
  PostgresSchema() : name_(next_name()) {
    Database database = Database::connect(*postgres_url(), name_, {}).value();
    database.execute(fmt::format("CREATE SCHEMA {}", name_)).value();
  }
  PostgresSchema(const PostgresSchema&) = delete;
  PostgresSchema& operator=(const PostgresSchema&) = delete;
  ~PostgresSchema() {
    if (auto database = Database::connect(*postgres_url(), name_, {})) {
      for (int version = 0; version < 10; ++version) {
        (void)database->execute(
            fmt::format("DROP SCHEMA IF EXISTS {}_v{}_bak CASCADE", name_, version));
      }
      (void)database->execute(fmt::format("DROP SCHEMA IF EXISTS {} CASCADE", name_));
    }
  }
  const std::string& name() const { return name_; }
  Result<Database> connect(const ConnectOptions& options = {}) const {
    return Database::connect(*postgres_url(), name_, options);
  }

 private:
  static std::string next_name() {
    static int count = 0;
    return fmt::format("t{}_{}", ::getpid(), ++count);
  }
  std::string name_;
};

}  // namespace gittxn::db::testing
