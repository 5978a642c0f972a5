// The same as run, in steps: begin, exec, commit, abort, resume. Each takes the transaction's owner
// slot while it works, so that two of them never work on one transaction, and leaves it free at its
// end.
#include <fmt/format.h>

#include "api/kernel.h"
#include "api/running_again.h"
#include "base/failpoint.h"
#include "certify/certify.h"
#include "land/remote.h"
#include "store/events.h"
#include "store/server/locks.h"
#include "txn/attempt.h"
#include "txn/bounds/confine.h"
#include "txn/bounds/limits.h"
#include "txn/go_on.h"
#include "work/compensations.h"
#include "work/recovery.h"
#include "work/summaries.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_commit_taken, "api.commit.taken");
FAILPOINT(fp_abort_kept, "api.abort.kept");
FAILPOINT(fp_resume_restored, "api.resume.restored");

Status start_writing(State& state, std::string_view verb, const Progress& progress,
                     std::vector<std::string>& notes) {
  TRY(refuse_inside(state.host, verb));
  return recover_first(state, progress, notes);
}

std::unexpected<Error> never_started(const Txn& txn) {
  return fail(Code::kUsage, txn.id.str() + " was never started: it has no worktree and no work",
              "git txn abort " + txn.id.str());
}

// What commit has to land: taken again where the worktree is still there, else as it was kept.
Result<bool> anything_to_land(State& state, const Txn& txn, const Progress& progress,
                              Outcome& outcome) {
  if (TRY(has_worktree(txn))) {
    const TakenWork work = TRY(take_work(state, txn, Untraced::kCheck, progress));
    TRY(check_judged(state, TRY(reload(state, txn.id))));
    outcome.untracked = work.untracked;
    for (const std::string& note : work.notes) outcome.notes.push_back(note);
    return !work.nothing;
  }
  const Attempt& attempt = txn.attempts.back();
  if (attempt.kept.empty()) {
    return fail(Code::kUsage, "the worktree of " + txn.id.str() + " is gone and no work was kept",
                "git txn abort " + txn.id.str());
  }
  const repo::Objects& objects = state.repository.objects();
  const Oid snapshot = TRY(snapshot_of(state, txn));
  const repo::CommitInfo kept = TRY(objects.commit(attempt.kept));
  const Oid& base = kept.parents.empty() ? snapshot : kept.parents.front();
  return !certify::changed_nothing(kept.tree, TRY(objects.tree_of(base)),
                                   TRY(objects.tree_of(snapshot)));
}

std::unexpected<Error> unfinished(const Txn& txn) {
  const auto exit = txn.attempts.back().command_exit;
  const std::string how =
      exit ? fmt::format("ended with status {}", *exit) : "died before it had ended";
  return fail(
      Code::kRefused,
      fmt::format("the command of {} {}, so its change may be half done", txn.id.str(), how),
      fmt::format("git txn resume {0} goes on with it; git txn commit --accept-unfinished "
                  "{0} lands it as it is",
                  txn.id.str()));
}

Status commit_work(State& state, const Txn& txn, const RunOptions& options,
                   const Progress& progress, Outcome& outcome) {
  if (txn.attempts.empty()) return never_started(txn);
  if (!TRY(anything_to_land(state, txn, progress, outcome))) {
    if (txn.state != TxnState::kOpen) {
      TRY(state.store->append({events::reopened(txn.id, {txn.owner, txn.slot, false})}));
    }
    TRY(state.store->append({events::nothing(txn.id, "there is no change")}));
    return {};
  }
  if (is_unfinished(txn) && !options.accept_unfinished) return unfinished(txn);
  TRY(fp_commit_taken.hit());
  const auto result = TRY(ask_to_land(state, txn, options, progress, outcome));
  if (result == land::LandResult::kConflict) {
    TRY(state.store->append(
        {events::quarantined(txn.id, "what it depended on has changed", outcome.conflicts)}));
  }
  return {};
}

// A worktree with the kept work in it, for a transaction whose own is gone. What its commands read
// is on record.
Status restore_worktree(State& state, const Txn& txn, const Progress& progress) {
  const Attempt& last = txn.attempts.back();
  if (last.kept.empty()) return never_started(txn);
  Attempt attempt;
  attempt.number = last.number + 1;
  attempt.base = TRY(state.repository.objects().commit(last.kept)).parents.at(0);
  attempt.base_seq = TRY(state.store->head());
  TRY(pin_base(state, txn.id, attempt));
  const auto spec = TRY(place_worktree(state, txn, attempt, std::nullopt));
  const repo::Worktree worktree = TRY(repo::create_worktree(state.repository, spec));
  const repo::Mount mount = TRY(repo::Mount::open(worktree));
  const auto bring_back = [&]() -> Status {
    repo::GitOptions git;
    git.dir = worktree.tree;
    TRY(state.repository.git().must({"read-tree", "-m", "-u", "HEAD", last.kept.str()}, git));
    TRY(state.repository.git().must({"reset", "-q"}, git));
    return {};
  };
  TRY(repo::inside(mount, bring_back));
  TRY(fp_resume_restored.hit());
  Inherited inherited;
  inherited.attempt = attempt.number;
  inherited.reads = last.reads;
  const ReadSet known = TRY(recorded_reads(*state.store, txn.id, last));
  inherited.complete = known.complete;
  inherited.unknown_reason = known.unknown_reason;
  inherited.unknown_since = known.unknown_since;
  TRY(write_inherited(attempt, inherited));
  TRY(state.store->append({events::attempt_started(txn.id, attempt)}));
  const Txn now = TRY(reload(state, txn.id));
  TRY(take_work(state, now, Untraced::kNo, progress));
  return {};
}

// Or its agent was going to be asked about that, and we were killed.
Result<bool> was_refused(const Txn& txn) {
  using enum TxnState;
  if (txn.state == kRejected || txn.state == kQuarantined || txn.state == kRepairing) return true;
  return txn.state == kOpen && TRY(is_unjudged(txn));
}

Refusal refusal_of(const WhyReport& report) {
  constexpr std::string_view kGate = "gate ";
  Refusal refusal;
  refusal.cut_short = is_unfinished(report.txn);
  if (refusal.cut_short) return refusal;
  refusal.conflicts = report.conflicts;
  for (const WhyReport::Witness& witness : report.witnesses) {
    if (!witness.path.starts_with(kGate)) continue;
    refusal.gates.push_back({witness.path.substr(kGate.size()), witness.diff});
  }
  return refusal;
}

// A landing that was stopped while it pushed may be on the remote, for everybody.
Status check_not_pushed(State& state, const Txn& txn) {
  const Progress progress;
  const land::Context context = TRY(state.context(progress));
  const auto pushed = TRY(land::pushed_commit(context, txn.id));
  const land::RemoteRule rule = TRY(land::remote_rule(context, txn));
  if (!pushed || rule.how == land::RemoteRule::How::kLocal) return {};
  return fail(Code::kBusy, fmt::format("{} may have reached {}", txn.id.str(), rule.remote.name),
              "ask it, and finish what it has: git txn commit " + txn.id.str());
}

}  // namespace

Result<Txn> Kernel::begin(const RunOptions& options, const Progress& progress) {
  state_->be_patient(options.wait_ms, progress);
  const RefName target = TRY(state_->target(options.onto));  // before anything is created
  if (state_->host.variable("GIT_TXN_ID").empty()) {
    // Of a compensation: there is no transaction that it would be a part of, so no depth either.
    TRY(refuse_inside(state_->host, "begin"));
  } else {
    const Policy policy = TRY(state_->policy_on(target));
    TRY(parent_of(*state_, policy));
  }
  if (auto before = TRY(begun_before(*state_, options))) return *std::move(before);
  std::vector<std::string> notes;
  TRY(recover_first(*state_, progress, notes));
  const Held begun = TRY(begin_txn(*state_, options, Ownership::kDetached, progress, notes));
  auto attempt =
      start_attempt(*state_, begun.txn, options, progress, notes, store::Store::Durable::kNow);
  if (!attempt) return could_not_start(*state_, begun.txn, std::move(attempt).error());
  if (TRY(repo::find_worktree(attempt->worktree)).kind == repo::WorktreeKind::kOverlay) {
    const std::string open = "git txn open " + begun.txn.id.str();
    notes.push_back("its worktree is an overlay; the way in is: " + open + " --shell; " + open +
                    " makes plain files of it");
  }
  progress.note_all(notes);
  return reload(*state_, begun.txn.id);
}

Result<int> Kernel::exec(const std::string& id, const std::vector<std::string>& command,
                         const RunOptions& options, const Progress& progress) {
  state_->be_patient(options.wait_ms, progress);
  std::vector<std::string> notes;
  TRY(start_writing(*state_, "exec", progress, notes));
  if (command.empty()) {
    return fail(Code::kUsage, "no command to run", "git txn exec " + id + " -- COMMAND...");
  }
  TRY(check_confine(*state_, options));
  TRY(find_program(state_->host, command.front()));
  const Held held = TRY(hold_named(*state_, id));
  const Txn& txn = held.txn;
  if (txn.state != TxnState::kOpen) {
    return fail(Code::kUsage,
                fmt::format("{} is {}, not open", txn.id.str(), state_name(txn.state)),
                is_final(txn.state) && txn.state != TxnState::kAborted
                    ? "begin another: git txn begin"
                    : "open it again with: git txn resume " + txn.id.str());
  }
  if (!TRY(has_worktree(txn))) {
    return fail(Code::kUsage, "the worktree of " + txn.id.str() + " is gone",
                "bring it back with: git txn resume " + txn.id.str());
  }
  // What a person changed by hand since the last command would otherwise pass for the command's.
  if (TRY(changed_since_taken(*state_, txn))) {
    TRY(take_work(*state_, txn, Untraced::kYes, progress));
  }
  auto executed = execute(*state_, TRY(reload(*state_, txn.id)), command, options, progress);
  if (!executed && executed.error().code == Code::kNotFound) executed.error().code = Code::kUsage;
  if (!executed) return std::unexpected(std::move(executed).error());
  const Txn& after = executed->txn;
  const TakenWork work =
      TRY(take_work(*state_, after, Untraced::kNo, progress, MakeReads::kMayBeLeft));
  executed->mount = {};
  if (executed->trace.exit_status != 0) {
    TRY(tell_lacking(*state_, after.attempts.back().base, work.reads, executed->notes));
  }
  const Txn now = TRY(reload(*state_, txn.id));
  TRY(compensate(*state_, now, progress, executed->notes));
  progress.note_all(executed->notes);
  for (const std::string& left : executed->trace.left_running) {
    progress.note("ended with the command: " + left);
  }
  const bool over = !executed->over_budget.empty() && executed->trace.exit_status == 0;
  return over ? 1 : executed->trace.exit_status;
}

Result<Outcome> Kernel::commit(const std::string& id, const RunOptions& options,
                               const Progress& progress) {
  state_->be_patient(options.wait_ms, progress);
  const std::int64_t started_ns = state_->host.clock->monotonic_ns();
  Outcome outcome;
  TRY(start_writing(*state_, "commit", progress, outcome.notes));
  const Held held = TRY(hold_named(*state_, id));
  const TxnId txn = held.txn.id;
  switch (held.txn.state) {
    case TxnState::kAborted:
      return fail(Code::kUsage, txn.str() + " was aborted",
                  "bring it back with: git txn resume " + txn.str());
    case TxnState::kLanding:
      return fail(Code::kBusy, txn.str() + " is landing and was not recovered",
                  "see why with: git txn recover");
    case TxnState::kLanded:
    case TxnState::kNothing:
      break;
    default:
      if (std::string note = TRY(compensated_note(*state_, txn)); !note.empty()) {
        outcome.notes.push_back(std::move(note));
      }
      TRY(commit_work(*state_, held.txn, options, progress, outcome));
  }
  const Txn now = TRY(reload(*state_, txn));
  TRY(compensate(*state_, now, progress, outcome.notes));
  const bool over = now.state == TxnState::kLanded || now.state == TxnState::kNothing;
  TRY(publish_summaries(*state_, now, outcome.notes));
  if (over && !options.keep) TRY(remove_worktrees(*state_, now));
  TRY(finish_outcome(*state_, txn, started_ns, outcome));
  return outcome;
}

Result<Txn> Kernel::abort(const std::string& id, const std::string& reason,
                          const Progress& progress) {
  std::vector<std::string> notes;
  TRY(start_writing(*state_, "abort", progress, notes));
  const Held held = TRY(hold_named(*state_, id));
  const Txn& txn = held.txn;
  if (txn.state == TxnState::kAborted) {
    TRY(compensate(*state_, txn, progress, notes));
    return txn;
  }
  if (is_final(txn.state)) {
    return fail(
        Code::kUsage,
        fmt::format("{} is {}: there is nothing to abort", txn.id.str(), state_name(txn.state)),
        txn.state == TxnState::kLanded ? "undo a landing with: git txn undo " + txn.id.str() : "");
  }
  TRY(check_not_pushed(*state_, txn));
  TRY(keep_work(*state_, txn, progress));
  TRY(fp_abort_kept.hit());
  const std::string caller = TRY(state_->caller());
  TRY(state_->store->append({events::aborted(txn.id, reason, caller)}));
  const Txn aborted = TRY(reload(*state_, txn.id));
  TRY(compensate(*state_, aborted, progress, notes));
  return reload(*state_, txn.id);
}

Result<Txn> Kernel::stop(const std::string& id, const Progress& progress) {
  TRY(refuse_inside(state_->host, "stop"));
  const Txn txn = TRY(state_->find(id));
  TRY(state_->require_here(txn));
  TRY(end_running(*state_, txn, progress));
  return reload(*state_, txn.id);
}

Result<Resumed> Kernel::resume(const std::string& id, By by, const RunOptions& options,
                               const Progress& progress) {
  std::vector<std::string> notes;
  TRY(start_writing(*state_, "resume", progress, notes));
  const Held held = TRY(hold_named(*state_, id));
  const Txn& txn = held.txn;
  if (txn.state == TxnState::kLanded || txn.state == TxnState::kNothing) {
    return fail(Code::kUsage, fmt::format("{} is {}", txn.id.str(), state_name(txn.state)),
                "begin another: git txn begin");
  }
  if (txn.attempts.empty()) return never_started(txn);
  TRY(check_not_half_undone(*state_, txn));
  const Refusal why_not = refusal_of(TRY(why(id)));
  const Identity who = TRY(state_->repository.identity());
  const std::int64_t slot = TRY(state_->store->next_slot());
  // Had before the log names it, so that nobody takes the transaction up before we are done.
  store::Lock owner = TRY(state_->store->locks().try_slot(store::Slots::kOwners, slot));
  const bool asks = by == By::kItsAgent;
  TRY(state_->store->append({events::reopened(txn.id, {who.email, slot, asks, false})}));
  if (!TRY(has_worktree(txn))) {
    const Txn open = TRY(reload(*state_, txn.id));
    TRY(restore_worktree(*state_, open, progress));
  }
  const std::string note = TRY(compensated_note(*state_, txn.id));
  if (!note.empty()) progress.note(note);
  Resumed resumed;
  const bool refused = TRY(was_refused(txn));
  if (refused || is_unfinished(txn)) {
    TRY(keep_work(*state_, TRY(reload(*state_, txn.id)), progress));
    if (asks) {
      Held ours{TRY(reload(*state_, txn.id)), std::move(owner)};
      resumed.outcome = TRY(take_up(*state_, std::move(ours), why_not, options, progress));
    }
    if (resumed.outcome) {
      resumed.txn = resumed.outcome->txn;
      return resumed;
    }
    if (refused) {
      resumed.went_on = TRY(go_on(*state_, TRY(reload(*state_, txn.id)), progress));
    }
  }
  TRY(state_->store->append({events::reopened(txn.id, {who.email, slot, false, true})}));
  resumed.txn = TRY(reload(*state_, txn.id));
  return resumed;
}

Result<std::string> Kernel::worktree_of(const std::string& id) {
  if (TRY(state_->looking()) != nullptr) TRY(state_->writing());  // a copy has no worktree
  const Txn txn = TRY(state_->find(id));
  TRY(state_->require_here(txn));
  if (TRY(has_worktree(txn))) {
    const repo::Worktree worktree = TRY(repo::find_worktree(txn.attempts.back().worktree));
    if (worktree.kind != repo::WorktreeKind::kOverlay) return worktree.tree;
    // Nobody who has no way into its mount could use the path.
    const std::string look = "look into it with: git txn open " + txn.id.str() + " -- COMMAND";
    const auto held = hold(*state_, txn);
    if (!held) return std::unexpected(Error(held.error()).with_hint(look));
    auto plain = repo::make_plain(worktree);
    if (!plain && plain.error().code == Code::kBusy) plain.error().hint = look;
    if (!plain) return std::unexpected(std::move(plain).error());
    return plain->tree;
  }
  return fail(Code::kUsage, "the worktree of " + txn.id.str() + " is gone",
              txn.state == TxnState::kLanded
                  ? "its commit is " + txn.landed_commit.str()
                  : "bring it back with: git txn resume " + txn.id.str());
}

}  // namespace gittxn::api
