// The verbs of the hammer that are more than one append: turns, leases, sentinels, budgets,
// consumers, handlers, pruning, and looking.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "hammer/worker.h"
#include "land/land.h"
#include "land/turn.h"
#include "store/events.h"
#include "store/log/consumers.h"
#include "store/log/feed.h"
#include "store/log/handlers.h"
#include "store/log/pruning.h"
#include "store/sentinels.h"
#include "store/work/budgets.h"
#include "store/work/workflows.h"

namespace gittxn::hammer {
namespace {

constexpr std::int64_t kTurnMs = 20'000;
constexpr std::int64_t kAttachedMs = 3'600'000;  // no stop of a process is as long
constexpr std::int64_t kDetachedMs = 150;        // whoever is killed with it holds others up
constexpr int kTries = 40;
constexpr std::int64_t kPauseMs = 3;
constexpr Seq kKept = 300;  // events that are not pruned

// Of one step of an operation: its time is a sample of its own.
template <typename Step>
auto timed(Operation& op, const Clock& clock, const char* name, Step step) {
  const std::int64_t begun = clock.monotonic_ns();
  auto result = step();
  op.facts[std::string(name) + "_ns"] = clock.monotonic_ns() - begun;
  return result;
}

}  // namespace

Status Worker::land(Operation& op) {
  const auto txn = TRY(my_txn());
  if (!txn || txn->state != TxnState::kPrepared) return {};
  return land_in_turn(op, *txn);
}

Status Worker::land_in_turn(Operation& op, const Txn& txn) {
  land::Context context;
  context.store = store_.get();
  context.clock = &clock_;
  context.random = &random_;
  land::Wait waited;
  land::TurnOptions options;
  options.wait_ms = kTurnMs;
  auto turn =
      timed(op, clock_, "turn", [&] { return land::Turn::take(context, txn, options, &waited); });
  if (!turn) return refused(turn.error(), {Code::kStale});  // somebody meddled
  if (!*turn) return fail(Code::kBusy, "the turn on " + txn.target.str() + " did not come");
  Status ended;
  {
    const Witness alone =
        TRY(Witness::enter(world_, "turn-" + base_name(txn.target.str()), Witness::As::kAlone));
    const auto branch = TRY(store_->branch(txn.target));
    if (branch->prepared) {  // of somebody who was killed here
      TRY(store_->append({store::events::landing_lost(*branch->prepared, "killed")}));
    }
    const Oid commit(fmt::format("{:040x}", random_.next()));
    store::PreparedLanding landing{.txn = txn.id,
                                   .branch = txn.target,
                                   .old_head = branch->head,
                                   .new_head = commit,
                                   .tree = commit};
    const auto prepared = timed(op, clock_, "prepare", [&] {
      return store_->append({store::events::landing_prepared(landing, {}, Json::array())});
    });
    if (prepared) {
      landing = *TRY(store_->branch(txn.target))->prepared;
      std::vector<NewEvent> landed{store::events::transaction_landed(landing, {op.tag})};
      const std::vector<NewEvent> closing = (*turn)->closing();
      landed.insert(landed.end(), closing.begin(), closing.end());
      TRY(appended(op, timed(op, clock_, "landed", [&] { return store_->append(landed); })));
      if (op.ended != Ended::kMade) return fail(Code::kCorrupt, "a prepared landing went stale");
      op.seq -= static_cast<Seq>(closing.size());
      (*turn)->closed();
      mine_.reset();
      return {};
    }
    // In the turn nobody else moves the branch; the transaction may have been ended by a meddler.
    const auto now = TRY(store_->txn(txn.id));
    const bool meddled =
        prepared.error().code == Code::kStale && now && now->state != TxnState::kPrepared;
    if (!meddled) return std::unexpected(prepared.error());
  }
  return (*turn)->release(*store_);
}

Status Worker::lease(Operation& op) {
  const std::string part = fmt::format("p{}", random_.below(kParts));
  store::LeaseAsk ask;
  ask.subjects = {TRY(store::parse_lease_subject(part))};
  ask.owner = op.tag;
  ask.sharing = random_.below(3) == 0 ? store::Sharing::kShared : store::Sharing::kExclusive;
  const bool attached = random_.below(4) != 0;
  ask.attach = attached ? store::LeaseAsk::Attach::kAttached : store::LeaseAsk::Attach::kDetached;
  ask.ttl_ms = attached ? kAttachedMs : kDetachedMs;
  const auto line = random_.below(3) == 0 ? store::Line::kGoAway : store::Line::kQueue;
  op.facts["on"] = part;
  store::LeaseAnswer answer =
      TRY(timed(op, clock_, "ask", [&] { return store::ask_lease(*store_, ask, line); }));
  if (answer.lease.id.empty()) return {};
  op.ended = Ended::kMade;
  op.seq = answer.lease.number;
  for (int i = 0; i < kTries && !answer.lease.held; ++i) {
    clock_.sleep_ms(kPauseMs);
    TRY(store::try_lease(*store_, ask, answer));
  }
  return hold(op, ask, std::move(answer), part);
}

Status Worker::hold(Operation& op, const store::LeaseAsk& ask, store::LeaseAnswer answer,
                    const std::string& part) {
  const std::string id = answer.lease.id;
  const bool attached = ask.attach == store::LeaseAsk::Attach::kAttached;
  if (answer.lease.held && attached) {
    const auto as =
        ask.sharing == store::Sharing::kShared ? Witness::As::kTogether : Witness::As::kAlone;
    const Witness there = TRY(Witness::enter(world_, "lease-" + part, as));
    clock_.sleep_ms(static_cast<std::int64_t>(random_.below(4)));
    if (random_.below(3) == 0) TRY(store::renew_lease(*store_, id, op.tag, {}));
  }
  std::string owner = op.tag;
  // Handed on it is detached, and would outlive a kill for as long as it was asked for.
  if (answer.lease.held && !attached && random_.below(3) == 0) {
    owner += "-b";
    const auto given = store::transfer_lease(*store_, id, op.tag, owner);
    if (!given) return refused(given.error(), {Code::kStale});
  }
  const Status released = timed(op, clock_, "release",
                                [&] { return store::release_lease(*store_, id, owner, op.tag); });
  // A detached one may be over by now; nobody takes one from a live attached owner.
  return released || attached ? released : refused(released.error(), {Code::kStale});
}

Status Worker::pass(Operation& op) {
  const std::string name = fmt::format("s{}", random_.below(kSentinels));
  op.facts["on"] = name;
  const auto answer = TRY(store::pass_sentinel(*store_, clock_, name, kEveryMs));
  if (answer.passing == store::Passing::kPassed) op.ended = Ended::kMade;
  return {};
}

Status Worker::reset(Operation& op) {
  const std::string name = fmt::format("s{}", kSentinels - 1);
  if (TRY(store::reset_sentinel(*store_, name))) op.ended = Ended::kMade;
  return {};
}

Status Worker::budget(Operation& op) {
  const store::Scope scope{store::Scope::Of::kTxn, kShared};
  const auto kind = random_.below(2) == 0 ? store::Kind::kInput : store::Kind::kCalls;
  const auto limit = static_cast<std::int64_t>(1 + random_.below(1'000'000));
  TRY(store::set_budget(*store_, scope, kind, limit));
  return made(op);
}

Status Worker::usage(Operation& op) {
  store::UsageItem item{.id = op.tag};
  item.amounts[0] = static_cast<std::int64_t>(1 + random_.below(500));
  TRY(store::report_usage(*store_, {TxnId(kShared), store::UsageSource::kHook, {item}}));
  return made(op);
}

Status Worker::bill(Operation& op) {
  std::vector<store::Reconciled> figures{
      {.scope = {store::Scope::Of::kTxn, kShared}, .kind = store::Kind::kInput}};
  TRY(store::reconcile(*store_, figures));
  return made(op);
}

// In order and without a gap, from where the place's last process got.
Status Worker::tail(Operation& op) {
  const std::string name = fmt::format("c{}", who_.place);
  auto reader = store::usable_consumer(*store_, name);
  if (!reader && reader.error().code != Code::kUsage) return std::unexpected(reader.error());
  if (!reader) reader = TRY(store::register_consumer(*store_, {.name = name}));
  const store::EventBatch batch = TRY(store::read_batch(*store_, reader->position + 1, {}, 60));
  Seq expected = reader->position;
  for (const Event& event : batch.events) {
    if (event.seq != ++expected) {
      return fail(Code::kCorrupt, fmt::format("event {} came after {}", event.seq, expected - 1));
    }
  }
  op.facts["from"] = reader->position + 1;
  op.facts["to"] = expected;
  TRY(timed(op, clock_, "ack", [&] { return store::acknowledge(*store_, name, expected); }));
  return made(op);
}

Status Worker::come_and_go(Operation& op) {
  const std::string name = fmt::format("e{}", random_.below(3));
  const auto quicker = {Code::kUsage, Code::kStale};  // another one was
  if (random_.below(2) != 0) {
    return answered(op, store::remove_consumer(*store_, name, op.tag), quicker);
  }
  const store::Registration registration{
      .name = name, .kind = store::ConsumerKind::kEphemeral, .ttl_ms = 60'000};
  return answered(op, store::register_consumer(*store_, registration), quicker);
}

// Under the lock of whoever gives events out, so that what runs there is of a process that died.
Status Worker::handle(Operation& op) {
  auto lock = store_->locks().try_slot(store::Slots::kDeliveries, 1);
  if (!lock) return refused(lock.error(), {Code::kBusy});
  const Witness alone = TRY(Witness::enter(world_, "handler", Witness::As::kAlone));
  const auto row = TRY(store::handler(*store_, "hook"));
  using enum store::HandlerState;
  store::events::HandlerEnd end;
  end.event = row ? row->event : 1;
  end.attempt = row ? row->attempt + 1 : 1;
  if (row && row->state == kRunning) {
    end.attempt = row->attempt;
    end.state = kFailing;
    end.exit = -1;
    return appended(op, store_->append({store::events::handler_ended("hook", end)}));
  }
  if (row && row->state == kDone) {
    end.event += 1;
    end.attempt = 1;
  }
  end.state = random_.below(3) == 0 ? kFailing : kDone;
  TRY(appended(op,
               store_->append({store::events::handler_started("hook", end.event, end.attempt)})));
  if (op.ended != Ended::kMade) return {};
  op.facts["attempt"] = fmt::format("{}.{}", end.event, end.attempt);
  TRY(store_->append({store::events::handler_ended("hook", end)}));
  return {};
}

Status Worker::prune(Operation& op) {
  const Seq head = TRY(store_->head());
  if (head < 2 * kKept || random_.below(4) != 0) return {};
  const auto pruned = store::prune(
      *store_, {.before = head - kKept, .older_than_ms = std::nullopt, .actor = op.tag});
  // It says so when what holds events back changed each time that it looked.
  if (!pruned) return refused(pruned.error(), {Code::kBusy});
  if (pruned->last >= pruned->first) op.ended = Ended::kMade;
  return {};
}

Status Worker::look(Operation& op) {
  TRY(store_->txns({.states = {}, .limit = 20}));
  TRY(store_->branches());
  TRY(store_->tickets(RefName(branch())));
  TRY(store::leases(*store_));
  TRY(store::workflows(*store_));
  TRY(store::all_budgets(*store_));
  TRY(store::consumers(*store_));
  TRY(store::sentinels(*store_));
  return made(op);
}

Status Worker::verify(Operation& op) {
  if (random_.below(8) != 0) return {};  // its work grows with the log
  const store::VerifyReport report = TRY(store_->verify());
  if (!report.problems.empty()) return fail(Code::kCorrupt, report.problems.front());
  return made(op);
}

// Whole programs in between, as people and agents run them.
Status Worker::run_program(Operation& op) {
  if (world_.program.empty()) return {};
  const std::string part = fmt::format("p{}", random_.below(kParts));
  const std::vector<std::vector<std::string>> lines{
      {"status"},
      {"log"},
      {"verify"},
      {"events", "tail"},
      {"events", "consumer", "list", "--lag"},
      {"workflow", "list"},
      {"lease", "acquire", part, "--owner", op.tag, "--ttl", "200ms"},
      {"lease", "list"},
      {"sentinel", "s0", "--every", "120ms"},
      {"budget", "show"},
      {"propose", fmt::format("look at the part {} again", part), "--score", "0.6", "--source",
       op.tag},
      {"proposals"},
      {"portfolio", "status"}};
  const std::vector<std::string>& line = lines[random_.below(lines.size())];
  Command command;
  command.argv = {world_.program};
  command.argv.insert(command.argv.end(), line.begin(), line.end());
  command.cwd = world_.repository;
  command.env = world_.env;
  command.timeout_ms = 60'000;
  op.facts["of"] = line.front();
  const Output output = TRY(gittxn::run(command));
  const bool locked = output.err.find("locked") != std::string::npos;
  if (output.exit.status > 1 || output.exit.timed_out || locked) {
    return fail(Code::kCorrupt, fmt::format("git txn {}: exit {}: {}", quote_argv(line),
                                            output.exit.status, output.err));
  }
  return made(op);
}

}  // namespace gittxn::hammer
