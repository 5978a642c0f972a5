// Transactions: which events are accepted in which state, and what state follows (model/txn.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>

#include "base/json.h"
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

Status begun(db::Database& database, const Event& event, const Begun& begun) {
  Txn txn = begun.txn;
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

// Each of these applies its payload to the transaction, whose state was checked before and is set
// after.

Status apply_attempt(Txn& txn, const Event& event, const Attempt& attempt) {
  if (attempt.number != static_cast<int>(txn.attempts.size()) + 1) {
    return stale(event,
                 fmt::format("attempt {} comes after {}", attempt.number, txn.attempts.size()));
  }
  txn.attempts.push_back(attempt);
  return {};
}

Result<Attempt*> attempt_of(Txn& txn, const Event& event, int number) {
  if (number < 1 || number > static_cast<int>(txn.attempts.size())) {
    return stale(event, fmt::format("there is no attempt {}", number));
  }
  return &txn.attempts[static_cast<std::size_t>(number) - 1];
}

Status apply_command_started(Txn& txn, const Event& event, const CommandStarted& started) {
  Attempt* attempt = TRY(attempt_of(txn, event, started.attempt));
  if (!started.confine.empty()) attempt->confine = started.confine;
  if (!started.trace.empty()) attempt->traces.push_back(started.trace);
  attempt->command_exit.reset();
  attempt->by_hand = false;
  return {};
}

Status apply_command_ended(Txn& txn, const Event& event, const CommandEnded& ended) {
  Attempt* attempt = TRY(attempt_of(txn, event, ended.attempt));
  attempt->command_exit = ended.exit_status;
  return {};
}

// A fact about an attempt for whoever reads the history; the landing judges everything again.
template <typename Fact>
Status apply_fact(Txn& txn, const Event& event, const Fact& fact) {
  TRY(attempt_of(txn, event, fact.attempt));
  return {};
}

// A fact that says nothing of an attempt.
template <typename Fact>
Status apply_nothing_more(Txn&, const Event&, const Fact&) {
  return {};
}

Status apply_taken(Txn& txn, const Event& event, const events::Taken& taken) {
  Attempt* attempt = TRY(attempt_of(txn, event, taken.attempt));
  if (!taken.base.empty()) attempt->base = taken.base;
  attempt->kept = taken.kept;
  attempt->reads = taken.reads;
  attempt->reads_complete = taken.reads_complete;
  attempt->unknown_reason = taken.unknown_reason;
  attempt->writes = taken.writes;
  attempt->tool_env = taken.tool_env;
  attempt->reads_left = taken.reads_left;
  return {};
}

Status apply_worktree_removed(Txn& txn, const Event& event, const OfAttempt& removed) {
  Attempt* attempt = TRY(attempt_of(txn, event, removed.attempt));
  attempt->worktree.clear();
  return {};
}

Status apply_prepared(Txn& txn, const Event& event, const Prepared& prepared) {
  const Attempt* attempt = TRY(attempt_of(txn, event, prepared.attempt));
  if (attempt != &txn.attempts.back()) return stale(event, "a later attempt was started");
  if (attempt->kept.empty()) return stale(event, "its work was not taken yet");
  txn.committer = prepared.committer.value_or(txn.committer);
  return {};
}

Status apply_nothing(Txn& txn, const Event&, const Nothing& nothing) {
  if (!nothing.merged.empty()) txn.landed_commit = nothing.merged;
  return {};
}

Status apply_reopened(Txn& txn, const Event&, const events::Reopened& reopened) {
  txn.owner = reopened.owner;
  txn.slot = reopened.slot;
  txn.attached = reopened.attached;
  if (reopened.by_hand && !txn.attempts.empty()) txn.attempts.back().by_hand = true;
  return {};
}

Status apply_waiting(Txn& txn, const Event&, const Waiting& waiting) {
  txn.waiting_reason = waiting.reason;
  txn.waiting_subject = waiting.subject;
  return {};
}

Status apply_owner_lost(Txn& txn, const Event& event, const OwnerLost& lost) {
  if (lost.slot != txn.slot) return stale(event, fmt::format("its owner has slot {}", txn.slot));
  txn.attached = false;
  txn.waiting_reason.clear();
  txn.waiting_subject.clear();
  return {};
}

std::string tell_command(const Json& payload) {
  const auto started = read_fields<CommandStarted>(payload);
  const std::string argv = started ? fmt::format("{}", fmt::join(started->argv, " ")) : "";
  return filled_in("{confine?confined command:command} started", payload) +
         (argv.empty() ? "" : ": " + argv);
}
std::string tell_waiting(const Json& payload) {
  const bool over = text_in(payload, "reason").empty();
  return over ? "wait is over" : filled_in("waiting: {reason}{:subject}", payload);
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

// Changes the transaction as `apply` says, in the states of the event's rule.
using Apply = Status (*)(Txn&, const Event&, const Json&);
Status change_txn(db::Database& database, const Event& event, const Json& json, Apply apply) {
  const EventRule& rule = *rule_of(event.type);
  Txn txn = TRY(known_txn(database, event));
  if ((rule.states & bit(txn.state)) == 0) {
    return stale(event, fmt::format("it is {}", state_name(txn.state)));
  }
  TRY(apply(txn, event, json));
  if (rule.then) TRY(move_txn(txn, *rule.then, event));
  txn.version = event.seq;
  return update_txn(database, txn);
}

template <auto kApply, typename T>
constexpr Accepting applying(Status (*)(Txn&, const Event&, const T&)) {
  return {payload_of<T>, [](db::Database& database, const Event& event, const Json& json) {
            const auto apply = [](Txn& txn, const Event& its_event, const Json& payload) -> Status {
              return kApply(txn, its_event, TRY(read_fields<T>(payload, its_event.type)));
            };
            return change_txn(database, event, json, apply);
          }};
}
template <auto kApply>
constexpr Accepting applies = applying<kApply>(kApply);

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

constexpr EventRule kTxnRules[] = {
    {event_type::kTxnBegun,
     {"A transaction that begins.", "", "no such id", "open",
      "the transaction (below), `state` open, `attempts` empty, `version` 0"},
     accepts<begun>,
     "begun by {owner} on {target}"},
    {event_type::kAttemptStarted,
     {"An attempt of a transaction that begins.", "", "", "",
      "an attempt (below); `number` is one more than the last"},
     applies<apply_attempt>,
     "attempt {number} from {~base}",
     bits({kOpen, kRepairing}),
     kOpen},
    {event_type::kCommandStarted,
     {"A command of an attempt starts; trace is the path of its records, empty when it is not "
      "traced."},
     applies<apply_command_started>,
     tell_command,
     bits({kOpen})},
    {event_type::kCommandEnded,
     {"The command has ended."},
     applies<apply_command_ended>,
     "command ended, exit {exit}",
     bits({kOpen, kAborted})},
    {event_type::kExtended,
     {"While a command runs: what was read until then holds at this head."},
     applies<apply_fact<Extended>>,
     "its {reads} reads until then hold at {~head}",
     bits({kOpen})},
    {event_type::kTold,
     {"While a command runs: a brief told its agent which reads do not hold."},
     applies<apply_fact<Told>>,
     "stale at {~head}, and its agent is told{:subjects}",
     bits({kOpen})},
    {event_type::kChild,
     {"A sub-agent with a worktree of its own."},
     applies<apply_fact<events::Child>>,
     "the worktree of {name}: {phase}",
     bits({kOpen, kAborted})},
    {event_type::kTaken,
     {"What came out of an attempt."},
     applies<apply_taken>,
     "work kept as {~kept}{:unknown_reason}",
     kRest | bit(kAborted)},
    {event_type::kPrepared,
     {"Asked to land."},
     applies<apply_prepared>,
     "asked to land",
     kRest,
     kPrepared},
    {event_type::kRepairing,
     {"It is being repaired."},
     applies<apply_nothing_more<Repairing>>,
     "repairing ({rung}){:why}",
     bits({kOpen, kPrepared, kRejected, kRepairing}),
     kRepairing},
    {event_type::kWaiting,
     {"It waits; an empty reason ends the wait."},
     applies<apply_waiting>,
     tell_waiting,
     kNotFinal},
    {event_type::kConflicted,
     {"Why one try did not land."},
     applies<apply_fact<Conflicted>>,
     "conflict{:conflicts}",
     kRest},
    {event_type::kRejected,
     {"A no of a gate or of the policy."},
     applies<apply_fact<Conflicted>>,
     "rejected{:conflicts}",
     bits({kPrepared, kRepairing}),
     kRejected},
    {event_type::kQuarantined,
     {"Its retries are used up."},
     applies<apply_nothing_more<Quarantined>>,
     "quarantined{:why}",
     bits({kOpen, kPrepared, kRepairing}),
     kQuarantined},
    {event_type::kAborted,
     {"Given up."},
     applies<apply_nothing_more<Aborted>>,
     "aborted by {actor}{:why}",
     kRest,
     kAborted},
    {event_type::kNothing,
     {"It has nothing to land: it changed nothing, or somebody else brought its change to the "
      "branch (merged)."},
     applies<apply_nothing>,
     "{merged?merged:nothing to land}{:why}",
     bits({kOpen, kPrepared, kRepairing}),
     kNothing},
    {event_type::kReopened,
     {"Open again, under this owner."},
     applies<apply_reopened>,
     "reopened by {owner}",
     kRest | bit(kAborted),
     kOpen},
    {event_type::kOwnerLost,
     {"Its attached owner died."},
     applies<apply_owner_lost>,
     "its process exited",
     kNotFinal},
    {event_type::kWorktreeRemoved,
     {"The worktree of an attempt was removed."},
     applies<apply_worktree_removed>,
     "worktree of attempt {attempt} removed",
     kAnyState},
};

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
