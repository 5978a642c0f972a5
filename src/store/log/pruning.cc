#include "store/log/pruning.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/hash.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/log/checkpoint.h"
#include "store/log/consumers.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/state.h"
#include "store/work/portfolio_relay.h"

namespace gittxn::store {
namespace {

FAILPOINT(fp_state_written, "store.prune.state_written");
FAILPOINT(fp_event_appended, "store.prune.event_appended");
FAILPOINT(fp_start_moved, "store.prune.start_moved");
FAILPOINT(fp_recorded, "store.prune.recorded");
FAILPOINT(fp_keys_kept, "store.prune.keys_kept");
FAILPOINT(fp_swept, "store.prune.swept");

constexpr Seq kSweptAtOnce = 500;  // a transaction: others wait for it, and write in between
constexpr std::size_t kHoldsTold = 20;
constexpr int kTries = 3;

struct CheckpointMade {
  Seq seq = 0;
  Digest hash;
  Digest state;
  std::string actor;
};
void fields(FieldIo& io, CheckpointMade& made) {
  constexpr const char* kDigest = "^[0-9a-f]{64}$";
  io.integer("seq", made.seq, kPositive);
  io.name({"hash", "of that event", kDigest}, made.hash);
  io.name({"state", "artifact", kDigest}, made.state);
  io.text("actor", made.actor);
}

Status checkpoint_made(db::Database&, const Event& event, const CheckpointMade& made) {
  if (made.seq >= event.seq) return stale(event, "it is of an event that is not there yet");
  return {};
}

constexpr EventRule kPruningRules[] = {
    {event_type::kCheckpoint,
     {"Events up to seq were pruned; hash is that of the last of them, state the artifact "
      "of what was known then.",
      "`log`", "`seq` is earlier"},
     accepts<checkpoint_made>,
     "events up to {seq} pruned by {actor}"}};

// The last event that is older: their times never go back.
Result<Seq> last_before(const db::Database& database, const std::string& time, Seq low, Seq high) {
  while (low < high) {
    const Seq middle = low + (high - low + 1) / 2;
    const auto found =
        TRY(database.first(db::text_of, "SELECT time FROM events WHERE seq = ?", middle));
    if (found && *found < time) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

Result<Seq> asked_until(const View& view, const PruneRequest& request, Seq pruned, Seq head) {
  if (request.before.has_value() == request.older_than_ms.has_value()) {
    return fail(Code::kUsage, "either a number or an age says what is pruned");
  }
  if (request.before) {
    if (*request.before < 1 || *request.before > head + 1) {
      return fail(Code::kUsage, fmt::format("there is no event {}", *request.before),
                  fmt::format("the log ends at {}", head));
    }
    return std::max(pruned, *request.before - 1);
  }
  const std::int64_t now_ms = TRY(view.now_ms());
  return last_before(view.tables(), format_utc(now_ms - *request.older_than_ms), pruned, head);
}

// Aborted, and to be resumed with all that its events say of its worktree.
Status add_resumable(const View& view, Seq asked, std::vector<PruneHold>& holds) {
  db::Statement query = TRY(view.tables().statement(
      "SELECT body, begun_seq FROM txns WHERE begun_seq <= ? AND state = ? ORDER BY begun_seq",
      asked, state_name(TxnState::kAborted)));
  std::size_t told = 0;
  while (TRY(query.step()) && told < kHoldsTold) {
    const Txn txn = TRY(body_of<Txn>("a stored transaction")(query));
    const bool kept = std::ranges::any_of(
        txn.attempts, [](const Attempt& attempt) { return !attempt.worktree.empty(); });
    if (!kept) continue;
    ++told;
    holds.push_back({fmt::format("transaction {} (aborted, its worktree is kept until git txn gc "
                                 "--force)",
                                 txn.id.str()),
                     query.integer(1)});
  }
  return {};
}

// Only what a member is told is kept for it: it may not have been told anything for long because
// nothing moved.
Status add_members(const View& view, std::vector<PruneHold>& holds) {
  if (INJECTED_BUG("portfolio.prune_past")) return {};
  for (const Member& member : TRY(members(view))) {
    const Seq from = TRY(first_to_tell(view, member.name));
    if (from == 0) continue;
    holds.push_back({fmt::format("member {}, not told of event {} yet (git txn portfolio relay)",
                                 member.name, from),
                     from});
  }
  return {};
}

Status add_holds(const View& view, Seq asked, std::vector<PruneHold>& holds) {
  TRY(add_members(view, holds));
  for (const Consumer& consumer : TRY(consumers(view))) {
    if (is_consumer_of_member(consumer.name)) continue;
    if (consumer.kind == ConsumerKind::kEphemeral || INJECTED_BUG("store.prune_past")) continue;
    holds.push_back({fmt::format("consumer {}, at event {}", consumer.name, consumer.position),
                     consumer.position + 1});
  }
  db::Statement txns = TRY(view.tables().statement(
      "SELECT id, state, begun_seq FROM txns WHERE begun_seq <= ? AND state NOT IN (?, ?, ?) "
      "ORDER BY begun_seq LIMIT 20",
      asked, state_name(TxnState::kLanded), state_name(TxnState::kNothing),
      state_name(TxnState::kAborted)));
  while (TRY(txns.step())) {
    holds.push_back(
        {fmt::format("transaction {} ({})", txns.text(0), txns.text(1)), txns.integer(2)});
  }
  TRY(add_resumable(view, asked, holds));
  db::Statement landings = TRY(view.tables().statement(
      "SELECT name, prepared_seq FROM branches WHERE prepared_seq > 0 ORDER BY prepared_seq"));
  while (TRY(landings.step())) {
    holds.push_back({fmt::format("a landing on {} that is not resolved", landings.text(0)),
                     landings.integer(1)});
  }
  std::erase_if(holds, [&](const PruneHold& hold) { return hold.from > asked; });
  std::ranges::stable_sort(holds, {}, &PruneHold::from);
  return {};
}

Result<std::string> hash_of(const db::Database& database, Seq seq) {
  const auto hash = TRY(database.first(db::text_of, "SELECT hash FROM events WHERE seq = ?", seq));
  if (!hash) return fail(Code::kCorrupt, fmt::format("event {} is missing", seq));
  return *hash;
}

Status refuse_broken(const db::Database& database) {
  VerifyReport report;
  TRY(check_chain(database, 0, &report));
  if (report.problems.empty()) return {};
  return fail(Code::kCorrupt, "a log that does not hold is not pruned: " + report.problems.front(),
              "git txn verify says all that is wrong; restore kernel.db from a backup");
}

struct Made {
  LogStart start;
  Seq replaces = 0;  // where the log began when it was made
};

// Everything slow, without the write lock: what is past does not change.
Result<Made> make_checkpoint(Store& store, Seq last) {
  Store::State& state = store.state();
  Made made;
  std::string text;
  {
    db::Database memory = TRY(empty_state(state.plan));
    const db::Transaction moment =
        TRY(db::Transaction::begin(state.database, db::Transaction::Kind::kRead));
    TRY(refuse_broken(state.database));
    made.start = TRY(load_log_start(state.database));
    made.replaces = made.start.pruned;
    TRY(replay(Log{state.database, state.place.dir}, memory, last));
    made.start.pruned = last;
    made.start.hash = TRY(hash_of(state.database, last));
    const KeyDigest keys = TRY(digest_keys(state.database, last));
    text = TRY(checkpoint_text(memory, Checkpoint{last, made.start.hash, keys}));
  }
  const Digest digest = TRY(store.put_artifact(text));
  made.start.state = digest.str();
  return made;
}

enum class Recorded { kYes, kChanged };
Result<Recorded> record(Store& store, const PruneRequest& request, const Made& made) {
  Store::State& state = store.state();
  Recorded recorded = Recorded::kChanged;
  const auto in_one = [&](db::Database& database) -> Result<Then> {
    const LogStart now = TRY(load_log_start(database));
    const PrunePlan plan = TRY(plan_prune(store, request));
    if (now.pruned != made.replaces || plan.last < made.start.pruned) return Then::kRollBack;
    TRY(append_all(database,
                   {events::checkpoint(made.start.pruned, Digest(made.start.hash),
                                       Digest(made.start.state), request.actor)},
                   *state.now_ms));
    TRY(fp_event_appended.hit());
    TRY(save_log_start(database, made.start));
    TRY(fp_start_moved.hit());
    recorded = Recorded::kYes;
    return Then::kCommit;
  };
  TRY(write(state, in_one));
  return recorded;
}

Status keep_keys(db::Database& database, Seq first, Seq last) {
  db::Statement query = TRY(database.statement(
      "SELECT seq, dedup_key, type, subject, payload FROM events WHERE seq BETWEEN ? AND ? "
      "ORDER BY seq",
      first, last));
  while (TRY(query.step())) {
    if (query.text(1).starts_with(kMadeKey)) continue;
    TRY(insert_row(database, "pruned_keys", "dedup_key, seq, type, subject, payload", query.text(1),
                   query.integer(0), query.text(2), query.text(3), sha256(query.text(4))));
  }
  return {};
}

// What the log has begun after, and is still there.
Status sweep(Store& store) {
  while (true) {
    bool done = false;
    const auto some = [&](db::Database& database) -> Result<Then> {
      const LogStart start = TRY(load_log_start(database));
      const Seq first =
          TRY(database.first(db::integer_of, "SELECT min(seq) FROM events")).value_or(0);
      done = first == 0 || first > start.pruned;
      if (done) return Then::kRollBack;
      const Seq last = std::min(start.pruned, first + kSweptAtOnce - 1);
      TRY(keep_keys(database, first, last));
      TRY(fp_keys_kept.hit());
      TRY(database.run("DELETE FROM events WHERE seq <= ?", last));
      return Then::kCommit;
    };
    TRY(write(store.state(), some));
    if (done) return {};
    TRY(fp_swept.hit());
  }
}

}  // namespace

const Area kPruning{{}, {}, kPruningRules};

namespace events {
NewEvent checkpoint(Seq pruned, const Digest& hash, const Digest& state, const std::string& actor) {
  return event_with(event_type::kCheckpoint, "log", CheckpointMade{pruned, hash, state, actor},
                    fmt::format("log:checkpoint:made:{}", pruned));
}
}  // namespace events

Result<std::string> log_uri(const View& view) {
  return "urn:uuid:" + TRY(load_log_start(view.tables())).id;
}

Result<Seq> pruned_until(const View& view) {
  return TRY(load_log_start(view.tables())).pruned;
}

Result<PrunePlan> plan_prune(const View& view, const PruneRequest& request) {
  const LogStart start = TRY(load_log_start(view.tables()));
  const Seq head = TRY(view.head());
  PrunePlan plan;
  plan.first = start.pruned + 1;
  plan.asked = TRY(asked_until(view, request, start.pruned, head));
  TRY(add_holds(view, plan.asked, plan.holds));
  plan.last = plan.holds.empty() ? plan.asked : std::max(start.pruned, plan.holds.front().from - 1);
  // A checkpoint alone is no reason for another one.
  const bool any = TRY(
      view.tables().has_row("SELECT 1 FROM events WHERE seq > ? AND seq <= ? AND type <> ? LIMIT 1",
                            start.pruned, plan.last, event_type::kCheckpoint));
  if (!any) plan.last = start.pruned;
  if (plan.holds.size() > kHoldsTold) plan.holds.resize(kHoldsTold);
  return plan;
}

Result<PrunePlan> prune(Store& store, const PruneRequest& request) {
  for (int i = 0; i < kTries; ++i) {
    const PrunePlan plan = TRY(plan_prune(store, request));
    if (plan.last < plan.first) {
      TRY(sweep(store));  // what an earlier one that was killed has left
      return plan;
    }
    const Made made = TRY(make_checkpoint(store, plan.last));
    TRY(fp_state_written.hit());
    const Recorded recorded = TRY(record(store, request, made));
    if (recorded == Recorded::kChanged) continue;
    TRY(fp_recorded.hit());
    TRY(sweep(store));
    return plan;
  }
  return fail(Code::kBusy, "what holds events back changed while they were to be pruned",
              "nothing was pruned; try again");
}

}  // namespace gittxn::store
