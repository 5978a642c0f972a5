#include "gates/units/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/duration.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "gates/evidence/machine.h"
#include "gates/units/names.h"
#include "gates/units/prepare.h"
#include "gates/units/run_parts.h"
#include "store/events.h"

namespace gittxn::gates {
namespace {

using Part = UnitSaid::Part;

FAILPOINT(fp_heard, "gates.unit_heard");
FAILPOINT(fp_ran_all, "gates.units_ran");

constexpr std::size_t kDate = 10;  // of a time, "2026-12-31"

// The outputs of a lane. No gate's name contains a plus.
std::string outputs_of(const std::string& lane) {
  return lane + "+outputs";
}

std::string printed_of(const UnitSaid& said, const std::string& printed) {
  const std::string end = printed.empty() || printed.ends_with('\n') ? "" : "\n";
  return fmt::format("== {}: {}\n{}{}", said.unit, outcome_of(said), printed, end);
}

}  // namespace

struct UnitGate::State {
  State(const GateContext& in, const Policy& of, const GateSpec& spec, const Candidate& on,
        Evidence& known_before, UnitTrees files)
      : context(in),
        policy(of),
        gate(spec),
        candidate(on),
        trees(std::move(files)),
        evidence(in, spec, known_before, trees),
        env(environment_of(in, spec, on)),
        outputs_dir(outputs_of(fixed_path(in, on.branch, spec.name.str()))) {}

  bool prepares() const {
    const WorktreeSpec& worktree = policy.worktree;
    return !gate.units->prepare.empty() || !worktree.run.empty() || !worktree.copy.empty() ||
           !worktree.share.empty();
  }
  UnitEvidence::Where where() const { return {candidate.tree, outputs.digest, files}; }
  Result<std::optional<UnitSaid>> find(Part part, const std::string& unit);
  Status know_prepared();
  Status know_list();
  Result<bool> know();
  Status take(UnitSaid said, const std::string& printed);
  PrepareRequest request() {
    return {context, policy, gate, candidate, env, evidence, trees, outputs_dir};
  }
  Status prepare(GateLane& lane);
  Status list(PartRunner& runner);
  Status hear_list(PartRan ran);
  Status run_units(PartRunner& runner);
  PartPlace place_in(const GateLane& lane) const {
    return {lane.tree(), candidate.tree, outputs, files, env};
  }
  Status run_in_places(GateLane& lane);
  Status run_in_one_checkout(GateLane lane);
  std::vector<std::string> units_to_run() const;
  Result<bool> hear(const std::vector<std::string>& units, PartRan ran);
  Status order(std::vector<std::string>& units);
  Result<GateReport> report() const;
  const Quarantine* quarantine_of(const std::string& unit) const;
  int at_a_time() const;
  void say() const;

  const GateContext& context;
  const Policy& policy;
  const GateSpec& gate;
  const Candidate& candidate;
  UnitTrees trees;
  UnitEvidence evidence;
  Environment env;
  std::string outputs_dir;

  Runs runs = Runs::kUpToAFailure;
  Outputs outputs;
  Oid files;
  bool prepared = false;  // outputs and files are known
  std::optional<std::vector<std::string>> names;
  std::map<std::pair<Part, std::string>, UnitSaid> said;
  std::map<std::string, std::int64_t> took_ms;  // units that are to run, when they ran before
  // Units that are repeated: how often each failed, and what it printed then.
  std::map<std::string, std::pair<int, std::string>> failures;
  std::vector<WouldRun> would_run;  // parts that were looked for and of which nothing counts
  std::string missed;               // of the first of them of which something was known
  std::string refused;              // why there is nothing to run
  std::string printed;              // of units that failed
};

Result<std::optional<UnitSaid>> UnitGate::State::find(Part part, const std::string& unit) {
  if (runs == Runs::kAll) return std::nullopt;
  std::string why;
  auto found = TRY(evidence.find(part, unit, where(), &why));
  if (found) return found;
  if (missed.empty() && !why.empty()) {
    missed = unit.empty() ? why : fmt::format("{}: {}", unit, why);
  }
  would_run.push_back({unit, std::move(why)});
  return std::nullopt;
}

Status UnitGate::State::know_prepared() {
  files = candidate.tree;
  if (!prepares()) {
    prepared = true;
    return {};
  }
  auto found = TRY(find(Part::kPrepared, ""));
  if (!found) return {};
  auto kept = kept_outputs(outputs_dir, found->outputs);
  if (!kept) return {};  // removed to save space, or damaged
  const auto with = trees.with(candidate.tree, *kept);
  if (!with) return {};  // they do not go with this tree
  outputs = *std::move(kept);
  files = *with;
  prepared = true;
  said[{Part::kPrepared, ""}] = *std::move(found);
  return {};
}

Status UnitGate::State::know_list() {
  if (gate.units->list.empty()) {
    auto named = unit_names(*gate.units, trees.objects(), candidate.tree);
    if (!named && named.error().code != Code::kRefused) return std::unexpected(named.error());
    if (!named) refused = named.error().message;
    names = named ? *std::move(named) : std::vector<std::string>();
    return {};
  }
  auto found = TRY(find(Part::kListed, ""));
  if (!found) return {};
  const auto text = context.store->artifact(found->output);
  auto named =
      text ? unit_names(*text) : Result<std::vector<std::string>>(fail(Code::kNotFound, ""));
  if (!named) return {};
  names = *std::move(named);
  said[{Part::kListed, ""}] = *std::move(found);
  return {};
}

// True when all parts are known.
Result<bool> UnitGate::State::know() {
  if (!prepared) TRY(know_prepared());
  if (!prepared) return false;
  if (!names) TRY(know_list());
  if (!names || !refused.empty()) return false;
  for (const std::string& unit : *names) {
    if (said.contains({Part::kUnit, unit})) continue;
    if (auto found = TRY(find(Part::kUnit, unit))) said[{Part::kUnit, unit}] = *std::move(found);
  }
  return units_to_run().empty();
}

std::vector<std::string> UnitGate::State::units_to_run() const {
  std::vector<std::string> units;
  for (const std::string& unit : *names) {
    if (!said.contains({Part::kUnit, unit})) units.push_back(unit);
  }
  return units;
}

// Puts first the units that failed last time, then the quick ones; new ones count as quick.
Status UnitGate::State::order(std::vector<std::string>& units) {
  std::map<std::string, std::pair<int, std::int64_t>> places;
  for (const std::string& unit : units) {
    const auto before = TRY(evidence.before(unit));
    if (before) {
      took_ms[unit] = before->duration_ms;
      places[unit] = {before->failed ? 0 : 1, before->duration_ms};
    } else {
      places[unit] = {1, 0};
    }
  }
  std::ranges::stable_sort(units, {}, [&](const std::string& unit) { return places.at(unit); });
  return {};
}

Status UnitGate::State::take(UnitSaid part, const std::string& text) {
  part.output = TRY(context.store->put_artifact(text));
  said[{part.part, part.unit}] = std::move(part);
  return {};
}

Status UnitGate::State::prepare(GateLane& lane) {
  if (context.on_phase) {
    context.on_phase(fmt::format("gate {}: set-up and build", gate.name.str()));
  }
  // All of it by hand is a build from nothing, too.
  const From from = runs == Runs::kAll ? From::kNothing : From::kLastBuild;
  Prepared made = TRY(prepare_units(request(), from, &lane));
  made.said.missed = missed;
  if (made.said.passed) {
    outputs = std::move(made.outputs);
    files = TRY(trees.with(candidate.tree, outputs));
    prepared = true;
  } else {
    refused = "its set-up or build failed";
    printed += made.printed;
  }
  return take(std::move(made.said), made.printed);
}

Status UnitGate::State::hear_list(PartRan ran) {
  ran.said.part = Part::kListed;
  ran.said.missed = missed;
  names.emplace();
  if (!ran.said.passed) {
    refused = "the list of its units failed: " + outcome_of(ran.said);
  } else if (!ran.whole) {
    refused = "the list of its units is too long";
  } else if (auto named = unit_names(ran.printed)) {
    names = *std::move(named);
  } else {
    refused = named.error().message;
  }
  if (!refused.empty()) ran.said.passed = false;
  if (!refused.empty()) printed += ran.printed;
  return take(std::move(ran.said), ran.printed);
}

Status UnitGate::State::list(PartRunner& runner) {
  return runner.run({gate.units->list}, 1, [this](PartRan ran) -> Result<bool> {
    TRY(hear_list(std::move(ran)));
    return false;
  });
}

// The entry by which it may fail today.
const Quarantine* UnitGate::State::quarantine_of(const std::string& unit) const {
  const std::string today = format_utc(context.clock->wall_ms()).substr(0, kDate);
  const auto entry = std::ranges::find_if(policy.quarantine, [&](const Quarantine& one) {
    return one.gate == gate.name && one.unit == unit && today < one.until;
  });
  return entry == policy.quarantine.end() ? nullptr : &*entry;
}

int UnitGate::State::at_a_time() const {
  return gate.units->jobs > 0 ? gate.units->jobs : processors().value_or(1);
}

// Takes what a unit said. False: that is enough.
Result<bool> UnitGate::State::hear(const std::vector<std::string>& units, PartRan ran) {
  TRY(fp_heard.hit());
  UnitSaid& one = ran.said;
  one.unit = units[ran.number];
  auto& [failed, failed_text] = failures[one.unit];
  if (!one.passed && failed < gate.retries) {  // once more
    failed_text += printed_of(one, ran.printed);
    ++failed;
    return true;
  }
  if (one.passed && failed > 0) {
    one.flaky = true;
    one.passed = gate.allow_flaky;
    one.looks = one.survey = Digest();
    one.limited = "it passed after it had failed";
    ran.printed.insert(0, failed_text);
  }
  const Quarantine* excuse = one.passed ? nullptr : quarantine_of(one.unit);
  const bool passed = one.passed || excuse != nullptr;
  if (!one.passed || one.flaky) {
    std::string text = printed_of(one, ran.printed);
    if (excuse != nullptr) {
      text += fmt::format("== {} may fail until {}: {}\n", one.unit, excuse->until, excuse->why);
    }
    if (context.on_output) context.on_output(gate.name, text);
    printed += text;
  }
  TRY(take(std::move(one), ran.printed));
  say();
  return passed || runs != Runs::kUpToAFailure;
}

// Says how far it is, with what the rest took when it ran before.
void UnitGate::State::say() const {
  if (!context.on_phase) return;
  std::size_t done = 0;
  std::int64_t left_ms = 0;
  for (const std::string& unit : *names) {
    const bool is_done = said.contains({Part::kUnit, unit});
    const auto took = took_ms.find(unit);
    if (is_done) ++done;
    if (!is_done && took != took_ms.end()) left_ms += took->second;
  }
  std::string phrase = fmt::format("gate {}: {} of {} units", gate.name.str(), done, names->size());
  if (left_ms >= kLeastToldMs) {
    phrase += fmt::format(", about {} left", format_duration(left_ms / at_a_time()));
  }
  context.on_phase(phrase);
}

Status UnitGate::State::run_units(PartRunner& runner) {
  bool more = true;
  say();
  for (int turn = 0; turn <= gate.retries && more; ++turn) {
    std::vector<std::string> units = units_to_run();
    if (units.empty()) break;
    TRY(order(units));
    std::vector<std::vector<std::string>> commands;
    for (const std::string& unit : units) commands.push_back(unit_command(gate.command, unit));
    TRY(runner.run(commands, at_a_time(), [&](PartRan ran) -> Result<bool> {
      more = TRY(hear(units, std::move(ran)));
      return more;
    }));
  }
  return {};
}

Status UnitGate::State::run_in_places(GateLane& lane) {
  if (!prepared) TRY(prepares() ? prepare(lane) : know_prepared());
  if (!prepared) return {};
  // The files are seen there, so that what a build wrote down of its place is true.
  TRY(make_dirs(lane.tree()));
  if (TRY(know())) return {};
  PartRunner runner(context, policy, gate, candidate, trees, place_in(lane));
  if (!names) TRY(list(runner));
  if (!refused.empty() || TRY(know())) return {};
  return run_units(runner);
}

// Runs everything in one checkout, one after the other, where there are no namespaces.
Status UnitGate::State::run_in_one_checkout(GateLane lane) {
  GateCheckout checkout =
      TRY(GateCheckout::make(context, std::move(lane), candidate, candidate.commit));
  said.clear();
  names.reset();
  outputs = Outputs();
  files = candidate.tree;
  Built built = TRY_IN("gate " + gate.name.str(), build_in(request(), checkout));
  if (!built.passed) {
    refused = "its set-up or build failed";
    printed += built.printed;
    return checkout.discard();
  }
  if (gate.units->list.empty()) {
    TRY(know_list());
  } else {
    TRY(hear_list(TRY(gates::run_in_checkout(request(), checkout, gate.units->list))));
  }
  bool more = refused.empty();
  for (int turn = 0; turn <= gate.retries && more; ++turn) {
    const std::vector<std::string> units = units_to_run();
    for (std::size_t i = 0; i < units.size() && more; ++i) {
      PartRan ran =
          TRY(gates::run_in_checkout(request(), checkout, unit_command(gate.command, units[i])));
      ran.number = i;
      more = TRY(hear(units, std::move(ran)));
    }
  }
  return checkout.discard();
}

Result<GateReport> UnitGate::State::report() const {
  UnitTable table;
  for (const Part part : {Part::kPrepared, Part::kListed}) {
    if (const auto one = said.find({part, ""}); one != said.end()) table.push_back(one->second);
  }
  const bool whole = names && refused.empty();
  bool passed = whole;
  int quarantined = 0;
  std::int64_t ran_ms = 0;
  for (const std::string& unit : whole ? *names : std::vector<std::string>()) {
    const auto one = said.find({Part::kUnit, unit});
    if (one != said.end()) table.push_back(one->second);
    const bool excused = one != said.end() && quarantine_of(unit) != nullptr;
    if (excused && !one->second.passed) ++quarantined;
    passed = passed && one != said.end() && (one->second.passed || excused);
  }
  GateReport made;
  made.reused = std::ranges::none_of(table, &UnitSaid::ran);
  Certificate& certificate = made.certificate;
  certificate.gate = gate.name;
  certificate.gate_version = gate.version;
  certificate.tree = candidate.tree;
  certificate.parent = candidate.parent;
  certificate.txn = candidate.txn;
  certificate.passed = passed;
  certificate.tally = tally_of(table);
  certificate.tally.quarantined = quarantined;
  if (whole) certificate.tally.units = static_cast<int>(names->size());
  for (const UnitSaid& one : table) {
    if (one.ran) ran_ms += one.duration_ms;
    const bool failed = !one.passed && certificate.exit_status == 0;
    if (failed) certificate.exit_status = one.exit_status;
    if (failed) certificate.timed_out = one.timed_out;
    if (failed) certificate.elsewhere = one.elsewhere;
    certificate.flaky = certificate.flaky || one.flaky;
  }
  certificate.refused = refused;
  certificate.duration_ms = ran_ms;
  if (!made.reused) certificate.missed = missed;
  if (!printed.empty()) certificate.output = TRY(context.store->put_artifact(printed));
  const std::string lines = units_to_lines(table);
  certificate.units = sha256(lines);
  if (!evidence.has_read(certificate.units)) TRY(context.store->put_artifact(lines));
  return made;
}

UnitGate::UnitGate(std::unique_ptr<State> state) : state_(std::move(state)) {}
UnitGate::UnitGate(UnitGate&&) noexcept = default;
UnitGate& UnitGate::operator=(UnitGate&&) noexcept = default;
UnitGate::~UnitGate() = default;

Result<UnitGate> UnitGate::open(const GateContext& context, const Policy& policy,
                                const GateSpec& gate, const Candidate& candidate,
                                Evidence& evidence) {
  return UnitGate(std::make_unique<State>(context, policy, gate, candidate, evidence,
                                          TRY(UnitTrees::open(context))));
}

Result<std::optional<GateReport>> UnitGate::known() {
  if (!TRY(state_->know())) return std::nullopt;
  const Candidate& candidate = state_->candidate;
  const Certificate* nearest = TRY(state_->evidence.nearest());
  const bool same = nearest->tree == candidate.tree && nearest->parent == candidate.parent;
  if (same && nearest->passed) return GateReport{.certificate = *nearest, .reused = true};
  GateReport report = TRY(state_->report());
  report.certificate.carried_from = nearest->tree;
  return report;
}

Result<UnitGate::Explained> UnitGate::explained() {
  Explained explained;
  if (state_->names) explained.units = state_->names->size();
  explained.would_run = state_->would_run;
  if (!state_->refused.empty()) explained.would_run.push_back({"", state_->refused});
  const Certificate* nearest = TRY(state_->evidence.nearest());
  if (nearest != nullptr) explained.nearest = nearest->tree;
  return explained;
}

Result<std::vector<UnitGate::Audited>> UnitGate::audit(GateLane lane, const Picked& picked) {
  State& state = *state_;
  std::vector<Audited> audited;
  std::vector<std::vector<std::string>> commands;
  for (const auto& [key, said] : state.said) {
    if (said.part != Part::kUnit || said.ran || !picked(said)) continue;
    audited.push_back({said, {}});
    commands.push_back(unit_command(state.gate.command, said.unit));
  }
  if (!state.outputs.digest.empty()) TRY(kept_outputs(state.outputs_dir, state.outputs.digest));
  TRY_IN("what a killed gate left", repo::remove_worktree(lane.path()));
  TRY(make_dirs(lane.tree()));
  PartRunner runner(state.context, state.policy, state.gate, state.candidate, state.trees,
                    state.place_in(lane));
  TRY(runner.run(commands, state.at_a_time(), [&](PartRan ran) -> Result<bool> {
    UnitSaid& now = audited[ran.number].now;
    now = std::move(ran.said);
    now.unit = audited[ran.number].carried.unit;
    now.output = TRY(state.context.store->put_artifact(ran.printed));
    return true;
  }));
  TRY(remove_tree(lane.path()));
  return audited;
}

Result<GateReport> UnitGate::run(GateLane lane, Runs runs) {
  constexpr int kTries = 3;
  State& state = *state_;
  state.runs = runs;
  TRY_IN("what a killed gate left", repo::remove_worktree(lane.path()));
  const std::string path = lane.path();
  const bool fixed = lane.lane() == Lane::kFixed;
  state.outputs_dir = outputs_of(path);
  Status ran = state.run_in_places(lane);
  for (int i = 1; i < kTries && !ran && ran.error().code == Code::kStale; ++i) {
    state.prepared = false;
    state.outputs = Outputs();
    ran = state.run_in_places(lane);
  }
  TRY(remove_tree(path));
  if (!ran && ran.error().code == Code::kUnsupported) {
    ran = state.run_in_one_checkout(std::move(lane));
  }
  TRY(ran);
  TRY(fixed ? prune_outputs(state.outputs_dir) : remove_tree(state.outputs_dir));
  GateReport report = TRY(state.report());
  TRY(fp_ran_all.hit());
  TRY(state.context.store->append({store::events::gate_evaluated(report.certificate)}));
  return report;
}

}  // namespace gittxn::gates
