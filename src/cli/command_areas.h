// The list of areas whose commands make the tree: each is a file of cli/commands/, which has its
// commands' handlers too. Only for commands.cc and those files.
#pragma once

#include <vector>

#include "cli/commands.h"

namespace gittxn::cli {

std::vector<CommandSpec> work_commands();       // work.cc
std::vector<CommandSpec> step_commands();       // steps.cc
std::vector<CommandSpec> look_commands();       // look.cc
std::vector<CommandSpec> output_commands();     // output.cc
std::vector<CommandSpec> event_commands();      // events.cc
std::vector<CommandSpec> merge_commands();      // merge.cc
std::vector<CommandSpec> agent_commands();      // agents.cc
std::vector<CommandSpec> summary_commands();    // summary.cc
std::vector<CommandSpec> policy_commands();     // policy.cc
std::vector<CommandSpec> workflow_commands();   // workflow.cc
std::vector<CommandSpec> portfolio_commands();  // portfolio.cc
std::vector<CommandSpec> lease_commands();      // leases.cc
std::vector<CommandSpec> budget_commands();     // budgets.cc
std::vector<CommandSpec> proposal_commands();   // proposals.cc
std::vector<CommandSpec> care_commands();       // care.cc
std::vector<CommandSpec> internal_commands();   // internal.cc

// Of commands of several areas.
inline constexpr FlagSpec kActor{"--actor", "WHO", "who did it (default: your git identity)"};

// In the order in which help names them.
inline constexpr std::vector<CommandSpec> (*kAreas[])() = {
    work_commands,   step_commands,     look_commands,      output_commands,
    event_commands,  merge_commands,    agent_commands,     summary_commands,
    policy_commands, workflow_commands, portfolio_commands, lease_commands,
    budget_commands, proposal_commands, care_commands,      internal_commands};

}  // namespace gittxn::cli
