// A clock for tests of waits: sleeping takes no time, and is when the others act.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/clock.h"

namespace gittxn::land::testing {

class PassingClock final : public Clock {
 public:
  std::int64_t wall_ms() const override { return system_.wall_ms() + passed_ms_; }
  std::int64_t monotonic_ns() const override {
    return system_.monotonic_ns() + passed_ms_ * kNsPerMs;
  }
  std::int64_t boot_ms() const override { return system_.boot_ms() + passed_ms_; }
  std::string boot_id() const override { return system_.boot_id(); }
  void sleep_ms(std::int64_t ms) override {
    passed_ms_ += ms;
    if (act) std::exchange(act, {})();
  }
  void pass(std::int64_t ms) { passed_ms_ += ms; }
  std::int64_t passed_ms() const { return passed_ms_; }

  std::function<void()> act;  // once

 private:
  SystemClock system_;
  std::int64_t passed_ms_ = 0;
};

}  // namespace gittxn::land::testing
