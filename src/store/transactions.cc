// Transactions: which events are accepted in which state, and what state follows (model/txn.h).
#include "store/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/json_value.h"
#include "model/codec.h"
#include "store/area.h"
#include "store/rows.h"

namespace gittxn::store {
namespace {

using enum TxnState;

bool valid_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && id.front() != '-' &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

Status begun(db::Database& database, const Event& event, const Json& json) {
  Txn txn = TRY_IN(event.type, txn_from_json(json));
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
  Attempt attempt = TRY_IN(event.type, attempt_from_json(json));
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
  Fields fields(json, event.type);
  int number = 0;
  std::string trace;
  std::vector<std::string> argv;
  fields.integer("attempt", number);
  fields.text("trace", trace);
  fields.texts("argv", argv);
  std::string confine;
  if (fields.has("confine")) fields.text("confine", confine);
  TRY(fields.done());
  Attempt* attempt = TRY(attempt_of(txn, event, number));
  if (!confine.empty()) attempt->confine = confine;
  if (!trace.empty()) attempt->traces.push_back(trace);
  attempt->command_exit.reset();
  return {};
}

Status apply_command_ended(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  int number = 0;
  int exit_status = 0;
  fields.integer("attempt", number);
  fields.integer("exit", exit_status);
  TRY(fields.done());
  Attempt* attempt = TRY(attempt_of(txn, event, number));
  attempt->command_exit = exit_status;
  return {};
}

// Facts for whoever reads the history; the landing judges everything again.
Status apply_extended(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  int number = 0;
  std::int64_t reads = 0;
  Oid head;
  fields.integer("attempt", number);
  fields.oid("head", head);
  fields.integer("reads", reads);
  TRY(fields.done());
  TRY(attempt_of(txn, event, number));
  return {};
}

Status apply_told(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  int attempt = 0;
  int number = 0;
  Oid head;
  std::vector<std::string> subjects;
  fields.integer("attempt", attempt);
  fields.oid("head", head);
  fields.integer("number", number);
  fields.texts("subjects", subjects);
  TRY(fields.done());
  TRY(attempt_of(txn, event, attempt));
  return {};
}

Status apply_child(Txn& txn, const Event& event, const Json& json) {
  constexpr std::array<std::string_view, 5> kPhases = {"begun", "joined", "conflict", "nothing",
                                                       "left"};
  Fields fields(json, event.type);
  int attempt = 0;
  int number = 0;
  std::string name;
  std::string phase;
  Oid tree;
  fields.integer("attempt", attempt);
  fields.integer("number", number);
  fields.text("name", name);
  fields.text("phase", phase);
  fields.oid("tree", tree);
  TRY(fields.done());
  if (std::ranges::find(kPhases, phase) == kPhases.end()) {
    return fail(Code::kCorrupt, fmt::format("{}: no phase is '{}'", event.type, phase));
  }
  TRY(attempt_of(txn, event, attempt));
  return {};
}

Status apply_taken(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  int number = 0;
  Attempt taken;
  fields.integer("attempt", number);
  fields.oid("base", taken.base);
  fields.oid("kept", taken.kept);
  fields.name("reads", taken.reads);
  fields.boolean("reads_complete", taken.reads_complete);
  fields.text("unknown_reason", taken.unknown_reason);
  fields.name("writes", taken.writes);
  fields.name("tool_env", taken.tool_env);
  TRY(fields.done());
  Attempt* attempt = TRY(attempt_of(txn, event, number));
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
  Fields fields(json, event.type);
  int number = 0;
  fields.integer("attempt", number);
  TRY(fields.done());
  Attempt* attempt = TRY(attempt_of(txn, event, number));
  attempt->worktree.clear();
  return {};
}

Status apply_prepared(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  int number = 0;
  fields.integer("attempt", number);
  Identity committer = txn.committer;
  if (fields.given("committer")) fields.value("committer", committer, identity_from_json);
  TRY(fields.done());
  const Attempt* attempt = TRY(attempt_of(txn, event, number));
  if (attempt != &txn.attempts.back()) return stale(event, "a later attempt was started");
  if (attempt->kept.empty()) return stale(event, "its work was not taken yet");
  txn.committer = committer;
  return {};
}

Status apply_repairing(Txn&, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string text;
  fields.text("rung", text);
  fields.text("why", text);
  return fields.done();
}

Status apply_conflicts(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  int number = 0;
  std::vector<Conflict> conflicts;
  fields.integer("attempt", number);
  fields.list("conflicts", conflicts, conflict_from_json);
  TRY(fields.done());
  TRY(attempt_of(txn, event, number));
  return {};
}

Status apply_quarantined(Txn&, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string why;
  std::vector<Conflict> conflicts;
  fields.text("why", why);
  fields.list("conflicts", conflicts, conflict_from_json);
  return fields.done();
}

Status apply_aborted(Txn&, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string text;
  fields.text("why", text);
  fields.text("actor", text);
  return fields.done();
}

Status apply_nothing(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string why;
  fields.text("why", why);
  if (fields.has("merged")) fields.oid("merged", txn.landed_commit);
  return fields.done();
}

Status apply_reopened(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  fields.text("owner", txn.owner);
  fields.integer("slot", txn.slot);
  fields.boolean("attached", txn.attached);
  return fields.done();
}

Status apply_waiting(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  fields.text("reason", txn.waiting_reason);
  fields.text("subject", txn.waiting_subject);
  return fields.done();
}

Status apply_owner_lost(Txn& txn, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::int64_t slot = 0;
  fields.integer("slot", slot);
  TRY(fields.done());
  if (slot != txn.slot) return stale(event, fmt::format("its owner has slot {}", txn.slot));
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
  unsigned allowed;
  std::optional<TxnState> then;
  Apply apply;
  std::string (*describe)(const Json&);
};
constexpr TxnMove kTxnMoves[] = {
    {event_type::kAttemptStarted, bits({kOpen, kRepairing}), kOpen, apply_attempt, tell_attempt},
    {event_type::kCommandStarted, bits({kOpen}), {}, apply_command_started, tell_command},
    {event_type::kCommandEnded,
     bits({kOpen, kAborted}),
     {},
     apply_command_ended,
     tell_command_ended},
    {event_type::kExtended, bits({kOpen}), {}, apply_extended, tell_extended},
    {event_type::kTold, bits({kOpen}), {}, apply_told, tell_told},
    {event_type::kChild, bits({kOpen, kAborted}), {}, apply_child, tell_child},
    {event_type::kTaken, kRest | bit(kAborted), {}, apply_taken, tell_work_taken},
    {event_type::kPrepared, kRest, kPrepared, apply_prepared, tell_txn_prepared},
    {event_type::kRepairing, bits({kPrepared, kRepairing}), kRepairing, apply_repairing,
     tell_repairing},
    {event_type::kWaiting, kNotFinal, {}, apply_waiting, tell_waiting},
    {event_type::kConflicted, kRest, {}, apply_conflicts, tell_conflicted},
    {event_type::kRejected, bits({kPrepared, kRepairing}), kRejected, apply_conflicts,
     tell_rejected},
    {event_type::kQuarantined, bits({kPrepared, kRepairing}), kQuarantined, apply_quarantined,
     tell_quarantined},
    {event_type::kAborted, kRest, kAborted, apply_aborted, tell_aborted},
    {event_type::kNothing, bits({kOpen, kPrepared, kRepairing}), kNothing, apply_nothing,
     tell_nothing},
    {event_type::kReopened, kRest | bit(kAborted), kOpen, apply_reopened, tell_reopened},
    {event_type::kOwnerLost, kNotFinal, {}, apply_owner_lost, tell_owner_lost},
    {event_type::kWorktreeRemoved, kAnyState, {}, apply_worktree_removed, tell_worktree_removed},
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
  rules[0] = {event_type::kTxnBegun, begun, tell_begun};
  for (std::size_t i = 0; i < std::size(kTxnMoves); ++i) {
    rules[i + 1] = {kTxnMoves[i].type, project_txn, kTxnMoves[i].describe};
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
