// What the gates of a phase say of one head: see workflow_scene.h.
#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "gates/gate.h"
#include "model/fields.h"
#include "store/events.h"
#include "store/summaries.h"
#include "store/work/workflows.h"
#include "work/portfolio.h"
#include "work/workflow_scene.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMostOpenNamed = 3;

struct Answer {
  bool passed = false;
  std::string why;
};

Result<Answer> artifact(State& state, const Scene& scene, const std::string& subject) {
  const TreeEntry entry = TRY(state.repository.objects().entry_at(scene.head.tree, subject));
  if (entry.present()) {
    return Answer{true, fmt::format("{} is there as {}", subject, short_oid(entry.oid))};
  }
  for (const store::StoredSummary& stored : TRY(store::summaries(*state.store))) {
    if (stored.name == subject) return Answer{true, fmt::format("summary {} is stored", subject)};
  }
  return Answer{false, fmt::format("{} is neither on the branch nor stored", subject)};
}

Result<Answer> transactions(const store::View& view, const Scene& scene) {
  const std::vector<Txn> open =
      TRY(store::unfinished_of(view, scene.workflow.id, scene.phase.name));
  if (open.empty()) return Answer{true, "none of them is unfinished"};
  std::vector<std::string> named;
  for (const Txn& one : open) {
    named.push_back(fmt::format("{} ({})", one.id.str(), state_name(one.state)));
  }
  const std::string count = open.size() == 1 ? "" : fmt::format("{} ", open.size());
  return Answer{false, count + "unfinished: " + listed(named, kMostOpenNamed)};
}

Result<Answer> verdict(const store::View& view, const Scene& scene, const std::string& name) {
  for (const PhaseVerdict& given : TRY(store::phase_verdicts(view, scene.workflow.id))) {
    if (given.phase != scene.phase.name || given.name != name) continue;
    if (given.version != scene.phase.version) continue;
    return Answer{given.passed,
                  fmt::format("{} by {}", given.passed ? "pass" : "fail", given.actor)};
  }
  return Answer{false, fmt::format("nobody has said {} yet", name)};
}

// Why it has not got there; "": it has.
Result<std::string> behind(const store::View& view, std::string_view name, std::string_view phase) {
  // The newest counts, and one that was cancelled as if it had never been made.
  for (const Workflow& workflow : TRY(store::workflows(view))) {
    if (workflow.name != name || workflow.cancelled) continue;
    const Phase* open = workflow.open();
    if (phase.empty()) {
      if (open == nullptr) return std::string();
      return fmt::format("phase {} of {} is open", open->name, workflow.id.str());
    }
    const Phase* wanted = workflow.phase(phase);
    if (wanted == nullptr) return fmt::format("{} has no phase {}", workflow.id.str(), phase);
    const bool left = wanted->state != PhaseState::kOpen && wanted->state != PhaseState::kPending;
    if (left) return std::string();
    return fmt::format("phase {} of {} is {}", phase, workflow.id.str(),
                       phase_state_name(wanted->state));
  }
  return fmt::format("it has no workflow '{}'", name);
}

// Whether every member has got as far: `subject` is "WORKFLOW" (its newest of that name is
// finished) or "WORKFLOW/PHASE" (has left that phase). What cannot be looked at has not. It says
// who has not, or up to which event each was looked at.
Result<Answer> members_done(const State& state, const store::View& view,
                            const std::string& subject) {
  const std::size_t slash = subject.find('/');
  const std::string name = subject.substr(0, slash);
  const std::string phase = slash == std::string::npos ? "" : subject.substr(slash + 1);
  const std::vector<store::Member> members = TRY(store::members(view));
  if (members.empty()) return Answer{false, "the portfolio has no member"};
  Answer answer{true, "done:"};
  for (const store::Member& member : members) {
    auto opened = open_member(state, member);
    if (!opened) return Answer{false, opened.error().message};
    const store::Store& store = **(*opened)->looking();
    // The head before the look: what it says held then or later.
    const auto head = store.head();
    const auto why = behind(store, name, phase);
    // What cannot be looked at has not got there: a fault of that one is none of this repository.
    if (!head || !why) {
      const Error& error = head ? why.error() : head.error();
      return Answer{false, fmt::format("{}: {}", member.name, error.message)};
    }
    if (!why->empty()) return Answer{false, fmt::format("{}: {}", member.name, *why)};
    answer.why += fmt::format(" {} (event {})", member.name, *head);
  }
  return answer;
}

// The newest certificate for exactly this head and this version of the gate.
Result<std::optional<Certificate>> certificate_for(const store::Store& store, const Scene& scene,
                                                   const GateSpec& gate) {
  std::optional<Certificate> newest;
  for (Certificate& one : TRY(store.certificates(scene.head.tree))) {
    const bool same =
        one.gate == gate.name && one.gate_version == gate.version && one.parent == scene.parent();
    if (same) newest = std::move(one);
  }
  return newest;
}

}  // namespace

bool PhaseAnswers::all() const {
  return not_judged.empty() && std::ranges::all_of(gates, &PhaseEvidence::passed);
}

Result<PhaseAnswers> judge_phase_gates(State& state, const store::View& view, const Scene& scene) {
  using Kind = PhaseGate::Kind;
  PhaseAnswers answers;
  for (const PhaseGate& gate : scene.spec()->gates) {
    PhaseEvidence evidence;
    evidence.phase = scene.phase.name;
    evidence.version = scene.phase.version;
    evidence.gate = gate.gate.name;
    evidence.kind = gate.kind;
    evidence.gate_version = gate.gate.version;
    evidence.head = scene.head.oid;
    Answer answer;
    if (gate.kind == Kind::kArtifact) answer = TRY(artifact(state, scene, gate.subject));
    if (gate.kind == Kind::kTransactions) answer = TRY(transactions(view, scene));
    if (gate.kind == Kind::kVerdict) answer = TRY(verdict(view, scene, gate.subject));
    if (gate.kind == Kind::kMembers) answer = TRY(members_done(state, view, gate.subject));
    if (gate.kind == Kind::kRun) {
      const auto certificate = TRY(certificate_for(*state.store, scene, gate.gate));
      if (!certificate) {
        answers.not_judged.push_back(gate.gate.name.str());
        continue;
      }
      answer = {certificate->passed, gates::outcome_of(*certificate)};
      evidence.certificate = sha256(canonical_json(to_json(*certificate)));
    }
    evidence.passed = answer.passed;
    evidence.why = std::move(answer.why);
    answers.gates.push_back(std::move(evidence));
  }
  return answers;
}

Status run_phase_gates(State& state, const Scene& scene, const Progress& progress) {
  Policy commands = scene.policy;  // its set-up, with the gates of the phase
  commands.gates.clear();
  for (const PhaseGate& gate : scene.spec()->gates) {
    if (gate.kind == PhaseGate::Kind::kRun) commands.gates.push_back(gate.gate);
  }
  if (commands.gates.empty()) return {};
  if (progress.on_phase) progress.on_phase("gates of phase " + scene.phase.name);
  const land::Context context = TRY(state.context(progress));
  TRY(gates::run_gates(
      context.gates, commands,
      {scene.head.oid, scene.head.tree, scene.parent(), scene.workflow.branch, {}}));
  return {};
}

}  // namespace gittxn::api
