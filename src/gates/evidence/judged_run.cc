#include "gates/evidence/judged_run.h"

#include <utility>

#include "agents/housekeeping.h"
#include "base/fs.h"
#include "capture/interpret.h"
#include "gates/policy_rules.h"

namespace gittxn::gates {
namespace {

Result<ReadSet> reads_of(const GateContext& context, const RunOf& run) {
  repo::Repository& repository = *context.repository;
  capture::InterpretInput input;
  input.places.tree = run.tree;
  input.places.private_git_dir = run.git_dir;
  input.places.common_git_dir = repository.place().common_dir;
  for (const auto& place : TRY(repository.checkouts())) {
    input.places.checkouts.push_back(place.worktree);
  }
  input.record_files = run.records;
  input.snapshot = run.snapshot;
  // For a gate an ignored file is an input like any other.
  input.ignored = [](const std::string&) -> Result<bool> { return false; };
  // Nothing is taken from the checkout, so whatever the gate changed there is a read.
  input.thrown_away = true;
  // The looks of an agent's own program are inputs too.
  input.known_program = [](const std::string&) -> const agents::KnownProgram* { return nullptr; };
  input.tool_cache_file = join_path(repository.txn_dir(), "tools.cache");
  return capture::interpret(run.objects ? *run.objects : repository.objects(), input);
}

std::vector<std::string> placed_by(const Policy& policy) {
  std::vector<std::string> placed = policy.worktree.copy;
  placed.insert(placed.end(), policy.worktree.share.begin(), policy.worktree.share.end());
  return placed;
}

// The paths where the policy places something unless the tree has it.
Result<Looks> looks_at_placed(const repo::Objects& objects, const Policy& policy, const Oid& tree) {
  Looks looks;
  for (const std::string& path : placed_by(policy)) {
    const TreeEntry entry = TRY(objects.entry_at(tree, path));
    looks.push_back({entry.present() ? ReadKind::kMetadata : ReadKind::kAbsence, path,
                     entry.present() ? std::string(mode_text(entry.mode)) : ""});
  }
  return looks;
}

}  // namespace

Result<JudgedRun> judged_run(const GateContext& context, const Policy& policy, const GateSpec& gate,
                             const Candidate& candidate, const Environment& env, const RunOf& run) {
  JudgedRun judged;
  const ReadSet seen = TRY(reads_of(context, run));
  if (!seen.complete) {
    judged.limited = seen.unknown_reason;
    return judged;
  }
  judged.inputs = digest_of(seen);
  SurveyPlaces places;
  places.tree = run.tree;
  places.common_dir = context.repository->place().common_dir;
  if (!run.view.apart) {
    if (!context.main_checkout.empty()) {
      places.main_checkout = TRY(real_path(context.main_checkout));
    }
    places.placed = placed_by(policy);
  }
  places.candidate_tree = run.tree_of_snapshot;
  places.branch = candidate.branch;
  places.setup = setup_version(policy.worktree);
  places.view = run.view;
  places.objects = run.objects;
  Survey survey(*context.repository, places, run.start_wall_ms);
  for (const std::string& record : run.records) {
    using enum Survey::Connects;
    TRY(survey.add(record, record == run.may_connect ? kIsNothing : kCounts));
  }
  judged.survey = TRY(survey.finish(env, seen.tool_env_digest.str()));
  judged.limited = survey.why();
  if (judged.survey.empty()) return judged;
  judged.looks = looks_of(seen, run.snapshot, &judged.limited);
  if (judged.looks) judged.looks = seen_by(*std::move(judged.looks), gate.blind);
  if (judged.looks && !run.view.apart) {
    const repo::Objects& objects = run.objects ? *run.objects : context.repository->objects();
    judged.looks = united(*std::move(judged.looks),
                          TRY(looks_at_placed(objects, policy, run.tree_of_snapshot)));
  }
  return judged;
}

}  // namespace gittxn::gates
