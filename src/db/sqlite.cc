// SQLite as a driver.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/bug.h"
#include "base/clock.h"
#include "base/fs.h"
#include "db/driver.h"

namespace gittxn::db {
namespace {

// Moving the log into the main file takes two syncs, making a new log two more. Whoever opens the
// file first reads the log that is there, so it is not left to grow: this much, a handful of runs,
// is read in some two milliseconds.
constexpr off_t kLongestLeftLog = 2 << 20;

struct SqliteHandle {
  sqlite3* handle = nullptr;
  std::string path;
  std::int64_t busy_ms = 0;
  std::int64_t busy_since_ns = 0;
  Database::CloseWith close_with = Database::CloseWith::kCheckpoint;

  ~SqliteHandle() {
    using enum Database::CloseWith;
    struct stat log{};
    const bool is_short =
        ::stat((path + "-wal").c_str(), &log) == 0 && log.st_size <= kLongestLeftLog;
    const bool leave = close_with == kNothing || (close_with == kLongLog && is_short);
    if (leave && handle != nullptr) {
      sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
    sqlite3_close(handle);
  }
};

// Short steady pauses. SQLite's own handler backs off to 100 ms, and whoever slept longest loses
// again and again to those who just came.
int on_busy(void* context, int calls) {
  auto* state = static_cast<SqliteHandle*>(context);
  SystemClock clock;
  const std::int64_t now_ns = clock.monotonic_ns();
  if (calls == 0) state->busy_since_ns = now_ns;
  if (now_ns - state->busy_since_ns >= state->busy_ms * kNsPerMs) return 0;
  clock.sleep_ms(1);
  return 1;
}

enum class During { kCommit, kOther };
constexpr std::string_view kFreeSpace = "free some disk space and try again";

std::unexpected<Error> failure(const SqliteHandle& state, int rc, During during) {
  const std::string message =
      fmt::format("'{}': {}", state.path,
                  state.handle == nullptr ? sqlite3_errstr(rc) : sqlite3_errmsg(state.handle));
  // Its shared memory is a file too; what cannot be enlarged there SQLite does not call full.
  const bool full = rc == SQLITE_IOERR_SHMSIZE && during != During::kCommit;
  switch (full ? SQLITE_FULL : rc & 0xff) {
    case SQLITE_FULL:
      return fail(Code::kFault, message, std::string(kFreeSpace));
    case SQLITE_IOERR:
      if (during == During::kCommit) {
        return fail(Code::kOutcomeUnknown, message,
                    "check the disk, then run 'git txn recover' to see what happened");
      }
      return fail(Code::kFault, message, "check the disk and try again");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fail(Code::kCorrupt, message,
                  "keep a copy of the file, and restore it from a backup: docs/BACKUPS.md");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return fail(Code::kFault, message,
                  "the store is not writable; check the owner, the permissions and the mount");
    case SQLITE_CANTOPEN:
      return fail(Code::kFault, message, "check the owner and permissions of that folder");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(Code::kBusy, message, "another program holds it; end that program or try again");
    case SQLITE_CONSTRAINT:
      return fail(Code::kExists, message);
    case SQLITE_INTERRUPT:
      return fail(Code::kInterrupted, message);
    default:
      if (message.find(": no such ") != std::string::npos) {  // table, column
        return fail(Code::kFault, message,
                    "what is there is not the store's layout: restore a backup: docs/BACKUPS.md");
      }
      return fail(Code::kFault, message);
  }
}

std::string as_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

class SqliteCursor final : public Cursor {
 public:
  SqliteCursor(const SqliteHandle& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  SqliteCursor(const SqliteCursor&) = delete;
  SqliteCursor& operator=(const SqliteCursor&) = delete;
  ~SqliteCursor() override { sqlite3_finalize(statement_); }

  void bind(int parameter, std::int64_t value) override {
    bound(sqlite3_bind_int64(statement_, parameter, value));
  }
  void bind(int parameter, std::string_view text) override {
    bound(sqlite3_bind_text64(statement_, parameter, address(text), text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
  }
  void bind_bytes(int parameter, std::string_view bytes) override {
    bound(
        sqlite3_bind_blob64(statement_, parameter, address(bytes), bytes.size(), SQLITE_TRANSIENT));
  }
  Result<bool> step() override {
    if (bind_error_ != 0) return failure(connection_, bind_error_, During::kOther);
    const int rc = sqlite3_step(statement_);
    if (rc == SQLITE_ROW) return true;
    if (rc == SQLITE_DONE) return false;
    return failure(connection_, rc, During::kOther);
  }
  void reset() override {
    sqlite3_reset(statement_);
    bind_error_ = 0;
  }
  void clear() override {
    reset();
    sqlite3_clear_bindings(statement_);
  }
  int columns() const override { return sqlite3_column_count(statement_); }
  std::string column_name(int column) const override {
    return sqlite3_column_name(statement_, column);
  }
  bool is_integer(int column) const override {
    return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
  }
  std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_, column);
  }
  std::string text(int column) const override {
    const auto* bytes = sqlite3_column_text(statement_, column);
    return bytes == nullptr ? std::string() : taken(bytes, column);
  }
  std::string bytes(int column) const override {
    const auto* bytes = sqlite3_column_blob(statement_, column);
    return bytes == nullptr ? std::string() : taken(bytes, column);
  }

 private:
  // An empty view may have no address, and SQLite takes that for NULL.
  static const char* address(std::string_view text) { return text.empty() ? "" : text.data(); }
  void bound(int rc) {
    if (rc != SQLITE_OK) bind_error_ = rc;
  }
  std::string taken(const void* bytes, int column) const {
    return {static_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

  const SqliteHandle& connection_;
  sqlite3_stmt* statement_;
  int bind_error_ = 0;
};

Result<std::unique_ptr<SqliteHandle>> connect_sqlite(const std::string& path, SqliteFile file,
                                                     const OpenOptions& options) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (file) {
    case SqliteFile::kExisting:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case SqliteFile::kCreate:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
    case SqliteFile::kImmutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
      break;
  }
  const std::string name = file == SqliteFile::kImmutable ? as_uri(path) : path;
  auto connection = std::make_unique<SqliteHandle>();
  connection->path = path;
  connection->busy_ms = options.busy_ms;
  const int rc = sqlite3_open_v2(name.c_str(), &connection->handle, flags, options.vfs);
  if (rc != SQLITE_OK) return failure(*connection, rc, During::kOther);
  sqlite3_busy_handler(connection->handle, on_busy, connection.get());
  // What is stored may have been edited by anybody: SQL in it must not run, and pages are checked.
  sqlite3_db_config(connection->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return connection;
}

class SqliteDriver final : public Driver {
 public:
  explicit SqliteDriver(std::unique_ptr<SqliteHandle> connection)
      : connection_(std::move(connection)) {}

  Dialect dialect() const override { return Dialect::kSqlite; }

  Status execute(const std::string& sql) override { return execute(sql, During::kOther); }

  Result<std::unique_ptr<Cursor>> prepare(std::string_view sql) override {
    sqlite3_stmt* statement = nullptr;
    const int rc = sqlite3_prepare_v3(connection_->handle, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (rc != SQLITE_OK) return failure(*connection_, rc, During::kOther);
    if (statement == nullptr) return fail(Code::kFault, "an empty SQL statement");
    return std::make_unique<SqliteCursor>(*connection_, statement);
  }

  Status begin(Transaction::Kind kind) override {
    const bool lock = kind == Transaction::Kind::kWrite && !INJECTED_BUG("db.no_write_lock");
    return execute(lock ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED");
  }

  Status commit() override { return execute("COMMIT", During::kCommit); }

  void roll_back() override {
    // Some errors roll back by themselves; then there is nothing left to do.
    if (sqlite3_get_autocommit(connection_->handle) == 0) {
      sqlite3_exec(connection_->handle, "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }

  Status on_close(Database::CloseWith what) override {
    connection_->close_with = what;
    return {};
  }

  Status backup_to(const std::string& path) override {
    const std::string draft = path + ".tmp";
    TRY(remove_file(draft));
    TRY(copy_to(draft));
    if (::chmod(draft.c_str(), 0600) != 0) return fail_errno(errno, "chmod '" + draft + "'");
    TRY(fsync_path(draft));
    TRY(rename_over(draft, path));
    return fsync_parent(path);
  }

 private:
  Status execute(const std::string& sql, During during) {
    const int rc = sqlite3_exec(connection_->handle, sql.c_str(), nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) return failure(*connection_, rc, during);
    return {};
  }

  Status copy_to(const std::string& path) {
    const auto copy = TRY(connect_sqlite(path, SqliteFile::kCreate, {}));
    sqlite3_backup* backup = sqlite3_backup_init(copy->handle, "main", connection_->handle, "main");
    if (backup == nullptr) {
      return failure(*copy, sqlite3_extended_errcode(copy->handle), During::kOther);
    }
    const int rc = sqlite3_backup_step(backup, -1);
    const int finished = sqlite3_backup_finish(backup);
    if (rc != SQLITE_DONE) return failure(*copy, rc, During::kOther);
    if (finished != SQLITE_OK) return failure(*copy, finished, During::kOther);
    return {};
  }

  std::unique_ptr<SqliteHandle> connection_;
};

}  // namespace

bool is_disk_full(const Error& error) {
  return error.code == Code::kFault && error.hint == kFreeSpace;
}

Result<std::unique_ptr<Driver>> open_sqlite(const std::string& path, SqliteFile file,
                                            const OpenOptions& options) {
  return std::make_unique<SqliteDriver>(TRY(connect_sqlite(path, file, options)));
}

}  // namespace gittxn::db
