// What is asked about workflows: see workflows.h.
#include <algorithm>

#include "base/hash.h"
#include "base/json.h"
#include "model/fields.h"
#include "store/rows.h"
#include "store/work/workflows.h"

namespace gittxn::store {
namespace {

// Those that ask for the work of somebody, or may be asked for again by themselves: what is shown
// to whoever decides what to do next.
bool is_pending(TxnState state) {
  return state == TxnState::kOpen || state == TxnState::kPrepared || state == TxnState::kLanding ||
         state == TxnState::kRepairing;
}

}  // namespace

Result<std::vector<Workflow>> workflows(const View& view) {
  return view.tables().all(body_of<Workflow>(),
                           "SELECT body FROM workflows ORDER BY created_seq DESC");
}

Result<std::vector<PhaseEvidence>> phase_evidence(const View& view, const WorkflowId& id) {
  return view.tables().all(body_of<PhaseEvidence>(),
                           "SELECT body FROM phase_gates WHERE workflow = ? ORDER BY phase, gate",
                           id);
}

Result<std::vector<PhaseVerdict>> phase_verdicts(const View& view, const WorkflowId& id) {
  return view.tables().all(body_of<PhaseVerdict>(),
                           "SELECT body FROM verdicts WHERE workflow = ? ORDER BY phase, name", id);
}

Result<std::optional<PhaseMember>> phase_member(const View& view, const TxnId& txn) {
  return view.tables().first(body_of<PhaseMember>(), "SELECT body FROM members WHERE txn = ?", txn);
}

Result<std::vector<Txn>> unfinished_of(const View& view, const WorkflowId& id,
                                       std::string_view phase) {
  std::vector<Txn> txns = TRY(
      view.tables().all(body_of<Txn>(),
                        "SELECT t.body FROM members m JOIN txns t ON t.id = m.txn "
                        "WHERE m.workflow = ? AND m.phase = ? "
                        "AND t.state NOT IN ('landed', 'nothing', 'aborted') ORDER BY t.begun_seq",
                        id, phase));
  std::ranges::stable_sort(txns, std::ranges::greater(), &Txn::priority);
  return txns;
}

Result<std::optional<std::string>> kernel_version(const View& view, std::string_view subject,
                                                  const TxnId& reader) {
  using SubjectKind = KernelSubject::Kind;
  const auto parsed = parse_kernel_subject(subject);
  if (!parsed || parsed->kind == SubjectKind::kGates) return std::optional<std::string>();
  if (parsed->kind == SubjectKind::kWorkflows) {
    Json ids = Json::array();  // what each is like is a read of its own
    for (const Workflow& one : TRY(workflows(view))) ids.push_back(one.id.str());
    return std::optional<std::string>(sha256(canonical_json(ids)).str());
  }
  const auto found = TRY(workflow(view, parsed->workflow));
  if (!found) return std::optional<std::string>("");
  if (parsed->kind == SubjectKind::kWorkflow) {
    return std::optional<std::string>(std::to_string(found->version));
  }
  const Phase* phase = found->phase(parsed->phase);
  if (phase == nullptr) return std::optional<std::string>("");
  if (parsed->kind == SubjectKind::kPhase) {
    return std::optional<std::string>(std::to_string(phase->version));
  }
  Json order = Json::array();
  for (const Txn& txn : TRY(unfinished_of(view, parsed->workflow, parsed->phase))) {
    if (!is_pending(txn.state) || txn.id == reader) continue;
    order.push_back(Json::array({txn.id.str(), txn.priority}));
  }
  return std::optional<std::string>(sha256(canonical_json(order)).str());
}

}  // namespace gittxn::store
