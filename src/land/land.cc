// A landing as a list of passes (kPasses), under the turn lock, on one head.
//
// Every pass may end it: landed, nothing to land, a conflict, a refusal, or a wait. A moved head
// starts again at 1 with a new candidate and the turn kept. A wait lets go of everything, tells the
// log why, and starts again from the turn when its time comes. Open questions let go of the turn as
// well, twice at most, are asked, and then are remembered; and so do gates that have to run.
#include "land/land.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "gates/gate.h"
#include "gates/trust.h"
#include "land/hub.h"
#include "land/judge/phase.h"
#include "land/judge/places.h"
#include "land/landing.h"
#include "land/publish.h"
#include "store/events.h"

namespace gittxn::land {

namespace events = store::events;

namespace {

constexpr std::int64_t kLockMs = 5000;
constexpr std::int64_t kLeastLockMs = 200;
constexpr std::int64_t kLongestPollMs = 1000;
constexpr std::int64_t kSlowPollMs = 5000;
constexpr std::int64_t kInterruptPollMs = 50;
// Somebody who commits faster than our gates run could keep us here for ever.
constexpr int kMaxRounds = 16;
// Lost races after which questions are asked with the turn held.
constexpr int kMostAskedApart = 2;

// Each look whether such a wait is over may ask the person for a pass phrase, or a remote.
bool asks_others(WaitReason reason) {
  using enum WaitReason;
  constexpr std::array kThose{kSigningKey, kHubRefuses, kNoAnswer, kRemoteRefuses,
                              kUnpushed,   kBehind,     kDiverged};
  return std::ranges::find(kThose, reason) != kThose.end();
}

}  // namespace

Status Landing::check_interrupted() const {
  if (!options_.interrupted || !options_.interrupted()) return {};
  return fail(Code::kInterrupted, "interrupted while landing " + id().str(),
              "land it with: git txn commit " + id().str());
}

namespace {

// The candidates of earlier rounds are gone, and with them what was said about them.
void forget_round(LandOutcome& outcome) {
  outcome.gates.clear();
  outcome.conflicts.clear();
}

}  // namespace

Result<Step> Landing::reject(std::vector<Conflict> conflicts) {
  outcome_.result = LandResult::kRejected;
  outcome_.conflicts = std::move(conflicts);
  TRY(store().append({events::rejected(id(), work_.attempt.number, outcome_.conflicts)}));
  return done();
}

// The checkpoint, and whether it is still asked for.
Result<Step> Landing::meet_branch(Round& round) {
  const auto checked = checkpoint(context_, work_.txn.target);
  if (auto wait = checked ? std::nullopt : wait_over(checked.error())) {
    return Step{Step::Kind::kWait, *std::move(wait)};
  }
  round.head = TRY(checked);
  outcome_.head_before = round.head;
  TRY(check_still_asked(store(), work_.txn));
  return go_on();
}

// The yes is asked for each head, because a person may have changed the policy meanwhile.
Result<Step> Landing::trust(Round& round) {
  auto policy = policy_at(context_, round.head);
  if (!policy && policy.error().code == Code::kUsage) {
    return wait_for(WaitReason::kPolicyUnparsed, policy.error().message);
  }
  if (!policy) return std::unexpected(std::move(policy).error());
  round.policy = *std::move(policy);
  Status trusted = gates::require_trust(store(), round.policy, options_.trust_offered);
  if (trusted) return go_on();
  if (trusted.error().code != Code::kRefused) return std::unexpected(std::move(trusted).error());
  return wait_for(WaitReason::kTrust, trusted.error().hint);
}

// Its phase may have been left, or opened again, or have other gates now.
Result<Step> Landing::phase(Round& round) {
  if (work_.txn.workflow.empty()) return go_on();
  PhaseJudgement judgement = TRY(judge_phase(context_, work_, round.policy));
  switch (judgement.how) {
    case PhaseJudgement::How::kHolds:
      return go_on();
    case PhaseJudgement::How::kDropped:
      return reject(std::move(judgement.conflicts));
    case PhaseJudgement::How::kCarried:
      break;
  }
  work_.txn.phase = judgement.member.phase;
  TRY(renew_phase_reads(store(), work_.txn, work_.footprint.base, work_.footprint.reads));
  say("carried over to phase " + work_.txn.phase);
  return go_on();
}

// What a decision of the certifier means for the transaction.
Result<Step> Landing::settle(Decision decision, Candidate* candidate) {
  outcome_.level = decision.candidate.level;
  outcome_.notes = std::move(decision.candidate.notes);
  outcome_.reads_checked = decision.candidate.reads_checked;
  outcome_.asked_ms = askings_.spent_ms();
  switch (decision.kind) {
    case Decision::Kind::kCandidate:
      std::ranges::copy(decision.candidate.merged, std::back_inserter(outcome_.notes));
      *candidate = std::move(decision.candidate);
      return go_on();
    case Decision::Kind::kNothing:
      outcome_.result = LandResult::kNothing;
      TRY(store().append({events::nothing(id(), "the branch already has all of it")}));
      return done();
    case Decision::Kind::kRefused:
      return reject(std::move(decision.conflicts));
    case Decision::Kind::kConflict:
      break;
  }
  // Left a moment ago: the next round asks the policy what that means.
  const auto of_rule = [this](const Conflict& one) { return is_about_rule(work_, one); };
  if (std::ranges::any_of(decision.conflicts, of_rule)) return moved();
  outcome_.result = LandResult::kConflict;
  outcome_.conflicts = std::move(decision.conflicts);
  TRY(store().append({events::conflicted(id(), work_.attempt.number, outcome_.conflicts)}));
  return done();
}

Result<Step> Landing::certify(Round& round) {
  say("certifying");
  using enum Askings::Mode;
  askings_.set_mode(asked_apart_ < kMostAskedApart ? kRemember : kAsk);
  Decision decision = TRY(decide(context_, work_, round.head, &askings_));
  if (askings_.left_open() > 0) return Step{Step::Kind::kAsk, {}};
  askings_.set_mode(kAsk);  // hooks may edit what a question reads
  return settle(std::move(decision), &round.candidate);
}

// Questions take as long as they take, so they are asked while somebody else may land: on the head
// of the last round, for the next one to remember.
Status Landing::ask_apart() {
  if (asked_apart_ > 0) ++lost_;
  ++asked_apart_;
  askings_.set_mode(Askings::Mode::kAsk);
  TRY(decide(context_, work_, outcome_.head_before, &askings_));
  return {};
}

Result<Step> Landing::look(Round& round) {
  moves_ = TRY(checkout_moves(context_, work_.txn.target, round.candidate));
  auto wait = TRY(unless(Code::kStale, blocked(context_, work_.txn.target, moves_)));
  if (!wait) return moved();  // the checkout changed branches
  return *wait ? Step{Step::Kind::kWait, **std::move(wait)} : go_on();
}

// A transaction that has lost twice goes before those that would make it lose again.
Result<Step> Landing::places(Round& round) {
  const auto other = TRY(loser_in_the_way(context_, work_, round.candidate));
  if (!other) return go_on();
  const std::string name = other->name.empty() ? "" : fmt::format(" \"{}\"", other->name);
  return wait_for(WaitReason::kPlace, other->id.str() + name);
}

Result<Step> Landing::leases(Round& round) {
  writes_ = files_of(round.candidate.changes);
  symbols_ = TRY(touched_symbols(context_, writes_));
  const auto met = TRY(leases_met(context_, store(), work_.txn, writes_, symbols_));
  if (auto denied = denied_by(met)) return Step{Step::Kind::kWait, *std::move(denied)};
  for (std::string& note : notes_of(met)) outcome_.notes.push_back(std::move(note));
  return go_on();
}

// The last thing that may change the commit; tree and parent stay, so every certificate still
// counts.
Result<Step> Landing::sign(Round& round) {
  if (!TRY(signing_required(*context_.repository))) return go_on();
  say("signing");
  Oid parent = round.candidate.head;
  for (repo::NewCommit* commit : round.candidate.commits()) {
    commit->parents = {parent};
    Signed with_signature = TRY(sign_commit(*context_.repository, *commit));
    if (with_signature.commit.empty())
      return wait_for(WaitReason::kSigningKey, with_signature.unavailable);
    parent = std::move(with_signature.commit);
  }
  round.candidate.oid = std::move(parent);
  return go_on();
}

Result<Step> Landing::publish(Round& round) {
  say("landing");
  PublishOptions publishing;
  publishing.lock_ms = std::max(kLeastLockMs, person_.clip(kLockMs));
  publishing.symbols = &symbols_;
  publishing.evidence = gates::not_in_log(outcome_.gates);
  if (remote_.how == RemoteRule::How::kPush) publishing.leases = PublishOptions::Leases::kTooLate;
  Published published =
      TRY(land::publish(context_, work_, round.candidate, round.turn, publishing));
  using enum Published::How;
  if (published.how == kMoved) return moved();
  if (published.how == kWait) return Step{Step::Kind::kWait, std::move(published.wait)};
  if (published.how == kRefused) {
    return reject({{.kind = ConflictKind::kGate,
                    .subject = std::string(gates::kRefHook),
                    .hint = std::move(published.refused)}});
  }
  outcome_.result = LandResult::kLanded;
  outcome_.commit = round.candidate.oid;
  outcome_.admitted = std::move(round.candidate.admitted);
  outcome_.left_to_person = std::move(published.left_to_person);
  return done();
}

// All passes on one head.
Result<Step> Landing::round(Turn& turn) {
  using Pass = Result<Step> (Landing::*)(Round&);
  static constexpr Pass kPasses[] = {
      &Landing::meet_branch,        // what others did is in the log before anything else happens
      &Landing::meet_remote,        // where landing reaches one: what it has
      &Landing::land_pushed,        // ... and whether it has this already
      &Landing::meet_pull_request,  // ... or had it merged
      &Landing::trust,              // the policy of that head, never of the candidate
      &Landing::phase,              // that it belongs to
      &Landing::certify,            // merged and certified in memory, at the level policy demands
      &Landing::check,    // hooks, whose edits are certified again; then gates, on exactly
                          // this candidate: before the next passes, so that the evidence
                          // is there when a person has tidied up
      &Landing::places,   // would it make somebody lose again?
      &Landing::leases,   // is what it writes leased to somebody else?
      &Landing::look,     // can the checkout move?
      &Landing::sign,     // by the owner's own program
      &Landing::push,     // where landing reaches a remote (remote.h)
      &Landing::publish,  // steps 1 to 6 of publish.cc, under the landing lock
  };
  forget_round(outcome_);
  moves_.clear();
  writes_.clear();
  symbols_.clear();
  Round round{turn, {}, {}, {}};
  Step step;
  for (const Pass pass : kPasses) {
    step = TRY((this->*pass)(round));
    if (step.kind != Step::Kind::kGoOn) break;
  }
  return step;
}

// Rounds under one turn, until something ends them.
Result<Step> Landing::with_turn() {
  TurnOptions options;
  options.wait_ms = options_.turn_wait_ms;
  options.losses = lost_ + work_.attempt.number - 1;
  options.on_wait = [this](const Wait& wait) {
    told_ = {};  // the log says "turn" now, or nothing
    if (options_.on_wait) options_.on_wait(wait);
  };
  options.interrupted = options_.interrupted;
  Wait waited;
  auto turn = TRY(Turn::take(context_, work_.txn, options, &waited));
  if (!turn) return Step{Step::Kind::kExpired, std::move(waited)};
  const std::int64_t since_ns = context_.clock->monotonic_ns();
  auto step = round(*turn);
  for (int i = 1; step && step->kind == Step::Kind::kMoved; ++i) {
    ++lost_;
    if (i == kMaxRounds) {
      step = wait_for(WaitReason::kMovingHead, work_.txn.target.str());
      break;
    }
    step = round(*turn);
  }
  Status released = turn->release(store());
  outcome_.turns_ns.push_back(context_.clock->monotonic_ns() - since_ns);
  if (step) TRY(std::move(released));
  return step;
}

// Why the last candidate still cannot land, its head still being the branch's: then another pass
// would only find the same.
Result<std::optional<Wait>> Landing::still_blocked() {
  if (moves_.empty() && writes_.empty()) return std::nullopt;
  const auto head = context_.repository->refs().read(seen_ref(context_.hub, work_.txn.target));
  if (!head || *head != outcome_.head_before) return std::nullopt;
  const auto met = TRY(leases_met(context_, store(), work_.txn, writes_, symbols_));
  if (auto denied = denied_by(met)) return denied;
  // None either where the checkout is on another branch now.
  return TRY(unless(Code::kStale, blocked(context_, work_.txn.target, moves_)))
      .value_or(std::nullopt);
}

// Tells why, once, and sleeps a little. Nothing is held here.
Status Landing::pause(const Wait& wait, std::int64_t* poll_ms) {
  if (wait != told_) {
    TRY(store().append({events::waiting(id(), wait.reason, wait.subject)}));
    if (options_.on_wait) options_.on_wait(wait);
    told_ = wait;
    *poll_ms = kFirstPollMs;
  }
  std::int64_t left_ms = deadline_of(wait).clip(asks_others(wait.reason) ? kSlowPollMs : *poll_ms);
  while (left_ms > 0) {
    TRY(check_interrupted());
    context_.clock->sleep_ms(std::min(left_ms, kInterruptPollMs));
    left_ms -= kInterruptPollMs;
  }
  *poll_ms = std::min(*poll_ms * 2, kLongestPollMs);
  return check_still_asked(store(), work_.txn);
}

// Waits until another pass may find something else (kGoOn), or the person's time is up (kExpired).
Result<Step> Landing::wait_out(Wait wait) {
  while (!deadline_of(wait).passed()) {
    TRY(pause(wait, &poll_ms_));
    auto still = TRY(still_blocked());
    if (!still) return go_on();
    wait = *std::move(still);
  }
  return Step{Step::Kind::kExpired, std::move(wait)};
}

// Turn after turn, until there is an outcome.
Status Landing::keep_trying() {
  while (true) {
    TRY(check_interrupted());
    Step step = TRY(with_turn());
    if (step.kind == Step::Kind::kWait) step = TRY(wait_out(std::move(step.wait)));
    if (step.kind == Step::Kind::kAsk) {
      TRY(ask_apart());
      continue;
    }
    if (step.kind == Step::Kind::kGates) {
      TRY(gates_apart());
      continue;
    }
    if (step.kind == Step::Kind::kGoOn) continue;
    if (step.kind == Step::Kind::kDone) return {};
    outcome_.result = LandResult::kWaiting;
    outcome_.wait = step.wait;
    TRY(store().append({events::waiting(id(), step.wait.reason, step.wait.subject)}));
    return {};
  }
}

Result<LandOutcome> Landing::run() {
  Status tried = keep_trying();
  if (!tried) {
    if (tried.error().code != Code::kStale) return std::unexpected(std::move(tried).error());
    // Stale is what the log says to whoever comes late; what made it so is the outcome.
    if (check_still_asked(store(), work_.txn)) return std::unexpected(std::move(tried).error());
    const auto now = TRY(store().txn(id()));
    const bool landed = context_.hub && now && now->state == TxnState::kLanded;
    outcome_.result = landed ? LandResult::kLanded : LandResult::kWithdrawn;
    if (landed) outcome_.commit = now->landed_commit;
    forget_round(outcome_);
  }
  if (told_.reason != WaitReason::kNone && options_.on_wait) options_.on_wait({});
  if (outcome_.result == LandResult::kLanded) TRY(tell_rewound());
  if (outcome_.result == LandResult::kLanded) TRY(audit_gates());
  if (outcome_.result == LandResult::kLanded && context_.hub) {
    std::string note = follow_hub(context_, work_.txn.target, outcome_.commit);
    if (!note.empty()) outcome_.notes.push_back(std::move(note));
  }
  return std::move(outcome_);
}

Result<LandOutcome> land(const Context& context, const TxnId& txn, const LandOptions& options) {
  Work work = TRY(load_work(context, txn));
  if (work.txn.state != TxnState::kPrepared) {
    return fail(Code::kUsage,
                fmt::format("{} is {}, not prepared", txn.str(), state_name(work.txn.state)),
                "ask for it with: git txn commit " + txn.str());
  }
  work.keep_commits = options.keep_commits;
  return Landing(context, options, std::move(work)).run();
}

}  // namespace gittxn::land
