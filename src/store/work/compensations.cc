#include "store/work/compensations.h"

#include <fmt/format.h>

#include "base/json.h"
#include "model/fields.h"
#include "store/area.h"
#include "store/rows.h"

namespace gittxn::store {

namespace events {
static void fields(FieldIo& io, CompensationRun& run) {
  io.integer("number", run.number, kPositive);
  io.integer({"run", "the last"}, run.run, kPositive);
  io.integer("exit", run.exit_status);
  io.boolean("timed_out", run.timed_out);
  io.name("output", run.output);
}
}  // namespace events

namespace {

constexpr std::size_t kMaxArgv = 4096;

Result<std::vector<Compensation>> load_compensations(const db::Database& database,
                                                     const std::string& txn) {
  return database.all(body_of<Compensation>(),
                      "SELECT body FROM compensations WHERE txn = ? ORDER BY number", txn);
}

Status save_compensation(db::Database& database, const std::string& txn, const Compensation& one) {
  return save_row(database, "compensations", "txn, number", "ended, body", txn, one.number,
                  one.ended, canonical_text(field_list(one)));
}

// What is known of one when it is registered.
struct Registered {
  Compensation one;
};
void fields(FieldIo& io, Registered& registered) {
  io.integer({"number", "one more than the last"}, registered.one.number, kPositive);
  io.integer({"attempt", "the last"}, registered.one.attempt, kPositive);
  io.text("name", registered.one.name);
  io.texts("argv", registered.one.argv);
}

struct CompensationStarted {
  int number = 0;
  int run = 0;
};
void fields(FieldIo& io, CompensationStarted& started) {
  io.integer({"number", "the last that has not ended"}, started.number, kPositive);
  io.integer({"run", "one more than the last of it"}, started.run, kPositive);
}

Status compensation_registered(db::Database& database, const Event& event,
                               const Registered& registered) {
  const Compensation& one = registered.one;
  if (one.argv.empty() || one.argv.size() > kMaxArgv || one.argv.front().empty()) {
    return fail(Code::kCorrupt, fmt::format("{}: it names no program", event.type));
  }
  const Txn txn = TRY(known_txn(database, event));
  if (txn.state != TxnState::kOpen) {
    return stale(event, fmt::format("it is {}", state_name(txn.state)));
  }
  if (one.attempt != static_cast<int>(txn.attempts.size())) {
    return stale(event, fmt::format("its attempt is {}", txn.attempts.size()));
  }
  const auto known = TRY(load_compensations(database, event.subject));
  if (one.number != static_cast<int>(known.size()) + 1 || one.number > kMaxCompensations) {
    return stale(event, fmt::format("it has {} already", known.size()));
  }
  return save_compensation(database, event.subject, one);
}

// The last that has not ended: what was done last is undone first.
Result<Compensation> due_compensation(const db::Database& database, const Event& event,
                                      int number) {
  const std::vector<Compensation> all = TRY(load_compensations(database, event.subject));
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (one->ended) continue;
    if (one->number == number) return *one;
    return stale(event, fmt::format("compensation {} comes first", one->number));
  }
  return stale(event, fmt::format("compensation {} has ended, or never was", number));
}

Status compensation_started(db::Database& database, const Event& event,
                            const CompensationStarted& started) {
  const Txn txn = TRY(known_txn(database, event));
  if (!ended_without_landing(txn)) {
    return stale(event, fmt::format("it is {}", state_name(txn.state)));
  }
  Compensation one = TRY(due_compensation(database, event, started.number));
  if (started.run != one.runs + 1) {
    return stale(event, fmt::format("it was started {} times", one.runs));
  }
  one.runs = started.run;
  return save_compensation(database, event.subject, one);
}

Status compensation_ended(db::Database& database, const Event& event,
                          const events::CompensationRun& told) {
  Compensation one = TRY(due_compensation(database, event, told.number));
  if (told.run != one.runs) {
    return stale(event, fmt::format("run {} is not the last", told.run));
  }
  one.ended = true;
  one.exit_status = told.exit_status;
  one.timed_out = told.timed_out;
  one.output = told.output;
  return save_compensation(database, event.subject, one);
}

std::string tell_registered(const Json& payload) {
  return filled_in(text_in(payload, "name").empty() ? "compensation {number} registered{:argv}"
                                                    : "compensation {number} registered{:name}",
                   payload);
}

constexpr std::string_view kCompensationSql = R"sql(
CREATE TABLE compensations (
  txn    TEXT    NOT NULL,
  number INTEGER NOT NULL,
  ended  INTEGER NOT NULL,
  body   TEXT    NOT NULL,
  PRIMARY KEY (txn, number)
) STRICT;
)sql";

constexpr ProjectionTable kCompensationTables[] = {{"compensations", "txn, number"}};

constexpr EventRule kCompensationRules[] = {
    {event_type::kCompensationRegistered,
     {"A command that undoes an effect outside of the repository.", "", "open"},
     accepts<compensation_registered>,
     tell_registered},
    {event_type::kCompensationStarted,
     {"It is run.", "", "aborted, nothing"},
     accepts<compensation_started>,
     "compensation {number} started, run {run}"},
    {event_type::kCompensationEnded,
     {"How that run ended."},
     accepts<compensation_ended>,
     "compensation {number} ended, exit {exit}"},
};

}  // namespace

const Area kCompensations{kCompensationSql, kCompensationTables, kCompensationRules};

Result<std::vector<Compensation>> compensations(const View& view, const TxnId& txn) {
  return load_compensations(view.tables(), txn.str());
}

bool ended_without_landing(const Txn& txn) {
  if (txn.state == TxnState::kNothing) return txn.landed_commit.empty();  // else it was merged
  return txn.state == TxnState::kAborted;
}

Result<std::vector<TxnId>> owing_compensation(const View& view) {
  std::vector<TxnId> out;
  for (const Txn& txn : TRY(view.tables().all(
           body_of<Txn>(),
           "SELECT body FROM txns WHERE id IN (SELECT txn FROM compensations WHERE ended = 0) "
           "AND state IN ('aborted', 'nothing') ORDER BY id"))) {
    if (ended_without_landing(txn)) out.push_back(txn.id);
  }
  return out;
}

namespace events {

NewEvent compensation_registered(const TxnId& txn, const Compensation& compensation) {
  return event_with(event_type::kCompensationRegistered, txn.str(), Registered{compensation});
}

NewEvent compensation_started(const TxnId& txn, int number, int run) {
  return event_with(event_type::kCompensationStarted, txn.str(), CompensationStarted{number, run});
}

NewEvent compensation_ended(const TxnId& txn, const CompensationRun& run) {
  return event_with(event_type::kCompensationEnded, txn.str(), run);
}

}  // namespace events
}  // namespace gittxn::store
