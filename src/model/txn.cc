#include "model/txn.h"

#include <algorithm>

#include "base/json_value.h"
#include "model/codec.h"
#include "model/names.h"

namespace gittxn {
namespace {

constexpr NameTable<TxnState, 9> kTxnStates{{
    {TxnState::kOpen, "open"},
    {TxnState::kPrepared, "prepared"},
    {TxnState::kLanding, "landing"},
    {TxnState::kLanded, "landed"},
    {TxnState::kNothing, "nothing"},
    {TxnState::kRejected, "rejected"},
    {TxnState::kAborted, "aborted"},
    {TxnState::kQuarantined, "quarantined"},
    {TxnState::kRepairing, "repairing"},
}};

constexpr NameTable<Isolation, 5> kIsolations{{
    {Isolation::kReadCommitted, "read-committed"},
    {Isolation::kSnapshot, "snapshot"},
    {Isolation::kSemantic, "semantic"},
    {Isolation::kSerializable, "serializable"},
    {Isolation::kStrict, "strict"},
}};

constexpr NameTable<ConflictKind, 8> kConflictKinds{{
    {ConflictKind::kReadStale, "read-stale"},
    {ConflictKind::kWriteWrite, "write-write"},
    {ConflictKind::kPredicate, "predicate"},
    {ConflictKind::kKernel, "kernel"},
    {ConflictKind::kGate, "gate"},
    {ConflictKind::kPolicy, "policy"},
    {ConflictKind::kCycle, "cycle"},
    {ConflictKind::kSymbol, "symbol"},
}};

std::initializer_list<TxnState> followers(TxnState from) {
  using enum TxnState;
  switch (from) {
    case kOpen: {
      static constexpr auto kList = {kPrepared, kNothing, kAborted};
      return kList;
    }
    case kPrepared: {
      static constexpr auto kList = {kLanding, kRepairing, kRejected, kQuarantined,
                                     kNothing, kAborted,   kOpen};
      return kList;
    }
    case kLanding: {
      static constexpr auto kList = {kLanded, kPrepared};
      return kList;
    }
    case kRepairing: {
      static constexpr auto kList = {kPrepared, kOpen, kRejected, kQuarantined, kNothing, kAborted};
      return kList;
    }
    case kRejected:
    case kQuarantined: {
      static constexpr auto kList = {kOpen, kPrepared, kAborted};
      return kList;
    }
    case kAborted: {
      static constexpr auto kList = {kOpen};
      return kList;
    }
    case kLanded:
    case kNothing:
      break;
  }
  return {};
}

}  // namespace

std::string_view state_name(TxnState state) {
  return name_in(kTxnStates, state);
}
Result<TxnState> state_from_name(std::string_view name) {
  return value_in(kTxnStates, "state", name);
}
std::string_view isolation_name(Isolation level) {
  return name_in(kIsolations, level);
}
Result<Isolation> isolation_from_name(std::string_view name) {
  return value_in(kIsolations, "isolation level", name);
}
std::string_view conflict_kind_name(ConflictKind kind) {
  return name_in(kConflictKinds, kind);
}
Result<ConflictKind> conflict_kind_from_name(std::string_view name) {
  return value_in(kConflictKinds, "kind of conflict", name);
}

bool may_follow(TxnState from, TxnState to) {
  const auto allowed = followers(from);
  return std::find(allowed.begin(), allowed.end(), to) != allowed.end();
}

bool is_final(TxnState state) {
  return state == TxnState::kLanded || state == TxnState::kNothing || state == TxnState::kAborted;
}

Json to_json(const Identity& identity) {
  return Json{{"name", encode_path(identity.name)}, {"email", encode_path(identity.email)}};
}

Result<Identity> identity_from_json(const Json& json) {
  Fields fields(json, "identity");
  Identity identity;
  fields.text("name", identity.name);
  fields.text("email", identity.email);
  TRY(fields.done());
  return identity;
}

Json to_json(const Attempt& attempt) {
  Json json{{"number", attempt.number},
            {"base", attempt.base.str()},
            {"base_seq", attempt.base_seq},
            {"worktree", encode_path(attempt.worktree)},
            {"traces", texts_to_json(attempt.traces)},
            {"command_exit", nullptr},
            {"kept", attempt.kept.str()},
            {"reads", encode_path(attempt.reads.str())},
            {"reads_complete", attempt.reads_complete},
            {"unknown_reason", encode_path(attempt.unknown_reason)},
            {"writes", encode_path(attempt.writes.str())},
            {"tool_env", encode_path(attempt.tool_env.str())}};
  if (attempt.command_exit) json["command_exit"] = *attempt.command_exit;
  if (!attempt.confine.empty()) json["confine"] = encode_path(attempt.confine);
  return json;
}

Result<Attempt> attempt_from_json(const Json& json) {
  Fields fields(json, "attempt");
  Attempt attempt;
  fields.integer("number", attempt.number);
  fields.oid("base", attempt.base);
  fields.integer("base_seq", attempt.base_seq);
  fields.text("worktree", attempt.worktree);
  fields.texts("traces", attempt.traces);
  if (fields.given("command_exit")) fields.integer("command_exit", attempt.command_exit.emplace());
  fields.oid("kept", attempt.kept);
  fields.name("reads", attempt.reads);
  fields.boolean("reads_complete", attempt.reads_complete);
  fields.text("unknown_reason", attempt.unknown_reason);
  fields.name("writes", attempt.writes);
  fields.name("tool_env", attempt.tool_env);
  if (fields.has("confine")) fields.text("confine", attempt.confine);
  TRY(fields.done());
  return attempt;
}

Json to_json(const Conflict& conflict) {
  Json json{{"kind", conflict_kind_name(conflict.kind)},
            {"subject", encode_path(conflict.subject)},
            {"read_digest", encode_path(conflict.read_digest)},
            {"head_digest", encode_path(conflict.head_digest)},
            {"changed_by", encode_path(conflict.changed_by)},
            {"hint", encode_path(conflict.hint)},
            {"read_by", encode_path(conflict.read_by)}};
  if (!conflict.cause.empty()) json["cause"] = encode_path(conflict.cause);
  return json;
}

Result<Conflict> conflict_from_json(const Json& json) {
  Fields fields(json, "conflict");
  Conflict conflict;
  fields.choice("kind", conflict.kind, conflict_kind_from_name);
  fields.text("subject", conflict.subject);
  fields.text("read_digest", conflict.read_digest);
  fields.text("head_digest", conflict.head_digest);
  fields.text("changed_by", conflict.changed_by);
  fields.text("hint", conflict.hint);
  if (fields.has("read_by")) fields.text("read_by", conflict.read_by);  // older logs have none
  if (fields.has("cause")) fields.text("cause", conflict.cause);
  TRY(fields.done());
  return conflict;
}

Json to_json(const Txn& txn) {
  Json attempts = Json::array();
  for (const Attempt& attempt : txn.attempts) attempts.push_back(to_json(attempt));
  Json json{{"id", encode_path(txn.id.str())},
            {"name", encode_path(txn.name)},
            {"state", state_name(txn.state)},
            {"isolation", isolation_name(txn.isolation)},
            {"target", encode_path(txn.target.str())},
            {"command", texts_to_json(txn.command)},
            {"subdir", encode_path(txn.subdir)},
            {"owner", encode_path(txn.owner)},
            {"priority", txn.priority},
            {"committer", to_json(txn.committer)},
            {"author", nullptr},
            {"slot", txn.slot},
            {"attached", txn.attached},
            {"attempts", std::move(attempts)},
            {"waiting_reason", encode_path(txn.waiting_reason)},
            {"waiting_subject", encode_path(txn.waiting_subject)},
            {"landed_commit", txn.landed_commit.str()},
            {"created_wall_ms", txn.created_wall_ms},
            {"version", txn.version}};
  if (txn.author) json["author"] = to_json(*txn.author);
  if (!txn.workflow.empty()) {
    json["workflow"] = encode_path(txn.workflow);
    json["phase"] = encode_path(txn.phase);
  }
  if (!txn.parent.empty()) {
    json["parent"] = encode_path(txn.parent.str());
    json["depth"] = txn.depth;
  }
  if (!txn.clone.empty()) json["clone"] = encode_path(txn.clone);
  return json;
}

Result<Txn> txn_from_json(const Json& json) {
  Fields fields(json, "transaction");
  Txn txn;
  fields.name("id", txn.id);
  fields.text("name", txn.name);
  fields.choice("state", txn.state, state_from_name);
  fields.choice("isolation", txn.isolation, isolation_from_name);
  fields.name("target", txn.target);
  fields.texts("command", txn.command);
  fields.text("subdir", txn.subdir);
  fields.text("owner", txn.owner);
  fields.integer("priority", txn.priority);
  fields.value("committer", txn.committer, identity_from_json);
  if (fields.given("author")) fields.value("author", txn.author.emplace(), identity_from_json);
  fields.integer("slot", txn.slot);
  fields.boolean("attached", txn.attached);
  fields.list("attempts", txn.attempts, attempt_from_json);
  fields.text("waiting_reason", txn.waiting_reason);
  fields.text("waiting_subject", txn.waiting_subject);
  fields.oid("landed_commit", txn.landed_commit);
  fields.integer("created_wall_ms", txn.created_wall_ms);
  if (fields.has("workflow")) {  // these five only where there are any
    fields.text("workflow", txn.workflow);
    fields.text("phase", txn.phase);
  }
  if (fields.has("parent")) {
    fields.name("parent", txn.parent);
    fields.integer("depth", txn.depth);
  }
  if (fields.has("clone")) fields.text("clone", txn.clone);
  fields.integer("version", txn.version);
  TRY(fields.done());
  return txn;
}

}  // namespace gittxn
