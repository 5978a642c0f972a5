// One run of an agent inside a transaction: what is added to its command before, and what is made
// of its session files after. A command that starts no agent that is known runs as it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/state.h"

namespace gittxn::api {

struct AgentRun {
  std::vector<std::string> argv;   // what to run
  std::string agent;               // "claude-code" when hooks were added, else ""
  std::uint64_t hooks_before = 0;  // bytes of the hook log
  std::vector<std::string> notes;  // for a person
};

// Adds the hooks to this one run, where the command starts an agent and neither the options nor
// txn.inject say no. Writes the plugin folder into the attempt's directory; changes nothing of the
// user's. `cwd`: where the command will start. The observed directory must be there.
Result<AgentRun> prepare_agent(Kernel::State& state, const Attempt& attempt,
                               const std::vector<std::string>& argv, const RunOptions& options,
                               const std::string& cwd);

// After the command and its whole tree have ended: imports the session files that its hooks named,
// and adds to `run.notes` what makes the observations less than whole.
Status import_agent(const Attempt& attempt, AgentRun& run);

}  // namespace gittxn::api
