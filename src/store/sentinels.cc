#include "store/sentinels.h"

#include <algorithm>
#include <optional>

#include "base/bug.h"
#include "store/state.h"
#include "store/work/leases.h"

namespace gittxn::store {
namespace {

// A row of this boot is over at its time; one of an earlier boot, whose clock may have jumped in
// between, only a whole interval after this boot began.
constexpr std::string_view kPass =
    "INSERT INTO sentinels (name, until_ms, every_ms, boot) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (name) DO UPDATE SET until_ms = excluded.until_ms, every_ms = excluded.every_ms, "
    "boot = excluded.boot WHERE sentinels.until_ms <= ? AND (sentinels.boot = excluded.boot OR "
    "sentinels.every_ms <= ?) RETURNING until_ms";
constexpr std::string_view kPrune =
    "DELETE FROM sentinels WHERE until_ms <= ? AND (boot = ? OR every_ms <= ?)";

struct SentinelRow {
  std::int64_t until_ms = 0;
  std::int64_t every_ms = 0;
  std::string boot;
};

SentinelRow row_of(const db::Statement& row) {
  return {row.integer(0), row.integer(1), row.text(2)};
}

Result<std::optional<SentinelRow>> sentinel_row(const db::Database& database,
                                                const std::string& name) {
  return database.first(row_of, "SELECT until_ms, every_ms, boot FROM sentinels WHERE name = ?",
                        encode_path(name));
}

// How long this boot has lasted.
std::int64_t up_ms(const LeaseMoment& moment) {
  return moment.now_ms - moment.boot_began_ms;
}

std::int64_t left_ms(const SentinelRow& row, const LeaseMoment& moment) {
  const bool this_boot = row.boot == encode_path(moment.boot_id);
  const std::int64_t left = row.until_ms - moment.now_ms;
  return std::max<std::int64_t>(this_boot ? left : std::max(left, row.every_ms - up_ms(moment)), 0);
}

}  // namespace

Result<SentinelAnswer> pass_sentinel(Store& store, const Clock& clock, const std::string& name,
                                     std::int64_t every_ms) {
  Store::State& state = store.state();
  SentinelAnswer answer;
  bool blind = false;  // of the injected bug: looked at before the lock is had
  if (INJECTED_BUG("store.sentinel_in_steps")) {
    const std::optional<SentinelRow> seen = TRY(sentinel_row(state.database, name));
    blind = !seen || left_ms(*seen, TRY(moment_of(store, store, clock))) == 0;
  }
  const auto pass = [&](db::Database& database) -> Result<Then> {
    const LeaseMoment now = TRY(moment_of(store, store, clock));
    const std::string boot = encode_path(now.boot_id);
    const bool passed =
        TRY(database.has_row(kPass, encode_path(name), now.now_ms + every_ms, every_ms, boot,
                             blind ? now.now_ms + every_ms : now.now_ms, up_ms(now)));
    if (!passed) {
      const std::optional<SentinelRow> row = TRY(sentinel_row(database, name));
      if (row) answer.left_ms = left_ms(*row, now);
      return Then::kRollBack;
    }
    answer = {Passing::kPassed, every_ms};
    TRY(database.run(kPrune, now.now_ms, boot, up_ms(now)));
    return Then::kCommit;
  };
  TRY(write(state, pass));
  return answer;
}

Result<std::vector<Sentinel>> sentinels(Store& store) {
  const LeaseMoment now = TRY(moment_of(store, store, *store.state().clock));
  const auto told = [&](const db::Statement& row) {
    return Sentinel{decode_path(row.text(3)), row.integer(1), left_ms(row_of(row), now)};
  };
  return store.tables().all(told,
                            "SELECT until_ms, every_ms, boot, name FROM sentinels ORDER BY name");
}

Result<bool> reset_sentinel(Store& store, const std::string& name) {
  bool there = false;
  const auto reset = [&](db::Database& database) -> Result<Then> {
    there = TRY(
        database.has_row("DELETE FROM sentinels WHERE name = ? RETURNING name", encode_path(name)));
    return there ? Then::kCommit : Then::kRollBack;
  };
  TRY(write(store.state(), reset));
  return there;
}

}  // namespace gittxn::store
