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

constexpr std::array<std::pair<PhaseVerb, std::string_view>, 5> kVerbs{
    {{PhaseVerb::kAdvance, "advance"},
     {PhaseVerb::kSkip, "skip"},
     {PhaseVerb::kOverride, "override"},
     {PhaseVerb::kRollback, "rollback"},
     {PhaseVerb::kCancel, "cancel"}}};

Status check_reason(const std::string& reason, PhaseVerb verb) {
  if (verb == PhaseVerb::kAdvance) return {};
  const bool blank = reason.find_first_not_of(" \t\n") == std::string::npos;
  if (blank && verb != PhaseVerb::kCancel) {
    return fail(Code::kUsage,
                fmt::format("git txn workflow {} needs a reason; nothing was changed",
                            name_in(kVerbs, verb)),
                "say why with: --reason TEXT");
  }
  if (reason.size() <= kMaxWorkflowText) return {};
  return fail(Code::kUsage, "the reason is longer than 4096 bytes", "say why with: --reason TEXT");
}

// Why what was seen has to be looked at again.
enum class Again { kHead, kLanding };

Result<Workflow> known_workflow(const store::View& view, const WorkflowId& id) {
  auto found = TRY(store::workflow(view, id));
  if (!found) return fail(Code::kNotFound, id.str() + " is gone");
  return *std::move(found);
}

std::vector<std::string> names_of(const std::vector<Phase>& phases) {
  std::vector<std::string> names;
  for (const Phase& phase : phases) names.push_back(phase.name);
  return names;
}

// In the order of these phases; in each who is next first.
Result<std::vector<Txn>> unfinished_in(const store::View& view, const WorkflowId& id,
                                       const std::vector<std::string>& phases) {
  std::vector<Txn> all;
  for (const std::string& phase : phases) {
    for (Txn& txn : TRY(store::unfinished_of(view, id, phase))) all.push_back(std::move(txn));
  }
  return all;
}

bool is_landing(const Txn& txn) {
  return txn.state == TxnState::kLanding;
}

// One verb that moves a workflow: opens, recovers, finds it, and decides until nothing it saw has
// changed under it.
struct Mover {
  State& state;
  const PhaseMoveRequest& request;
  const Progress& progress;
  Workflow workflow = {};  // as it was seen
  std::string actor = {};
  PhaseMoveReport report = {};
  std::optional<Again> again = {};
  std::optional<std::int64_t> waiting_since_ns = {};  // for landings

  Status start(PhaseVerb verb) {
    TRY(refuse_inside(state.host, fmt::format("workflow {}", name_in(kVerbs, verb))));
    TRY(check_reason(request.reason, verb));
    TRY(check_workflow_id(request.id));
    std::vector<std::string> notes;
    TRY(recover_first(state, progress, notes));
    progress.note_all(notes);
    actor = TRY(actor_of(state, request.actor));
    workflow = TRY(find_workflow(*state.store, request.id));
    report.from = open_of(workflow);
    return {};
  }

  Status need_life() const {
    return workflow.cancelled ? Status(was_cancelled(workflow)) : Status();
  }

  Status need_open() const {
    TRY(need_life());
    const std::string& id = workflow.id.str();
    if (workflow.open() == nullptr) {
      return fail(
          Code::kUsage, id + " is finished",
          fmt::format("go back with: git txn workflow rollback {} --to PHASE --reason TEXT", id));
    }
    if (!request.from || *request.from == report.from) return {};
    return fail(Code::kStale,
                fmt::format("the open phase of {} is {}, not {}", id, report.from, *request.from),
                "nothing was moved; see where it is: git txn workflow status " + id);
  }

  // Looks at the head, lets `prepare` do what takes long, and decides; until the head stays.
  using Prepare = std::function<Status(const Scene&)>;
  using Decide = std::function<Result<std::vector<NewEvent>>(const store::View&, const Scene&)>;
  Result<PhaseMoveReport> move(const Prepare& prepare, const Decide& decide) {
    for (int heads = 0; heads < kMaxHeads;) {
      const Scene scene = TRY(look_at_phase(state, workflow, progress));
      TRY(prepare(scene));
      TRY(fp_judged.hit());
      const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
        if (!TRY(is_still(view, scene.head.oid, {scene.phase.name})))
          return std::vector<NewEvent>{};
        return decide(view, scene);
      };
      if (TRY(decided(decision))) return finish();
      if (again == Again::kHead) ++heads;
    }
    return fail(Code::kBusy, short_branch(workflow.branch) + " keeps moving",
                "try again in a moment");
  }

  // The compare of every move: the same version as was seen, nobody in the middle of a landing in
  // one of these phases, and the branch where the gates judged it (empty: none did). Under the
  // write lock. False: `again` says why.
  Result<bool> is_still(const store::View& view, const Oid& head,
                        const std::vector<std::string>& phases) {
    const Workflow now = TRY(known_workflow(view, workflow.id));
    if (now.version != workflow.version && !INJECTED_BUG("workflow.no_compare")) {
      return moved_meanwhile(now);
    }
    again.reset();
    if (std::ranges::any_of(TRY(unfinished_in(view, workflow.id, phases)), is_landing)) {
      again = Again::kLanding;
    } else if (!head.empty() && TRY(head_in(view)) != head) {
      again = Again::kHead;
    }
    return !again;
  }

  // Empty: it is gone, or cannot be read.
  Result<Oid> head_in(const store::View& view) const {
    if (!state.membership.hub) {
      return state.repository.refs().read(workflow.branch).value_or(Oid());
    }
    const auto known = TRY(view.branch(workflow.branch));
    return known ? known->head : Oid();
  }

  // False: it has to be looked at again. Then a landing that was in the way was waited for.
  Result<bool> decided(const store::Store::Decision& decision) {
    TRY(state.store->decide(decision));
    if (again == Again::kLanding) TRY(wait_for_landing());
    return !again;
  }

  Status wait_for_landing() {
    const std::int64_t now_ns = state.host.clock->monotonic_ns();
    if (!waiting_since_ns) waiting_since_ns = now_ns;
    if ((now_ns - *waiting_since_ns) / kNsPerMs > kLandingWaitMs) {
      return fail(Code::kBusy, "a transaction of " + workflow.id.str() + " is being landed",
                  "try again when it has; git txn status shows it");
    }
    if (progress.is_interrupted()) {
      return fail(Code::kInterrupted, "interrupted; nothing was moved");
    }
    state.host.clock->sleep_ms(kPollMs);
    return {};
  }

  Result<PhaseMoveReport> finish() {
    TRY(fp_moved.hit());
    report.workflow = TRY(known_workflow(*state.store, workflow.id));
    return std::move(report);
  }

  events::PhaseMove move_from(const std::string& phase) const {
    events::PhaseMove move;
    move.workflow = workflow.id;
    move.version = workflow.version;
    move.from = phase;
    move.actor = actor;
    move.reason = request.reason;
    return move;
  }

  // On from the open phase.
  events::PhaseMove move_on(const Scene& scene) {
    events::PhaseMove move = move_from(scene.phase.name);
    const Phase* next = workflow.after(scene.phase.name);
    if (next != nullptr) move.to = next->name;
    return move;
  }

  void moves_to(const std::string& phase) {
    report.to = phase;
    report.moved = true;
  }
};

// Commands only where nothing else says no already.
Status run_commands(Mover& mover, const Scene& scene) {
  State& state = mover.state;
  if (scene.spec() == nullptr) return no_definition(scene);
  TRY(gates::require_trust(*state.store, scene.policy, state.host.variable("GIT_TXN_TRUST")));
  const PhaseAnswers first = TRY(judge_phase_gates(state, *state.store, scene));
  const bool hopeless = std::ranges::any_of(first.gates, [](const PhaseEvidence& one) {
    return one.kind != PhaseGate::Kind::kRun && !one.passed;
  });
  if (hopeless) return {};
  return run_phase_gates(state, scene, mover.progress);
}

// What the gates say, which is told and put on record whatever is decided.
Result<PhaseAnswers> ask_gates(Mover& mover, const store::View& view, const Scene& scene,
                               std::vector<NewEvent>& appended) {
  PhaseAnswers answers = TRY(judge_phase_gates(mover.state, view, scene));
  mover.report.gates = answers.gates;
  mover.report.not_judged = answers.not_judged;
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
  events::PhaseMove move = mover.move_on(scene);
  move.reason.clear();
  appended.push_back(events::phase_advanced(move));
  mover.moves_to(move.to);
  return appended;
}

Result<std::vector<NewEvent>> decide_override(Mover& mover, const store::View& view,
                                              const Scene& scene) {
  events::PhaseMove move = mover.move_on(scene);
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
  events::PhaseMove move = mover.move_on(scene);
  mover.moves_to(move.to);
  return std::vector<NewEvent>{events::phase_skipped(move)};
}

// The phases behind the one that is gone back to, in order.
Result<std::vector<std::string>> phases_behind(const Workflow& workflow, const std::string& to) {
  const Phase* target = workflow.phase(to);
  std::vector<std::string> names = names_of(workflow.phases);
  if (target == nullptr) {
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
  names.erase(names.begin(), std::ranges::find(names, to) + 1);
  return names;
}

// The work of those that nobody is at, before they are aborted; who is at one takes it himself.
Status keep_all(Mover& mover, const std::vector<std::string>& phases) {
  State& state = mover.state;
  for (const Txn& txn : TRY(unfinished_in(*state.store, mover.workflow.id, phases))) {
    auto held = hold(state, txn);
    if (!held && held.error().code == Code::kBusy) continue;
    TRY(keep_work(state, TRY(held).txn, mover.progress));
  }
  return {};
}

// Of those that nobody is at; who is at one does it himself when its command has ended.
Status compensate_cancelled(Mover& mover) {
  std::vector<std::string> notes;
  for (const TxnId& id : mover.report.cancelled) {
    auto held = hold(mover.state, TRY(reload(mover.state, id)));
    if (!held && held.error().code == Code::kBusy) continue;
    TRY(compensate(mover.state, TRY(held).txn, mover.progress, notes));
  }
  mover.progress.note_all(notes);
  return {};
}

Result<PhaseMoveReport> roll_back(Mover& mover) {
  const std::vector<std::string> behind = TRY(phases_behind(mover.workflow, mover.request.to));
  TRY(keep_all(mover, behind));
  TRY(fp_judged.hit());
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    if (!TRY(mover.is_still(view, {}, behind))) return std::vector<NewEvent>{};
    events::PhaseMove move = mover.move_from(mover.report.from);
    move.to = mover.request.to;
    const std::string why =
        fmt::format("{} went back to phase {}: {}", move.workflow.str(), move.to, move.reason);
    std::vector<NewEvent> appended;
    for (const Txn& txn : TRY(unfinished_in(view, move.workflow, behind))) {
      move.cancelled.push_back(txn.id);
      appended.push_back(events::aborted(txn.id, why, move.actor));
    }
    appended.insert(appended.begin(), events::phase_rolled_back(move));
    mover.report.cancelled = move.cancelled;
    return appended;
  };
  while (!TRY(mover.decided(decision))) continue;
  mover.moves_to(mover.request.to);
  TRY(compensate_cancelled(mover));
  return mover.finish();
}

}  // namespace

// Whatever it is at: who cancels a workflow wants its end, and not one of its versions.
Result<CancelReport> cancel_workflow(State& state, const PhaseMoveRequest& request,
                                     const Progress& progress) {
  Mover mover{state, request, progress};
  TRY(mover.start(PhaseVerb::kCancel));
  TRY(fp_judged.hit());
  const WorkflowId id = mover.workflow.id;
  CancelReport report;
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    mover.again.reset();
    mover.workflow = TRY(known_workflow(view, id));
    report.already = mover.workflow.cancelled.has_value();
    if (report.already) return std::vector<NewEvent>{};
    const Phase* open = mover.workflow.open();
    if (open == nullptr) {
      return fail(Code::kUsage,
                  fmt::format("workflow {} is finished: there is nothing to cancel", id.str()),
                  "see it: git txn workflow status " + id.str());
    }
    const auto phases = names_of(mover.workflow.phases);
    if (std::ranges::any_of(TRY(unfinished_in(view, id, phases)), is_landing)) {
      mover.again = Again::kLanding;
      return std::vector<NewEvent>{};
    }
    return std::vector<NewEvent>{events::workflow_cancelled(mover.move_from(open->name))};
  };
  while (!TRY(mover.decided(decision))) continue;
  TRY(fp_moved.hit());
  report.workflow = TRY(known_workflow(*state.store, id));
  report.unfinished = TRY(unfinished_in(*state.store, id, names_of(report.workflow.phases)));
  return report;
}

Result<PhaseMoveReport> move_workflow(State& state, PhaseVerb verb, const PhaseMoveRequest& request,
                                      const Progress& progress) {
  Mover mover{state, request, progress};
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
