#include "db/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/testing/temp_dir.h"
#include "db/testing/fault_vfs.h"

namespace gittxn::db {
namespace {

using gittxn::testing::TempDir;
using testing::FaultVfs;

Database create(const std::string& path) {
  Database database = Database::open(path, {.mode = OpenMode::kCreate}).value();
  EXPECT_EQ(database.pragma_text("journal_mode = WAL").value(), "wal");
  EXPECT_TRUE(database.execute("PRAGMA synchronous = FULL"));
  EXPECT_TRUE(database.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, s TEXT)"));
  return database;
}

Status insert(Database& database, std::int64_t n, std::string_view s) {
  Statement statement = TRY(database.statement("INSERT INTO t (n, s) VALUES (?, ?)"));
  statement.bind_all(n, s);
  return statement.run();
}

std::int64_t count(const Database& database) {
  Statement query = database.statement("SELECT count(*) FROM t").value();
  EXPECT_TRUE(query.step().value());
  return query.integer(0);
}

TEST(Statement, BindsAndReadsAnyBytes) {
  Database database = Database::open_memory().value();
  ASSERT_TRUE(database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT NOT NULL)"));
  const std::string odd("a\0b\xff", 4);
  ASSERT_TRUE(insert(database, -5, odd));
  ASSERT_TRUE(insert(database, 6, std::string_view()));
  Statement query = database.statement("SELECT n, s FROM t ORDER BY n").value();
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.integer(0), -5);
  EXPECT_EQ(query.text(1), odd);
  EXPECT_EQ(query.columns(), 2);
  EXPECT_EQ(query.column_name(1), "s");
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.text(1), "");
  EXPECT_FALSE(query.step().value());
}

TEST(Statement, TwoOfOneTextDoNotDisturbEachOther) {
  Database database = Database::open_memory().value();
  ASSERT_TRUE(database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT)"));
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(insert(database, n, "x"));
  Statement outer = database.statement("SELECT n FROM t ORDER BY n").value();
  int pairs = 0;
  while (outer.step().value()) {
    Statement inner = database.statement("SELECT n FROM t ORDER BY n").value();
    while (inner.step().value()) ++pairs;
  }
  EXPECT_EQ(pairs, 9);
}

TEST(Statement, ReportsMistakes) {
  Database database = Database::open_memory().value();
  EXPECT_EQ(database.statement("SELEC 1").error().code, Code::kFault);
  EXPECT_FALSE(database.statement(""));
  Statement query = database.statement("SELECT 1").value();
  query.bind(1, 5);
  EXPECT_FALSE(query.step()) << "there is no such parameter";
  ASSERT_TRUE(database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT)"));
  ASSERT_TRUE(insert(database, 1, ""));
  EXPECT_EQ(insert(database, 1, "").error().code, Code::kExists);
}

TEST(Transaction, RollsBackUnlessCommitted) {
  TempDir dir;
  Database database = create(dir.at("a.db"));
  {
    const Transaction transaction = Transaction::begin(database, Transaction::Kind::kWrite).value();
    ASSERT_TRUE(insert(database, 1, "lost"));
  }
  EXPECT_EQ(count(database), 0);
  Transaction transaction = Transaction::begin(database, Transaction::Kind::kWrite).value();
  ASSERT_TRUE(insert(database, 1, "kept"));
  ASSERT_TRUE(transaction.commit());
  EXPECT_EQ(count(create(dir.at("a.db"))), 1);
}

TEST(Transaction, WaitsForALockOnlyUntilItsDeadline) {
  TempDir dir;
  Database first = create(dir.at("a.db"));
  Database second = Database::open(dir.at("a.db"), {.busy_ms = 50}).value();
  const Transaction held = Transaction::begin(first, Transaction::Kind::kWrite).value();
  const auto refused = Transaction::begin(second, Transaction::Kind::kWrite);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBusy);
  EXPECT_EQ(count(second), 0) << "readers do not wait for writers";
}

TEST(Errors, AFullDiskChangesNothingAndSaysSo) {
  TempDir dir;
  FaultVfs vfs;
  Database database = create(dir.at("a.db"));
  vfs.set(FaultVfs::Fault::kDiskFull);
  {
    Transaction transaction = Transaction::begin(database, Transaction::Kind::kWrite).value();
    ASSERT_TRUE(insert(database, 1, "x"));
    const Status committed = transaction.commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, Code::kFault);
    EXPECT_NE(committed.error().hint.find("space"), std::string::npos);
  }
  vfs.set(FaultVfs::Fault::kNone);
  EXPECT_EQ(count(database), 0);
  ASSERT_TRUE(insert(database, 1, "now it fits"));
}

TEST(Errors, AFailedSyncIsAnUnknownOutcome) {
  TempDir dir;
  FaultVfs vfs;
  Database database = create(dir.at("a.db"));
  vfs.set(FaultVfs::Fault::kSyncFails);
  Transaction transaction = Transaction::begin(database, Transaction::Kind::kWrite).value();
  ASSERT_TRUE(insert(database, 1, "x"));
  EXPECT_EQ(transaction.commit().error().code, Code::kOutcomeUnknown);
  vfs.set(FaultVfs::Fault::kNone);
}

TEST(Errors, EveryCommitIsSynced) {
  TempDir dir;
  FaultVfs vfs;
  Database database = create(dir.at("a.db"));
  const int before = vfs.syncs_made();
  for (int n = 0; n < 5; ++n) ASSERT_TRUE(insert(database, n, "x"));
  EXPECT_GE(vfs.syncs_made() - before, 5);
}

TEST(Errors, DamageIsCorruptAndNothingElse) {
  TempDir dir;
  ASSERT_TRUE(write_file(dir.at("a.db"), std::string(8192, 'x'), Sync::kNo));
  Database database = Database::open(dir.at("a.db"), {}).value();
  const auto version = database.pragma_integer("user_version");
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, Code::kCorrupt);
  EXPECT_THAT(version.error().hint, ::testing::HasSubstr("docs/BACKUPS.md"));
  // What was done before this question it does not know.
  EXPECT_EQ(version.error().hint.find("nothing was changed"), std::string::npos);
}

TEST(Open, SaysWhatIsMissing) {
  TempDir dir;
  EXPECT_EQ(Database::open(dir.at("none.db"), {}).error().code, Code::kNotFound);
  EXPECT_EQ(Database::open_immutable(dir.at("none.db")).error().code, Code::kNotFound);
  EXPECT_FALSE(*exists(dir.at("none.db")));
  EXPECT_FALSE(Database::open(dir.at("no/such/a.db"), {.mode = OpenMode::kCreate}));
}

TEST(Open, ImmutableTouchesNothing) {
  TempDir dir;
  const std::string path = dir.at("odd %41?#.db");
  {
    Database database = create(path);
    ASSERT_TRUE(database.execute("PRAGMA user_version = 7"));
  }
  const std::string before = read_file(path).value();
  {
    const Database peek = Database::open_immutable(path).value();
    EXPECT_EQ(peek.pragma_integer("user_version").value(), 7);
    const Status refused = insert(const_cast<Database&>(peek), 1, "x");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kFault);
    EXPECT_NE(refused.error().hint.find("not writable"), std::string::npos);
  }
  EXPECT_EQ(read_file(path).value(), before);
  EXPECT_EQ(list_dir(dir.path())->size(), 1u) << "no -wal or -shm file";
}

TEST(Open, ClosingWithNothingLeavesTheFile) {
  TempDir dir;
  std::string before;
  {
    Database database = create(dir.at("a.db"));
    ASSERT_TRUE(insert(database, 1, "only in the log"));
    before = read_file(dir.at("a.db")).value();
    ASSERT_TRUE(database.on_close(Database::CloseWith::kNothing));
  }
  EXPECT_EQ(read_file(dir.at("a.db")).value(), before);
  {
    Database database = create(dir.at("a.db"));
    EXPECT_EQ(count(database), 1);
  }
  EXPECT_NE(read_file(dir.at("a.db")).value(), before);
  EXPECT_FALSE(*exists(dir.at("a.db-wal")));
}

TEST(Open, ClosingWithALongLogLeavesAShortOne) {
  TempDir dir;
  const auto add = [&](std::int64_t n, std::size_t bytes) {
    Database database = create(dir.at("a.db"));
    ASSERT_TRUE(insert(database, n, std::string(bytes, 'x')));
    ASSERT_TRUE(database.on_close(Database::CloseWith::kLongLog));
  };
  add(1, 10);
  EXPECT_TRUE(*exists(dir.at("a.db-wal")));
  add(2, 3 << 20);
  EXPECT_FALSE(*exists(dir.at("a.db-wal")));
  EXPECT_EQ(count(create(dir.at("a.db"))), 2);
}

TEST(Backup, IsAWholeCopy) {
  TempDir dir;
  Database database = create(dir.at("a.db"));
  for (int n = 0; n < 100; ++n) ASSERT_TRUE(insert(database, n, "text"));
  ASSERT_TRUE(database.backup_to(dir.at("b.db")));
  ASSERT_TRUE(database.backup_to(dir.at("b.db"))) << "again, over the old one";
  struct stat status{};
  ASSERT_EQ(::stat(dir.at("b.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  EXPECT_EQ(count(Database::open(dir.at("b.db"), {}).value()), 100);
}

}  // namespace
}  // namespace gittxn::db
