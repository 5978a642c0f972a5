// Transactions: which events are accepted in which state, and what state follows (model/txn.h).
#include "store/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/json_value.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/rows.h"
#include "store/transaction_events.h"

namespace gittxn::store {

namespace {

using enum TxnState;

bool valid_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && id.front() != '-' &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

Status begun(db::Database& database, const Event& event, const Json& json) {
  Txn txn = TRY_IN(event.type, read_fields<Begun>(json)).txn;
  if (txn.id.str() != event.subject || !valid_id(event.subject)) {
    return fail(Code::kCorrupt,
                fmt::format("{}: '{}' is no transaction id", event.type, event.subject));
  }
  if (txn.state != kOpen || !txn.attempts.empty() || txn.version != 0) {
    return fail(Code::kCorrupt, fmt::format("{}: {} is not new", event.type, event.subject));
  }
  const std::optional<Txn> known = TRY(load_txn(database, txn.id));
  if (known) return fail(Code::kExists, fmt::format("transaction {} exists", txn.id.str()));
  txn.version = event.seq;
  return insert_txn(database, txn);
}

// Each of these reads its payload and applies it to the transaction, whose state was checked before
// and is set after.
using Apply = Status (*)(Txn&, const Event&, const Json&);

Status apply_attempt(Txn& txn, const Event& event, const Json& json) {
  Attempt attempt = TRY_IN(event.type, read_fields<Attempt>(json));
  if (attempt.number != static_cast<int>(txn.attempts.size()) + 1) {
    return stale(event,
                 fmt::format("attempt {} comes after {}", attempt.number, txn.attempts.size()));
  }
  txn.attempts.push_back(std::move(attempt));
  return {};
}

Result<Attempt*> attempt_of(Txn& txn, const Event& event, int number) {
  if (number < 1 || number > static_cast<int>(txn.attempts.size())) {
    return stale(event, fmt::format("there is no attempt {}", number));
  }
  return &txn.attempts[static_cast<std::size_t>(number) - 1];
}

Status apply_command_started(Txn& txn, const Event& event, const Json& json) {
  const auto started = TRY(read_fields<CommandStarted>(json, event.type));
  Attempt* attempt = TRY(attempt_of(txn, event, started.attempt));
  if (!started.confine.empty()) attempt->confine = started.confine;
  if (!started.trace.empty()) attempt->traces.push_back(started.trace);
  attempt->command_exit.reset();
  return {};
}

Status apply_command_ended(Txn& txn, const Event& event, const Json& json) {
  const auto ended = TRY(read_fields<CommandEnded>(json, event.type));
  Attempt* attempt = TRY(attempt_of(txn, event, ended.attempt));
  attempt->command_exit = ended.exit_status;
  return {};
}

// A fact about an attempt for whoever reads the history; the landing judges everything again.
template <typename Fact>
Status apply_fact(Txn& txn, const Event& event, const Json& json) {
  const auto fact = TRY(read_fields<Fact>(json, event.type));
  TRY(attempt_of(txn, event, fact.attempt));
  return {};
}

// A fact that says nothing of an attempt.
template <typename Fact>
Status apply_nothing_more(Txn&, const Event& event, const Json& json) {
  TRY(read_fields<Fact>(json, event.type));
  return {};
}

Status apply_taken(Txn& txn, const Event& event, const Json& json) {
  const auto taken = TRY(read_fields<events::Taken>(json, event.type));
  Attempt* attempt = TRY(attempt_of(txn, event, taken.attempt));
  if (!taken.base.empty()) attempt->base = taken.base;
  attempt->kept = taken.kept;
  attempt->reads = taken.reads;
  attempt->reads_complete = taken.reads_complete;
  attempt->unknown_reason = taken.unknown_reason;
  attempt->writes = taken.writes;
  attempt->tool_env = taken.tool_env;
  return {};
}

Status apply_worktree_removed(Txn& txn, const Event& event, const Json& json) {
  const auto removed = TRY(read_fields<OfAttempt>(json, event.type));
  Attempt* attempt = TRY(attempt_of(txn, event, removed.attempt));
  attempt->worktree.clear();
  return {};
}

Status apply_prepared(Txn& txn, const Event& event, const Json& json) {
  const auto prepared = TRY(read_fields<Prepared>(json, event.type));
  const Attempt* attempt = TRY(attempt_of(txn, event, prepared.attempt));
  if (attempt != &txn.attempts.back()) return stale(event, "a later attempt was started");
  if (attempt->kept.empty()) return stale(event, "its work was not taken yet");
  txn.committer = prepared.committer.value_or(txn.committer);
  return {};
}

Status apply_nothing(Txn& txn, const Event& event, const Json& json) {
  const auto nothing = TRY(read_fields<Nothing>(json, event.type));
  if (!nothing.merged.empty()) txn.landed_commit = nothing.merged;
  return {};
}

Status apply_reopened(Txn& txn, const Event& event, const Json& json) {
  const auto reopened = TRY(read_fields<events::Reopened>(json, event.type));
  txn.owner = reopened.owner;
  txn.slot = reopened.slot;
  txn.attached = reopened.attached;
  return {};
}

Status apply_waiting(Txn& txn, const Event& event, const Json& json) {
  const auto waiting = TRY(read_fields<Waiting>(json, event.type));
  txn.waiting_reason = waiting.reason;
  txn.waiting_subject = waiting.subject;
  return {};
}

Status apply_owner_lost(Txn& txn, const Event& event, const Json& json) {
  const auto lost = TRY(read_fields<OwnerLost>(json, event.type));
  if (lost.slot != txn.slot) return stale(event, fmt::format("its owner has slot {}", txn.slot));
  txn.attached = false;
  txn.waiting_reason.clear();
  txn.waiting_subject.clear();
  return {};
}

// For people.

using telling::after_colon;
using telling::brief;
using telling::number;
using telling::text;

std::string tell_begun(const Json& p) {
  return fmt::format("begun by {} on {}", text(p, "owner"), text(p, "target"));
}
std::string tell_attempt(const Json& p) {
  return fmt::format("attempt {} from {}", number(p, "number"), brief(text(p, "base")));
}
std::string tell_command(const Json& p) {
  std::string argv;
  const auto words = p.find("argv");
  if (words != p.end() && words->is_array()) {
    for (const Json& word : *words) {
      if (!word.is_string()) continue;
      if (!argv.empty()) argv += ' ';
      argv += decode_path(word.get_ref<const std::string&>());
    }
  }
  const bool confined = p.find("confine") != p.end();
  return (confined ? "confined command started" : "command started") + after_colon(argv);
}
std::string tell_command_ended(const Json& p) {
  return "command ended, exit " + number(p, "exit");
}
std::string tell_extended(const Json& p) {
  return fmt::format("its {} reads until then hold at {}", number(p, "reads"),
                     brief(text(p, "head")));
}
std::string tell_told(const Json& p) {
  return fmt::format("stale at {}, and its agent is told{}", brief(text(p, "head")),
                     after_colon(telling::first_texts(p, "subjects")));
}
std::string tell_child(const Json& p) {
  return fmt::format("the worktree of {}: {}", text(p, "name"), text(p, "phase"));
}
std::string tell_work_taken(const Json& p) {
  return fmt::format("work kept as {}{}", brief(text(p, "kept")),
                     after_colon(text(p, "unknown_reason")));
}
std::string tell_txn_prepared(const Json&) {
  return "asked to land";
}
std::string tell_repairing(const Json& p) {
  return fmt::format("repairing ({}){}", text(p, "rung"), after_colon(text(p, "why")));
}
std::string tell_waiting(const Json& p) {
  const std::string reason = text(p, "reason");
  if (reason.empty()) return "wait is over";
  return fmt::format("waiting: {}{}", reason, after_colon(text(p, "subject")));
}
std::string conflicts_in(const Json& p) {
  constexpr std::size_t kShown = 3;
  const auto list = p.find("conflicts");
  if (list == p.end() || !list->is_array() || list->empty()) return {};
  std::string out;
  for (std::size_t i = 0; i < list->size() && i < kShown; ++i) {
    const Json& conflict = (*list)[i];
    if (!conflict.is_object()) continue;
    out += fmt::format("{}{} {}", i == 0 ? ": " : ", ", text(conflict, "kind"),
                       text(conflict, "subject"));
  }
  if (list->size() > kShown) out += fmt::format(" and {} more", list->size() - kShown);
  return out;
}
std::string tell_conflicted(const Json& p) {
  return "conflict" + conflicts_in(p);
}
std::string tell_rejected(const Json& p) {
  return "rejected" + conflicts_in(p);
}
std::string tell_quarantined(const Json& p) {
  return "quarantined" + after_colon(text(p, "why"));
}
std::string tell_aborted(const Json& p) {
  return fmt::format("aborted by {}{}", text(p, "actor"), after_colon(text(p, "why")));
}
std::string tell_nothing(const Json& p) {
  const std::string merged = text(p, "merged");
  return (merged.empty() ? "nothing to land" : "merged") + after_colon(text(p, "why"));
}
std::string tell_reopened(const Json& p) {
  return "reopened by " + text(p, "owner");
}
std::string tell_owner_lost(const Json&) {
  return "its process exited";
}
std::string tell_worktree_removed(const Json& p) {
  return "worktree of attempt " + number(p, "attempt") + " removed";
}

// In which states an event is accepted (bits), and which state follows; none: it stays.
constexpr unsigned bit(TxnState state) {
  return 1u << static_cast<unsigned>(state);
}
constexpr unsigned bits(std::initializer_list<TxnState> states) {
  unsigned out = 0;
  for (const TxnState state : states) out |= bit(state);
  return out;
}
constexpr unsigned kAnyState = ~0u;
constexpr unsigned kNotFinal =
    bits({kOpen, kPrepared, kLanding, kRejected, kQuarantined, kRepairing});
constexpr unsigned kRest = kNotFinal & ~bit(kLanding);  // somebody may decide about it

struct TxnMove {
  std::string_view type;
  const char* about;
  unsigned allowed;
  std::optional<TxnState> then;
  void (*payload)(std::initializer_list<FieldIo*>);
  Apply apply;
  std::string (*describe)(const Json&);
  const char* fields = "";
};
constexpr TxnMove kTxnMoves[] = {
    {event_type::kAttemptStarted, "An attempt of a transaction that begins.",
     bits({kOpen, kRepairing}), kOpen, payload_of<Attempt>, apply_attempt, tell_attempt,
     "an attempt (below); `number` is one more than the last"},
    {event_type::kCommandStarted,
     "A command of an attempt starts; trace is the path of its records, empty when it is not "
     "traced.",
     bits({kOpen}),
     {},
     payload_of<CommandStarted>,
     apply_command_started,
     tell_command},
    {event_type::kCommandEnded,
     "The command has ended.",
     bits({kOpen, kAborted}),
     {},
     payload_of<CommandEnded>,
     apply_command_ended,
     tell_command_ended},
    {event_type::kExtended,
     "While a command runs: what was read until then holds at this head.",
     bits({kOpen}),
     {},
     payload_of<Extended>,
     apply_fact<Extended>,
     tell_extended},
    {event_type::kTold,
     "While a command runs: a brief told its agent which reads do not hold.",
     bits({kOpen}),
     {},
     payload_of<Told>,
     apply_fact<Told>,
     tell_told},
    {event_type::kChild,
     "A sub-agent with a worktree of its own.",
     bits({kOpen, kAborted}),
     {},
     payload_of<events::Child>,
     apply_fact<events::Child>,
     tell_child},
    {event_type::kTaken,
     "What came out of an attempt.",
     kRest | bit(kAborted),
     {},
     payload_of<events::Taken>,
     apply_taken,
     tell_work_taken},
    {event_type::kPrepared, "Asked to land.", kRest, kPrepared, payload_of<Prepared>,
     apply_prepared, tell_txn_prepared},
    {event_type::kRepairing, "It is being repaired.", bits({kPrepared, kRepairing}), kRepairing,
     payload_of<Repairing>, apply_nothing_more<Repairing>, tell_repairing},
    {event_type::kWaiting,
     "It waits; an empty reason ends the wait.",
     kNotFinal,
     {},
     payload_of<Waiting>,
     apply_waiting,
     tell_waiting},
    {event_type::kConflicted,
     "Why one try did not land.",
     kRest,
     {},
     payload_of<Conflicted>,
     apply_fact<Conflicted>,
     tell_conflicted},
    {event_type::kRejected, "A no of a gate or of the policy.", bits({kPrepared, kRepairing}),
     kRejected, payload_of<Conflicted>, apply_fact<Conflicted>, tell_rejected},
    {event_type::kQuarantined, "Its retries are used up.", bits({kPrepared, kRepairing}),
     kQuarantined, payload_of<Quarantined>, apply_nothing_more<Quarantined>, tell_quarantined},
    {event_type::kAborted, "Given up.", kRest, kAborted, payload_of<Aborted>,
     apply_nothing_more<Aborted>, tell_aborted},
    {event_type::kNothing,
     "It has nothing to land: it changed nothing, or somebody else brought its change to the "
     "branch (merged).",
     bits({kOpen, kPrepared, kRepairing}), kNothing, payload_of<Nothing>, apply_nothing,
     tell_nothing},
    {event_type::kReopened, "Open again, under this owner.", kRest | bit(kAborted), kOpen,
     payload_of<events::Reopened>, apply_reopened, tell_reopened},
    {event_type::kOwnerLost,
     "Its attached owner died.",
     kNotFinal,
     {},
     payload_of<OwnerLost>,
     apply_owner_lost,
     tell_owner_lost},
    {event_type::kWorktreeRemoved,
     "The worktree of an attempt was removed.",
     kAnyState,
     {},
     payload_of<OfAttempt>,
     apply_worktree_removed,
     tell_worktree_removed},
};

// One of kTxnMoves, by its type.
Status project_txn(db::Database& database, const Event& event, const Json& json) {
  for (const TxnMove& rule : kTxnMoves) {
    if (rule.type != event.type) continue;
    Txn txn = TRY(known_txn(database, event));
    if ((rule.allowed & bit(txn.state)) == 0) {
      return stale(event, fmt::format("it is {}", state_name(txn.state)));
    }
    TRY(rule.apply(txn, event, json));
    if (rule.then) TRY(move_txn(txn, *rule.then, event));
    txn.version = event.seq;
    return update_txn(database, txn);
  }
  return fail(Code::kCorrupt, fmt::format("unknown event type '{}'", event.type));
}

constexpr std::string_view kTxnSql = R"sql(
CREATE TABLE txns (
  id        TEXT    PRIMARY KEY,
  name      TEXT    NOT NULL,
  state     TEXT    NOT NULL,
  begun_seq INTEGER NOT NULL,
  body      TEXT    NOT NULL
) STRICT;
CREATE INDEX txns_by_name ON txns (name);
CREATE INDEX txns_by_state ON txns (state, begun_seq);
CREATE INDEX txns_by_age ON txns (begun_seq);
)sql";

constexpr ProjectionTable kTxnTables[] = {{"txns", "begun_seq"}};

constexpr auto kTxnRules = [] {
  std::array<EventRule, std::size(kTxnMoves) + 1> rules{};
  rules[0] = {.type = event_type::kTxnBegun,
              .text = {"A transaction that begins.", "", "no such id", "open",
                       "the transaction (below), `state` open, `attempts` empty, "
                       "`version` 0"},
              .payload = payload_of<Begun>,
              .project = begun,
              .describe = tell_begun};
  for (std::size_t i = 0; i < std::size(kTxnMoves); ++i) {
    const TxnMove& move = kTxnMoves[i];
    rules[i + 1] = {.type = move.type,
                    .text = {.about = move.about, .fields = move.fields},
                    .payload = move.payload,
                    .project = project_txn,
                    .describe = move.describe,
                    .states = move.allowed,
                    .then = move.then};
  }
  return rules;
}();

}  // namespace

const Area kTransactions{kTxnSql, kTxnTables, kTxnRules};

Result<Txn> known_txn(const db::Database& database, const Event& event) {
  std::optional<Txn> txn = TRY(load_txn(database, TxnId(event.subject)));
  if (!txn) return stale(event, "there is no such transaction");
  return *std::move(txn);
}

Status move_txn(Txn& txn, TxnState to, const Event& event) {
  if (txn.state != to && !may_follow(txn.state, to)) {
    return stale(event, fmt::format("it is {}", state_name(txn.state)));
  }
  txn.state = to;
  txn.waiting_reason.clear();
  txn.waiting_subject.clear();
  txn.version = event.seq;
  return {};
}

}  // namespace gittxn::store
