// The passes of a landing that talk to a remote: see remote.h for what each answer means.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/if_there.h"
#include "gates/gate.h"
#include "land/judge/phase.h"
#include "land/landing.h"
#include "land/publish.h"
#include "land/recover.h"
#include "store/events.h"

namespace gittxn::land {

namespace events = store::events;

// The branch is brought to what the remote has before anything is certified, as a pull would.
Result<Step> Landing::meet_remote(Round& round) {
  const Oid& local = round.head;
  pushed_.reset();
  remote_ = TRY(remote_rule(context_, work_.txn));
  if (remote_.how == RemoteRule::How::kLocal) {
    TRY(forget_push(context_, id()));  // whoever set it so knows what the remote has
    return go_on();
  }
  say("asking " + remote_.remote.name);
  const RemoteAnswer answer = TRY(ask_remote(context_, remote_));
  if (!answer.reached)
    return wait_for(WaitReason::kNoAnswer, remote_.remote.name + ": " + answer.why);
  remote_head_ = answer.head;
  if (remote_.how == RemoteRule::How::kBranch) return go_on();
  const repo::Objects& objects = context_.repository->objects();
  Oid wanted = remote_head_;
  if (const auto earlier = TRY(pushed_commit(context_, id()))) {
    const bool there = TRY(has(context_, remote_head_, *earlier));
    // A pull may have brought it here; then there is nothing left to land.
    const bool here = there && TRY(objects.is_ancestor(*earlier, local));
    if (!there || here) TRY(forget_push(context_, id()));
    if (here) return merged(*earlier, "it was pushed, and a pull has brought it here");
    // Its own landing is what brings the branch from the parent to it.
    if (there && !here) {
      pushed_ = earlier;
      wanted = TRY(objects.commit(*earlier)).parents.at(0);
    }
  }
  if (wanted.empty() || wanted == local) return go_on();
  if (TRY(objects.is_ancestor(wanted, local))) {
    return wait_for(WaitReason::kUnpushed,
                    fmt::format("git push {} {}", remote_.remote.name, work_.txn.target.str()));
  }
  if (!TRY(objects.is_ancestor(local, wanted))) {
    return wait_for(WaitReason::kDiverged, fmt::format("git pull {}", remote_.remote.name));
  }
  const auto refused = TRY(fast_forward(context_, work_.txn.target, local, wanted));
  if (refused) return wait_for(WaitReason::kBehind, *refused);
  return moved();
}

// Somebody has rewritten the branch since the last landing: what had landed may be gone from it,
// and nobody else says so.
Status Landing::tell_rewound() {
  constexpr Seq kEventsLookedAt = 2000;
  const RefName& branch = work_.txn.target;
  const Seq after = std::max<Seq>(0, TRY(store().head()) - kEventsLookedAt);
  std::vector<store::LandedRow> rows = TRY(store().landed_since(branch, after));
  std::ranges::sort(rows, std::greater{}, &store::LandedRow::seq);
  const repo::Objects& objects = context_.repository->objects();
  for (const store::LandedRow& row : rows) {
    if (row.txn == id()) continue;
    if (!row.txn.empty()) break;
    if (row.old_head.empty() || row.new_head.empty()) continue;
    const auto forward = objects.is_ancestor(row.old_head, row.new_head);
    if (forward && *forward) continue;
    const std::string where = context_.hub ? " on " + context_.hub->remote : "";
    outcome_.notes.push_back(fmt::format(
        "{}{} was rewound from {} to {} since the last landing; what it has lost: git log {}..{}",
        branch.str(), where, row.old_head.str().substr(0, 7), row.new_head.str().substr(0, 7),
        row.new_head.str().substr(0, 10), row.old_head.str().substr(0, 10)));
  }
  return {};
}

// Its change is on the branch by what somebody else did. Certified again it would meet itself.
Result<Step> Landing::merged(const Oid& commit, std::string_view how) {
  outcome_.result = LandResult::kNothing;
  outcome_.commit = commit;
  TRY(store().append({events::nothing(id(), std::string(how), commit)}));
  return done();
}

Status Landing::remember_pull_request(const Oid& commit) {
  const repo::Refs& refs = context_.repository->refs();
  const RefName ref = pull_ref(id());
  const Oid before = TRY(if_there(refs.read(ref))).value_or(Oid());
  if (before == commit) return {};
  return refs.update({.ref = ref, .expected = before, .desired = commit});
}

// Merged there, and the branch here does not have it: pushed again it would only ask a second time.
Result<Step> Landing::not_pulled_yet(const Oid& pushed) {
  RemoteRule target = remote_;
  target.ref = work_.txn.target;
  const RemoteAnswer answer = TRY(ask_remote(context_, target));
  if (!answer.reached || answer.head.empty()) return go_on();
  if (!TRY(merged_as(context_, id(), pushed, answer.head))) return go_on();
  return Step{Step::Kind::kExpired,
              {WaitReason::kMergedThere, fmt::format("git pull {}", remote_.remote.name)}};
}

// Somebody may have deleted the branch after merging it, or pushed to it: then it is theirs.
Status Landing::drop_pull_branch(const Oid& pushed) {
  const std::string name = fmt::format("{} {}", remote_.remote.name, remote_.ref.str());
  if (remote_head_.empty()) return {};
  if (remote_head_ != pushed) {
    outcome_.notes.push_back(name + " has commits of somebody else's, and stays");
    return {};
  }
  const PushAnswer answer =
      TRY(push_refs(context_, remote_.remote, {{remote_.ref, remote_head_, Oid()}}));
  outcome_.notes.push_back(answer.how == PushAnswer::How::kDone
                               ? name + " was deleted"
                               : fmt::format("{} stays: {}", name, answer.why));
  return {};
}

// A pull request of an earlier landing of it.
Result<Step> Landing::meet_pull_request(Round& round) {
  const auto pushed = TRY(if_there(context_.repository->refs().read(pull_ref(id()))));
  if (!pushed) return go_on();
  const auto as = TRY(merged_as(context_, id(), *pushed, round.head));
  const bool asks = remote_.how == RemoteRule::How::kBranch;
  if (!as) return asks ? not_pulled_yet(*pushed) : Result<Step>(go_on());
  if (asks) TRY(drop_pull_branch(*pushed));
  return merged(*as, "its pull request was merged");
}

// The remote has it since a landing that was stopped. It was certified on what the remote had, and
// seen by the gates: it lands here as it is.
Result<Step> Landing::land_pushed(Round& round) {
  if (!pushed_) return go_on();
  drop_phase_reads(work_.footprint.reads);
  round.candidate = TRY(candidate_of(context_, work_, *pushed_));
  const Step step = TRY(look(round));
  if (step.kind != Step::Kind::kGoOn) return step;
  outcome_.notes.push_back(remote_.remote.name + " had it already");
  return publish(round);
}

Result<Step> Landing::push(Round& round) {
  TRY(check_interrupted());
  const Candidate& candidate = round.candidate;
  if (remote_.how == RemoteRule::How::kLocal) return go_on();
  if (const auto evidence = gates::not_in_log(outcome_.gates); !evidence.empty()) {
    TRY(store().append(evidence));
    for (gates::GateReport& report : outcome_.gates) report.in_log = true;
  }
  say("pushing to " + remote_.remote.name);
  TRY(context_.repository->objects().make_durable(candidate.oid, {candidate.head}));
  PushAnswer answer = TRY(push_commit(context_, id(), remote_, remote_head_, candidate.oid));
  const std::string subject = remote_.remote.name + ": " + answer.why;
  using enum PushAnswer::How;
  if (answer.how == kMoved) return moved();
  if (answer.how == kRefused) return wait_for(WaitReason::kRemoteRefuses, subject);
  if (answer.how == kUnknown) return wait_for(WaitReason::kNoAnswer, subject);
  if (remote_.how == RemoteRule::How::kPush) return go_on();
  TRY(remember_pull_request(candidate.oid));
  TRY(forget_push(context_, id()));
  // Nothing here ends that wait: what is merged there comes back with the branch.
  return Step{
      Step::Kind::kExpired,
      {WaitReason::kPullRequest, fmt::format("{} {}", remote_.remote.name, remote_.ref.str())}};
}

}  // namespace gittxn::land
