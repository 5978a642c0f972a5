#include "store/testing/every_event.h"

#include <fmt/format.h>

#include "base/json.h"
#include "store/clones.h"
#include "store/events.h"
#include "store/gate_marks.h"
#include "store/log/consumers.h"
#include "store/log/handlers.h"
#include "store/log/pruning.h"
#include "store/summaries.h"
#include "store/testing/stories.h"
#include "store/work/budgets.h"
#include "store/work/compensations.h"
#include "store/work/leases.h"
#include "store/work/portfolio.h"
#include "store/work/proposals.h"
#include "store/work/workflows.h"

namespace gittxn::store::testing {
namespace {

void tell_transactions(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  const TxnId id("t-1");
  teller.tell(slot_reserved());
  teller.tell(clone_joined("one", "k7qd2mzx0v4h8b3n"));
  teller.tell(durable_head(kMain, oid(1)));
  teller.tell(outside_move(kMain, oid(1), oid(2), "Ada <a@example.org>"));
  teller.tell_all(until_prepared("t-1", oid(2), oid(9)));
  teller.tell(repairing(id, "retry", "a read went stale"));
  teller.tell(attempt_started(id, new_attempt(2, oid(2))));
  teller.tell(command_started(id, 2, "/trace", {"make"}));
  teller.tell(extended(id, 2, oid(2), 7));
  teller.tell(events::told(id, 2, oid(2), 1, {"src/a.c"}));
  teller.tell(child(id, {.attempt = 2, .number = 1, .name = "a", .phase = "begun", .tree = {}}));
  teller.tell(command_ended(id, 2, 0));
  teller.tell(taken(id, new_taken(2, oid(9))));
  teller.tell(waiting(id, WaitReason::kUnstaged, "src/a.c"));
  teller.tell(prepared(id, 2, Identity{"Bob", "bob@example.org"}));
  teller.tell(conflicted(id, 2, some_conflicts()));
  teller.tell(landing_event(new_landing("t-1", oid(2), oid(3))));
  teller.tell(landing_lost(*store.branch(kMain).value()->prepared, "undone"));
  PreparedLanding on_hub = new_landing("t-1", oid(2), oid(3));
  on_hub.fence = oid(4);
  teller.tell(landing_event(on_hub));
  teller.tell(landing_lost(*store.branch(kMain).value()->prepared, "its machine is gone", oid(5)));
  on_hub.fence_before = oid(5);
  teller.tell(landing_event(on_hub));
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
  teller.tell(workflow_cancelled(move("build", "")));
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

void tell_proposals(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  const std::string id = fmt::format("p-{}", store.head().value() + 1);
  ProposalRequest request;
  request.text = "the queue is not fair";
  request.score = 420;
  request.embedding = {1, -2, 32767};
  request.actor = "bot";
  teller.tell(proposal_made(id, request, {}));
  teller.tell(proposal_repeated({Likeness::By::kText, id, 930}, request));
  const Promotion refused{.id = id, .rules = {}, .actor = "bot", .txn = TxnId("t-1")};
  teller.tell(proposal_refused(refused));
  const Promotion promotion{.id = id,
                            .rules = {},
                            .yes = Yes::kOverride,
                            .reason = "because",
                            .became = "txn:t-1",
                            .actor = "Ada"};
  teller.tell(proposal_promoted(promotion));
  teller.tell(proposal_linked({id, "workflow:w-1", "Ada"}));
  const std::string other = fmt::format("p-{}", store.head().value() + 1);
  teller.tell(proposal_made(other, request, {}));
  teller.tell(proposal_dismissed({other, "no", "Ada"}));
  teller.tell(gate_unsound(
      {GateName("test"), Digest(std::string(64, 'a')), "tests/a", oid(1), oid(2), {"t-1"}}));
  teller.tell(gate_cleared(GateName("test"), "Ada"));
}

void tell_portfolio(Teller& teller) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  teller.tell(member_set({"api", "/somewhere/api", "urn:uuid:1", {}}, "Ada"));
  teller.tell(member_removed("api", "Ada"));
  teller.tell(event_relayed({"urn:uuid:2", "/somewhere", 7, "2026-01-01T00:00:00.000Z",
                             "phase.advanced", "w-1", "{}", std::string(64, 'a')}));
  teller.tell(summary_removed("overview", "Ada"));
}

void tell_answers(Teller& teller, Store& store) {
  using namespace events;  // NOLINT(google-build-using-namespace)
  const TxnId id("t-7");
  teller.tell_all(until_prepared("t-7", oid(3), oid(9)));
  teller.tell(conflicted(id, 1, other_answers()));
  LandingDetails details;
  details.admitted = some_admission();
  teller.tell(landing_prepared(new_landing("t-7", oid(3), oid(4)), details, Json::array()));
  teller.tell(transaction_landed(*store.branch(kMain).value()->prepared));
}

}  // namespace

void tell_every_event(Teller& teller, Store& store) {
  tell_transactions(teller, store);
  tell_others(teller, store);
  tell_workflows(teller, store);
  tell_compensations(teller);
  tell_leases(teller, store);
  tell_budgets(teller, store);
  tell_proposals(teller, store);
  tell_portfolio(teller);
  tell_answers(teller, store);
}

}  // namespace gittxn::store::testing
