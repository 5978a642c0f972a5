#include "store/work/workflows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/events.h"
#include "store/rows.h"

namespace gittxn::store {
namespace {

Result<std::optional<Workflow>> load_workflow(const db::Database& database, const std::string& id) {
  return database.first(body_of<Workflow>("workflow " + id),
                        "SELECT body FROM workflows WHERE id = ?", id);
}

Status save_workflow(db::Database& database, const Workflow& workflow, Seq seq) {
  return database.run(
      "INSERT INTO workflows (id, created_seq, body) VALUES (?, ?, ?) "
      "ON CONFLICT (id) DO UPDATE SET body = excluded.body",
      workflow.id, seq, canonical_text(field_list(workflow)));
}

Result<Workflow> known_workflow(const db::Database& database, const Event& event) {
  std::optional<Workflow> workflow = TRY(load_workflow(database, event.subject));
  if (!workflow) return stale(event, "there is no such workflow");
  return *std::move(workflow);
}

Phase* phase_in(Workflow& workflow, std::string_view name) {
  const auto found = std::ranges::find(workflow.phases, name, &Phase::name);
  return found == workflow.phases.end() ? nullptr : &*found;
}

// A new one.
struct WorkflowCreated {
  Workflow workflow;
};
void fields(FieldIo& io, WorkflowCreated& created) {
  fields(io, created.workflow);
  io.never("cancelled");
}

Status created(db::Database& database, const Event& event, const WorkflowCreated& made) {
  const Workflow& workflow = made.workflow;
  const auto wrong = [&](std::string_view why) {
    return fail(Code::kCorrupt, fmt::format("{}: {}", event.type, why));
  };
  if (workflow.id.str() != event.subject || !is_workflow_name(event.subject)) {
    return wrong(fmt::format("'{}' is no workflow id", event.subject));
  }
  if (workflow.phases.empty() || workflow.version != 1 || workflow.cancelled)
    return wrong("it is not new");
  for (std::size_t i = 0; i < workflow.phases.size(); ++i) {
    const Phase& phase = workflow.phases[i];
    const PhaseState expected = i == 0 ? PhaseState::kOpen : PhaseState::kPending;
    if (phase.state != expected || phase.version != 1) return wrong("its phases are not new");
    if (workflow.phase(phase.name) != &phase) return wrong("a phase is there twice");
  }
  const auto known = TRY(load_workflow(database, event.subject));
  if (known) return fail(Code::kExists, fmt::format("workflow {} exists", event.subject));
  return save_workflow(database, workflow, event.seq);
}

enum class Way { kAdvanced, kSkipped, kOverridden, kRolledBack, kCancelled };
template <Way way>
struct Moved {
  events::PhaseMove move;
};
template <Way way>
void fields(FieldIo& io, Moved<way>& moved) {
  events::PhaseMove& move = moved.move;
  io.integer({"version", "of the workflow, before"}, move.version, kPositive);
  io.text({"from", "the open phase"}, move.from);
  if (way != Way::kCancelled) io.text({"to", "the next, \"\" behind the last"}, move.to);
  io.text("actor", move.actor);
  if (way == Way::kAdvanced) return;
  if (way == Way::kCancelled) return io.text({"reason", "may be \"\""}, move.reason);
  io.text({"reason", "not empty"}, move.reason);
  if (move.reason.empty()) io.wrong("reason", "it gives no reason");
  if (way == Way::kOverridden) io.texts({"failed", "the gates that did not hold"}, move.failed);
  if (way == Way::kRolledBack) {
    const auto id = [](FieldIo& each, TxnId& one) { each.name("", one); };
    io.list_of({"cancelled", "the transactions aborted with it"}, move.cancelled, id);
  }
}

// A move, checked against the workflow as it is.
struct Move {
  Workflow workflow;
  events::PhaseMove told;
};
Result<Move> phase_move_of(const db::Database& database, const Event& event,
                           events::PhaseMove told) {
  Move move{.workflow = TRY(known_workflow(database, event)), .told = std::move(told)};
  const bool same = move.workflow.version == move.told.version;
  if (!same && !INJECTED_BUG("workflow.no_compare")) {
    return stale(event, fmt::format("it is at version {}, not {}", move.workflow.version,
                                    move.told.version));
  }
  if (move.workflow.cancelled) return stale(event, "it was cancelled");
  const Phase* open = move.workflow.open();
  if ((open == nullptr ? std::string_view() : std::string_view(open->name)) != move.told.from) {
    return stale(event, fmt::format("its open phase is '{}'", open == nullptr ? "" : open->name));
  }
  return move;
}

// From the open phase to the one after it.
template <Way way, PhaseState left_as>
Status left(db::Database& database, const Event& event, const Moved<way>& told) {
  Move move = TRY(phase_move_of(database, event, told.move));
  Phase* from = phase_in(move.workflow, move.told.from);
  if (from == nullptr) return stale(event, "it is finished");
  const Phase* next = move.workflow.after(from->name);
  if (move.told.to != (next == nullptr ? std::string() : next->name)) {
    return stale(event, fmt::format("'{}' does not come after '{}'", move.told.to, from->name));
  }
  from->state = left_as;
  ++from->version;
  if (Phase* to = phase_in(move.workflow, move.told.to)) {
    to->state = PhaseState::kOpen;
    ++to->version;
  }
  ++move.workflow.version;
  return save_workflow(database, move.workflow, event.seq);
}

Status rolled_back(db::Database& database, const Event& event,
                   const Moved<Way::kRolledBack>& back) {
  Move move = TRY(phase_move_of(database, event, back.move));
  bool later = false;
  for (Phase& phase : move.workflow.phases) {
    const bool target = phase.name == move.told.to;
    if (target && phase.state == PhaseState::kOpen) return stale(event, "that phase is open");
    if (target && phase.state == PhaseState::kPending) return stale(event, "that phase is ahead");
    if (target || (later && phase.state != PhaseState::kPending)) {
      phase.state = target ? PhaseState::kOpen : PhaseState::kPending;
      ++phase.version;
    }
    later = later || target;
  }
  if (!later) return stale(event, fmt::format("it has no phase '{}'", move.told.to));
  ++move.workflow.version;
  return save_workflow(database, move.workflow, event.seq);
}

Status cancelled(db::Database& database, const Event& event,
                 const Moved<Way::kCancelled>& cancelled) {
  const events::PhaseMove& told = cancelled.move;
  Workflow workflow = TRY(known_workflow(database, event));
  Phase* open = phase_in(workflow, told.from);
  if (workflow.version != told.version || open == nullptr || open->state != PhaseState::kOpen) {
    return stale(event,
                 fmt::format("phase '{}' is not open at version {}", told.from, told.version));
  }
  open->state = PhaseState::kCancelled;
  ++open->version;
  ++workflow.version;
  workflow.cancelled = Cancelled{told.actor, told.reason};
  return save_workflow(database, workflow, event.seq);
}

Status phase_evaluated(db::Database& database, const Event& event, const PhaseEvidence& evidence) {
  const Workflow workflow = TRY(known_workflow(database, event));
  const Phase* phase = workflow.phase(evidence.phase);
  if (phase == nullptr || phase->version != evidence.version) {
    return stale(event, fmt::format("phase '{}' is another by now", evidence.phase));
  }
  return save_row(database, "phase_gates", "workflow, phase, gate", "seq, body", event.subject,
                  evidence.phase, evidence.gate, event.seq, event.payload);
}

Status verdict_given(db::Database& database, const Event& event, const PhaseVerdict& verdict) {
  const Workflow workflow = TRY(known_workflow(database, event));
  const Phase* open = workflow.open();
  if (open == nullptr || open->name != verdict.phase || open->version != verdict.version) {
    return stale(
        event, fmt::format("phase '{}' is not open in version {}", verdict.phase, verdict.version));
  }
  return save_row(database, "verdicts", "workflow, phase, name", "seq, body", event.subject,
                  verdict.phase, verdict.name, event.seq, event.payload);
}

// Of the workflow as it is now.
Status check_membership(const db::Database& database, const Event& event,
                        const PhaseMember& member) {
  const auto workflow = TRY(load_workflow(database, member.workflow.str()));
  if (!workflow) return stale(event, "there is no workflow " + member.workflow.str());
  const Phase* open = workflow->open();
  const bool same = open != nullptr && open->name == member.phase &&
                    open->version == member.phase_version &&
                    workflow->version == member.workflow_version;
  if (!same) {
    return stale(event, fmt::format("the open phase of {} is {}", member.workflow.str(),
                                    open == nullptr ? "none" : open->name));
  }
  return {};
}

Status save_phase_member(db::Database& database, const Event& event, const PhaseMember& member) {
  return save_row(database, "members", "txn", "workflow, phase, seq, body", event.subject,
                  member.workflow, member.phase, event.seq, event.payload);
}

Status phase_joined(db::Database& database, const Event& event, const PhaseMember& member) {
  TRY(check_membership(database, event, member));
  const Txn txn = TRY(known_txn(database, event));
  if (txn.workflow != member.workflow.str() || txn.phase != member.phase) {
    return stale(event, "it was begun in another phase");
  }
  return save_phase_member(database, event, member);
}

Status phase_carried(db::Database& database, const Event& event, const PhaseMember& member) {
  TRY(check_membership(database, event, member));
  Txn txn = TRY(known_txn(database, event));
  if (txn.workflow != member.workflow.str()) return stale(event, "it belongs to another workflow");
  if (is_final(txn.state) || txn.state == TxnState::kLanding) {
    return stale(event, fmt::format("it is {}", state_name(txn.state)));
  }
  txn.phase = member.phase;
  txn.version = event.seq;
  TRY(update_txn(database, txn));
  return save_phase_member(database, event, member);
}

constexpr std::string_view kWorkflowSql = R"sql(
CREATE TABLE workflows (
  id          TEXT    PRIMARY KEY,
  created_seq INTEGER NOT NULL,
  body        TEXT    NOT NULL
) STRICT;
CREATE TABLE phase_gates (
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  gate     TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL,
  PRIMARY KEY (workflow, phase, gate)
) STRICT;
CREATE TABLE verdicts (
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL,
  PRIMARY KEY (workflow, phase, name)
) STRICT;
CREATE TABLE members (
  txn      TEXT    PRIMARY KEY,
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL
) STRICT;
CREATE INDEX members_by_phase ON members (workflow, phase);
)sql";

constexpr ProjectionTable kWorkflowTables[] = {{"workflows", "created_seq"},
                                               {"phase_gates", "workflow, phase, gate"},
                                               {"verdicts", "workflow, phase, name"},
                                               {"members", "txn"}};

constexpr const char* kOfWorkflow = "the workflow";
constexpr const char* kThatVersion = "it is at that version, and that phase is open";
constexpr EventRule kWorkflowRules[] = {
    {event_type::kWorkflowCreated,
     {"A new workflow, its first phase open.", "its id", "no such id", "",
      "the workflow (below), its first phase open"},
     accepts<created>,
     "workflow {name} created by {actor}"},
    {event_type::kPhaseAdvanced,
     {"A phase is left and the next is open; version is the workflow's before.", kOfWorkflow,
      kThatVersion},
     accepts<left<Way::kAdvanced, PhaseState::kDone>>,
     "{from?phase *:its end} is done; on to {to?phase *:its end}"},
    {event_type::kPhaseSkipped,
     {"A phase without gates is passed over.", kOfWorkflow, kThatVersion},
     accepts<left<Way::kSkipped, PhaseState::kSkipped>>,
     "{from?phase *:its end} skipped by {actor}{:reason}"},
    {event_type::kPhaseOverridden,
     {"A phase is left although these gates did not hold.", kOfWorkflow, kThatVersion},
     accepts<left<Way::kOverridden, PhaseState::kOverridden>>,
     "{from?phase *:its end} overridden by {actor}{:reason}"},
    {event_type::kPhaseRolledBack,
     {"A phase that was left is open again; these transactions are aborted with it.", kOfWorkflow,
      "the same; `to` is a phase that was left, `from` \"\" when it was finished"},
     accepts<rolled_back>,
     "back to {to?phase *:its end} by {actor}{:reason}"},
    {event_type::kWorkflowCancelled,
     {"A workflow is ended before its last phase was left.", kOfWorkflow, kThatVersion,
      "no move of it is taken"},
     accepts<cancelled>,
     "cancelled in {from?phase *:its end} by {actor}{:reason}"},
    {event_type::kPhaseEvaluated,
     {"What a gate of a phase said.", kOfWorkflow, "the phase is at that version"},
     accepts<phase_evaluated>,
     "gate {gate} of phase {phase} {passed?holds:does not hold}{:why}"},
    {event_type::kVerdictGiven,
     {"Somebody judged a phase as it is.", kOfWorkflow, "the phase is open, at that version"},
     accepts<verdict_given>,
     "verdict {name} of phase {phase}: {passed?pass:fail} by {actor}{:note}"},
    {event_type::kPhaseJoined,
     {"A new transaction belongs to a phase, in these versions.", "",
      "it was begun in that phase, which is open, in these versions"},
     accepts<phase_joined>,
     "belongs to phase {phase} of {workflow}"},
    {event_type::kPhaseCarried,
     {"A transaction goes on under what holds now.", "",
      "all but final and landing; that phase is open, in these versions"},
     accepts<phase_carried>,
     "carried over to phase {phase} of {workflow}, version {phase_version}"},
};

}  // namespace

const Area kWorkflows{kWorkflowSql, kWorkflowTables, kWorkflowRules};

Result<std::optional<Workflow>> workflow(const View& view, const WorkflowId& id) {
  return load_workflow(view.tables(), id.str());
}

namespace events {
namespace {

template <Way way>
NewEvent moved(std::string_view type, const PhaseMove& move, std::string_view action) {
  return event_with(type, move.workflow.str(), Moved<way>{move},
                    fmt::format("workflow:{}:{}:{}", move.workflow.str(), action, move.version));
}

}  // namespace

NewEvent workflow_created(const Workflow& workflow) {
  return event_with(event_type::kWorkflowCreated, workflow.id.str(), workflow,
                    fmt::format("workflow:{}:created:1", workflow.id.str()));
}

NewEvent phase_advanced(const PhaseMove& move) {
  return moved<Way::kAdvanced>(event_type::kPhaseAdvanced, move, "advanced");
}

NewEvent phase_skipped(const PhaseMove& move) {
  return moved<Way::kSkipped>(event_type::kPhaseSkipped, move, "skipped");
}

NewEvent phase_overridden(const PhaseMove& move) {
  return moved<Way::kOverridden>(event_type::kPhaseOverridden, move, "overridden");
}

NewEvent phase_rolled_back(const PhaseMove& move) {
  return moved<Way::kRolledBack>(event_type::kPhaseRolledBack, move, "rolled-back");
}

NewEvent workflow_cancelled(const PhaseMove& move) {
  return moved<Way::kCancelled>(event_type::kWorkflowCancelled, move, "cancelled");
}

NewEvent phase_evaluated(const WorkflowId& id, const PhaseEvidence& evidence) {
  return event_with(event_type::kPhaseEvaluated, id.str(), evidence);
}

NewEvent verdict_given(const WorkflowId& id, const PhaseVerdict& verdict) {
  return event_with(event_type::kVerdictGiven, id.str(), verdict);
}

NewEvent phase_joined(const TxnId& txn, const PhaseMember& member) {
  return event_with(event_type::kPhaseJoined, txn.str(), member,
                    fmt::format("txn:{}:joined:1", txn.str()));
}

NewEvent phase_carried(const TxnId& txn, const PhaseMember& member) {
  return event_with(event_type::kPhaseCarried, txn.str(), member);
}

}  // namespace events
}  // namespace gittxn::store
