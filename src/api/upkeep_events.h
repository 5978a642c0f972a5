// What verbs that write do for the log besides. Internal to api/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/state.h"

namespace gittxn::api {

inline constexpr Seq kPassedOver = 4'096;  // so many events of no interest move a position

// A setting that is a duration; none: it is not set. kUsage: it does not parse.
Result<std::optional<std::int64_t>> duration_setting(Kernel::State& state, std::string_view key);
// Makes each handler of a trusted policy the consumer that it is, from now on.
Status register_handlers(Kernel::State& state, const Policy& policy);
// Those that failed, one line each.
void tell_handlers(const store::Store& store, std::vector<std::string>& notes);
// txn.retention: how long events are kept; none: for ever.
Result<std::optional<std::int64_t>> retention_ms(Kernel::State& state);
// What txn.retention lets go.
Status prune_by_retention(Kernel::State& state, GcReport& report);
// Consumers that stopped moving, as notes. A setting that does not parse is one too: it is no
// reason to refuse other work.
Status tell_stale_consumers(Kernel::State& state, std::vector<std::string>& notes);

}  // namespace gittxn::api
