#include "db/database.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "base/failpoint.h"
#include "base/fs.h"
#include "db/postgres.h"

namespace gittxn::db {

// Preparing costs more than most statements: what was prepared is kept, by its text.
struct ConnectionState {
  std::unique_ptr<Driver> driver;
  std::map<std::string, std::vector<std::unique_ptr<Cursor>>, std::less<>> idle;

  ~ConnectionState() { idle.clear(); }  // before the connection they are of
};

namespace {

FAILPOINT(fp_statement, "db.statement");

constexpr std::size_t kIdlePerText = 4;

std::unique_ptr<ConnectionState> on(std::unique_ptr<Driver> driver) {
  auto state = std::make_unique<ConnectionState>();
  state->driver = std::move(driver);
  return state;
}

}  // namespace

// Statement

Statement::Statement(ConnectionState* connection, std::string sql, std::unique_ptr<Cursor> cursor)
    : connection_(connection), sql_(std::move(sql)), cursor_(std::move(cursor)) {}
Statement::Statement(Statement&& other) noexcept = default;

Statement& Statement::operator=(Statement&& other) noexcept {
  if (this != &other) {
    give_back();
    connection_ = other.connection_;
    sql_ = std::move(other.sql_);
    cursor_ = std::move(other.cursor_);
    begun_ = other.begun_;
  }
  return *this;
}

Statement::~Statement() {
  give_back();
}

void Statement::give_back() {
  if (!cursor_) return;
  cursor_->clear();
  auto& idle = connection_->idle[sql_];
  if (idle.size() < kIdlePerText && cursor_->usable()) {
    idle.push_back(std::move(cursor_));
  } else {
    cursor_.reset();
  }
}

Result<bool> Statement::step() {
  if (!begun_ && !sql_.starts_with("SELECT")) TRY(fp_statement.hit());
  begun_ = true;
  return cursor_->step();
}

Status Statement::run() {
  while (TRY(step())) {
  }
  return {};
}

void Statement::reset() {
  begun_ = false;
  cursor_->reset();
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
  const SqliteFile file = create ? SqliteFile::kCreate : SqliteFile::kExisting;
  Database database(on(TRY(open_sqlite(path, file, options))));
  if (options.mode == OpenMode::kAlone) {
    TRY(database.on_close(CloseWith::kNothing));
    TRY(database.execute("PRAGMA locking_mode = EXCLUSIVE"));
  }
  return database;
}

Result<Database> Database::open_memory() {
  return Database(on(TRY(open_sqlite(":memory:", SqliteFile::kCreate, {}))));
}

Result<Database> Database::open_immutable(const std::string& path) {
  const bool there = TRY(exists(path));
  if (!there) return fail(Code::kNotFound, fmt::format("'{}' does not exist", path));
  return Database(on(TRY(open_sqlite(path, SqliteFile::kImmutable, {}))));
}

Result<Database> Database::connect(const std::string& url, const std::string& schema,
                                   const ConnectOptions& options) {
  return Database(on(TRY(PostgresDriver::connect(url, schema, options))));
}

Dialect Database::dialect() const {
  return state_->driver->dialect();
}

std::uint64_t Database::session() const {
  return state_->driver->session();
}

Status Database::execute(const std::string& sql) {
  TRY(fp_statement.hit());
  return state_->driver->execute(sql);
}

Status Database::listen(const std::string& channel) {
  return state_->driver->listen(channel);
}

Status Database::wait_for_note(std::int64_t ms) {
  return state_->driver->wait_for_note(ms);
}

Status Database::create(std::string_view ddl) {
  const bool postgres = dialect() == Dialect::kPostgres;
  return execute(postgres ? postgres_ddl(ddl) : std::string(ddl));
}

Result<Statement> Database::prepared(std::string_view sql) const {
  const auto found = state_->idle.find(sql);
  while (found != state_->idle.end() && !found->second.empty()) {
    std::unique_ptr<Cursor> cursor = std::move(found->second.back());
    found->second.pop_back();
    if (cursor->usable()) return Statement(state_.get(), std::string(sql), std::move(cursor));
  }
  return Statement(state_.get(), std::string(sql), TRY(state_->driver->prepare(sql)));
}

// At its one row. One that only asks changes nothing, and is no point to die at.
Result<Statement> Database::pragma(std::string_view name) const {
  if (dialect() != Dialect::kSqlite) return Driver::no_file();
  Statement query = TRY(statement(fmt::format("PRAGMA {}", name)));
  query.begun_ = name.find('=') == name.npos;
  if (TRY(query.step())) return query;
  return fail(Code::kFault, fmt::format("PRAGMA {} has no value", name));
}

Result<std::int64_t> Database::pragma_integer(std::string_view name) const {
  return TRY(pragma(name)).integer(0);
}

Result<std::string> Database::pragma_text(std::string_view name) const {
  return TRY(pragma(name)).text(0);
}

Status Database::on_close(CloseWith what) {
  return state_->driver->on_close(what);
}

Status Database::backup_to(const std::string& path) const {
  return state_->driver->backup_to(path);
}

// Transaction

Result<Transaction> Transaction::begin(Database& database, Kind kind) {
  TRY(fp_statement.hit());
  TRY(database.state_->driver->begin(kind));
  return Transaction(&database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) database_->state_->driver->roll_back();
}

Status Transaction::commit() {
  TRY(fp_statement.hit());
  TRY(database_->state_->driver->commit());
  database_ = nullptr;
  return {};
}

}  // namespace gittxn::db
