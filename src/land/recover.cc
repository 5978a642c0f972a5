// Recovery and the checkpoint of outside moves. The whole table:
//
//   found                                          done
//   no LandingPrepared, stray objects              nothing: stray objects are git gc's
//   Prepared, new is the ref or its ancestor       directory synced, checkout finished, Landed
//   Prepared, otherwise (not swapped, lost, moved  our own <ref>.lock, index.lock and staged
//     or undone by somebody)                       files removed, LandingLost; it lands when asked
//   either, and a hook reference-transaction       told committed or aborted, perhaps once more
//   checkout half moved                            paths that still hold old bytes finished, where
//                                                  the branch still has the new ones; other bytes
//                                                  are the person's: left, reported
//   Landed, new not in the branch                  an outside move: recorded, never landed again
//   a note of a push (remote.h)                    nothing: the next landing of it asks the remote
//   zero-length ref, missing objects               a clear stop: ref, last value, the command
//
// Recovery never moves a ref. It runs under the landing lock, so a Prepared that it sees there
// belongs to nobody alive. Every step is repeatable: a kill between any two leaves a Prepared that
// the next recovery takes up at the first step, or a Landed or LandingLost after which there is
// nothing to do.
#include "land/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "base/json.h"
#include "gates/gate.h"
#include "land/history.h"
#include "land/hub.h"
#include "land/remote.h"
#include "store/events.h"
#include "store/server/locks.h"

namespace gittxn::land {

namespace events = store::events;

namespace {

FAILPOINT(fp_landed_found, "recover.landed.found");
FAILPOINT(fp_landed_synced, "recover.landed.synced");
FAILPOINT(fp_landed_checkout, "recover.landed.checkout");
FAILPOINT(fp_landed_done, "recover.landed.done");
FAILPOINT(fp_lost_found, "recover.lost.found");
FAILPOINT(fp_lost_ref_lock, "recover.lost.ref_lock");
FAILPOINT(fp_lost_checkout, "recover.lost.checkout");
FAILPOINT(fp_lost_done, "recover.lost.done");
FAILPOINT(fp_hook_told, "recover.hook_told");
FAILPOINT(fp_outside_found, "recover.outside.found");
FAILPOINT(fp_outside_done, "recover.outside.done");

constexpr int kCheckpointTries = 16;
constexpr std::size_t kMaxLockBytes = 1u << 20;

std::string short_oid(const Oid& oid) {
  return oid.empty() ? "nothing" : oid.str().substr(0, 10);
}

// Where the branch should be, in the words of a person who has to put it back.
std::unexpected<Error> damaged(const Context& context, const RefName& branch, std::string what) {
  const auto state = context.store->branch(branch);
  std::string hint = "git fsck shows what is left";
  if (state && *state && !(*state)->head.empty()) {
    const std::string& last = (*state)->head.str();
    const std::string file = context.repository->place().common_dir + "/" + branch.str();
    hint = fmt::format(
        "its last value in the log is {}; put it back with: rm -f {} && git update-ref {} {}", last,
        quote_argv({file}), branch.str(), last);
  }
  return fail(Code::kCorrupt, fmt::format("{} {}", branch.str(), what), std::move(hint));
}

// Deleted, and the log had it at `known`.
std::unexpected<Error> gone(const Context& context, const RefName& branch, const Oid& known) {
  std::string what = "the branch " + branch.str() + " does not exist any more";
  if (context.hub) what += " on the hub " + context.hub->remote;
  std::string hint = "name another with --onto BRANCH";
  if (!known.empty() && !context.hub) {
    hint = fmt::format("bring it back with: git update-ref {} {}", branch.str(), known.str());
  }
  if (!known.empty() && context.hub) {
    const auto here = context.repository->objects().contains(known);
    hint = fmt::format("bring it back with: git push {} {}:{}", context.hub->remote, known.str(),
                       branch.str());
    if (!here || !*here) hint += ", in a clone that has that commit";
  }
  return fail(Code::kNotFound, std::move(what), std::move(hint));
}

// The checkout, if it is still there and still on the branch that lands.
Result<bool> still_on(const Context& context, const repo::CheckoutMove& move,
                      const RefName& branch) {
  for (const repo::CheckoutPlace& place : TRY(context.repository->checkouts())) {
    if (place.git_dir == move.place.git_dir && place.branch == branch) return true;
  }
  return false;
}

// Only what the branch still has as it landed: a commit made on top since may have changed the
// rest, and moving those files would undo it in the checkout.
Result<repo::CheckoutMove> still_wanted(const Context& context, repo::CheckoutMove move,
                                        const Oid& head) {
  if (head == move.new_commit) return move;
  const repo::Objects& objects = context.repository->objects();
  const Oid tree = TRY(objects.tree_of(head));
  Changes files;
  for (PathChange& change : move.files) {
    if (TRY(objects.entry_at(tree, change.path)) == change.after)
      files.push_back(std::move(change));
  }
  move.files = std::move(files);
  return move;
}

// Whoever landed it may have died before its hook heard how it ended; that may be the second time
// it hears it. What it answers changes nothing of it.
Status tell_ref_hook(const Context& context, const store::PreparedLanding& landing,
                     const ResolveHow& how, repo::RefStep step) {
  if (how.as == ResolveAs::kLander) return {};
  const repo::RefUpdate move{
      .ref = landing.branch, .expected = landing.old_head, .desired = landing.new_head};
  TRY(unless(Code::kRefused, gates::run_ref_hook(context.gates, move, step, landing.txn)));
  return fp_hook_told.hit();
}

Result<Resolution> finish_landed(const Context& context, const store::PreparedLanding& landing,
                                 const ResolveHow& how, const Oid& head) {
  TRY(fp_landed_found.hit());
  Resolution resolution = resolved_as(Resolution::How::kLanded, landing,
                                      "the branch has moved and the log does not say so");
  TRY(context.repository->refs().sync_directory(landing.branch));
  TRY(fp_landed_synced.hit());
  for (repo::CheckoutMove& move : TRY(recorded_moves(landing))) {
    if (!TRY(still_on(context, move, landing.branch))) {
      TRY(repo::discard_checkout(landing.txn, move));
      continue;
    }
    const repo::CheckoutMove wanted = TRY(still_wanted(context, std::move(move), head));
    repo::MoveReport report = TRY(repo::resume_checkout(*context.repository, landing.txn, wanted));
    for (std::string& path : report.left_to_person) {
      resolution.left_to_person.push_back(std::move(path));
    }
  }
  TRY(forget_push(context, landing.txn));
  TRY(tell_ref_hook(context, landing, how, repo::RefStep::kCommitted));
  TRY(fp_landed_checkout.hit());
  TRY(context.store->append({events::transaction_landed(landing, resolution.left_to_person)}));
  TRY(fp_landed_done.hit());
  return resolution;
}

Result<Resolution> give_up(const Context& context, const store::PreparedLanding& landing,
                           const ResolveHow& how, const std::optional<Oid>& head) {
  TRY(fp_lost_found.hit());
  const bool stayed = head && *head == landing.old_head;
  Resolution resolution = resolved_as(Resolution::How::kLost, landing,
                                      !how.refused.empty() ? how.refused
                                      : stayed             ? "prepared, the branch had not moved"
                                               : "prepared, the branch was moved elsewhere");
  TRY(context.repository->refs().remove_own_lock(landing.branch, landing.new_head));
  TRY(fp_lost_ref_lock.hit());
  if (INJECTED_BUG("land.recovery_moves_ref")) {
    TRY(context.repository->refs().update(
        {landing.branch, head.value_or(Oid()), landing.new_head, "", "", 1000}));
  }
  for (const repo::CheckoutMove& move : TRY(recorded_moves(landing))) {
    TRY(repo::discard_checkout(landing.txn, move));
  }
  TRY(tell_ref_hook(context, landing, how, repo::RefStep::kAborted));
  TRY(fp_lost_checkout.hit());
  TRY(context.store->append({events::landing_lost(landing, resolution.found)}));
  TRY(fp_lost_done.hit());
  return resolution;
}

// Resolves what is unresolved on the branch, with the lock taken; false: somebody alive is at it.
Result<std::optional<Resolution>> resolve_branch(const Context& context, const RefName& branch,
                                                 std::int64_t lock_ms) {
  auto lock = context.store->locks().acquire(landing_lock_name(branch), lock_ms);
  const bool ignored = INJECTED_BUG("land.no_locks");
  if (!ignored && !TRY(unless(Code::kBusy, std::move(lock)))) return std::nullopt;
  const auto state = TRY(context.store->branch(branch));
  if (!state || !state->prepared) return std::nullopt;
  auto resolution = resolve(context, *state->prepared);
  // A lock of a server may be lost while we ask a hub: then somebody else was faster.
  if (context.hub) return unless(Code::kStale, std::move(resolution));
  return TRY(std::move(resolution));
}

std::string describe_author(const Context& context, const Oid& before, const Oid& after) {
  const repo::Objects& objects = context.repository->objects();
  std::string who = "nobody: the branch was deleted";
  if (!after.empty()) {
    const auto commit = objects.commit(after);
    who = commit ? who_of(commit->author) : "unknown";
    const auto forward = before.empty() ? Result<bool>(true) : objects.is_ancestor(before, after);
    if (!forward || !*forward) who += " (rewrote history)";
  }
  return who;
}

// Records that somebody else moved the branch; false when the log has changed meanwhile. What git
// wrote is synced first, because git does not: the log's last value is what a person puts back
// after a power cut, so it must be there then.
Result<bool> record_outside(const Context& context, const RefName& branch, const Oid& before,
                            const Oid& after) {
  TRY(fp_outside_found.hit());
  if (INJECTED_BUG("land.no_outside_move")) return true;
  std::vector<NewEvent> told{
      events::outside_move(branch, before, after, describe_author(context, before, after))};
  if (!after.empty() && !context.hub) {  // a hub is not ours to sync
    const std::vector<Oid> durable = TRY(durable_heads(context, branch));
    TRY_IN("making " + branch.str() + " durable",
           context.repository->objects().make_durable(after, durable));
    told.push_back(events::durable_head(branch, after));
  }
  if (!TRY(unless(Code::kStale, context.store->append(told)))) return false;
  TRY(fp_outside_done.hit());
  return true;
}

// "git-txn t-1 <new commit>", as repo/ writes it into an index.lock.
std::optional<std::pair<TxnId, Oid>> owner_of_lock(const std::string& path) {
  const auto text = read_file(path, kMaxLockBytes);
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  std::string word, txn, commit;
  if (!(words >> word >> txn >> commit) || word != "git-txn" || !repo::is_oid(commit)) {
    return std::nullopt;
  }
  return std::pair(TxnId(txn), Oid(commit));
}

// An index.lock of a landing that died between taking it and LandingPrepared: the log knows nothing
// of it, and git would be locked out for ever. It is taken under the landing lock, so when that is
// free (and the landing not unresolved) nobody alive holds it.
Status remove_stray_lock(const Context& context, const repo::CheckoutPlace& place,
                         RecoveryReport& report) {
  const std::string path = place.git_dir + "/index.lock";
  const auto owner = owner_of_lock(path);
  if (!owner) return {};
  const auto txn = TRY(context.store->txn(owner->first));
  if (!txn) return {};
  const auto lock =
      TRY(unless(Code::kBusy, context.store->locks().acquire(landing_lock_name(txn->target), 0)));
  if (!lock) return {};
  const auto state = TRY(context.store->branch(txn->target));
  if (state && state->prepared) return {};
  if (owner_of_lock(path) != owner) return {};
  TRY(repo::discard_checkout(owner->first, {.place = place, .new_commit = owner->second}));
  report.items.push_back(
      {owner->first, "an index.lock of a landing that never began", "removed; nothing had moved"});
  return {};
}

Status recover_branch(const Context& context, const store::BranchState& known,
                      RecoveryReport& report) {
  if (known.prepared) {
    const auto done = TRY(resolve_branch(context, known.branch, 0));
    if (done) report.items.push_back({done->txn, done->found, done->done});
  }
  // What others pushed to a hub is seen when it is next asked, by a command that needs it.
  if (context.hub) return {};
  const auto state = TRY(context.store->branch(known.branch));
  if (!state || state->prepared) return {};  // in progress
  const Oid head = TRY(head_of(context, known.branch)).value_or(Oid());
  if (head == state->head) return {};
  if (TRY(record_outside(context, known.branch, state->head, head))) {
    report.outside_moves.push_back(
        fmt::format("{} {} -> {}", known.branch.str(), short_oid(state->head), short_oid(head)));
  }
  return {};
}

Status recover_checkout(const Context& context, const repo::CheckoutPlace& place,
                        RecoveryReport& report) {
  TRY(remove_stray_lock(context, place, report));
  for (const repo::LateSave& save : TRY(repo::find_late_saves(place))) {
    report.items.push_back({TxnId(),
                            "an editor saved " + save.path + " after a landing had moved it",
                            "those bytes are kept at " + save.kept});
  }
  return {};
}

}  // namespace

Resolution resolved_as(Resolution::How how, const store::PreparedLanding& landing,
                       std::string found) {
  return {how, landing.txn, std::move(found),
          how == Resolution::How::kLanded
              ? "landed " + short_oid(landing.new_head)
              : "given up; the work is kept, land it with: git txn commit " + landing.txn.str()};
}

Result<bool> has(const Context& context, const Oid& head, const Oid& commit) {
  const repo::Objects& objects = context.repository->objects();
  if (head.empty() || !TRY(objects.contains(commit))) return false;
  // A landing tells the log while its objects are on their way to the disk, and moves the branch
  // afterwards: what a power cut has left a part of was never on the branch.
  if (head != commit && !objects.commit(commit) && objects.commit(head)) return false;
  return objects.is_ancestor(commit, head);
}

Result<std::vector<repo::CheckoutMove>> recorded_moves(const store::PreparedLanding& landing) {
  const Json recorded = TRY(events::landing_checkout(landing.payload));
  std::vector<repo::CheckoutMove> moves;
  for (const Json& move : recorded) moves.push_back(TRY(repo::checkout_move_from_json(move)));
  return moves;
}

Result<std::optional<Oid>> head_of(const Context& context, const RefName& branch) {
  if (context.hub) {
    HubState hub = TRY(ask_hub(context, branch));
    return hub.head.empty() ? std::optional<Oid>{} : std::optional<Oid>(std::move(hub.head));
  }
  auto head = context.repository->refs().read(branch);
  if (!head && head.error().code == Code::kCorrupt) {
    return damaged(context, branch, "is damaged: " + head.error().message);
  }
  std::optional<Oid> there = TRY(if_there(std::move(head)));
  if (there && !TRY(context.repository->objects().contains(*there))) {
    return damaged(context, branch, "names " + there->str() + ", which is not in the repository");
  }
  return there;
}

Result<Resolution> resolve(const Context& context, const store::PreparedLanding& landing,
                           const ResolveHow& how) {
  if (!landing.fence.empty()) return resolve_on_hub(context, landing);
  const std::optional<Oid> head = TRY(head_of(context, landing.branch));
  const bool landed = TRY(has(context, head.value_or(Oid()), landing.new_head));
  return landed ? finish_landed(context, landing, how, *head)
                : give_up(context, landing, how, head);
}

Result<Oid> checkpoint(const Context& context, const RefName& branch) {
  for (int i = 0; i < kCheckpointTries; ++i) {
    auto state = TRY(context.store->branch(branch));
    if (state && state->prepared) {
      TRY(resolve_branch(context, branch, kLandingLockMs));
      continue;
    }
    const Oid known = state ? state->head : Oid();
    const std::optional<Oid> head = TRY(head_of(context, branch));
    if (!head) {
      if (state && !known.empty()) TRY(record_outside(context, branch, known, Oid()));
      return gone(context, branch, known);
    }
    if (state && known == *head) return *head;
    if (TRY(record_outside(context, branch, known, *head))) return *head;
  }
  return fail(Code::kBusy, branch.str() + " keeps moving", "try again in a moment");
}

Result<Oid> current_head(const Context& context, const RefName& branch) {
  auto state = TRY(context.store->branch(branch));
  if (state && state->prepared) {
    // Busy: the person holds the index of the checkout that would have to be finished.
    TRY(unless(Code::kBusy, resolve_branch(context, branch, 0)));
    state = TRY(context.store->branch(branch));
  }
  if (!state || !state->prepared) return checkpoint(context, branch);
  const std::optional<Oid> head = TRY(head_of(context, branch));
  if (!head) return fail(Code::kBusy, branch.str() + " is being moved", "try again in a moment");
  return *head;
}

Result<RecoveryReport> recover(const Context& context) {
  RecoveryReport report;
  for (const store::BranchState& branch : TRY(context.store->branches())) {
    Status status = recover_branch(context, branch, report);
    if (!status) report.stops.push_back(std::move(status).error());
  }
  for (const repo::CheckoutPlace& place : TRY(context.repository->checkouts())) {
    Status status = recover_checkout(context, place, report);
    if (!status) report.stops.push_back(std::move(status).error().in(place.worktree));
  }
  return report;
}

}  // namespace gittxn::land
