// SQLite and PostgreSQL, as RAII values: a connection, its statements, a transaction. Nothing here
// knows what is stored. Statements are written once, in what both understand; `?` is a parameter.
// Results are whole in memory on PostgreSQL, so whoever reads a long table asks for it in pages.
// The databases' error codes stop here. SQLite's:
//
//   FULL            kFault, hint: free space          the transaction did not happen
//   IOERR in COMMIT kOutcomeUnknown                   its last step is the sync; it may have
//   happened IOERR elsewhere kFault CORRUPT, NOTADB kCorrupt READONLY, PERM  kFault, hint: owner
//   and permissions CANTOPEN        kNotFound when the file is missing, else kFault BUSY, LOCKED
//   kBusy, only after the busy deadline CONSTRAINT      kExists
//
// POSIX record locks are per process and die with the first close of any descriptor of the file, so
// a database must never be opened and closed by other means than this while it is in use here; that
// is why open_immutable exists.
//
// PostgreSQL's:
//
//   class 23 (constraint)                 kExists
//   55P03 (limit of waiting for a lock)   kBusy
//   57014 (cancelled: time limit, person) kFault, hint: who is told "busy" waits for nobody
//   40001, 40P01 (serialisation)          kBusy: nothing happened
//   53100, 53200, 53400 (disk, memory)    kFault, hint
//   XX001, XX002 (corrupted)              kCorrupt
//   28xxx, 42501, 25006                   kFault, hint: account, rights, a standby
//   no connection                         kFault, hint; in COMMIT: kOutcomeUnknown
//   two signals during one question       kInterrupted; in COMMIT: kOutcomeUnknown
//
// One connection per thread. Never carry one across a fork.
//
// The failpoint db.statement is before each statement that may change something, BEGIN and COMMIT
// with them: =N dies between the N-1st and the Nth. (Who dies before a SELECT leaves what who dies
// before the next of these leaves.)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "db/patience.h"

namespace gittxn::db {

struct ConnectionState;

enum class Dialect { kSqlite, kPostgres };

// A prepared statement as its database has it. Parameters count from 1, columns from 0. What cannot
// be bound is reported by the next step().
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

// A prepared statement, borrowed from its connection's cache and given back when destroyed.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Parameters count from 1. A parameter that cannot be bound is reported by the next step().
  Statement& bind(int parameter, std::int64_t value) {
    cursor_->bind(parameter, value);
    return *this;
  }
  Statement& bind(int parameter, std::string_view text) {
    cursor_->bind(parameter, text);
    return *this;
  }
  template <typename Tag>
  Statement& bind(int parameter, const Name<Tag>& name) {
    return bind(parameter, std::string_view(name.str()));
  }
  Statement& bind_bytes(int parameter, std::string_view bytes) {
    cursor_->bind_bytes(parameter, bytes);
    return *this;
  }
  template <typename... Values>
  Statement& bind_all(const Values&... values) {
    int parameter = 0;
    (bind(++parameter, values), ...);
    return *this;
  }

  Result<bool> step();  // true: there is a row; false: done
  Status run();         // steps to the end, rows dropped
  void reset();         // to run again with new parameters

  // Columns count from 0, of the row that step() reached.
  int columns() const { return cursor_->columns(); }
  std::string column_name(int column) const { return cursor_->column_name(column); }
  // What the row has there; NULL is none.
  bool is_integer(int column) const { return cursor_->is_integer(column); }
  std::int64_t integer(int column) const { return cursor_->integer(column); }
  std::string text(int column) const { return cursor_->text(column); }
  std::string bytes(int column) const { return cursor_->bytes(column); }

 private:
  friend class Database;
  Statement(ConnectionState* connection, std::string sql, std::unique_ptr<Cursor> cursor);
  void give_back();
  ConnectionState* connection_ = nullptr;
  std::string sql_;
  std::unique_ptr<Cursor> cursor_;
  bool begun_ = false;  // since it was made or reset
};

// The first column of a row.
inline std::int64_t integer_of(const Statement& row) {
  return row.integer(0);
}
inline std::string text_of(const Statement& row) {
  return row.text(0);
}

// An error of a connection that broke off, or could not be made: nothing was committed.
bool is_lost_connection(const Error& error);
std::unexpected<Error> lost_connection(std::string message);
// No space was left for what had to be written, if only for looking.
bool is_disk_full(const Error& error);

struct ConnectOptions {
  std::int64_t connect_ms = 10'000;
  std::int64_t busy_ms = 30'000;       // how long a writer waits for the others
  std::int64_t statement_ms = 60'000;  // how long the server may take for one statement
  Patience patience = {};
};

// kAlone: for who looks where nothing can be made. No shared memory is needed, since nobody else
// has the file meanwhile (kBusy: somebody has), and nothing is written by opening or closing.
enum class OpenMode { kReadWrite, kCreate, kAlone };

struct OpenOptions {
  OpenMode mode = OpenMode::kReadWrite;
  std::int64_t busy_ms = 10'000;  // how long a statement waits for other processes' locks
  const char* vfs = nullptr;      // tests inject faults through one
};

class Database {
  template <typename T>
  struct ValueOf {
    using Type = T;
  };
  template <typename T>
  struct ValueOf<Result<T>> {
    using Type = T;
  };
  // What a function of a row gives.
  template <typename Of>
  using Made = typename ValueOf<std::invoke_result_t<const Of&, const Statement&>>::Type;

 public:
  static Result<Database> open(const std::string& path, const OpenOptions& options);
  static Result<Database> open_memory();
  // The main file as it is, without locks and without looking at or making a -wal or -shm file.
  // While another process moves its log into the file, what is read here may look damaged.
  static Result<Database> open_immutable(const std::string& path);
  // A PostgreSQL server, by a URL or a connection string as libpq reads it; every name is looked up
  // in `schema` alone. Nobody is asked for a password. Within a write transaction nobody else who
  // opened the same schema writes.
  static Result<Database> connect(const std::string& url, const std::string& schema,
                                  const ConnectOptions& options);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  Dialect dialect() const;
  // Another number after each time the server was lost and found again; what a session holds there
  // is lost then.
  std::uint64_t session() const;

  // Statements without parameters and results, separated by semicolons.
  Status execute(const std::string& sql);
  // Tables and indexes, written as SQLite's strict tables; PostgreSQL gets them in its own words:
  // 64 bits for an integer, and texts that compare by their bytes.
  Status create(std::string_view ddl);
  // With its parameters; cached by its text.
  template <typename... Values>
  Result<Statement> statement(std::string_view sql, const Values&... values) const {
    Statement made = TRY(prepared(sql));
    made.bind_all(values...);
    return made;
  }

  // One statement, in short. Whether there is a row is, of what ends with RETURNING, whether it
  // changed one; it is run to its end.
  template <typename... Values>
  Status run(std::string_view sql, const Values&... values) const {
    return TRY(statement(sql, values...)).run();
  }
  template <typename... Values>
  Result<bool> has_row(std::string_view sql, const Values&... values) const {
    Statement asked = TRY(statement(sql, values...));
    if (!TRY(asked.step())) return false;
    TRY(asked.run());
    return true;
  }
  // What `of` makes of the first row, if there is one, and of each row: a value, or a Result.
  template <typename Of, typename... Values>
  Result<std::optional<Made<Of>>> first(const Of& of, std::string_view sql,
                                        const Values&... values) const {
    Statement query = TRY(statement(sql, values...));
    if (!TRY(query.step())) return std::nullopt;
    return TRY(Result<Made<Of>>(of(query)));
  }
  template <typename Of, typename... Values>
  Result<std::vector<Made<Of>>> all(const Of& of, std::string_view sql,
                                    const Values&... values) const {
    std::vector<Made<Of>> made;
    Statement query = TRY(statement(sql, values...));
    while (TRY(query.step())) made.push_back(TRY(Result<Made<Of>>(of(query))));
    return made;
  }

  // A server's notes (NOTIFY), for connections that are used for nothing else; kUnsupported where
  // there is no server. Waiting ends with a note, after `ms`, when a signal handler ran, or when
  // the server was lost and found again: then notes may have been missed.
  Status listen(const std::string& channel);
  Status wait_for_note(std::int64_t ms);

  // SQLite's alone; kUnsupported elsewhere.
  Result<std::int64_t> pragma_integer(std::string_view name) const;
  Result<std::string> pragma_text(std::string_view name) const;

  enum class CloseWith { kCheckpoint, kLongLog, kNothing };
  // The last connection does this when it closes: move the log into the main file, do so where the
  // log is long, or touch nothing.
  Status on_close(CloseWith what);

  // A whole copy, of one consistent state, durable under that name or not there at all.
  Status backup_to(const std::string& path) const;

 private:
  friend class Transaction;
  explicit Database(std::unique_ptr<ConnectionState> state);
  Result<Statement> prepared(std::string_view sql) const;
  Result<Statement> pragma(std::string_view name) const;
  std::unique_ptr<ConnectionState> state_;
};

// Whether an address of a server has a password in it. kUsage: libpq cannot read it.
Result<bool> names_a_password(const std::string& url);

// Rolled back unless committed.
class Transaction {
 public:
  enum class Kind { kRead, kWrite };  // a write transaction has the write lock from the start
  static Result<Transaction> begin(Database& database, Kind kind);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  // An error leaves nothing of the transaction, except kOutcomeUnknown. On PostgreSQL a statement
  // that fails ends the transaction: nothing more works in it.
  Status commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace gittxn::db
