// Whether a gate tested what would land: one that looks into files of another checkout of the
// repository (an editable install of the person's own, an absolute path in a script) says something
// of those.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "repo/repository.h"

namespace gittxn::gates {

// The first file of another checkout that is a file of the candidate too, and that was opened or
// executed; "" there is none. What is only in the checkout (an environment, a cache) is a tool like
// any other. `tree`: where the gate ran, a real path.
Result<std::string> tested_elsewhere(repo::Repository& repository,
                                     const std::vector<std::string>& record_files,
                                     const std::string& tree, const Oid& candidate_tree);

}  // namespace gittxn::gates
