// The text that tells agents how to work in a transaction: share/instructions.md, which is in the
// program. A person names another text with `git config txn.instructions FILE`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/txn.h"
#include "txn/host.h"

namespace gittxn::api {

// Beside the observations of an attempt (observed_dir).
inline constexpr std::string_view kInstructionsFile = "instructions.md";
inline constexpr std::string_view kAboutFile = "txn.json";

std::string_view shipped_instructions();
// The text that counts here: of txn.instructions, else the shipped one. kUsage: the file that is
// named cannot be read, or has more than 64 KiB.
Result<std::string> instructions(State& state);
// Leaves what a process inside needs to know, for it must not ask the repository: txn.json
// {id, name, branch, base, isolation, confine} and instructions.md. Before the command runs;
// `confine`: what it is confined to, "" not at all.
Status leave_briefing(State& state, const Txn& txn, const std::string& confine);

}  // namespace gittxn::api
