// How long a server that cannot be reached is asked again: it may be restarting.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace gittxn::db {

struct Patience {
  std::int64_t wait_ms = 0;  // < 0: for ever
  std::function<bool()> interrupted = {};
  std::function<void(std::string_view why)> on_wait = {};  // begins; "" ends it
};

}  // namespace gittxn::db
