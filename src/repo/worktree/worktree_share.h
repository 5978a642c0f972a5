// Folders of the person's checkout that a worktree shows without a copy of them: node_modules and
// its like. Each is mounted in the worktree's mount namespace (worktree_mount.h), the person's
// folder below and a layer of the worktree's own above, so what is written there is the worktree's
// alone. git ignores them, so taking a change needs no mount.
//
//   <path>/shares               "trusted" or "user", then path and source of each, a NUL after each
//   <path>/share.N/upper, work  the layer of the Nth, and the kernel's scratch directory
//
// In the tree there is an empty directory where each is mounted. Where that is gone, or is
// something else by now, nothing is mounted: what the tree has is its own.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "repo/worktree.h"

namespace gittxn::repo {

struct SharedFolder {
  std::string path;  // in the tree, where nothing but an empty directory is
  std::string from;  // absolute
};

struct SharedFolders {
  OverlayMarks marks = OverlayMarks::kTrusted;
  std::vector<SharedFolder> folders;
};

// None where there are none. kCorrupt: the file does not parse.
Result<SharedFolders> shared_folders(const Worktree& worktree);
// From the next Mount on. Only while nobody has one of this worktree.
Status share_folders(const Worktree& worktree, const std::vector<SharedFolder>& folders);
// They are gone with what was written in them, and their places in the tree.
Status unshare_folders(const Worktree& worktree);

// The layer of the Nth.
std::string share_layer(const Worktree& worktree, std::size_t number);

}  // namespace gittxn::repo
