// Work beside the thread that asks for it.
#pragma once

#include <future>
#include <system_error>
#include <utility>

#include "base/signals.h"

namespace gittxn {

// Runs `make` on a thread that takes no signals. The future is not valid when no more threads are
// to be had; when it goes it waits for the thread.
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
