// SQLite as a driver. Internal to db/.
#pragma once

#include <memory>
#include <string>

#include "db/driver.h"

namespace gittxn::db {

struct SqliteHandle;

class SqliteDriver final : public Driver {
 public:
  enum class Kind { kExisting, kCreate, kImmutable };
  static Result<std::unique_ptr<SqliteDriver>> open(const std::string& path, Kind kind,
                                                    const OpenOptions& options);
  explicit SqliteDriver(std::unique_ptr<SqliteHandle> connection);
  ~SqliteDriver() override;

  Dialect dialect() const override { return Dialect::kSqlite; }
  Status execute(const std::string& sql) override;
  Result<std::unique_ptr<Cursor>> prepare(std::string_view sql) override;
  Status begin(Transaction::Kind kind) override;
  Status commit() override;
  void roll_back() override;

  Status on_close(Database::CloseWith what);
  Status backup_to(const std::string& path) const;

 private:
  std::unique_ptr<SqliteHandle> connection_;
};

}  // namespace gittxn::db
