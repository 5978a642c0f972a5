#include "land/keep_commits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/if_there.h"
#include "land/judge/symbols.h"
#include "land/message.h"

namespace gittxn::land {

namespace {

constexpr std::size_t kMostCommits = 1000;

// From the base to the agent's HEAD, oldest first; with `why` they cannot be kept only some.
Result<std::vector<repo::CommitInfo>> own_commits(const Context& context, const Work& work,
                                                  const Oid& head, std::string& why) {
  std::vector<repo::CommitInfo> commits;
  for (Oid at = head; why.empty() && at != work.footprint.base;) {
    repo::CommitInfo info = TRY(context.repository->objects().commit(at));
    if (info.parents.size() != 1) {
      why = info.parents.empty() ? "they are not made on the base" : "there are merges among them";
    } else if (commits.size() == kMostCommits) {
      why = fmt::format("there are more than {}", kMostCommits);
    }
    if (!why.empty()) break;
    at = info.parents.front();
    commits.push_back(std::move(info));
  }
  std::reverse(commits.begin(), commits.end());
  return commits;
}

repo::NewCommit as_part(const repo::CommitInfo& info, const Oid& tree,
                        const std::string& committer) {
  repo::NewCommit part;
  part.tree = tree;
  part.author = info.author;
  part.committer = committer;
  part.encoding = info.encoding;
  // A landing of an earlier life is none of this one.
  const bool landed_before = !trailer_of(info.message, "Txn-Id").empty();
  part.message = landed_before ? with_trailers(info.message, {}) : info.message;
  return part;
}

struct Trees {
  Oid base, ours, theirs;
};

// One commit's change on what is there, files included that both changed. What meets in them was
// judged for all commits together.
Result<repo::MergeOutcome> put_onto(const Context& context, const Oid& head, const Trees& trees) {
  repo::Objects& objects = context.repository->objects();
  repo::MergeOutcome merged = TRY(objects.merge(trees.base, trees.ours, trees.theirs));
  if (merged.conflicts.empty()) return merged;
  const Changes ours = TRY(objects.diff(trees.base, trees.ours));
  const Changes theirs = TRY(objects.diff(trees.base, trees.theirs));
  const SymbolFindings findings =
      TRY(look_into(objects, ours, theirs, around(context, objects, head)));
  return merge_with(objects, trees.base, trees.ours, trees.theirs, findings, std::move(merged));
}

}  // namespace

RefName agent_head_ref(const TxnId& txn, int attempt) {
  return RefName(fmt::format("refs/txn/{}/head-{}", txn.str(), attempt));
}

Status keep_commits(const Context& context, const Work& work, Candidate& candidate) {
  const auto head = TRY(
      if_there(context.repository->refs().read(agent_head_ref(work.txn.id, work.attempt.number))));
  if (!head) return {};  // it made none
  std::string why = candidate.mended.empty() ? "" : "what lands was mended";
  const auto commits = TRY(own_commits(context, work, *head, why));
  std::vector<repo::NewCommit> parts;
  if (why.empty()) {
    const repo::Objects& objects = context.repository->objects();
    Oid before = TRY(objects.tree_of(work.footprint.base));
    Oid tree = candidate.head_tree;
    for (const repo::CommitInfo& info : commits) {
      const repo::MergeOutcome merged =
          TRY(put_onto(context, candidate.head, {before, tree, info.tree}));
      if (!merged.conflicts.empty()) {
        why = fmt::format("{} does not apply to the head by itself", info.oid.str().substr(0, 10));
        break;
      }
      tree = merged.tree;
      before = info.tree;
      parts.push_back(as_part(info, tree, candidate.commit.committer));
    }
    // Files merged commit by commit may come out otherwise than merged once.
    if (why.empty() && before == work.kept.tree && tree != candidate.tree) {
      why = "one by one they do not add up to what was merged";
    }
  }
  if (!why.empty()) {
    candidate.notes.push_back("its commits landed as one: " + why);
    return {};
  }
  if (parts.empty()) return {};
  std::string message;
  if (parts.back().tree == candidate.tree) {
    candidate.commit.author = parts.back().author;
    candidate.commit.encoding = parts.back().encoding;
    message = parts.back().message;
    parts.pop_back();
  } else {
    message = fmt::format("{}\n\nWhat was left uncommitted.\n",
                          work.txn.name.empty() ? work.txn.id.str() : work.txn.name);
  }
  candidate.parts = std::move(parts);
  candidate.commit.message = landing_message(work, candidate, message);
  return {};
}

}  // namespace gittxn::land
