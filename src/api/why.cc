// git txn why: why a transaction waits, was repaired or was refused. The witness is shown as a diff
// between what was read and what the branch says now, or as what the gate printed; then its whole
// history, and what to do next.
#include <fmt/format.h>

#include <algorithm>

#include "api/kernel.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "model/fields.h"
#include "store/events.h"
#include "store/work/workflows.h"
#include "txn/attempt.h"
#include "txn/go_on.h"
#include "work/compensations.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

constexpr std::size_t kMostWitnesses = 20;
constexpr std::size_t kMostWitnessBytes = 16u << 10;

std::string bounded(std::string text, std::string_view what) {
  if (text.size() <= kMostWitnessBytes) return text;
  std::size_t end = text.rfind('\n', kMostWitnessBytes);
  if (end == std::string::npos) end = kMostWitnessBytes;
  const std::size_t left = text.size() - end;
  text.resize(end);
  return text + fmt::format("\n... {} more bytes of {}\n", left, what);
}

// The conflicts of one attempt, and between which commits they show.
struct Clash {
  int attempt = 0;  // 0: the last
  std::vector<Conflict> conflicts;
};

int attempt_named(const Event& event) {
  const auto payload = parse_json(event.payload);
  return payload ? static_cast<int>((*payload)["attempt"].integer_or(0)) : 0;
}

// The newest conflicts on record: of a landed transaction those of the attempt before the one that
// did.
Result<Clash> newest_clash(const std::vector<Event>& history) {
  Clash clash;
  for (const Event& event : history) {
    auto conflicts = TRY(events::conflicts_of(event));
    if (conflicts.empty()) continue;
    const int attempt = attempt_named(event);
    if (attempt != 0) clash.attempt = attempt;
    clash.conflicts = std::move(conflicts);
  }
  return clash;
}

// What the branch was when the attempt met it: the base of the next attempt, else what it is now.
Result<Oid> met_head(State& state, const Txn& txn, std::size_t index) {
  if (index + 1 < txn.attempts.size()) return txn.attempts[index + 1].base;
  if (!txn.landed_commit.empty()) {
    const auto landed = TRY(state.repository.objects().commit(txn.landed_commit));
    if (!landed.parents.empty()) return landed.parents.front();
  }
  return state.seen(txn.target);
}

Result<WhyReport::Witness> path_witness(State& state, const Oid& read, const Oid& head,
                                        const std::string& path) {
  std::string diff = TRY(difference(state, read, head, path));
  return WhyReport::Witness{path.empty() ? "." : path, bounded(std::move(diff), "difference")};
}

// What the gate printed the last time it said no.
Result<WhyReport::Witness> gate_witness(State& state, const std::vector<Event>& history,
                                        const std::string& gate) {
  WhyReport::Witness witness{"gate " + gate, ""};
  Digest output;
  for (const Event& event : history) {
    if (event.type != event_type::kGateEvaluated) continue;
    const Json payload = TRY(parse_json(event.payload));
    const Certificate certificate = TRY(read_fields<Certificate>(payload));
    if (certificate.gate.str() == gate && !certificate.passed) output = certificate.output;
  }
  if (output.empty()) return witness;
  std::string text = TRY(state.store->artifact(output));
  if (text.size() > kMostWitnessBytes) {
    text = "...\n" + text.substr(text.size() - kMostWitnessBytes);  // a failure is at the end
  }
  witness.diff = std::move(text);
  return witness;
}

// The path whose difference shows it; empty: none does.
const std::string* path_of(const Conflict& conflict) {
  if (!conflict.cause.empty()) return &conflict.cause;
  const bool is_path = conflict.kind == ConflictKind::kReadStale ||
                       conflict.kind == ConflictKind::kWriteWrite ||
                       conflict.kind == ConflictKind::kPredicate;
  return is_path ? &conflict.subject : nullptr;
}

Result<std::vector<WhyReport::Witness>> witnesses_of(State& state, const Txn& txn,
                                                     const std::vector<Event>& history,
                                                     const Clash& clash) {
  std::vector<WhyReport::Witness> witnesses;
  if (txn.attempts.empty()) return witnesses;
  const std::size_t last = txn.attempts.size() - 1;
  const std::size_t index =
      clash.attempt > 0 ? std::min(static_cast<std::size_t>(clash.attempt) - 1, last) : last;
  const Oid head = TRY(met_head(state, txn, index));
  for (const Conflict& conflict : clash.conflicts) {
    if (witnesses.size() == kMostWitnesses) break;
    const std::string* path = path_of(conflict);
    const std::string& subject = path != nullptr ? *path : conflict.subject;
    const auto same = [&](const auto& known) { return known.path == subject; };
    if (std::any_of(witnesses.begin(), witnesses.end(), same)) continue;
    if (conflict.kind == ConflictKind::kGate) {
      witnesses.push_back(TRY(gate_witness(state, history, conflict.subject)));
    } else if (path != nullptr) {
      auto witness = TRY(path_witness(state, txn.attempts[index].base, head, subject));
      if (!witness.diff.empty()) witnesses.push_back(std::move(witness));
    }
  }
  return witnesses;
}

std::string excuse_line(const Excuse& excuse) {
  switch (excuse.why) {
    case Excuse::Why::kLayout:
      return excuse.subject + " was read, and has only another layout";
    case Excuse::Why::kMerged:
      return excuse.subject +
             " was read and changed, and the branch has changed another part of it";
    case Excuse::Why::kHistory:
      return "history was read (" + excuse.subject + "), and the branch has gone on";
    case Excuse::Why::kStatus:
      return "`" + excuse.subject + "` passed, and passed again on the branch";
    case Excuse::Why::kReplaced:
      return "`" + excuse.subject + "` was run again later, and passed";
    case Excuse::Why::kHousekeeping:
      return (excuse.subject.empty() ? "the top of the tree" : excuse.subject) +
             " was looked at by the agent's program for itself, and it is another one now";
    case Excuse::Why::kGate:
      return "`" + excuse.subject + "` passed, and a gate runs it on what lands";
    case Excuse::Why::kCandidate:
      return "`" + excuse.subject + "` passed, and passed again on what lands";
    case Excuse::Why::kBeside:
      return (excuse.subject.empty() ? "the top" : excuse.subject) +
             " was shown to the agent alone; all that it saw stands, and something that it does "
             "not "
             "name is there besides";
    case Excuse::Why::kListing:
      return (excuse.subject.empty() ? "the top" : excuse.subject) +
             " was listed to the agent alone, and has other names now that it cannot depend on";
  }
  return {};
}

// Reads how it landed from its landing, or certifies how it would land now. Its work may have been
// collected, or the branch be gone: then nobody can say any more, and the rest is told all the
// same.
Status add_admission(State& state, const std::vector<Event>& history, WhyReport& report) {
  const Txn& txn = report.txn;
  if (txn.attempts.empty() || txn.attempts.back().kept.empty()) return {};
  if (txn.state == TxnState::kNothing || txn.state == TxnState::kAborted) return {};
  if (!txn.landed_commit.empty()) report.admitted = TRY(events::admitted_of(history));
  if (report.admitted == Admission{}) {
    const land::Context context = state.looking_context();
    auto verdict = Result<Verdict>(Verdict{});
    if (txn.landed_commit.empty()) {
      verdict = land::certify_now(context, txn.id);
    } else if (const auto landed = state.repository.objects().commit(txn.landed_commit);
               landed && !landed->parents.empty()) {
      // Landings of older programs say nothing.
      verdict = land::certify_at(context, txn.id, landed->parents.front());
    }
    if (!verdict) return {};
    report.admitted.excused = std::move(verdict->excused);
    report.admitted.held = std::move(verdict->held);
    if (txn.landed_commit.empty()) report.to_ask = std::move(verdict->to_ask);
  }
  for (const Excuse& excuse : report.admitted.excused) {
    report.excused.push_back(excuse_line(excuse));
  }
  for (const Read& read : TRY(recorded_reads(*state.store, txn.id, txn.attempts.back())).reads) {
    if (read.op != kJudged) continue;
    std::string line = (read.subject.empty() ? "the top of the tree" : read.subject) +
                       " had changed since it was read, and whoever resumed it judged that by the "
                       "difference";
    if (std::ranges::find(report.excused, line) == report.excused.end()) {
      report.excused.push_back(std::move(line));
    }
  }
  return {};
}

// Nothing can be begun in one that is finished.
enum class OfWorkflow { kNone, kGoesOn, kFinished, kCancelled };

Result<OfWorkflow> workflow_of(State& state, const Txn& txn) {
  if (txn.workflow.empty()) return OfWorkflow::kNone;
  const auto workflow = TRY(store::workflow(*state.store, WorkflowId(txn.workflow)));
  if (workflow && workflow->cancelled) return OfWorkflow::kCancelled;
  return workflow && workflow->open() != nullptr ? OfWorkflow::kGoesOn : OfWorkflow::kFinished;
}

// The line that runs the command again on the new head, which programs may run as it is; empty when
// none is known.
std::string again(const Txn& txn) {
  if (txn.command.empty()) return {};
  return "git txn retry " + txn.id.str();
}

std::vector<std::string> next_of_quarantined(const Txn& txn) {
  const std::string id = txn.id.str();
  std::vector<std::string> next{
      fmt::format("git txn resume {0}    merge the branch into its worktree, and see what it read "
                  "that has changed; then: git txn commit {0}",
                  id)};
  if (std::string line = again(txn); !line.empty()) next.push_back(std::move(line));
  next.push_back("git txn diff " + id + "      what it would have changed");
  next.push_back("git txn abort " + id + "     give it up; the work stays at " +
                 ref_of_attempt(txn.id, static_cast<int>(txn.attempts.size())));
  return next;
}

// The policy drops it with its phase: asking again would be answered the same.
std::vector<std::string> next_of_dropped(const Txn& txn, OfWorkflow workflow) {
  const std::string id = txn.id.str();
  std::vector<std::string> next{"git txn workflow status " + txn.workflow +
                                (workflow == OfWorkflow::kCancelled
                                     ? "      who cancelled it, and why"
                                     : "      which phase is open now")};
  if (workflow == OfWorkflow::kFinished) {
    next.push_back(fmt::format(
        "git txn workflow rollback {} --to {} --reason TEXT    open the phase for another run",
        txn.workflow, txn.phase));
  }
  if (std::string line = again(txn); !line.empty()) next.push_back(std::move(line));
  next.push_back("git txn diff " + id + "      what it would have changed");
  next.push_back("git txn abort " + id + "     give it up; its work is kept");
  return next;
}

Result<std::vector<std::string>> next_steps(const Txn& txn) {
  const std::string id = txn.id.str();
  switch (txn.state) {
    case TxnState::kQuarantined:
      return next_of_quarantined(txn);
    case TxnState::kRejected:
      return std::vector<std::string>{
          "git txn resume " + id +
              "    put it right in its worktree, with the branch merged into it; "
              "then: git txn commit " +
              id,
          "git txn commit " + id + "    ask again as it is, when the gate or policy was at fault"};
    case TxnState::kPrepared:
      if (wait_reason(txn.waiting_reason) == WaitReason::kTrust) {
        return std::vector{txn.waiting_subject};
      }
      if (wait_reason(txn.waiting_reason) == WaitReason::kLease) {
        return std::vector<std::string>{
            "git txn lease list    who has what, and for how long",
            "git txn commit " + id + " --wait 10m    land it when the lease is over"};
      }
      break;
    default:
      break;
  }
  const std::string next = TRY(next_here(txn));
  return next.empty() ? std::vector<std::string>{} : std::vector<std::string>{next};
}

}  // namespace

Result<WhyReport> Kernel::why(const std::string& id) {
  WhyReport report;
  report.txn = TRY(state_->find(id));
  const std::vector<Event> history = TRY(state_->store->events_of(report.txn.id.str()));
  const Clash clash = TRY(newest_clash(history));
  report.conflicts = clash.conflicts;
  report.witnesses = TRY(witnesses_of(*state_, report.txn, history, clash));
  TRY(add_admission(*state_, history, report));
  if (was_pruned(history)) report.history.emplace_back("(older events of it were pruned)");
  for (const Event& event : history) {
    report.history.push_back(event.time + "  " + events::describe(event));
  }
  const OfWorkflow workflow = TRY(workflow_of(*state_, report.txn));
  // Without a policy that says so, or a branch, it is told of as if it had no phase.
  const auto dropped = dropped_with_phase(*state_, report.txn);
  report.next =
      dropped && *dropped ? next_of_dropped(report.txn, workflow) : TRY(next_steps(report.txn));
  const bool owing = !TRY(owed_compensations(*state_, report.txn)).empty();
  if (owing) report.next = {std::string(kRunOwed)};
  report.process = running_now(report.txn).process;
  if (report.process != 0) {
    const std::string& name = report.txn.id.str();
    report.next = {"git txn open " + name + " -- git diff    what it has changed until now",
                   "git txn stop " + name + "    end its command and keep the work"};
  }
  return report;
}

}  // namespace gittxn::api
