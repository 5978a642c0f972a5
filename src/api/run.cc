// git txn run: a transaction from beginning to end. Snapshot, command, take, land; and when the
// head has moved under what it read, the same again on a fresh snapshot.
//
// Nothing of an attempt is lost by the next one: its work stays at refs/txn/<id>/<attempt>. If we
// die, the transaction is where the log says; whatever was taken is kept, and `git txn commit ID`
// goes on.
#include <fmt/format.h>

#include <algorithm>

#include "api/kernel.h"
#include "api/next_try.h"
#include "api/running_again.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "store/events.h"
#include "store/work/workflows.h"
#include "txn/attempt.h"
#include "txn/bounds/confine.h"
#include "txn/bounds/usage.h"
#include "txn/go_on.h"
#include "txn/rounds.h"
#include "work/budgets.h"
#include "work/compensations.h"
#include "work/leases.h"
#include "work/recovery.h"
#include "work/summaries.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_taken, "api.run.taken");
FAILPOINT(fp_repairing, "api.run.repairing");
FAILPOINT(fp_landed, "api.run.landed");

constexpr std::string_view kTryAgain = " and try again";  // how such advice ends
constexpr std::int64_t kFirstBackOffMs = 100;
constexpr std::int64_t kLongestBackOffMs = 5000;
constexpr std::size_t kMostGateOutput = 16u << 10;

// The answer that is another one, or the path, as the beginning of a sentence.
std::string what_changed(const std::vector<Conflict>& conflicts) {
  if (conflicts.empty()) return "what it read has changed";
  const Conflict& first = conflicts.front();
  return first.answer.empty() ? first.subject + " has changed" : first.answer;
}

std::string subject_of(const std::vector<Conflict>& conflicts) {
  return conflicts.empty() ? "" : conflicts.front().subject;
}

class Run {
 public:
  Run(State& state, const RunOptions& options, const Progress& progress)
      : state_(state),
        options_(options),
        progress_(progress),
        started_ns_(state.host.clock->monotonic_ns()),
        rounds_(state, options, progress_) {
    // Whatever waits asks this again and again; so leases are renewed all the while.
    progress_.interrupted = [this, inner = progress.interrupted] {
      lease_.look();
      return inner && inner();
    };
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Takes up one that stopped, whose agent goes on first.
  Result<std::optional<Outcome>> take_up(Held held, const Refusal& refusal) {
    begun_ = std::move(held);
    ran_ = true;
    const std::string why =
        refusal.cut_short ? "it was cut short" : what_changed(refusal.conflicts);
    const bool helps = TRY(rounds_.can_help(id(), refusal.conflicts));
    if (helps && TRY(rounds_.begin(Rounds::Of::kAgent, id(), refusal, why))) {
      tell_round(Rounds::Of::kAgent, subject_of(refusal.conflicts), why);
    } else if (refusal.cut_short && TRY(has_done_nothing())) {
      TRY(run_again("", "it was cut short before it had changed anything"));
    } else {
      begun_.owner.release();
      return std::nullopt;
    }
    auto outcome = once_started();
    if (!outcome) return std::unexpected(still_there(std::move(outcome).error()));
    return std::optional(*std::move(outcome));
  }

  Result<Outcome> go() {
    begun_ = TRY(begin_txn(state_, options_, Ownership::kAttached, progress_, outcome_.notes));
    auto outcome = once_begun();
    if (!outcome) return std::unexpected(still_there(std::move(outcome).error()));
    return outcome;
  }

 private:
  enum class After { kDone, kRetry };

  const TxnId& id() const { return begun_.txn.id; }
  store::Store& store() const { return *state_.store; }

  // What has to be there before anything is run. Where it lacks, the transaction never was.
  Status start() {
    if (progress_.on_begun) TRY(progress_.on_begun(id()));
    TRY(UsageLimits::check(state_, begun_.txn));
    // Before the snapshot: what others did under their leases is in it.
    const std::int64_t wait_ms = options_.wait_ms.value_or(state_.host.stdin_is_terminal ? -1 : 0);
    lease_ = TRY(TxnLease::take(state_, options_.leases, begun_.txn, wait_ms, progress_));
    TRY(start_attempt(state_, begun_.txn, options_, progress_, outcome_.notes,
                      store::Store::Durable::kSoon));
    return {};
  }

  // One command on one snapshot, up to an outcome or a reason to try again.
  Result<After> attempt() {
    const Txn txn = TRY(reload(state_, id()));
    const RunOptions& next = rounds_.next();
    auto executed = execute(state_, txn, next.command, next, progress_);
    if (!executed && executed.error().code == Code::kNotFound) {
      TRY(store().append({events::aborted(id(), "no such program", txn.owner)}));
      TRY(remove_worktrees(state_, txn));
      TRY(set_ref(state_, ref_of_base(id(), txn.attempts.back().number), {}));
      Error error = std::move(executed).error();
      error.code = Code::kUsage;
      return std::unexpected(std::move(error));
    }
    if (!executed) return std::unexpected(std::move(executed).error());
    const capture::TraceResult& trace = executed->trace;
    outcome_.command_ms += executed->duration_ms;
    TRY(count_cost(executed->duration_ms));
    for (std::string& note : executed->notes) outcome_.notes.push_back(std::move(note));
    for (const std::string& left : trace.left_running) {
      outcome_.notes.push_back(
          (options_.keep_running ? "left running: " : "ended with the command: ") + left);
    }
    const TakenWork work = TRY(take_work(state_, executed->txn, Untraced::kNo, progress_));
    executed->mount = {};
    outcome_.untracked = work.untracked;
    for (const std::string& note : work.notes) outcome_.notes.push_back(note);
    TRY(fp_taken.hit());
    // Aborted while it ran: what it did is kept, and nothing more is to be decided.
    const Txn taken = TRY(reload(state_, id()));
    if (taken.state == TxnState::kAborted) return After::kDone;
    return judge(*executed, taken, work);
  }

  // Decides about a command that has ended, and whose work is taken.
  Result<After> judge(const Executed& executed, const Txn& taken, const TakenWork& work) {
    const capture::TraceResult& trace = executed.trace;
    const bool stopped = trace.interrupted || trace.timed_out || !executed.over_budget.empty();
    const bool failed = stopped || trace.exit_status != 0;
    if (!stopped && TRY(rounds_.is_lost(taken))) {
      outcome_.repair_steps.back().result = "lost";
      TRY(run_again("", "the conversation of its agent could not go on"));
      return After::kRetry;
    }
    // Nothing of it is worth going on from. One that was stopped or ran out of something may be.
    if (trace.exit_status != 0) {
      TRY(tell_lacking(state_, taken.attempts.back().base, work.reads, outcome_.notes));
    }
    if (!stopped && work.nothing) {
      outcome_.command_failed = failed;
      const std::string why =
          failed ? fmt::format("the command ended with {} and changed nothing", trace.exit_status)
                 : "the command changed nothing";
      TRY(store().append({events::nothing(id(), why)}));
      return After::kDone;
    }
    if (failed || options_.no_land) {
      const bool over_budget = !executed.over_budget.empty();  // which is told already
      outcome_.as_asked = options_.no_land && trace.exit_status == 0 && !over_budget;
      if (trace.timed_out && !over_budget) {
        outcome_.notes.emplace_back("the command timed out and was ended");
      }
      if (trace.interrupted && !over_budget) {
        outcome_.notes.emplace_back("the command was interrupted");
      }
      return After::kDone;
    }
    const std::size_t notes = outcome_.notes.size();
    const std::vector<std::string> marked = TRY(markers_left(state_, taken));
    if (!marked.empty()) return still_marked(marked);
    return settle(TRY(ask_to_land(state_, taken, options_, progress_, outcome_)), notes);
  }

  // Nothing that has them is asked to land.
  Result<After> still_marked(const std::vector<std::string>& files) {
    const std::string why =
        "there are conflict markers in " + fmt::to_string(fmt::join(files, ", "));
    const bool agent = !state_.host.stdin_is_terminal && rounds_.count() < options_.repairs;
    Refusal refusal;
    refusal.marked = files;
    if (agent && TRY(rounds_.begin(Rounds::Of::kAgent, id(), std::move(refusal), why))) {
      tell_round(Rounds::Of::kAgent, files.front(), why);
      return After::kRetry;
    }
    outcome_.notes.push_back(why);
    return After::kDone;
  }

  void tell_round(Rounds::Of whom, const std::string& subject, const std::string& why) {
    const bool agent = whom == Rounds::Of::kAgent;
    outcome_.repair_steps.push_back({.rung = agent ? "resume" : "shell", .subject = subject});
    if (agent) {
      progress_.note(fmt::format("{}: {}; its agent goes on with its conversation ({} of {})",
                                 id().str(), why, rounds_.count(), options_.repairs));
      return;
    }
    progress_.note(
        fmt::format("this shell is in the worktree of {}; what has changed is in {}; "
                    "exit lands the change, exit 1 keeps it for later",
                    id().str(), rounds_.file()));
  }

  Result<bool> has_done_nothing() const {
    return TRY(recorded_writes(store(), TRY(reload(state_, id())).attempts.back())).empty();
  }

  // False: nothing of it could be begun.
  Result<bool> begin_next(NextTry next, const Refused& refused) {
    const std::string why = what_changed(refused.conflicts);
    const std::string subject = subject_of(refused.conflicts);
    if (next == NextTry::kItsAgent || next == NextTry::kShell) {
      const auto whom = next == NextTry::kShell ? Rounds::Of::kShell : Rounds::Of::kAgent;
      Refusal refusal = TRY(refusal_of(refused.conflicts));
      if (TRY(rounds_.begin(whom, id(), std::move(refusal), why))) {
        tell_round(whom, subject, why);
        return true;
      }
      const bool again = refused.by == Refused::By::kConflict && !state_.host.stdin_is_terminal &&
                         repairs_ < options_.retries;
      next = again ? NextTry::kAgain : NextTry::kNone;
    }
    if (next == NextTry::kNone) return false;
    TRY(run_again(subject, why));
    return true;
  }

  // `notes`: how many there were before it was asked for.
  Result<After> settle(land::LandResult result, std::size_t notes) {
    const bool by_gate = result == land::LandResult::kRejected;
    if (!by_gate && result != land::LandResult::kConflict) return After::kDone;
    const std::vector<Conflict>& conflicts = outcome_.conflicts;
    const Refused refused{id(), begun_.txn.target, conflicts,
                          by_gate ? Refused::By::kGate : Refused::By::kConflict, repairs_};
    const bool same = would_meet_the_same(conflicts);
    if (!same) {
      const NextTry next = TRY(next_try(state_, refused, rounds_, options_, progress_));
      if (TRY(begin_next(next, refused))) {
        outcome_.notes.resize(notes);  // the rest is of a candidate that is no more
        return After::kRetry;
      }
    }
    if (by_gate) return After::kDone;
    const std::string why = same ? "it read what is not committed"
                            : repairs_ > 0
                                ? fmt::format("still in conflict after {} retries", repairs_)
                                : "what it depended on has changed";
    TRY(store().append({events::quarantined(id(), why, conflicts)}));
    return After::kDone;
  }

  // An edit that is on no branch is read again by whoever runs again on the same head.
  bool would_meet_the_same(const std::vector<Conflict>& conflicts) const {
    const bool uncommitted = std::ranges::any_of(conflicts, [](const Conflict& conflict) {
      return conflict.read_digest.starts_with(kUncommitted);
    });
    if (!uncommitted) return false;
    const auto txn = store().txn(id());
    const auto head = state_.seen(begun_.txn.target);
    return txn && *txn && head && (*txn)->attempts.back().base == *head;
  }

  // Aborts the other transaction, once this one has begun in its place.
  Status replace(const std::string& other) {
    const Txn found = TRY(state_.find(other));
    const Held held = TRY(hold(state_, found));
    const TxnId& replaced = held.txn.id;
    if (held.txn.state == TxnState::kAborted) return {};
    TRY(keep_work(state_, held.txn, progress_));
    TRY(store().append(
        {events::aborted(replaced, "run again as " + id().str(), begun_.txn.owner)}));
    return compensate(state_, TRY(reload(state_, replaced)), progress_, outcome_.notes);
  }

  Result<Refusal> refusal_of(const std::vector<Conflict>& conflicts) const {
    Refusal refusal;
    refusal.conflicts = conflicts;
    for (const gates::GateReport& report : outcome_.gates) {
      const Certificate& certificate = report.certificate;
      if (certificate.passed || certificate.output.empty()) continue;
      std::string text = TRY(store().artifact(certificate.output));
      if (text.size() > kMostGateOutput) {
        text = "...\n" + text.substr(text.size() - kMostGateOutput);  // a failure is at the end
      }
      refusal.gates.push_back({certificate.gate.str(), std::move(text)});
    }
    return refusal;
  }

  Result<std::int64_t> tokens_used() const {
    const store::Amounts used = TRY(store::used(store(), {store::Scope::Of::kTxn, id().str()}));
    return used[static_cast<std::size_t>(store::Kind::kInput)] +
           used[static_cast<std::size_t>(store::Kind::kOutput)];
  }

  Status count_cost(std::int64_t ms) {
    if (outcome_.repair_steps.empty()) {
      tokens_before_ = TRY(tokens_used());
      return {};
    }
    Outcome::Repair& step = outcome_.repair_steps.back();
    step.ms = ms;
    const std::int64_t used = TRY(tokens_used());
    step.tokens = used - tokens_before_;
    tokens_before_ = used;
    return {};
  }

  // The retry rung: away for a moment that grows and is never the same, then a fresh snapshot.
  Status run_again(const std::string& subject, const std::string& why) {
    ++repairs_;
    rounds_.start_over();
    outcome_.repair_steps.push_back({.rung = "retry", .subject = subject});
    TRY(store().append({events::repairing(id(), "retry", why + "; run again on the new head")}));
    TRY(fp_repairing.hit());
    progress_.note(fmt::format("{}: {}; running again on the new head ({} of {})", id().str(), why,
                               repairs_, options_.retries));
    const std::int64_t longest =
        std::min(kLongestBackOffMs, kFirstBackOffMs << std::min(repairs_ - 1, 10));
    state_.host.clock->sleep_ms(longest / 2 + static_cast<std::int64_t>(state_.host.random->below(
                                                  static_cast<std::uint64_t>(longest / 2 + 1))));
    const Txn txn = TRY(reload(state_, id()));
    auto started = start_attempt(state_, txn, options_, progress_, outcome_.notes,
                                 store::Store::Durable::kSoon);
    if (started) return {};
    TRY(store().append({events::quarantined(
        id(), "the retry could not start: " + started.error().message, outcome_.conflicts)}));
    return std::unexpected(std::move(started).error().in("retrying " + id().str()));
  }

  // Whoever comes next may take it up: from here on no live process stands for it.
  Status release(const Txn& txn) {
    TRY(lease_.give_back());
    for (std::string& note : lease_.notes) outcome_.notes.push_back(std::move(note));
    if (txn.state == TxnState::kOpen) {
      TRY(store().append({events::reopened(id(), {txn.owner, txn.slot, false})}));
    }
    begun_.owner.release();
    return {};
  }

  void tell_repairs() {
    const bool landed = outcome_.txn.state == TxnState::kLanded;
    for (std::size_t i = 0; i < outcome_.repair_steps.size(); ++i) {
      Outcome::Repair& step = outcome_.repair_steps[i];
      const bool last = i + 1 == outcome_.repair_steps.size();
      if (step.result.empty()) {
        step.result = last && landed ? "landed"
                      : last         ? std::string(state_name(outcome_.txn.state))
                                     : "conflict again";
      }
      std::string line = step.rung;
      if (!step.subject.empty()) line += " after " + step.subject + " changed";
      line += ": " + step.result;
      if (step.ms > 0) line += ", " + format_duration(step.ms);
      if (step.tokens > 0) line += fmt::format(", {} tokens", step.tokens);
      outcome_.repairs.push_back(std::move(line));
    }
  }

  // An error past the beginning undoes nothing: whoever reads it has to know that the transaction
  // is there, and not to run the command a second time.
  Error still_there(Error error) const {
    const std::string& name = id().str();
    Txn txn = begun_.txn;  // open, for all we know where the store cannot be asked
    if (auto now = store().txn(id()); now && *now) txn = **std::move(now);
    const std::string show = "git txn show " + name;
    if (txn.state == TxnState::kAborted || txn.state == TxnState::kNothing) return error;
    if (txn.state == TxnState::kLanded) {
      return std::move(error).in("transaction " + name + " has landed").with_hint("see: " + show);
    }
    if (txn.state == TxnState::kLanding || error.code == Code::kOutcomeUnknown) {
      if (error.hint.empty()) error.hint = "see what is there with: git txn recover";
      error.hint += "; then: " + show;
      return std::move(error).in("transaction " + name);
    }
    // What is refused by name says itself what it is about.
    if (error.code == Code::kUnsupported) error.where.clear();
    const std::string kept = ran_ ? "its work is kept" : "nothing was run in it";
    const std::string next = ran_ ? next_line(txn) : "git txn abort " + name;
    // What is advised about a fault of the environment ends with trying the same again.
    const bool environment = error.code == Code::kFault || error.code == Code::kBusy;
    if (environment && error.hint.ends_with(kTryAgain)) {
      error.hint.resize(error.hint.size() - kTryAgain.size());
      error.hint += " first; then: " + next + ", or " + show;
    } else if (environment || error.hint.empty()) {
      error.hint = next + ", or " + show;
    } else {
      error.hint += "; then: " + next + ", or " + show;
    }
    return std::move(error).in(
        fmt::format("transaction {} is {} and {}", name, state_name(txn.state), kept));
  }

  Result<Outcome> once_begun() {
    if (Status started = start(); !started) {
      return could_not_start(state_, begun_.txn, std::move(started).error());
    }
    ran_ = true;
    if (options_.instead) TRY(replace(*options_.instead));
    if (progress_.on_note) {
      // Worth knowing while the command runs, and then not worth saying twice.
      progress_.note_all(outcome_.notes);
      outcome_.notes_told = outcome_.notes.size();
    }
    return once_started();
  }

  Result<Outcome> once_started() {
    while (TRY(attempt()) == After::kRetry) continue;
    TRY(fp_landed.hit());
    const Txn ended = TRY(reload(state_, id()));
    TRY(compensate(state_, ended, progress_, outcome_.notes));
    TRY(publish_summaries(state_, ended, outcome_.notes));
    // A landed change needs its worktrees no more; anything else keeps them.
    const bool over = ended.state == TxnState::kLanded || ended.state == TxnState::kNothing;
    if (over && !options_.keep && !options_.keep_running) TRY(remove_worktrees(state_, ended));
    TRY(release(ended));
    TRY(finish_outcome(state_, id(), started_ns_, outcome_));
    tell_repairs();
    return std::move(outcome_);
  }

  State& state_;
  const RunOptions& options_;
  Progress progress_;
  std::int64_t started_ns_;
  Held begun_;
  TxnLease lease_;  // --lease
  Outcome outcome_;
  Rounds rounds_;
  int repairs_ = 0;  // times that it was run again
  std::int64_t tokens_before_ = 0;
  bool ran_ = false;  // something: the first attempt has started
};

// Before anything is begun: what is to be given up can be.
Status check_replaced(State& state, const std::string& other) {
  const Txn txn = TRY(state.find(other));
  TRY(hold(state, txn));
  if (txn.state != TxnState::kLanded && txn.state != TxnState::kNothing) return {};
  return fail(Code::kUsage,
              fmt::format("{} is {}: there is nothing to do instead of it", txn.id.str(),
                          state_name(txn.state)),
              "leave --instead out");
}

}  // namespace

Result<std::optional<Outcome>> take_up(State& state, Held held, const Refusal& refusal,
                                       const RunOptions& options, const Progress& progress) {
  RunOptions again = options;
  again.command = held.txn.command;
  again.confine = held.txn.attempts.back().confine;
  if (again.confine->empty()) again.confine.reset();
  return Run(state, again, progress).take_up(std::move(held), refusal);
}

Result<Outcome> Kernel::run(const RunOptions& options, const Progress& progress) {
  TRY(refuse_inside(state_->host, "run"));
  if (options.command.empty()) {
    return fail(Code::kUsage, "no command to run", "git txn run -- COMMAND...");
  }
  state_->be_patient(options.wait_ms, progress);
  TRY(check_confine(*state_, options));
  TRY(parse_budget(options.budget));
  TRY(state_->target(options.onto));  // before anything is created
  TRY(find_program(state_->host, options.command.front()));
  std::vector<std::string> recovered;
  TRY(recover_first(*state_, progress, recovered));
  if (options.instead) TRY(check_replaced(*state_, *options.instead));
  progress.note_all(recovered);
  if (const auto before = TRY(begun_before(*state_, options))) {
    Outcome outcome;
    outcome.notes.push_back(
        fmt::format("{} was begun under this key; nothing was run", before->id.str()));
    TRY(finish_outcome(*state_, before->id, state_->host.clock->monotonic_ns(), outcome));
    outcome.command_failed = outcome.txn.state == TxnState::kNothing && outcome.command_exit != 0;
    return outcome;
  }
  return Run(*state_, options, progress).go();
}

}  // namespace gittxn::api
