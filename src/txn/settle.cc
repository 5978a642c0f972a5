// Asking for a landing and telling how it ended; what run and commit have in common.

#include <fmt/format.h>

#include "base/duration.h"
#include "base/if_there.h"
#include "land/judge/phase.h"
#include "land/message.h"
#include "store/events.h"
#include "txn/attempt.h"
#include "txn/go_on.h"
#include "txn/registered.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

land::LandOptions land_options(const State& state, const RunOptions& options,
                               const Progress& progress) {
  land::LandOptions landing;
  landing.wait_ms = options.wait_ms.value_or(state.host.stdin_is_terminal ? -1 : 0);
  // The queue always moves, so only an explicit --wait bounds it.
  landing.turn_wait_ms = options.wait_ms.value_or(-1);
  landing.trust_offered = state.host.variable("GIT_TXN_TRUST");
  landing.keep_commits = options.keep_commits;
  landing.interrupted = progress.interrupted;
  if (progress.on_wait) {
    landing.on_wait = [&progress](const land::Wait& wait) {
      progress.on_wait(wait.reason, wait.subject);
    };
  }
  if (progress.on_phase) {
    landing.on_step = [&progress](std::string_view phase) { progress.on_phase(phase); };
  }
  return landing;
}

// The time limit of all commands together that only print, when they are run again.
Result<std::int64_t> asking_limit_ms(State& state) {
  const auto set = TRY(state.repository.config().get("txn.ask"));
  if (!set) return land::Asks{}.pure_ms;
  return TRY_IN("txn.ask", parse_duration_ms(*set));
}

void tell_landing(land::LandOutcome& landed, Outcome& outcome) {
  outcome.head_before = landed.head_before;
  outcome.gates = std::move(landed.gates);
  outcome.conflicts = std::move(landed.conflicts);
  outcome.admitted = std::move(landed.admitted);
  outcome.asked_ms += landed.asked_ms;
  for (std::string& note : landed.notes) outcome.notes.push_back(std::move(note));
  for (const std::string& path : landed.left_to_person) {
    outcome.notes.push_back(path +
                            " was saved while the landing moved it: your version is left "
                            "there, compare it with git diff");
  }
}

// post-commit and post-merge, where the branch is checked out. The landing is a fact; their failure
// a note.
Status run_post_hooks(State& state, const land::Context& context, const RefName& branch,
                      const Oid& landed, Outcome& outcome) {
  if (context.hub) {
    // The branch here may not have followed; then nothing was committed or merged in its checkouts.
    const auto here = state.repository.refs().read(branch);
    if (!here || !TRY(state.repository.objects().is_ancestor(landed, *here))) return {};
  }
  for (const repo::CheckoutPlace& place : TRY(state.repository.checkouts())) {
    if (place.branch != branch) continue;
    const Status status = gates::run_post_hooks(context.gates, landed, place.worktree);
    if (!status) outcome.notes.push_back("after the landing: " + status.error().message);
  }
  return {};
}

// What came of a wait that a Ctrl-C ended: still asked for, and waiting for the person.
Status tell_interrupted(State& state, const TxnId& id, Outcome& outcome) {
  const Txn txn = TRY(reload(state, id));
  outcome.notes.emplace_back("interrupted; nothing has landed");
  if (txn.state != TxnState::kPrepared || !txn.waiting_reason.empty()) return {};
  TRY(state.store->append({events::waiting(id, WaitReason::kInterrupted, "")}));
  return {};
}

// A landing that somebody else finished, by recovery or on the remote, says only where it ended.
Status find_head_before(State& state, Outcome& outcome) {
  const Txn& txn = outcome.txn;
  const bool known = !outcome.head_before.empty() && outcome.head_before != txn.landed_commit;
  if (txn.state != TxnState::kLanded || known) return {};
  for (const store::LandedRow& row : TRY(state.store->landed_since(txn.target, 0))) {
    if (row.txn == txn.id) outcome.head_before = row.old_head;
  }
  return {};
}

// As its commit says, so that whoever asks later is told the same. One that is not here says
// nothing.
Status find_mended(State& state, Outcome& outcome) {
  const Txn& txn = outcome.txn;
  if (txn.state != TxnState::kLanded || txn.landed_commit.empty()) return {};
  const auto landed = TRY(if_there(state.repository.objects().commit(txn.landed_commit)));
  if (landed) outcome.mended = land::mended_in(landed->message);
  return {};
}

// "lost 3 records", for a person, when reads are unknown; empty when they are complete.
std::string unknown_note(const ReadSet& reads) {
  if (reads.complete) return {};
  if (unknown_of(reads) == Unknown::kKilled) {
    return reads.unknown_reason + ", so its reads are unknown; any newer landing conflicts with it";
  }
  return "its reads are unknown (" + reads.unknown_reason +
         "); any newer landing conflicts with it";
}

}  // namespace

std::string next_line(const Txn& txn) {
  switch (txn.state) {
    case TxnState::kOpen:
    case TxnState::kPrepared:
    case TxnState::kRepairing:
      if (txn.attempts.empty()) return "git txn abort " + txn.id.str();  // nothing was ever run
      return (is_unfinished(txn) ? "git txn resume " : "git txn commit ") + txn.id.str();
    case TxnState::kRejected:
    case TxnState::kQuarantined:
      return "git txn why " + txn.id.str();
    case TxnState::kAborted:
      return "git txn resume " + txn.id.str();
    case TxnState::kLanding:
      return "git txn recover";
    case TxnState::kLanded:
    case TxnState::kNothing:
      break;
  }
  return {};
}

Result<std::string> next_here(const Txn& txn) {
  const bool open = txn.state == TxnState::kOpen && !txn.attempts.empty();
  if (open && TRY(is_unjudged(txn))) return "git txn resume " + txn.id.str();
  return next_line(txn);
}

Result<bool> dropped_with_phase(State& state, const Txn& txn) {
  if (txn.workflow.empty() || is_final(txn.state)) return false;
  const Policy policy = TRY(state.policy_on(txn.target));
  const auto now = TRY(land::phase_now(*state.store, txn, policy));
  return now.how == land::PhaseJudgement::How::kDropped;
}

Result<land::LandResult> ask_to_land(State& state, const Txn& txn, const RunOptions& options,
                                     const Progress& progress, Outcome& outcome) {
  outcome.conflicts.clear();
  const TxnId& id = txn.id;
  const Identity committer = TRY(state.repository.identity());
  const std::int64_t asking_ms = TRY(asking_limit_ms(state));
  // The outcome is on record next, and a process that dies waiting has to ask again in any case.
  const auto asked =
      state.store->append_soon({events::prepared(id, txn.attempts.back().number, committer)});
  if (!asked && asked.error().code == Code::kStale) {
    const Txn now = TRY(reload(state, id));
    if (now.state != TxnState::kAborted) return std::unexpected(asked.error());
    outcome.notes.emplace_back("it was aborted before it could be landed");
    return land::LandResult::kWithdrawn;
  }
  if (!asked) return std::unexpected(asked.error());
  land::Context context = TRY(state.context(progress));
  context.asks.pure_ms = asking_ms;
  auto landed = land::land(context, id, land_options(state, options, progress));
  if (!landed && landed.error().code == Code::kInterrupted) {
    TRY(tell_interrupted(state, id, outcome));
    return land::LandResult::kWaiting;
  }
  if (!landed) return std::unexpected(std::move(landed).error());
  tell_landing(*landed, outcome);
  if (landed->result == land::LandResult::kWithdrawn) {
    const Txn now = TRY(reload(state, id));
    outcome.notes.push_back(fmt::format("another command changed it while it waited; it is {} now",
                                        state_name(now.state)));
  }
  if (landed->result == land::LandResult::kLanded) {
    TRY(run_post_hooks(state, context, txn.target, landed->commit, outcome));
  }
  return landed->result;
}

Status finish_outcome(State& state, const TxnId& id, std::int64_t started_ns, Outcome& outcome) {
  outcome.txn = TRY(reload(state, id));
  if (!outcome.txn.attempts.empty()) {
    const Attempt& attempt = outcome.txn.attempts.back();
    outcome.reads = TRY(recorded_reads(*state.store, id, attempt));
    outcome.writes = files_of(TRY(recorded_writes(*state.store, attempt)));
    outcome.command_exit = attempt.command_exit.value_or(0);
    for (const std::string& note : outcome.reads.notes) outcome.notes.push_back(note);
    if (std::string note = unknown_note(outcome.reads); !note.empty() && !attempt.kept.empty()) {
      outcome.notes.push_back(std::move(note));
    }
  }
  TRY(find_head_before(state, outcome));
  TRY(find_mended(state, outcome));
  // Until these have run it is not taken up again.
  const bool owing = !TRY(owed_compensations(state, outcome.txn)).empty();
  outcome.next = owing ? std::string(kRunOwed) : TRY(next_here(outcome.txn));
  outcome.total_ms = (state.host.clock->monotonic_ns() - started_ns) / kNsPerMs;
  return {};
}

}  // namespace gittxn::api
