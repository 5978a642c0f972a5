#include "store/sentinels.h"

#include <algorithm>
#include <optional>

#include "base/bug.h"
#include "store/state.h"

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

struct Row {
  std::int64_t until_ms = 0;
  std::int64_t every_ms = 0;
  std::string boot;
};

Result<std::optional<Row>> row_of(const db::Database& database, const std::string& name) {
  db::Statement query =
      TRY(database.statement("SELECT until_ms, every_ms, boot FROM sentinels WHERE name = ?"));
  query.bind_all(encode_path(name));
  const bool found = TRY(query.step());
  if (!found) return std::optional<Row>();
  return std::optional<Row>(Row{query.integer(0), query.integer(1), query.text(2)});
}

std::int64_t left_ms(const Row& row, const std::string& boot, std::int64_t now_ms,
                     std::int64_t boot_ms) {
  const std::int64_t left = row.until_ms - now_ms;
  return std::max<std::int64_t>(row.boot == boot ? left : std::max(left, row.every_ms - boot_ms),
                                0);
}

}  // namespace

Result<SentinelAnswer> pass_sentinel(Store& store, const Clock& clock, const std::string& name,
                                     std::int64_t every_ms) {
  Store::State& state = store.state();
  const std::string boot = encode_path(clock.boot_id());
  SentinelAnswer answer;
  bool blind = false;  // of the injected bug: looked at before the lock is had
  if (INJECTED_BUG("store.sentinel_in_steps")) {
    const std::optional<Row> seen = TRY(row_of(state.database, name));
    blind = !seen || left_ms(*seen, boot, TRY(store.now_ms()), clock.boot_ms()) == 0;
  }
  const auto pass = [&](db::Database& database) -> Result<Then> {
    const std::int64_t now_ms = TRY(store.now_ms());
    const std::int64_t boot_ms = clock.boot_ms();
    db::Statement statement = TRY(database.statement(kPass));
    statement.bind_all(encode_path(name), now_ms + every_ms, every_ms, boot,
                       blind ? now_ms + every_ms : now_ms, boot_ms);
    const bool passed = TRY(statement.step());
    if (!passed) {
      const std::optional<Row> row = TRY(row_of(database, name));
      if (row) answer.left_ms = left_ms(*row, boot, now_ms, boot_ms);
      return Then::kRollBack;
    }
    answer = {Passing::kPassed, every_ms};
    TRY(statement.run());
    db::Statement prune = TRY(database.statement(kPrune));
    prune.bind_all(now_ms, boot, boot_ms);
    TRY(prune.run());
    return Then::kCommit;
  };
  TRY(write(state, pass));
  return answer;
}

Result<std::vector<Sentinel>> sentinels(const View& view) {
  std::vector<Sentinel> all;
  db::Statement query =
      TRY(view.tables().statement("SELECT name, every_ms, until_ms FROM sentinels ORDER BY name"));
  while (TRY(query.step())) {
    all.push_back({decode_path(query.text(0)), query.integer(1), query.integer(2)});
  }
  return all;
}

Result<bool> reset_sentinel(Store& store, const std::string& name) {
  bool there = false;
  const auto reset = [&](db::Database& database) -> Result<Then> {
    db::Statement gone =
        TRY(database.statement("DELETE FROM sentinels WHERE name = ? RETURNING name"));
    gone.bind_all(encode_path(name));
    there = TRY(gone.step());
    TRY(gone.run());
    return there ? Then::kCommit : Then::kRollBack;
  };
  TRY(write(store.state(), reset));
  return there;
}

}  // namespace gittxn::store
