#include "store/transaction_events.h"

#include "store/area.h"

namespace gittxn::store {

namespace events {

NewEvent txn_begun(const Txn& txn) {
  return event_with(event_type::kTxnBegun, txn.id.str(), Begun{txn},
                    event_key("txn", txn.id.str(), "begun", "1"));
}

NewEvent attempt_started(const TxnId& id, const Attempt& attempt) {
  return event_with(event_type::kAttemptStarted, id.str(), attempt,
                    event_key("txn", id.str(), "attempt", std::to_string(attempt.number)));
}

NewEvent command_started(const TxnId& id, int attempt, const std::string& trace,
                         const std::vector<std::string>& argv, const std::string& confine) {
  return event_with(event_type::kCommandStarted, id.str(),
                    CommandStarted{attempt, trace, argv, confine});
}

NewEvent command_ended(const TxnId& id, int attempt, int exit_status) {
  return event_with(event_type::kCommandEnded, id.str(), CommandEnded{attempt, exit_status});
}

NewEvent extended(const TxnId& id, int attempt, const Oid& head, std::size_t reads) {
  return event_with(event_type::kExtended, id.str(),
                    Extended{attempt, head, static_cast<std::int64_t>(reads)});
}

NewEvent told(const TxnId& id, int attempt, const Oid& head, int number,
              const std::vector<std::string>& subjects) {
  return event_with(event_type::kTold, id.str(), Told{attempt, head, number, subjects});
}

NewEvent child(const TxnId& id, const Child& child) {
  return event_with(event_type::kChild, id.str(), child);
}

NewEvent worktree_removed(const TxnId& id, int attempt) {
  return event_with(event_type::kWorktreeRemoved, id.str(), OfAttempt{attempt},
                    event_key("txn", id.str(), "worktree-removed", std::to_string(attempt)));
}

NewEvent taken(const TxnId& id, const Taken& taken) {
  return event_with(event_type::kTaken, id.str(), taken);
}

NewEvent prepared(const TxnId& id, int attempt, const std::optional<Identity>& committer) {
  return event_with(event_type::kPrepared, id.str(), Prepared{attempt, committer});
}

NewEvent repairing(const TxnId& id, const std::string& rung, const std::string& why) {
  return event_with(event_type::kRepairing, id.str(), Repairing{rung, why});
}

NewEvent rejected(const TxnId& id, int attempt, const std::vector<Conflict>& conflicts) {
  return event_with(event_type::kRejected, id.str(), Conflicted{attempt, conflicts});
}

NewEvent quarantined(const TxnId& id, const std::string& why,
                     const std::vector<Conflict>& conflicts) {
  return event_with(event_type::kQuarantined, id.str(), Quarantined{why, conflicts});
}

NewEvent aborted(const TxnId& id, const std::string& why, const std::string& actor) {
  return event_with(event_type::kAborted, id.str(), Aborted{why, actor});
}

NewEvent nothing(const TxnId& id, const std::string& why, const Oid& merged) {
  return event_with(event_type::kNothing, id.str(), Nothing{why, merged});
}

NewEvent reopened(const TxnId& id, const Reopened& reopened) {
  return event_with(event_type::kReopened, id.str(), reopened);
}

NewEvent waiting(const TxnId& id, WaitReason reason, const std::string& subject) {
  return event_with(event_type::kWaiting, id.str(),
                    Waiting{std::string(wait_words(reason)), subject});
}

NewEvent conflicted(const TxnId& id, int attempt, const std::vector<Conflict>& conflicts) {
  return event_with(event_type::kConflicted, id.str(), Conflicted{attempt, conflicts});
}

NewEvent owner_lost(const TxnId& id, std::int64_t slot) {
  return event_with(event_type::kOwnerLost, id.str(), OwnerLost{slot},
                    event_key("txn", id.str(), "owner-lost", std::to_string(slot)));
}

}  // namespace events

}  // namespace gittxn::store
