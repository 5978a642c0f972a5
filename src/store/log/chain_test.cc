// The chain finds every edit, gap and reordering (invariant 8), and replaying finds every edit of
// the derived state; random lives of a store replay to the same bytes at every event.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/fs.h"
#include "base/json.h"
#include "base/testing/campaign.h"
#include "store/log/feed.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

void tamper(const TempStore& place, const std::string& sql) {
  ASSERT_OK(place.tamper(sql));
}

constexpr int kEvents = 200;

class Chain : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store = place_.open();
    ASSERT_OK(store.append(std::vector<NewEvent>(kEvents, events::slot_reserved())));
  }
  // The problems that verify finds in a store that was opened before the edit.
  std::vector<std::string> after(const std::string& sql) {
    const Store store = place_.open();
    tamper(place_, sql);
    const auto report = store.verify();
    EXPECT_TRUE(report) << told(report);
    return report ? report->problems : std::vector<std::string>{};
  }
  TempStore place_;
};

TEST_F(Chain, IsWholeWhenNobodyTouchedIt) {
  EXPECT_TRUE(after("SELECT 1").empty());
  EXPECT_TRUE(Store::open(place_.place(), place_.clock));
}

TEST(Columns, AreAllUnderTheHash) {
  const std::vector<std::string> edits{
      "time = '2001-01-01T00:00:00.000Z'",
      "type = 'policy.trusted'",
      "subject = 'x'",
      "schema_version = 2",
      "dedup_key = 'other'",
      "payload = '{ }'",  // the same value, other bytes
      "prev_hash = '" + std::string(64, '1') + "'",
      "hash = '" + std::string(64, '2') + "'",
  };
  for (const std::string& edit : edits) {
    for (const int seq : {1, 50, kEvents}) {
      TempStore place;
      Store store = place.open();
      ASSERT_OK(store.append(std::vector<NewEvent>(kEvents, events::slot_reserved())));
      tamper(place, fmt::format("UPDATE events SET {} WHERE seq = {}", edit, seq));
      const auto report = store.verify();
      ASSERT_OK(report);
      ASSERT_FALSE(report->problems.empty()) << edit << " of event " << seq;
      EXPECT_NE(report->problems.front().find(std::to_string(seq)), std::string::npos)
          << report->problems.front();
    }
  }
}

TEST_F(Chain, FindsAGap) {
  const auto problems = after("DELETE FROM events WHERE seq BETWEEN 10 AND 12");
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems.front(), "events 10 to 12 are missing");
}

TEST_F(Chain, FindsAMissingBeginning) {
  const auto problems = after("DELETE FROM events WHERE seq <= 3");
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems.front(), "events 1 to 3 are missing");
}

TEST_F(Chain, FindsAReordering) {
  EXPECT_FALSE(after("UPDATE events SET seq = -1 WHERE seq = 20;"
                     "UPDATE events SET seq = 20 WHERE seq = 21;"
                     "UPDATE events SET seq = 21 WHERE seq = -1;")
                   .empty());
}

TEST_F(Chain, FindsAnEventPutInBetween) {
  EXPECT_FALSE(after("INSERT INTO events SELECT 201, time, type, subject, schema_version, 'k', "
                     "payload, prev_hash, hash FROM events WHERE seq = 200")
                   .empty());
}

TEST_F(Chain, FindsARewrittenEventWithARightHashOfItsOwn) {
  const Store store = place_.open();
  Event event = store.events(30, 1)->front();
  event.payload = R"({"forged":true})";
  tamper(place_, fmt::format("UPDATE events SET payload = '{}', hash = '{}' WHERE seq = 30",
                             event.payload, event_hash(event).str()));
  const auto report = store.verify();
  ASSERT_OK(report);
  ASSERT_FALSE(report->problems.empty());
  EXPECT_EQ(report->problems.front(), "event 31 does not follow event 30");
}

TEST_F(Chain, FindsATailThatWasCutOff) {
  const auto problems = after("DELETE FROM events WHERE seq > 190");
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems.front().find("a tail was cut off"), std::string::npos);
  EXPECT_CODE(Store::open(place_.place(), place_.clock), Code::kCorrupt);
}

TEST_F(Chain, OpeningLooksAtTheTailAndVerifyAtTheRest) {
  tamper(place_, "UPDATE events SET time = 'then' WHERE seq = 5");
  {
    const auto store = Store::open(place_.place(), place_.clock);
    ASSERT_OK(store);
    EXPECT_FALSE(store->verify()->problems.empty());
  }
  tamper(place_, "UPDATE events SET time = 'then' WHERE seq = 199");
  const auto refused = Store::open(place_.place(), place_.clock);
  EXPECT_CODE(refused, Code::kCorrupt);
  EXPECT_NE(refused.error().message.find("event 199 was edited"), std::string::npos);
}

TEST_F(Chain, DamageCanBeLookedAtButNotAddedTo) {
  tamper(place_, "UPDATE events SET time = 'then' WHERE seq = 199");
  auto store = Store::open_existing(place_.place(), place_.clock);
  ASSERT_OK(store);
  EXPECT_FALSE(store->verify()->problems.empty());
  EXPECT_CODE(store->next_slot(), Code::kCorrupt);
  EXPECT_EQ(store->head().value(), kEvents);
}

TEST_F(Chain, ListsOnlySoManyProblems) {
  EXPECT_LE(after("UPDATE events SET time = 'then'").size(), 51u);
}

// As a program that knows more would append it: hash, link and projections' mark are right.
void append_foreign(const TempStore& place, const std::string& type, int version,
                    const std::string& key) {
  db::Database shell = place.shell();
  const Event last = last_event(shell).value().value();
  Event event = last;
  event.seq = last.seq + 1;
  event.type = type;
  event.schema_version = version;
  event.dedup_key = key;
  event.prev_hash = last.hash;
  event.hash = event_hash(event);
  ASSERT_OK(insert_event(shell, event));
  ASSERT_OK(save_progress(shell, Progress{event.seq, event.hash.str()}));
}

TEST(Unknown, TypesAndVersionsAreFoundAndNothingIsWrittenAfterThem) {
  using ::testing::ElementsAre;
  using ::testing::HasSubstr;
  const std::vector<std::pair<std::string, int>> kinds{{"lease.borrowed", 1}, {"slot.reserved", 2}};
  for (const auto& [type, version] : kinds) {
    TempStore place;
    ASSERT_OK(place.open().append(std::vector<NewEvent>(kEvents, events::slot_reserved())));
    append_foreign(place, type, version, "foreign");
    const std::string said =
        fmt::format("event 201: '{}' of version {} is not known", type, version);
    const std::string file =
        place.on_server() ? std::string() : read_file(place.database()).value();
    const auto refused = Store::open(place.place(), place.clock);
    EXPECT_CODE(refused, Code::kNewer);
    EXPECT_THAT(refused.error().message, HasSubstr(said));
    EXPECT_THAT(refused.error().message, HasSubstr("newer"));
    EXPECT_FALSE(refused.error().hint.empty());
    if (!place.on_server()) {
      EXPECT_EQ(read_file(place.database()).value(), file);
    }
    auto looking = Store::open_existing(place.place(), place.clock);
    ASSERT_OK(looking);
    const auto report = looking->verify();
    ASSERT_OK(report);
    EXPECT_THAT(report->problems, ElementsAre(HasSubstr(said)));
    EXPECT_THAT(report->newer, ElementsAre(0u)) << "which is no damage";
    EXPECT_THAT(looking->verify_replay()->problems, ElementsAre(HasSubstr(said)));
    EXPECT_CODE(looking->next_slot(), Code::kNewer);
    EXPECT_EQ(looking->head().value(), kEvents + 1);
  }
}

TEST_F(Chain, FindsAKeyThatTwoEventsHave) {
  using ::testing::Contains;
  append_foreign(place_, "slot.reserved", 1, "mine");
  const Store store = place_.open();
  tamper(place_, place_.on_server()
                     ? "ALTER TABLE events DROP CONSTRAINT events_dedup_key_key"
                     : "CREATE TABLE other AS SELECT * FROM events; DROP TABLE events;"
                       "ALTER TABLE other RENAME TO events");
  append_foreign(place_, "slot.reserved", 1, "mine");
  EXPECT_THAT(store.verify()->problems, Contains("events 201 and 202 have the same key 'mine'"));
}

TEST_F(Chain, FindsAKeyThatAPrunedEventHad) {
  using ::testing::ElementsAre;
  append_foreign(place_, "slot.reserved", 1, "mine");
  EXPECT_THAT(after("INSERT INTO pruned_keys VALUES ('mine', 3, 'slot.reserved', '', '')"),
              ElementsAre("events 3 (pruned) and 201 have the same key 'mine'"));
}

TEST(Triggers, KeepAHonestMistakeOut) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.next_slot());
  db::Database database = place.shell();
  EXPECT_FALSE(database.execute("UPDATE events SET time = 'x'"));
  EXPECT_FALSE(database.execute("DELETE FROM events"));
  EXPECT_TRUE(store.verify()->problems.empty());
}

TEST(Triggers, AndIndexesOfTheLogThatWereTakenAwayAreFound) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.next_slot());
  EXPECT_THAT(store.verify()->problems, ::testing::IsEmpty());
  std::vector<std::string> gone{"log_begins_later_only", "events_by_type"};
  if (place.on_server()) {
    ASSERT_OK(
        place.shell().execute("DROP TRIGGER log_begins_later_only ON log;"
                              "ALTER TABLE events DISABLE TRIGGER events_arrive"));
    gone.insert(gone.begin() + 1, "events_arrive");
  } else {
    ASSERT_OK(place.shell().execute("DROP TRIGGER log_begins_later_only"));
  }
  ASSERT_OK(place.shell().execute("DROP INDEX events_by_type"));
  const std::vector<std::string> problems = store.verify()->problems;
  ASSERT_EQ(problems.size(), gone.size());
  for (std::size_t i = 0; i < gone.size(); ++i) {
    EXPECT_THAT(problems[i], ::testing::HasSubstr("'" + gone[i] + "'"));
  }
}

TEST_F(Chain, AnEventThatIsNoJsonIsNotGivenOut) {
  const Store store = place_.open();
  for (const char* payload :
       {"", "{", "{\"slot\":}", "{} {}", "{\"slot\":01}", "\"x\"", "{\"a\":\"\\"}) {
    tamper(place_, fmt::format("UPDATE events SET payload = '{}' WHERE seq = 20", payload));
    const EventBatch before = read_batch(store, 15, {}, 100).value();
    EXPECT_EQ(before.events.size(), 5u) << "what comes before it is good";
    EXPECT_EQ(before.seen, 19);
    EXPECT_FALSE(before.at_end);
    const auto refused = read_batch(store, 20, {}, 100);
    EXPECT_CODE(refused, Code::kCorrupt);
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("event 20 was edited"));
    EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("git txn verify"));
  }
  EXPECT_EQ(read_batch(store, 21, {}, 1000)->events.size(), 180u);
}

TEST_F(Chain, AnEventWithRareJsonIsGivenOut) {
  Store store = place_.open();
  ASSERT_OK(store.append({events::durable_head(RefName("refs/heads/caf\xc3\xa9"), oid(1))}));
  EXPECT_EQ(read_batch(store, kEvents, {}, 100)->events.size(), 2u);
}

// Every table that is derived, and every kind of edit of it.
TEST(Replay, FindsEveryEditOfTheState) {
  const std::vector<std::string> edits{
      "UPDATE txns SET body = replace(body, 'strict', 'snapshot')",
      "UPDATE txns SET state = 'landed' WHERE id = 't-2'",
      "UPDATE txns SET name = 'other' WHERE id = 't-2'",
      "DELETE FROM txns WHERE id = 't-2'",
      "UPDATE branches SET head = '" + oid(77).str() + "'",
      "UPDATE branches SET durable_head = ''",
      "UPDATE branches SET prepared_seq = 0",
      "DELETE FROM landed",
      "UPDATE landed SET txn = 't-2'",
      "DELETE FROM certificates",
      "UPDATE certificates SET body = replace(body, 'false', 'true')",
      "INSERT INTO trust VALUES ('ffff', 'Eve', 1)",
      "UPDATE tickets SET priority = 99",
      "DELETE FROM tickets",
  };
  for (const std::string& edit : edits) {
    TempStore place;
    Store store = place.open();
    ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
    ASSERT_OK(store.append(until_prepared("t-2", oid(1), oid(8))));
    ASSERT_OK(store.append({landing_event(new_landing("t-1", oid(1), oid(2)))}));
    ASSERT_OK(store.append({events::transaction_landed(*store.branch(kMain).value()->prepared)}));
    ASSERT_OK(store.append({landing_event(new_landing("t-2", oid(2), oid(3)))}));
    Certificate certificate;
    certificate.gate = GateName("test");
    ASSERT_OK(store.append({events::gate_evaluated(certificate),
                            events::ticket_taken({5, kMain, TxnId("t-3"), 0, "Ada"})}));
    tamper(place, edit);
    const auto report = store.verify_replay();
    ASSERT_OK(report);
    EXPECT_FALSE(report->problems.empty()) << edit;
    for (const std::string& problem : report->problems) EXPECT_LT(problem.size(), 300u) << problem;
    EXPECT_TRUE(store.verify()->problems.empty()) << "the log itself is whole";
  }
}

TEST(Replay, NamesTheRowAndWhatDiffersInIt) {
  using ::testing::ElementsAre;
  const std::vector<std::pair<std::string, std::string>> edits{
      {"UPDATE txns SET body = replace(body, 'strict', 'snapshot')",
       "txns begun_seq=1 id=t-1: body.isolation is 'snapshot', by the log 'strict'"},
      {"DELETE FROM txns", "txns begun_seq=1 id=t-1: this row of the log is missing"},
      {"INSERT INTO trust VALUES ('ffff', 'Eve', 1)", "trust hash=ffff: the log has no such row"},
      {"UPDATE txns SET body = replace(body, 'Ada <', 'Eve <'), name = 'other'",
       "txns begun_seq=1 id=t-1: body.owner is 'Eve <ada@example.org>', by the log "
       "'Ada <ada@example.org>'; name is 'other', by the log 'fix auth'"},
  };
  for (const auto& [edit, said] : edits) {
    TempStore place;
    Store store = place.open();
    ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
    tamper(place, edit);
    EXPECT_THAT(store.verify_replay()->problems,
                ElementsAre("stored state differs from the log: " + said));
  }
}

TEST(Replay, FindsAHistoryThatCouldNotHappen) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  ASSERT_OK(store.append({events::nothing(TxnId("t-1"), "")}));
  // With its hashes right: whoever can recompute the chain must still tell a possible story.
  Event event = store.events(2, 1)->front();
  event.type = event_type::kTransactionLanded;
  tamper(place, fmt::format("UPDATE events SET type = '{0}', hash = '{1}' WHERE seq = 2;"
                            "UPDATE progress SET hash = '{1}'",
                            event.type, event_hash(event).str()));
  EXPECT_TRUE(store.verify()->problems.empty());
  const auto report = store.verify_replay();
  ASSERT_OK(report);
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].find("event 2: "), 0u) << report->problems[0];
}

std::string live_state(const TempStore& place) {
  const db::Database database = place.shell();
  return canonical_json(projection_json(database).value());
}

// Random events, most of which may not happen: those leave nothing. Then the log is replayed to
// every event and must give what the live state was there.
TEST(Replay, GivesTheStateAtEveryEvent) {
  const std::uint64_t seed = Random().next();
  Random random(seed);
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, fmt::format("seed {}", seed));
  for (int life = 0; life < gittxn::testing::campaign_rounds(2); ++life) {
    TempStore place;
    std::map<Seq, std::string> states;
    int refused = 0;
    {
      Store store = place.open();
      states[0] = live_state(place);
      for (int step = 0; step < 200; ++step) {
        const Seq before = store.head().value();
        std::vector<NewEvent> list{random_event(store, random)};
        if (random.below(4) == 0) list.push_back(random_event(store, random));
        place.clock.advance(static_cast<std::int64_t>(random.below(2000)));
        const auto appended = store.append(list);
        if (appended) {
          states[store.head().value()] = live_state(place);
          continue;
        }
        ++refused;
        const Code code = appended.error().code;
        EXPECT_TRUE(code == Code::kStale || code == Code::kExists) << told(appended);
        EXPECT_EQ(store.head().value(), before);
        EXPECT_EQ(live_state(place), states[before]);
      }
    }
    const Store store = place.open();
    EXPECT_GT(states.size(), 15u);
    EXPECT_GT(refused, 20);
    EXPECT_TRUE(store.verify()->problems.empty());
    EXPECT_TRUE(store.verify_replay()->problems.empty());
    for (const auto& [seq, state] : states) {
      ASSERT_EQ(canonical_json(store.state_at(seq).value()), state) << "at event " << seq;
    }
    EXPECT_CODE(store.state_at(store.head().value() + 1), Code::kUsage);
    EXPECT_CODE(store.state_at(-1), Code::kUsage);
  }
}

}  // namespace
}  // namespace gittxn::store
