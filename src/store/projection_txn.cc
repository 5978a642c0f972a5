#include "store/projection_txn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "model/codec.h"
#include "store/rows.h"

namespace gittxn::store {
namespace {

using enum TxnState;

std::unexpected<Error> stale(const Event& event, const std::string& why) {
  return fail(Code::kStale, fmt::format("{} of {}: {}", event.type, event.subject, why));
}

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
  TRY(fields.done());
  Attempt* attempt = TRY(attempt_of(txn, event, number));
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
  if (fields.has("committer")) fields.value("committer", committer, identity_from_json);
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

Status apply_nothing(Txn&, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string why;
  fields.text("why", why);
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

// In which states an event is accepted (bits), and which state follows; none: it stays.
constexpr unsigned bit(TxnState state) {
  return 1u << static_cast<unsigned>(state);
}
constexpr unsigned bits(std::initializer_list<TxnState> states) {
  unsigned out = 0;
  for (const TxnState state : states) out |= bit(state);
  return out;
}
constexpr unsigned kAll = ~0u;
constexpr unsigned kNotFinal =
    bits({kOpen, kPrepared, kLanding, kRejected, kQuarantined, kRepairing});
constexpr unsigned kRest = kNotFinal & ~bit(kLanding);  // somebody may decide about it

struct Rule {
  std::string_view type;
  unsigned allowed;
  std::optional<TxnState> then;
  Apply apply;
};
constexpr Rule kRules[] = {
    {event_type::kAttemptStarted, bits({kOpen, kRepairing}), kOpen, apply_attempt},
    {event_type::kCommandStarted, bits({kOpen}), {}, apply_command_started},
    {event_type::kCommandEnded, bits({kOpen, kAborted}), {}, apply_command_ended},
    {event_type::kExtended, bits({kOpen}), {}, apply_extended},
    {event_type::kTold, bits({kOpen}), {}, apply_told},
    {event_type::kChild, bits({kOpen}), {}, apply_child},
    {event_type::kTaken, kRest, {}, apply_taken},
    {event_type::kPrepared, kRest, kPrepared, apply_prepared},
    {event_type::kRepairing, bits({kPrepared, kRepairing}), kRepairing, apply_repairing},
    {event_type::kWaiting, kNotFinal, {}, apply_waiting},
    {event_type::kConflicted, kRest, {}, apply_conflicts},
    {event_type::kRejected, bits({kPrepared, kRepairing}), kRejected, apply_conflicts},
    {event_type::kQuarantined, bits({kPrepared, kRepairing}), kQuarantined, apply_quarantined},
    {event_type::kAborted, kRest, kAborted, apply_aborted},
    {event_type::kNothing, bits({kOpen, kPrepared, kRepairing}), kNothing, apply_nothing},
    {event_type::kReopened, kRest | bit(kAborted), kOpen, apply_reopened},
    {event_type::kOwnerLost, kNotFinal, {}, apply_owner_lost},
    {event_type::kWorktreeRemoved, kAll, {}, apply_worktree_removed},
};

}  // namespace

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

Status project_txn(db::Database& database, const Event& event, const Json& json) {
  if (event.type == event_type::kTxnBegun) return begun(database, event, json);
  for (const Rule& rule : kRules) {
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

}  // namespace gittxn::store
