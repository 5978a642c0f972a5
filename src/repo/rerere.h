// Resolutions of conflicts that a person recorded, with git's own `git rerere`: looked up by git's
// program in a scratch repository of ours, with a copy of what was recorded. Neither the person's
// checkout nor their rr-cache is written.
//
// Recorded are files in <common git dir>/rr-cache, which anybody may have put there who can write
// it. Believed are plain files of bounded size that belong to who asks and that not everybody may
// write; a link, another owner's, and what is damaged is as if it were not there.
//
// On disk: <txn>/tmp/rerere-*, which is taken away again; if we die it stays and means nothing.
#pragma once

#include <optional>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "repo/repository.h"

namespace gittxn::repo {

// One file as both sides have it. Which is whose does not matter to git.
struct ConflictTexts {
  std::string base, ours, theirs;
};

// As git means it: rerere.enabled where it is set, otherwise whether there is an rr-cache.
Result<bool> records_resolutions(Repository& repository);

// The whole file, as the person resolved it when the same lines met; nothing where no resolution is
// recorded, where git would not take it, or where conflict markers are left in it. Errors are git's
// and the disk's.
Result<std::optional<std::string>> recorded_resolution(Repository& repository,
                                                       const ConflictTexts& texts, Random& random);

}  // namespace gittxn::repo
