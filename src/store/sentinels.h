// Sentinels: "at most once per interval", across all processes on a store. A row beside the log,
// not an event: whether something was let through is a position, and nobody asks for its history.
//
// Letting through is one statement that writes and answers, so that of any number at once one gets
// through. Time is the kernel's clock; across a reboot an interval begins anew, but with a server's
// clock, where no machine's boot counts. A kill leaves the row as it was, or the interval begun.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/store.h"

namespace gittxn::store {

struct Sentinel {
  std::string name;
  std::int64_t every_ms = 0;  // of the one that was let through last
  std::int64_t left_ms = 0;   // until the next may pass, as pass_sentinel() says it
};

enum class Passing { kPassed, kThrottled };
struct SentinelAnswer {
  Passing passing = Passing::kThrottled;
  std::int64_t left_ms = 0;  // until the next may pass
};

// Also removes the rows of other names whose interval is over: without one they mean the same.
// `every_ms` > 0.
Result<SentinelAnswer> pass_sentinel(Store& store, const Clock& clock, const std::string& name,
                                     std::int64_t every_ms);
// Those whose interval has not been pruned, by name.
Result<std::vector<Sentinel>> sentinels(Store& store);
// The next one may pass at once. False: there is none of that name.
Result<bool> reset_sentinel(Store& store, const std::string& name);

}  // namespace gittxn::store
