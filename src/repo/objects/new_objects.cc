// The walk that finds what a change added: every object of a tree that no base tree has at the same
// path. An object that merely moved is found too, which costs a needless sync or look and nothing
// else.
#include <algorithm>

#include "repo/objects/object_store.h"

namespace gittxn::repo::internal {

Status NewObjects::add_tree(const git_oid& tree, const std::vector<git_oid>& bases) {
  auto is_tree = [&](const git_oid& base) { return same(base, tree); };
  if (std::any_of(bases.begin(), bases.end(), is_tree)) return {};
  return walk(directory_entry("", tree), bases, 0);
}

Status NewObjects::add_object(const git_oid& oid, FileMode mode) {
  if (!seen_.insert(oid).second) return {};
  if (TRY(filter_(oid, mode)) == Enter::kTake) found_.push_back(oid);
  return {};
}

Status NewObjects::walk(const RawEntry& entry, const std::vector<git_oid>& bases, int depth) {
  if (entry.mode == FileMode::kSubmodule) return {};  // its commit lives in another repository
  if (!entry.is_tree()) return add_object(entry.oid, entry.mode);
  TRY(check_depth(depth));
  if (!seen_.insert(entry.oid).second) return {};
  if (found_.size() > kMaxChanges) return fail(Code::kUnsupported, "too many new objects");
  const Enter enter = TRY(filter_(entry.oid, entry.mode));
  if (enter == Enter::kSkip) return {};
  const Tree tree = TRY(store_.read_tree(entry.oid));
  std::vector<Tree> base_trees;
  for (const git_oid& base : bases) base_trees.push_back(TRY(store_.read_tree(base)));
  std::vector<std::span<const RawEntry>> all = {tree.entries};
  for (const Tree& base : base_trees) all.emplace_back(base.entries);
  for (InStep step(std::move(all)); step.next();) {
    const RawEntry& child = *step.at[0];
    if (!child.present()) continue;
    std::vector<git_oid> child_bases;
    bool old = false;
    for (std::size_t i = 1; i < step.at.size(); ++i) {
      const RawEntry& base = *step.at[i];
      if (base.present() && same(base.oid, child.oid)) old = true;
      if (base.is_tree()) child_bases.push_back(base.oid);
    }
    if (!old) TRY(walk(child, child_bases, depth + 1));
  }
  if (enter == Enter::kTake) found_.push_back(entry.oid);
  return {};
}

}  // namespace gittxn::repo::internal
