#include "repo/lfs.h"

namespace gittxn::repo {

Result<LfsTrouble> lfs_trouble(const Repository& repository, const RefName& target) {
  Config& config = repository.config();
  const bool filter = TRY(config.get("filter.lfs.clean")) || TRY(config.get("filter.lfs.process"));
  if (!filter) return LfsTrouble{"git-lfs is not set up here", "set it up with: git lfs install"};
  auto remote = TRY(config.get("txn." + short_branch(target) + ".remote"));
  if (!remote) remote = TRY(config.get("txn.remote"));
  if (TRY(config.get("txn.hub")) || (remote && *remote != "local")) {
    return LfsTrouble{"a landing is pushed without what git-lfs keeps",
                      "commit and push it by hand"};
  }
  return LfsTrouble{};
}

}  // namespace gittxn::repo
