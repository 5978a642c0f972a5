#include "gates/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "base/json.h"
#include "gates/checkout.h"
#include "gates/evidence/carry.h"
#include "gates/evidence/elsewhere.h"
#include "gates/evidence/evidence.h"
#include "gates/evidence/judged_run.h"
#include "gates/units/units.h"
#include "store/events.h"

namespace gittxn::gates {
namespace {

constexpr std::int64_t kFirstPollMs = 50;
constexpr std::int64_t kLongestPollMs = 1000;

FAILPOINT(fp_checked_out, "gates.checked_out");
FAILPOINT(fp_ran, "gates.ran");

// One run of one gate, from checkout to certificate.
class GateRun {
 public:
  GateRun(const GateContext& context, const Policy& policy, const GateSpec& gate,
          const Candidate& candidate)
      : context_(context),
        policy_(policy),
        gate_(gate),
        candidate_(candidate),
        env_(environment_of(context, gate, candidate)) {}

  Result<GateReport> run(GateLane::Lanes lanes);
  std::string* missed() { return &missed_; }  // why nothing counted that was known, if asked

 private:
  Status run_in(const GateCheckout& checkout);
  Status execute(const GateCheckout& checkout);
  Status judge_evidence(const GateCheckout& checkout);

  const GateContext& context_;
  const Policy& policy_;
  const GateSpec& gate_;
  const Candidate& candidate_;
  Environment env_;
  std::optional<PortBlock> ports_;
  std::int64_t start_wall_ms_ = 0;
  std::vector<std::string> records_;
  ProcessResult result_;
  std::string missed_;
  std::string failed_before_;  // what runs that failed and are repeated printed
  GateReport report_;
};

Status GateRun::execute(const GateCheckout& checkout) {
  ports_ = TRY(reserve_ports(context_, policy_, gate_.name.str()));
  if (ports_) env_["GIT_TXN_PORT"] = std::to_string(ports_->first);
  SetUpRequest request{checkout.tree(), checkout.dir(), context_.trace, env_};
  records_ = TRY(set_up(context_, policy_, request));

  ProcessSpec spec = process_of(context_, gate_.name, gate_.command, checkout.tree(), env_);
  spec.record_file = join_path(checkout.dir(), "gate.trace");
  spec.trace = context_.trace;
  spec.timeout_ms = gate_.timeout_ms;
  const bool as_it_comes = context_.shown == GateContext::Shown::kAll;
  if (!as_it_comes) spec.on_output = nullptr;
  result_ = TRY(run_process(spec, *context_.clock));
  if (context_.on_output && !as_it_comes && !result_.passed()) {
    context_.on_output(gate_.name, result_.output);
  }
  records_.push_back(spec.record_file);
  return {};
}

// Fills in inputs and tool_env when this run may stand for another one, else says why it may not.
Status GateRun::judge_evidence(const GateCheckout& checkout) {
  Certificate& certificate = report_.certificate;
  if (certificate.flaky)
    certificate.limited = "it passed after it had failed";
  else if (!certificate.passed)
    certificate.limited = "it did not pass";
  else if (!result_.trace.lost.empty())
    certificate.limited = result_.trace.lost;
  else if (!result_.trace.left_running.empty())
    certificate.limited = "it left processes running";
  else if (checkout.lane() != Lane::kFixed)
    certificate.limited = "another run of it was under way";
  if (!certificate.limited.empty()) return {};

  RunOf run;
  run.records = records_;
  run.tree = checkout.tree();
  run.git_dir = checkout.git_dir();
  run.snapshot = candidate_.commit;
  run.tree_of_snapshot = candidate_.tree;
  run.start_wall_ms = start_wall_ms_;
  const JudgedRun judged = TRY_IN("the reads of gate " + gate_.name.str(),
                                  judged_run(context_, policy_, gate_, candidate_, env_, run));
  certificate.inputs = judged.inputs;
  certificate.limited = judged.limited;
  if (judged.survey.empty()) return {};
  certificate.tool_env = TRY(context_.store->put_artifact(judged.survey));
  if (!judged.looks) return {};
  certificate.looks = TRY(context_.store->put_artifact(looks_to_lines(*judged.looks)));
  return {};
}

// One run in a checkout: what it says, without what it depends on.
Status GateRun::run_in(const GateCheckout& checkout) {
  start_wall_ms_ = context_.clock->wall_ms();
  TRY(fp_checked_out.hit());
  TRY_IN("gate " + gate_.name.str(), execute(checkout));
  TRY(fp_ran.hit());
  result_.output.insert(0, failed_before_);
  report_.certificate =
      TRY(certificate_of(context_, gate_.name, gate_.version, candidate_, result_));
  Certificate& certificate = report_.certificate;
  certificate.missed = missed_;
  certificate.elsewhere =
      TRY(tested_elsewhere(*context_.repository, records_, checkout.tree(), candidate_.tree));
  if (!certificate.elsewhere.empty() && !INJECTED_BUG("gates.tests_anything")) {
    certificate.passed = false;
  }
  return {};
}

Result<GateReport> GateRun::run(GateLane::Lanes lanes) {
  GateLane lane = TRY(GateLane::take(context_, gate_.name.str(), candidate_.branch, lanes));
  Certificate& certificate = report_.certificate;
  for (int failures = 0;; ++failures) {
    GateCheckout checkout =
        TRY(GateCheckout::make(context_, std::move(lane), candidate_, candidate_.commit));
    TRY(run_in(checkout));
    if (certificate.passed || failures == gate_.retries) {
      certificate.flaky = certificate.passed && failures > 0;
      if (certificate.flaky) certificate.passed = gate_.allow_flaky;
      TRY(judge_evidence(checkout));
      TRY(context_.store->append({store::events::gate_evaluated(certificate)}));
      TRY(checkout.discard());
      return report_;
    }
    failed_before_ = fmt::format("{}== run {} of it: {}\n", result_.output, failures + 1,
                                 outcome_of(certificate));
    lane = TRY(checkout.leave());
  }
}

}  // namespace

std::string outcome_of(const Certificate& certificate) {
  if (certificate.passed) return "it passed";
  if (!certificate.refused.empty()) return certificate.refused;
  const UnitTally& tally = certificate.tally;
  if (tally.failed > 0) {
    return fmt::format("{} of {} units failed, first {}", tally.failed, tally.units,
                       encode_path(tally.first_failed));
  }
  if (certificate.flaky) return "it failed, and passed when it was repeated";
  if (certificate.timed_out) return "it did not end within its time limit";
  if (certificate.exit_status != 0) return fmt::format("exit status {}", certificate.exit_status);
  return fmt::format("it tested {}, not the candidate", certificate.elsewhere);
}

Result<GateReport> run_gate(const GateContext& context, const Policy& policy, const GateSpec& gate,
                            const Candidate& candidate) {
  if (!gate.units) return GateRun(context, policy, gate, candidate).run(GateLane::Lanes::kAny);
  Evidence evidence(context, policy, candidate);
  UnitGate units = TRY(UnitGate::open(context, policy, gate, candidate, evidence));
  GateLane lane =
      TRY(GateLane::take(context, gate.name.str(), candidate.branch, GateLane::Lanes::kAny));
  return units.run(std::move(lane), UnitGate::Runs::kAll);
}

namespace {

// A gate of a candidate, as a whole or in units.
class Gate {
 public:
  static Result<Gate> open(const GateContext& context, const Policy& policy, const GateSpec& gate,
                           const Candidate& candidate, Evidence& evidence) {
    Gate made(context, policy, gate, candidate, evidence);
    if (gate.units) {
      made.units_ = TRY(UnitGate::open(context, policy, gate, candidate, evidence));
    }
    return made;
  }

  // The report when nothing has to run.
  Result<std::optional<GateReport>> known() {
    if (units_) return units_->known();
    std::optional<Miss> nearest;
    auto known = TRY(evidence_->find(gate_, &nearest));
    missed_ = nearest ? nearest->why : "";
    took_ms_ = nearest ? nearest->known.duration_ms : 0;
    if (!known) return std::nullopt;
    return GateReport{.certificate = *std::move(known), .reused = true};
  }
  // Runs the parts that known() did not find.
  Result<GateReport> run(GateLane::Lanes lanes) {
    if (units_) {
      GateLane lane = TRY(GateLane::take(context_, gate_.name.str(), candidate_.branch, lanes));
      return units_->run(std::move(lane), UnitGate::Runs::kUpToAFailure);
    }
    GateRun run(context_, policy_, gate_, candidate_);
    *run.missed() = missed_;
    say();
    return run.run(lanes);
  }

 private:
  Gate(const GateContext& context, const Policy& policy, const GateSpec& gate,
       const Candidate& candidate, Evidence& evidence)
      : context_(context),
        policy_(policy),
        gate_(gate),
        candidate_(candidate),
        evidence_(&evidence) {}
  void say() const {
    if (!context_.on_phase) return;
    std::string phrase = "gate " + gate_.name.str();
    if (took_ms_ >= kLeastToldMs) phrase += ", about " + format_duration(took_ms_);
    context_.on_phase(phrase);
  }

  const GateContext& context_;
  const Policy& policy_;
  const GateSpec& gate_;
  const Candidate& candidate_;
  Evidence* evidence_;
  std::string missed_;        // why nothing counted that was known
  std::int64_t took_ms_ = 0;  // its run, which is known
  std::optional<UnitGate> units_;
};

// Takes a free slot of those for gates that run without the turn. The lock is not held when all
// slots are taken.
Result<SlotLock> place_of(const GateContext& context) {
  const std::string locks = join_path(context.repository->txn_dir(), "locks");
  TRY(make_dirs(locks));
  for (int place = 0; place < context.jobs; ++place) {
    auto taken = TRY(unless(Code::kBusy, SlotLock::try_acquire(join_path(locks, "gates"), place)));
    if (taken) return *std::move(taken);
  }
  return SlotLock();
}

// nullopt, with the reason in `waits`: the caller looks again a little later.
Result<std::optional<GateReport>> run_beside(const GateContext& context, Gate& gate,
                                             std::string* waits) {
  const SlotLock place = TRY(place_of(context));
  if (!place.held()) {
    *waits = fmt::format("one of {} running gates to end (txn.gateJobs)", context.jobs);
    return std::nullopt;
  }
  *waits = "another run of it";
  return unless(Code::kBusy, gate.run(GateLane::Lanes::kFixedOnly));
}

// Finds a certificate or runs the gate, for a landing that does not hold the turn.
Result<GateReport> gate_beside(const GateContext& context, const Policy& policy,
                               const GateSpec& spec, const Candidate& candidate) {
  for (std::int64_t poll_ms = kFirstPollMs;; poll_ms = std::min(poll_ms * 2, kLongestPollMs)) {
    Evidence evidence(context, policy, candidate);
    Gate gate = TRY(Gate::open(context, policy, spec, candidate, evidence));
    if (auto known = TRY(gate.known())) return *std::move(known);
    std::string waits;
    if (auto ran = TRY(run_beside(context, gate, &waits))) return *std::move(ran);
    if (context.on_phase) {
      context.on_phase(fmt::format("gate {}: waiting for {}", spec.name.str(), waits));
    }
    if (context.interrupted && context.interrupted()) {
      return fail(Code::kInterrupted, "interrupted while waiting to run gate " + spec.name.str());
    }
    context.clock->sleep_ms(poll_ms);
  }
}

// Finds a certificate or runs the gate, for a landing that holds the turn.
Result<GateReport> gate_now(const GateContext& context, const Policy& policy, const GateSpec& spec,
                            const Candidate& candidate, Evidence& evidence) {
  Gate gate = TRY(Gate::open(context, policy, spec, candidate, evidence));
  if (auto known = TRY(gate.known())) return *std::move(known);
  return gate.run(GateLane::Lanes::kAny);
}

}  // namespace

Result<std::optional<std::vector<GateReport>>> known_gates(const GateContext& context,
                                                           const Policy& policy,
                                                           const Candidate& candidate) {
  std::vector<GateReport> reports;
  Evidence evidence(context, policy, candidate);
  for (const GateSpec& spec : policy.gates) {
    Gate gate = TRY(Gate::open(context, policy, spec, candidate, evidence));
    auto known = TRY(gate.known());
    if (!known) return std::nullopt;
    reports.push_back(*std::move(known));
  }
  return reports;
}

std::vector<NewEvent> not_in_log(const std::vector<GateReport>& reports) {
  std::vector<NewEvent> events;
  for (const GateReport& report : reports) {
    if (report.in_log || !report.carried()) continue;
    events.push_back(store::events::gate_evaluated(report.certificate));
  }
  return events;
}

Result<std::vector<GateReport>> run_gates(const GateContext& context, const Policy& policy,
                                          const Candidate& candidate, Turn turn) {
  std::vector<GateReport> reports;
  Evidence evidence(context, policy, candidate);
  for (const GateSpec& gate : policy.gates) {
    const bool held = turn == Turn::kHeld;
    reports.push_back(TRY(held ? gate_now(context, policy, gate, candidate, evidence)
                               : gate_beside(context, policy, gate, candidate)));
    if (!reports.back().certificate.passed) break;
  }
  const std::vector<NewEvent> carried = not_in_log(reports);
  if (!carried.empty()) TRY(context.store->append(carried));
  for (GateReport& report : reports) report.in_log = true;
  return reports;
}

}  // namespace gittxn::gates
