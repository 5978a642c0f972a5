// PostgreSQL as a driver: what is different from SQLite, and what must not be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "base/clock.h"
#include "base/fs.h"
#include "db/database.h"
#include "db/libpq.h"
#include "db/postgres.h"
#include "db/testing/postgres.h"

namespace gittxn::db {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::postgres_url;
using testing::PostgresSchema;

constexpr std::string_view kPairs =
    "CREATE TABLE pairs (id INTEGER PRIMARY KEY, said TEXT NOT NULL, raw BLOB) STRICT;";

class Postgres : public ::testing::Test {
 protected:
  void SetUp() override {
    NEEDS_POSTGRES();
    schema_.emplace();
    database_.emplace(schema_->connect().value());
    ASSERT_TRUE(database_->create(kPairs));
  }
  void TearDown() override {
    database_.reset();
    schema_.reset();
  }
  Database& database() { return *database_; }
  Status insert(Database& into, std::int64_t id, std::string_view said) {
    Statement insert = TRY(into.statement("INSERT INTO pairs (id, said) VALUES (?, ?)"));
    insert.bind_all(id, said);
    return insert.run();
  }
  std::int64_t count(Database& of) {
    Statement query = of.statement("SELECT count(*) FROM pairs").value();
    EXPECT_TRUE(query.step().value());
    return query.integer(0);
  }
  std::int64_t backend(Database& of) {
    Statement query = of.statement("SELECT pg_backend_pid()").value();
    EXPECT_TRUE(query.step().value());
    return query.integer(0);
  }

  std::optional<PostgresSchema> schema_;
  std::optional<Database> database_;
};

TEST(Libpq, OneThatIsNotHereIsSaidWithWhatToInstall) {
  for (const std::string name : {"libpq.so.0", "libc.so.6"}) {  // the second has no such functions
    const auto loaded = libpq_of(name);
    ASSERT_FALSE(loaded) << name;
    EXPECT_EQ(loaded.error().code, Code::kUnsupported);
    EXPECT_THAT(loaded.error().message, HasSubstr("a PostgreSQL store needs " + name));
    EXPECT_THAT(loaded.error().hint, HasSubstr("libpq5"));
  }
}

TEST(PostgresDdl, SaysTheSameInItsOwnWords) {
  EXPECT_EQ(postgres_ddl("CREATE TABLE a (\n  b INTEGER PRIMARY KEY CHECK (b = 1),\n  c TEXT    "
                         "NOT NULL,\n  d BLOB NOT NULL\n) STRICT;\nCREATE INDEX e ON a (c, b);"),
            "CREATE TABLE a (\n  b BIGINT PRIMARY KEY CHECK (b = 1),\n  c TEXT COLLATE \"C\"    "
            "NOT NULL,\n  d BYTEA NOT NULL\n);\nCREATE INDEX e ON a (c, b);");
}

TEST_F(Postgres, BindsAndReadsAnyBytesButNul) {
  const std::string odd = "caf\xc3\xa9 'quoted' ? $1 \"\n\\";
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  {
    Statement statement =
        database().statement("INSERT INTO pairs (id, said, raw) VALUES (?, ?, ?)").value();
    statement.bind(1, std::int64_t{-7'000'000'000}).bind(2, odd).bind_bytes(3, bytes);
    ASSERT_TRUE(statement.run());
  }
  Statement query = database().statement("SELECT id, said, raw, NULL, '?' FROM pairs").value();
  ASSERT_TRUE(query.step().value());
  EXPECT_TRUE(query.is_integer(0));
  EXPECT_FALSE(query.is_integer(1));
  EXPECT_EQ(query.integer(0), -7'000'000'000);
  EXPECT_EQ(query.text(1), odd);
  EXPECT_EQ(query.bytes(2), bytes);
  EXPECT_EQ(query.text(3), "");
  EXPECT_EQ(query.text(4), "?");
  EXPECT_EQ(query.column_name(1), "said");
  EXPECT_FALSE(query.step().value());
  const Status nul = insert(database(), 2, std::string_view("a\0b", 3));
  ASSERT_FALSE(nul);
  EXPECT_THAT(nul.error().message, HasSubstr("NUL"));
}

TEST_F(Postgres, TextsCompareByTheirBytes) {
  for (const char* said : {"b", "B", "a", "_"}) {
    ASSERT_TRUE(insert(database(), said[0], said));
  }
  Statement query = database().statement("SELECT said FROM pairs ORDER BY said").value();
  std::string order;
  while (query.step().value()) order += query.text(0);
  EXPECT_EQ(order, "B_ab");
}

TEST_F(Postgres, StatementsWithinAScanDoNotDisturbIt) {
  for (int id = 1; id <= 3; ++id) ASSERT_TRUE(insert(database(), id, "x"));
  Statement outer = database().statement("SELECT id FROM pairs ORDER BY id").value();
  std::string seen;
  while (outer.step().value()) {
    Statement inner = database().statement("SELECT said FROM pairs WHERE id = ?").value();
    inner.bind_all(outer.integer(0));
    ASSERT_TRUE(inner.step().value());
    seen += fmt::format("{}{}", outer.integer(0), inner.text(0));
  }
  EXPECT_EQ(seen, "1x2x3x");
}

TEST_F(Postgres, RollsBackUnlessCommitted) {
  {
    const Transaction lost = Transaction::begin(database(), Transaction::Kind::kWrite).value();
    ASSERT_TRUE(insert(database(), 1, "lost"));
  }
  EXPECT_EQ(count(database()), 0);
  Transaction kept = Transaction::begin(database(), Transaction::Kind::kWrite).value();
  ASSERT_TRUE(insert(database(), 1, "kept"));
  ASSERT_TRUE(kept.commit());
  EXPECT_EQ(count(database()), 1);
}

// The server makes a rollback of it and calls that a success.
TEST_F(Postgres, ACommitAfterAFailureIsNone) {
  Transaction transaction = Transaction::begin(database(), Transaction::Kind::kWrite).value();
  ASSERT_TRUE(insert(database(), 1, "x"));
  EXPECT_EQ(insert(database(), 1, "y").error().code, Code::kExists);
  EXPECT_EQ(transaction.commit().error().code, Code::kFault);
  EXPECT_EQ(count(database()), 0);
}

TEST_F(Postgres, AReaderHasOneMoment) {
  Database other = schema_->connect().value();
  const Transaction moment = Transaction::begin(database(), Transaction::Kind::kRead).value();
  EXPECT_EQ(count(database()), 0);
  ASSERT_TRUE(insert(other, 1, "later"));
  EXPECT_EQ(count(database()), 0);
  EXPECT_FALSE(insert(database(), 2, "a reader writes nothing"));
}

TEST_F(Postgres, AWriterWaitsForTheOtherOnlyUntilItsDeadline) {
  Database other = schema_->connect({.busy_ms = 100}).value();
  {
    const Transaction first = Transaction::begin(database(), Transaction::Kind::kWrite).value();
    const auto second = Transaction::begin(other, Transaction::Kind::kWrite);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::kBusy) << second.error().message;
    EXPECT_THAT(second.error().hint, HasSubstr("another program is writing"));
  }
  // And is of use again, after it and of another schema at once.
  EXPECT_TRUE(Transaction::begin(other, Transaction::Kind::kWrite));
  const PostgresSchema elsewhere;
  Database third = elsewhere.connect({.busy_ms = 100}).value();
  const Transaction first = Transaction::begin(database(), Transaction::Kind::kWrite).value();
  EXPECT_TRUE(Transaction::begin(third, Transaction::Kind::kWrite));
}

// Nobody else writes: who is told so looks for a program that is not there.
TEST_F(Postgres, AStatementThatTakesTooLongIsNotAnotherWriter) {
  Database slow = schema_->connect({.statement_ms = 100}).value();
  const Status late = slow.execute("SELECT pg_sleep(20)");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kFault) << late.error().message;
  EXPECT_THAT(late.error().message, HasSubstr("statement timeout"));
  EXPECT_THAT(late.error().hint, HasSubstr("slow"));
  EXPECT_THAT(late.error().hint, HasSubstr("try again"));
  EXPECT_THAT(late.error().hint, Not(HasSubstr("another program")));
  EXPECT_TRUE(insert(slow, 1, "and it is of use again"));

  const std::int64_t pid = backend(database());
  std::thread person([&] {
    Database shell = schema_->connect().value();
    Statement sleeps = shell
                           .statement(
                               "SELECT 1 FROM pg_stat_activity WHERE pid = ? AND state = 'active' "
                               "AND query LIKE '%pg_sleep%'")
                           .value();
    sleeps.bind_all(pid);
    while (!sleeps.step().value()) sleeps.reset();
    Statement cancel = shell.statement("SELECT pg_cancel_backend(CAST(? AS INTEGER))").value();
    cancel.bind_all(pid);
    EXPECT_TRUE(cancel.step().value());
  });
  const Status ended = database().execute("SELECT pg_sleep(20)");
  person.join();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kFault);
  EXPECT_THAT(ended.error().hint, HasSubstr("cancelled"));
}

// What a writer sees is all that the writers before it did, also when it had to wait.
TEST_F(Postgres, WritersOneAfterTheOtherLoseNothing) {
  ASSERT_TRUE(insert(database(), 1, "0"));
  const auto add = [&] {
    Database own = schema_->connect().value();
    for (int round = 0; round < 40; ++round) {
      Transaction transaction = Transaction::begin(own, Transaction::Kind::kWrite).value();
      Statement query = own.statement("SELECT said FROM pairs WHERE id = 1").value();
      ASSERT_TRUE(query.step().value());
      const int now = std::stoi(query.text(0));
      Statement update = own.statement("UPDATE pairs SET said = ? WHERE id = 1").value();
      update.bind_all(std::to_string(now + 1));
      ASSERT_TRUE(update.run());
      ASSERT_TRUE(transaction.commit());
    }
  };
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) writers.emplace_back(add);
  for (std::thread& writer : writers) writer.join();
  Statement query = database().statement("SELECT said FROM pairs WHERE id = 1").value();
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.text(0), "160");
}

TEST_F(Postgres, ALostConnectionIsMadeAgainOutsideOfTransactions) {
  Database killer = schema_->connect().value();
  const auto end = [&](std::int64_t pid) {
    Statement kill = killer.statement("SELECT pg_terminate_backend(?, 5000)").value();
    kill.bind_all(pid);
    ASSERT_TRUE(kill.step().value());
  };
  ASSERT_TRUE(insert(database(), 1, "before"));
  end(backend(database()));
  EXPECT_TRUE(insert(database(), 2, "again")) << "the server had said goodbye";
  EXPECT_EQ(count(database()), 2);
  {
    Transaction cut = Transaction::begin(database(), Transaction::Kind::kWrite).value();
    ASSERT_TRUE(insert(database(), 3, "cut"));
    end(backend(database()));
    EXPECT_EQ(insert(database(), 4, "cut").error().code, Code::kFault);
    EXPECT_EQ(insert(database(), 5, "cut").error().code, Code::kFault);
    EXPECT_EQ(cut.commit().error().code, Code::kOutcomeUnknown);
  }
  EXPECT_EQ(count(database()), 2);
}

TEST_F(Postgres, ANoteEndsAWaitAndALostConnectionListensAgain) {
  Database listener = schema_->connect().value();
  ASSERT_TRUE(listener.listen("Some.channel"));
  const auto wait_ms = [&] {
    SystemClock clock;
    const std::int64_t begun = clock.monotonic_ns();
    EXPECT_TRUE(listener.wait_for_note(20'000));
    return (clock.monotonic_ns() - begun) / 1'000'000;
  };
  ASSERT_TRUE(database().execute("NOTIFY \"Some.channel\""));
  EXPECT_LT(wait_ms(), 10'000);
  Statement kill = database()
                       .statement(
                           "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                           "WHERE query LIKE 'LISTEN%' AND query LIKE '%Some.channel%'")
                       .value();
  ASSERT_TRUE(kill.step().value());
  kill.reset();
  EXPECT_LT(wait_ms(), 10'000) << "what ended it may have hidden a note";
  EXPECT_LT(wait_ms(), 10'000) << "it listens again";
  ASSERT_TRUE(database().execute("NOTIFY \"Some.channel\""));
  EXPECT_LT(wait_ms(), 10'000);
}

// A server that is stopped takes what is sent and says nothing.
TEST_F(Postgres, ASilentServerIsLeftAfterTheDeadline) {
  Database impatient = schema_->connect({.busy_ms = 100, .statement_ms = 100}).value();
  const auto pid = static_cast<pid_t>(backend(impatient));
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  const Status silent = insert(impatient, 1, "x");
  ASSERT_EQ(::kill(pid, SIGCONT), 0);
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, Code::kFault);
  EXPECT_THAT(silent.error().message, HasSubstr("does not answer"));
  EXPECT_THAT(silent.error().hint, HasSubstr("git txn status"));
  EXPECT_THAT(silent.error().hint, Not(HasSubstr("nothing was changed")));
  EXPECT_TRUE(insert(impatient, 2, "on a new connection"));
}

TEST_F(Postgres, TheSecondSignalEndsAWait) {
  struct sigaction before{};
  struct sigaction action{};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(::sigaction(SIGUSR2, &action, &before), 0);
  const auto pid = static_cast<pid_t>(backend(database()));
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  SystemClock clock;
  const std::int64_t begun = clock.monotonic_ns();
  const pthread_t waits = ::pthread_self();
  std::thread person([waits] {
    for (int signal = 0; signal < 2; ++signal) {
      SystemClock().sleep_ms(500);
      ::pthread_kill(waits, SIGUSR2);
    }
  });
  const Status ended = insert(database(), 1, "x");
  person.join();
  ASSERT_EQ(::kill(pid, SIGCONT), 0);
  ASSERT_EQ(::sigaction(SIGUSR2, &before, nullptr), 0);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kInterrupted);
  EXPECT_FALSE(ended.error().hint.empty());
  const std::int64_t took_ms = (clock.monotonic_ns() - begun) / 1'000'000;
  EXPECT_GE(took_ms, 900) << "the first one is for whoever asks";
  EXPECT_LT(took_ms, 20'000);
  EXPECT_TRUE(insert(database(), 2, "on a new connection"));
}

TEST(PostgresAddress, IsNamedWithoutItsSecrets) {
  const auto unreadable = Database::connect("postgresql://u:s3cret@[x/y", "s", {});
  ASSERT_FALSE(unreadable);
  EXPECT_EQ(unreadable.error().code, Code::kUsage);
  EXPECT_THAT(unreadable.error().message + unreadable.error().hint, Not(HasSubstr("s3cret")));
  const auto nobody = Database::connect("postgresql://u:s3cret@127.0.0.1:1/shop", "s", {});
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, Code::kFault);
  EXPECT_THAT(nobody.error().message, HasSubstr("127.0.0.1:1/shop"));
  EXPECT_THAT(nobody.error().message + nobody.error().hint, Not(HasSubstr("s3cret")));
}

TEST_F(Postgres, OnlyAFileHasPragmasAndCopies) {
  EXPECT_EQ(database().dialect(), Dialect::kPostgres);
  EXPECT_EQ(database().pragma_integer("user_version").error().code, Code::kUnsupported);
  EXPECT_EQ(database().backup_to("x").error().code, Code::kUnsupported);
}

}  // namespace
}  // namespace gittxn::db
