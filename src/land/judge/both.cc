#include "land/judge/both.h"

#include <fmt/format.h>

#include "certify/certify.h"
#include "gates/policy_file.h"
#include "repo/rerere.h"

namespace gittxn::land {

namespace {

// Level that policy wants for what is written, that which is mended included.
Isolation level_of(const Work& work, const Candidate& candidate,
                   const std::vector<std::string>& more) {
  std::vector<std::string> paths = file_paths_of(work.footprint.writes);
  paths.insert(paths.end(), more.begin(), more.end());
  return gates::required_isolation(candidate.policy, work.txn.isolation, paths);
}

Result<Mending> mend(const Around& around, repo::Objects& objects, const Work& work,
                     const Candidate& candidate, MergeSides sides, const BothChanges& given) {
  Mending nothing;
  nothing.sides = std::move(sides);
  if (!candidate.policy.mend.rename) return nothing;
  Mending mending = TRY(carry_renames_of_both(objects, nothing.sides, given, around));
  if (mending.mended.empty()) return nothing;  // also where only the definition has the new name
  std::vector<std::string> paths;
  for (const Mended& one : mending.mended) paths.push_back(one.path);
  return certify::is_exact(level_of(work, candidate, paths)) ? nothing : mending;
}

// Adds what a person recorded, where policy says that it counts.
Around around_both(const Context& context, const repo::Objects& objects, const Candidate& candidate,
                   MayMend may) {
  Around both = around(context, objects, candidate.head);
  if (may == MayMend::kNo || !candidate.policy.mend.rerere) return both;
  both.recorded = [&context](const semantic::Sides<std::string>& texts) {
    return repo::recorded_resolution(
        *context.repository,
        {texts[semantic::kBase], texts[semantic::kLeft], texts[semantic::kRight]}, *context.random);
  };
  return both;
}

}  // namespace

std::vector<std::string> file_paths_of(const Changes& changes) {
  std::vector<std::string> paths;
  for (const PathChange& change : changes) {
    if (!change.is_directory()) paths.push_back(change.path);
  }
  return paths;
}

MayMend may_mend(const Work& work, const Candidate& candidate) {
  return certify::is_exact(level_of(work, candidate, {})) ? MayMend::kNo : MayMend::kYes;
}

Result<Both> look_at_both(const Context& context, repo::Objects& objects, const Work& work,
                          Candidate& candidate, MayMend may) {
  const Oid base_tree = TRY(objects.tree_of(work.footprint.base));
  candidate.moved = {work.footprint.base, TRY(objects.diff(base_tree, candidate.head_tree))};
  const BothChanges given{candidate.moved.changes, work.footprint.writes};
  Both both;
  both.sides = {base_tree, candidate.head_tree, work.kept.tree};
  const Around asked = around_both(context, objects, candidate, may);
  Mending mending;
  if (may == MayMend::kYes) {
    mending = TRY(mend(asked, objects, work, candidate, both.sides, given));
    both.sides = mending.sides;
  }
  candidate.mended = mending.mended;
  if (mending.mended.empty()) {
    both.findings = TRY(look_into(objects, given.head, given.work, asked));
  } else {
    const Changes head = TRY(objects.diff(both.sides.base, both.sides.head));
    const Changes own = TRY(objects.diff(both.sides.base, both.sides.work));
    both.findings = TRY(look_into(objects, head, own, asked));
    settle_mended(mending, given, {head, own}, both.findings);
  }
  for (const MergedFile& file : both.findings.files) {
    if (file.rule == kRecorded) candidate.mended.push_back({file.rule, file.path});
  }
  TRY(look_at_builds(objects, candidate.head_tree, given.head, given.work, both.findings));
  TRY(look_at_generated(objects, candidate.policy, given.head, given.work, both.findings));
  candidate.symbols = both.findings.symbols;
  candidate.symbols.checks = candidate.policy.gates.empty() ? certify::Symbols::Checks::kNone
                                                            : certify::Symbols::Checks::kGates;
  return both;
}

Result<repo::MergeOutcome> merge_both(const Context& context, const Work& work,
                                      Candidate& candidate) {
  repo::Objects& objects = context.repository->objects();
  const MayMend may = may_mend(work, candidate);
  Both both = TRY(look_at_both(context, objects, work, candidate, may));
  repo::MergeOutcome merged = TRY(objects.merge(both.sides.base, both.sides.head, both.sides.work));
  // At exact levels what both changed is a conflict, however it merges.
  if (may == MayMend::kNo) return merged;
  const auto as_one = [&]() -> Status {
    if (merged.conflicts.empty()) return {};
    merged = TRY(merge_with(objects, both.sides.base, both.sides.head, both.sides.work,
                            both.findings, std::move(merged)));
    return {};
  };
  TRY(as_one());
  if (!merged.conflicts.empty() && !candidate.mended.empty()) {
    both = TRY(look_at_both(context, objects, work, candidate, MayMend::kNo));
    merged = TRY(objects.merge(both.sides.base, both.sides.head, both.sides.work));
    TRY(as_one());
  }
  for (const MergedFile& file : both.findings.files) {
    candidate.merged.push_back(
        fmt::format("{}: both changes were merged ({})", file.path, file.rule));
  }
  for (std::string& note : both.findings.notes) candidate.notes.push_back(std::move(note));
  return merged;
}

}  // namespace gittxn::land
