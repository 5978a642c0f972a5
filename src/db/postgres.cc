#include "db/postgres.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/bug.h"
#include "base/clock.h"
#include "base/hash.h"
#include "db/libpq.h"

namespace gittxn::db {
namespace {

// On top of the server's own limits, so that it is the server that says what took too long.
constexpr std::int64_t kGraceMs = 5'000;
// A client that is stopped inside of a transaction keeps the other writers waiting no longer.
constexpr int kIdleInTransactionMs = 60'000;
// The first signal that comes while the server is waited for is for whoever asks, who ends cleanly
// once it has answered; at this one somebody has had enough of waiting.
constexpr int kSignalsEndAWait = 2;
// What ran before the question, and may stand, is not known here.
constexpr std::string_view kCheckServer =
    "check that the server runs, and git config txn.store; then: git txn status says what is open";
constexpr ::Oid kInt8 = 20;
constexpr ::Oid kInt4 = 23;

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { pq().PQconninfoFree(options); }
};

void ignore_notice(void*, const PGresult*) {}

// "host:port/database", of what libpq has connected to.
std::string place_of(const PGconn* connection) {
  const auto said = [](const char* text) { return std::string(text == nullptr ? "" : text); };
  return fmt::format("postgresql://{}:{}/{}", said(pq().PQhost(connection)),
                     said(pq().PQport(connection)), said(pq().PQdb(connection)));
}

std::string first_line(std::string_view text) {
  while (text.starts_with("connection to server")) {
    const std::size_t colon = text.find(" failed: ");
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 9);
  }
  std::string line(text.substr(0, text.find('\n')));
  while (line.ends_with(' ') || line.ends_with('.')) line.pop_back();
  return line;
}

class PostgresCursor final : public Cursor {
 public:
  PostgresCursor(PostgresDriver& driver, std::string name)
      : driver_(driver), name_(std::move(name)), session_(driver.session()) {}
  PostgresCursor(const PostgresCursor&) = delete;
  PostgresCursor& operator=(const PostgresCursor&) = delete;
  ~PostgresCursor() override {
    if (usable()) driver_.forget(name_);
  }

  void bind(int parameter, std::int64_t value) override {
    put(parameter, {std::to_string(value), 0});
  }
  void bind(int parameter, std::string_view text) override {
    // The server's texts end at a NUL byte, and libpq would cut ours there.
    if (text.find('\0') != std::string_view::npos) bad_text_ = true;
    put(parameter, {std::string(text), 0});
  }
  void bind_bytes(int parameter, std::string_view bytes) override {
    put(parameter, {std::string(bytes), 1});
  }

  Result<bool> step() override {
    if (result_ == nullptr) TRY(run());
    ++row_;
    return row_ < pq().PQntuples(result_.get());
  }
  void reset() override {
    result_.reset();
    row_ = -1;
  }
  void clear() override {
    reset();
    parameters_.clear();
    bad_text_ = false;
  }
  bool usable() const override { return session_ == driver_.session() && driver_.alive(); }

  int columns() const override { return pq().PQnfields(result_.get()); }
  std::string column_name(int column) const override { return pq().PQfname(result_.get(), column); }
  bool is_integer(int column) const override {
    const ::Oid type = pq().PQftype(result_.get(), column);
    return (type == kInt8 || type == kInt4) && pq().PQgetisnull(result_.get(), row_, column) == 0;
  }
  std::int64_t integer(int column) const override {
    return std::strtoll(pq().PQgetvalue(result_.get(), row_, column), nullptr, 10);
  }
  std::string text(int column) const override {
    return {pq().PQgetvalue(result_.get(), row_, column),
            static_cast<std::size_t>(pq().PQgetlength(result_.get(), row_, column))};
  }
  std::string bytes(int column) const override {
    std::size_t size = 0;
    unsigned char* raw = pq().PQunescapeBytea(
        reinterpret_cast<const unsigned char*>(pq().PQgetvalue(result_.get(), row_, column)),
        &size);
    if (raw == nullptr) return {};
    std::string out(reinterpret_cast<const char*>(raw), size);
    pq().PQfreemem(raw);
    return out;
  }

 private:
  struct Parameter {
    std::string value;
    int format = 0;  // 1: binary
  };
  void put(int parameter, Parameter value) {
    if (parameters_.size() < static_cast<std::size_t>(parameter)) {
      parameters_.resize(static_cast<std::size_t>(parameter));
    }
    parameters_[static_cast<std::size_t>(parameter) - 1] = std::move(value);
  }

  Status run() {
    if (bad_text_) return fail(Code::kFault, "a text with a NUL byte cannot be stored");
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
    for (const Parameter& parameter : parameters_) {
      values.push_back(parameter.value.c_str());
      lengths.push_back(static_cast<int>(parameter.value.size()));
      formats.push_back(parameter.format);
    }
    const int sent = pq().PQsendQueryPrepared(driver_.connection(), name_.c_str(),
                                              static_cast<int>(values.size()), values.data(),
                                              lengths.data(), formats.data(), 0);
    result_ = TRY(driver_.answer(sent, PostgresDriver::During::kOther));
    row_ = -1;
    return {};
  }

  PostgresDriver& driver_;
  std::string name_;
  std::uint64_t session_;
  std::vector<Parameter> parameters_;
  bool bad_text_ = false;
  PostgresDriver::Answer result_;
  int row_ = -1;
};

}  // namespace

void PostgresDriver::Free::operator()(pg_result* result) const {
  pq().PQclear(result);
}
void PostgresDriver::Close::operator()(pg_conn* connection) const {
  pq().PQfinish(connection);
}

PostgresDriver::PostgresDriver(std::string url, std::string schema, const ConnectOptions& options)
    : url_(std::move(url)), schema_(std::move(schema)), options_(options) {}
PostgresDriver::~PostgresDriver() = default;

namespace {

using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

// Whoever has an address comes here first, so that what follows finds libpq loaded.
Result<Options> parse(const std::string& url) {
  TRY(load_libpq());
  char* why = nullptr;
  Options parsed(pq().PQconninfoParse(url.c_str(), &why));
  pq().PQfreemem(why);  // it may repeat the password
  if (parsed != nullptr) return parsed;
  return fail(Code::kUsage, "the address of the store cannot be read",
              "it looks like postgresql://USER@HOST:PORT/DATABASE; a password belongs into "
              "~/.pgpass");
}

}  // namespace

Result<bool> names_a_password(const std::string& url) {
  const Options options = TRY(parse(url));
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    const std::string_view name = option->keyword;
    const bool secret = name == "password" || name == "sslpassword";
    if (secret && option->val != nullptr && *option->val != '\0') return true;
  }
  return false;
}

Result<std::unique_ptr<PostgresDriver>> PostgresDriver::connect(const std::string& url,
                                                                const std::string& schema,
                                                                const ConnectOptions& options) {
  TRY(parse(url));
  std::unique_ptr<PostgresDriver> driver(new PostgresDriver(url, schema, options));
  TRY(driver->open());
  return driver;
}

std::unexpected<Error> lost_connection(std::string message) {
  return fail(Code::kFault, std::move(message), std::string(kCheckServer));
}

bool is_lost_connection(const Error& error) {
  return error.code == Code::kFault && error.hint == kCheckServer;
}

// Not an address that is wrong, or an account that may not: those stay so.
bool may_come_back(const Error& error) {
  constexpr std::array<std::string_view, 9> kWords = {
      "Connection refused",       "starting up",           "shutting down", "recovery",
      "accepting connections",    "closed the connection", "timeout",       "terminating",
      "No such file or directory"};
  const auto says = [&](std::string_view word) {
    return error.message.find(word) != std::string::npos;
  };
  return is_lost_connection(error) && std::ranges::any_of(kWords, says);
}

Status PostgresDriver::open() {
  constexpr std::int64_t kAgainMs = 200;
  const auto& patience = options_.patience;
  Status opened = open_once();
  if (opened || patience.wait_ms == 0 || !may_come_back(opened.error())) return opened;
  if (patience.on_wait) patience.on_wait(opened.error().message);
  const SystemClock clock;
  const std::int64_t end_ns = clock.monotonic_ns() + patience.wait_ms * kNsPerMs;
  while (!opened && may_come_back(opened.error())) {
    if (patience.interrupted && patience.interrupted()) break;
    if (patience.wait_ms > 0 && clock.monotonic_ns() >= end_ns) break;
    SystemClock().sleep_ms(kAgainMs);
    opened = open_once();
  }
  if (patience.on_wait) patience.on_wait("");
  return opened;
}

Status PostgresDriver::open_once() {
  ++session_;
  in_transaction_ = false;
  broken_ = false;
  const std::string seconds = std::to_string(std::max<std::int64_t>(2, options_.connect_ms / 1000));
  const std::array<const char*, 9> names{
      "dbname",           "connect_timeout",  "fallback_application_name",
      "client_encoding",  "keepalives_idle",  "keepalives_interval",
      "keepalives_count", "tcp_user_timeout", nullptr};
  const std::array<const char*, 9> values{
      url_.c_str(), seconds.c_str(), "git-txn", "UTF8", "10", "5", "3", "30000", nullptr};
  connection_.reset(pq().PQconnectdbParams(names.data(), values.data(), 1));
  if (connection_ == nullptr) return fail(Code::kFault, "no memory for a connection");
  pq().PQsetNoticeReceiver(connection_.get(), ignore_notice, nullptr);
  place_ = place_of(connection_.get());
  if (pq().PQstatus(connection_.get()) != CONNECTION_OK) {
    return lost("cannot be reached", During::kOther);
  }
  if (pq().PQsetnonblocking(connection_.get(), 1) != 0)
    return lost("cannot be used", During::kOther);
  // A commit that was acknowledged is on the server's disk, whatever its configuration says.
  TRY(ask(fmt::format("SET search_path TO {}; SET statement_timeout = {}; "
                      "SET idle_in_transaction_session_timeout = {}; "
                      "SET standard_conforming_strings = on; SET tcp_keepalives_idle = 10; "
                      "SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; "
                      "SELECT set_config('synchronous_commit', 'on', false) "
                      "WHERE current_setting('synchronous_commit') IN ('off', 'local')",
                      as_identifier(schema_), options_.statement_ms, kIdleInTransactionMs),
          During::kOther));
  return {};
}

bool PostgresDriver::connected() const {
  return !broken_ && pq().PQstatus(connection_.get()) == CONNECTION_OK;
}

// While nothing is asked the server says nothing, but that it ends the connection.
bool PostgresDriver::alive() {
  if (in_transaction_ || !channel_.empty()) return connected();
  while (connected()) {
    pollfd socket{.fd = pq().PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
    if (::poll(&socket, 1, 0) <= 0) break;
    if (pq().PQconsumeInput(connection_.get()) == 0) broken_ = true;
    static_cast<void>(pq().PQisBusy(connection_.get()));  // takes in what came
  }
  return connected();
}

Status PostgresDriver::ready() {
  if (alive()) return {};
  if (in_transaction_) return lost("is gone in the middle of a transaction", During::kOther);
  return open();
}

std::unexpected<Error> PostgresDriver::lost(std::string_view what, During during) const {
  const std::string why = first_line(pq().PQerrorMessage(connection_.get()));
  const std::string message =
      fmt::format("the store at {} {}{}{}", place_, what, why.empty() ? "" : ": ", why);
  if (during == During::kCommit) {
    return fail(Code::kOutcomeUnknown, message,
                "when the server is back, 'git txn recover' sees what happened");
  }
  return fail(Code::kFault, message, std::string(kCheckServer));
}

std::unexpected<Error> PostgresDriver::failure(const pg_result* result, During during) const {
  if (pq().PQstatus(connection_.get()) != CONNECTION_OK) return lost("broke off", during);
  const char* field = pq().PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view state = field == nullptr ? "" : field;
  const char* primary = pq().PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string message =
      fmt::format("{}: {}", place_, primary == nullptr ? "no answer" : primary);
  if (state.starts_with("23")) return fail(Code::kExists, message);
  if (state == "55P03" || state == "40001" || state == "40P01") {
    return fail(Code::kBusy, message, "another program is writing; try again");
  }
  if (state == "57014") {
    return fail(Code::kFault, message,
                "nobody else holds it: the server is slow, or somebody cancelled the statement "
                "there; try again, and look at the server if it stays so");
  }
  if (state == "53100") return fail(Code::kFault, message, "free some disk space on the server");
  if (state.starts_with("53"))
    return fail(Code::kFault, message, "the server is short of something");
  if (state == "XX001" || state == "XX002") {
    return fail(Code::kCorrupt, message, "restore the database from a backup: docs/BACKUPS.md");
  }
  if (state == "25006") {
    return fail(Code::kFault, message, "this server is a standby: use the address of the primary");
  }
  if (state.starts_with("28") || state == "42501" || state == "3D000") {
    return fail(Code::kFault, message, "check the account, its rights, and git config txn.store");
  }
  if (state == "3F000" || state == "42P01" || state == "42703") {
    return fail(Code::kFault, message,
                "what is there is not the store's layout: check git config txn.storeSchema, or "
                "restore a backup: docs/BACKUPS.md");
  }
  return fail(Code::kFault, message);
}

// Waits until the server reads or writes.
Status PostgresDriver::wait(short events, Patience& patience, During during) {
  while (patience.signals < kSignalsEndAWait) {
    const std::int64_t left_ms = (patience.until_ns - SystemClock().monotonic_ns()) / kNsPerMs;
    if (left_ms <= 0) break;
    pollfd socket{.fd = pq().PQsocket(connection_.get()), .events = events, .revents = 0};
    const int ready = ::poll(&socket, 1, static_cast<int>(left_ms));
    if (ready > 0) return {};
    if (ready == 0 || errno != EINTR) break;
    ++patience.signals;
  }
  broken_ = true;
  const bool told = patience.signals >= kSignalsEndAWait && during != During::kCommit;
  if (!told) return lost("does not answer", during);
  return fail(Code::kInterrupted,
              fmt::format("interrupted: the store at {} does not answer", place_),
              std::string(kCheckServer));
}

// All that the server says to one question; the last result counts, the first failure is the error.
Result<PostgresDriver::Answer> PostgresDriver::answer(int sent, During during) {
  PGconn* connection = connection_.get();
  if (sent == 0 || broken_) return lost("takes no question", during);
  const std::int64_t limit_ms = std::max(options_.statement_ms, options_.busy_ms) + kGraceMs;
  Patience patience{.until_ns = SystemClock().monotonic_ns() + limit_ms * kNsPerMs};
  for (int left = pq().PQflush(connection); left != 0; left = pq().PQflush(connection)) {
    if (left < 0) return lost("broke off", during);
    TRY(wait(POLLIN | POLLOUT, patience, during));
    if (pq().PQconsumeInput(connection) == 0) return lost("broke off", during);
  }
  Answer last;
  std::optional<Error> error;
  while (true) {
    while (pq().PQisBusy(connection) != 0) {
      TRY(wait(POLLIN, patience, during));
      if (pq().PQconsumeInput(connection) == 0) return lost("broke off", during);
    }
    Answer next(pq().PQgetResult(connection));
    if (next == nullptr) break;
    const ExecStatusType status = pq().PQresultStatus(next.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && !error) {
      error = failure(next.get(), during).error();
    }
    last = std::move(next);
  }
  if (error) return std::unexpected(*std::move(error));
  if (last == nullptr) return lost("gave no result", during);
  return last;
}

Result<PostgresDriver::Answer> PostgresDriver::ask(const std::string& sql, During during) {
  return answer(pq().PQsendQuery(connection_.get(), sql.c_str()), during);
}

Status PostgresDriver::execute(const std::string& sql) {
  if (sql.empty()) return {};
  TRY(ready());
  TRY(ask(sql, During::kOther));
  return {};
}

Status PostgresDriver::listen(const std::string& channel) {
  channel_ = channel;
  return execute("LISTEN " + as_identifier(channel));
}

Status PostgresDriver::wait_for_note(std::int64_t ms) {
  if (!connected()) return listen(channel_);
  struct FreeNote {
    void operator()(PGnotify* note) const { pq().PQfreemem(note); }
  };
  using Note = std::unique_ptr<PGnotify, FreeNote>;
  PGconn* connection = connection_.get();
  const auto take_notes = [connection] {
    bool any = false;
    while (Note(pq().PQnotifies(connection)) != nullptr) any = true;
    return any;
  };
  if (take_notes()) return {};
  pollfd socket{.fd = pq().PQsocket(connection), .events = POLLIN, .revents = 0};
  if (::poll(&socket, 1, static_cast<int>(ms)) <= 0) return {};
  // What is wrong with the connection is told by whoever uses it next, and that connects again.
  if (pq().PQconsumeInput(connection) == 0) broken_ = true;
  take_notes();
  return {};
}

Result<std::unique_ptr<Cursor>> PostgresDriver::prepare(std::string_view sql) {
  TRY(ready());
  const std::string name = fmt::format("s{}", ++statements_);
  const int sent =
      pq().PQsendPrepare(connection_.get(), name.c_str(), numbered(sql).c_str(), 0, nullptr);
  TRY(answer(sent, During::kOther));
  return std::make_unique<PostgresCursor>(*this, name);
}

void PostgresDriver::forget(const std::string& statement) {
  // What fails here costs the server some memory until the connection ends.
  (void)ask(fmt::format("DEALLOCATE {}", statement), During::kOther);
}

Status PostgresDriver::begin(Transaction::Kind kind) {
  TRY(ready());
  if (kind == Transaction::Kind::kRead) {
    TRY(ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", During::kOther));
  } else {
    // The lock comes first and ends with the transaction, after its changes are seen: so each
    // writer sees all that the ones before it did, and no two run at once. Serialisable isolation
    // would fail whoever had to wait. The server queues them in their order.
    const std::string hex = sha256(schema_).str().substr(0, 15);
    std::int64_t key = std::strtoll(hex.c_str(), nullptr, 16);
    if (INJECTED_BUG("db.no_write_lock")) key ^= SystemClock().monotonic_ns();
    in_transaction_ = true;
    const auto begun =
        ask(fmt::format("BEGIN ISOLATION LEVEL READ COMMITTED; "
                        "SET LOCAL lock_timeout = {}; SET LOCAL statement_timeout = "
                        "{}; SELECT pg_advisory_xact_lock({})",
                        options_.busy_ms, options_.busy_ms + options_.statement_ms, key),
            During::kOther);
    if (!begun) {
      roll_back();
      return std::unexpected(begun.error());
    }
  }
  in_transaction_ = true;
  return {};
}

Status PostgresDriver::commit() {
  const auto committed = ask("COMMIT", During::kCommit);
  if (!committed) return std::unexpected(committed.error());
  in_transaction_ = false;
  // Of a transaction in which a statement had failed the server makes a rollback, and no error.
  if (std::string_view(pq().PQcmdStatus(committed->get())) != "COMMIT") {
    return fail(Code::kFault, fmt::format("{}: the transaction had failed before", place_));
  }
  return {};
}

void PostgresDriver::roll_back() {
  if (!in_transaction_) return;
  in_transaction_ = false;
  if (!connected()) return;
  // When this fails the connection is of no more use, and the server rolls back by itself.
  if (!ask("ROLLBACK", During::kOther)) broken_ = true;
}

}  // namespace gittxn::db
