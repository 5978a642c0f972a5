// Versions of the layout: migrating to the next, going back, and what is killed on the way.
#include "store/schema.h"

#include <dirent.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/testing/child.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/sentinels.h"
#include "store/server/dialect.h"
#include "store/state.h"
#include "store/testing/check.h"
#include "store/testing/golden_log.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// The next version, as it might be: a column of the log, an index and a projection more.
Plan next_plan() {
  Plan plan = current_plan();
  plan.version += 1;
  plan.migrations.push_back({.from = kSchemaVersion,
                             .sql = "ALTER TABLE events ADD COLUMN note TEXT NOT NULL DEFAULT '';"
                                    "CREATE INDEX events_by_time ON events (time, seq);"});
  plan.projections = "CREATE TABLE notes (one INTEGER PRIMARY KEY) STRICT;";
  return plan;
}

std::map<std::string, std::string> contents(const std::string& dir) {
  std::map<std::string, std::string> out;
  const auto entries = list_dir(dir).value();
  for (const DirEntry& entry : entries) {
    if (entry.type == DT_REG) out[entry.name] = read_file(dir + "/" + entry.name).value();
  }
  return out;
}

std::vector<std::string> log_lines(const db::Database& database) {
  std::vector<std::string> lines;
  db::Statement query =
      database.statement(fmt::format("SELECT {} FROM events ORDER BY seq", kEventColumns)).value();
  while (query.step().value()) {
    std::string line;
    for (int column = 0; column < query.columns(); ++column) line += query.text(column) + "|";
    lines.push_back(std::move(line));
  }
  return lines;
}

std::int64_t rows_of(const db::Database& database, std::string_view table) {
  db::Statement query = database.statement(fmt::format("SELECT count(*) FROM {}", table)).value();
  return query.step().value() ? query.integer(0) : -1;
}

// Everything that was made, as the database tells it.
std::string schema_text(const db::Database& database) {
  std::string text;
  db::Statement query =
      database
          .statement(database.dialect() == db::Dialect::kSqlite
                         ? "SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY type, name"
                         : "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || "
                           "is_nullable FROM information_schema.columns WHERE table_schema = "
                           "current_schema() UNION ALL SELECT replace(indexdef, schemaname, '') "
                           "FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1")
          .value();
  while (query.step().value()) text += query.text(0) + "\n";
  return text;
}

TEST(Invariant9, AMigrationLosesNoEventAndRebuildsTheState) {
  TempStore place;
  fill_place(place);
  const std::string before =
      canonical_json(place.open().state_at(place.open().head().value()).value());
  {
    const auto store = open_with_plan(place.place(), place.clock, Create::kNo, next_plan());
    ASSERT_OK(store);
    EXPECT_TRUE(store->verify()->problems.empty());
    EXPECT_TRUE(store->verify_replay()->problems.empty());
    EXPECT_EQ(canonical_json(store->state_at(store->head().value()).value()), before);
    EXPECT_EQ(store->txn(TxnId("t-1")).value()->state, TxnState::kLanded);
  }
  // The copy of the old one is a store of the old version.
  const db::Database old = place.copy_of(kSchemaVersion);
  EXPECT_EQ(version_of(old).value().schema, kSchemaVersion);
  EXPECT_EQ(inspect(old, "the copy", current_plan()).value(), Found::kPresent);
  EXPECT_EQ(log_lines(old), log_lines(place.shell()));
  // A fresh store of the next version has the same tables as the migrated one.
  TempStore fresh;
  ASSERT_OK(open_with_plan(fresh.place(), fresh.clock, Create::kYes, next_plan()));
  EXPECT_EQ(schema_text(fresh.shell()), schema_text(place.shell()));
}

// What is in the way is moved aside, and the copy gets the name of the store: docs/BACKUPS.md.
void put_copy_back(const TempStore& place, int version) {
  if (!place.on_server()) {
    ASSERT_OK(rename_over(place.database(), place.database() + ".aside"));
    for (const char* log : {"-wal", "-shm"}) (void)remove_file(place.database() + log);
    ASSERT_OK(rename_over(fmt::format("{}.v{}.bak", place.database(), version), place.database()));
    return;
  }
  const std::string name = place.place().schema;
  ASSERT_OK(place.shell().execute(
      fmt::format("ALTER SCHEMA {0} RENAME TO {0}_v0_bak; ALTER SCHEMA {0}_v{1}_bak RENAME TO {0}",
                  name, version)));
}

TEST(Invariant9, WhatAMigrationKeptIsAWholeStore) {
  TempStore place;
  fill_place(place);
  const std::string made = schema_text(place.shell());
  const std::vector<std::string> before = log_lines(place.shell());
  ASSERT_OK(open_with_plan(place.place(), place.clock, Create::kNo, next_plan()));
  put_copy_back(place, kSchemaVersion);
  EXPECT_EQ(schema_text(place.shell()), made) << "indexes under their own names";
  EXPECT_EQ(log_lines(place.shell()), before);
  for (const char* change :
       {"UPDATE events SET payload = '{}'", "DELETE FROM events", "UPDATE log SET pruned = -1"}) {
    EXPECT_FALSE(place.shell().execute(change)) << change << ": it is guarded";
  }
  Store store = place.open();
  EXPECT_THAT(store.verify()->problems, ::testing::IsEmpty());
  EXPECT_THAT(store.verify_replay()->problems, ::testing::IsEmpty());
  ASSERT_OK(store.next_slot());
  EXPECT_THAT(store.verify_replay()->problems, ::testing::IsEmpty());
  // And forward again.
  const auto again = open_with_plan(place.place(), place.clock, Create::kNo, next_plan());
  ASSERT_OK(again);
  EXPECT_THAT(again->verify()->problems, ::testing::IsEmpty());
  EXPECT_THAT(again->verify_replay()->problems, ::testing::IsEmpty());
}

// A program that began before the newer one came.
TEST(Invariant9, AStoreThatIsMigratedWhileItIsOpenTakesNothingMore) {
  TempStore place;
  fill_place(place);
  Store old = place.open();
  ASSERT_OK(old.next_slot());
  ASSERT_OK(open_with_plan(place.place(), place.clock, Create::kNo, next_plan()));
  const std::vector<std::string> before = log_lines(place.shell());
  bool asked = false;
  const auto decided = old.decide([&](const View&) -> Result<std::vector<NewEvent>> {
    asked = true;
    return std::vector{events::slot_reserved()};
  });
  EXPECT_CODE(decided, Code::kNewer);
  EXPECT_FALSE(asked) << "a decision would read a layout that it does not know";
  const auto refused = Store::open(place.place(), place.clock);
  EXPECT_EQ(decided.error().message, refused.error().message);
  EXPECT_EQ(decided.error().hint, refused.error().hint);
  EXPECT_CODE(old.next_slot(), Code::kNewer);
  EXPECT_CODE(pass_sentinel(old, place.clock, "often", kMinute), Code::kNewer);
  EXPECT_CODE(old.put_artifact("of no use"), Code::kNewer);
  EXPECT_EQ(log_lines(place.shell()), before);
  EXPECT_EQ(rows_of(place.shell(), "sentinels"), 0);
  EXPECT_EQ(rows_of(place.shell(), "artifacts"), 0);
  EXPECT_TRUE(place.on_server() || list_dir(place.txn_dir() + "/artifacts")->empty());
#ifdef GIT_TXN_BUGS
  arm_bug("store.version_at_opening_alone");
  EXPECT_TRUE(old.next_slot());
  arm_bug("");
#endif
  // Who knows it goes on.
  auto next = open_with_plan(place.place(), place.clock, Create::kNo, next_plan());
  ASSERT_OK(next->next_slot());
  EXPECT_THAT(next->verify_replay()->problems, ::testing::IsEmpty());
}

// Somebody has put the older one back under a newer program.
TEST(Invariant9, AStoreThatIsGoneBackToWhileItIsOpenTakesNothingMore) {
  TempStore place;
  fill_place(place);
  auto newer = open_with_plan(place.place(), place.clock, Create::kNo, next_plan());
  ASSERT_OK(newer);
  if (place.on_server()) {
    put_copy_back(place, kSchemaVersion);
  } else {  // the file that is open is the one that was moved aside
    ASSERT_OK(place.shell().execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion)));
  }
  const std::vector<std::string> before = log_lines(place.shell());
  const auto refused = newer->next_slot();
  EXPECT_CODE(refused, Code::kFault);
  EXPECT_FALSE(refused.error().hint.empty());
  EXPECT_EQ(log_lines(place.shell()), before);
}

TEST(Migration, KilledBeforeItsCommitLeavesTheOldStore) {
  TempStore place;
  fill_place(place);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!Failpoint::arm("store.before_migration_commit")) ::_exit(9);
    (void)open_with_plan(place.place(), place.clock, Create::kNo, next_plan());
    ::_exit(8);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  {
    Store store = place.open();
    EXPECT_TRUE(store.verify()->problems.empty());
    EXPECT_TRUE(store.verify_replay()->problems.empty());
    ASSERT_OK(store.next_slot());
  }
  ASSERT_OK(open_with_plan(place.place(), place.clock, Create::kNo, next_plan()));
}

// From the first statement on, until it survives.
template <typename Open>
int killed_at_each_statement(const std::function<void(int at)>& look, Open open) {
  for (int at = 1; at < 1'000; ++at) {
    const int status = gittxn::testing::status_of(gittxn::testing::in_child([&] {
      if (!Failpoint::arm(fmt::format("db.statement={}", at))) return 2;
      return open() ? 0 : 3;
    }));
    look(at);
    if (gittxn::testing::was_killed(status) && !::testing::Test::HasFatalFailure()) continue;
    EXPECT_EQ(status, 0) << "at statement " << at;
    return at - 1;
  }
  return 0;
}

TEST(Invariant9, AKillAtAnyStatementOfAMigrationLeavesTheOldStoreOrTheNew) {
  TempStore place;
  fill_place(place);
  const std::vector<std::string> before = log_lines(place.shell());
  bool migrated = false;
  const auto look = [&](int at) {
    const db::Database now = place.shell();
    const std::int64_t version = version_of(now).value().schema;
    migrated = migrated || version > kSchemaVersion;
    const auto left = open_with_plan(place.place(), place.clock, Create::kNo,
                                     migrated ? next_plan() : current_plan());
    ASSERT_TRUE(left.has_value()) << at << ": " << told(left);
    EXPECT_TRUE(left->verify()->problems.empty()) << at;
    EXPECT_TRUE(left->verify_replay()->problems.empty()) << at;
    if (!migrated) {
      EXPECT_EQ(log_lines(place.shell()), before) << at;
    }
  };
  const int kills = killed_at_each_statement(look, [&] {
    return open_with_plan(place.place(), place.clock, Create::kNo, next_plan()).has_value();
  });
  EXPECT_GT(kills, 10);
  EXPECT_TRUE(migrated);
}

TEST(Creation, KilledAtAnyStatementGoesOnLater) {
  auto place = std::make_unique<TempStore>();
  const auto look = [&](int at) {
    fill_place(*place);
    const Store store = place->open();
    EXPECT_TRUE(store.verify()->problems.empty()) << at;
    EXPECT_TRUE(store.verify_replay()->problems.empty()) << at;
    place = std::make_unique<TempStore>();
  };
  const int kills = killed_at_each_statement(
      look, [&] { return Store::open(place->place(), place->clock).has_value(); });
  EXPECT_GT(kills, 10);
}

TEST(Migration, OfAVersionThatNeverWasIsRefused) {
  TempStore place;
  fill_place(place);
  Plan plan = next_plan();
  plan.version += 1;  // and no migration that leads there
  EXPECT_CODE(open_with_plan(place.place(), place.clock, Create::kNo, plan), Code::kCorrupt);
  EXPECT_TRUE(place.open().verify_replay()->problems.empty());
}

TEST(Invariant9, ANewerStoreIsRefusedAndNotOneByteIsTouched) {
  TempStore place;
  fill_place(place);
  ASSERT_OK(open_with_plan(place.place(), place.clock, Create::kNo, next_plan()));
  const std::string made = schema_text(place.shell());
  const auto before = contents(place.txn_dir());
  const auto refused = Store::open(place.place(), place.clock);
  EXPECT_CODE(refused, Code::kNewer);
  EXPECT_FALSE(refused.error().hint.empty());
  EXPECT_CODE(Store::open_existing(place.place(), place.clock), Code::kNewer);
  EXPECT_EQ(schema_text(place.shell()), made);
  if (!place.on_server()) {
    EXPECT_EQ(contents(place.txn_dir()), before) << "and no file was added";
  }
}

// The newer program was killed: its version is only in the -wal file.
TEST(Newer, IsSeenInTheLogAloneToo) {
  TempStore place;
  NEEDS_A_FILE(place);
  fill_place(place);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto store = open_with_plan(place.place(), place.clock, Create::kNo, next_plan());
    ::kill(::getpid(), store ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const auto before = contents(place.txn_dir());
  ASSERT_TRUE(before.contains("kernel.db-wal"));
  EXPECT_CODE(Store::open(place.place(), place.clock), Code::kNewer);
  const auto after = contents(place.txn_dir());
  EXPECT_EQ(after.at("kernel.db"), before.at("kernel.db"));
  EXPECT_EQ(after.at("kernel.db-wal"), before.at("kernel.db-wal"));
}

TEST(Existing, IsNotMadeByLooking) {
  TempStore place;
  EXPECT_CODE(Store::open_existing(place.place(), place.clock), Code::kNotFound);
  EXPECT_FALSE(exists(place.txn_dir()).value());
  NEEDS_A_FILE(place);
  ASSERT_OK(make_dirs(place.txn_dir()));
  ASSERT_OK(write_file(place.database(), "", Sync::kNo));
  EXPECT_CODE(Store::open_existing(place.place(), place.clock), Code::kNotFound);
  EXPECT_EQ(read_file(place.database()).value(), "");
  fill_place(place);
  ASSERT_OK(Store::open_existing(place.place(), place.clock));
}

TEST(Creation, KilledOnTheWayGoesOnLater) {
  TempStore place;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!Failpoint::arm("store.before_migration_commit")) ::_exit(9);
    (void)Store::open(place.place(), place.clock);
    ::_exit(8);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_CODE(Store::open_existing(place.place(), place.clock), Code::kNotFound);
  fill_place(place);
  EXPECT_TRUE(place.open().verify_replay()->problems.empty());
}

// A store as the program of that version left it, with its journal closed.
void put_store(const TempStore& place, int version) {
  const std::string kind = place.on_server() ? "-postgres" : "";
  const std::string sql =
      read_file(fmt::format("{}/schema-{}{}.sql", stores_dir(), version, kind)).value();
  ASSERT_OK(make_dirs(place.txn_dir() + "/artifacts", 0700));
  if (place.on_server()) {
    ASSERT_OK(place.shell().execute(sql));
    return;
  }
  db::Database database =
      db::Database::open(place.database(), {.mode = db::OpenMode::kCreate}).value();
  ASSERT_OK(database.execute(sql));
}

// The state that its checkpoint names, where the log was pruned.
void put_checkpoint(const TempStore& place) {
  const std::string state = load_log_start(place.shell()).value().state;
  if (state.empty()) return;
  const std::string text = read_file(stores_dir() + "/checkpoint.jsonl").value();
  if (place.on_server()) {
    const db::Database shell = place.shell();
    db::Statement insert =
        shell.statement("INSERT INTO artifacts (digest, body) VALUES (?, ?)").value();
    insert.bind(1, state).bind_bytes(2, text);
    ASSERT_OK(insert.run());
    return;
  }
  const std::string dir = place.txn_dir() + "/artifacts/" + state.substr(0, 2);
  ASSERT_OK(make_dirs(dir, 0700));
  ASSERT_OK(write_file(dir + "/" + state.substr(2), text, Sync::kNo));
}

class EveryVersion : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(UntilToday, EveryVersion, ::testing::Range(1, kSchemaVersion + 1));

TEST_P(EveryVersion, OpensMigratesVerifiesAndCanBeGoneBackTo) {
  TempStore place;
  if (place.on_server() && GetParam() < 2) GTEST_SKIP() << "schema 2 is the first of servers";
  put_store(place, GetParam());
  const bool older = GetParam() < kSchemaVersion;
  if (GetParam() > 1) put_checkpoint(place);  // the first version could not prune
  const std::vector<std::string> before = log_lines(place.shell());
  ASSERT_FALSE(before.empty());
  {
    const auto store = Store::open(place.place(), place.clock);
    ASSERT_OK(store);
    const Seq pruned = load_log_start(store->tables()).value().pruned;
    EXPECT_EQ(store->head().value(), pruned + static_cast<Seq>(before.size()));
    EXPECT_THAT(store->verify()->problems, ::testing::IsEmpty());
    EXPECT_THAT(store->verify_replay()->problems, ::testing::IsEmpty());
  }
  EXPECT_EQ(log_lines(place.shell()), before);
  TempStore fresh;
  fresh.open();
  EXPECT_EQ(schema_text(place.shell()), schema_text(fresh.shell()));
  ASSERT_OK(place.open().next_slot());
  EXPECT_THAT(place.open().verify_replay()->problems, ::testing::IsEmpty());
  if (!older) return;
  put_copy_back(place, GetParam());
  const db::Database old = place.shell();
  EXPECT_EQ(version_of(old).value().schema, GetParam());
  EXPECT_EQ(log_lines(old), before);
}

}  // namespace
}  // namespace gittxn::store
