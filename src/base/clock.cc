#include "base/clock.h"

#include <fmt/format.h>
#include <time.h>

#include "base/fs.h"

namespace gittxn {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;

std::int64_t read_ns(clockid_t id) {
  timespec t{};
  ::clock_gettime(id, &t);
  return static_cast<std::int64_t>(t.tv_sec) * kMsPerSecond * kNsPerMs + t.tv_nsec;
}

}  // namespace

std::int64_t SystemClock::wall_ms() const {
  return read_ns(CLOCK_REALTIME) / kNsPerMs;
}
std::int64_t SystemClock::monotonic_ns() const {
  return read_ns(CLOCK_MONOTONIC);
}
std::int64_t boot_time_ns() {
  return read_ns(CLOCK_REALTIME) - read_ns(CLOCK_BOOTTIME);
}

std::int64_t SystemClock::boot_ms() const {
  return read_ns(CLOCK_BOOTTIME) / kNsPerMs;
}

std::string SystemClock::boot_id() const {
  auto text = read_file("/proc/sys/kernel/random/boot_id", 128);
  if (!text) return "unknown";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

void SystemClock::sleep_ms(std::int64_t ms) {
  if (ms <= 0) return;
  timespec t{};
  t.tv_sec = static_cast<time_t>(ms / kMsPerSecond);
  t.tv_nsec = static_cast<long>(ms % kMsPerSecond * kNsPerMs);
  ::nanosleep(&t, nullptr);
}

std::string format_utc(std::int64_t wall_ms) {
  // Rounded towards the past, so that instants before 1970 print right as well.
  std::int64_t ms = wall_ms % kMsPerSecond;
  if (ms < 0) ms += kMsPerSecond;
  const time_t seconds = static_cast<time_t>((wall_ms - ms) / kMsPerSecond);
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     ms);
}

}  // namespace gittxn
