// PostgreSQL as a driver, over libpq. Internal to db/.
//
// One connection. Every exchange with the server has a deadline of ours, because a server that is
// stopped answers nothing and no time limit of its own runs; the second signal ends the wait before
// that. A connection that was lost is made again where that loses nothing: at the beginning of a
// transaction, or of a statement outside of one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "db/driver.h"

struct pg_conn;
struct pg_result;

namespace gittxn::db {

class PostgresDriver final : public Driver {
 public:
  static Result<std::unique_ptr<PostgresDriver>> connect(const std::string& url,
                                                         const std::string& schema,
                                                         const ConnectOptions& options);
  ~PostgresDriver() override;

  Dialect dialect() const override { return Dialect::kPostgres; }
  Status execute(const std::string& sql) override;
  Result<std::unique_ptr<Cursor>> prepare(std::string_view sql) override;
  Status begin(Transaction::Kind kind) override;
  Status commit() override;
  void roll_back() override;
  Status listen(const std::string& channel) override;
  Status wait_for_note(std::int64_t ms) override;

  // For cursors. A result of the server's, or why there is none.
  struct Free {
    void operator()(pg_result* result) const;
  };
  using Answer = std::unique_ptr<pg_result, Free>;
  enum class During { kCommit, kOther };
  // `sent`: whether libpq took the question.
  Result<Answer> answer(int sent, During during);
  pg_conn* connection() const { return connection_.get(); }
  bool connected() const;
  bool alive();  // and the server has not said goodbye since
  std::uint64_t session() const override { return session_; }
  void forget(const std::string& statement);  // when its cursor is gone

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  PostgresDriver(std::string url, std::string schema, const ConnectOptions& options);
  Status open();  // with patience
  Status open_once();
  Status ready();  // connected, again if need be
  // How long one question is waited for, and how many signals came meanwhile.
  struct Patience {
    std::int64_t until_ns = 0;
    int signals = 0;
  };
  Status wait(short events, Patience& patience, During during);
  Result<Answer> ask(const std::string& sql, During during);
  std::unexpected<Error> failure(const pg_result* result, During during) const;
  std::unexpected<Error> lost(std::string_view what, During during) const;

  std::string url_;
  std::string schema_;
  ConnectOptions options_;
  std::string place_;  // for people: host, port and database, nothing secret
  std::unique_ptr<pg_conn, Close> connection_;
  std::uint64_t session_ = 0;
  std::uint64_t statements_ = 0;
  std::string channel_;  // that is listened to
  bool in_transaction_ = false;
  bool broken_ = false;  // nobody knows what the server will say next
};

// SQL as the store writes it, in PostgreSQL's words (postgres_sql.cc). Pure.
std::string as_identifier(std::string_view name);

// `?` and `?7` outside of quotes become `$1`, `$7`.
std::string numbered(std::string_view sql);

// CREATE statements for SQLite's strict tables, in PostgreSQL's words.
std::string postgres_ddl(std::string_view sqlite);

}  // namespace gittxn::db
