// What the agent committed: where its base is now, what it called its work, and which of its
// commits nothing in the repository reaches.
//
// The base. An agent that merges, pulls, resets or rebases onto the target has read the target's
// newer commits and has their changes in its tree; they are no writes of its own. Its base is then
// merge-base(its HEAD, target), when the old base is part of that. Otherwise (an older commit
// checked out, a target that was rewound) the base stays. A merge that is not committed yet counts
// as one. Cherry-picks, squashes and commits fetched from elsewhere are the transaction's own
// writes.
//
// A private git directory that cannot be read costs its commits' messages, never the work in the
// tree.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "base/fs.h"
#include "base/text.h"
#include "repo/refs.h"
#include "repo/worktree/worktree_take.h"

namespace gittxn::repo::internal {
namespace {

constexpr std::size_t kMostLogLines = 10'000;
constexpr int kMostMergesPassed = 1000;

using CommitSet = std::set<Oid>;

struct Agent {
  std::optional<Oid> head;
  std::vector<Oid> merging;  // MERGE_HEAD
  CommitSet named;           // by any ref or reflog of its git directory, HEAD included
  bool damaged = false;
};

// The new values of a reflog: commits that a branch, HEAD or the stash was at.
void read_log(const std::string& path, CommitSet* named) {
  const auto text = read_file(path, 64u << 20);
  if (!text) return;  // most refs have none
  for (const std::string_view line : lines_of(*text) | std::views::take(kMostLogLines)) {
    if (line.size() < 81 || !is_oid(line.substr(41, 40))) continue;
    named->insert(Oid(std::string(line.substr(41, 40))));
  }
}

Agent read_agent(const TakeView& view) {
  Agent agent;
  const std::string& dir = view.worktree.git_dir;
  const Refs refs(dir, view.repository->git());
  const auto head = read_head(dir);
  if (head && !head->symbolic) agent.head = head->oid;
  if (head && head->symbolic) {
    if (auto value = refs.read(head->target)) agent.head = *value;
  }
  if (!head) agent.damaged = true;
  const auto all = refs.list("refs/");
  if (!all) agent.damaged = true;
  if (all) {
    for (const auto& [name, oid] : *all) agent.named.insert(oid);
  }
  for (const char* name : {"/MERGE_HEAD", "/ORIG_HEAD", "/CHERRY_PICK_HEAD", "/REBASE_HEAD"}) {
    const auto text = read_file(dir + name, 1u << 16);
    if (!text) continue;
    for (std::string_view rest = *text; rest.size() >= 40;) {
      if (!is_oid(rest.substr(0, 40))) break;
      const Oid oid(std::string(rest.substr(0, 40)));
      agent.named.insert(oid);
      if (std::string_view(name) == "/MERGE_HEAD") agent.merging.push_back(oid);
      rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    }
  }
  read_log(dir + "/logs/HEAD", &agent.named);
  read_log(dir + "/logs/refs/stash", &agent.named);
  if (agent.head) agent.named.insert(*agent.head);
  return agent;
}

// Those of the names that are commits, or lead to one, and that can be read.
Result<CommitSet> readable_commits(const TakeView& view, const CommitSet& named) {
  CommitSet commits;
  GitOptions options = view.git;
  for (const Oid& oid : named) {
    if (oid == view.base) commits.insert(oid);
    if (oid != view.base) options.input += oid.str() + "^{commit}\n";
  }
  if (options.input.empty()) return commits;
  const std::string text = TRY(view.repository->git().must(
      {"cat-file", "--batch-check=%(objectname) %(objecttype)"}, options));
  for (const std::string_view line : lines_of(text)) {
    if (line.size() != 47 || !line.ends_with(" commit")) continue;  // "<name> missing"
    commits.insert(Oid(std::string(line.substr(0, 40))));
  }
  return commits;
}

// The commits among these that nothing in the repository reaches, without those that another of
// them reaches. References are read only where there is a commit besides the base: each transaction
// that was given up leaves some, and most commands commit nothing.
Result<std::vector<Oid>> new_tips(const TakeView& view, CommitSet candidates) {
  candidates.erase(view.base);
  if (candidates.empty()) return std::vector<Oid>{};
  CommitSet known = {view.base};
  for (const auto& [name, oid] : TRY(view.repository->refs().list("refs/"))) known.insert(oid);
  std::erase_if(candidates, [&](const Oid& oid) { return known.contains(oid); });
  if (candidates.empty()) return std::vector<Oid>{};
  GitOptions options = view.git;
  for (const Oid& oid : candidates) options.input += oid.str() + '\n';
  for (const Oid& oid : known) options.input += '^' + oid.str() + '\n';
  const std::string text = TRY(view.repository->git().must(
      {"rev-list", "--stdin", "--parents", "--ignore-missing"}, options));
  CommitSet reached, listed;
  for (std::string_view line : lines_of(text)) {
    for (bool first = true; line.size() >= 40; first = false) {
      (first ? listed : reached).insert(Oid(std::string(line.substr(0, 40))));
      line.remove_prefix(std::min<std::size_t>(41, line.size()));
    }
  }
  std::vector<Oid> tips;
  for (const Oid& oid : candidates) {
    if (listed.contains(oid) && !reached.contains(oid)) tips.push_back(oid);
  }
  return tips;
}

// The further along of the merge bases with the target, when it contains the base.
Result<Oid> moved_base(const Objects& objects, const Oid& base, const std::vector<Oid>& heads,
                       const Oid& target) {
  Oid moved = base;
  for (const Oid& head : heads) {
    const auto common = TRY(objects.merge_base(head, target));
    if (common && *common != moved && TRY(objects.is_ancestor(moved, *common))) moved = *common;
  }
  return moved;
}

// The agent's own last commit: HEAD, or behind merges of the target the commit they were made on.
Result<std::optional<CommitInfo>> last_own_commit(const Objects& objects, Oid at, const Oid& base,
                                                  const Oid& target) {
  auto not_own = [&](const Oid& oid) -> Result<bool> {
    if (TRY(objects.is_ancestor(oid, base))) return true;
    return objects.is_ancestor(oid, target);
  };
  for (int i = 0; i < kMostMergesPassed; ++i) {
    if (TRY(not_own(at))) return std::optional<CommitInfo>{};
    CommitInfo info = TRY(objects.commit(at));
    std::vector<Oid> own;
    bool merges_target = false;  // and not something else into the base
    for (const Oid& parent : info.parents) {
      const bool foreign = TRY(not_own(parent));
      if (!foreign) own.push_back(parent);
      if (foreign && info.parents.size() > 1 && !TRY(objects.is_ancestor(parent, base))) {
        merges_target = true;
      }
    }
    if (!merges_target) return std::optional<CommitInfo>(std::move(info));
    if (own.empty()) return std::optional<CommitInfo>{};
    at = own.front();
  }
  return std::optional<CommitInfo>{};
}

Status read_history(const TakeView& view, const Objects& objects, const Agent& agent,
                    Taken* taken) {
  const CommitSet commits = TRY(readable_commits(view, agent.named));
  taken->tips = TRY(new_tips(view, commits));
  if (!agent.head || !commits.contains(*agent.head)) return {};

  auto head_of_target = view.repository->refs().read(view.target);
  const Oid target = head_of_target ? *head_of_target : view.base;
  std::vector<Oid> heads = {*agent.head};
  for (const Oid& oid : agent.merging) {
    if (commits.contains(oid)) heads.push_back(oid);
  }
  taken->base = TRY(moved_base(objects, view.base, heads, target));
  taken->base_moved = taken->base != view.base;
  TRY(read_linked(view, objects, {*agent.head, view.base, target}, taken));
  const auto last = TRY(last_own_commit(objects, *agent.head, view.base, target));
  if (last) {
    taken->message = last->message;
    taken->author = last->author;
    taken->head = agent.head;
  }
  // An untracked file that a commit names was not left behind by accident.
  if (taken->untracked.empty()) return {};
  const Oid head_tree = TRY(objects.tree_of(*agent.head));
  std::vector<std::string> unnamed;
  for (std::string& path : taken->untracked) {
    if (!TRY(objects.entry_at(head_tree, path)).present()) unnamed.push_back(std::move(path));
  }
  taken->untracked = std::move(unnamed);
  return {};
}

}  // namespace

Status read_commits(const TakeView& view, const Objects& objects, Taken* taken) {
  const Agent agent = read_agent(view);
  Taken without = *taken;
  const Status read = read_history(view, objects, agent, taken);
  if (!read) {
    without.notes = std::move(taken->notes);
    *taken = std::move(without);
  }
  if (!read || agent.damaged) {
    taken->notes.push_back(
        fmt::format("commits in the worktree's .git could not be read{}; its files "
                    "were taken",
                    read ? std::string() : " (" + read.error().message + ")"));
  }
  return {};
}

}  // namespace gittxn::repo::internal
