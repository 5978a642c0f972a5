// Checking the log against itself and the projections against the log. Never writes.
#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/json.h"
#include "base/text.h"
#include "store/area.h"
#include "store/log/checkpoint.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/server/dialect.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

constexpr std::size_t kMaxProblems = 50;
constexpr int kMaxKeys = 20;

// Two events of one key, or one whose key a pruned event had. What keeps that out is an index, and
// what an index says is not asked of it: it may be what is gone.
Status check_keys(const db::Database& database, std::vector<std::string>* problems) {
  db::Statement twice =
      TRY(database.statement("SELECT dedup_key, min(seq), max(seq) FROM events GROUP BY dedup_key "
                             "HAVING count(*) > 1 ORDER BY min(seq) LIMIT ?",
                             kMaxKeys));
  while (TRY(twice.step())) {
    problems->push_back(fmt::format("events {} and {} have the same key '{}'", twice.integer(1),
                                    twice.integer(2), twice.text(0)));
  }
  db::Statement again = TRY(
      database.statement("SELECT p.seq, e.seq, e.dedup_key FROM pruned_keys p JOIN events e "
                         "ON e.dedup_key = p.dedup_key WHERE e.seq <> p.seq ORDER BY e.seq LIMIT ?",
                         kMaxKeys));
  while (TRY(again.step())) {
    problems->push_back(fmt::format("events {} (pruned) and {} have the same key '{}'",
                                    again.integer(0), again.integer(1), again.text(2)));
  }
  return {};
}

// A damaged file is a finding, not a failure to look; everything else is.
Status as_problem(Status status, std::vector<std::string>* problems) {
  if (status || status.error().code != Code::kCorrupt) return status;
  const Error& error = status.error();
  problems->push_back(error.where.empty() ? error.message : error.where + ": " + error.message);
  return {};
}

Status check_pages(const db::Database& database, std::vector<std::string>* problems) {
  if (database.dialect() != db::Dialect::kSqlite) return {};  // a server looks after its own
  db::Statement query = TRY(database.statement("PRAGMA integrity_check(20)"));
  while (TRY(query.step())) {
    // SQLite puts several findings into one text, under a line that names the database.
    const std::string text = query.text(0);
    for (const std::string_view line : lines_of(text)) {
      if (line.empty() || line == "ok" || line.starts_with("***")) continue;
      problems->push_back(fmt::format("SQLite: {}", line));
    }
  }
  return {};
}

Status check_log_parts(const db::Database& database, std::vector<std::string>* problems) {
  for (const std::string& part : TRY(missing_log_parts(database))) {
    problems->push_back(fmt::format("the log's trigger or index '{}' was taken away", part));
  }
  return {};
}

Status check_whole(const db::Database& database, VerifyReport* report) {
  TRY(check_chain(database, 0, report));
  TRY(check_keys(database, &report->problems));
  const std::optional<Event> last = TRY(last_event(database));
  const Progress progress = TRY(load_progress(database));
  const std::string hash = last ? last->hash.str() : kGenesisHash;
  if (progress.seq != (last ? last->seq : 0) || progress.hash != hash) {
    report->problems.push_back(
        fmt::format("the projections end at event {}, the log at {}: a tail was cut off or put on",
                    progress.seq, last ? last->seq : 0));
  }
  return {};
}

// The artifact is what the log says it is, and the keys of what was pruned are those it names.
Status check_checkpoint(const Store::State& state, const LogStart& start) {
  const Checkpoint checkpoint = TRY(read_checkpoint(Log{state.database, state.place.dir}, start));
  const KeyDigest keys = TRY(digest_keys(state.database, start.pruned));
  if (keys.count == checkpoint.keys.count && keys.digest == checkpoint.keys.digest) return {};
  return fail(Code::kCorrupt,
              fmt::format("the keys of pruned events were edited: {} are there, the checkpoint at "
                          "event {} has {}",
                          keys.count, start.pruned, checkpoint.keys.count));
}

// A log that begins later than its first event says so itself, in an event.
Status check_start(const Store::State& state, std::vector<std::string>* problems) {
  const LogStart start = TRY(load_log_start(state.database));
  const std::optional<LogStart> told = TRY(last_checkpoint_event(state.database));
  const Seq said = told ? told->pruned : 0;
  if (said != start.pruned) {
    problems->push_back(fmt::format("the log begins after event {}, but its events say after {}",
                                    start.pruned, said));
    return {};
  }
  if (!told) return {};
  if (told->hash != start.hash || told->state != start.state) {
    problems->push_back(
        fmt::format("where the log begins was edited: event {} had another hash or "
                    "state",
                    start.pruned));
    return {};
  }
  return as_problem(check_checkpoint(state, start), problems);
}

}  // namespace

Result<db::Database> empty_state(const Plan& plan) {
  db::Database memory = TRY(db::Database::open_memory());
  TRY(create_projections(memory, plan));
  return memory;
}

std::string unknown_event(const Event& event) {
  if (rule_of(event.type) != nullptr && event.schema_version == 1) return {};
  return fmt::format(
      "'{}' of version {} is not known to this git-txn; if a newer one wrote it, use that one",
      event.type, event.schema_version);
}

Status check_chain(const db::Database& database, Seq after, VerifyReport* report) {
  std::vector<std::string>* problems = &report->problems;
  const LogStart start = TRY(load_log_start(database));
  Event previous;
  previous.seq = start.pruned;
  previous.hash = Digest(start.hash);
  bool linked = after <= start.pruned;  // the first row of a part only anchors it
  const auto check = [&](Event event) -> Result<bool> {
    if (problems->size() >= kMaxProblems) return false;
    const bool believed = INJECTED_BUG("store.no_chain");
    if (linked && !believed) {
      if (event.seq != previous.seq + 1) {
        problems->push_back(
            fmt::format("events {} to {} are missing", previous.seq + 1, event.seq - 1));
      } else if (event.prev_hash != previous.hash) {
        problems->push_back(
            fmt::format("event {} does not follow event {}", event.seq, previous.seq));
      }
    }
    if (!believed && event_hash(event) != event.hash) {
      problems->push_back(fmt::format("event {} was edited: its hash is wrong", event.seq));
    } else if (const std::string unknown = unknown_event(event); !unknown.empty()) {
      report->newer.insert(problems->size());
      problems->push_back(fmt::format("event {}: {}", event.seq, unknown));
    }
    linked = true;
    previous = std::move(event);
    return true;
  };
  TRY(each_event(database, std::max(after, start.pruned + 1), 0, check));
  report->events = previous.seq;
  return {};
}

Result<VerifyReport> Store::verify() const {
  VerifyReport report;
  db::Database& database = state_->database;
  const db::Transaction moment =
      TRY(db::Transaction::begin(database, db::Transaction::Kind::kRead));
  // Each by itself: where one page is damaged the rest is still looked at.
  TRY(as_problem(check_pages(database, &report.problems), &report.problems));
  TRY(as_problem(check_log_parts(database, &report.problems), &report.problems));
  TRY(as_problem(check_whole(database, &report), &report.problems));
  TRY(as_problem(check_start(*state_, &report.problems), &report.problems));
  return report;
}

Result<VerifyReport> Store::verify_replay() const {
  VerifyReport report;
  db::Database& database = state_->database;
  db::Database memory = TRY(empty_state(state_->plan));
  const db::Transaction moment =
      TRY(db::Transaction::begin(database, db::Transaction::Kind::kRead));
  const auto run = [&]() -> Status {
    const Progress progress = TRY(load_progress(database));
    report.events = progress.seq;
    TRY(replay(Log{database, state_->place.dir}, memory, 0));
    return tell_differences(database, memory, kMaxProblems, &report.problems);
  };
  Status status = run();
  if (!status && (status.error().code == Code::kStale || status.error().code == Code::kExists)) {
    status.error().code = Code::kCorrupt;  // the log contains what could not have been appended
  }
  TRY(as_problem(std::move(status), &report.problems));
  return report;
}

Result<Json> Store::state_at(Seq seq) const {
  const Seq last = TRY(head());
  if (seq < 0 || seq > last) {
    return fail(Code::kUsage, fmt::format("there is no event {}", seq),
                fmt::format("the last one is {}", last));
  }
  const LogStart start = TRY(load_log_start(state_->database));
  if (seq < start.pruned) {
    return fail(
        Code::kUsage,
        fmt::format("event {} was pruned: the log begins after event {}", seq, start.pruned),
        fmt::format("the earliest state that is kept is --at {}", start.pruned));
  }
  db::Database memory = TRY(empty_state(state_->plan));
  if (seq > 0) TRY(replay(Log{state_->database, state_->place.dir}, memory, seq));
  return projection_json(memory);
}

}  // namespace gittxn::store
