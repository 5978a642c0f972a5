#include "repo/lfs.h"

#include <string_view>

namespace gittxn::repo {

Result<LfsTrouble> lfs_trouble(const Repository& repository, const RefName& target) {
  constexpr std::string_view kBranches = "refs/heads/";
  Config& config = repository.config();
  const bool filter = TRY(config.get("filter.lfs.clean")) || TRY(config.get("filter.lfs.process"));
  if (!filter) return LfsTrouble{"git-lfs is not set up here", "set it up with: git lfs install"};
  std::string branch = target.str();
  if (branch.starts_with(kBranches)) branch.erase(0, kBranches.size());
  auto remote = TRY(config.get("txn." + branch + ".remote"));
  if (!remote) remote = TRY(config.get("txn.remote"));
  if (TRY(config.get("txn.hub")) || (remote && *remote != "local")) {
    return LfsTrouble{"a landing is pushed without what git-lfs keeps",
                      "commit and push it by hand"};
  }
  return LfsTrouble{};
}

}  // namespace gittxn::repo
