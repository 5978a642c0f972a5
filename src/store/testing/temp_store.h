// A fresh folder for a store, and a clock that goes as told. For tests.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/testing/temp_dir.h"
#include "store/store.h"

namespace gittxn::store::testing {

class FakeClock final : public Clock {
 public:
  std::int64_t wall_ms() const override { return wall; }
  std::int64_t monotonic_ns() const override { return boot * 1'000'000; }
  std::int64_t boot_ms() const override { return boot; }
  std::string boot_id() const override { return id; }
  void sleep_ms(std::int64_t ms) override { advance(ms); }
  void advance(std::int64_t ms) {
    wall += ms;
    boot += ms;
  }

  std::int64_t wall = 1'700'000'000'000;
  std::int64_t boot = 5'000;
  std::string id = "boot-1";
};

class TempStore {
 public:
  std::string txn_dir() const { return dir_.at("txn"); }
  std::string database() const { return dir_.at("txn/kernel.db"); }
  std::string at(std::string_view name) const { return dir_.at(name); }
  Store open() const { return Store::open(txn_dir(), clock).value(); }

  FakeClock clock;

 private:
  gittxn::testing::TempDir dir_;
};

}  // namespace gittxn::store::testing
