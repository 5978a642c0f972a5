#include "gates/units/prepare.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/fs.h"
#include "gates/evidence/elsewhere.h"
#include "gates/evidence/judged_run.h"
#include "gates/process.h"

namespace gittxn::gates {
namespace {

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
             std::int64_t start_wall_ms, UnitSaid* said) {
  const auto& [context, policy, gate, candidate, env, outputs_dir] = request;
  RunOf run;
  run.records = built.records;
  run.tree = checkout.tree();
  run.git_dir = checkout.git_dir();
  run.snapshot = candidate.commit;
  run.tree_of_snapshot = candidate.tree;
  run.start_wall_ms = start_wall_ms;
  const JudgedRun judged = TRY_IN("the reads of the build of gate " + gate.name.str(),
                                  judged_run(context, policy, gate, candidate, env, run));
  said->limited = judged.limited;
  if (judged.survey.empty()) return {};
  said->survey = TRY(context.store->put_artifact(judged.survey));
  if (judged.looks) said->looks = TRY(context.store->put_artifact(looks_to_lines(*judged.looks)));
  return {};
}

}  // namespace

Result<Built> build_in(const PrepareRequest& request, const GateCheckout& checkout) {
  Built built;
  SetUpRequest set{checkout.tree(), checkout.dir(), request.context.trace, request.env};
  built.records = TRY(set_up(request.context, request.policy, set));
  built.passed = true;
  for (const auto& command : request.gate.units->prepare) {
    const ProcessSpec spec =
        spec_of(request, checkout, command, fmt::format("build-{}.trace", built.records.size()));
    const ProcessResult ran = TRY(run_process(spec, *request.context.clock));
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

Result<Prepared> prepare_units(const PrepareRequest& request, GateLane* lane) {
  const GateContext& context = request.context;
  const std::int64_t start_wall_ms = context.clock->wall_ms();
  const std::int64_t start_ns = context.clock->monotonic_ns();
  GateCheckout checkout = TRY(
      GateCheckout::make(context, std::move(*lane), request.candidate, request.candidate.commit));
  const std::int64_t since_ns = TRY(file_time_ns(join_path(checkout.dir(), "checked-out")));
  Built built = TRY_IN("gate " + request.gate.name.str(), build_in(request, checkout));
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
  if (said.limited.empty()) TRY(judge(request, checkout, built, start_wall_ms, &said));
  if (said.passed) {
    auto outputs = take_outputs(context.repository->objects(), request.candidate.tree,
                                checkout.tree(), since_ns, request.outputs_dir);
    if (!outputs && outputs.error().code != Code::kRefused) {
      return std::unexpected(std::move(outputs).error());
    }
    if (outputs) {
      made.outputs = *std::move(outputs);
      said.outputs = TRY(context.store->put_artifact(outputs_to_lines(made.outputs)));
      if (made.outputs.files.empty()) said.outputs = Digest();
    } else {
      said.passed = false;
      said.exit_status = 1;
      made.printed += outputs.error().message + "\n";
    }
  }
  said.duration_ms = (context.clock->monotonic_ns() - start_ns) / kNsPerMs;
  *lane = TRY(checkout.leave());
  return made;
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
