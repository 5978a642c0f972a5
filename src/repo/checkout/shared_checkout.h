// Checkouts of a commit that nobody works in: what overlay worktrees lie over and reflink worktrees
// are copies of. One for a commit and a configuration of checkouts (line ends, filters,
// attributes), below the worktree root:
//
//   <root>/<commit>-<configuration>/tree       the files, and in .git nothing but their index
//                                  /git-txn.checkout   its mark; its time is when it was last used
//   <root>/making                              one that is being made
//   <root>/lock                                held by who makes or collects one; never unlinked
//
// One of another commit that is there is grown from: what both have is one file with a name in
// each, so that the next commit costs what it changed. Neither notices the other, but for the time
// of the last change of the inode and the number of its names.
//
// A checkout is made aside, synced and renamed, so one that is there is whole, also after a power
// cut. Nothing ever writes in it: overlays write elsewhere, and their mount shows it read-only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "repo/repository.h"
#include "repo/worktree/worktree_gitdir.h"

namespace gittxn::repo {

// Returns the place of them all, for a repository with this root of worktrees.
std::string shared_checkouts_below(const std::string& worktree_root);
// Where it is, or would be.
std::string shared_checkout_path(const Digest& configuration, const Oid& commit,
                                 const std::string& root);

// Makes it unless it is there. The caller has named it in the mark of a worktree, so that nobody
// collects it meanwhile. A kill leaves <root>/making, which the next maker removes.
Status make_shared_checkout(Repository& repository, const internal::Inherited& inherited,
                            const Oid& commit, const std::string& path);

// One that is there. Whoever has not named it in the mark of a worktree may lose it to a
// collection.
struct SharedCheckout {
  std::string path;
  Oid commit;
  std::string tree() const { return path + "/tree"; }
};
// The one beside `path` that was used last, of the same configuration and another commit.
Result<std::optional<SharedCheckout>> latest_shared_checkout(const std::string& path);
// It has been used now.
void mark_used(const SharedCheckout& checkout);

struct SharedPruneOptions {
  std::int64_t now_ms = 0;
  std::int64_t unused_ms = 0;  // only what nobody used for so long
  // The checkouts that worktrees name now (find_worktree). Asked twice.
  std::function<Result<std::vector<std::string>>()> in_use;
};
struct SharedPruneReport {
  std::vector<std::string> removed;
  std::vector<std::string> changed;  // somebody wrote in them: paths of the first files found
  std::uint64_t bytes_freed = 0;
};
// Removes those that are in nobody's use, and what makers that were killed left. Looks at every
// file of those that stay: one that was changed by hand is named. kBusy: one is being made.
Result<SharedPruneReport> prune_shared_checkouts(const std::string& root,
                                                 const SharedPruneOptions& options);

}  // namespace gittxn::repo
