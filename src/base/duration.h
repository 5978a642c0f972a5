// Durations as people write and read them. Pure; callable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gittxn {

// "250ms", "90s", "10m", "2h", "1d", or several of them from the largest down ("1h30m"); "0" alone
// needs no unit. Anything else is kUsage and says what was expected: a number without a unit is
// refused, because nobody agrees on what it means. At most a year.
Result<std::int64_t> parse_duration_ms(std::string_view text);

// "46 ms", "0.3 s", "1.8 s", "45 s", "4 min", "2 h 5 min", "3 d 4 h": two figures at most, for a
// person.
std::string format_duration(std::int64_t ms);

}  // namespace gittxn
