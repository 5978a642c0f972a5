// One run of an agent inside a transaction: what is added to its command before, and what is made
// of its session files after. A command that starts no agent that is known runs as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/inject.h"
#include "model/txn.h"
#include "txn/host.h"

namespace gittxn::api {

struct AgentRun {
  std::vector<std::string> argv;   // what to run
  std::string agent;               // "claude-code" when hooks were added, else ""
  std::uint64_t hooks_before = 0;  // bytes of the hook log
  std::vector<std::string> notes;  // for a person
};

// The agent that the command starts in that folder, where neither the options nor txn.inject say
// that it is to be left alone.
Result<std::optional<agents::FoundAgent>> agent_in(State& state,
                                                   const std::vector<std::string>& argv,
                                                   const RunOptions& options,
                                                   const std::string& cwd);

// Adds the hooks to this one run, where the command starts an agent and neither the options nor
// txn.inject say no. Writes the plugin folder into the attempt's directory; changes nothing of the
// user's. `cwd`: where the command will start. The observed directory must be there.
Result<AgentRun> prepare_agent(State& state, const Attempt& attempt,
                               const std::vector<std::string>& argv, const RunOptions& options,
                               const std::string& cwd);

// After the command and its whole tree have ended: imports the session files that its hooks named,
// and adds to `run.notes` what makes the observations less than whole.
Status import_agent(const Attempt& attempt, AgentRun& run);

struct ImportReport {
  TxnId txn;
  std::uint64_t observations = 0;
  std::uint64_t damaged = 0;   // spans and lines that were not understood
  std::uint64_t left_out = 0;  // beyond the bounds
};

// What a framework's OpenTelemetry export says its tools read, as observations of an open
// transaction; without an id: the one this process is in, else the only open one. They count when
// its change is taken next.
Result<ImportReport> import_otel(State& state, const std::optional<std::string>& id,
                                 const std::string& file);

}  // namespace gittxn::api
