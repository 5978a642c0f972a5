// What a transaction does while its command runs, as others can see it without asking or disturbing
// it: for status, and for a look at its change. Nothing is decided by it, and nothing is recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "repo/worktree.h"
#include "store/work/budgets.h"
#include "txn/state.h"

namespace gittxn::api {

// What the worktree of the last attempt has now, against what it started from. A crash leaves a
// folder below <txn directory>/tmp, which gc removes, and objects that nobody names.
Result<repo::Taken> work_until_now(State& state, const Txn& txn);

// Each part is missing where it cannot be told.
struct Working {
  std::string tool;  // the newest tool call that a hook of the agent told: "Edit src/a.py"
  std::int64_t tool_wall_ms = 0;
  std::optional<store::Amounts> used;  // as the agent's session files say until now
  std::optional<std::size_t> changed;  // files
};
Working working_now(State& state, const Txn& txn);

}  // namespace gittxn::api
