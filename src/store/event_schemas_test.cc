// The published schema of each event's payload (share/schemas/events) and what the projection takes
// are the same: what a builder makes passes both, and a field too few or too many passes neither.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/fs.h"
#include "store/budgets.h"
#include "store/compensations.h"
#include "store/consumers.h"
#include "store/events.h"
#include "store/feed.h"
#include "store/handlers.h"
#include "store/leases.h"
#include "store/pruning.h"
#include "store/state.h"
#include "store/testing/check.h"
#include "store/testing/json_schema.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"
#include "store/workflows.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

std::filesystem::path schemas() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "share" /
         "schemas" / "events";
}

Result<Json> schema_of(const std::string& type) {
  const std::string text = TRY(read_file(schemas() / fmt::format("{}.v1.json", type)));
  return parse_json(text);
}

// Appends events in an order in which each is allowed, and tries variants of each before.
class Teller {
 public:
  explicit Teller(Store& store) : store_(store) {}

  void tell(const NewEvent& event) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, event.type);
    const auto found = schema_of(event.type);
    ASSERT_TRUE(found) << "there is no schema of it";
    EXPECT_EQ((*found)["$id"], schema_uri(event.type, 1));
    const Json& schema = *found;
    const Json payload = parse_json(event.payload).value();
    EXPECT_EQ(schema_problem(schema, payload), "");
    refused(event, schema, with(payload, "one_too_many", 1));
    refused(event, schema, Json::array());
    for (const auto& [key, value] : payload.items()) {
      const Json& required = (*found)["required"];
      if (std::find(required.begin(), required.end(), Json(key)) == required.end()) continue;
      Json without = payload;
      without.erase(key);
      refused(event, schema, without);
      refused(event, schema, with(payload, key, Json::object({{"of", "another type"}})));
    }
    ASSERT_OK(store_.append({event}));
    told_.insert(event.type);
  }
  void tell_all(const std::vector<NewEvent>& events) {
    for (const NewEvent& event : events) tell(event);
  }
  const std::set<std::string>& told_types() const { return told_; }

 private:
  static Json with(Json payload, const std::string& key, const Json& value) {
    payload[key] = value;
    return payload;
  }

  void refused(NewEvent event, const Json& schema, const Json& payload) {
    EXPECT_NE(schema_problem(schema, payload), "") << payload.dump();
    event.payload = canonical_json(payload);
    event.dedup_key = fmt::format("variant:{}", ++variants_);
    EXPECT_FALSE(store_.append({event})) << "the projection took " << event.payload;
  }

  Store& store_;
  std::set<std::string> told_;
  int variants_ = 0;
};

void tell_transactions(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  const TxnId id("t-1");
  teller.tell(slot_reserved());
  teller.tell(durable_head(kMain, oid(1)));
  teller.tell(outside_move(kMain, oid(1), oid(2), "Ada <a@example.org>"));
  teller.tell_all(until_prepared("t-1", oid(2), oid(9)));
  teller.tell(repairing(id, "retry", "a read went stale"));
  teller.tell(attempt_started(id, new_attempt(2, oid(2))));
  teller.tell(command_started(id, 2, "/trace", {"make"}));
  teller.tell(extended(id, 2, oid(2), 7));
  teller.tell(told(id, 2, oid(2), 1, {"src/a.c"}));
  teller.tell(child(id, {.attempt = 2, .number = 1, .name = "a", .phase = "begun", .tree = {}}));
  teller.tell(command_ended(id, 2, 0));
  teller.tell(taken(id, new_taken(2, oid(9))));
  teller.tell(waiting(id, "dirty file", "src/a.c"));
  teller.tell(prepared(id, 2, Identity{"Bob", "bob@example.org"}));
  teller.tell(conflicted(id, 2, some_conflicts()));
  teller.tell(landing_event(new_landing("t-1", oid(2), oid(3))));
  teller.tell(landing_lost(*store.branch(kMain).value()->prepared, "undone"));
  teller.tell(landing_event(new_landing("t-1", oid(2), oid(3))));
  teller.tell(transaction_landed(*store.branch(kMain).value()->prepared, {"a"}));
  teller.tell(checkout_pending(id, "/somewhere/repo", {"a"}));
  teller.tell(worktree_removed(id, 1));
  teller.tell_all(until_prepared("t-2", oid(3), oid(9)));
  teller.tell(rejected(TxnId("t-2"), 1, some_conflicts()));
  teller.tell(reopened(TxnId("t-2"), {"Eve", 3, true}));
  teller.tell(owner_lost(TxnId("t-2"), 3));
  teller.tell(aborted(TxnId("t-2"), "not needed", "Ada"));
  teller.tell_all(until_prepared("t-3", oid(3), oid(9)));
  teller.tell(quarantined(TxnId("t-3"), "3 tries", some_conflicts()));
  teller.tell_all(until_prepared("t-4", oid(3), oid(9)));
  teller.tell(nothing(TxnId("t-4"), "it changed nothing"));
}

void tell_others(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  Certificate certificate;
  certificate.gate = GateName("test");
  teller.tell(gate_evaluated(certificate));
  teller.tell(trusted(Digest("abc"), "Ada"));
  teller.tell(summary_added({"overview", Digest("abc"), TxnId("t-1")}));
  Ticket ticket;
  ticket.number = 4;
  ticket.branch = kMain;
  ticket.txn = TxnId("t-3");
  teller.tell(ticket_taken(ticket));
  teller.tell(ticket_done(ticket, "its turn is over"));
  Consumer reader;
  reader.name = "audit";
  reader.types = {"branch.durable"};
  teller.tell(consumer_registered(reader));
  reader = usable_consumer(store, "audit").value();
  teller.tell(consumer_stale(reader, 5));
  teller.tell(consumer_removed(reader, "by hand"));
  teller.tell(handler_started("tell", 3, 1));
  teller.tell(handler_ended("tell", {.event = 3,
                                     .attempt = 1,
                                     .state = HandlerState::kFailing,
                                     .exit = 1,
                                     .timed_out = false,
                                     .output = Digest(std::string(64, 'a')),
                                     .duration_ms = 7,
                                     .retry_at_ms = 1'000}));
  teller.tell(handler_retried("tell", 3, "Ada"));
  teller.tell(checkpoint(3, Digest(std::string(64, 'a')), Digest(std::string(64, 'b')), "Ada"));
}

void tell_workflows(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  Workflow made;
  made.id = WorkflowId("w-1");
  made.name = "feature";
  made.branch = kMain;
  made.phases = {{.name = "plan", .state = PhaseState::kOpen}, {.name = "build"}, {.name = "ship"}};
  made.actor = "Ada";
  teller.tell(workflow_created(made));
  const auto now = [&] { return workflow(store, made.id).value().value(); };
  PhaseEvidence evidence;
  evidence.phase = "plan";
  evidence.version = now().open()->version;
  evidence.gate = GateName("plan-is-there");
  evidence.kind = PhaseGate::Kind::kArtifact;
  evidence.head = oid(3);
  teller.tell(phase_evaluated(made.id, evidence));
  PhaseVerdict verdict;
  verdict.phase = "plan";
  verdict.version = now().open()->version;
  verdict.name = "review";
  verdict.actor = "Ada";
  teller.tell(verdict_given(made.id, verdict));
  Txn txn = new_txn("t-5");
  txn.workflow = "w-1";
  txn.phase = "plan";
  teller.tell(txn_begun(txn));
  const PhaseMember member{made.id, "plan", now().version, now().open()->version, Digest("abc")};
  teller.tell(phase_joined(txn.id, member));
  teller.tell(phase_carried(txn.id, member));
  const auto move = [&](const std::string& from, const std::string& to) {
    PhaseMove made_move;
    made_move.workflow = made.id;
    made_move.version = now().version;
    made_move.from = from;
    made_move.to = to;
    made_move.actor = "Ada";
    made_move.reason = "because";
    return made_move;
  };
  teller.tell(phase_advanced(move("plan", "build")));
  teller.tell(phase_skipped(move("build", "ship")));
  teller.tell(phase_rolled_back(move("ship", "plan")));
  PhaseMove overridden = move("plan", "build");
  overridden.failed = {"review"};
  teller.tell(phase_overridden(overridden));
}

void tell_compensations(Teller& teller) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  const TxnId id("t-6");
  teller.tell(txn_begun(new_txn("t-6")));
  teller.tell(attempt_started(id, new_attempt(1, oid(3))));
  Compensation undo;
  undo.name = "take it down";
  undo.argv = {"make", "down"};
  teller.tell(compensation_registered(id, undo));
  teller.tell(aborted(id, "not needed", "Ada"));
  teller.tell(compensation_started(id, 1, 1));
  teller.tell(
      compensation_ended(id, {.number = 1, .run = 1, .exit_status = 0, .output = Digest()}));
}

void tell_leases(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  const auto asked = [&](const std::string& path) {
    Lease lease;
    lease.number = store.head().value() + 1;
    lease.id = fmt::format("l-{}", lease.number);
    lease.subjects = {parse_lease_subject(path).value()};
    lease.owner = "Ada";
    lease.slot = 7;
    lease.ttl_ms = 60'000;
    return lease;
  };
  teller.tell(lease_queued(asked("docs/")));
  Lease held = asked("src/");
  held.until_ms = store.now_ms().value() + held.ttl_ms;
  held.boot = "boot-1";
  teller.tell(lease_acquired(held));
  held = lease(store, held.id).value().value();
  teller.tell(lease_renewed(held));
  teller.tell(lease_transferred(held, "Bob"));
  teller.tell(lease_released(lease(store, held.id).value().value(), "done"));
  Lease other = asked("src/");
  other.until_ms = store.now_ms().value() + other.ttl_ms;
  other.boot = "boot-1";
  teller.tell(lease_acquired(other));
  teller.tell(lease_expired(lease(store, other.id).value().value(), "its time is over", ""));
}

void tell_budgets(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  Usage used;
  used.txn = TxnId("t-1");
  used.items = {{"answer-1", {10, 20}}};
  teller.tell(usage_reported(used));
  Budget budget;
  budget.scope = {Scope::Of::kTxn, "t-1"};
  budget.kind = Kind::kInput;
  teller.tell(budget_set(budget, 10));
  const Budget set = budgets_of(store, budget.scope).value().at(0);
  teller.tell(budget_reached(set, Budget::Level::kWarned, 9, TxnId("t-1")));
  teller.tell(budget_reached(set, Budget::Level::kExceeded, 10, TxnId("t-1")));
  Reconciled figures;
  figures.scope = budget.scope;
  teller.tell(budget_reconciled(figures));
}

TEST(EventSchemas, AreWhatTheProjectionsTake) {
  TempStore place;
  Store store = place.open();
  Teller teller(store);
  tell_transactions(teller, store);
  tell_others(teller, store);
  tell_workflows(teller, store);
  tell_compensations(teller);
  tell_leases(teller, store);
  tell_budgets(teller, store);
  for (const std::string& type : events::types()) {
    EXPECT_TRUE(teller.told_types().contains(type)) << type << " is not told of here";
  }
}

TEST(EventSchemas, AreThoseOfTheTypesThereAre) {
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(schemas())) {
    const std::string name = entry.path().filename();
    ASSERT_TRUE(name.ends_with(".v1.json")) << name;
    there.insert(name.substr(0, name.size() - 8));
  }
  const std::vector<std::string> types = events::types();
  EXPECT_EQ(there, std::set<std::string>(types.begin(), types.end()));
}

TEST(EventSchemas, AreJudgedByACheckerThatKnowsEveryWordOfThem) {
  for (const std::string& type : events::types()) {
    const std::string problem = schema_problem(schema_of(type).value(), Json::object());
    EXPECT_EQ(problem.find("does not know"), std::string::npos) << type << problem;
  }
  EXPECT_NE(schema_problem(Json{{"if", true}}, Json()).find("does not know 'if'"),
            std::string::npos);
}

}  // namespace
}  // namespace gittxn::store
