// The one object that --json prints last. Its fields are a promise (docs: the command line); paths
// and names are made Unicode by encode_path, because git's are bytes.
#include <map>

#include "base/hash.h"
#include "model/fields.h"
#include "txn/outcome.h"
#include "txn/state.h"

namespace gittxn::api {

namespace {

Json text(const std::string& bytes) {
  return encode_path(bytes);
}

Json read_set(const Outcome& outcome) {
  std::map<std::string, std::size_t> by_source;
  for (const Read& read : outcome.reads.reads) ++by_source[std::string(source_name(read.source))];
  Json sources = Json::object();
  for (const auto& [source, count] : by_source) sources[source] = count;
  return Json{{"status", outcome.reads.complete ? "complete" : "unknown"},
              {"reason", or_null(outcome.reads.complete ? "" : outcome.reads.unknown_reason)},
              {"count", outcome.reads.reads.size()},
              {"tool_env", or_null(outcome.reads.tool_env_digest.str())},
              {"by_source", std::move(sources)}};
}

Json writes(const Outcome& outcome) {
  Json array = Json::array();
  for (const PathChange& change : outcome.writes) {
    if (change.is_directory()) continue;
    array.push_back({{"path", text(change.path)}, {"symbols", Json::array()}});
  }
  return array;
}

Json conflicts(const Outcome& outcome) {
  Json array = Json::array();
  for (const Conflict& conflict : outcome.conflicts) {
    array.push_back({{"kind", conflict_kind_name(conflict.kind)},
                     {"subject", text(conflict.subject)},
                     {"read_digest", or_null(conflict.read_digest)},
                     {"head_digest", or_null(conflict.head_digest)},
                     {"changed_by", or_null(conflict.changed_by)},
                     {"hint", or_null(conflict.hint)},
                     {"read_by", or_null(conflict.read_by)},
                     {"cause", or_null(conflict.cause)}});
  }
  return array;
}

Json repairs(const Outcome& outcome) {
  Json array = Json::array();
  for (const Outcome::Repair& repair : outcome.repair_steps) {
    array.push_back(
        {{"rung", repair.rung}, {"subject", text(repair.subject)}, {"result", repair.result}});
  }
  return array;
}

// What a program sees of the states in between: they are on their way, and not landed.
std::string_view state_for_programs(TxnState state) {
  if (state == TxnState::kLanding || state == TxnState::kRepairing) {
    return state_name(TxnState::kPrepared);
  }
  return state_name(state);
}

}  // namespace

Json or_null(const std::string& bytes) {
  return bytes.empty() ? Json(nullptr) : Json(encode_path(bytes));
}

Json texts_json(const std::vector<std::string>& texts) {
  Json array = Json::array();
  for (const std::string& item : texts) array.push_back(text(item));
  return array;
}

std::string_view gate_word(const Certificate& certificate) {
  return certificate.passed ? "passed" : certificate.timed_out ? "timed out" : "failed";
}

Json gates_json(const std::vector<gates::GateReport>& reports) {
  Json array = Json::array();
  for (const gates::GateReport& report : reports) {
    const Certificate& one = report.certificate;
    array.push_back({{"name", text(one.gate.str())},
                     {"version", one.gate_version.str()},
                     {"result", gate_word(one)},
                     {"reused", report.reused},
                     {"certificate", sha256(canonical_json(to_json(one))).str()}});
  }
  return array;
}

Json waiting_json(const Txn& txn) {
  if (txn.waiting_reason.empty()) return nullptr;
  return Json{{"reason", text(txn.waiting_reason)}, {"subject", text(txn.waiting_subject)}};
}

Json to_json(const Outcome& outcome) {
  const Txn& txn = outcome.txn;
  const Attempt* last = txn.attempts.empty() ? nullptr : &txn.attempts.back();
  Json json;
  json["txn"] = txn.id.str();
  json["name"] = text(txn.name);
  json["state"] = state_for_programs(txn.state);
  json["outcome"] = outcome_name(outcome);
  json["waiting"] = waiting_json(txn);
  json["branch"] = text(txn.target.str());
  json["base"] = or_null(last == nullptr ? "" : last->base.str());
  json["head_before"] = or_null(outcome.head_before.str());
  json["commit"] = or_null(txn.landed_commit.str());
  json["isolation"] = isolation_name(txn.isolation);
  json["read_set"] = read_set(outcome);
  json["writes"] = writes(outcome);
  json["untracked"] = texts_json(outcome.untracked);
  json["conflicts"] = conflicts(outcome);
  json["repairs"] = repairs(outcome);
  json["gates"] = gates_json(outcome.gates);
  json["attempts"] = txn.attempts.size();
  json["command_exit"] =
      last != nullptr && last->command_exit ? Json(*last->command_exit) : Json(nullptr);
  json["duration_ms"] = {{"command", outcome.command_ms}, {"total", outcome.total_ms}};
  json["process"] = outcome.process == 0 ? Json(nullptr) : Json(outcome.process);
  json["notes"] = texts_json(outcome.notes);
  json["next"] = or_null(outcome.next);
  return json;
}

std::string_view outcome_name(const Outcome& outcome) {
  const Txn& txn = outcome.txn;
  switch (txn.state) {
    case TxnState::kLanded:
      return "landed";
    case TxnState::kNothing:
      if (outcome.command_failed) return "command-failed";
      return txn.landed_commit.empty() ? "nothing" : "merged";
    case TxnState::kOpen:
      if (outcome.command_exit != 0) return "command-failed";
      if (outcome.as_asked) return "open";
      return outcome.conflicts.empty() ? "unfinished" : "conflict";
    case TxnState::kPrepared:
      if (!txn.waiting_reason.empty()) return "waiting";
      return outcome.conflicts.empty() ? "unfinished" : "conflict";
    case TxnState::kQuarantined:
    case TxnState::kRepairing:
      return "conflict";
    case TxnState::kRejected:
      return "rejected";
    case TxnState::kAborted:
      return "aborted";
    case TxnState::kLanding:
      break;
  }
  return "unfinished";
}

int exit_code(const Outcome& outcome) {
  switch (outcome.txn.state) {
    case TxnState::kLanded:
      return 0;
    case TxnState::kNothing:
      return outcome.command_failed ? 1 : 0;
    case TxnState::kOpen:
      return outcome.as_asked ? 0 : 1;
    default:
      return 1;
  }
}

}  // namespace gittxn::api
