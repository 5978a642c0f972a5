#include "land/judge/phase.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/if_there.h"
#include "base/json.h"
#include "store/work/workflows.h"

namespace gittxn::land {

namespace events = store::events;

namespace {

bool of_phase(std::string_view subject) {
  const auto parsed = parse_kernel_subject(subject);
  return parsed && parsed->kind != KernelSubject::Kind::kPending &&
         parsed->kind != KernelSubject::Kind::kWorkflows;
}

// What phase_reads() made, not what an agent was shown.
bool is_rule(const Read& read) {
  return read.kind == ReadKind::kKernel && read.source == ReadSource::kKernel &&
         of_phase(read.subject);
}

Digest gates_version(const Policy& policy, const Workflow& workflow, std::string_view phase) {
  const WorkflowSpec* spec = policy.workflow(workflow.name);
  const PhaseSpec* found = spec == nullptr ? nullptr : spec->phase(phase);
  return found == nullptr ? Digest() : found->version;
}

// "pat@example.org (phase.advanced)": who moved the workflow last.
Result<std::string> last_mover(const store::Store& store, const WorkflowId& id) {
  std::string who = "the kernel";
  for (const Event& event : TRY(store.events_of(id.str()))) {
    if (!event.type.starts_with("phase.")) continue;
    const Json payload = TRY(parse_json(event.payload));
    const Json& actor = payload["actor"];
    if (!actor.is_string()) continue;
    who = fmt::format("{} ({})", decode_path(actor.text()), event.type);
  }
  return who;
}

struct Now {
  std::optional<Workflow> workflow;
  PhaseMember member;  // of the open phase; without a phase when there is none
  OnClose on_close = OnClose::kDrop;
};

Result<Now> look(const store::View& view, const Policy& policy, const Txn& txn) {
  Now now;
  now.workflow = TRY(store::workflow(view, WorkflowId(txn.workflow)));
  if (!now.workflow) return now;
  now.member.workflow = now.workflow->id;
  now.member.workflow_version = now.workflow->version;
  if (const Phase* open = now.workflow->open()) {
    now.member.phase = open->name;
    now.member.phase_version = open->version;
    now.member.gates = gates_version(policy, *now.workflow, open->name);
  }
  const WorkflowSpec* spec = policy.workflow(now.workflow->name);
  const PhaseSpec* phase = spec == nullptr ? nullptr : spec->phase(txn.phase);
  if (phase != nullptr) now.on_close = phase->on_close;
  return now;
}

}  // namespace

Conflict cancelled_conflict(const Workflow& workflow) {
  const std::string& reason = workflow.cancelled->reason;
  return {.kind = ConflictKind::kKernel,
          .subject = workflow_subject(workflow.id),
          .head_digest = "cancelled",
          .changed_by =
              fmt::format("{} ({})", workflow.cancelled->actor, event_type::kWorkflowCancelled),
          .hint = fmt::format("workflow {} was cancelled{}", workflow.id.str(),
                              reason.empty() ? "" : ": " + reason)};
}

namespace {

Result<Conflict> witness(const store::Store& store, const Txn& txn, const PhaseMember& was,
                         const Now& now) {
  const std::string open = now.member.phase.empty() ? "none" : now.member.phase;
  if (now.workflow && now.workflow->cancelled) return cancelled_conflict(*now.workflow);
  const Phase* phase = now.workflow ? now.workflow->phase(was.phase) : nullptr;
  const std::int64_t version = phase == nullptr ? 0 : phase->version;
  if (open != was.phase || version != was.phase_version) {
    return Conflict{
        .kind = ConflictKind::kKernel,
        .subject = phase_subject(was.workflow, was.phase),
        .read_digest = std::to_string(was.phase_version),
        .head_digest = std::to_string(version),
        .changed_by = TRY(last_mover(store, was.workflow)),
        .hint = fmt::format("phase {} of {} was left before {} landed; the open phase is {}",
                            was.phase, was.workflow.str(), txn.id.str(), open)};
  }
  return Conflict{
      .kind = ConflictKind::kKernel,
      .subject = gates_subject(was.workflow, was.phase),
      .read_digest = was.gates.str(),
      .head_digest = now.member.gates.str(),
      .changed_by = "the policy",
      .hint = fmt::format("the gates of phase {} of {} are others than when {} was begun",
                          was.phase, was.workflow.str(), txn.id.str())};
}

// By `view`; `store` has the events behind it.
Result<PhaseJudgement> judged(const store::View& view, const store::Store& store, const Txn& txn,
                              const Policy& policy) {
  PhaseJudgement judgement;
  const auto was = TRY(store::phase_member(view, txn.id));
  if (!was) return fail(Code::kCorrupt, txn.id.str() + " belongs to no phase");
  const Now now = TRY(look(view, policy, txn));
  if (now.member == *was) return judgement;
  judgement.member = now.member;
  const bool carry = now.on_close == OnClose::kCarry && !now.member.phase.empty();
  judgement.how = carry ? PhaseJudgement::How::kCarried : PhaseJudgement::How::kDropped;
  if (!carry) judgement.conflicts = {TRY(witness(store, txn, *was, now))};
  return judgement;
}

}  // namespace

std::vector<Read> phase_reads(const PhaseMember& member, const Oid& snapshot) {
  std::vector<Read> reads;
  const auto add = [&](std::string subject, std::string version) {
    reads.push_back({.kind = ReadKind::kKernel,
                     .subject = std::move(subject),
                     .digest = std::move(version),
                     .source = ReadSource::kKernel,
                     .snapshot = snapshot,
                     .op = "begin"});
  };
  add(workflow_subject(member.workflow), std::to_string(member.workflow_version));
  add(phase_subject(member.workflow, member.phase), std::to_string(member.phase_version));
  add(gates_subject(member.workflow, member.phase), member.gates.str());
  return reads;
}

void drop_phase_reads(ReadSet& reads) {
  std::erase_if(reads.reads, is_rule);
}

Status renew_phase_reads(const store::Store& store, const Txn& txn, const Oid& snapshot,
                         ReadSet& reads) {
  if (txn.workflow.empty()) return {};
  drop_phase_reads(reads);
  if (INJECTED_BUG("land.ignore_phase")) return {};
  const auto member = TRY(store::phase_member(store, txn.id));
  if (!member) {
    return fail(Code::kCorrupt,
                fmt::format("{} belongs to no phase of {}", txn.id.str(), txn.workflow));
  }
  for (Read& read : phase_reads(*member, snapshot)) reads.reads.push_back(std::move(read));
  normalize(reads);
  return {};
}

Result<PhaseJudgement> judge_phase(const Context& context, const Work& work, const Policy& policy) {
  PhaseJudgement judgement;
  const Txn& txn = work.txn;
  if (txn.workflow.empty() || INJECTED_BUG("land.ignore_phase")) return judgement;
  const auto judge = [&](const store::View& view) -> Result<std::vector<NewEvent>> {
    judgement = TRY(judged(view, *context.store, txn, policy));
    if (judgement.how != PhaseJudgement::How::kCarried) return std::vector<NewEvent>{};
    return std::vector<NewEvent>{events::phase_carried(txn.id, judgement.member)};
  };
  TRY(context.store->decide(judge));
  return judgement;
}

Result<PhaseJudgement> phase_now(const store::Store& store, const Txn& txn, const Policy& policy) {
  if (txn.workflow.empty()) return PhaseJudgement{};
  return judged(store, store, txn, policy);
}

Result<std::optional<std::string>> version_now(const store::View& view, const Policy& policy,
                                               const std::string& subject, const TxnId& reader) {
  const auto parsed = parse_kernel_subject(subject);
  if (!parsed || parsed->kind != KernelSubject::Kind::kGates) {
    return store::kernel_version(view, subject, reader);
  }
  const auto workflow = TRY(store::workflow(view, parsed->workflow));
  if (!workflow) return std::optional<std::string>("");
  return std::optional<std::string>(gates_version(policy, *workflow, parsed->phase).str());
}

Result<std::string> value_now(const Context& context, const store::View& view, const RefName& ref) {
  const auto known = TRY(view.branch(ref));
  if (known && known->prepared && !INJECTED_BUG("land.prepared_unread")) {
    return known->prepared->new_head.str();
  }
  // A branch of a hub is what has landed there; the local one only follows.
  if (known && context.hub) return known->head.str();
  return TRY(if_there(context.repository->refs().read(ref))).value_or(Oid()).str();
}

namespace {

// Of two landings on branches that read each other's the second sees here that the first is on its
// way or has landed, for their branches wait for locks of their own.
Status check_branch(const Context& context, const store::View& view, const RefName& target,
                    const std::string& subject, const std::string& version) {
  if (!subject.starts_with("refs/") || subject == target.str()) return {};
  if (INJECTED_BUG("land.branches_judged_once")) return {};
  if (TRY(value_now(context, view, RefName(subject))) == version) return {};
  return fail(Code::kStale, fmt::format("{} has moved, or is about to", subject));
}

}  // namespace

Status check_kernel_reads(const Context& context, const store::View& view, const Work& work,
                          const Candidate& candidate) {
  const auto check = [&](const std::string& subject, const std::string& version) -> Status {
    const auto now = TRY(version_now(view, candidate.policy, subject, work.txn.id));
    if (now && *now == version) return {};
    return fail(Code::kStale,
                fmt::format("{} is at '{}', not '{}'", subject, now.value_or("none"), version));
  };
  // The rule it works under, whatever its level; and what it observed, as it was certified with.
  for (const Read& read : work.footprint.reads.reads) {
    if (is_rule(read)) TRY(check(read.subject, read.digest));
  }
  for (const auto& [subject, version] : candidate.versions) {
    if (parse_kernel_subject(subject)) TRY(check(subject, version));
    TRY(check_branch(context, view, work.txn.target, subject, version));
  }
  return {};
}

bool is_about_rule(const Work& work, const Conflict& conflict) {
  if (conflict.kind != ConflictKind::kKernel || !of_phase(conflict.subject)) return false;
  return std::ranges::any_of(work.footprint.reads.reads, [&](const Read& read) {
    return is_rule(read) && read.subject == conflict.subject && read.digest == conflict.read_digest;
  });
}

}  // namespace gittxn::land
