#include "store/work/workflows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/failpoint.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "base/testing/child.h"
#include "store/events.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using gittxn::testing::in_child;
using gittxn::testing::status_of;

const WorkflowId kW{"w-1"};

Workflow new_workflow(const std::string& id = "w-1",
                      const std::vector<std::string>& phases = {"plan", "build", "ship"}) {
  Workflow workflow;
  workflow.id = WorkflowId(id);
  workflow.name = "feature";
  workflow.branch = kMain;
  workflow.actor = "Ada";
  for (const std::string& phase : phases) workflow.phases.push_back({phase});
  if (!workflow.phases.empty()) workflow.phases.front().state = PhaseState::kOpen;
  return workflow;
}

// From the open phase to the next, as the store has the workflow.
events::PhaseMove next_move(const Store& store, const std::string& reason = "because") {
  const Workflow now = workflow(store, kW).value().value();
  events::PhaseMove move;
  move.workflow = kW;
  move.version = now.version;
  if (const Phase* open = now.open()) {
    move.from = open->name;
    if (const Phase* next = now.after(open->name)) move.to = next->name;
  }
  move.actor = "Ada";
  move.reason = reason;
  return move;
}

Txn txn_of_phase(const std::string& id, const std::string& phase, int priority = 0) {
  Txn txn = new_txn(id);
  txn.workflow = kW.str();
  txn.phase = phase;
  txn.priority = priority;
  return txn;
}

PhaseMember member_now(const Store& store) {
  const Workflow now = workflow(store, kW).value().value();
  return {kW, now.open()->name, now.version, now.open()->version, Digest("g1")};
}

void begin_in_phase(Store& store, const std::string& id, int priority = 0) {
  const PhaseMember member = member_now(store);
  ASSERT_OK(store.append({events::txn_begun(txn_of_phase(id, member.phase, priority)),
                          events::phase_joined(TxnId(id), member)}));
}

std::string version(const Store& store, const std::string& subject,
                    const std::string& reader = "") {
  const auto found = kernel_version(store, subject, TxnId(reader));
  EXPECT_TRUE(found.has_value()) << told(found);
  return found && *found ? **found : "(none)";
}

TEST(Workflows, GoFromPhaseToPhaseToTheirEnd) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  EXPECT_EQ(workflow(store, kW).value()->open()->name, "plan");
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  ASSERT_OK(store.append({events::phase_skipped(next_move(store))}));
  events::PhaseMove last = next_move(store);
  last.failed = {"test"};
  EXPECT_EQ(last.to, "");
  ASSERT_OK(store.append({events::phase_overridden(last)}));
  const Workflow done = workflow(store, kW).value().value();
  EXPECT_EQ(done.open(), nullptr);
  EXPECT_EQ(done.version, 4);
  EXPECT_EQ(done.phases[0].state, PhaseState::kDone);
  EXPECT_EQ(done.phases[1].state, PhaseState::kSkipped);
  EXPECT_EQ(done.phases[2].state, PhaseState::kOverridden);
  EXPECT_CODE(store.append({events::phase_advanced(next_move(store))}), Code::kStale);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Workflows, RollingBackRaisesTheVersionsOfAllItUndoes) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  const Workflow before = workflow(store, kW).value().value();
  events::PhaseMove back = next_move(store, "the plan was wrong");
  for (const std::string to : {"build", "ship", "nowhere"}) {
    back.to = to;
    SCOPED_TRACE(to);
    EXPECT_CODE(store.append({events::phase_rolled_back(back)}), Code::kStale);
  }
  back.to = "plan";
  ASSERT_OK(store.append({events::phase_rolled_back(back)}));
  const Workflow after = workflow(store, kW).value().value();
  EXPECT_EQ(after.open()->name, "plan");
  EXPECT_EQ(after.phases[1].state, PhaseState::kPending);
  EXPECT_GT(after.phases[0].version, before.phases[0].version);
  EXPECT_GT(after.phases[1].version, before.phases[1].version);
  EXPECT_EQ(after.phases[2].version, before.phases[2].version) << "it had never been open";
  // The version is in the key, so the second advance is an event of its own.
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  EXPECT_EQ(workflow(store, kW).value()->open()->name, "build");
}

TEST(Workflows, OneThatIsCancelledNeverMovesAgain) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  begin_in_phase(store, "t-1");
  const PhaseMember member = member_now(store);
  const std::string was = version(store, "workflow:w-1");
  events::PhaseMove end = next_move(store, "");
  end.from = "plan";
  EXPECT_CODE(store.append({events::workflow_cancelled(end)}), Code::kStale);
  end = next_move(store, "");
  ASSERT_OK(store.append({events::workflow_cancelled(end)}));
  ASSERT_OK(store.append({events::workflow_cancelled(end)}));  // the same again
  const Workflow now = workflow(store, kW).value().value();
  EXPECT_EQ(now.cancelled, (Cancelled{"Ada", ""}));
  EXPECT_EQ(now.open(), nullptr);
  EXPECT_EQ(now.phases[0].state, PhaseState::kDone);
  EXPECT_EQ(now.phases[1].state, PhaseState::kCancelled);
  EXPECT_EQ(now.phases[2].state, PhaseState::kPending);
  EXPECT_NE(version(store, "workflow:w-1"), was) << "who works in it has read another";
  events::PhaseMove move = next_move(store);
  EXPECT_CODE(store.append({events::workflow_cancelled(move)}), Code::kStale);
  for (const std::string to : {"plan", "build"}) {
    move.to = to;
    EXPECT_CODE(store.append({events::phase_rolled_back(move)}), Code::kStale);
  }
  move.from = "build";
  move.to = "ship";
  EXPECT_CODE(store.append({events::phase_advanced(move)}), Code::kStale);
  EXPECT_CODE(store.append({events::phase_carried(TxnId("t-1"), member)}), Code::kStale);
  EXPECT_CODE(store.append({events::txn_begun(txn_of_phase("t-2", "build")),
                            events::phase_joined(TxnId("t-2"), member)}),
              Code::kStale);
  Workflow born = new_workflow("w-2");
  born.cancelled = Cancelled{"Ada", ""};
  EXPECT_CODE(store.append({events::workflow_created(born)}), Code::kCorrupt);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Workflows, WhatMakesNoSenseIsRefused) {
  TempStore place;
  Store store = place.open();
  EXPECT_CODE(store.append({events::workflow_created(new_workflow("w/1"))}), Code::kCorrupt);
  EXPECT_CODE(store.append({events::workflow_created(new_workflow("w-1", {}))}), Code::kCorrupt);
  EXPECT_CODE(store.append({events::workflow_created(new_workflow("w-1", {"a", "b", "a"}))}),
              Code::kCorrupt);
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));  // the same again
  EXPECT_CODE(store.append({events::workflow_created(new_workflow("w-1", {"other"}))}),
              Code::kExists);
  events::PhaseMove move = next_move(store);
  move.reason = "";
  EXPECT_CODE(store.append({events::phase_overridden(move)}), Code::kCorrupt);
  EXPECT_CODE(store.append({events::phase_skipped(move)}), Code::kCorrupt);
  move.to = "ship";
  EXPECT_CODE(store.append({events::phase_advanced(move)}), Code::kStale);
  PhaseVerdict verdict{"build", 1, "review", true, "Bob", ""};
  EXPECT_CODE(store.append({events::verdict_given(kW, verdict)}), Code::kStale);
  EXPECT_EQ(store.head().value(), 1);
}

TEST(Workflows, AVerdictIsOfOneVersionOfThePhase) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  ASSERT_OK(store.append({events::verdict_given(kW, {"plan", 1, "review", false, "Bob", "no"})}));
  ASSERT_OK(store.append({events::verdict_given(kW, {"plan", 1, "review", true, "Bob", "now"})}));
  const auto verdicts = phase_verdicts(store, kW).value();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_TRUE(verdicts[0].passed);
  EXPECT_CODE(store.append({events::verdict_given(kW, {"plan", 2, "review", true, "Bob", ""})}),
              Code::kStale);
}

TEST(B1, APhaseThatIsNotOpenAnyMoreCannotBeJoined) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  const PhaseMember seen = member_now(store);
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  EXPECT_CODE(store.append({events::txn_begun(txn_of_phase("t-1", seen.phase)),
                            events::phase_joined(TxnId("t-1"), seen)}),
              Code::kStale);
  EXPECT_FALSE(store.txn(TxnId("t-1")).value()) << "both or neither";
  begin_in_phase(store, "t-2");
  const PhaseMember member = phase_member(store, TxnId("t-2")).value().value();
  EXPECT_EQ(version(store, phase_subject(kW, "build")), std::to_string(member.phase_version));
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  EXPECT_NE(version(store, phase_subject(kW, "build")), std::to_string(member.phase_version));
  EXPECT_NE(version(store, workflow_subject(kW)), std::to_string(member.workflow_version));
}

TEST(B1, ATransactionIsCarriedOverToWhatIsOpenAndToNothingElse) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  begin_in_phase(store, "t-1");
  const PhaseMember old = member_now(store);
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  EXPECT_CODE(store.append({events::phase_carried(TxnId("t-1"), old)}), Code::kStale);
  ASSERT_OK(store.append({events::phase_carried(TxnId("t-1"), member_now(store))}));
  EXPECT_EQ(store.txn(TxnId("t-1")).value()->phase, "build");
  EXPECT_TRUE(unfinished_of(store, kW, "plan").value().empty());
  EXPECT_EQ(unfinished_of(store, kW, "build")->size(), 1u);
  ASSERT_OK(store.append({events::aborted(TxnId("t-1"), "", "Ada")}));
  EXPECT_CODE(store.append({events::phase_carried(TxnId("t-1"), member_now(store))}), Code::kStale);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(B2, TheOrderOfPendingTransactionsHasAVersion) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  const std::string subject = pending_subject(kW, "plan");
  begin_in_phase(store, "t-reader");
  const std::string none = version(store, subject, "t-reader");
  begin_in_phase(store, "t-a");
  const std::string one = version(store, subject, "t-reader");
  EXPECT_NE(one, none) << "a new one appeared";
  ASSERT_OK(store.append({events::waiting(TxnId("t-a"), WaitReason::kTurn, "x")}));
  EXPECT_EQ(version(store, subject, "t-reader"), one) << "who waits for what is no order";
  begin_in_phase(store, "t-b", 5);
  const auto order = unfinished_of(store, kW, "plan").value();
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order[0].id.str(), "t-b") << "a higher priority goes first";
  EXPECT_NE(version(store, subject, "t-reader"), one);
  ASSERT_OK(store.append({events::nothing(TxnId("t-b"), "")}));
  EXPECT_EQ(version(store, subject, "t-reader"), one) << "the same order again is the same read";
  ASSERT_OK(store.append({events::nothing(TxnId("t-a"), "")}));
  EXPECT_EQ(version(store, subject, "t-reader"), none);
}

TEST(B2, WhichWorkflowsThereAreHasAVersion) {
  TempStore place;
  Store store = place.open();
  const std::string subject(kWorkflowsSubject);
  const std::string none = version(store, subject);
  ASSERT_OK(store.append({events::workflow_created(new_workflow())}));
  const std::string one = version(store, subject);
  EXPECT_NE(one, none);
  ASSERT_OK(store.append({events::phase_advanced(next_move(store))}));
  EXPECT_EQ(version(store, subject), one) << "what each is like is a read of its own";
}

TEST(Invariant4, OfEightConcurrentAdvancesExactlyOneSucceeds) {
  TempStore place;
  ASSERT_OK(place.open().append({events::workflow_created(new_workflow())}));
  const events::PhaseMove seen = next_move(place.open());
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(in_child([&] {
      Store store = place.open();
      const auto moved = store.decide([&](const View& view) -> Result<std::vector<NewEvent>> {
        const Workflow now = workflow(view, kW).value().value();
        if (now.version != seen.version) return fail(Code::kStale, "moved");
        return std::vector<NewEvent>{events::phase_advanced(seen)};
      });
      if (!moved && moved.error().code != Code::kStale) return 2;
      return moved ? 1 : 0;
    }));
  }
  int succeeded = 0;
  for (const pid_t child : children) {
    const int status = status_of(child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_LE(WEXITSTATUS(status), 1);
    succeeded += WEXITSTATUS(status);
  }
  EXPECT_EQ(succeeded, 1);
  const Store store = place.open();
  EXPECT_EQ(workflow(store, kW).value()->open()->name, "build");
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

// The seed's flaw: the phase first, then the event that says who and why.
TEST(F7, AnOverrideAndItsRecordAreBothThereOrNeither) {
  for (const std::string point : {"store.before_commit", "store.after_commit"}) {
    TempStore place;
    ASSERT_OK(place.open().append({events::workflow_created(new_workflow())}));
    const int status = status_of(in_child([&] {
      Store store = place.open();
      events::PhaseMove move = next_move(store, "the gate is broken");
      move.failed = {"test"};
      if (!Failpoint::arm(point)) return 2;
      static_cast<void>(store.append({events::phase_overridden(move)}).has_value());
      return 3;
    }));
    EXPECT_TRUE(WIFSIGNALED(status)) << point;
    const Store store = place.open();
    const bool moved = workflow(store, kW).value()->open()->name == "build";
    const auto told = store.events_of(kW.str()).value();
    const bool recorded = std::ranges::any_of(told, [](const Event& event) {
      return event.type == event_type::kPhaseOverridden &&
             event.payload.find("the gate is broken") != std::string::npos;
    });
    EXPECT_EQ(moved, recorded) << point;
    EXPECT_EQ(moved, point == "store.after_commit");
    EXPECT_TRUE(store.verify_replay()->problems.empty()) << point;
  }
}

// The machine in the plainest words, to compare with.
class WorkflowReference {
 public:
  explicit WorkflowReference(std::vector<std::string> names) : names_(std::move(names)) {
    states_.assign(names_.size(), PhaseState::kPending);
    versions_.assign(names_.size(), 1);
    states_[0] = PhaseState::kOpen;
  }
  bool move(std::int64_t seen, PhaseState left_as) {
    if (seen != version_ || open_ == names_.size()) return false;
    states_[open_] = left_as;
    ++versions_[open_++];
    ++version_;
    if (open_ == names_.size()) return true;
    states_[open_] = PhaseState::kOpen;
    ++versions_[open_];
    return true;
  }
  bool back(std::int64_t seen, std::size_t to) {
    if (seen != version_ || to >= open_) return false;
    for (std::size_t i = to; i < names_.size() && i <= open_; ++i) {
      states_[i] = i == to ? PhaseState::kOpen : PhaseState::kPending;
      ++versions_[i];
    }
    open_ = to;
    ++version_;
    return true;
  }
  std::size_t open() const { return open_; }
  std::int64_t version() const { return version_; }
  void compare(const Workflow& workflow) const {
    EXPECT_EQ(workflow.version, version_);
    ASSERT_EQ(workflow.phases.size(), names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      EXPECT_EQ(workflow.phases[i].state, states_[i]) << names_[i];
      EXPECT_EQ(workflow.phases[i].version, versions_[i]) << names_[i];
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<PhaseState> states_;
  std::vector<std::int64_t> versions_;
  std::size_t open_ = 0;
  std::int64_t version_ = 1;
};

// Random moves of one workflow and of its transactions, on the store and on the reference.
class WorkflowPlay {
 public:
  explicit WorkflowPlay(std::uint64_t seed) : random_(seed), store_(place_.open()) {}

  void run(int rounds) {
    ASSERT_OK(store_.append({events::workflow_created(new_workflow("w-1", names_))}));
    for (int round = 0; round < rounds; ++round) {
      SCOPED_TRACE(fmt::format("round {}", round));
      if (!step(round)) continue;
      compare();
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  // Whether there was something to do.
  bool step(int round) {
    events::PhaseMove move = next_move(store_);
    if (random_.below(4) == 0) move.version -= 1;  // decided on what is not so any more
    const std::size_t to = random_.below(names_.size());
    switch (random_.below(6)) {
      case 0:
        moved(move, PhaseState::kDone, events::phase_advanced(move));
        return true;
      case 1:
        moved(move, PhaseState::kSkipped, events::phase_skipped(move));
        return true;
      case 2:
        moved(move, PhaseState::kOverridden, events::phase_overridden(move));
        return true;
      case 3:
        back(move, to);
        return true;
      case 4:
        return begin(fmt::format("t-{}", round));
      default:
        return end_one();
    }
  }

  void moved(const events::PhaseMove& move, PhaseState left_as, const NewEvent& event) {
    const bool expected = reference_.move(move.version, left_as);
    const auto done = store_.append({event});
    if (expected) ASSERT_OK(done);
  }

  void back(events::PhaseMove& move, std::size_t to) {
    move.to = names_[to];
    std::vector<NewEvent> events;
    for (const auto& [id, phase] : members_) {
      if (phase <= to) continue;
      move.cancelled.emplace_back(id);
      events.push_back(events::aborted(TxnId(id), "back", "Ada"));
    }
    events.insert(events.begin(), events::phase_rolled_back(move));
    const bool expected = reference_.back(move.version, to);
    const auto done = store_.append(events);
    if (!expected) return;
    ASSERT_OK(done);
    std::erase_if(members_, [&](const auto& one) { return one.second > to; });
  }

  bool begin(const std::string& id) {
    if (reference_.open() == names_.size()) return false;
    begin_in_phase(store_, id);
    members_[id] = reference_.open();
    return true;
  }

  bool end_one() {
    if (members_.empty()) return false;
    const TxnId id(members_.begin()->first);
    members_.erase(members_.begin());
    const auto done = store_.append({events::nothing(id, "")});
    EXPECT_TRUE(done.has_value()) << told(done);
    return true;
  }

  void compare() {
    reference_.compare(workflow(store_, kW).value().value());
    std::size_t unfinished = 0;
    for (const std::string& name : names_) unfinished += unfinished_of(store_, kW, name)->size();
    EXPECT_EQ(unfinished, members_.size());
    ASSERT_TRUE(store_.verify_replay()->problems.empty());
  }

  const std::vector<std::string> names_{"a", "b", "c", "d"};
  TempStore place_;
  Random random_;
  Store store_;
  WorkflowReference reference_{names_};
  std::map<std::string, std::size_t> members_;  // transaction -> phase, while unfinished
};

TEST(Workflows, RandomMovesAreThoseOfTheReference) {
  WorkflowPlay play(gittxn::testing::told_seed());
  play.run(gittxn::testing::campaign_rounds(120));
}

}  // namespace
}  // namespace gittxn::store
