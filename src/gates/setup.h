// [worktree] of a policy: what a fresh worktree gets before anybody works in it.
#pragma once

#include <string>
#include <vector>

#include "gates/gate.h"

namespace gittxn::gates {

struct SetUpRequest {
  std::string tree;        // the fresh worktree
  std::string record_dir;  // records go to <record_dir>/set-up-N.trace
  capture::Backend trace = capture::Backend::kOff;
  Environment env;                        // of the set-up commands
  std::vector<std::string> mounted = {};  // of the shared paths: they are there already
};

// Copies, shares, runs; the record files of the commands, in order. The first command that fails is
// an error that quotes its output.
Result<std::vector<std::string>> set_up(const GateContext& context, const Policy& policy,
                                        const SetUpRequest& request);

}  // namespace gittxn::gates
