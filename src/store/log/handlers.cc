#include "store/log/handlers.h"

#include <fmt/format.h>

#include <array>

#include "model/names.h"
#include "store/area.h"
#include "store/log/consumers.h"
#include "store/rows.h"

namespace gittxn::store {

static constexpr NameTable<HandlerState, 4> kHandlerStates{{{HandlerState::kRunning, "running"},
                                                            {HandlerState::kDone, "done"},
                                                            {HandlerState::kFailing, "failing"},
                                                            {HandlerState::kStopped, "stopped"}}};

namespace events {
static void fields(FieldIo& io, HandlerEnd& end) {
  io.integer("event", end.event, kPositive);
  io.integer("attempt", end.attempt, kPositive);
  io.integer({"exit", "-1: nobody saw its end"}, end.exit);
  io.boolean("timed_out", end.timed_out);
  io.name({"output", "artifact, or \"\""}, end.output);
  io.integer("duration_ms", end.duration_ms, kNotNegative);
  io.integer({"retry_at_ms", "of the kernel's clock"}, end.retry_at_ms, kNotNegative);
  io.choice({"state", "`done`, `failing`, `stopped`"}, end.state, kHandlerStates);
  io.only("state", std::array<std::string_view, 3>{"done", "failing", "stopped"});
}
}  // namespace events

namespace {

constexpr std::string_view kSelectHandler =
    "SELECT name, event, attempt, state, exit, timed_out, output, retry_at_ms FROM handlers";

Result<HandlerRow> handler_row_of(const db::Statement& query) {
  HandlerRow row;
  row.name = query.text(0);
  row.event = query.integer(1);
  row.attempt = static_cast<int>(query.integer(2));
  row.state = TRY(value_in(kHandlerStates, "state of a handler", query.text(3)));
  row.exit = static_cast<int>(query.integer(4));
  row.timed_out = query.integer(5) != 0;
  row.output = Digest(query.text(6));
  row.retry_at_ms = query.integer(7);
  return row;
}

Result<std::optional<HandlerRow>> load_handler(const db::Database& database,
                                               const std::string& name) {
  return database.first(handler_row_of, fmt::format("{} WHERE name = ?", kSelectHandler), name);
}

Status save_handler(db::Database& database, const HandlerRow& row) {
  return save_row(database, "handlers", "name",
                  "event, attempt, state, exit, timed_out, output, retry_at_ms", row.name,
                  row.event, row.attempt, handler_state_name(row.state), row.exit, row.timed_out,
                  row.output, row.retry_at_ms);
}

struct HandlerStarted {
  Seq event = 0;
  int attempt = 0;
};
void fields(FieldIo& io, HandlerStarted& started) {
  io.integer({"event", "seq"}, started.event, kPositive);
  io.integer("attempt", started.attempt, kPositive);
}

struct HandlerRetried {
  Seq event = 0;
  std::string actor;
};
void fields(FieldIo& io, HandlerRetried& retried) {
  io.integer({"event", "seq"}, retried.event, kNotNegative);
  io.text("actor", retried.actor);
}

Status handler_started(db::Database& database, const Event& event, const HandlerStarted& started) {
  HandlerRow row;
  row.name = event.subject;
  row.state = HandlerState::kRunning;
  row.event = started.event;
  row.attempt = started.attempt;
  if (row.event < 1 || row.event >= event.seq) return stale(event, "there is no such event");
  const auto before = TRY(load_handler(database, row.name));
  const bool again = before && before->event == row.event;
  const bool may = !again || before->state == HandlerState::kFailing;
  if (!may) {
    return stale(event,
                 fmt::format("event {} is {}", row.event, handler_state_name(before->state)));
  }
  const int next = again ? before->attempt + 1 : 1;
  if (row.attempt != next) return stale(event, fmt::format("its attempt {} is next", next));
  return save_handler(database, row);
}

Status handler_ended(db::Database& database, const Event& event, const events::HandlerEnd& end) {
  const HandlerRow row{event.subject, end.event,     end.attempt, end.state,
                       end.exit,      end.timed_out, end.output,  end.retry_at_ms};
  const auto before = TRY(load_handler(database, row.name));
  const bool its = before && before->event == row.event && before->attempt == row.attempt &&
                   before->state == HandlerState::kRunning;
  if (!its || row.state == HandlerState::kRunning) return stale(event, "that attempt does not run");
  return save_handler(database, row);
}

Status handler_retried(db::Database& database, const Event& event, const HandlerRetried& retried) {
  auto row = TRY(load_handler(database, event.subject));
  const bool failed =
      row && row->event == retried.event &&
      (row->state == HandlerState::kFailing || row->state == HandlerState::kStopped);
  if (!failed) return stale(event, fmt::format("it did not fail on event {}", retried.event));
  row->state = HandlerState::kFailing;
  row->attempt = 0;
  row->retry_at_ms = 0;
  return save_handler(database, *row);
}

constexpr std::string_view kHandlerSql = R"sql(
CREATE TABLE handlers (
  name        TEXT    PRIMARY KEY,
  event       INTEGER NOT NULL,
  attempt     INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  exit        INTEGER NOT NULL,
  timed_out   INTEGER NOT NULL,
  output      TEXT    NOT NULL,
  retry_at_ms INTEGER NOT NULL
) STRICT;
)sql";

constexpr ProjectionTable kHandlerTables[] = {{"handlers", "name"}};

constexpr EventRule kHandlerRules[] = {
    {event_type::kHandlerStarted,
     {"A handler is about to be given this event, for the attempt-th time.", "the handler's name",
      "it does not run, and the attempt is the next one of that event"},
     accepts<handler_started>,
     "handler is given event {event}, attempt {attempt}"},
    {event_type::kHandlerEnded,
     {"What came of it. When it failed: the time of the kernel's clock from which it is "
      "tried again, or that it is left for a person.",
      "the handler's name", "that attempt runs"},
     accepts<handler_ended>,
     "handler {state} with event {event}, exit {exit}"},
    {event_type::kHandlerRetried,
     {"A person asked to try that event again.", "the handler's name", "it failed on that event"},
     accepts<handler_retried>,
     "event {event} is to be tried again, says {actor}"},
};

}  // namespace

const Area kHandlers{kHandlerSql, kHandlerTables, kHandlerRules};

namespace events {

NewEvent handler_started(const std::string& name, Seq event, int attempt) {
  return event_with(event_type::kHandlerStarted, name, HandlerStarted{event, attempt});
}

NewEvent handler_ended(const std::string& name, const HandlerEnd& end) {
  return event_with(event_type::kHandlerEnded, name, end);
}

NewEvent handler_retried(const std::string& name, Seq event, const std::string& actor) {
  return event_with(event_type::kHandlerRetried, name, HandlerRetried{event, actor});
}

}  // namespace events

std::string handler_consumer(std::string_view name) {
  return fmt::format("on/{}", name);
}

std::string_view handler_state_name(HandlerState state) {
  return name_in(kHandlerStates, state);
}

Result<std::optional<HandlerRow>> handler(const View& view, const std::string& name) {
  return load_handler(view.tables(), name);
}

Result<std::vector<HandlerRow>> handlers(const View& view) {
  return view.tables().all(handler_row_of, fmt::format("{} ORDER BY name", kSelectHandler));
}

Result<std::string> why_not_due(const View& view, const HandlerRow& row) {
  const std::string name = handler_consumer(row.name);
  const std::optional<Consumer> reader = TRY(consumer(view, name));
  if (!reader) return fmt::format("there is no consumer '{}' any more", name);
  if (reader->position >= row.event) return fmt::format("event {} was passed over", row.event);
  return std::string();
}

}  // namespace gittxn::store
