// Time, passed in and never global, so that tests can fake it (5-kernel: F12).
//
// Three clocks with different promises: wall() is for people and jumps; monotonic() measures
// durations in one process; boot() compares instants of different processes on one boot and never
// goes back.
#pragma once

#include <cstdint>
#include <string>

namespace gittxn {

inline constexpr std::int64_t kNsPerMs = 1'000'000;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t wall_ms() const = 0;       // since 1970, UTC
  virtual std::int64_t monotonic_ns() const = 0;  // this process only
  virtual std::int64_t boot_ms() const = 0;       // CLOCK_BOOTTIME
  virtual std::string boot_id() const = 0;     // changes with every boot; "unknown" without /proc
  virtual void sleep_ms(std::int64_t ms) = 0;  // less when a signal handler ran meanwhile
};

// The machine's clock. Threads may share one.
class SystemClock final : public Clock {
 public:
  std::int64_t wall_ms() const override;
  std::int64_t monotonic_ns() const override;
  std::int64_t boot_ms() const override;
  std::string boot_id() const override;
  void sleep_ms(std::int64_t ms) override;
};

// When CLOCK_BOOTTIME was 0, in ns since 1970: what the kernel stamped with that clock, told in
// wall time. Another one after the wall clock was set.
std::int64_t boot_time_ns();

// "2026-11-21T11:02:25.000Z"
std::string format_utc(std::int64_t wall_ms);

}  // namespace gittxn
