// Reads of the kernel's own state, by an agent that was shown it (B1, B2): versions of workflows
// and phases, which workflows there are, and the order of pending transactions.
//
// Inside of a transaction each is a line of JSON in the attempt's observed directory, durable
// before the agent gets the answer; taking the work makes hard reads of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "txn/state.h"

namespace gittxn::api {

// Outside of a transaction: nothing.
Status note_kernel_reads(State& state, const store::View& view,
                         const std::vector<std::string>& subjects, std::string_view shown_by);
// Those of an attempt. A line that makes no sense counts as a read that does not hold.
Result<std::vector<Read>> kernel_reads(const Attempt& attempt, const Oid& snapshot);

}  // namespace gittxn::api
