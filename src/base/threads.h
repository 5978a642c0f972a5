// Work beside the thread that asks for it.
#pragma once

#include <future>
#include <system_error>
#include <utility>

#include "base/signals.h"

namespace gittxn {

// What `make` gives, from a thread that takes no signals; not valid when no more threads are to be
// had. The future waits for it when it goes.
template <typename Make>
auto on_a_thread(Make make) -> std::future<decltype(make())> {
  const BlockedSignals blocked;
  try {
    return std::async(std::launch::async, std::move(make));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace gittxn
