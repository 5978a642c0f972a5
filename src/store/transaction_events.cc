#include "store/transaction_events.h"

#include <array>

#include "model/fields.h"
#include "store/area.h"

namespace gittxn::store {

void fields(FieldIo& io, Begun& begun) {
  fields(io, begun.txn);
  io.only("state", std::array{state_name(TxnState::kOpen)});
  io.empty("attempts");
}

void fields(FieldIo& io, OfAttempt& of) {
  io.integer("attempt", of.attempt, kPositive);
}

void fields(FieldIo& io, CommandStarted& started) {
  io.integer("attempt", started.attempt, kPositive);
  io.text({"trace", "path, \"\" when untraced"}, started.trace);
  io.texts("argv", started.argv);
  if (io.maybe("confine", started.confine)) {
    io.text({"confine", "`writes` when it is confined, else absent"}, started.confine);
  }
}

void fields(FieldIo& io, CommandEnded& ended) {
  io.integer("attempt", ended.attempt, kPositive);
  io.integer("exit", ended.exit_status);
}

void fields(FieldIo& io, Extended& extended) {
  io.integer("attempt", extended.attempt, kPositive);
  io.oid("head", extended.head);
  io.integer({"reads", "how many"}, extended.reads, kNotNegative);
}

void fields(FieldIo& io, Told& told) {
  io.integer("attempt", told.attempt, kPositive);
  io.oid("head", told.head);
  io.integer({"number", "of the [brief](brief.md)"}, told.number, kPositive);
  io.texts({"subjects", "of the reads that do not hold"}, told.subjects);
}

void fields(FieldIo& io, Prepared& prepared) {
  io.integer({"attempt", "the last, and taken"}, prepared.attempt, kPositive);
  if (io.or_null("committer", prepared.committer)) {
    io.value({"committer", "or null: as begun"}, *prepared.committer);
  }
}

void fields(FieldIo& io, Repairing& repairing) {
  io.text("rung", repairing.rung);
  io.text("why", repairing.why);
}

void fields(FieldIo& io, Conflicted& conflicted) {
  io.integer("attempt", conflicted.attempt, kPositive);
  io.list({"conflicts", "below"}, conflicted.conflicts);
}

void fields(FieldIo& io, Quarantined& quarantined) {
  io.text("why", quarantined.why);
  io.list({"conflicts", "below"}, quarantined.conflicts);
}

void fields(FieldIo& io, Aborted& aborted) {
  io.text("why", aborted.why);
  io.text("actor", aborted.actor);
}

void fields(FieldIo& io, Nothing& nothing) {
  io.text("why", nothing.why);
  if (io.maybe("merged", nothing.merged)) {
    io.oid({"merged", "where somebody else brought its change to the branch: that commit",
            "^[0-9a-f]{40}$"},
           nothing.merged);
  }
}

void fields(FieldIo& io, Waiting& waiting) {
  io.text({"reason", "\"\" ends the wait"}, waiting.reason);
  io.text("subject", waiting.subject);
}

void fields(FieldIo& io, OwnerLost& lost) {
  io.integer({"slot", "the one the transaction has"}, lost.slot, kNotNegative);
}

namespace events {

void fields(FieldIo& io, Taken& taken) {
  io.integer("attempt", taken.attempt, kPositive);
  io.oid({"base", "\"\" as it was"}, taken.base);
  io.oid("kept", taken.kept);
  io.name("reads", taken.reads);
  io.boolean("reads_complete", taken.reads_complete);
  io.text("unknown_reason", taken.unknown_reason);
  io.name("writes", taken.writes);
  io.name("tool_env", taken.tool_env);
}

void fields(FieldIo& io, Reopened& reopened) {
  io.text("owner", reopened.owner);
  io.integer("slot", reopened.slot, kNotNegative);
  io.boolean("attached", reopened.attached);
}

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

NewEvent waiting(const TxnId& id, const std::string& reason, const std::string& subject) {
  return event_with(event_type::kWaiting, id.str(), Waiting{reason, subject});
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
