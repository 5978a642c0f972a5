// What verbs that write do for the log besides.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "txn/state.h"

namespace gittxn::api {

inline constexpr Seq kPassedOver = 4'096;  // so many events of no interest move a position

// A setting that is a duration; none: it is not set. kUsage: it does not parse.
Result<std::optional<std::int64_t>> duration_setting(State& state, std::string_view key);
// Makes each handler of a trusted policy the consumer that it is, from now on.
Status register_handlers(State& state, const Policy& policy);
// Those that failed, one line each.
void tell_handlers(const store::Store& store, std::vector<std::string>& notes);
inline constexpr std::string_view kRetention = "txn.retention";
// How long events are kept; none: for ever.
Result<std::optional<std::int64_t>> retention_ms(State& state);
// Consumers that stopped moving, as notes. A setting that does not parse is one too: it is no
// reason to refuse other work.
Status tell_stale_consumers(State& state, std::vector<std::string>& notes);

}  // namespace gittxn::api
