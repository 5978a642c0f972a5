// A deadline on a clock that is passed in. Header only, so that every wait of landing counts alike.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace gittxn::land {

class Deadline {
 public:
  // wait_ms < 0: never.
  Deadline(const Clock& clock, std::int64_t wait_ms)
      : clock_(clock), end_ns_(wait_ms < 0 ? -1 : clock.monotonic_ns() + wait_ms * kNsPerMs) {}
  bool passed() const { return end_ns_ >= 0 && clock_.monotonic_ns() >= end_ns_; }
  // `ms`, or what is left when that is less.
  std::int64_t clip(std::int64_t ms) const {
    if (end_ns_ < 0) return ms;
    const std::int64_t left_ns = end_ns_ - clock_.monotonic_ns();
    return std::clamp<std::int64_t>((left_ns + kNsPerMs - 1) / kNsPerMs, 0, ms);
  }

 private:
  const Clock& clock_;
  std::int64_t end_ns_;
};

}  // namespace gittxn::land
