// The verbs that move a workflow from phase to phase: see workflows.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/bug.h"
#include "base/failpoint.h"
#include "gates/trust.h"
#include "model/names.h"
#include "store/events.h"
#include "store/work/workflows.h"
#include "txn/attempt.h"
#include "work/compensations.h"
#include "work/phase_gates.h"
#include "work/recovery.h"
#include "work/workflow_scene.h"
#include "work/workflows.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_judged, "api.workflow.judged");
FAILPOINT(fp_moved, "api.workflow.moved");

constexpr int kMaxHeads = 8;  // of a branch that keeps moving
constexpr std::int64_t kLandingWaitMs = 10'000;
constexpr std::int64_t kPollMs = 50;

Status check_length(const std::string& reason) {
  if (reason.size() <= kMaxWorkflowText) return {};
  return fail(Code::kUsage, "the reason is longer than 4096 bytes", "say why with: --reason TEXT");
}

Status check_reason(const std::string& reason, std::string_view verb) {
  if (reason.find_first_not_of(" \t\n") != std::string::npos) return check_length(reason);
  return fail(Code::kUsage,
              fmt::format("git txn workflow {} needs a reason; nothing was changed", verb),
              "say why with: --reason TEXT");
}

constexpr std::array<std::pair<PhaseVerb, std::string_view>, 5> kVerbs{
    {{PhaseVerb::kAdvance, "advance"},
     {PhaseVerb::kSkip, "skip"},
     {PhaseVerb::kOverride, "override"},
     {PhaseVerb::kRollback, "rollback"},
     {PhaseVerb::kCancel, "cancel"}}};

// Why what was seen has to be looked at again.
enum class Again { kHead, kLanding };

Result<Workflow> known_workflow(const store::View& view, const WorkflowId& id) {
  auto found = TRY(store::workflow(view, id));
  if (!found) return fail(Code::kNotFound, id.str() + " is gone");
  return *std::move(found);
}

// The compare of every move: the same version as was seen, nobody in the middle of a landing in one
// of these phases, and the branch where the gates judged it. Under the write lock.
Result<std::optional<Again>> check_scene(State& state, const store::View& view, const Scene& scene,
                                         const std::vector<std::string>& phases) {
  const Workflow now = TRY(known_workflow(view, scene.workflow.id));
  if (now.version != scene.workflow.version && !INJECTED_BUG("workflow.no_compare")) {
    return moved_meanwhile(now);
  }
  for (const std::string& phase : phases) {
    for (const Txn& txn : TRY(store::unfinished_of(view, scene.workflow.id, phase))) {
      if (txn.state == TxnState::kLanding) return std::optional(Again::kLanding);
    }
  }
  if (scene.head.empty()) return std::optional<Again>{};
  if (state.membership.hub) {
    const auto known = TRY(view.branch(scene.workflow.branch));
    if (!known || known->head != scene.head) return std::optional(Again::kHead);
    return std::optional<Again>{};
  }
  const auto head = state.repository.refs().read(scene.workflow.branch);
  if (!head || *head != scene.head) return std::optional(Again::kHead);
  return std::optional<Again>{};
}

events::PhaseMove move_from(const Scene& scene, const std::string& actor) {
  events::PhaseMove move;
  move.workflow = scene.workflow.id;
  move.version = scene.workflow.version;
  move.from = scene.phase.name;
  const Phase* next = scene.workflow.after(scene.phase.name);
  move.to = next == nullptr ? std::string() : next->name;
  move.actor = actor;
  return move;
}

// One verb that moves a workflow: opens, recovers, finds it, and decides until nothing it saw has
// changed under it.
class Mover {
 public:
  Mover(State& state, const PhaseMoveRequest& request, const Progress& progress)
      : state_(state), request_(request), progress_(progress) {}

  Status start(PhaseVerb verb) {
    const std::string_view word = name_in(kVerbs, verb);
    TRY(refuse_inside(state_.host, fmt::format("workflow {}", word)));
    if (verb == PhaseVerb::kCancel) {
      TRY(check_length(request_.reason));
    } else if (verb != PhaseVerb::kAdvance) {
      TRY(check_reason(request_.reason, word));
    }
    TRY(check_workflow_id(request_.id));
    std::vector<std::string> notes;
    TRY(recover_first(state_, progress_, notes));
    progress_.note_all(notes);
    actor_ = TRY(actor_of(state_, request_.actor));
    workflow_ = TRY(find_workflow(*state_.store, request_.id));
    report_.from = open_of(workflow_);
    return {};
  }

  Status need_open() const {
    TRY(need_life());
    if (workflow_.open() == nullptr) {
      return fail(Code::kUsage, workflow_.id.str() + " is finished",
                  "go back with: git txn workflow rollback " + workflow_.id.str() +
                      " --to PHASE --reason TEXT");
    }
    if (request_.from && *request_.from != report_.from) {
      return fail(
          Code::kStale,
          fmt::format("the open phase of {} is {}, not {}", workflow_.id.str(), report_.from,
                      *request_.from),
          "nothing was moved; see where it is: git txn workflow status " + workflow_.id.str());
    }
    return {};
  }

  Status need_life() const {
    return workflow_.cancelled ? Status(was_cancelled(workflow_)) : Status();
  }

  // Looks at the head, lets `prepare` do what takes long, and decides; until the head stays.
  using Prepare = std::function<Status(const Scene&)>;
  using Decide = std::function<Result<std::vector<NewEvent>>(const store::View&, const Scene&)>;
  Result<PhaseMoveReport> move(const Prepare& prepare, const Decide& decide) {
    for (int heads = 0; heads < kMaxHeads;) {
      const Scene scene = TRY(look_at_phase(state_, workflow_, progress_));
      TRY(prepare(scene));
      TRY(fp_judged.hit());
      std::optional<Again> again;
      const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
        again = TRY(check_scene(state_, view, scene, {scene.phase.name}));
        if (again) return std::vector<NewEvent>{};
        return decide(view, scene);
      };
      TRY(state_.store->decide(decision));
      if (!again) return finish();
      if (*again == Again::kHead) ++heads;
      if (*again == Again::kLanding) TRY(wait_for_landing());
    }
    return fail(Code::kBusy, short_branch(workflow_.branch) + " keeps moving",
                "try again in a moment");
  }

  Status wait_for_landing() {
    const std::int64_t now_ns = state_.host.clock->monotonic_ns();
    if (!waiting_since_ns_) waiting_since_ns_ = now_ns;
    const std::int64_t waited_ms = (now_ns - *waiting_since_ns_) / 1'000'000;
    if (waited_ms > kLandingWaitMs) {
      return fail(Code::kBusy, "a transaction of " + workflow_.id.str() + " is being landed",
                  "try again when it has; git txn status shows it");
    }
    if (progress_.is_interrupted()) {
      return fail(Code::kInterrupted, "interrupted; nothing was moved");
    }
    state_.host.clock->sleep_ms(kPollMs);
    return {};
  }

  Result<PhaseMoveReport> finish() {
    TRY(fp_moved.hit());
    report_.workflow = TRY(known_workflow(*state_.store, workflow_.id));
    return std::move(report_);
  }

  State& state() { return state_; }
  const Workflow& workflow() const { return workflow_; }
  const std::string& actor() const { return actor_; }
  const PhaseMoveRequest& request() const { return request_; }
  const Progress& progress() const { return progress_; }
  PhaseMoveReport& report() { return report_; }

  void moves_to(const std::string& phase) {
    report_.to = phase;
    report_.moved = true;
  }
  void tell(const PhaseAnswers& answers) {
    report_.gates = answers.gates;
    report_.not_judged = answers.not_judged;
  }

 private:
  State& state_;
  const PhaseMoveRequest& request_;
  const Progress& progress_;
  Workflow workflow_;
  std::string actor_;
  PhaseMoveReport report_;
  std::optional<std::int64_t> waiting_since_ns_;  // for landings
};

// Commands only where nothing else says no already.
Status run_commands(Mover& mover, const Scene& scene) {
  State& state = mover.state();
  if (scene.spec() == nullptr) return no_definition(scene);
  TRY(gates::require_trust(*state.store, scene.policy, state.variable("GIT_TXN_TRUST")));
  const PhaseQuestion question = TRY(question_of(state, scene));
  const PhaseAnswers first = TRY(judge_phase_gates(state, *state.store, question));
  const bool hopeless = std::ranges::any_of(first.gates, [](const PhaseEvidence& one) {
    return one.kind != PhaseGate::Kind::kRun && !one.passed;
  });
  if (hopeless) return {};
  return run_phase_gates(state, scene.policy, question, scene.workflow.branch, mover.progress());
}

// What the gates say, which is told and put on record whatever is decided.
Result<PhaseAnswers> ask_gates(Mover& mover, const store::View& view, const Scene& scene,
                               std::vector<NewEvent>& appended) {
  const PhaseQuestion question = TRY(question_of(mover.state(), scene));
  PhaseAnswers answers = TRY(judge_phase_gates(mover.state(), view, question));
  mover.tell(answers);
  for (const PhaseEvidence& one : answers.gates) {
    appended.push_back(events::phase_evaluated(scene.workflow.id, one));
  }
  return answers;
}

Result<std::vector<NewEvent>> decide_advance(Mover& mover, const store::View& view,
                                             const Scene& scene) {
  std::vector<NewEvent> appended;
  const PhaseAnswers answers = TRY(ask_gates(mover, view, scene, appended));
  if (!answers.all() && !INJECTED_BUG("workflow.no_gates")) return appended;
  const events::PhaseMove move = move_from(scene, mover.actor());
  appended.push_back(events::phase_advanced(move));
  mover.moves_to(move.to);
  return appended;
}

Result<std::vector<NewEvent>> decide_override(Mover& mover, const store::View& view,
                                              const Scene& scene) {
  events::PhaseMove move = move_from(scene, mover.actor());
  move.reason = mover.request().reason;
  std::vector<NewEvent> appended;
  if (scene.spec() == nullptr) {
    move.failed = {"the policy has no such phase"};
  } else {
    const PhaseAnswers answers = TRY(ask_gates(mover, view, scene, appended));
    for (const PhaseEvidence& one : answers.gates) {
      if (!one.passed) move.failed.push_back(one.gate.str());
    }
    for (const std::string& gate : answers.not_judged) move.failed.push_back(gate);
  }
  if (move.failed.empty()) {
    return fail(
        Code::kUsage,
        fmt::format("every gate of phase {} holds: there is nothing to override", scene.phase.name),
        "git txn workflow advance " + scene.workflow.id.str());
  }
  appended.push_back(events::phase_overridden(move));
  mover.moves_to(move.to);
  return appended;
}

Result<std::vector<NewEvent>> decide_skip(Mover& mover, const Scene& scene) {
  if (scene.spec() == nullptr) return no_definition(scene);
  if (!scene.spec()->gates.empty()) {
    return fail(Code::kRefused,
                fmt::format("phase {} has {}: it cannot be skipped", scene.phase.name,
                            scene.spec()->gates.size() == 1
                                ? "a gate"
                                : fmt::format("{} gates", scene.spec()->gates.size())),
                fmt::format("git txn workflow override {} --reason TEXT", scene.workflow.id.str()));
  }
  events::PhaseMove move = move_from(scene, mover.actor());
  move.reason = mover.request().reason;
  mover.moves_to(move.to);
  return std::vector<NewEvent>{events::phase_skipped(move)};
}

// The phases behind the one that is gone back to, in order.
Result<std::vector<std::string>> phases_behind(const Workflow& workflow, const std::string& to) {
  const Phase* target = workflow.phase(to);
  if (target == nullptr) {
    std::vector<std::string_view> names;
    for (const Phase& phase : workflow.phases) names.push_back(phase.name);
    return fail(Code::kUsage, fmt::format("{} has no phase '{}'", workflow.id.str(), to),
                fmt::format("its phases are {}", fmt::join(names, ", ")));
  }
  if (target->state == PhaseState::kOpen || target->state == PhaseState::kPending) {
    return fail(
        Code::kUsage,
        fmt::format("phase {} is {}: that is not back", to, phase_state_name(target->state)),
        fmt::format("go back to one that was left, or on with: git txn workflow advance {}",
                    workflow.id.str()));
  }
  std::vector<std::string> behind;
  for (const Phase* phase = workflow.after(to); phase != nullptr;
       phase = workflow.after(phase->name)) {
    behind.push_back(phase->name);
  }
  return behind;
}

// The work of those that nobody is at, before they are aborted; who is at one takes it himself.
Status keep_all(Mover& mover, const std::vector<std::string>& phases) {
  for (const std::string& phase : phases) {
    for (const Txn& txn :
         TRY(store::unfinished_of(*mover.state().store, mover.workflow().id, phase))) {
      const auto held = hold(mover.state(), txn);
      if (!held && held.error().code == Code::kBusy) continue;
      if (!held) return std::unexpected(held.error());
      TRY(keep_work(mover.state(), held->txn, mover.progress()));
    }
  }
  return {};
}

// Of those that nobody is at; who is at one does it himself when its command has ended.
Status compensate_cancelled(Mover& mover) {
  std::vector<std::string> notes;
  for (const TxnId& id : mover.report().cancelled) {
    const auto held = hold(mover.state(), TRY(reload(mover.state(), id)));
    if (!held && held.error().code == Code::kBusy) continue;
    if (!held) return std::unexpected(held.error());
    TRY(compensate(mover.state(), held->txn, mover.progress(), notes));
  }
  mover.progress().note_all(notes);
  return {};
}

Result<PhaseMoveReport> roll_back(Mover& mover) {
  const PhaseMoveRequest& request = mover.request();
  const std::vector<std::string> behind = TRY(phases_behind(mover.workflow(), request.to));
  TRY(keep_all(mover, behind));
  TRY(fp_judged.hit());
  Scene scene;
  scene.workflow = mover.workflow();
  std::optional<Again> again;
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    again = TRY(check_scene(mover.state(), view, scene, behind));
    if (again) return std::vector<NewEvent>{};
    events::PhaseMove move;
    move.workflow = scene.workflow.id;
    move.version = scene.workflow.version;
    move.from = open_of(scene.workflow);
    move.to = request.to;
    move.actor = mover.actor();
    move.reason = request.reason;
    const std::string why =
        fmt::format("{} went back to phase {}: {}", move.workflow.str(), move.to, move.reason);
    std::vector<NewEvent> appended;
    for (const std::string& phase : behind) {
      for (const Txn& txn : TRY(store::unfinished_of(view, move.workflow, phase))) {
        move.cancelled.push_back(txn.id);
        appended.push_back(events::aborted(txn.id, why, move.actor));
      }
    }
    appended.insert(appended.begin(), events::phase_rolled_back(move));
    mover.report().cancelled = move.cancelled;
    return appended;
  };
  do {
    TRY(mover.state().store->decide(decision));
    if (again) TRY(mover.wait_for_landing());
  } while (again);
  mover.moves_to(request.to);
  TRY(compensate_cancelled(mover));
  return mover.finish();
}

}  // namespace

// Whatever it is at: who cancels a workflow wants its end, and not one of its versions.
Result<CancelReport> cancel_workflow(State& state, const PhaseMoveRequest& request,
                                     const Progress& progress) {
  Mover mover(state, request, progress);
  TRY(mover.start(PhaseVerb::kCancel));
  TRY(fp_judged.hit());
  const WorkflowId id = mover.workflow().id;
  CancelReport report;
  bool landing = false;
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    landing = false;
    const Workflow now = TRY(known_workflow(view, id));
    report.already = now.cancelled.has_value();
    if (report.already) return std::vector<NewEvent>{};
    const Phase* open = now.open();
    if (open == nullptr) {
      return fail(Code::kUsage,
                  fmt::format("workflow {} is finished: there is nothing to cancel", id.str()),
                  "see it: git txn workflow status " + id.str());
    }
    for (const Phase& phase : now.phases) {
      for (const Txn& txn : TRY(store::unfinished_of(view, id, phase.name))) {
        landing = landing || txn.state == TxnState::kLanding;
      }
    }
    if (landing) return std::vector<NewEvent>{};
    events::PhaseMove move;
    move.workflow = id;
    move.version = now.version;
    move.from = open->name;
    move.actor = mover.actor();
    move.reason = request.reason;
    return std::vector<NewEvent>{events::workflow_cancelled(move)};
  };
  do {
    TRY(state.store->decide(decision));
    if (landing) TRY(mover.wait_for_landing());
  } while (landing);
  TRY(fp_moved.hit());
  const store::Store& store = *state.store;
  report.workflow = TRY(known_workflow(store, id));
  for (const Phase& phase : report.workflow.phases) {
    for (Txn& txn : TRY(store::unfinished_of(store, id, phase.name))) {
      report.unfinished.push_back(std::move(txn));
    }
  }
  return report;
}

Result<PhaseMoveReport> move_workflow(State& state, PhaseVerb verb, const PhaseMoveRequest& request,
                                      const Progress& progress) {
  Mover mover(state, request, progress);
  TRY(mover.start(verb));
  if (verb == PhaseVerb::kRollback) {
    TRY(mover.need_life());
    return roll_back(mover);
  }
  TRY(mover.need_open());
  const auto prepare = [&](const Scene& scene) {
    return verb == PhaseVerb::kAdvance ? run_commands(mover, scene) : Status();
  };
  const auto decide = [&](const store::View& view, const Scene& scene) {
    if (verb == PhaseVerb::kAdvance) return decide_advance(mover, view, scene);
    return verb == PhaseVerb::kSkip ? decide_skip(mover, scene)
                                    : decide_override(mover, view, scene);
  };
  return mover.move(prepare, decide);
}

}  // namespace gittxn::api
