// A kill between any two statements of a change of the state: the store opens, the chain verifies,
// replaying gives the same, and the change is there as a whole or not at all and can be made again.
//
// Two stores live the same life. On the one each change is made by a process that dies at its first
// statement (of those that may change something), then by one that dies at the second, until one
// survives; on the other it is made once. Both have the same clock, so what a kill leaves must be,
// to the byte, what the other one was before the change or is after it. On a server the statements
// are drawn: it starts a session for each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "base/testing/child.h"
#include "store/events.h"
#include "store/log/consumers.h"
#include "store/log/pruning.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/sentinels.h"
#include "store/testing/check.h"
#include "store/testing/every_event.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"
#include "store/work/budgets.h"
#include "store/work/lease_moves.h"
#include "store/work/portfolio.h"
#include "store/work/workflows.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using gittxn::testing::in_child;
using gittxn::testing::status_of;
using gittxn::testing::was_killed;

constexpr int kMostStatements = 400;
constexpr std::uint64_t kServerStride = 9;

// All that a store knows, but for its name and where its pages are.
std::string picture(const Store& store) {
  const db::Database& tables = store.tables();
  std::string out;
  const Seq pruned = load_log_start(tables).value().pruned;
  std::vector<std::string> parts{fmt::format("events WHERE seq > {} ORDER BY seq", pruned),
                                 "positions ORDER BY consumer", "sentinels ORDER BY name"};
  for (const ProjectionTable& table : projection_tables()) {
    parts.push_back(fmt::format("{} ORDER BY {}", table.name, table.order));
  }
  for (const std::string& from : parts) {
    out += from + "\n";
    db::Statement query = tables.statement("SELECT * FROM " + from).value();
    while (query.step().value()) {
      for (int column = 0; column < query.columns(); ++column) out += query.text(column) + "|";
      out += "\n";
    }
  }
  return out;
}

using Verb = std::function<Status(Store&)>;

class Twins {
 public:
  Twins() : store_(whole_.open()) { (void)killed_.open(); }
  Store& store() { return store_; }  // the one where nobody is killed
  void advance(std::int64_t ms) {
    killed_.clock.advance(ms);
    whole_.clock.advance(ms);
  }
  const Clock& clock() const { return whole_.clock; }

  // kMade: once is enough. kAgain: made again it is success and changes nothing, so it is killed on
  // after its first transaction too.
  enum class Then { kMade, kAgain };
  void make(const std::string& name, const Verb& verb, Then then = Then::kMade) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, name);
    const std::string before = picture(store_);
    ASSERT_OK(verb(store_));
    const std::string after = picture(store_);
    ASSERT_NE(before, after) << "it changes nothing";
    if (then == Then::kAgain) ASSERT_OK(verb(store_));
    ASSERT_EQ(picture(store_), after);
    expect_sound(store_);
    for (int at = first(); at < kMostStatements; at += stride()) {
      const int status = make_in_child(verb, at);
      const std::string left = look(at);
      ASSERT_TRUE(left == before || left == after)
          << "killed at statement " << at << " it left neither the one nor the other\n"
          << left;
      const bool dead = was_killed(status);
      kills_ += dead ? 1 : 0;
      if (dead && (left == before || then == Then::kAgain)) continue;
      ASSERT_EQ(left, after) << "it was made, and is not there";
      ASSERT_TRUE(dead || status == 0) << "it fails after a kill";
      expect_sound(killed_.open());
      return;
    }
    FAIL() << "it has no end";
  }
  // On both, and nobody is killed.
  void follow(const Verb& verb) {
    ASSERT_OK(verb(store_));
    Store other = killed_.open();
    ASSERT_OK(verb(other));
    ASSERT_EQ(picture(other), picture(store_));
  }
  int kills() const { return kills_; }

  // How many statements a verb can be killed at and leave something else than all or nothing.
  int torn(const Verb& verb) {
    const std::string before = picture(store_);
    const bool made = verb(store_).has_value();
    const std::string after = picture(store_);
    for (int at = 1; made && at < kMostStatements; ++at) {
      const int status = make_in_child(verb, at);
      const auto left = Store::open(killed_.place(), killed_.clock);
      if (!left || (picture(*left) != before && picture(*left) != after)) return at;
      if (!was_killed(status)) return 0;
    }
    return 0;
  }

 private:
  int first() { return is_sampled() ? 1 + static_cast<int>(random_.below(4)) : 1; }
  int stride() { return is_sampled() ? 1 + static_cast<int>(random_.below(kServerStride)) : 1; }
  bool is_sampled() const { return gittxn::testing::kSanitized || whole_.on_server(); }

  int make_in_child(const Verb& verb, int at) {
    return status_of(in_child([&] {
      auto store = Store::open(killed_.place(), killed_.clock);
      if (!store || !Failpoint::arm(fmt::format("db.statement={}", at))) return 2;
      const Status made = verb(*store);
      if (!made) fmt::print(stderr, "{}\n", told_status(made));
      return made ? 0 : 3;
    }));
  }
  static std::string told_status(const Status& status) {
    return fmt::format("{}: {}", code_name(status.error().code), status.error().message);
  }

  std::string look(int at) {
    const auto left = Store::open(killed_.place(), killed_.clock);
    if (!left) {
      ADD_FAILURE() << "killed at statement " << at << " it does not open: " << told(left);
      return "";
    }
    return picture(*left);
  }
  // What a kill leaves is to the byte what was checked here, so once a change is enough.
  static void expect_sound(const Store& store) {
    for (const auto& report : {store.verify(), store.verify_replay()}) {
      ASSERT_TRUE(report) << told(report);
      EXPECT_TRUE(report->problems.empty()) << report->problems[0];
    }
  }

  TempStore killed_;
  TempStore whole_;
  Store store_;
  Random random_{gittxn::testing::campaign_seed(Random().next())};
  int kills_ = 0;
};

Status appended(Store& store, const std::vector<NewEvent>& events) {
  TRY(store.append(events));
  return {};
}
Verb append(std::vector<NewEvent> events) {
  return [events = std::move(events)](Store& store) { return appended(store, events); };
}

// Each type of event is killed the first time that it happens.
class Killing final : public Teller {
 public:
  explicit Killing(Twins& twins) : twins_(twins) {}
  void tell(const NewEvent& event) override {
    if (::testing::Test::HasFatalFailure()) return;
    const bool first = told_.insert(event.type).second;
    // By itself it says what is not so; it is killed as a part of pruning.
    if (event.type == event_type::kCheckpoint) return;
    if (first) return twins_.make(event.type, append({event}));
    twins_.follow(append({event}));
  }
  const std::set<std::string>& told_types() const { return told_; }

 private:
  Twins& twins_;
  std::set<std::string> told_;
};

TEST(Invariant1, AKillAtAnyStatementOfAnyEventLeavesItWholeOrNotAtAll) {
  Twins twins;
  Killing teller(twins);
  tell_every_event(teller, twins.store());
  for (const std::string& type : events::types()) {
    EXPECT_TRUE(teller.told_types().contains(type)) << type;
  }
  RecordProperty("kills", twins.kills());
  EXPECT_GT(twins.kills(), static_cast<int>(events::types().size()));
}

Workflow three_phase_workflow() {
  Workflow workflow;
  workflow.id = WorkflowId("w-1");
  workflow.name = "feature";
  workflow.branch = kMain;
  workflow.phases = {
      {.name = "plan", .state = PhaseState::kOpen}, {.name = "build"}, {.name = "ship"}};
  workflow.actor = "Ada";
  return workflow;
}

events::PhaseMove move_of(const Store& store, const std::string& from, const std::string& to) {
  events::PhaseMove move;
  move.workflow = WorkflowId("w-1");
  move.version = workflow(store, move.workflow).value()->version;
  move.from = from;
  move.to = to;
  move.actor = "Ada";
  move.reason = "the gate is broken";
  return move;
}

void begin_twins_in_phase(Twins& twins, const std::string& id) {
  Txn txn = new_txn(id);
  txn.workflow = "w-1";
  txn.phase = "plan";
  const Workflow now = workflow(twins.store(), WorkflowId("w-1")).value().value();
  const PhaseMember member{now.id, "plan", now.version, now.open()->version, Digest("g1")};
  twins.make("begin in a phase",
             append({events::txn_begun(txn), events::phase_joined(txn.id, member)}));
}

// The seed's flaw: a state that is committed, and its event after it.
TEST(F1, AKillLeavesNoStateWithoutItsEventsAndNoEventWithoutItsState) {
  Twins twins;
  twins.follow(append(
      {events::durable_head(kMain, oid(1)), events::workflow_created(three_phase_workflow())}));
  begin_twins_in_phase(twins, "t-1");
  twins.make("ask to land", append(until_prepared("t-2", oid(1), oid(9))));
  Ticket ticket;
  ticket.number = 4;
  ticket.branch = kMain;
  ticket.txn = TxnId("t-2");
  twins.make(
      "queue and prepare a landing",
      append({events::ticket_taken(ticket), landing_event(new_landing("t-2", oid(1), oid(2)))}));
  const auto prepared = twins.store().branch(kMain).value()->prepared;
  twins.make("land", append({events::transaction_landed(*prepared, {"a"}),
                             events::ticket_done(ticket, "its turn is over")}));
  twins.make("a slot", [](Store& store) -> Status {
    TRY(store.next_slot());
    return {};
  });
}

TEST(F7, AKillAtAnyStatementOfAMoveLeavesItsRecordWithIt) {
  Twins twins;
  twins.follow(append({events::workflow_created(three_phase_workflow())}));
  begin_twins_in_phase(twins, "t-1");
  events::PhaseMove over = move_of(twins.store(), "plan", "build");
  over.failed = {"test"};
  twins.make("override", append({events::phase_overridden(over)}));
  events::PhaseMove back = move_of(twins.store(), "build", "plan");
  back.cancelled = {TxnId("t-1")};
  twins.make("roll back", append({events::aborted(TxnId("t-1"), "its phase", "Ada"),
                                  events::phase_rolled_back(back)}));
  twins.make("advance", append({events::phase_advanced(move_of(twins.store(), "plan", "build"))}));
  twins.make("skip", append({events::phase_skipped(move_of(twins.store(), "build", "ship"))}));
}

LeaseAsk wants_files(const std::string& owner) {
  LeaseAsk ask;
  ask.subjects = {parse_lease_subject("src").value()};
  ask.owner = owner;
  ask.ttl_ms = 60'000;
  return ask;
}
Verb acquire(const std::string& owner) {
  return [owner](Store& store) -> Status {
    const LeaseAnswer answer = TRY(ask_lease(store, wants_files(owner), Line::kGoAway));
    return answer.lease.held ? Status() : Status(fail(Code::kBusy, "somebody has it"));
  };
}

TEST(Invariant1, AKillAtAnyStatementOfALeaseLeavesItHeldOnceOrFree) {
  Twins twins;
  twins.make("acquire", acquire("ann"));
  const auto id = [&] { return leases(twins.store()).value().at(0).id; };
  const auto renew = [was = id()](Store& store) -> Status {
    TRY(renew_lease(store, was, "ann", 90'000));
    return {};
  };
  twins.make("renew", renew);
  twins.advance(100'000);
  twins.make("take over", acquire("bob"));
  const auto transfer = [was = id()](Store& store) -> Status {
    TRY(transfer_lease(store, was, "bob", "cid"));
    return {};
  };
  twins.make("transfer", transfer);
  const auto release = [was = id()](Store& store) {
    return release_lease(store, was, "cid", "done");
  };
  twins.make("release", release);
  const auto pass = [&twins](Store& store) -> Status {
    TRY(pass_sentinel(store, twins.clock(), "backup", 1'000));
    return {};
  };
  twins.make("pass a sentinel", pass, Twins::Then::kAgain);
  twins.advance(1'001);
  twins.make("pass it again", pass, Twins::Then::kAgain);
  const auto reset = [](Store& store) -> Status {
    TRY(reset_sentinel(store, "backup"));
    return {};
  };
  twins.make("reset it", reset, Twins::Then::kAgain);
}

TEST(Invariant1, AKillAtAnyStatementOfAReportLeavesItsWarningsWithIt) {
  Twins twins;
  twins.follow(append({events::txn_begun(new_txn("t-1"))}));
  const Scope scope{Scope::Of::kTxn, "t-1"};
  twins.make("a budget", [&](Store& store) { return set_budget(store, scope, Kind::kInput, 100); });
  Usage usage;
  usage.txn = TxnId("t-1");
  usage.items = {{"answer-1", {90, 20}}, {"answer-2", {15}}};
  const auto report = [&](Store& store) { return report_usage(store, usage); };
  twins.make("a report that uses it up", report, Twins::Then::kAgain);
  const auto tighten = [&](Store& store) { return set_budget(store, scope, Kind::kInput, 50); };
  twins.make("a tighter budget, used up already", tighten);
  const auto compare = [&](Store& store) {
    std::vector<Reconciled> figures(2);
    figures[0].scope = figures[1].scope = scope;
    figures[1].kind = Kind::kOutput;
    return reconcile(store, figures);
  };
  twins.make("a bill", compare);
}

TEST(Invariant1, AKillAtAnyStatementOfAConsumersOrAPruningLosesNothing) {
  Twins twins;
  const auto join = [](Store& store) -> Status {
    Registration registration;
    registration.name = "audit";
    TRY(register_consumer(store, registration));
    return {};
  };
  twins.make("register", join, Twins::Then::kAgain);
  twins.follow(append(std::vector<NewEvent>(12, events::slot_reserved())));
  const auto acknowledged = [](Store& store) { return acknowledge(store, "audit", 7); };
  twins.make("acknowledge", acknowledged, Twins::Then::kAgain);
  twins.advance(90'000);
  const auto raise = [](Store& store) -> Status {
    TRY(raise_stale(store, 60'000));
    return {};
  };
  twins.make("raise that it does not move", raise, Twins::Then::kAgain);
  const auto pruned = [](Store& store) -> Status {
    TRY(prune(store, {.before = 6, .older_than_ms = std::nullopt, .actor = "Ada"}));
    return {};
  };
  twins.make("prune", pruned, Twins::Then::kAgain);
  const auto leave = [](Store& store) { return remove_consumer(store, "audit", "by hand"); };
  twins.make("remove", leave);
}

// What moves a workflow, as its log has it.
std::vector<Event> workflow_life(Store& store) {
  EXPECT_TRUE(store.append({events::workflow_created(three_phase_workflow())}).has_value());
  const std::vector<std::pair<std::string, std::string>> moves{
      {"plan", "build"}, {"build", "ship"}, {"ship", ""}};
  for (const auto& [from, to] : moves) {
    const auto moved = store.append({events::phase_advanced(move_of(store, from, to))});
    EXPECT_TRUE(moved.has_value()) << told(moved);
  }
  EXPECT_TRUE(store.append({events::phase_rolled_back(move_of(store, "", "plan"))}).has_value());
  return store.events(1, 0).value();
}

constexpr const char* kHome = "urn:uuid:home";
constexpr std::size_t kPiece = 2;  // events in one append, as a long relay has several

Status relay_in_pieces(Store& member, const std::vector<Event>& life) {
  for (std::size_t first = 0; first < life.size(); first += kPiece) {
    const std::size_t last = std::min(life.size(), first + kPiece);
    TRY(relay(member, kHome, "/home",
              {life.begin() + static_cast<std::ptrdiff_t>(first),
               life.begin() + static_cast<std::ptrdiff_t>(last)}));
  }
  return {};
}

// The hashes, there, of what a member was told, in the order of its log.
std::vector<std::string> told_to(const Store& member) {
  std::vector<std::string> hashes;
  const std::vector<Event> log = member.events(1, 0).value();
  for (const Event& event : log) {
    if (event.type != event_type::kRelayed) continue;
    hashes.push_back(parse_json(event.payload).value()["hash"].text());
  }
  return hashes;
}

TEST(Invariant1, AKillAtAnyStatementOfARelayTellsABeginningAndTheNextTellsTheRestOnce) {
  TempStore home_place;
  Store home = home_place.open();
  const std::vector<Event> life = workflow_life(home);
  std::vector<std::string> all;
  for (const Event& event : life) all.push_back(event.hash.str());
  ASSERT_GT(all.size(), 2 * kPiece);
  std::set<std::size_t> left;  // how many a kill left told
  Random random(gittxn::testing::campaign_seed(Random().next()));
  for (int at = 1; at < kMostStatements; ++at) {
    TempStore place;
    if (place.on_server()) at += static_cast<int>(random.below(kServerStride));
    (void)place.open();
    const int status = status_of(in_child([&] {
      auto member = Store::open(place.place(), place.clock);
      if (!member || !Failpoint::arm(fmt::format("db.statement={}", at))) return 2;
      return relay_in_pieces(*member, life) ? 0 : 3;
    }));
    Store member = place.open();
    const std::vector<std::string> told = told_to(member);
    ASSERT_LE(told.size(), all.size());
    ASSERT_TRUE(std::equal(told.begin(), told.end(), all.begin())) << "killed at statement " << at;
    ASSERT_TRUE(told.size() % kPiece == 0 || told.size() == all.size())
        << "killed at statement " << at << " one append was told in part: " << told.size();
    left.insert(told.size());
    // Whoever relays next, from the beginning or from where the member is.
    ASSERT_OK(relay_in_pieces(member, life));
    ASSERT_OK(relay_in_pieces(member, life));
    ASSERT_EQ(told_to(member), all) << "killed at statement " << at;
    ASSERT_EQ(relayed_until(member, kHome).value(), life.back().seq);
    ASSERT_TRUE(member.verify()->problems.empty());
    ASSERT_TRUE(member.verify_replay()->problems.empty());
    if (was_killed(status)) continue;
    ASSERT_EQ(status, 0);
    EXPECT_TRUE(place.on_server() || left.size() == 4u) << "nothing, one piece, two, and all";
    return;
  }
  FAIL() << "it has no end";
}

#ifdef GIT_TXN_BUGS
TEST(F1, TheStateBeforeItsEventIsTornByAKill) {
  TempStore place;
  NEEDS_A_FILE(place);  // what the bug does is SQLite's
  Twins twins;
  const auto torn = [&](const Verb& verb) {
    return twins.torn([&](Store& store) -> Status {
      arm_bug("store.state_before_event");
      const Status made = verb(store);
      arm_bug("");
      return made;
    });
  };
  EXPECT_GT(torn(append({events::txn_begun(new_txn("t-1"))})), 0);
}
#endif

}  // namespace
}  // namespace gittxn::store
