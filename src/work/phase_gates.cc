#include "work/phase_gates.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/json_value.h"
#include "model/fields.h"
#include "store/events.h"
#include "store/summaries.h"
#include "store/work/workflows.h"
#include "work/members.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMostOpenNamed = 3;

struct Answer {
  bool passed = false;
  std::string why;
};

Result<Answer> artifact(State& state, const PhaseQuestion& question, const std::string& subject) {
  const TreeEntry entry = TRY(state.repository.objects().entry_at(question.tree, subject));
  if (entry.present()) {
    return Answer{true, fmt::format("{} is there as {}", subject, short_oid(entry.oid))};
  }
  for (const store::StoredSummary& stored : TRY(store::summaries(*state.store))) {
    if (stored.name == subject) return Answer{true, fmt::format("summary {} is stored", subject)};
  }
  return Answer{false, fmt::format("{} is neither on the branch nor stored", subject)};
}

Result<Answer> transactions(const store::View& view, const PhaseQuestion& question) {
  const std::vector<Txn> open =
      TRY(store::unfinished_of(view, question.workflow, question.phase.name));
  if (open.empty()) return Answer{true, "none of them is unfinished"};
  std::string why = open.size() == 1 ? "unfinished: " : fmt::format("{} unfinished: ", open.size());
  for (std::size_t i = 0; i < std::min(open.size(), kMostOpenNamed); ++i) {
    why +=
        fmt::format("{}{} ({})", i == 0 ? "" : ", ", open[i].id.str(), state_name(open[i].state));
  }
  if (open.size() > kMostOpenNamed)
    why += fmt::format(" and {} more", open.size() - kMostOpenNamed);
  return Answer{false, std::move(why)};
}

Result<Answer> verdict(const store::View& view, const PhaseQuestion& question,
                       const std::string& name) {
  for (const PhaseVerdict& given : TRY(store::phase_verdicts(view, question.workflow))) {
    if (given.phase != question.phase.name || given.name != name) continue;
    if (given.version != question.phase.version) continue;
    return Answer{given.passed,
                  fmt::format("{} by {}", given.passed ? "pass" : "fail", given.actor)};
  }
  return Answer{false, fmt::format("nobody has said {} yet", name)};
}

// The newest certificate for exactly this head and this version of the gate.
Result<std::optional<Certificate>> certificate_for(const store::Store& store,
                                                   const PhaseQuestion& question,
                                                   const GateSpec& gate) {
  std::optional<Certificate> newest;
  for (Certificate& one : TRY(store.certificates(question.tree))) {
    const bool same =
        one.gate == gate.name && one.gate_version == gate.version && one.parent == question.parent;
    if (same) newest = std::move(one);
  }
  return newest;
}

std::string why_of(const Certificate& certificate) {
  if (certificate.passed) return "it passed";
  if (certificate.timed_out) return "it did not end within its time limit";
  return fmt::format("exit status {}", certificate.exit_status);
}

}  // namespace

bool PhaseAnswers::all() const {
  return not_judged.empty() && std::ranges::all_of(gates, &PhaseEvidence::passed);
}

Result<PhaseQuestion> question_of(State& state, const Scene& scene) {
  const repo::CommitInfo commit = TRY(state.repository.objects().commit(scene.head));
  PhaseQuestion question{scene.workflow.id, scene.phase, scene.spec(),
                         scene.head,        commit.tree, Oid()};
  if (!commit.parents.empty()) question.parent = commit.parents.front();
  return question;
}

Result<PhaseAnswers> judge_phase_gates(State& state, const store::View& view,
                                       const PhaseQuestion& question) {
  using Kind = PhaseGate::Kind;
  PhaseAnswers answers;
  for (const PhaseGate& gate : question.spec->gates) {
    PhaseEvidence evidence;
    evidence.phase = question.phase.name;
    evidence.version = question.phase.version;
    evidence.gate = gate.gate.name;
    evidence.kind = gate.kind;
    evidence.gate_version = gate.gate.version;
    evidence.head = question.head;
    Answer answer;
    if (gate.kind == Kind::kArtifact) answer = TRY(artifact(state, question, gate.subject));
    if (gate.kind == Kind::kTransactions) answer = TRY(transactions(view, question));
    if (gate.kind == Kind::kVerdict) answer = TRY(verdict(view, question, gate.subject));
    if (gate.kind == Kind::kMembers) {
      MembersAnswer members = TRY(judge_members(state, view, gate.subject));
      answer = {members.passed, std::move(members.why)};
    }
    if (gate.kind == Kind::kRun) {
      const auto certificate = TRY(certificate_for(*state.store, question, gate.gate));
      if (!certificate) {
        answers.not_judged.push_back(gate.gate.name.str());
        continue;
      }
      answer = {certificate->passed, why_of(*certificate)};
      evidence.certificate = sha256(canonical_json(to_json(*certificate)));
    }
    evidence.passed = answer.passed;
    evidence.why = std::move(answer.why);
    answers.gates.push_back(std::move(evidence));
  }
  return answers;
}

Status run_phase_gates(State& state, const Policy& policy, const PhaseQuestion& question,
                       const RefName& branch, const Progress& progress) {
  Policy commands = policy;  // its set-up, with the gates of the phase
  commands.gates.clear();
  for (const PhaseGate& gate : question.spec->gates) {
    if (gate.kind == PhaseGate::Kind::kRun) commands.gates.push_back(gate.gate);
  }
  if (commands.gates.empty()) return {};
  if (progress.on_phase) progress.on_phase("gates of phase " + question.phase.name);
  const land::Context context = TRY(state.context(progress));
  const gates::Candidate candidate{question.head, question.tree, question.parent, branch, TxnId()};
  TRY(gates::run_gates(context.gates, commands, candidate));
  return {};
}

}  // namespace gittxn::api
