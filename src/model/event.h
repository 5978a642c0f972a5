// Events: the only way state changes. A store appends a list of events and the projections follow
// from them in the same database transaction (5-kernel, F1 and F7).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace gittxn {

// What a caller asks to append. The store adds seq, time and hashes.
struct NewEvent {
  std::string type;       // one of event_type below
  std::string subject;    // transaction id, branch, gate, ...
  std::string payload;    // canonical JSON
  std::string dedup_key;  // "source:id:action:version"; unique; empty: made from the sequence
};

struct Event {
  Seq seq = 0;
  std::string time;  // format_utc of the wall clock; for people
  std::string type;
  std::string subject;
  int schema_version = 1;
  std::string dedup_key;
  std::string payload;  // canonical JSON
  Digest prev_hash;
  Digest hash;  // SHA-256(prev_hash ‖ canonical JSON of every other column)
};

Digest event_hash(const Event& event);  // of all columns but `hash`

namespace event_type {
inline constexpr std::string_view kTxnBegun = "txn.begun";                  // payload: Txn
inline constexpr std::string_view kAttemptStarted = "txn.attempt";          // Attempt
inline constexpr std::string_view kCommandStarted = "txn.command.started";  // trace, argv
inline constexpr std::string_view kCommandEnded = "txn.command.ended";      // exit, trace
inline constexpr std::string_view kExtended = "txn.extended";               // holds at a later head
inline constexpr std::string_view kTold = "txn.told";              // a read is stale: agent told
inline constexpr std::string_view kChild = "txn.child";            // of an isolated sub-agent
inline constexpr std::string_view kTaken = "txn.taken";            // kept, reads, writes, env
inline constexpr std::string_view kPrepared = "txn.prepared";      // asked to land
inline constexpr std::string_view kRepairing = "txn.repairing";    // rung, why
inline constexpr std::string_view kWaiting = "txn.waiting";        // reason, subject ("" ends it)
inline constexpr std::string_view kConflicted = "txn.conflicted";  // conflicts of one try
inline constexpr std::string_view kRejected = "txn.rejected";
inline constexpr std::string_view kQuarantined = "txn.quarantined";
inline constexpr std::string_view kAborted = "txn.aborted";
inline constexpr std::string_view kNothing = "txn.nothing";
inline constexpr std::string_view kReopened = "txn.reopened";     // resume: back to open
inline constexpr std::string_view kOwnerLost = "txn.owner.lost";  // attached owner died
inline constexpr std::string_view kWorktreeRemoved = "txn.worktree.removed";
inline constexpr std::string_view kLandingPrepared = "landing.prepared";
inline constexpr std::string_view kLandingLost = "landing.lost";
inline constexpr std::string_view kTransactionLanded = "transaction.landed";
inline constexpr std::string_view kOutsideMove = "branch.outside-move";  // old, new
inline constexpr std::string_view kDurableHead = "branch.durable";       // first durable head
inline constexpr std::string_view kCheckoutPending =
    "checkout.pending";                                               // paths left to the person
inline constexpr std::string_view kGateEvaluated = "gate.evaluated";  // Certificate
inline constexpr std::string_view kTrusted = "policy.trusted";        // hash, actor
inline constexpr std::string_view kTicketTaken = "turn.ticket";       // branch, txn, slot
inline constexpr std::string_view kTicketDone = "turn.done";
inline constexpr std::string_view kSummaryAdded = "summary.added";  // name, manifest
inline constexpr std::string_view kLeaseQueued = "lease.queued";    // waits in line
inline constexpr std::string_view kLeaseAcquired = "lease.acquired";
inline constexpr std::string_view kLeaseRenewed = "lease.renewed";
inline constexpr std::string_view kLeaseTransferred = "lease.transferred";
inline constexpr std::string_view kLeaseReleased = "lease.released";
inline constexpr std::string_view kLeaseExpired = "lease.expired";  // by whoever came next
inline constexpr std::string_view kUsageReported = "usage.reported";
inline constexpr std::string_view kBudgetSet = "budget.set";
inline constexpr std::string_view kBudgetWarning = "budget.warning";    // 80 %, once a budget
inline constexpr std::string_view kBudgetExceeded = "budget.exceeded";  // 100 %, once a budget
inline constexpr std::string_view kBudgetReconciled = "budget.reconciled";
inline constexpr std::string_view kWorkflowCreated = "workflow.created";
inline constexpr std::string_view kWorkflowCancelled = "workflow.cancelled";
inline constexpr std::string_view kPhaseAdvanced = "phase.advanced";
inline constexpr std::string_view kPhaseSkipped = "phase.skipped";
inline constexpr std::string_view kPhaseOverridden = "phase.overridden";
inline constexpr std::string_view kPhaseRolledBack = "phase.rolled-back";
inline constexpr std::string_view kPhaseJoined = "phase.joined";    // by a transaction
inline constexpr std::string_view kPhaseCarried = "phase.carried";  // it goes on in another
inline constexpr std::string_view kPhaseEvaluated = "gate.phase-evaluated";
inline constexpr std::string_view kVerdictGiven = "verdict.given";
inline constexpr std::string_view kCompensationRegistered = "compensation.registered";
inline constexpr std::string_view kCompensationStarted = "compensation.started";
inline constexpr std::string_view kCompensationEnded = "compensation.ended";
inline constexpr std::string_view kSlotReserved = "slot.reserved";  // its seq is the slot
inline constexpr std::string_view kConsumerRegistered = "consumer.registered";  // kind, position
inline constexpr std::string_view kConsumerRemoved = "consumer.removed";
inline constexpr std::string_view kConsumerStale = "consumer.stale";    // once a stall
inline constexpr std::string_view kCheckpoint = "log.checkpoint";       // what was pruned
inline constexpr std::string_view kHandlerStarted = "handler.started";  // event, attempt
inline constexpr std::string_view kHandlerEnded = "handler.ended";      // exit, output, state
inline constexpr std::string_view kHandlerRetried = "handler.retried";
inline constexpr std::string_view kProposalMade = "proposal.made";          // score, bounds
inline constexpr std::string_view kProposalRepeated = "proposal.repeated";  // refused as the same
inline constexpr std::string_view kProposalRefused = "proposal.refused";    // outside its tier
inline constexpr std::string_view kProposalPromoted = "proposal.promoted";
inline constexpr std::string_view kProposalDismissed = "proposal.dismissed";
inline constexpr std::string_view kProposalLinked = "proposal.linked";  // what it became
inline constexpr std::string_view kMemberSet = "portfolio.member-set";  // path, log, needs
inline constexpr std::string_view kMemberRemoved = "portfolio.member-removed";
inline constexpr std::string_view kRelayed = "portfolio.relayed";  // an event of another log
}  // namespace event_type

}  // namespace gittxn
