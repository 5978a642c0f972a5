#include "work/workflow_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/work/workflows.h"

namespace gittxn::api {

Result<std::string> actor_of(State& state, const std::string& given) {
  if (given.size() > kMaxWorkflowText)
    return fail(Code::kUsage, "the actor is longer than 4096 bytes");
  // It is shown among lines of ours, where a line break in it would make one more.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(given, is_control)) {
    return fail(Code::kUsage, "the actor has a line break or another control character in it",
                "write a name: --actor WHO");
  }
  if (!given.empty()) return given;
  return state.caller();
}

Status check_workflow_id(const std::string& id) {
  if (is_workflow_name(id)) return {};
  return fail(Code::kUsage, fmt::format("'{}' is no id of a workflow", id),
              "use letters, digits, '.', '_' and '-', at most 64 of them, the first a letter or "
              "digit");
}

Result<Workflow> find_workflow(const store::Store& store, const std::string& id) {
  TRY(check_workflow_id(id));
  if (auto exact = TRY(store::workflow(store, WorkflowId(id)))) return *std::move(exact);
  std::vector<Workflow> found;
  for (Workflow& one : TRY(store::workflows(store))) {
    if (one.id.str().starts_with(id)) found.push_back(std::move(one));
  }
  if (found.size() == 1) return std::move(found.front());
  return fail(Code::kNotFound,
              fmt::format("{} workflow is called '{}'", found.empty() ? "no" : "more than one", id),
              "git txn workflow list names them");
}

std::string open_of(const Workflow& workflow) {
  const Phase* open = workflow.open();
  return open == nullptr ? std::string() : open->name;
}

std::unexpected<Error> moved_meanwhile(const Workflow& workflow) {
  if (workflow.cancelled) return was_cancelled(workflow);
  const std::string open = open_of(workflow);
  return fail(Code::kStale,
              fmt::format("somebody moved {} meanwhile; {}", workflow.id.str(),
                          open.empty() ? "it is finished" : "its open phase is " + open),
              "see where it is: git txn workflow status " + workflow.id.str());
}

Result<Scene> look_at_phase(State& state, const Workflow& workflow, const Progress& progress) {
  Scene scene{workflow, *workflow.open(), {}, {}};
  const land::Context context = TRY(state.context(progress));
  const Oid head = TRY(land::current_head(context, workflow.branch));
  scene.head = TRY(state.repository.objects().commit(head));
  scene.policy = TRY_IN("the policy of " + short_branch(workflow.branch), state.policy_at(head));
  return scene;
}

const PhaseSpec* Scene::spec() const {
  const WorkflowSpec* known = policy.workflow(workflow.name);
  return known == nullptr ? nullptr : known->phase(phase.name);
}

Oid Scene::parent() const {
  return head.parents.empty() ? Oid() : head.parents.front();
}

std::unexpected<Error> no_definition(const Scene& scene) {
  return fail(
      Code::kNotFound,
      fmt::format("the policy of {} has no phase {} of workflow {} any more",
                  short_branch(scene.workflow.branch), scene.phase.name, scene.workflow.name),
      fmt::format("put it back, or: git txn workflow override {} --reason TEXT",
                  scene.workflow.id.str()));
}

}  // namespace gittxn::api
