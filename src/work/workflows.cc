#include "work/workflows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "store/events.h"
#include "store/work/workflows.h"
#include "txn/attempt.h"
#include "txn/serve/observed.h"
#include "work/recovery.h"
#include "work/workflow_scene.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

constexpr int kWorkflowIdLetters = 4;
constexpr int kWorkflowIdTries = 64;

Result<store::Store*> looking(State& state) {
  store::Store* store = TRY(state.looking());
  if (store != nullptr) return store;
  return fail(Code::kNotFound, "this repository has no workflow",
              "make one with: git txn workflow create NAME");
}

// Before the look: what changes between the two makes the read stale, and is not missed.
Status note_status(State& state, const store::Store& store, const WorkflowId& id) {
  const Workflow workflow = TRY(find_workflow(store, id.str()));
  std::vector<std::string> subjects{workflow_subject(id)};
  if (const Phase* open = workflow.open()) {
    subjects.push_back(phase_subject(id, open->name));
    subjects.push_back(pending_subject(id, open->name));
  }
  return note_kernel_reads(state, store, subjects, "workflow status");
}

std::unexpected<Error> not_in_policy(const Policy& policy, const RefName& branch,
                                     const std::string& name) {
  std::vector<std::string_view> names;
  for (const WorkflowSpec& one : policy.workflows) names.push_back(one.name);
  return fail(Code::kNotFound,
              fmt::format("the policy of {} has no workflow '{}'", short_branch(branch), name),
              names.empty()
                  ? fmt::format("add [workflow.{}] with its phases to .gittxn.toml there", name)
                  : fmt::format("it has {}; another one is added to .gittxn.toml there",
                                fmt::join(names, ", ")));
}

// Which version of the phase what was said of it has to be of; 0: of none, it is still to come, and
// what was said before a rollback counts no more. Leaving a phase makes a version of it.
std::int64_t version_told(const Phase& phase) {
  if (phase.state == PhaseState::kPending) return 0;
  return phase.state == PhaseState::kOpen ? phase.version : phase.version - 1;
}

// How each move brought a phase where it is; "": by its gates.
constexpr std::pair<std::string_view, const char*> kMoves[] = {
    {event_type::kPhaseAdvanced, ""},
    {event_type::kPhaseRolledBack, "rolled back to"},
    {event_type::kPhaseSkipped, "skipped"},
    {event_type::kWorkflowCancelled, "cancelled"},
    {event_type::kPhaseOverridden, "overridden"}};

// The last move of each phase that asked no gate, from the log.
Result<std::map<std::string, PhaseWhy>> moves_past_gates(const store::Store& store,
                                                         const Workflow& workflow) {
  std::map<std::string, PhaseWhy> moves;
  for (const Event& event : TRY(store.events_of(workflow.id.str()))) {
    const auto* move =
        std::ranges::find(kMoves, event.type, [](const auto& one) { return one.first; });
    if (move == std::end(kMoves)) continue;
    const Json json = TRY_IN(event.type, parse_json(event.payload));
    const auto text = [&](const char* key) { return decode_path(json[key].text_or("")); };
    const bool back = event.type == event_type::kPhaseRolledBack;
    const std::string phase = text(back ? "to" : "from");
    if (back) {  // whatever came after it is undone
      bool later = false;
      for (const Phase& one : workflow.phases) {
        if (later) moves.erase(one.name);
        later = later || one.name == phase;
      }
    }
    moves.erase(phase);
    const std::string what = move->second;
    if (!what.empty()) moves.emplace(phase, PhaseWhy{what, text("actor"), text("reason")});
  }
  return moves;
}

}  // namespace

Result<Workflow> create_workflow(State& state, const WorkflowRequest& request) {
  TRY(refuse_inside(state.host, "workflow create"));
  if (!is_workflow_name(request.name)) {
    return fail(Code::kUsage, fmt::format("'{}' is no name of a workflow", request.name),
                "the policy names them: [workflow.NAME]");
  }
  if (request.id) TRY(check_workflow_id(*request.id));
  if (request.id && request.key) {
    return fail(Code::kUsage, "a key makes the id of a workflow", "leave out --as or --key");
  }
  const std::string named =
      request.key ? "w-" + TRY(name_of_key(*request.key)) : request.id.value_or("");
  const RefName branch = TRY(state.target(request.onto));
  std::vector<std::string> notes;
  TRY(recover_first(state, {}, notes));
  const land::Context context = TRY(state.context({}));
  const Oid head = TRY(land::current_head(context, branch));
  const Policy policy = TRY(state.policy_at(head));
  const WorkflowSpec* spec = policy.workflow(request.name);
  if (spec == nullptr) {
    return not_in_policy(policy, branch, request.name);
  }
  Workflow workflow;
  workflow.name = request.name;
  workflow.branch = branch;
  workflow.actor = TRY(actor_of(state, request.actor));
  for (const PhaseSpec& phase : spec->phases) workflow.phases.push_back({phase.name});
  workflow.phases.front().state = PhaseState::kOpen;
  const auto decision = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    workflow.id = WorkflowId(named);
    for (int i = 0; workflow.id.empty(); ++i) {
      if (i == kWorkflowIdTries) return fail(Code::kFault, "no free id of a workflow was found");
      WorkflowId id("w-" + state.host.random->name(kWorkflowIdLetters + i / 8));
      const auto taken = TRY(store::workflow(view, id));
      if (!taken) workflow.id = std::move(id);
    }
    const auto known = TRY(store::workflow(view, workflow.id));
    if (known && request.key && known->name == request.name && known->branch == branch) {
      workflow = *known;
      return std::vector<NewEvent>{};
    }
    if (known) {
      return fail(Code::kExists, fmt::format("there is a workflow {} already", workflow.id.str()),
                  known->cancelled ? "it was cancelled, and an id is used once; leave out --as, or "
                                     "choose another one"
                                   : "see it: git txn workflow status " + workflow.id.str());
    }
    return std::vector<NewEvent>{events::workflow_created(workflow)};
  };
  TRY(state.store->decide(decision));
  return workflow;
}

Result<std::vector<Workflow>> list_workflows(State& state) {
  store::Store* store = TRY(state.looking());
  if (store == nullptr) return std::vector<Workflow>{};
  std::vector<std::string> subjects{std::string(kWorkflowsSubject)};
  for (const Workflow& one : TRY(store::workflows(*store))) {
    subjects.push_back(workflow_subject(one.id));
  }
  // Before the look: what changes between the two makes the read stale, and is not missed.
  TRY(note_kernel_reads(state, *store, subjects, "workflow list"));
  return store::workflows(*store);
}

Result<WorkflowReport> workflow_status(State& state, const std::string& id) {
  TRY(check_workflow_id(id));
  const store::Store& store = *TRY(looking(state));
  const WorkflowId known = TRY(find_workflow(store, id)).id;
  TRY(note_status(state, store, known));
  WorkflowReport report;
  report.workflow = TRY(find_workflow(store, known.str()));
  const std::vector<PhaseEvidence> evidence = TRY(store::phase_evidence(store, known));
  const std::vector<PhaseVerdict> verdicts = TRY(store::phase_verdicts(store, known));
  const std::map<std::string, PhaseWhy> moves = TRY(moves_past_gates(store, report.workflow));
  for (const Phase& phase : report.workflow.phases) {
    PhaseLine line;
    line.phase = phase;
    if (const auto moved = moves.find(phase.name); moved != moves.end()) line.moved = moved->second;
    const auto of_this = [&](const auto& one) {
      return one.phase == phase.name && one.version == version_told(phase);
    };
    std::ranges::copy_if(evidence, std::back_inserter(line.gates), of_this);
    std::ranges::copy_if(verdicts, std::back_inserter(line.verdicts), of_this);
    line.unfinished = TRY(store::unfinished_of(store, known, phase.name));
    report.phases.push_back(std::move(line));
  }
  return report;
}

Result<PhaseVerdict> give_verdict(State& state, const std::string& id, PhaseVerdict verdict) {
  TRY(refuse_inside(state.host, "workflow verdict"));
  TRY(check_workflow_id(id));
  if (verdict.note.size() > kMaxWorkflowText) {
    return fail(Code::kUsage, "the note is longer than 4096 bytes");
  }
  std::vector<std::string> notes;
  TRY(recover_first(state, {}, notes));
  const Workflow workflow = TRY(find_workflow(*state.store, id));
  if (workflow.cancelled) return was_cancelled(workflow);
  if (workflow.open() == nullptr) {
    return fail(Code::kUsage, workflow.id.str() + " is finished: there is nothing to judge");
  }
  const Scene scene = TRY(look_at_phase(state, workflow, {}));
  if (scene.spec() == nullptr) return no_definition(scene);
  std::vector<std::string_view> asked;
  for (const PhaseGate& gate : scene.spec()->gates) {
    if (gate.kind == PhaseGate::Kind::kVerdict) asked.push_back(gate.subject);
  }
  if (std::ranges::find(asked, verdict.name) == asked.end()) {
    return fail(
        Code::kUsage,
        fmt::format("no gate of phase {} asks for the verdict '{}'", scene.phase.name,
                    verdict.name),
        asked.empty()
            ? fmt::format("phase {} asks for no verdict; what it does ask for is in .gittxn.toml",
                          scene.phase.name)
            : fmt::format("phase {} asks for {}", scene.phase.name, fmt::join(asked, ", ")));
  }
  verdict.phase = scene.phase.name;
  verdict.version = scene.phase.version;
  verdict.actor = TRY(actor_of(state, verdict.actor));
  const auto appended = state.store->append({events::verdict_given(workflow.id, verdict)});
  if (!appended && appended.error().code == Code::kStale) {
    return moved_meanwhile(TRY(find_workflow(*state.store, workflow.id.str())));
  }
  if (!appended) return std::unexpected(appended.error());
  return verdict;
}

}  // namespace gittxn::api
