// Files of git-lfs in a worktree. A changed one lands as git add takes it: the filter makes the
// pointer, and the contents are kept with those of the repository. That is not enough where the
// filter is not set up, or where a landing is pushed, which takes the pointer alone along.
//
// Only looks. What git-lfs keeps is synced by nobody but git-lfs.
#pragma once

#include <string>

#include "base/result.h"
#include "repo/repository.h"

namespace gittxn::repo {

// Why a changed file of git-lfs cannot land on the branch, and what ends that; both empty when it
// can.
struct LfsTrouble {
  std::string why, next;
};
Result<LfsTrouble> lfs_trouble(const Repository& repository, const RefName& target);

}  // namespace gittxn::repo
