// The verbs of the hammer that other areas of the kernel decide: proposals, portfolios and what is
// relayed to their members, compensations, workflows beyond their moves, summaries, and a limit on
// how many may be alive.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bug.h"
#include "hammer/worker.h"
#include "store/events.h"
#include "store/log/feed.h"
#include "store/log/pruning.h"
#include "store/server/locks.h"
#include "store/work/compensations.h"
#include "store/work/portfolio.h"
#include "store/work/portfolio_relay.h"
#include "store/work/proposals.h"
#include "store/work/workflows.h"

namespace gittxn::hammer {
namespace {

constexpr int kMembers = 4;
constexpr int kNewWorkflows = 200;
constexpr int kMostTold = 20;

store::RulesNow rules() {
  return [] { return Result<ProposalRules>(ProposalRules{}); };
}

// The same words for the same topic, and other words for another.
std::string words_about(std::uint64_t topic) {
  Random words(topic + 1);
  constexpr int kWords = 9;
  constexpr int kLetters = 7;
  std::string text = "about";
  for (int i = 0; i < kWords; ++i) text += " " + words.name(kLetters);
  return text;
}

}  // namespace

Status Worker::propose(Operation& op) {
  const store::ProposalRequest request{
      .text = words_about(random_.below(kTopics)),
      .score = static_cast<int>(random_.below(store::kMaxScore + 1)),
      .source = op.tag,
      .actor = "hammer"};
  const auto answer = TRY(store::propose(*store_, request, rules()));
  op.facts["on"] = answer.proposal.id;
  return made(op);
}

// One with no id when there is none yet.
Result<store::Proposal> Worker::some_proposal() {
  const std::vector<store::Proposal> all = TRY(store::proposals(*store_));
  if (all.empty()) return store::Proposal();
  return all[random_.below(all.size())];
}

Status Worker::promote(Operation& op) {
  store::PromoteRequest request;
  request.id = TRY(some_proposal()).id;
  if (request.id.empty()) return {};
  request.yes = std::array{store::Yes::kItself, store::Yes::kPerson,
                           store::Yes::kOverride}[random_.below(8) / 3];
  if (request.yes == store::Yes::kOverride) request.reason = "because";
  if (random_.below(2) == 0) request.became = fmt::format("txn:{}", kShared);
  request.actor = op.tag;
  const auto answer = store::promote(*store_, request, rules());
  TRY(answered(op, answer, {Code::kStale}));
  if (answer && answer->promoted) op.facts["promoted"] = request.id;
  return {};
}

Status Worker::dismiss(Operation& op) {
  const std::string id = TRY(some_proposal()).id;
  if (id.empty()) return {};
  return answered(op, store::dismiss(*store_, {id, "not now", op.tag}), {Code::kStale});
}

Status Worker::link(Operation& op) {
  const store::Proposal one = TRY(some_proposal());
  // The same link again is no event; this one is nobody else's.
  const std::string became = fmt::format("issue-{}.{}", who_.place, random_.below(3));
  const bool again = std::ranges::find(one.became, became) != one.became.end();
  if (one.id.empty() || again) return {};
  return answered(op, store::link(*store_, {one.id, became, op.tag, {}}), {Code::kStale});
}

// Repositories that need each other, as long as it is no circle.
Status Worker::set_member(Operation& op) {
  const std::uint64_t which = random_.below(kMembers);
  store::Member member;
  member.name = fmt::format("m-{}", which);
  member.log = fmt::format("urn:uuid:{}", which);
  member.place = "/somewhere/" + op.tag;
  for (std::uint64_t other = 0; other < kMembers; ++other) {
    if (random_.below(4) == 0) member.needs.push_back(fmt::format("m-{}", other));
  }
  return answered(op, store::set_member(*store_, member, op.tag), {Code::kUsage, Code::kExists});
}

Status Worker::remove_member(Operation& op) {
  const std::string name = fmt::format("m-{}", random_.below(kMembers));
  return answered(op, store::remove_member(*store_, name, op.tag),
                  {Code::kNotFound, Code::kRefused});
}

Result<Relaying> relay_some(store::Store& home, store::Store& member, int most) {
  const std::string source = TRY(store::log_uri(home));
  const auto types = store::relayed_types();
  const store::EventFilter filter{{types.begin(), types.end()}, {}};
  const Seq from = TRY(store::relayed_until(member, source)) + 1;
  const Seq begin = std::max(from, TRY(store::pruned_until(home)) + 1);
  store::EventBatch batch = TRY(store::read_batch(home, begin, filter, most));
  Relaying done;
  done.left = batch.at_end ? 0 : 1;
  if (!batch.events.empty()) {
    done.told = TRY(store::relay(member, source, "/somewhere", batch.events));
  }
  for (const store::Member& one : TRY(store::members(home))) {
    TRY(store::told_until(home, one, from - 1, batch.seen));
  }
  return done;
}

Status Worker::relay(Operation& op) {
  const auto done = relay_some(*store_, *member_, 1 + static_cast<int>(random_.below(kMostTold)));
  // What was pruned while it was looked for had been told by somebody.
  if (!done) return refused(done.error(), {Code::kStale});
  op.facts["told"] = done->told;
  return made(op);
}

// Of an effect outside of the repository, while the transaction is worked on.
Status Worker::promise_undo(Operation& op) {
  if (!mine_) return {};
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    const auto txn = TRY(view.txn(*mine_));
    if (!txn || txn->state != TxnState::kOpen) return fail(Code::kStale, "it is not open");
    std::vector<NewEvent> events;
    Compensation undo;
    undo.attempt = static_cast<int>(txn->attempts.size());
    if (undo.attempt == 0) {
      Attempt first;
      first.number = undo.attempt = 1;
      first.base = Oid(fmt::format("{:040x}", 1));
      events.push_back(store::events::attempt_started(*mine_, first));
    }
    undo.number = static_cast<int>(TRY(store::compensations(view, *mine_)).size()) + 1;
    if (undo.number > store::kMaxCompensations) return fail(Code::kStale, "it has enough");
    undo.name = op.tag;
    undo.argv = {"make", "down"};
    events.push_back(store::events::compensation_registered(*mine_, undo));
    return events;
  };
  return appended(op, store_->decide(decision));
}

// The last effect that has not been undone, of some transaction that is over; whoever holds it
// is at it alone, and a run that has begun without an end is of a process that died.
Status Worker::undo(Operation& op) {
  const std::vector<TxnId> owing = TRY(store::owing_compensation(*store_));
  if (owing.empty()) return {};
  const TxnId& id = owing[random_.below(2) == 0 ? 0 : random_.below(owing.size())];
  store::Lock held;
  if (!INJECTED_BUG("hammer.no_hold")) {
    auto lock = store_->locks().acquire("undo-" + id.str(), 0);
    if (!lock) return refused(lock.error(), {Code::kBusy});
    held = *std::move(lock);
  }
  const Witness alone = TRY(Witness::enter(world_, "undo-" + id.str(), Witness::As::kAlone));
  const std::vector<Compensation> all = TRY(store::compensations(*store_, id));
  const auto last =
      std::find_if(all.rbegin(), all.rend(), [](const Compensation& one) { return !one.ended; });
  if (last == all.rend()) return {};
  const store::events::CompensationRun run{.number = last->number, .run = last->runs + 1};
  TRY(appended(op, store_->append({store::events::compensation_started(id, run.number, run.run)})));
  if (op.ended != Ended::kMade) return {};  // it was taken up again
  op.facts["run"] = fmt::format("{}.{}.{}", id.str(), run.number, run.run);
  clock_.sleep_ms(static_cast<std::int64_t>(random_.below(3)));
  TRY(store_->append({store::events::compensation_ended(id, run)}));
  return {};
}

Status Worker::create_workflow(Operation& op) {
  Workflow workflow;
  workflow.id = WorkflowId(fmt::format("w-x{}", random_.below(kNewWorkflows)));
  workflow.name = "feature";
  workflow.branch = RefName("refs/heads/h-1");
  workflow.phases = {{.name = "plan", .state = PhaseState::kOpen}, {.name = "build"}};
  workflow.actor = op.tag;
  return appended(op, store_->append({store::events::workflow_created(workflow)}));
}

// Into the phase that is open now.
Status Worker::carry(Operation& op) {
  const auto txn = TRY(my_txn());
  if (!txn || txn->workflow.empty()) return {};
  const WorkflowId in(txn->workflow);
  const auto now = TRY(store::workflow(*store_, in));
  if (!now || now->open() == nullptr) return {};
  const Phase& open = *now->open();
  const PhaseMember member{in, open.name, now->version, open.version, Digest(op.tag)};
  return appended(op, store_->append({store::events::phase_carried(*mine_, member)}));
}

Status Worker::evaluate(Operation& op) {
  const auto now = TRY(some_workflow());
  if (!now || now->open() == nullptr) return {};
  PhaseEvidence evidence;
  evidence.phase = now->open()->name;
  evidence.version = now->open()->version;
  evidence.gate = GateName("written");
  evidence.kind = PhaseGate::Kind::kArtifact;
  evidence.head = Oid(fmt::format("{:040x}", 1));
  evidence.passed = random_.below(2) == 0;
  evidence.why = op.tag;
  return appended(op, store_->append({store::events::phase_evaluated(now->id, evidence)}));
}

Status Worker::summarize(Operation& op) {
  const std::string name = fmt::format("summary-{}", random_.below(kSummaryNames));
  const Digest text = TRY(store_->put_artifact("the summary of " + op.tag));
  op.facts["artifact"] = text.str();
  return appended(op, store_->append({store::events::summary_added({name, text, TxnId(op.tag)})}));
}

// As many as there may be, and who comes when they are there sends one away.
Status Worker::join_crowd(Operation& op) {
  Txn txn = new_txn(TxnId("y" + op.tag), op.tag, branch());
  txn.owner = kCrowdOwner;
  const store::TxnFilter alive{{TxnState::kOpen}, 0};
  std::vector<TxnId> there;
  const auto room = [&](const store::View&) -> Status {
    there.clear();
    for (const Txn& one : TRY(store_->txns(alive))) {
      if (one.owner == kCrowdOwner) there.push_back(one.id);
    }
    if (there.size() < kCrowd) return {};
    return fail(Code::kBusy, "there are as many as there may be");
  };
  const Result<Seq> begun = store_->append({store::events::txn_begun(txn)}, room);
  const bool full = !begun && begun.error().code == Code::kBusy && there.size() >= kCrowd;
  if (!full) return appended(op, begun);
  const NewEvent away = store::events::aborted(there[random_.below(there.size())], "room", "crowd");
  const Result<Seq> gone = store_->append({away});
  return gone ? Status() : refused(gone.error(), {Code::kStale});
}

}  // namespace gittxn::hammer
