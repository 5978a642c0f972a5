// The directories of an overlay worktree. Its git directory is laid over that of the shared
// checkout, which holds the index and nothing else: so the index of a hundred thousand files is not
// copied until the agent's git first writes one.
#include <fmt/format.h>

#include "base/fs.h"
#include "repo/worktree/worktree_gitdir.h"

namespace gittxn::repo::internal {

Status prepare_overlay(const Worktree& worktree, const TxnId& txn) {
  for (const std::string& path : {worktree.path + "/work", worktree.tree}) {
    TRY(make_dirs(path, 0755));
  }
  // For whoever comes here without the mount.
  return write_file(worktree.tree + "/this-is-an-overlay",
                    fmt::format("Only processes inside the mount see the files. Enter it with:\n"
                                "    git txn open {0} --shell\n"
                                "or make plain files of it with:\n"
                                "    git txn open {0}\n",
                                txn.str()),
                    Sync::kNo, 0444);
}

}  // namespace gittxn::repo::internal
