#include "land/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "base/bug.h"
#include "base/if_there.h"
#include "certify/certify.h"
#include "gates/policy_file.h"
#include "land/history.h"
#include "land/judge/asking/ask_again.h"
#include "land/judge/asking/questions.h"
#include "land/judge/beside.h"
#include "land/judge/both.h"
#include "land/judge/judge_contents.h"
#include "land/judge/phase.h"
#include "land/judge/rules.h"
#include "land/judge/shown_names.h"
#include "land/judge/summaries.h"
#include "land/keep_commits.h"
#include "land/message.h"
#include "store/work/recorded.h"

namespace gittxn::land {

namespace {

constexpr std::size_t kMaxPolicyBytes = 1u << 20;

Result<std::vector<SnapshotDiff>> diffs_to(const Context& context, const Footprint& footprint,
                                           const Candidate& candidate) {
  std::set<Oid> snapshots{footprint.base};
  if (const Oid& since = footprint.reads.unknown_since; !since.empty()) snapshots.insert(since);
  for (const Read& read : footprint.reads.reads) {
    if (!read.snapshot.empty()) snapshots.insert(read.snapshot);
  }
  const repo::Objects& objects = context.repository->objects();
  std::vector<SnapshotDiff> diffs;
  for (const Oid& snapshot : snapshots) {
    if (snapshot == candidate.moved.snapshot) {
      diffs.push_back(candidate.moved);
      continue;
    }
    const Oid tree = TRY_IN("reading snapshot " + snapshot.str(), objects.tree_of(snapshot));
    diffs.push_back({snapshot, TRY(objects.diff(tree, candidate.head_tree))});
  }
  return diffs;
}

// Current values of what the reads name beside paths: the policy and what else the kernel has, and
// refs that git was asked about. An absent ref has the version "".
Result<Versions> versions_now(const Context& context, const Footprint& footprint,
                              const RefName& target, const Candidate& candidate) {
  Versions versions{{std::string(kPolicySubject), candidate.policy.version.str()}};
  std::set<std::string> seen{std::string(kPolicySubject)};
  for (const Read& read : footprint.reads.reads) {
    if (read.kind == ReadKind::kKernel && seen.insert(read.subject).second) {
      auto version =
          TRY(version_now(*context.store, candidate.policy, read.subject, footprint.txn));
      // Without a version the read does not hold.
      if (version) versions.emplace_back(read.subject, *std::move(version));
    }
    if (read.kind != ReadKind::kRef || !seen.insert(read.subject).second) continue;
    const bool of_another = read.subject != target.str() && repo::is_ref_name(read.subject);
    if (of_another) {
      versions.emplace_back(read.subject,
                            TRY(value_now(context, *context.store, RefName(read.subject))));
    } else if (read.strength == Strength::kSoft) {  // a hard one without a version does not hold
      versions.emplace_back(read.subject, candidate.head.str());
    }
  }
  return versions;
}

// Answers questions by a gate where there is one, else by asking again; without `askings` only
// gates answer.
Result<std::vector<certify::Answer>> answers_to(const Footprint& footprint, const RefName& target,
                                                const Candidate& candidate, Askings* askings,
                                                std::vector<std::int64_t>& questions) {
  std::vector<certify::Answer> answers = answers_by_gates(footprint.reads, questions, candidate);
  std::erase_if(questions, [&](std::int64_t number) {
    return std::ranges::find(answers, number, &certify::Answer::question) != answers.end();
  });
  if (askings == nullptr) return answers;
  for (certify::Answer& answer : TRY(askings->answers(footprint, target, candidate, questions))) {
    answers.push_back(std::move(answer));
  }
  return answers;
}

// The certifier on this head. Who changed what is looked up only when there is something to
// explain. `askings` null: nobody is asked.
Result<Verdict> certify_on(const Context& context, const Footprint& footprint,
                           const RefName& target, Candidate& candidate, Askings* askings) {
  const std::vector<SnapshotDiff> diffs = TRY(diffs_to(context, footprint, candidate));
  candidate.versions = TRY(versions_now(context, footprint, target, candidate));
  const std::vector<certify::SummaryState> summaries = TRY(summary_states(
      *context.store, context.repository->objects(), footprint.reads, candidate.head_tree));
  certify::Input input{&footprint, diffs, {}, candidate.versions, candidate.level, summaries};
  input.contents =
      judge_contents(context.repository->objects(), candidate.head_tree, candidate.level);
  input.symbols = &candidate.symbols;
  input.says_the_same = says_the_same(context.repository->objects());
  input.out_of_date = find_out_of_date(candidate.policy);
  input.names = name_rules(context.repository->objects(), footprint, candidate.policy.listings);
  input.only_came = only_came(context.repository->objects(), candidate.head_tree);
  for (const Conflict& stale : certify::stale_soft_reads(input)) {
    candidate.notes.push_back(stale.subject == kPolicySubject
                                  ? "the policy changed since the snapshot; the new one decides"
                                  : stale.subject + " changed since it was read");
  }
  Verdict verdict = certify::certify(input);
  // Nobody is asked where something else stands in the way.
  std::vector<certify::Answer> answers;
  if (!verdict.unanswered.empty() && verdict.of_unanswered == verdict.conflicts.size()) {
    std::vector<std::int64_t> left = verdict.unanswered;
    answers = TRY(answers_to(footprint, target, candidate, askings, left));
    if (askings != nullptr && askings->left_open() > 0) return verdict;
    input.answers = answers;
    if (!answers.empty()) verdict = certify::certify(input);
    if (askings == nullptr) verdict.to_ask = commands_to_ask(footprint.reads, candidate, left);
  }
  if (verdict.commit) return verdict;
  if (certify::is_exact(candidate.level)) {
    certify::Input refined = input;
    refined.level = Isolation::kSemantic;
    if (certify::certify(refined).commit) {
      candidate.notes.push_back(
          fmt::format("at semantic it would have landed; {} takes any other byte for a change",
                      isolation_name(candidate.level)));
    }
  }
  const std::vector<Landed> history = TRY(history_between(context, diffs, candidate.head));
  input.history = history;
  std::vector<std::string> asked = std::move(verdict.to_ask);
  verdict = certify::certify(input);
  verdict.to_ask = std::move(asked);
  return verdict;
}

// Merged by hand: then the head has the transaction's own change, and not somebody else's that is
// equal.
Result<bool> has_it_already(const Context& context, const Work& work, const Oid& head) {
  if (INJECTED_BUG("land.nothing_unchecked")) return true;
  return context.repository->objects().is_ancestor(work.attempt.kept, head);
}

Conflict to_conflict(const repo::MergeConflict& merge) {
  return {.kind = ConflictKind::kWriteWrite,
          .subject = merge.path,
          .read_digest = merge.base.oid.str(),
          .head_digest = merge.ours.oid.str(),
          .hint = "both sides changed this path to different contents"};
}

// A change may propose any policy, but not one that nobody could read afterwards.
Result<std::optional<Conflict>> refuse_policy(const Context& context, const Candidate& candidate) {
  for (const PathChange& change : candidate.changes) {
    if (change.path != gates::kPolicyPath) continue;
    auto policy = policy_at(context, candidate.tree);
    if (TRY(unless(Code::kUsage, policy))) break;
    return Conflict{.kind = ConflictKind::kPolicy,
                    .subject = std::string(gates::kPolicyPath),
                    .hint = "would not parse on the branch: " + policy.error().message};
  }
  return std::nullopt;
}

// Level, certification and policy for a candidate whose tree is there.
Result<Decision> certify_candidate(const Context& context, const Footprint& footprint,
                                   const Txn& txn, Candidate candidate, Askings* askings) {
  // Paths that the branch has already count as well: they were written here.
  std::vector<std::string> paths = file_paths_of(candidate.changes);
  for (std::string& path : file_paths_of(footprint.writes)) paths.push_back(std::move(path));
  candidate.level = gates::required_isolation(candidate.policy, txn.isolation, paths);
  Verdict verdict = TRY(certify_on(context, footprint, txn.target, candidate, askings));
  candidate.reads_checked = verdict.checked;
  using enum Decision::Kind;
  std::vector<Conflict> conflicts = std::move(verdict.conflicts);
  if (verdict.commit) conflicts = TRY(judge_rules(context, footprint, candidate));
  if (!conflicts.empty()) return Decision{kConflict, std::move(candidate), std::move(conflicts)};
  candidate.admitted = {std::move(verdict.excused), std::move(verdict.held), 0,
                        askings == nullptr ? 0 : askings->spent_ms()};
  for (const Excuse& excuse : candidate.admitted.excused) {
    if (excuse.why != Excuse::Why::kLayout) continue;
    candidate.notes.push_back(excuse.subject + " was read, and has only another layout now");
  }
  if (auto refused = TRY(refuse_policy(context, candidate))) {
    return Decision{kRefused, std::move(candidate), {*std::move(refused)}};
  }
  return Decision{kCandidate, std::move(candidate), {}};
}

// By whatever name, what the target is called is history and no other branch; and what git-txn
// keeps under refs/txn/ is no business of anybody's.
void settle_refs(const RefName& target, ReadSet& reads) {
  std::erase_if(reads.reads, [](const Read& read) {
    return read.kind == ReadKind::kRef && read.subject.starts_with("refs/txn/");
  });
  for (Read& read : reads.reads) {
    if (read.kind != ReadKind::kRef) continue;
    if (read.subject == target.str() || read.subject == "HEAD") read.strength = Strength::kSoft;
  }
}

std::string or_unknown(const Digest& digest) {
  return digest.empty() ? "unknown" : digest.str();
}

// Nothing yet, on that head and by its policy.
Result<Candidate> candidate_on(const Context& context, const Oid& head) {
  Candidate candidate;
  candidate.head = head;
  candidate.head_tree = TRY(context.repository->objects().tree_of(head));
  candidate.policy = TRY(policy_at(context, head));
  return candidate;
}

repo::NewCommit describe(const Context& context, const Work& work, const Candidate& candidate) {
  const std::int64_t now = context.clock->wall_ms();
  repo::NewCommit commit;
  commit.tree = candidate.tree;
  commit.parents = {candidate.head};
  commit.committer = raw_identity(work.txn.committer, now);
  commit.author = work.txn.author ? raw_identity(*work.txn.author, now) : work.kept.author;
  commit.message = landing_message(work, candidate, work.kept.message);
  return commit;
}

}  // namespace

std::vector<repo::NewCommit*> Candidate::commits() {
  std::vector<repo::NewCommit*> all;
  for (repo::NewCommit& part : parts) all.push_back(&part);
  all.push_back(&commit);
  return all;
}

std::string landing_message(const Work& work, const Candidate& candidate,
                            std::string_view message) {
  Trailers trailers = {{"Txn-Id", work.txn.id.str()},
                       {"Txn-Base", work.footprint.base.str()},
                       {"Txn-Reads", or_unknown(work.attempt.reads)},
                       {"Txn-Env", or_unknown(work.attempt.tool_env)}};
  if (const std::size_t commits = candidate.parts.size() + 1; commits > 1) {
    trailers.emplace_back("Txn-Commits", std::to_string(commits));
  }
  for (const Mended& one : candidate.mended) {
    trailers.emplace_back(std::string(kMendedTrailer), mended_words(one));
  }
  return with_trailers(message, trailers);
}

Result<Policy> Policies::at(repo::Repository& repository, const Oid& commitish) {
  const repo::Objects& objects = repository.objects();
  const Oid tree = TRY(objects.tree_of(commitish));
  const TreeEntry entry = TRY(objects.entry_at(tree, gates::kPolicyPath));
  if (!entry.is_file_or_absent()) {
    return fail(Code::kUsage, fmt::format("{} is not a file", gates::kPolicyPath),
                "make it a plain file");
  }
  const Oid blob = entry.present() ? entry.oid : Oid();
  if (const auto known = known_.find(blob); known != known_.end()) return known->second;
  const std::string text = entry.present() ? TRY(objects.blob(blob, kMaxPolicyBytes)) : "";
  ++read_;
  return known_[blob] = TRY(gates::parse_policy(text));  // its errors name the file
}

Result<Policy> policy_at(const Context& context, const Oid& commitish) {
  return context.policies->at(*context.repository, commitish);
}

Result<Work> load_work(const Context& context, const TxnId& id) {
  std::optional<Txn> txn = TRY(context.store->txn(id));
  if (!txn) return fail(Code::kNotFound, "no transaction " + id.str());
  if (txn->attempts.empty() || txn->attempts.back().kept.empty()) {
    return fail(Code::kUsage, id.str() + " has no work to land",
                "run something in it first: git txn exec " + id.str() + " -- COMMAND");
  }
  Work work;
  work.attempt = txn->attempts.back();
  work.txn = *std::move(txn);
  work.kept = TRY_IN("the kept work of " + id.str(),
                     context.repository->objects().commit(work.attempt.kept));
  if (work.kept.parents.empty()) {
    return fail(Code::kCorrupt, "the kept commit of " + id.str() + " has no parent");
  }
  work.footprint.txn = id;
  work.footprint.base = work.kept.parents.front();
  work.footprint.reads = TRY(store::recorded_reads(*context.store, id, work.attempt));
  TRY(renew_phase_reads(*context.store, work.txn, work.footprint.base, work.footprint.reads));
  settle_refs(work.txn.target, work.footprint.reads);
  work.footprint.writes = TRY(store::recorded_writes(*context.store, work.attempt));
  return work;
}

Result<Decision> decide(const Context& context, const Work& work, const Oid& head,
                        Askings* askings) {
  repo::Objects& objects = context.repository->objects();
  Candidate candidate = TRY(candidate_on(context, head));
  if (INJECTED_BUG("gates.candidate_policy")) {
    candidate.policy = TRY(policy_at(context, work.attempt.kept));
  }
  const Oid base_tree = TRY(objects.tree_of(work.footprint.base));
  repo::MergeOutcome merged{work.kept.tree, {}};
  if (base_tree != candidate.head_tree) merged = TRY(merge_both(context, work, candidate));
  const bool nothing = merged.conflicts.empty() && merged.tree == candidate.head_tree;
  if (nothing && TRY(has_it_already(context, work, head))) {
    return Decision{Decision::Kind::kNothing, std::move(candidate), {}};
  }
  if (!merged.conflicts.empty()) {
    // Nothing to build on: the certifier says who and why; the merge's own words stand in for it
    // where its level would have let the reads pass.
    candidate.changes = work.footprint.writes;
    Decision decision =
        TRY(certify_candidate(context, work.footprint, work.txn, std::move(candidate), askings));
    if (decision.kind == Decision::Kind::kConflict) return decision;
    for (const auto& conflict : merged.conflicts)
      decision.conflicts.push_back(to_conflict(conflict));
    decision.kind = Decision::Kind::kConflict;
    return decision;
  }
  candidate.tree = merged.tree;
  candidate.changes = TRY(objects.diff(candidate.head_tree, candidate.tree));
  Decision decision =
      TRY(certify_candidate(context, work.footprint, work.txn, std::move(candidate), askings));
  if (nothing && decision.kind == Decision::Kind::kCandidate) {
    decision.kind = Decision::Kind::kNothing;
    return decision;
  }
  decision.candidate.commit = describe(context, work, decision.candidate);
  if (work.keep_commits && decision.kind == Decision::Kind::kCandidate) {
    TRY_IN("keeping its commits", keep_commits(context, work, decision.candidate));
  }
  return decision;
}

Result<Decision> decide_again(const Context& context, const Work& work, Candidate candidate,
                              const Edits& edits, Askings* askings) {
  const repo::Objects& objects = context.repository->objects();
  candidate.oid = {};
  if (edits.message) candidate.commit.message = landing_message(work, candidate, *edits.message);
  if (!edits.tree) return Decision{Decision::Kind::kCandidate, std::move(candidate), {}};
  candidate.tree = *edits.tree;
  candidate.commit.tree = *edits.tree;
  candidate.changes = TRY(objects.diff(candidate.head_tree, candidate.tree));
  // The hook worked on the candidate, so what it wrote is based on the head: a footprint of its own
  // whose base is the head, with the reads that were certified already certified again.
  Footprint edited = work.footprint;
  edited.base = candidate.head;
  edited.writes = candidate.changes;
  std::set<std::string_view> seen;
  for (const PathChange& change : candidate.changes) seen.insert(change.path);
  for (const PathChange& change : work.footprint.writes) {
    if (!seen.contains(change.path)) edited.writes.push_back(change);
  }
  std::ranges::sort(edited.writes, {}, &PathChange::path);
  Decision decision =
      TRY(certify_candidate(context, edited, work.txn, std::move(candidate), askings));
  const bool nothing = decision.candidate.tree == decision.candidate.head_tree;
  if (nothing && decision.kind == Decision::Kind::kCandidate) {
    decision.kind = Decision::Kind::kNothing;
  }
  return decision;
}

namespace {

Result<Verdict> certify_writes(const Context& context, const Txn& txn, const Footprint& footprint,
                               Candidate& candidate) {
  candidate.level =
      gates::required_isolation(candidate.policy, txn.isolation, file_paths_of(footprint.writes));
  return certify_on(context, footprint, txn.target, candidate, nullptr);
}

Result<Verdict> certify_work(const Context& context, Work work, const Oid& head) {
  Candidate candidate = TRY(candidate_on(context, head));
  // Landing carries it over first: then its phase is not what keeps it from landing.
  const auto phase = TRY(phase_now(*context.store, work.txn, candidate.policy));
  if (phase.how == PhaseJudgement::How::kCarried) drop_phase_reads(work.footprint.reads);
  auto objects = TRY(repo::Objects::open_in_memory(context.repository->objects().git_dir(),
                                                   context.repository->git()));
  TRY(look_at_both(context, objects, work, candidate, may_mend(work, candidate)));
  Verdict verdict = TRY(certify_writes(context, work.txn, work.footprint, candidate));
  if (!verdict.commit) return verdict;
  verdict.conflicts = TRY(judge_rules(context, work.footprint, candidate));
  verdict.commit = verdict.conflicts.empty();
  return verdict;
}

}  // namespace

Result<Verdict> certify_reads(const Context& context, const Txn& txn, const Footprint& footprint,
                              const Oid& head) {
  Candidate candidate = TRY(candidate_on(context, head));
  return certify_writes(context, txn, footprint, candidate);
}

Result<Verdict> certify_at(const Context& context, const TxnId& txn, const Oid& head) {
  return certify_work(context, TRY(load_work(context, txn)), head);
}

Result<Verdict> certify_now(const Context& context, const TxnId& txn) {
  Work work = TRY(load_work(context, txn));
  const Oid head = TRY(context.repository->refs().read(work.txn.target));
  using enum TxnState;
  const TxnState state = work.txn.state;
  Verdict verdict = TRY(certify_work(context, std::move(work), head));
  // One that was refused is not on its way.
  if (state != kOpen && state != kPrepared && state != kRepairing) verdict.to_ask.clear();
  return verdict;
}

Result<bool> same_versions(const Context& context, const Work& work, const Candidate& candidate) {
  const Versions now = TRY(versions_now(context, work.footprint, work.txn.target, candidate));
  return now == candidate.versions;
}

Result<Candidate> candidate_of(const Context& context, const Work& work, const Oid& commit) {
  const repo::Objects& objects = context.repository->objects();
  const repo::CommitInfo info = TRY(objects.commit(commit));
  if (info.parents.empty()) return fail(Code::kCorrupt, commit.str() + " has no parent");
  Candidate candidate = TRY(candidate_on(context, info.parents.front()));
  candidate.tree = info.tree;
  candidate.changes = TRY(objects.diff(candidate.head_tree, candidate.tree));
  candidate.versions = TRY(versions_now(context, work.footprint, work.txn.target, candidate));
  candidate.commit.tree = info.tree;
  candidate.commit.parents = info.parents;
  candidate.commit.committer = info.committer;
  candidate.oid = commit;
  return candidate;
}

Status write_candidate(const Context& context, Candidate& candidate) {
  if (!candidate.oid.empty()) return {};
  Oid parent = candidate.head;
  for (repo::NewCommit* commit : candidate.commits()) {
    commit->parents = {parent};
    parent = TRY(context.repository->objects().write_commit(*commit));
  }
  candidate.oid = std::move(parent);
  return {};
}

}  // namespace gittxn::land
