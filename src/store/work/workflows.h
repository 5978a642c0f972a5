// Workflows as the log has them: builders of their events, and the questions about their state.
//
// Each move names the version it was decided on, and is refused (kStale) when the workflow has
// another by then: of two concurrent moves one happens. A move and its record are one event, so
// that neither can be there alone (F7). Questions answer for a look and for a decision alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/workflow.h"
#include "store/store.h"

namespace gittxn::store {

Result<std::optional<Workflow>> workflow(const View& view, const WorkflowId& id);
Result<std::vector<Workflow>> workflows(const View& view);  // newest first
// What each gate said last, of whatever head and version of the phase; by phase and name.
Result<std::vector<PhaseEvidence>> phase_evidence(const View& view, const WorkflowId& id);
// The last of each name that was given of any version of a phase; by phase and name.
Result<std::vector<PhaseVerdict>> phase_verdicts(const View& view, const WorkflowId& id);

// To which phase the transaction belongs; nullopt: to none.
Result<std::optional<PhaseMember>> phase_member(const View& view, const TxnId& txn);
// The transactions of a phase that have neither landed, nor changed nothing, nor were aborted:
// whoever is next first (priority, then age).
Result<std::vector<Txn>> unfinished_of(const View& view, const WorkflowId& id,
                                       std::string_view phase);
// The version a kernel read (model/workflow.h) names, as it is now; "" when the thing is not there,
// nullopt when the store does not know its version. `reader`: left out of what is pending.
Result<std::optional<std::string>> kernel_version(const View& view, std::string_view subject,
                                                  const TxnId& reader);

namespace events {

// kExists: there is another one of that id. Its first phase is open.
NewEvent workflow_created(const Workflow& workflow);

// From the open phase to the one after it ("" behind the last). `version`: of the workflow, before.
struct PhaseMove {
  WorkflowId workflow;
  std::int64_t version = 0;
  std::string from;  // "" when it is finished (rolling back)
  std::string to;    // "" behind the last
  std::string actor;
  std::string reason = {};               // all but advanced; cancelled: may be empty
  std::vector<std::string> failed = {};  // overridden: the gates that did not hold
  std::vector<TxnId> cancelled = {};     // rolled back: the transactions aborted with it
};
NewEvent phase_advanced(const PhaseMove& move);
NewEvent phase_skipped(const PhaseMove& move);
NewEvent phase_overridden(const PhaseMove& move);
NewEvent phase_rolled_back(const PhaseMove& move);
// Its end, in the open phase (`from`; there is no `to`). What moves it later is refused (kStale).
NewEvent workflow_cancelled(const PhaseMove& move);

NewEvent phase_evaluated(const WorkflowId& id, const PhaseEvidence& evidence);
NewEvent verdict_given(const WorkflowId& id, const PhaseVerdict& verdict);

// A new transaction belongs to the open phase, in these versions; kStale when they are others.
NewEvent phase_joined(const TxnId& txn, const PhaseMember& member);
// Its phase was left, or the gates are others: it goes on under what holds now.
NewEvent phase_carried(const TxnId& txn, const PhaseMember& member);

}  // namespace events
}  // namespace gittxn::store
