// The interface of a database under Database, Statement and Transaction; one implementation each
// for SQLite (sqlite.cc) and PostgreSQL (postgres.cc). Internal to db/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/database.h"

namespace gittxn::db {

// A prepared statement. Parameters count from 1, columns from 0. What cannot be bound is reported
// by the next step().
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual void bind(int parameter, std::int64_t value) = 0;
  virtual void bind(int parameter, std::string_view text) = 0;
  virtual void bind_bytes(int parameter, std::string_view bytes) = 0;
  virtual Result<bool> step() = 0;
  virtual void reset() = 0;  // parameters stay
  virtual void clear() = 0;  // to be given back: no parameters, nothing running
  virtual int columns() const = 0;
  virtual std::string column_name(int column) const = 0;
  virtual bool is_integer(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual std::string text(int column) const = 0;
  virtual std::string bytes(int column) const = 0;
  // False when the connection it was prepared on is gone.
  virtual bool usable() const { return true; }
};

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
  virtual Status listen(const std::string&) { return no_notes(); }
  virtual Status wait_for_note(std::int64_t) { return no_notes(); }

 private:
  static std::unexpected<Error> no_notes() {
    return fail(Code::kUnsupported, "a store in a file sends no notes");
  }
};

}  // namespace gittxn::db
