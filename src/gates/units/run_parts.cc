#include "gates/units/run_parts.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/fs.h"
#include "gates/evidence/elsewhere.h"
#include "gates/evidence/judged_run.h"
#include "gates/process.h"
#include "repo/checkout/shared_checkout.h"

namespace gittxn::gates {
namespace {

constexpr int kPollMs = 5;

}  // namespace

// Homes are where caches are.
std::vector<std::string> cache_places(const GateSpec& gate, const Environment& env) {
  const auto home = env.find("HOME");
  std::vector<std::string> places;
  for (const std::string& cache : gate.units->caches) {
    const bool of_home = cache.starts_with("~/") && home != env.end();
    places.push_back(of_home ? join_path(home->second, cache.substr(2)) : cache);
  }
  return places;
}

asking::AskSpec PartRunner::spec_of(const std::vector<std::string>& command) const {
  asking::AskSpec spec;
  spec.argv = command;
  spec.at = spec.cwd = place_.at;
  spec.tree = place_.tree;
  spec.over = place_.outputs.layer;
  spec.caches = cache_places(gate_, place_.env);
  spec.env = place_.env;
  spec.env["PWD"] = place_.at;
  spec.network = gate_.units->network ? asking::Network::kHost : asking::Network::kNone;
  spec.follow_links = true;
  spec.one_stream = true;
  spec.trace = context_.trace;
  spec.timeout_ms = gate_.timeout_ms;
  spec.keep_bytes = kKeptOutput;
  spec.interrupted = context_.interrupted;
  return spec;
}

Result<asking::Asker> PartRunner::open_asker() const {
  return asking::Asker::open(*context_.repository, asking::root_below(context_.worktree_root),
                             repo::shared_checkouts_below(context_.worktree_root));
}

Result<PartRan> PartRunner::heard_of(Running& running) {
  PartRan ran;
  ran.number = running.number;
  auto finished = running.asking.finish();
  if (!finished && finished.error().code == Code::kNotFound) {
    // The status is that of a shell, so that both ways to write a command agree.
    ran.printed = finished.error().message + "\n";
    finished = asking::Asked{.status = 127};
  }
  const asking::Asked asked = TRY(std::move(finished));
  // Files that went while it ran are files that it did not see.
  if (!place_.outputs.layer.empty() && !TRY(exists(place_.outputs.layer))) {
    return fail(Code::kStale, "'" + place_.outputs.layer + "' was removed meanwhile");
  }
  if (ran.printed.empty()) ran.printed = asked.out.end;
  ran.whole = asked.out.bytes == asked.out.end.size();
  UnitSaid& said = ran.said;
  said.tree = place_.tree;
  said.outputs = place_.outputs.digest;
  said.ran = true;
  said.exit_status = asked.status;
  said.timed_out = asked.timed_out;
  said.duration_ms = (context_.clock->monotonic_ns() - running.start_ns) / kNsPerMs;
  said.passed = asked.no_answer.empty() && asked.status == 0;
  RunOf run;
  if (!asked.record_file.empty()) run.records = {asked.record_file};
  run.tree = place_.at;
  run.git_dir = place_.at + "/.git";
  run.snapshot = run.tree_of_snapshot = place_.files;
  run.start_wall_ms = running.start_wall_ms;
  run.view = {.apart = true,
              .alone = !gate_.units->network,
              .own = running.asking.own_places(),
              .led = asked.led};
  run.objects = &trees_.objects();
  if (!asked.no_answer.empty()) {
    said.limited = asked.no_answer;
    return ran;
  }
  said.elsewhere =
      TRY(tested_elsewhere(*context_.repository, run.records, run.tree, candidate_.tree, run.view));
  said.passed = said.passed && said.elsewhere.empty();
  if (!said.passed)
    said.limited = "it did not pass";
  else if (!asked.lost.empty())
    said.limited = asked.lost;
  else if (!asked.left_running.empty())
    said.limited = "it left processes running";
  if (!said.limited.empty()) return ran;
  const JudgedRun judged = TRY(judged_run(context_, policy_, gate_, candidate_, place_.env, run));
  said.limited = judged.limited;
  if (judged.survey.empty()) return ran;
  said.survey = TRY(context_.store->put_artifact(judged.survey));
  if (judged.looks) said.looks = TRY(context_.store->put_artifact(looks_to_lines(*judged.looks)));
  return ran;
}

Status PartRunner::run(const std::vector<std::vector<std::string>>& commands, int at_a_time,
                       const Heard& heard) {
  std::vector<std::unique_ptr<asking::Asker>> busy;
  std::vector<std::unique_ptr<Running>> running;
  const auto places = std::min(commands.size(), static_cast<std::size_t>(at_a_time));
  while (idle_.size() < places) {
    idle_.push_back(std::make_unique<asking::Asker>(TRY(open_asker())));
  }
  std::size_t next = 0;
  for (bool more = true; more && (next < commands.size() || !running.empty());) {
    while (next < commands.size() && !idle_.empty()) {
      busy.push_back(std::move(idle_.back()));
      idle_.pop_back();
      const std::int64_t wall_ms = context_.clock->wall_ms();
      const std::int64_t from_ns = context_.clock->monotonic_ns();
      asking::Asking asking = TRY(busy.back()->begin(spec_of(commands[next])));
      running.push_back(std::make_unique<Running>(
          Running{next++, wall_ms, from_ns, busy.back().get(), std::move(asking)}));
    }
    for (std::size_t i = 0; i < running.size() && more; ++i) {
      if (!TRY(running[i]->asking.ended(kPollMs))) continue;
      PartRan ran = TRY(heard_of(*running[i]));
      const auto asker =
          std::ranges::find(busy, running[i]->asker, [](const auto& one) { return one.get(); });
      idle_.push_back(std::move(*asker));
      busy.erase(asker);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i--));
      more = TRY(heard(std::move(ran)));
    }
  }
  return {};
}

}  // namespace gittxn::gates
