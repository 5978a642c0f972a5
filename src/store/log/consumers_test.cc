// Consumers: positions that nothing but their consumer moves (F4, invariant 3), stalls that are
// seen (F5), and the one order that all of them read in (F10).
#include "store/log/consumers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/bug.h"
#include "base/json.h"
#include "base/random.h"
#include "base/testing/child.h"
#include "store/log/feed.h"
#include "store/log/pruning.h"
#include "store/state.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

Registration durable(const std::string& name) {
  Registration registration;
  registration.name = name;
  return registration;
}
Registration ephemeral(const std::string& name, std::int64_t ttl_ms) {
  Registration registration = durable(name);
  registration.kind = ConsumerKind::kEphemeral;
  registration.ttl_ms = ttl_ms;
  return registration;
}

std::vector<Seq> delivered(const Store& store, const std::string& name) {
  const Consumer reader = usable_consumer(store, name).value();
  std::vector<Seq> seqs;
  Seq next = reader.position + 1;
  while (true) {
    const EventBatch batch = read_batch(store, next, {reader.types, ""}, 100).value();
    for (const Event& event : batch.events) seqs.push_back(event.seq);
    next = batch.seen + 1;
    if (batch.at_end) return seqs;
  }
}

class Consumers : public ::testing::Test {
 protected:
  void append(int count) {
    ASSERT_OK(store_.append(
        std::vector<NewEvent>(static_cast<std::size_t>(count), events::slot_reserved())));
  }
  TempStore place_;
  Store store_ = place_.open();
};

TEST(F4, ADurableConsumersPositionNeverExpires) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(register_consumer(store, durable("audit")));
  ASSERT_OK(register_consumer(store, ephemeral("view", kDay)));
  const Seq begin = usable_consumer(store, "audit")->position;
  for (int day = 0; day < 40; ++day) {
    ASSERT_OK(store.append({events::slot_reserved(), events::slot_reserved()}));
    place.clock.advance(kDay);
  }
  const std::vector<Seq> got = delivered(store, "audit");
  ASSERT_FALSE(got.empty());
  EXPECT_EQ(got.front(), begin + 1);
  EXPECT_EQ(got.back(), store.head().value());
  EXPECT_EQ(got.size(), static_cast<std::size_t>(store.head().value() - begin));
  // The other kind ends, says so, and does not begin again by itself.
  EXPECT_CODE(usable_consumer(store, "view"), Code::kStale);
  EXPECT_CODE(acknowledge(store, "view", store.head().value()), Code::kStale);
  EXPECT_CODE(usable_consumer(store, "view"), Code::kStale);
}

#ifdef GIT_TXN_BUGS
// The flawed mechanism: positions in a table whose rows end after a day.
TEST(F4, APositionThatEndsAfterADayLosesEvents) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(register_consumer(store, durable("audit")));
  ASSERT_OK(store.append({events::slot_reserved()}));
  place.clock.advance(kDay + 1);
  arm_bug("store.durable_ends");
  const auto found = usable_consumer(store, "audit");
  arm_bug("");
  EXPECT_CODE(found, Code::kStale);
}
#endif

TEST(F4, AClockThatJumpsEndsNothing) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(register_consumer(store, ephemeral("view", 60'000)));
  for (const std::int64_t jump : {kDay, -2 * kDay, kDay}) {
    place.clock.wall += jump;
    place.clock.boot += 1'000;
    ASSERT_OK(store.append({events::slot_reserved()}));
    ASSERT_OK(usable_consumer(store, "view"));
    EXPECT_TRUE(raise_stale(store, 60'000)->empty());
  }
  place.clock.boot += 60'000;
  EXPECT_CODE(usable_consumer(store, "view"), Code::kStale);
}

TEST(Invariant3, WhoDiesBetweenDeliveryAndAcknowledgementSeesTheEventAgain) {
  TempStore place;
  Seq first = 0;
  {
    Store store = place.open();
    ASSERT_OK(register_consumer(store, durable("audit")));
    ASSERT_OK(store.append({events::slot_reserved(), events::slot_reserved()}));
    const std::vector<Seq> got = delivered(store, "audit");
    ASSERT_EQ(got.size(), 2u);
    first = got[0];
  }  // it dies here
  Store store = place.open();
  EXPECT_EQ(delivered(store, "audit"), (std::vector<Seq>{first, first + 1}));
  ASSERT_OK(acknowledge(store, "audit", first));
  EXPECT_EQ(delivered(store, "audit"), std::vector<Seq>{first + 1});
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST_F(Consumers, AcknowledgeOnlyForwardAndNeverBeyondTheLog) {
  append(5);
  Registration all = durable("audit");
  all.from = Registration::From::kStart;
  ASSERT_OK(register_consumer(store_, all));
  EXPECT_EQ(usable_consumer(store_, "audit")->position, 0);
  ASSERT_OK(acknowledge(store_, "audit", 3));
  ASSERT_OK(acknowledge(store_, "audit", 3));
  EXPECT_CODE(acknowledge(store_, "audit", 2), Code::kStale);
  EXPECT_CODE(acknowledge(store_, "audit", -1), Code::kUsage);
  EXPECT_CODE(acknowledge(store_, "audit", store_.head().value() + 1), Code::kUsage);
  EXPECT_CODE(acknowledge(store_, "nobody", 1), Code::kUsage);
  EXPECT_EQ(usable_consumer(store_, "audit")->position, 3);
}

TEST_F(Consumers, ARegistrationAgainChangesNothing) {
  append(3);
  ASSERT_OK(register_consumer(store_, durable("audit")));
  append(3);
  const Seq head = store_.head().value();
  const Seq position = usable_consumer(store_, "audit")->position;
  Registration again = durable("audit");
  again.from = Registration::From::kStart;
  const auto same = register_consumer(store_, again);
  ASSERT_OK(same);
  EXPECT_EQ(same->position, position);
  EXPECT_EQ(store_.head().value(), head);
  EXPECT_CODE(register_consumer(store_, ephemeral("audit", 5)), Code::kExists);
}

TEST_F(Consumers, AreNotMixedUpWithTheirNamesakes) {
  append(3);
  ASSERT_OK(register_consumer(store_, durable("audit")));
  append(3);
  ASSERT_OK(acknowledge(store_, "audit", store_.head().value()));
  ASSERT_OK(remove_consumer(store_, "audit", "by hand"));
  EXPECT_CODE(remove_consumer(store_, "audit", "by hand"), Code::kUsage);
  Registration all = durable("audit");
  all.from = Registration::From::kSeq;
  all.seq = 2;
  ASSERT_OK(register_consumer(store_, all));
  EXPECT_EQ(usable_consumer(store_, "audit")->position, 1);
  EXPECT_TRUE(store_.verify_replay()->problems.empty());
}

TEST_F(Consumers, OfATypeGetOnlyThat) {
  Registration some = durable("audit");
  some.types = {"branch.durable"};
  ASSERT_OK(register_consumer(store_, some));
  append(9'000);  // more than are looked at at once
  ASSERT_OK(store_.append({events::durable_head(kMain, oid(1))}));
  EXPECT_EQ(delivered(store_, "audit"), std::vector<Seq>{store_.head().value()});
  const Pending waiting = pending(store_, *usable_consumer(store_, "audit")).value();
  EXPECT_EQ(waiting.events, 1);
  EXPECT_EQ(waiting.oldest, store_.head().value());
}

TEST_F(Consumers, HaveNamesThatAreNames) {
  for (const std::string& name :
       {std::string(), std::string("../x"), std::string("a b"), std::string("-x"),
        std::string("on/"), std::string("a/b"), std::string(65, 'a'), std::string("a\n"),
        std::string("caf\xc3\xa9")}) {
    EXPECT_CODE(register_consumer(store_, durable(name)), Code::kUsage);
  }
  ASSERT_OK(register_consumer(store_, durable("on/tell-me")));
  EXPECT_CODE(register_consumer(store_, ephemeral("x", 0)), Code::kUsage);
  EXPECT_CODE(register_consumer(store_, ephemeral("x", -5)), Code::kUsage);
}

TEST(F5, AConsumerThatDoesNotMoveIsRaisedOnceAStall) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(register_consumer(store, durable("audit")));
  place.clock.advance(40 * kDay);
  EXPECT_TRUE(raise_stale(store, 7 * kDay)->empty()) << "there was nothing for it";
  ASSERT_OK(store.append({events::slot_reserved()}));
  const Seq event = store.head().value();
  place.clock.advance(7 * kDay - 1);
  EXPECT_TRUE(raise_stale(store, 7 * kDay)->empty());
  place.clock.advance(1);
  EXPECT_EQ(raise_stale(store, 7 * kDay).value(), std::vector<std::string>{"audit"});
  EXPECT_TRUE(raise_stale(store, 7 * kDay)->empty());
  EXPECT_EQ(store.events(event + 1, 0)->front().type, event_type::kConsumerStale);
  ASSERT_OK(acknowledge(store, "audit", event));
  place.clock.advance(8 * kDay);
  EXPECT_EQ(raise_stale(store, 7 * kDay).value(), std::vector<std::string>{"audit"});
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

#ifdef GIT_TXN_BUGS
// The flawed mechanism: nobody looks for those that do not move, and pruning waits for them.
TEST(F5, WhereNobodyLooksAStallHoldsBackPruningUnseen) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(register_consumer(store, durable("audit")));
  ASSERT_OK(store.append({events::slot_reserved()}));
  place.clock.advance(8 * kDay);
  const PrunePlan plan =
      plan_prune(store, {.before = 3, .older_than_ms = std::nullopt, .actor = "Ada"}).value();
  EXPECT_FALSE(plan.holds.empty());
  arm_bug("store.stalls_unseen");
  const auto unseen = raise_stale(store, 7 * kDay);
  arm_bug("");
  ASSERT_OK(unseen);
  EXPECT_TRUE(unseen->empty());
  EXPECT_EQ(raise_stale(store, 7 * kDay).value(), std::vector<std::string>{"audit"});
}
#endif

constexpr int kAppenders = 4;
constexpr int kMarks = 40;

std::string mark(int appender, int number) {
  return fmt::format("{}-{:03}", appender, number);
}

// One of several that append at once: marks in pairs, and between them events of many types,
// allowed or not.
int append_marks(const TempStore& place, int appender, std::uint64_t seed) {
  Store store = place.open();
  Random random(seed + static_cast<std::uint64_t>(appender));
  for (int number = 0; number < kMarks; number += 2) {
    const Result<Seq> marked =
        store.append({events::trusted(Digest(mark(appender, number)), "x"),
                      events::trusted(Digest(mark(appender, number + 1)), "x")});
    if (!marked) return 1;
    (void)store.append({random_event(store, random)});  // a refusal is as good
  }
  return 0;
}

// What is wrong with the order in which somebody got the events after `begin`; "": nothing. The
// marks say in which order each appender appended; the log's numbers alone would not.
std::string wrong_order(const std::vector<Event>& got, Seq begin, Seq head) {
  Seq expected = begin;
  std::map<char, std::string> last;
  std::map<char, int> marks;
  for (const Event& event : got) {
    if (event.seq != ++expected) return fmt::format("{} after {}", event.seq, expected - 1);
    if (event.type != event_type::kTrusted || event.subject.find('-') != 1) continue;
    std::string& before = last[event.subject[0]];
    if (event.subject <= before) return event.subject + " after " + before;
    const bool second = (event.subject.back() - '0') % 2 == 1;
    if (second && got[static_cast<std::size_t>(event.seq - begin) - 2].subject != before) {
      return "something came between " + before + " and " + event.subject;
    }
    before = event.subject;
    ++marks[event.subject[0]];
  }
  if (expected != head) return fmt::format("it ends at {}, and the log at {}", expected, head);
  for (int appender = 0; appender < kAppenders; ++appender) {
    const int there = marks[static_cast<char>('0' + appender)];
    if (there != kMarks) return fmt::format("{} marks of {}", there, appender);
  }
  return "";
}

// Several append at once, of many types; a consumer that dies now and then gets each event, from
// the one after its registration to the head, in the order in which they were appended.
TEST(F10, ThereIsOneOrderOfAllTypes) {
  const std::uint64_t seed = Random().next();
  Random random(seed);
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, fmt::format("seed {}", seed));
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::slot_reserved()}));
  ASSERT_OK(register_consumer(store, durable("all")));
  const Seq begin = usable_consumer(store, "all")->position;
  ASSERT_EQ(begin, store.head().value());
  std::vector<pid_t> appenders;
  for (int i = 0; i < kAppenders; ++i) {
    appenders.push_back(gittxn::testing::in_child([&] { return append_marks(place, i, seed); }));
  }
  std::vector<Event> got;
  const auto read_some = [&] {
    const Consumer reader = usable_consumer(store, "all").value();
    const int limit = 1 + static_cast<int>(random.below(5));
    const EventBatch batch = read_batch(store, reader.position + 1, {}, limit).value();
    if (batch.events.empty()) return false;
    if (random.below(3) == 0) return true;  // it died before acknowledging
    got.insert(got.end(), batch.events.begin(), batch.events.end());
    EXPECT_TRUE(acknowledge(store, "all", batch.seen).has_value());
    return true;
  };
  for (const pid_t appender : appenders) {
    int status = 0;
    while (::waitpid(appender, &status, WNOHANG) == 0) read_some();
    EXPECT_EQ(status, 0);
  }
  while (read_some()) {
  }
  std::set<std::string> types;
  for (const Event& event : got) types.insert(event.type);
  EXPECT_GT(types.size(), 4u);
  EXPECT_EQ(wrong_order(got, begin, store.head().value()), "");
  // The flawed mechanism: a cursor for each table of events, read in turns.
  std::ranges::stable_partition(
      got, [](const Event& event) { return event.type == event_type::kTrusted; });
  EXPECT_NE(wrong_order(got, begin, store.head().value()), "");
}

// F1: whatever kills an append, state and event are both there or neither is.
TEST(F1, EventsAreInTheTransactionOfTheirState) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(register_consumer(store, durable("all")));
  const Seq head = store.head().value();
  const auto failing = store.append(
      {events::durable_head(kMain, oid(1)), events::outside_move(kMain, oid(7), oid(2), "x")});
  EXPECT_CODE(failing, Code::kStale);
  EXPECT_EQ(store.head().value(), head);
  EXPECT_FALSE(store.branch(kMain).value());
  EXPECT_TRUE(delivered(store, "all").empty());
}

TEST_F(Consumers, ReadWhatWasAppendedAfterTheBatchInTheNext) {
  append(10);
  const EventBatch batch = read_batch(store_, 1, {}, 4).value();
  EXPECT_EQ(batch.seen, 4);
  EXPECT_FALSE(batch.at_end);
  const EventBatch rest = read_batch(store_, 5, {}, 100).value();
  EXPECT_EQ(rest.seen, 10);
  EXPECT_TRUE(rest.at_end);
  append(1);
  EXPECT_EQ(read_batch(store_, rest.seen + 1, {}, 100)->events.size(), 1u);
}

// Each line has every column, so whoever has the lines can check the chain alone.
TEST_F(Consumers, GetLinesThatProveTheChain) {
  ASSERT_OK(store_.append(until_prepared("t-1", oid(1), oid(9))));
  const std::string source = log_uri(store_).value();
  std::string previous(64, '0');
  const std::vector<Event> all = store_.events(1, 0).value();
  for (const Event& event : all) {
    const Json line = parse_json(cloud_event(event, source)).value();
    EXPECT_EQ(line["specversion"], "1.0");
    EXPECT_EQ(line["id"], std::to_string(event.seq));
    EXPECT_EQ(line["source"], source);
    EXPECT_EQ(line["dataschema"], schema_uri(event.type, 1));
    EXPECT_EQ(line["prevhash"], previous);
    Event again;
    again.seq = std::stoll(line["sequence"].text());
    again.time = line["time"].text();
    again.type = line["type"].text();
    again.subject = line["subject"].text_or("");
    again.dedup_key = line["dedupkey"].text();
    again.payload = canonical_json(line["data"]);
    again.prev_hash = Digest(line["prevhash"].text());
    EXPECT_EQ(event_hash(again).str(), line["hash"].text());
    previous = line["hash"].text();
    for (const auto& [name, value] : line.items()) {
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace gittxn::store
