// Common parts of the verbs about workflows: naming one, and what is seen of it before something is
// decided.
#pragma once

#include <string>

#include "model/workflow.h"
#include "txn/attempt.h"

namespace gittxn::api {

inline constexpr std::size_t kMaxWorkflowText = 4096;  // of a reason, a note, an actor

// As given, else the caller's git identity.
Result<std::string> actor_of(State& state, const std::string& given);
Status check_workflow_id(const std::string& id);
// By id or unique prefix. kNotFound.
Result<Workflow> find_workflow(const store::Store& store, const std::string& id);
std::string open_of(const Workflow& workflow);  // "" when it is finished
std::unexpected<Error> moved_meanwhile(const Workflow& workflow);

// What is decided on: the workflow as it was seen, the head of its branch, and what policy says.
struct Scene {
  Workflow workflow;
  Phase phase;  // the open one
  Oid head;
  Policy policy;

  const PhaseSpec* spec() const;  // nullptr: the policy has no such phase any more
};
// The workflow has an open phase.
Result<Scene> look_at_phase(State& state, const Workflow& workflow, const Progress& progress);
std::unexpected<Error> no_definition(const Scene& scene);

}  // namespace gittxn::api
