#include "gates/units/prepare.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/failpoint.h"
#include "base/fs.h"
#include "gates/evidence/elsewhere.h"
#include "gates/evidence/judged_run.h"
#include "gates/evidence/survey.h"
#include "gates/process.h"

namespace gittxn::gates {
namespace {

FAILPOINT(fp_built, "gates.built");

// The time of the file system's own clock: nothing that is older was changed since.
Result<std::int64_t> file_time_ns(const std::string& mark) {
  TRY(write_file(mark, "", Sync::kNo));
  struct stat info{};
  if (::stat(mark.c_str(), &info) != 0) return fail_errno(errno, "stat '" + mark + "'");
  return static_cast<std::int64_t>(info.st_ctim.tv_sec) * 1'000'000'000 + info.st_ctim.tv_nsec;
}

ProcessSpec spec_of(const PrepareRequest& request, const GateCheckout& checkout,
                    const std::vector<std::string>& command, const std::string& record) {
  ProcessSpec spec =
      process_of(request.context, request.gate.name, command, checkout.tree(), request.env);
  spec.record_file = join_path(checkout.dir(), record);
  spec.trace = request.context.trace;
  spec.timeout_ms = request.gate.timeout_ms;
  spec.on_output = nullptr;
  return spec;
}

std::string why_limited(const ProcessResult& ran) {
  if (!ran.passed()) return "it did not pass";
  if (!ran.trace.lost.empty()) return ran.trace.lost;
  if (!ran.trace.left_running.empty()) return "it left processes running";
  return "";
}

Status judge(const PrepareRequest& request, const GateCheckout& checkout, const Built& built,
             const std::optional<GoesOn>& on, UnitSaid* said) {
  const GateContext& context = request.context;
  RunOf run;
  run.records = built.records;
  run.tree = checkout.tree();
  run.git_dir = checkout.git_dir();
  run.snapshot = request.candidate.commit;
  run.tree_of_snapshot = request.candidate.tree;
  if (on) run.snapshot = run.tree_of_snapshot = on->files;
  run.objects = on ? &request.trees.objects() : nullptr;
  run.start_wall_ms = built.start_wall_ms;
  run.may_connect = built.set_up_record;
  run.view.own = cache_places(request.gate, request.env);
  JudgedRun judged = TRY_IN(
      "the reads of the build of gate " + request.gate.name.str(),
      judged_run(context, request.policy, request.gate, request.candidate, request.env, run));
  said->limited = judged.limited;
  if (judged.survey.empty()) return {};
  if (on) judged.survey = TRY(united_surveys(judged.survey, on->survey));
  said->survey = TRY(context.store->put_artifact(judged.survey));
  if (!judged.looks) return {};
  if (on) judged.looks = chained_looks(*std::move(judged.looks), on->outputs, on->looks);
  said->looks = TRY(context.store->put_artifact(looks_to_lines(*judged.looks)));
  return {};
}

// Records the build for the next one to go on from.
Status remember(const PrepareRequest& request, const UnitSaid& said,
                const std::optional<GoesOn>& on) {
  if (said.looks.empty() || said.outputs.empty()) return {};
  LastBuild last{request.gate.version, said.tree, said.outputs, said.looks, said.survey, 0};
  if (on) last.since_nothing = on->last.since_nothing + 1;
  return remember_build(request.outputs_dir, last);
}

Status take(const PrepareRequest& request, const GateCheckout& checkout, std::int64_t since_ns,
            Prepared& made) {
  const GateContext& context = request.context;
  auto outputs = take_outputs(context.repository->objects(), request.candidate.tree,
                              checkout.tree(), since_ns, request.outputs_dir);
  if (outputs) {
    made.outputs = *std::move(outputs);
    made.said.outputs = TRY(context.store->put_artifact(outputs_to_lines(made.outputs)));
    if (made.outputs.files.empty()) made.said.outputs = Digest();
    return {};
  }
  if (outputs.error().code != Code::kRefused) return std::unexpected(std::move(outputs).error());
  made.said.passed = false;
  made.said.exit_status = 1;
  made.printed += outputs.error().message + "\n";
  return {};
}

Result<Prepared> prepare_from(const PrepareRequest& request, const std::optional<GoesOn>& on,
                              GateLane* lane) {
  const GateContext& context = request.context;
  const std::int64_t start_wall_ms = context.clock->wall_ms();
  const std::int64_t start_ns = context.clock->monotonic_ns();
  GateCheckout checkout = TRY(
      GateCheckout::make(context, std::move(*lane), request.candidate, request.candidate.commit));
  if (on) TRY(age_checkout(checkout.tree(), on->changed));
  const std::int64_t since_ns = TRY(file_time_ns(join_path(checkout.dir(), "checked-out")));
  if (on) TRY(place_outputs(on->outputs, checkout.tree()));
  Built built = TRY_IN("gate " + request.gate.name.str(), build_in(request, checkout));
  built.start_wall_ms = start_wall_ms;
  TRY(fp_built.hit());
  Prepared made;
  UnitSaid& said = made.said;
  said.part = UnitSaid::Part::kPrepared;
  said.tree = request.candidate.tree;
  said.ran = true;
  said.passed = built.passed;
  said.exit_status = built.exit_status;
  said.timed_out = built.timed_out;
  said.limited = built.limited;
  said.elsewhere = TRY(tested_elsewhere(*context.repository, built.records, checkout.tree(),
                                        request.candidate.tree));
  made.printed = std::move(built.printed);
  if (said.limited.empty() && checkout.lane() != Lane::kFixed) {
    said.limited = "another run of it was under way";
  }
  if (said.limited.empty()) TRY(judge(request, checkout, built, on, &said));
  if (said.passed) TRY(take(request, checkout, since_ns, made));
  if (said.passed && request.gate.units->incremental) TRY(remember(request, said, on));
  said.duration_ms = (context.clock->monotonic_ns() - start_ns) / kNsPerMs;
  *lane = TRY(checkout.leave());
  return made;
}

}  // namespace

Result<Built> build_in(const PrepareRequest& request, const GateCheckout& checkout) {
  Built built;
  SetUpRequest set{checkout.tree(), checkout.dir(), request.context.trace, request.env};
  built.records = TRY(set_up(request.context, request.policy, set));
  built.passed = true;
  for (const auto& command : request.gate.units->prepare) {
    ProcessSpec spec =
        spec_of(request, checkout, command, fmt::format("build-{}.trace", built.records.size()));
    spec.timeout_ms = request.gate.units->prepare_timeout_ms;
    const ProcessResult ran = TRY(run_process(spec, *request.context.clock));
    const bool sets_up = request.gate.units->sets_up && built.set_up_record.empty();
    if (sets_up) built.set_up_record = spec.record_file;
    built.records.push_back(spec.record_file);
    built.printed += ran.output;
    built.exit_status = ran.trace.exit_status;
    built.timed_out = ran.trace.timed_out;
    built.passed = ran.passed();
    if (built.limited.empty()) built.limited = why_limited(ran);
    if (!built.passed) break;
  }
  return built;
}

Result<Prepared> prepare_units(const PrepareRequest& request, From from, GateLane* lane) {
  if (from == From::kLastBuild && request.gate.units->incremental && lane->lane() == Lane::kFixed) {
    const auto on =
        TRY(goes_on_from({request.context, request.policy, request.gate, request.candidate,
                          request.evidence, request.trees, request.outputs_dir}));
    if (on) {
      Prepared made = TRY(prepare_from(request, on, lane));
      if (made.said.passed) return made;
    }
  }
  return prepare_from(request, std::nullopt, lane);
}

Result<PartRan> run_in_checkout(const PrepareRequest& request, const GateCheckout& checkout,
                                const std::vector<std::string>& command) {
  const ProcessSpec spec = spec_of(request, checkout, command, "unit.trace");
  const ProcessResult ran = TRY(run_process(spec, *request.context.clock));
  PartRan part;
  part.printed = ran.output;
  part.whole = ran.output.size() < kKeptOutput;
  UnitSaid& said = part.said;
  said.tree = request.candidate.tree;
  said.ran = true;
  said.exit_status = ran.trace.exit_status;
  said.timed_out = ran.trace.timed_out;
  said.duration_ms = ran.duration_ms;
  said.elsewhere = TRY(tested_elsewhere(*request.context.repository, {spec.record_file},
                                        checkout.tree(), request.candidate.tree));
  said.passed = ran.passed() && said.elsewhere.empty();
  said.limited = "this machine has no namespaces for units, so that they ran in one checkout";
  return part;
}

}  // namespace gittxn::gates
