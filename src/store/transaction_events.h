// What the payloads of a transaction's events say, where events.h has no type of it: read by the
// rules of transactions.cc, written by the builders of transaction_events.cc. Internal to store/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "model/fields.h"
#include "model/txn.h"
#include "store/events.h"

namespace gittxn::store {

// A new one.
struct Begun {
  Txn txn;
};
inline void fields(FieldIo& io, Begun& begun) {
  fields(io, begun.txn);
  io.only("state", std::array{state_name(TxnState::kOpen)});
  io.empty("attempts");
}

struct OfAttempt {
  int attempt = 0;
};
inline void fields(FieldIo& io, OfAttempt& of) {
  io.integer("attempt", of.attempt, kPositive);
}

struct CommandStarted {
  int attempt = 0;
  std::string trace;
  std::vector<std::string> argv;
  std::string confine;
};
inline void fields(FieldIo& io, CommandStarted& started) {
  io.integer("attempt", started.attempt, kPositive);
  io.text({"trace", "path, \"\" when untraced"}, started.trace);
  io.texts("argv", started.argv);
  if (io.maybe("confine", started.confine)) {
    io.text({"confine", "`writes` when it is confined, else absent"}, started.confine);
  }
}

struct CommandEnded {
  int attempt = 0;
  int exit_status = 0;
};
inline void fields(FieldIo& io, CommandEnded& ended) {
  io.integer("attempt", ended.attempt, kPositive);
  io.integer("exit", ended.exit_status);
}

struct Extended {
  int attempt = 0;
  Oid head;
  std::int64_t reads = 0;
};
inline void fields(FieldIo& io, Extended& extended) {
  io.integer("attempt", extended.attempt, kPositive);
  io.oid("head", extended.head);
  io.integer({"reads", "how many"}, extended.reads, kNotNegative);
}

struct Told {
  int attempt = 0;
  Oid head;
  int number = 0;
  std::vector<std::string> subjects;
};
inline void fields(FieldIo& io, Told& told) {
  io.integer("attempt", told.attempt, kPositive);
  io.oid("head", told.head);
  io.integer({"number", "of the [brief](brief.md)"}, told.number, kPositive);
  io.texts({"subjects", "of the reads that do not hold"}, told.subjects);
}

struct Prepared {
  int attempt = 0;
  std::optional<Identity> committer;
};
inline void fields(FieldIo& io, Prepared& prepared) {
  io.integer({"attempt", "the last, and taken"}, prepared.attempt, kPositive);
  if (io.or_null("committer", prepared.committer)) {
    io.value({"committer", "or null: as begun"}, *prepared.committer);
  }
}

struct Repairing {
  std::string rung;
  std::string why;
};
inline void fields(FieldIo& io, Repairing& repairing) {
  io.text("rung", repairing.rung);
  io.text("why", repairing.why);
}

struct Conflicted {
  int attempt = 0;
  std::vector<Conflict> conflicts;
};
inline void fields(FieldIo& io, Conflicted& conflicted) {
  io.integer("attempt", conflicted.attempt, kPositive);
  io.list({"conflicts", "below"}, conflicted.conflicts);
}

struct Quarantined {
  std::string why;
  std::vector<Conflict> conflicts;
};
inline void fields(FieldIo& io, Quarantined& quarantined) {
  io.text("why", quarantined.why);
  io.list({"conflicts", "below"}, quarantined.conflicts);
}

struct Aborted {
  std::string why;
  std::string actor;
};
inline void fields(FieldIo& io, Aborted& aborted) {
  io.text("why", aborted.why);
  io.text("actor", aborted.actor);
}

struct Nothing {
  std::string why;
  Oid merged;
};
inline void fields(FieldIo& io, Nothing& nothing) {
  io.text("why", nothing.why);
  if (io.maybe("merged", nothing.merged)) {
    io.oid({"merged", "where somebody else brought its change to the branch: that commit",
            "^[0-9a-f]{40}$"},
           nothing.merged);
  }
}

struct Waiting {
  std::string reason;
  std::string subject;
};
inline void fields(FieldIo& io, Waiting& waiting) {
  io.text({"reason", "\"\" ends the wait"}, waiting.reason);
  io.text("subject", waiting.subject);
}

struct OwnerLost {
  std::int64_t slot = 0;
};
inline void fields(FieldIo& io, OwnerLost& lost) {
  io.integer({"slot", "the one the transaction has"}, lost.slot, kNotNegative);
}

namespace events {
inline void fields(FieldIo& io, Taken& taken) {
  io.integer("attempt", taken.attempt, kPositive);
  io.oid({"base", "\"\" as it was"}, taken.base);
  io.oid("kept", taken.kept);
  io.name("reads", taken.reads);
  io.boolean("reads_complete", taken.reads_complete);
  io.text("unknown_reason", taken.unknown_reason);
  io.name("writes", taken.writes);
  io.name("tool_env", taken.tool_env);
  if (io.maybe("reads_left", taken.reads_left)) io.boolean("reads_left", taken.reads_left);
}

inline void fields(FieldIo& io, Reopened& reopened) {
  io.text("owner", reopened.owner);
  io.integer("slot", reopened.slot, kNotNegative);
  io.boolean("attached", reopened.attached);
  if (io.maybe("by_hand", reopened.by_hand)) io.boolean("by_hand", reopened.by_hand);
}
}  // namespace events

}  // namespace gittxn::store
