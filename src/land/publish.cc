// The durable steps of a landing, in their order. Between any two lines we may die; then this is
// there:
//
// The hook reference-transaction is called as git calls it: `prepared` between 3 and 4, with the
// ref locked, where it may say no (then the landing is lost and rejected); `committed` after 4, or
// `aborted`. Recovery tells it how a landing ended that died before it could, so it may hear that
// twice.
//
//   before 2   objects, files staged beside the checkout, perhaps an index.lock that names us; the
//              log knows nothing of it. recover() and the next landing remove what names a dead
//              landing.
//   2 .. 4     LandingPrepared and the old ref: given up by recovery (LandingLost). Before the end
//              of 3 a power cut may leave LandingPrepared without the objects that it names.
//   4 .. 6     LandingPrepared and the new ref: finished by recovery (Landed)
//   after 6    landed. A power cut may take this last event back, and recovery appends it again;
//              what is left else is only ours to tidy
//
// The disk is waited for twice: in 3, for all that the branch and the checkouts will need (objects,
// the log, the file that becomes the ref, the names of what is staged), at the same time; and in 4,
// for the ref. With a checkout, in 5 as well, and before 1 for the bytes that are staged.
//
// An error between 3 and 6 is resolved on the spot by the same code as recovery, except a failed
// sync: after that nothing more is written, and recovery looks at what really is there.
#include "land/publish.h"

#include <fmt/format.h>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "base/json.h"
#include "gates/gate.h"
#include "land/hub.h"
#include "land/judge/phase.h"
#include "land/recover.h"
#include "land/remote.h"
#include "store/events.h"
#include "store/server/locks.h"

namespace gittxn::land {

namespace events = store::events;

namespace {

FAILPOINT(fp_before_lock, "land.before_landing_lock");
FAILPOINT(fp_after_index_lock, "land.after_index_lock");
FAILPOINT(fp_before_prepared, "land.before_prepared");
FAILPOINT(fp_before_durable, "land.before_durable");
FAILPOINT(fp_after_prepared, "land.after_prepared");
FAILPOINT(fp_hook_prepared, "land.hook_prepared");
FAILPOINT(fp_hook_committed, "land.hook_committed");
FAILPOINT(fp_after_ref_update, "land.after_ref_update");
FAILPOINT(fp_after_checkout, "land.after_checkout");
FAILPOINT(fp_before_landed, "land.before_landed");
FAILPOINT(fp_after_landed, "land.after_landed");

Published branch_moved() {
  return Published{};
}
Published has_landed(std::vector<std::string> left_to_person = {}) {
  return Published{Published::How::kLanded, {}, std::move(left_to_person), {}};
}
Published waits(Wait wait) {
  return Published{Published::How::kWait, std::move(wait), {}, {}};
}

struct Publication {
  const Context& context;
  const Work& work;
  const Candidate& candidate;
  Turn& turn;
  const PublishOptions& options;
  std::vector<repo::CheckoutMove> moves{};
  std::vector<repo::IndexLock> locks{};
  store::PreparedLanding landing{};
  std::vector<std::string> of_checkouts{};  // what step 3 waits for beside the candidate
  repo::Unsynced unsynced{};
  std::optional<repo::RefDraft> draft{};  // of the branch's file; not where it is a hub's
  std::optional<Wait> leased{};           // to somebody else, and mandatory
  bool moved = false;                     // the branch has the candidate
  std::string refused{};                  // what the hook reference-transaction said to it

  repo::Repository& repository() const { return *context.repository; }
  const TxnId& txn() const { return work.txn.id; }
  const RefName& branch() const { return work.txn.target; }

  // The files that step 3 waits for; a missing object is told of before the log hears anything.
  Status find_unsynced() {
    std::vector<Oid> durable = TRY(durable_heads(context, branch()));
    if (durable.empty()) {
      TRY(make_head_durable(context, branch(), candidate.head));
      durable = {candidate.head};
    }
    // The log names no work before it is on disk.
    const Oid& kept = work.attempt.kept;
    if (!kept.empty() && TRY(repository().objects().contains(kept))) durable.push_back(kept);
    unsynced = TRY_IN("making the candidate durable",
                      repository().objects().unsynced(candidate.oid, durable));
    return {};
  }

  repo::RefUpdate update() const {
    return {.ref = branch(),
            .expected = candidate.head,
            .desired = candidate.oid,
            .reflog_who = candidate.commit.committer,
            .reflog_message = fmt::format("txn: land {}", txn().str()),
            .lock_deadline_ms = options.lock_ms,
            .draft = draft ? &*draft : nullptr};
  }

  // Step 1, after staging: the locks of the checkouts, and a last look under them.
  Result<std::optional<Wait>> lock_checkouts() {
    for (const repo::CheckoutMove& move : moves) {
      auto lock =
          TRY(unless(Code::kBusy, repo::IndexLock::acquire(move.place, txn(), move.new_commit,
                                                           options.lock_ms)));
      if (!lock) return Wait{WaitReason::kIndexLock, move.place.git_dir + "/index.lock"};
      locks.push_back(*std::move(lock));
      for (std::string& path : TRY(repo::index_to_sync(move.place))) {
        of_checkouts.push_back(std::move(path));
      }
    }
    TRY(fp_after_index_lock.hit());
    return blocked(context, branch(), moves);
  }

  // Under the write lock of the log: a lease that was had before this denies it.
  Status check_leases(const store::View& view) {
    if (options.leases == PublishOptions::Leases::kTooLate) return {};
    static const TouchedSymbols kNotLooked;
    const std::vector<MetLease> met =
        TRY(leases_met(context, view, work.txn, files_of(candidate.changes),
                       options.symbols == nullptr ? kNotLooked : *options.symbols));
    leased = denied_by(met);
    if (!leased) return {};
    return fail(Code::kStale, leased->subject);
  }

  // Step 2. False: the head is another one, or it is leased to somebody else.
  Result<bool> prepare() {
    TRY(fp_before_prepared.hit());
    if (!context.hub) draft.emplace(TRY(repository().refs().draft(update())));
    Json recorded = Json::array();
    for (const repo::CheckoutMove& move : moves) recorded.push_back(repo::to_json(move));
    landing = {.txn = txn(),
               .branch = branch(),
               .old_head = candidate.head,
               .new_head = candidate.oid,
               .tree = candidate.tree};
    if (context.hub) {
      const auto known = TRY(context.store->branch(branch()));
      TRY(raise_fence(context, known ? known->fence : Oid(), landing));
    }
    const events::LandingDetails details{digest_of(candidate.changes), work.attempt.reads,
                                         work.attempt.writes, to_be_kept(candidate.admitted)};
    const auto check = [&](const store::View& view) -> Status {
      TRY(check_leases(view));
      return check_kernel_reads(context, view, work, candidate);
    };
    std::vector<NewEvent> told = options.evidence;
    told.push_back(events::landing_prepared(landing, details, recorded));
    const auto seq =
        TRY(unless(Code::kStale, context.store->append(told, check, store::Store::Durable::kSoon)));
    if (!seq) return false;
    landing.seq = *seq;
    // From here on the files belong to the landing that the log knows, and to its recovery.
    for (repo::IndexLock& lock : locks) lock.abandon();
    return true;
  }

  // Step 3.
  Status make_durable() {
    TRY(fp_before_durable.hit());
    const auto with_the_log = [&](std::vector<std::string> files) {
      if (draft) files.push_back(draft->path());
      files.insert(files.end(), of_checkouts.begin(), of_checkouts.end());
      return repository().objects().sync(unsynced, files);
    };
    if (INJECTED_BUG("land.moved_unsynced")) return {};
    TRY_IN("making the candidate durable", context.store->make_durable(with_the_log));
    return fp_after_prepared.hit();
  }

  Status tell_hook(const repo::RefUpdate& move, repo::RefStep step) {
    Status heard = gates::run_ref_hook(context.gates, move, step, txn());
    if (!heard && step == repo::RefStep::kPrepared) refused = heard.error().message;
    TRY(std::move(heard));
    if (step == repo::RefStep::kPrepared) return fp_hook_prepared.hit();
    return step == repo::RefStep::kCommitted ? fp_hook_committed.hit() : Status{};
  }

  // Step 4.
  Status swap() {
    const repo::RefUpdate plain = update();
    repo::RefUpdate move = plain;
    move.told = [&](repo::RefStep step) { return tell_hook(plain, step); };
    TRY(repository().refs().update(move));
    moved = true;
    return fp_after_ref_update.hit();
  }

  // Step 5.
  Status move_checkouts(std::vector<std::string>& left) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      repo::MoveReport report = TRY(repo::move_checkout(repository(), txn(), moves[i]));
      for (std::string& path : report.left_to_person) left.push_back(std::move(path));
      TRY(repo::finish_checkout(repository(), txn(), moves[i], std::move(locks[i])));
    }
    return fp_after_checkout.hit();
  }

  Status check_tree() {
    const Oid tree = TRY(repository().objects().tree_of(candidate.oid));
    if (tree == candidate.tree) return {};
    return fail(Code::kCorrupt, fmt::format("{} has tree {}, but {} was certified",
                                            candidate.oid.str(), tree.str(), candidate.tree.str()));
  }

  // Step 6: the invariant first, then the record. What the record says follows from LandingPrepared
  // and the ref, which are on disk, so it is not waited for. Of a hub's branch the ref is not here.
  Status acknowledge(const std::vector<std::string>& left) {
    TRY(check_tree());
    const std::optional<Oid> head = TRY(head_of(context, branch()));
    if (!head || !TRY(repository().objects().is_ancestor(landing.new_head, *head))) {
      return fail(Code::kStale, "somebody moved " + branch().str() + " away while it landed");
    }
    // The branch has it: what the remote has is no question any more.
    TRY(forget_push(context, txn()));
    return record(left);
  }

  Status record(const std::vector<std::string>& left) {
    TRY(fp_before_landed.hit());
    std::vector<NewEvent> ending{events::transaction_landed(landing, left)};
    for (NewEvent& closing : turn.closing()) ending.push_back(std::move(closing));
    using enum store::Store::Durable;
    TRY(context.store->append(ending, {}, context.hub ? kNow : kSoon));
    turn.closed();
    return fp_after_landed.hit();
  }
};

// What failed after the branch had moved may say of itself that nothing was changed.
std::unexpected<Error> not_recorded(const Publication& work, Error error) {
  // What the log says, and what is damaged, stays what it is.
  if (error.code != Code::kStale && error.code != Code::kCorrupt) {
    error.code = Code::kOutcomeUnknown;
  }
  error.hint = fmt::format("{} has moved to {}; git txn recover records it", work.branch().str(),
                           work.landing.new_head.str());
  return std::unexpected(std::move(error));
}

// Past step 3 something failed: the same table as recovery, unless the disk itself is in doubt.
Result<Published> settle(Publication& work, Error error) {
  if (error.code == Code::kOutcomeUnknown || error.code == Code::kCorrupt) {
    if (error.hint.empty()) error.hint = "see what is there with: git txn recover";
    return std::unexpected(std::move(error).in("landing " + work.txn().str()));
  }
  work.locks.clear();
  // As the log has it: with what it recorded of the checkouts.
  const auto state = TRY(work.context.store->branch(work.branch()));
  if (!state || !state->prepared) return std::unexpected(std::move(error));
  auto resolution = resolve(work.context, *state->prepared, {ResolveAs::kLander, work.refused});
  if (!resolution) {
    error.message += "; and then: " + resolution.error().message;
    return std::unexpected(std::move(error).with_hint("see what is there with: git txn recover"));
  }
  if (resolution->how == Resolution::How::kLanded) {
    return has_landed(std::move(resolution->left_to_person));
  }
  work.moved = false;  // or somebody moved it away again
  if (!work.refused.empty()) {
    return Published{Published::How::kRefused, {}, {}, std::move(work.refused)};
  }
  if (error.code == Code::kStale) return branch_moved();
  if (error.code == Code::kBusy) {
    return waits({WaitReason::kRefLock, work.branch().str() + ".lock"});
  }
  return std::unexpected(std::move(error).in("landing " + work.txn().str()));
}

// The landing stays as it is in the log, and the next round asks again.
Result<Published> unresolved(const Error& error) {
  if (auto wait = wait_over(error)) return waits(*std::move(wait));
  return std::unexpected(error);
}

// Whoever resolved it while we could not says how it ended.
Result<Published> as_resolved(const Publication& work) {
  const auto txn = TRY(work.context.store->txn(work.txn()));
  const bool landed = txn && txn->state == TxnState::kLanded;
  return landed ? has_landed() : branch_moved();
}

// Steps 4 to 6 where the branch is a hub's. The hub's yes is the landing; after anything else it is
// asked.
Result<Published> push_and_record(Publication& work) {
  const PushAnswer answer = TRY(push_landing(work.context, work.landing));
  if (answer.how == PushAnswer::How::kDone) {
    Status recorded = work.record({});
    if (!recorded && recorded.error().code == Code::kStale) return as_resolved(work);
    if (!recorded) return not_recorded(work, std::move(recorded).error());
    return has_landed();
  }
  const auto resolution = resolve_push(work.context, work.landing, answer);
  if (!resolution && resolution.error().code == Code::kStale) return as_resolved(work);
  if (!resolution) return unresolved(resolution.error());
  if (resolution->how == Resolution::How::kLanded) return has_landed();
  const std::string subject = work.context.hub->remote + ": " + answer.why;
  if (answer.how == PushAnswer::How::kRefused) return waits({WaitReason::kHubRefuses, subject});
  // What stood in its way may well do so the next time: that is told, and not tried at once.
  if (answer.how == PushAnswer::How::kUnknown) return waits({WaitReason::kNoAnswer, subject});
  if (answer.locked) return waits({WaitReason::kRefLock, subject});
  return branch_moved();
}

Status stage(Publication& work) {
  for (const repo::CheckoutMove& move : work.moves) {
    for (std::string& path : TRY_IN("staging the checkout",
                                    repo::stage_checkout(work.repository(), work.txn(), move))) {
      work.of_checkouts.push_back(std::move(path));
    }
  }
  return {};
}

// What staging left, when the landing does not get as far as the log.
Status unstage(Publication& work) {
  work.locks.clear();
  for (const repo::CheckoutMove& move : work.moves) {
    TRY(repo::discard_checkout(work.txn(), move));
  }
  return {};
}

// Steps 1 and 2; nullopt: prepared.
Result<std::optional<Published>> up_to_prepared(Publication& work) {
  const auto state = TRY(work.context.store->branch(work.branch()));
  if (state && state->prepared) {
    // We hold the landing lock, so whoever prepared it is dead.
    const auto resolution = resolve(work.context, *state->prepared);
    if (!resolution && work.context.hub) return TRY(unresolved(resolution.error()));
    if (!resolution) return std::unexpected(resolution.error());
    return branch_moved();
  }
  // A hub says so itself, when it is pushed to.
  const Oid now = work.context.hub ? (state ? state->head : Oid())
                                   : TRY(checkpoint(work.context, work.branch()));
  if (now != work.candidate.head) return branch_moved();
  if (!TRY(same_versions(work.context, work.work, work.candidate))) return branch_moved();
  if (work.context.hub) {
    // From here on nothing else stands between the commit and the hub.
    TRY(check_one_place(work.context, work.context.hub->remote));
    TRY(work.check_tree());
  }
  TRY(work.find_unsynced());
  if (auto wait = TRY(work.lock_checkouts())) return waits(*std::move(wait));
  if (!TRY(work.prepare())) return work.leased ? waits(*work.leased) : branch_moved();
  return std::nullopt;
}

}  // namespace

Result<std::vector<repo::CheckoutMove>> checkout_moves(const Context& context,
                                                       const RefName& branch,
                                                       const Candidate& candidate) {
  std::vector<repo::CheckoutMove> moves;
  if (context.hub) return moves;  // they follow when it has landed
  for (repo::CheckoutPlace& place : TRY(context.repository->checkouts())) {
    if (place.branch != branch) continue;
    moves.push_back({std::move(place), candidate.head, candidate.oid, files_of(candidate.changes)});
  }
  return moves;
}

Result<std::optional<Wait>> blocked(const Context& context, const RefName& branch,
                                    const std::vector<repo::CheckoutMove>& moves) {
  if (context.hub) return std::nullopt;
  const std::string lock = branch.str() + ".lock";
  if (TRY(exists(join_path(context.repository->place().common_dir, lock)))) {
    return Wait{WaitReason::kRefLock, lock};
  }
  for (const repo::CheckoutMove& move : moves) {
    if (auto block = TRY(repo::probe_checkout(*context.repository, move))) {
      return Wait{block->reason, std::move(block->path)};
    }
  }
  return std::nullopt;
}

std::optional<Wait> wait_over(const Error& error) {
  if (error.code == Code::kTimeout) return Wait{WaitReason::kNoAnswer, error.message};
  if (error.code == Code::kBusy) return Wait{WaitReason::kUnfinished, error.message};
  return std::nullopt;
}

Result<Published> publish(const Context& context, const Work& work, const Candidate& candidate,
                          Turn& turn, const PublishOptions& options) {
  Publication publication{context, work, candidate, turn, options};
  publication.moves = TRY(checkout_moves(context, work.txn.target, candidate));
  // Staging runs git and its filters, so it is done before the lock that everybody waits for.
  Status staged = stage(publication);
  if (!staged) {
    Status tidied = unstage(publication);
    if (!tidied) staged.error().message += "; and then: " + tidied.error().message;
    return std::unexpected(std::move(staged).error());
  }
  TRY(fp_before_lock.hit());
  auto lock = context.store->locks().acquire(landing_lock_name(work.txn.target), kLandingLockMs);
  if (!lock && !INJECTED_BUG("land.no_locks")) {
    TRY(unstage(publication));
    if (lock.error().code == Code::kBusy)
      return waits({WaitReason::kLandingLock, work.txn.target.str()});
    return std::unexpected(std::move(lock).error());
  }

  auto stopped = up_to_prepared(publication);
  if (!stopped || *stopped) {
    // An append that failed may be in the log all the same; then what is staged is recovery's.
    const auto state = context.store->branch(work.txn.target);
    if (state && *state && !(*state)->prepared) TRY(unstage(publication));
    // The checkout has another branch now: the next round looks again.
    if (!stopped && stopped.error().code == Code::kStale) return branch_moved();
    if (!stopped) return std::unexpected(std::move(stopped).error());
    return **std::move(stopped);
  }
  Status done = publication.make_durable();
  if (context.hub && done) {
    auto pushed = push_and_record(publication);
    if (!pushed && pushed.error().hint.empty()) {
      pushed.error().hint = "see what is there with: git txn recover";
    }
    return pushed;
  }
  Published published = has_landed();
  if (done) done = publication.swap();
  if (done) done = publication.move_checkouts(published.left_to_person);
  if (done) done = publication.acknowledge(published.left_to_person);
  if (done) return published;
  auto settled = settle(publication, std::move(done).error());
  if (settled || !publication.moved) return settled;
  return not_recorded(publication, std::move(settled).error());
}

}  // namespace gittxn::land
