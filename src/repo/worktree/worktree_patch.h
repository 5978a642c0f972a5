// Changing the files of a private worktree while its agent is at work.
#pragma once

#include <string>

#include "base/result.h"
#include "repo/worktree.h"

namespace gittxn::repo {

// As a patch of git's says, all files or none. The repository's configuration counts, and not the
// worktree's own: what the agent has written there (filters) would be run by us, outside of
// whatever the agent is confined to. From inside its mount (worktree_mount.h).
Status apply_patch(const Repository& repository, const Worktree& worktree,
                   const std::string& patch);

}  // namespace gittxn::repo
