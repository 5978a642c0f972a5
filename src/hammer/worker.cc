#include "hammer/worker.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "db/database.h"
#include "store/events.h"
#include "store/log/consumers.h"
#include "store/log/pruning.h"
#include "store/work/budgets.h"
#include "store/work/portfolio.h"
#include "store/work/workflows.h"

namespace gittxn::hammer {

Txn new_txn(const TxnId& id, const std::string& name, const std::string& target) {
  Txn txn;
  txn.id = id;
  txn.name = name;
  txn.target = RefName(target);
  txn.command = {"hammer"};
  txn.owner = "hammer";
  txn.committer = {"Hammer", "hammer@example.org"};
  return txn;
}

std::string name_of(const Who& who) {
  return fmt::format("hammer-{}", who.place);
}

Result<Witness> Witness::enter(const World& world, const std::string& what, As as) {
  const std::string path = world.journals + "/" + what + ".witness";
  UniqueFd fd = TRY(open_fd(path, O_RDWR | O_CREAT, 0600));
  struct flock range = lock_range(as == As::kAlone ? F_WRLCK : F_RDLCK, 0, 1);
  if (::fcntl(fd.get(), F_OFD_SETLK, &range) == 0) return Witness(std::move(fd));
  if (errno != EAGAIN && errno != EACCES) return fail_errno(errno, "lock '" + path + "'");
  return fail(Code::kCorrupt, fmt::format("two at once in '{}'", what));
}

Status make_world(const World& world) {
  SystemClock clock;
  store::Store store = TRY(store::Store::open(world.place, clock));
  // It has ended, so that pruning does not wait for it.
  std::vector<NewEvent> made{store::events::txn_begun(new_txn(TxnId(kShared), "shared", "x")),
                             store::events::nothing(TxnId(kShared), "")};
  const auto add_branch = [&](const std::string& name, int head) {
    made.push_back(store::events::durable_head(RefName("refs/heads/" + name),
                                               Oid(fmt::format("{:040x}", head))));
  };
  for (int n = 0; n < kBranches; ++n) add_branch(fmt::format("h-{}", n), 1);
  for (int n = 0; n < kCounters; ++n) add_branch(fmt::format("count-{}", n), 0);
  for (int n = 0; n < kWorkflows; ++n) {
    Workflow workflow;
    workflow.id = WorkflowId(fmt::format("w-{}", n));
    workflow.name = "feature";
    workflow.branch = RefName("refs/heads/h-0");
    workflow.phases = {{.name = "plan", .state = PhaseState::kOpen},
                       {.name = "build"},
                       {.name = "test"},
                       {.name = "ship"}};
    workflow.actor = "hammer";
    made.push_back(store::events::workflow_created(workflow));
  }
  TRY(store.append(made));
  TRY(store::register_consumer(store,
                               {.name = "archive", .from = store::Registration::From::kStart}));
  const store::Store member = TRY(store::Store::open(world.member, clock));
  const std::string log = TRY(store::log_uri(member));
  return store::set_member(store, {kLed, "/somewhere", log, {}}, "hammer");
}

// Opening is under the hammer as well.
Result<Worker> Worker::start(const World& world, const Who& who, std::uint64_t seed) {
  Worker worker(world, who, seed, TRY(open_journal(world.journals, who)));
  TRY(worker.open());
  return worker;
}

Status Worker::open() {
  static SystemClock clock;  // outlives the worker, which is moved
  store_.reset();
  member_.reset();
  store_ = std::make_unique<store::Store>(TRY(store::Store::open(world_.place, clock)));
  member_ = std::make_unique<store::Store>(TRY(store::Store::open(world_.member, clock)));
  return show_sessions();
}

// A connection that was lost between two operations is another one now, without our name.
Status Worker::show_sessions() {
  if (!world_.place.on_server()) return {};
  const std::uint64_t now = store_->tables().session() + member_->tables().session();
  if (now == sessions_) return {};
  for (const store::Store* store : {store_.get(), member_.get()}) {
    db::Statement name =
        TRY(store->tables().statement("SELECT set_config('application_name', ?, false)"));
    name.bind_all(name_of(who_));
    TRY(name.step());
  }
  sessions_ = store_->tables().session() + member_->tables().session();
  return {};
}

// Whoever finds something wrong says kCorrupt, cut or not.
bool Worker::was_cut(const Error& error) const {
  if (!world_.place.on_server()) return false;
  if (error.code == Code::kOutcomeUnknown) return true;
  if (error.code != Code::kFault) return false;
  // Asking connects again, and then it is another session.
  for (const store::Store* store : {store_.get(), member_.get()}) {
    const auto asked = store->tables().statement("SELECT 1");
    if (!asked) return true;
  }
  return store_->tables().session() + member_->tables().session() != sessions_;
}

constinit const Worker::Verb Worker::kVerbs[] = {{"slot", &Worker::slot, 4},
                                                 {"count", &Worker::count_up, 12},
                                                 {"note", &Worker::note, 4},
                                                 {"begin", &Worker::begin_txn, 8},
                                                 {"work", &Worker::work_on, 8},
                                                 {"land", &Worker::land, 8},
                                                 {"end", &Worker::end_txn, 3},
                                                 {"meddle", &Worker::meddle, 2},
                                                 {"lease", &Worker::lease, 12},
                                                 {"sentinel", &Worker::pass, 10},
                                                 {"reset", &Worker::reset, 2},
                                                 {"move", &Worker::move_phase, 12},
                                                 {"verdict", &Worker::verdict, 3},
                                                 {"budget", &Worker::budget, 2},
                                                 {"usage", &Worker::usage, 6},
                                                 {"bill", &Worker::bill, 1},
                                                 {"tail", &Worker::tail, 10},
                                                 {"consumer", &Worker::come_and_go, 2},
                                                 {"handler", &Worker::handle, 4},
                                                 {"prune", &Worker::prune, 1},
                                                 {"look", &Worker::look, 6},
                                                 {"verify", &Worker::verify, 1},
                                                 {"program", &Worker::run_program, 1},
                                                 {"propose", &Worker::propose, 4},
                                                 {"promote", &Worker::promote, 4},
                                                 {"dismiss", &Worker::dismiss, 1},
                                                 {"link", &Worker::link, 2},
                                                 {"member", &Worker::set_member, 3},
                                                 {"leave", &Worker::remove_member, 1},
                                                 {"relay", &Worker::relay, 6},
                                                 {"promise", &Worker::promise_undo, 4},
                                                 {"undo", &Worker::undo, 4},
                                                 {"create", &Worker::create_workflow, 2},
                                                 {"carry", &Worker::carry, 3},
                                                 {"evaluate", &Worker::evaluate, 2},
                                                 {"summary", &Worker::summarize, 2},
                                                 {"crowd", &Worker::join_crowd, 6}};

Status Worker::work() {
  const auto weight = [&](const Verb& verb) {
    constexpr std::uint64_t kOften = 8;
    const bool often = world_.often.find(fmt::format(",{},", verb.name)) != std::string::npos;
    return often ? verb.weight * kOften : verb.weight;
  };
  std::uint64_t whole = 0;
  for (const Verb& verb : kVerbs) whole += weight(verb);
  std::uint64_t drawn = random_.below(whole);
  const Verb* chosen = nullptr;
  for (const Verb& verb : kVerbs) {
    chosen = &verb;
    if (drawn < weight(verb)) break;
    drawn -= weight(verb);
  }
  Operation op;
  op.verb = chosen->name;
  if (!show_sessions()) TRY(open());  // it was cut at that very moment
  op.begun_ns = clock_.monotonic_ns();
  op.tag = fmt::format("h{}g{}-{}", who_.place, who_.life, ++operations_);
  TRY(record(journal_, op));
  op.ended = Ended::kRefused;
  Status done = (this->*chosen->run)(op);
  if (!done && was_cut(done.error())) return open();
  TRY_IN(fmt::format("{} {}", op.verb, op.tag), std::move(done));
  op.ended_ns = clock_.monotonic_ns();
  return record(journal_, op);
}

// What the state did not allow is no failure of anybody's; all else is. The move that somebody else
// made first has the key of ours, and so has the workflow that they created.
Status Worker::appended(Operation& op, const Result<Seq>& seq) {
  if (seq) op.seq = *seq;
  const bool same_key = op.verb == "move" || op.verb == "create";
  return answered(op, seq, {Code::kStale, same_key ? Code::kExists : Code::kStale});
}

Result<std::optional<Workflow>> Worker::some_workflow() {
  return store::workflow(*store_, WorkflowId(fmt::format("w-{}", random_.below(kWorkflows))));
}

Result<std::optional<Txn>> Worker::my_txn() {
  if (!mine_) return std::nullopt;
  auto txn = TRY(store_->txn(*mine_));
  if (!txn) return fail(Code::kCorrupt, mine_->str() + " is gone");
  return txn;
}

Status Worker::slot(Operation& op) {
  return appended(op, store_->next_slot());
}

// Everybody moves on the number that they saw.
Status Worker::count_up(Operation& op) {
  const RefName counter(fmt::format("refs/heads/count-{}", random_.below(kCounters)));
  const auto seen = TRY(store_->branch(counter));
  if (!seen) return fail(Code::kCorrupt, counter.str() + " is gone");
  const Oid next(fmt::format("{:040x}", std::stoull(seen->head.str(), nullptr, 16) + 1));
  op.facts["on"] = counter.str();
  return appended(op,
                  store_->append({store::events::outside_move(counter, seen->head, next, op.tag)}));
}

Status Worker::note(Operation& op) {
  Certificate certificate;
  certificate.gate = GateName(op.tag);
  certificate.tree = Oid(fmt::format("{:040x}", random_.below(50)));
  certificate.passed = random_.below(2) == 0;
  const NewEvent trusted = store::events::trusted(Digest(op.tag), "hammer");
  if (random_.below(2) == 0) return appended(op, store_->append({trusted}));
  return appended(op, store_->append({store::events::gate_evaluated(certificate)}));
}

Status Worker::begin_txn(Operation& op) {
  if (mine_) return {};
  const TxnId id(fmt::format("x{}n{}n{}", who_.place, who_.life, ++begun_));
  Txn txn = new_txn(id, op.tag, branch());
  txn.priority = static_cast<int>(random_.below(3));
  std::vector<NewEvent> begun;
  const auto workflow = TRY(some_workflow());
  if (workflow && workflow->open() != nullptr && random_.below(2) == 0) {
    const Phase& open = *workflow->open();
    txn.workflow = workflow->id.str();
    txn.phase = open.name;
    const PhaseMember member{workflow->id, open.name, workflow->version, open.version,
                             Digest(op.tag)};
    begun.push_back(store::events::phase_joined(id, member));
  }
  begun.insert(begun.begin(), store::events::txn_begun(txn));
  TRY(appended(op, store_->append(begun)));
  if (op.ended == Ended::kMade) mine_ = id;
  return {};
}

Status Worker::work_on(Operation& op) {
  const auto txn = TRY(my_txn());
  if (!txn) return {};
  Attempt attempt;
  attempt.number = static_cast<int>(txn->attempts.size()) + 1;
  attempt.base = Oid(fmt::format("{:040x}", 1));
  store::events::Taken taken;
  taken.attempt = attempt.number;
  taken.kept = Oid(fmt::format("{:040x}", 9));
  taken.unknown_reason = op.tag;
  return appended(op,
                  store_->append({store::events::attempt_started(*mine_, attempt),
                                  store::events::command_started(*mine_, attempt.number, "", {"x"}),
                                  store::events::command_ended(*mine_, attempt.number, 0),
                                  store::events::taken(*mine_, taken),
                                  store::events::prepared(*mine_, attempt.number)}));
}

Status Worker::end_txn(Operation& op) {
  const auto txn = TRY(my_txn());
  if (!txn) return {};
  if (txn->state == TxnState::kAborted && random_.below(2) == 0) {
    return appended(op, store_->append({store::events::reopened(*mine_, {op.tag, 0, false})}));
  }
  const NewEvent ending = random_.below(2) == 0 ? store::events::nothing(*mine_, op.tag)
                                                : store::events::aborted(*mine_, op.tag, "hammer");
  if (is_final(txn->state)) {
    mine_.reset();
    return {};
  }
  return appended(op, store_->append({ending}));
}

// Into somebody else's work, mostly that of a process that was killed.
Status Worker::meddle(Operation& op) {
  const auto open =
      TRY(store_->txns({.states = {TxnState::kOpen, TxnState::kPrepared}, .limit = 0}));
  if (open.empty()) return {};
  const bool oldest = random_.below(3) != 0;
  const TxnId& id = (oldest ? open.back() : open[random_.below(open.size())]).id;
  return appended(op, store_->append({store::events::aborted(id, op.tag, "meddler")}));
}

Status Worker::move_phase(Operation& op) {
  const auto seen = TRY(some_workflow());
  if (!seen) return fail(Code::kCorrupt, "a workflow is gone");
  store::events::PhaseMove move;
  move.workflow = seen->id;
  move.version = seen->version;
  move.actor = op.tag;
  move.reason = "because";
  op.facts["on"] = seen->id.str();
  op.facts["version"] = seen->version;
  const Phase* open = seen->open();
  move.from = open == nullptr ? "" : open->name;
  const std::uint64_t way = random_.below(4);
  const bool back = open == nullptr || (way == 0 && open != seen->phases.data());
  const Phase* next = back ? seen->phases.data() : seen->after(open->name);
  move.to = next == nullptr ? "" : next->name;
  const NewEvent moved = back       ? store::events::phase_rolled_back(move)
                         : way == 1 ? store::events::phase_skipped(move)
                         : way == 2 ? store::events::phase_overridden(move)
                                    : store::events::phase_advanced(move);
  // Some think before they act on what they saw, long enough for it to have come round again.
  if (random_.below(8) == 0) clock_.sleep_ms(static_cast<std::int64_t>(random_.below(400)));
  const std::int64_t begun_ns = clock_.monotonic_ns();
  const Result<Seq> seq = store_->append({moved});
  op.facts["append_ns"] = clock_.monotonic_ns() - begun_ns;
  return appended(op, seq);
}

Status Worker::verdict(Operation& op) {
  const auto seen = TRY(some_workflow());
  if (!seen || seen->open() == nullptr) return {};
  const PhaseVerdict given{.phase = seen->open()->name,
                           .version = seen->open()->version,
                           .name = "review",
                           .passed = true,
                           .actor = op.tag};
  return appended(op, store_->append({store::events::verdict_given(seen->id, given)}));
}

}  // namespace gittxn::hammer
