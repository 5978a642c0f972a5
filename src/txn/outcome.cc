#include "txn/outcome.h"

namespace gittxn::api {

std::string_view gate_word(const Certificate& certificate) {
  return certificate.passed ? "passed" : certificate.timed_out ? "timed out" : "failed";
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

bool is_unfinished(const Txn& txn) {
  if (txn.state != TxnState::kOpen && txn.state != TxnState::kRepairing) return false;
  if (txn.command.empty() || txn.attempts.empty()) return false;
  const Attempt& last = txn.attempts.back();
  // Without a trace the command of this attempt was not even started.
  return !last.by_hand && last.command_exit.value_or(-1) != 0;
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
