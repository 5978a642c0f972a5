// A PostgreSQL server that is not there, not ours, read-only, or restarted under a client: an error
// that names the next step, nothing half done, and nothing lost that was acknowledged.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <thread>

#include "base/bug.h"
#include "base/subprocess.h"
#include "base/testing/child.h"
#include "store/events.h"
#include "store/server/dialect.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"
#include "store/work/leases.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ServerTrouble : public ::testing::Test {
 protected:
  void SetUp() override {
    NEEDS_POSTGRES();
    schema_.emplace();
  }
  Location place() const {
    Location place(dir_.at("txn"));
    place.url = *db::testing::postgres_url();
    place.schema = schema_->name();
    return place;
  }
  // Refused, and with a next step.
  void refused(const Location& where, Code code, const std::string& said) {
    const auto store = Store::open(where, clock_);
    ASSERT_FALSE(store) << "it opened";
    EXPECT_EQ(store.error().code, code) << told(store);
    EXPECT_THAT(store.error().message + store.error().hint, HasSubstr(said));
    EXPECT_FALSE(store.error().hint.empty()) << told(store);
  }
  std::int64_t tables() const {
    db::Database shell = schema_->connect().value();
    db::Statement query =
        shell.statement("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")
            .value();
    EXPECT_TRUE(query.step().value());
    return query.integer(0);
  }

  SystemClock clock_;
  gittxn::testing::TempDir dir_;
  std::optional<db::testing::PostgresSchema> schema_;
};

TEST_F(ServerTrouble, ADeadAddressSaysWhatToCheck) {
  Location nowhere = place();
  nowhere.url = "postgresql://txn@127.0.0.1:1/shop";
  refused(nowhere, Code::kFault, "txn.store");
  nowhere.url = "postgresql:///postgres?host=" + dir_.at("no-socket") + "&user=txn";
  refused(nowhere, Code::kFault, "txn.store");
}

// By the server's clock, which says the version too.
TEST_F(ServerTrouble, ANewerProgramThatTookItOverIsSeenByThoseThatHaveItOpen) {
  auto store = Store::open(place(), clock_);
  ASSERT_OK(store->next_slot());
  db::Database shell = schema_->connect().value();
  ASSERT_OK(shell.execute(fmt::format("UPDATE layout SET version = {}", kSchemaVersion + 1)));
  EXPECT_CODE(store->next_slot(), Code::kNewer);
  EXPECT_CODE(store->put_artifact("x"), Code::kNewer);
  EXPECT_EQ(store->head().value(), 1);
  // Between two versions it is a store of neither.
  ASSERT_OK(shell.execute("DELETE FROM layout"));
  EXPECT_CODE(store->next_slot(), Code::kCorrupt);
  ASSERT_OK(shell.execute("DROP TABLE layout"));
  const auto gone = store->next_slot();
  EXPECT_CODE(gone, Code::kFault);
  EXPECT_THAT(gone.error().hint, HasSubstr("txn.storeSchema"));
  EXPECT_EQ(store->head().value(), 1);
}

TEST_F(ServerTrouble, ASchemaWhoseNameIsANumberIsCopiedToo) {
  Location numbered = place();
  numbered.schema = schema_->name().substr(1);  // without its letter
  ASSERT_OK(Store::open(numbered, clock_)->next_slot());
  db::Database database = db::Database::connect(numbered.url, numbered.schema, {}).value();
  {
    const auto moment = db::Transaction::begin(database, db::Transaction::Kind::kWrite);
    ASSERT_OK(keep_copy(database, numbered.schema, kSchemaVersion));
  }
  ASSERT_OK(database.execute(fmt::format("DROP SCHEMA \"{}\" CASCADE", numbered.schema)));
}

TEST_F(ServerTrouble, AForeignSchemaIsLeftAlone) {
  db::Database shell = schema_->connect().value();
  ASSERT_OK(shell.execute("CREATE TABLE events (seq bigint, what text)"));
  refused(place(), Code::kCorrupt, fmt::format("'{}' is not a git-txn store", schema_->name()));
  refused(place(), Code::kCorrupt, "git config txn.storeSchema");
  EXPECT_EQ(tables(), 1);
}

TEST_F(ServerTrouble, AnAccountWithoutRightsIsToldSo) {
  ASSERT_OK(Store::open(place(), clock_)->next_slot());
  db::Database shell = schema_->connect().value();
  const std::string role = schema_->name() + "_stranger";
  ASSERT_OK(shell.execute("CREATE ROLE " + role));
  Location stranger = place();
  stranger.url += "&options=-c%20role%3D" + role;
  refused(stranger, Code::kFault, "permission denied for schema");
  refused(stranger, Code::kFault, "check the account");
  const auto looked = Store::open_existing(stranger, clock_);
  EXPECT_CODE(looked, Code::kFault);
  ASSERT_OK(shell.execute("DROP ROLE " + role));
}

TEST_F(ServerTrouble, ATableThatIsGoneIsNamed) {
  ASSERT_OK(Store::open(place(), clock_)->next_slot());
  auto store = Store::open(place(), clock_);
  ASSERT_OK(store);
  db::Database shell = schema_->connect().value();
  ASSERT_OK(shell.execute("DROP TABLE leases"));
  const auto asked = lease(*store, "l-1");
  EXPECT_CODE(asked, Code::kFault);
  EXPECT_THAT(asked.error().hint, HasSubstr("txn.storeSchema"));
  refused(place(), Code::kCorrupt, "'leases'");
}

TEST_F(ServerTrouble, AMissingStoreOrDatabaseSaysWhatToMake) {
  const auto looked = Store::open_existing(place(), clock_);
  EXPECT_CODE(looked, Code::kNotFound);
  EXPECT_THAT(looked.error().hint, HasSubstr("git txn init"));
  EXPECT_EQ(tables(), 0) << "looking makes nothing";
  Location missing = place();
  missing.url = *db::testing::postgres_url() + "&dbname=nobody_made_it";
  refused(missing, Code::kFault, "nobody_made_it");
}

TEST_F(ServerTrouble, AStandbyIsNamedAndChangesNothing) {
  ASSERT_OK(Store::open(place(), clock_)->next_slot());
  Location standby = place();
  standby.url += "&options=-c%20default_transaction_read_only%3Don";
  auto store = Store::open(standby, clock_);
  ASSERT_OK(store);
  const auto refused = store->append({events::slot_reserved()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("primary"));
  EXPECT_EQ(store->head().value(), 1) << "reading goes on";
}

// Appends until it is told to stop, tells each number that it was given, and opens the store anew
// whenever the server is gone.
int appends_through_it(const Location& where, const Clock& clock, int tell, int stop) {
  int failures = 0;
  auto store = Store::open(where, clock);
  for (char byte = 0; ::read(stop, &byte, 1) < 0;) {
    if (!store) {
      SystemClock().sleep_ms(20);
      store = Store::open(where, clock);
      continue;
    }
    const auto slot = store->next_slot();
    if (slot) {
      if (::write(tell, &*slot, sizeof(*slot)) != sizeof(*slot)) return 2;
      continue;
    }
    const Code code = slot.error().code;
    if (slot.error().hint.empty()) return 3;
    if (code != Code::kFault && code != Code::kOutcomeUnknown) return 4;
    ++failures;
    store = Store::open(where, clock);
  }
  return failures > 0 ? 0 : 5;  // it was not there when the server was restarted
}

TEST_F(ServerTrouble, WithPatienceARestartIsWaitedFor) {
  const char* restart = std::getenv("GIT_TXN_TEST_POSTGRES_RESTART");
  ASSERT_NE(restart, nullptr);
  Location patient = place();
  int waits = 0;
  patient.patience.wait_ms = 60'000;
  patient.patience.on_wait = [&](std::string_view why) { waits += why.empty() ? 0 : 1; };
  auto store = Store::open(patient, clock_);
  ASSERT_OK(store);
  const pid_t child = gittxn::testing::in_child([&] {
    Command command;
    command.argv = {restart};
    command.env = environment_from(environ);
    const auto restarted = run(command);
    return restarted && restarted->exit.success() ? 0 : 1;
  });
  const std::int64_t end_ns = clock_.monotonic_ns() + 30'000'000'000;
  Seq last = 0;
  while (waits == 0 && clock_.monotonic_ns() < end_ns) {
    const auto next = store->next_slot();
    ASSERT_OK(next);
    EXPECT_GT(*next, last);
    last = *next;
  }
  EXPECT_EQ(gittxn::testing::status_of(child), 0);
  ASSERT_OK(store->head());
  // An address where nobody ever was is not waited for.
  Location nowhere = patient;
  nowhere.url = "postgresql://nobody.invalid/shop";
  const std::int64_t begin_ns = clock_.monotonic_ns();
  EXPECT_CODE(Store::open(nowhere, clock_), Code::kFault);
  EXPECT_LT(clock_.monotonic_ns() - begin_ns, 30'000'000'000);
}

// Ends the connection of the store's commit once it waits for `event`, after `before`.
void end_the_commit(db::Database& shell, const std::string& event, const std::string& before) {
  SystemClock clock;
  const std::int64_t end_ns = clock.monotonic_ns() + 60'000'000'000;
  while (clock.monotonic_ns() < end_ns) {
    db::Statement query =
        shell
            .statement("SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = ?")
            .value();
    query.bind_all(event);
    if (query.step().value()) {
      const std::int64_t pid = query.integer(0);
      ASSERT_OK(shell.execute(before));
      ASSERT_OK(shell.execute(fmt::format("SELECT pg_terminate_backend({})", pid)));
      return;
    }
    clock.sleep_ms(10);
  }
  FAIL() << "no commit waited for " << event;
}

// The next commit of events takes long.
void take_long_once(db::Database& shell) {
  ASSERT_OK(shell.execute("CREATE TABLE IF NOT EXISTS slow (once BOOLEAN)"));
  ASSERT_OK(shell.execute("INSERT INTO slow VALUES (true)"));
  ASSERT_OK(shell.execute(
      "CREATE OR REPLACE FUNCTION wait_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "IF EXISTS (SELECT 1 FROM slow) THEN PERFORM pg_sleep(8); END IF; RETURN NULL; END $$"));
  ASSERT_OK(shell.execute("DROP TRIGGER IF EXISTS slow ON events"));
  ASSERT_OK(
      shell.execute("CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON events DEFERRABLE INITIALLY "
                    "DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_once()"));
}

TEST_F(ServerTrouble, ACommitThatNeverWasIsToldSoOrMadeAnew) {
  for (const std::int64_t wait_ms : {0, 60'000}) {
    Location where = place();
    where.patience.wait_ms = wait_ms;
    auto store = Store::open(where, clock_);
    ASSERT_OK(store);
    const Seq before = store->next_slot().value();
    db::Database shell = schema_->connect().value();
    take_long_once(shell);
    std::thread other([&] { end_the_commit(shell, "PgSleep", "DELETE FROM slow"); });
    const auto next = store->next_slot();
    other.join();
    if (wait_ms == 0) {
      EXPECT_CODE(next, Code::kFault);
      EXPECT_TRUE(db::is_lost_connection(next.error())) << told(next);
      EXPECT_EQ(store->head().value(), before);
      EXPECT_EQ(store->next_slot().value(), before + 1) << "and it goes on";
    } else {
      ASSERT_OK(next);
      EXPECT_EQ(*next, before + 1);
      EXPECT_EQ(store->head().value(), before + 1) << "once";
    }
    EXPECT_THAT(store->verify()->problems, IsEmpty());
  }
}

TEST_F(ServerTrouble, ACommitThatHappenedAlthoughItsAnswerWasLostIsOne) {
  auto store = Store::open(place(), clock_);
  ASSERT_OK(store);
  Seq last = store->next_slot().value();
  db::Database shell = schema_->connect().value();
  // It is on the disk, and its answer waits for a standby that is not there. A commit waits only
  // once the server's checkpointer has read the setting, which a running checkpoint delays.
  ASSERT_OK(shell.execute("SET synchronous_commit = local"));
  ASSERT_OK(shell.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'"));
  ASSERT_OK(shell.execute("SELECT pg_reload_conf()"));
  std::atomic<bool> ended = false;
  std::thread other([&] {
    const char* reset = "ALTER SYSTEM RESET synchronous_standby_names";
    end_the_commit(shell, "SyncRep", reset);
    EXPECT_TRUE(shell.execute(reset));  // also when none waited: the server has other tests
    EXPECT_TRUE(shell.execute("SELECT pg_reload_conf()"));
    ended = true;
  });
  while (!ended) {
    const auto next = store->next_slot();
    EXPECT_TRUE(next) << told(next);
    if (next) EXPECT_EQ(*next, last + 1);
    last = next.value_or(last);
    EXPECT_EQ(store->head().value(), last) << "once";
  }
  other.join();
  EXPECT_EQ(store->next_slot().value(), last + 1);
  EXPECT_THAT(store->verify()->problems, IsEmpty());
}

#ifdef GIT_TXN_BUGS
TEST_F(ServerTrouble, NobodyLooksUpWhatBecameOfACommit) {
  auto store = Store::open(place(), clock_);
  ASSERT_OK(store);
  db::Database shell = schema_->connect().value();
  take_long_once(shell);
  arm_bug("store.commit_unknown");
  std::thread other([&] { end_the_commit(shell, "PgSleep", "DELETE FROM slow"); });
  const auto next = store->next_slot();
  other.join();
  arm_bug("");
  EXPECT_CODE(next, Code::kOutcomeUnknown);
}
#endif

TEST_F(ServerTrouble, ARestartLosesNothingThatWasAcknowledged) {
  const char* restart = std::getenv("GIT_TXN_TEST_POSTGRES_RESTART");
  ASSERT_NE(restart, nullptr);
  (void)Store::open(place(), clock_).value();
  int told_ends[2];
  int stop_ends[2];
  ASSERT_EQ(::pipe(told_ends), 0);
  ASSERT_EQ(::pipe2(stop_ends, O_NONBLOCK), 0);
  const pid_t child = gittxn::testing::in_child([&] {
    ::close(told_ends[0]);
    return appends_through_it(place(), clock_, told_ends[1], stop_ends[0]);
  });
  ::close(told_ends[1]);
  std::set<std::int64_t> acknowledged;
  std::int64_t slot = 0;
  const auto read_until = [&](Seq last) {
    while (slot < last && ::read(told_ends[0], &slot, sizeof(slot)) == sizeof(slot)) {
      acknowledged.insert(slot);
    }
  };
  read_until(20);
  Command command;
  command.argv = {restart};
  command.env = environment_from(environ);
  const auto restarted = run(command);
  ASSERT_OK(restarted);
  ASSERT_TRUE(restarted->exit.success()) << restarted->out << restarted->err;
  read_until(Store::open(place(), clock_)->head().value() + 10);
  ASSERT_EQ(::write(stop_ends[1], "x", 1), 1);
  read_until(std::numeric_limits<Seq>::max());
  EXPECT_EQ(gittxn::testing::status_of(child), 0);
  auto store = Store::open(place(), clock_);
  ASSERT_OK(store);
  EXPECT_LE(static_cast<Seq>(acknowledged.size()), store->head().value());
  EXPECT_EQ(*acknowledged.rbegin(), store->head().value()) << "the last one was acknowledged";
  EXPECT_THAT(store->verify()->problems, IsEmpty());
  EXPECT_THAT(store->verify_replay()->problems, IsEmpty());
}

}  // namespace
}  // namespace gittxn::store
