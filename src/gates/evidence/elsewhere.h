// Detects a gate that tested another checkout of the repository instead of the candidate, by an
// editable install or an absolute path in a script.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gates/evidence/survey.h"
#include "repo/repository.h"

namespace gittxn::gates {

// Returns the first file of another checkout that was opened or executed and that the candidate has
// too; "" when there is none. A file that only the checkout has (an environment, a cache) is a tool
// like any other. `tree`: where the gate ran, a real path; `view`: how it saw paths.
Result<std::string> tested_elsewhere(repo::Repository& repository,
                                     const std::vector<std::string>& record_files,
                                     const std::string& tree, const Oid& candidate_tree,
                                     const RunView& view = {});

}  // namespace gittxn::gates
