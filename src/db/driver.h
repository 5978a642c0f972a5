// The interface of a database under Database and Transaction; one implementation each for SQLite
// (sqlite.cc) and PostgreSQL (postgres.cc). Internal to db/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/database.h"

namespace gittxn::db {

class Driver {
 public:
  virtual ~Driver() = default;
  virtual Dialect dialect() const = 0;
  virtual std::uint64_t session() const { return 1; }
  virtual Status execute(const std::string& sql) = 0;
  virtual Result<std::unique_ptr<Cursor>> prepare(std::string_view sql) = 0;
  virtual Status begin(Transaction::Kind kind) = 0;
  virtual Status commit() = 0;
  virtual void roll_back() = 0;  // nothing when there is no transaction any more
  // A server's alone.
  virtual Status listen(const std::string&) { return no_notes(); }
  virtual Status wait_for_note(std::int64_t) { return no_notes(); }
  // SQLite's alone.
  virtual Status on_close(Database::CloseWith) { return no_file(); }
  virtual Status backup_to(const std::string&) { return no_file(); }
  static std::unexpected<Error> no_file() {
    return fail(Code::kUnsupported, "only a SQLite file can do this");
  }

 private:
  static std::unexpected<Error> no_notes() {
    return fail(Code::kUnsupported, "a store in a file sends no notes");
  }
};

enum class SqliteFile { kExisting, kCreate, kImmutable };
Result<std::unique_ptr<Driver>> open_sqlite(const std::string& path, SqliteFile file,
                                            const OpenOptions& options);

}  // namespace gittxn::db
