// A fresh folder for a store, and a clock that goes as told. For tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/testing/temp_dir.h"
#include "db/testing/postgres.h"
#include "store/store.h"
#include "store/testing/tamper.h"

namespace gittxn::store::testing {

// In milliseconds.
inline constexpr std::int64_t kMinute = 60'000;
inline constexpr std::int64_t kDay = kMinute * 60 * 24;

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

// A fresh store: a file, or with GIT_TXN_TEST_STORE=postgres a schema of the server that
// tests/postgres/with has started. It has the fake clock's time either way.
class TempStore {
 public:
  TempStore() {
    const char* kind = std::getenv("GIT_TXN_TEST_STORE");
    if (kind != nullptr && std::string_view(kind) == "postgres") schema_.emplace();
  }
  bool on_server() const { return schema_.has_value(); }
  Location place() const {
    Location place(txn_dir());
    if (schema_) {
      place.url = *db::testing::postgres_url();
      place.schema = schema_->name();
      place.time = Location::Time::kOwn;
    }
    return place;
  }
  std::string txn_dir() const { return dir_.at("txn"); }
  std::string database() const { return dir_.at("txn/kernel.db"); }
  std::string at(std::string_view name) const { return dir_.at(name); }
  Store open() const { return Store::open(place(), clock).value(); }
  // A connection beside the store's, as somebody with a shell of the database has one.
  db::Database shell() const {
    if (schema_) return schema_->connect().value();
    return db::Database::open(database(), {}).value();
  }
  // As somebody with that shell would, triggers or not.
  Status tamper(const std::string& sql) const {
    db::Database database = shell();
    return testing::tamper(database, sql);
  }
  // What a migration kept of the store of that version.
  db::Database copy_of(int version) const {
    if (schema_) {
      const std::string name = fmt::format("{}_v{}_bak", schema_->name(), version);
      return db::Database::connect(*db::testing::postgres_url(), name, {}).value();
    }
    return db::Database::open(fmt::format("{}.v{}.bak", database(), version), {}).value();
  }

  FakeClock clock;

 private:
  gittxn::testing::TempDir dir_;
  std::optional<db::testing::PostgresSchema> schema_;
};

// Of what only a file can do.
#define NEEDS_A_FILE(place) \
  if ((place).on_server()) GTEST_SKIP() << "of a store in a file alone"

}  // namespace gittxn::store::testing
