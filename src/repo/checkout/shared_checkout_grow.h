// A shared checkout grown from one of another commit: what is the same in both is one file with two
// names, and git writes the rest. Nothing ever writes in a shared checkout, so neither notices the
// other, but for the time of the last change of the inode and the number of its names. Internal to
// repo/.
#pragma once

#include <string>

#include "base/result.h"
#include "repo/repository.h"

namespace gittxn::repo::internal {

struct GrowRequest {
  std::string path;     // what it will be called: its like are beside it
  std::string tree;     // an empty directory, but for an empty .git
  std::string git_dir;  // configured
  Oid commit;
};
// False, with the tree as it was: there is none to grow from, or it cannot be trusted to be what
// git would write: a .gitattributes differs, a file was changed by hand.
Result<bool> grow_checkout(Repository& repository, const GrowRequest& request);

}  // namespace gittxn::repo::internal
