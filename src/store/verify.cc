// Checking the log against itself and the projections against the log. Never writes.
#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/json_value.h"
#include "store/checkpoint.h"
#include "store/projection.h"
#include "store/rows.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

constexpr std::size_t kMaxProblems = 50;
constexpr std::size_t kShownBytes = 300;

std::string shown(const std::string& line) {
  return line.size() <= kShownBytes ? line : line.substr(0, kShownBytes) + "...";
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
    const std::string line = query.text(0);
    if (line != "ok") problems->push_back("SQLite: " + shown(line));
  }
  return {};
}

Status check_whole(const db::Database& database, VerifyReport* report) {
  TRY(check_pages(database, &report->problems));
  report->events = TRY(check_chain(database, 0, &report->problems));
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

// Both lists are in one order, table by table and row by row, so the first difference is telling
// and the rest often follows from it.
void compare(const std::vector<std::string>& stored, const std::vector<std::string>& replayed,
             std::vector<std::string>* problems) {
  const std::size_t longest = std::max(stored.size(), replayed.size());
  for (std::size_t i = 0; i < longest && problems->size() < kMaxProblems; ++i) {
    const std::string& left = i < stored.size() ? stored[i] : "(nothing)";
    const std::string& right = i < replayed.size() ? replayed[i] : "(nothing)";
    if (left != right) {
      problems->push_back(fmt::format("stored state differs from the log: {} | by the log: {}",
                                      shown(left), shown(right)));
    }
  }
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

Result<Seq> check_chain(const db::Database& database, Seq after,
                        std::vector<std::string>* problems) {
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
    }
    linked = true;
    previous = std::move(event);
    return true;
  };
  TRY(each_event(database, std::max(after, start.pruned + 1), 0, check));
  return previous.seq;
}

Result<VerifyReport> Store::verify() const {
  VerifyReport report;
  db::Database& database = state_->database;
  const db::Transaction moment =
      TRY(db::Transaction::begin(database, db::Transaction::Kind::kRead));
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
  const Progress progress = TRY(load_progress(database));
  report.events = progress.seq;
  const auto run = [&]() -> Status {
    TRY(replay(Log{database, state_->place.dir}, memory, 0));
    const std::vector<std::string> stored = TRY(projection_lines(database));
    const std::vector<std::string> replayed = TRY(projection_lines(memory));
    compare(stored, replayed, &report.problems);
    return {};
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
