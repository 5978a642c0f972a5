// A log that is stored goes on to mean what it meant: the one with every type of event, written
// once and never edited (testing/golden_log.h), holds, replays, is what the published schemas say,
// and goes on. Whoever changes an event and its schema together meets this.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "store/events.h"
#include "store/log/pruning.h"
#include "store/rows.h"
#include "store/testing/check.h"
#include "store/testing/every_event.h"
#include "store/testing/golden_log.h"
#include "store/testing/json_schema.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Its first edition ended with this event. The chain keeps all that is before it.
constexpr Seq kFirstEdition = 102;
constexpr const char* kFirstHash =
    "732bb2c17b359a77ab4e0b08b9b47534d0587573520bac59d5d16921fe39131d";

std::string events_file() {
  return stores_dir() + "/events.jsonl";
}
std::string checkpoint_file() {
  return stores_dir() + "/checkpoint.jsonl";
}

std::set<std::string> types_in(const std::vector<Event>& events) {
  std::set<std::string> types;
  for (const Event& event : events) types.insert(event.type);
  return types;
}

// Appends what it is told of to one store, and keeps those that are wanted.
class Keeping final : public Teller {
 public:
  Keeping(Store& store, std::set<std::string> unwanted)
      : store_(store), unwanted_(std::move(unwanted)) {}
  void tell(const NewEvent& event) override {
    // One that prunes is made by pruning, or the log would not begin where it says.
    if (event.type == event_type::kCheckpoint) return;
    ASSERT_OK(store_.append({event}));
    if (!unwanted_.contains(event.type)) kept.push_back(event);
  }
  std::vector<NewEvent> kept;

 private:
  Store& store_;
  std::set<std::string> unwanted_;
};

// The first edition, when there is none.
void write_first() {
  TempStore place;
  Store store = place.open();
  Keeping teller(store, {});
  tell_every_event(teller, store);
  std::string lines;
  const auto list = store.events(1, 0).value();
  for (const Event& event : list) lines += event_line(event);
  const Seq head = store.head().value();
  ASSERT_OK(prune(store, {.before = head + 1, .older_than_ms = std::nullopt, .actor = "Ada"}));
  const auto marks = store.events(head + 1, 0).value();
  for (const Event& event : marks) lines += event_line(event);
  const LogStart start = load_log_start(store.tables()).value();
  ASSERT_OK(write_file(checkpoint_file(), store.artifact(Digest(start.state)).value(), Sync::kNo));
  ASSERT_OK(write_file(events_file(), lines, Sync::kNo));
}

// What every_event tells and the file does not have follows its last event.
void write_new_types() {
  const std::vector<Event> before = golden_events().value();
  TempStore scratch;
  Store life = scratch.open();
  Keeping teller(life, types_in(before));
  tell_every_event(teller, life);
  if (teller.kept.empty()) return;
  TempStore place;
  Store store = place.open();
  ASSERT_OK(put_log(place, before));
  ASSERT_OK(store.append(teller.kept));  // they have to be possible after the others
  std::string lines = read_file(events_file()).value();
  const auto list = store.events(before.back().seq + 1, 0).value();
  for (const Event& event : list) {
    lines += event_line(event);
  }
  ASSERT_OK(write_file(events_file(), lines, Sync::kNo));
}

std::string told_file() {
  return stores_dir() + "/told.txt";
}
std::string told_events() {
  std::string lines;
  const auto list = golden_events().value();
  for (const Event& event : list) {
    lines += fmt::format("{} {}: {}\n", event.seq, event.type, events::describe(event));
  }
  return lines;
}

class EventGoldens : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* mode = std::getenv("GIT_TXN_GOLDEN");
    if (mode == nullptr || std::string_view(mode) != "write") return;
    if (!exists(events_file()).value()) write_first();
    write_new_types();
    ASSERT_OK(write_file(told_file(), told_events(), Sync::kNo));
  }
};

TEST_F(EventGoldens, HaveEveryTypeOfToday) {
  const std::set<std::string> there = types_in(golden_events().value());
  for (const std::string& type : events::types()) {
    EXPECT_TRUE(there.contains(type))
        << type << " is not in " << events_file() << ": append it with GIT_TXN_GOLDEN=write";
  }
}

TEST_F(EventGoldens, WereNeverWrittenAnew) {
  const std::vector<Event> log = golden_events().value();
  ASSERT_GE(log.size(), static_cast<std::size_t>(kFirstEdition));
  EXPECT_EQ(log[kFirstEdition - 1].hash.str(), kFirstHash)
      << "whoever has a store has these events: make the program read them";
  // As they were stored, to the byte.
  std::string lines;
  for (const Event& event : log) lines += event_line(event);
  EXPECT_EQ(lines, read_file(events_file()).value());
}

TEST_F(EventGoldens, AreWhatTheSchemasOfTodaySay) {
  const auto list = golden_events().value();
  for (const Event& event : list) {
    const auto schema = published_schema(event.type);
    ASSERT_TRUE(schema) << event.type;
    const Json payload = parse_json(event.payload).value();
    EXPECT_EQ(schema_problem(*schema, payload), "") << "event " << event.seq;
    EXPECT_EQ(canonical_json(payload), event.payload) << "event " << event.seq;
    EXPECT_EQ(events::describe(event).find("(unreadable)"), std::string::npos) << event.seq;
  }
}

TEST_F(EventGoldens, AreToldAsTheyWere) {
  EXPECT_EQ(told_events(), read_file(told_file()).value());
}

TEST_F(EventGoldens, HoldReplayAndGoOn) {
  TempStore place;
  {
    const Store made = place.open();
  }
  const std::vector<Event> log = golden_events().value();
  ASSERT_OK(put_log(place, log));
  Store store = place.open();
  EXPECT_EQ(store.head().value(), static_cast<Seq>(log.size()));
  // All of them are here, although one of them says that the first were pruned.
  EXPECT_THAT(store.verify()->problems, ElementsAre(HasSubstr("the log begins after event 0")));
  EXPECT_THAT(store.verify_replay()->problems, IsEmpty());
  ASSERT_OK(store.next_slot());
  EXPECT_THAT(store.verify_replay()->problems, IsEmpty());
}

TEST_F(EventGoldens, GoOnFromTheirCheckpoint) {
  TempStore place;
  Store store = place.open();
  const auto state = store.put_artifact(read_file(checkpoint_file()).value());
  ASSERT_OK(state);
  const std::vector<Event> log = golden_events().value();
  Json said;
  for (const Event& event : log) {
    if (event.type == event_type::kCheckpoint) said = parse_json(event.payload).value();
  }
  ASSERT_EQ(said["state"].text(), state->str());
  LogStart start = load_log_start(store.tables()).value();
  start.pruned = said["seq"].get<Seq>();
  start.hash = said["hash"].text();
  start.state = state->str();
  {
    db::Database shell = place.shell();
    ASSERT_OK(save_log_start(shell, start));
  }
  ASSERT_OK(put_log(place, log));
  EXPECT_THAT(store.verify()->problems, IsEmpty());
  EXPECT_THAT(store.verify_replay()->problems, IsEmpty());
  ASSERT_OK(
      prune(store, {.before = start.pruned + 1, .older_than_ms = std::nullopt, .actor = "Ada"}));
  EXPECT_EQ(store.events(1, 1)->front().seq, start.pruned + 1) << "what was left is swept away";
  EXPECT_THAT(store.verify()->problems, IsEmpty());
  EXPECT_THAT(store.verify_replay()->problems, IsEmpty());
}

}  // namespace
}  // namespace gittxn::store
