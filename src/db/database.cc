#include "db/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <map>
#include <vector>

#include "base/clock.h"
#include "base/fs.h"

namespace gittxn::db {

struct ConnectionState {
  sqlite3* handle = nullptr;
  std::string path;
  std::int64_t busy_ms = 0;
  std::int64_t busy_since_ns = 0;
  std::map<std::string, std::vector<sqlite3_stmt*>, std::less<>> idle;  // prepared, by their text

  ~ConnectionState() {
    for (auto& [sql, statements] : idle) {
      for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
    }
    sqlite3_close(handle);
  }
};

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::size_t kIdlePerText = 4;

// Short steady pauses. SQLite's own handler backs off to 100 ms, and whoever slept longest loses
// again and again to those who just came.
int on_busy(void* context, int calls) {
  auto* state = static_cast<ConnectionState*>(context);
  SystemClock clock;
  const std::int64_t now_ns = clock.monotonic_ns();
  if (calls == 0) state->busy_since_ns = now_ns;
  if (now_ns - state->busy_since_ns >= state->busy_ms * kNsPerMs) return 0;
  clock.sleep_ms(1);
  return 1;
}

enum class During { kCommit, kOther };

std::unexpected<Error> failure(const ConnectionState& state, int rc, During during) {
  const std::string message =
      fmt::format("'{}': {}", state.path,
                  state.handle == nullptr ? sqlite3_errstr(rc) : sqlite3_errmsg(state.handle));
  switch (rc & 0xff) {
    case SQLITE_FULL:
      return fail(Code::kFault, message, "free some disk space and try again");
    case SQLITE_IOERR:
      if (during == During::kCommit) {
        return fail(Code::kOutcomeUnknown, message,
                    "check the disk, then run 'git txn recover' to see what happened");
      }
      return fail(Code::kFault, message, "check the disk and try again");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fail(Code::kCorrupt, message,
                  "nothing was changed; keep a copy of the file and restore it from a backup");
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
      return fail(Code::kFault, message);
  }
}

Result<std::unique_ptr<ConnectionState>> connect(const std::string& name, const std::string& path,
                                                 int flags, const OpenOptions& options) {
  auto state = std::make_unique<ConnectionState>();
  state->path = path;
  state->busy_ms = options.busy_ms;
  const int rc = sqlite3_open_v2(name.c_str(), &state->handle,
                                 flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, options.vfs);
  if (rc != SQLITE_OK) return failure(*state, rc, During::kOther);
  sqlite3_busy_handler(state->handle, on_busy, state.get());
  // What is stored may have been edited by anybody: SQL in it must not run, and pages are checked.
  sqlite3_db_config(state->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(state->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return state;
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

}  // namespace

// Statement

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      handle_(std::exchange(other.handle_, nullptr)),
      bind_error_(other.bind_error_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  if (this != &other) {
    give_back();
    connection_ = other.connection_;
    handle_ = std::exchange(other.handle_, nullptr);
    bind_error_ = other.bind_error_;
  }
  return *this;
}

Statement::~Statement() {
  give_back();
}

void Statement::give_back() {
  if (handle_ == nullptr) return;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  auto& idle = connection_->idle[sqlite3_sql(handle_)];
  if (idle.size() < kIdlePerText) {
    idle.push_back(handle_);
  } else {
    sqlite3_finalize(handle_);
  }
  handle_ = nullptr;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int rc = sqlite3_bind_int64(handle_, parameter, value);
  if (rc != SQLITE_OK) bind_error_ = rc;
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // An empty view may have no address, and SQLite takes that for NULL.
  const char* bytes = text.empty() ? "" : text.data();
  const int rc =
      sqlite3_bind_text64(handle_, parameter, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (rc != SQLITE_OK) bind_error_ = rc;
  return *this;
}

Result<bool> Statement::step() {
  if (bind_error_ != 0) return failure(*connection_, bind_error_, During::kOther);
  const int rc = sqlite3_step(handle_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return failure(*connection_, rc, During::kOther);
}

Status Statement::run() {
  while (TRY(step())) {
  }
  return {};
}

void Statement::reset() {
  sqlite3_reset(handle_);
  bind_error_ = 0;
}

int Statement::columns() const {
  return sqlite3_column_count(handle_);
}
std::string Statement::column_name(int column) const {
  return sqlite3_column_name(handle_, column);
}
bool Statement::is_integer(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_INTEGER;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}
std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(handle_, column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

// Database

Database::Database(std::unique_ptr<ConnectionState> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::string& path, const OpenOptions& options) {
  const bool create = options.mode == OpenMode::kCreate;
  const bool there = TRY(exists(path));
  if (!create && !there) return fail(Code::kNotFound, fmt::format("'{}' does not exist", path));
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  return Database(TRY(connect(path, path, flags, options)));
}

Result<Database> Database::open_memory() {
  return Database(
      TRY(connect(":memory:", "memory", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, {})));
}

Result<Database> Database::open_immutable(const std::string& path) {
  const bool there = TRY(exists(path));
  if (!there) return fail(Code::kNotFound, fmt::format("'{}' does not exist", path));
  return Database(TRY(connect(as_uri(path), path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, {})));
}

Status Database::execute(const std::string& sql) {
  const int rc = sqlite3_exec(state_->handle, sql.c_str(), nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return failure(*state_, rc, During::kOther);
  return {};
}

Result<Statement> Database::statement(std::string_view sql) const {
  const auto found = state_->idle.find(sql);
  if (found != state_->idle.end() && !found->second.empty()) {
    sqlite3_stmt* handle = found->second.back();
    found->second.pop_back();
    return Statement(state_.get(), handle);
  }
  sqlite3_stmt* handle = nullptr;
  const int rc = sqlite3_prepare_v3(state_->handle, sql.data(), static_cast<int>(sql.size()),
                                    SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (rc != SQLITE_OK) return failure(*state_, rc, During::kOther);
  if (handle == nullptr) return fail(Code::kFault, "an empty SQL statement");
  return Statement(state_.get(), handle);
}

Result<std::int64_t> Database::pragma_integer(std::string_view name) const {
  Statement query = TRY(statement(fmt::format("PRAGMA {}", name)));
  const bool row = TRY(query.step());
  if (!row) return fail(Code::kFault, fmt::format("PRAGMA {} has no value", name));
  return query.integer(0);
}

Result<std::string> Database::pragma_text(std::string_view name) const {
  Statement query = TRY(statement(fmt::format("PRAGMA {}", name)));
  const bool row = TRY(query.step());
  if (!row) return fail(Code::kFault, fmt::format("PRAGMA {} has no value", name));
  return query.text(0);
}

Status Database::on_close(CloseWith what) {
  const int keep = what == CloseWith::kNothing ? 1 : 0;
  const int rc = sqlite3_db_config(state_->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, nullptr);
  if (rc != SQLITE_OK) return failure(*state_, rc, During::kOther);
  return {};
}

Status Database::backup_to(const std::string& path) const {
  const std::string draft = path + ".tmp";
  TRY(remove_file(draft));
  {
    const std::unique_ptr<ConnectionState> to =
        TRY(connect(draft, draft, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, {}));
    sqlite3_backup* backup = sqlite3_backup_init(to->handle, "main", state_->handle, "main");
    if (backup == nullptr) {
      return failure(*to, sqlite3_extended_errcode(to->handle), During::kOther);
    }
    const int rc = sqlite3_backup_step(backup, -1);
    const int finished = sqlite3_backup_finish(backup);
    if (rc != SQLITE_DONE) return failure(*to, rc, During::kOther);
    if (finished != SQLITE_OK) return failure(*to, finished, During::kOther);
  }
  if (::chmod(draft.c_str(), 0600) != 0) return fail_errno(errno, "chmod '" + draft + "'");
  TRY(fsync_path(draft));
  TRY(rename_over(draft, path));
  return fsync_parent(path);
}

// Transaction

Result<Transaction> Transaction::begin(Database& database, Kind kind) {
  Statement begin =
      TRY(database.statement(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED"));
  TRY(begin.run());
  return Transaction(&database);
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  sqlite3* handle = database_->state_->handle;
  // Some errors roll back by themselves; then there is nothing left to do.
  if (sqlite3_get_autocommit(handle) == 0) {
    sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Status Transaction::commit() {
  ConnectionState& state = *database_->state_;
  const int rc = sqlite3_exec(state.handle, "COMMIT", nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return failure(state, rc, During::kCommit);
  database_ = nullptr;
  return {};
}

}  // namespace gittxn::db
