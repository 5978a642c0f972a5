#include "store/log/consumers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/bug.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "base/text.h"
#include "model/names.h"
#include "model/workflow.h"
#include "store/area.h"
#include "store/rows.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

constexpr NameTable<ConsumerKind, 2> kConsumerKinds{
    {{ConsumerKind::kDurable, "durable"}, {ConsumerKind::kEphemeral, "ephemeral"}}};

}  // namespace

static void fields(FieldIo& io, Consumer& consumer) {
  io.choice("kind", consumer.kind, kConsumerKinds);
  io.integer({"ttl_ms", "0: durable"}, consumer.ttl_ms, kNotNegative);
  io.integer({"position", "it gets what comes after"}, consumer.position, kNotNegative);
  io.texts({"types", "none: all"}, consumer.types);
}

namespace {

FAILPOINT(fp_acknowledged, "store.acknowledged");

constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxConsumers = 1'000;
constexpr std::string_view kHandlerPrefix = "on/";

struct ConsumerRemoved {
  Seq registration = 0;
  std::string why;
};
void fields(FieldIo& io, ConsumerRemoved& removed) {
  io.integer({"registration", "seq"}, removed.registration, kPositive);
  io.text("why", removed.why);
}

struct ConsumerStale {
  Seq registration = 0;
  Seq position = 0;
  Seq oldest = 0;
};
void fields(FieldIo& io, ConsumerStale& one) {
  io.integer({"registration", "seq"}, one.registration, kPositive);
  io.integer("position", one.position, kNotNegative);
  io.integer({"oldest", "the first event that waits"}, one.oldest, kPositive);
}

Status consumer_registered(db::Database& database, const Event& event, const Consumer& consumer) {
  const bool ephemeral = consumer.kind == ConsumerKind::kEphemeral;
  if (ephemeral != (consumer.ttl_ms > 0)) return stale(event, "its time to live is not its kind's");
  if (consumer.position > event.seq) {
    return stale(event, fmt::format("it would begin after event {}", consumer.position));
  }
  const std::optional<std::int64_t> at_ms = parse_utc(event.time);
  if (!at_ms) return fail(Code::kCorrupt, event.type + ": its time is not one");
  return save_row(database, "consumers", "name",
                  "kind, ttl_ms, types, start, registered, registered_ms, stale_at", event.subject,
                  consumer_kind_name(consumer.kind), consumer.ttl_ms,
                  fmt::format("{}", fmt::join(consumer.types, " ")), consumer.position, event.seq,
                  *at_ms, -1);
}

Status must_be_there(const Event& event, Seq registration, bool there) {
  if (there) return {};
  return stale(event, fmt::format("registration {} is not there", registration));
}

Status consumer_removed(db::Database& database, const Event& event,
                        const ConsumerRemoved& removed) {
  return must_be_there(
      event, removed.registration,
      TRY(database.has_row("DELETE FROM consumers WHERE name = ? AND registered = ? RETURNING name",
                           event.subject, removed.registration)));
}

Status consumer_went_stale(db::Database& database, const Event& event, const ConsumerStale& one) {
  return must_be_there(
      event, one.registration,
      TRY(database.has_row(
          "UPDATE consumers SET stale_at = ? WHERE name = ? AND registered = ? RETURNING name",
          one.position, event.subject, one.registration)));
}

constexpr std::string_view kConsumerSql = R"sql(
CREATE TABLE consumers (
  name          TEXT    PRIMARY KEY,
  kind          TEXT    NOT NULL,
  ttl_ms        INTEGER NOT NULL,
  types         TEXT    NOT NULL,
  start         INTEGER NOT NULL,
  registered    INTEGER NOT NULL,
  registered_ms INTEGER NOT NULL,
  stale_at      INTEGER NOT NULL
) STRICT;
)sql";

constexpr ProjectionTable kConsumerTables[] = {{"consumers", "name"}};

constexpr EventRule kConsumerRules[] = {
    {event_type::kConsumerRegistered,
     {"A consumer of events, after the event at position; no types: of all.", "its name"},
     accepts<consumer_registered>,
     "{kind} consumer registered after event {position}"},
    {event_type::kConsumerRemoved,
     {"The consumer of that registration is no more.", "its name", "registered by that event"},
     accepts<consumer_removed>,
     "consumer removed{:why}"},
    {event_type::kConsumerStale,
     {"The consumer does not move, while this event and perhaps others wait for it.", "its name",
      "registered by that event; once a stall"},
     accepts<consumer_went_stale>,
     "consumer does not move on from event {position}"},
};

// A position counts only for the registration that it was made under.
constexpr std::string_view kSelectConsumer =
    "SELECT c.name, c.kind, c.ttl_ms, c.types, c.registered, c.start, c.registered_ms, c.stale_at, "
    "p.acked, p.moved_ms FROM consumers c LEFT JOIN positions p "
    "ON p.consumer = c.name AND p.registration = c.registered";

Result<Consumer> consumer_of(const db::Statement& row) {
  Consumer consumer;
  consumer.name = row.text(0);
  consumer.kind = TRY(value_in(kConsumerKinds, "kind of consumer", row.text(1)));
  consumer.ttl_ms = row.integer(2);
  const std::string types = row.text(3);  // between blanks: they have none
  for (const std::string_view type : pieces_of(types, ' ')) consumer.types.emplace_back(type);
  consumer.registered = row.integer(4);
  const bool moved = row.is_integer(8);
  consumer.position = moved ? row.integer(8) : row.integer(5);
  consumer.moved_ms = moved ? row.integer(9) : row.integer(6);
  consumer.stale_at = row.integer(7);
  return consumer;
}

bool same(const Consumer& there, const Registration& wanted) {
  return there.kind == wanted.kind && there.ttl_ms == wanted.ttl_ms && there.types == wanted.types;
}

Result<Seq> position_of(const View& view, const Registration& registration) {
  using From = Registration::From;
  const Seq head = TRY(view.head());
  const LogStart start = TRY(load_log_start(view.tables()));
  if (registration.from == From::kNow) return head + 1;  // its own registration is no news
  if (registration.from == From::kStart) return start.pruned;
  if (registration.seq < 1 || registration.seq > head + 1) {
    return fail(Code::kUsage, fmt::format("there is no event {}", registration.seq),
                fmt::format("the last one is {}", head));
  }
  if (registration.seq <= start.pruned) {
    return fail(Code::kUsage, fmt::format("event {} was pruned", registration.seq),
                fmt::format("the log begins with event {}: --from start", start.pruned + 1));
  }
  return registration.seq - 1;
}

struct Stall {
  Consumer consumer;
  Seq oldest = 0;
};
Result<std::vector<Stall>> stalls(const View& view, std::int64_t threshold_ms) {
  std::vector<Stall> found;
  const std::int64_t now_ms = TRY(view.now_ms());
  for (Consumer& consumer : TRY(consumers(view))) {
    if (INJECTED_BUG("store.stalls_unseen")) continue;
    const bool told = consumer.stale_at == consumer.position;
    const bool moved = now_ms - consumer.moved_ms < threshold_ms;
    if (consumer.kind != ConsumerKind::kDurable || told || moved) continue;
    const Pending waiting = TRY(pending(view, consumer));
    if (waiting.oldest == 0 || now_ms - waiting.oldest_ms < threshold_ms) continue;
    found.push_back({std::move(consumer), waiting.oldest});
  }
  return found;
}

}  // namespace

const Area kConsumers{kConsumerSql, kConsumerTables, kConsumerRules};

namespace events {

NewEvent consumer_registered(const Consumer& consumer) {
  return event_with(event_type::kConsumerRegistered, consumer.name, consumer);
}

NewEvent consumer_removed(const Consumer& consumer, const std::string& why) {
  return event_with(event_type::kConsumerRemoved, consumer.name,
                    ConsumerRemoved{consumer.registered, why},
                    fmt::format("consumer:{}:removed:{}", consumer.name, consumer.registered));
}

NewEvent consumer_stale(const Consumer& consumer, Seq oldest) {
  return event_with(event_type::kConsumerStale, consumer.name,
                    ConsumerStale{consumer.registered, consumer.position, oldest},
                    fmt::format("consumer:{}:stale:{}.{}", consumer.name, consumer.registered,
                                consumer.position));
}

}  // namespace events

std::string_view consumer_kind_name(ConsumerKind kind) {
  return name_in(kConsumerKinds, kind);
}

bool has_ended(const Consumer& consumer, std::int64_t now_ms) {
  if (INJECTED_BUG("store.durable_ends") && now_ms - consumer.moved_ms > 86'400'000) return true;
  return consumer.kind == ConsumerKind::kEphemeral && now_ms - consumer.moved_ms > consumer.ttl_ms;
}

Status check_consumer_name(const std::string& name) {
  std::string_view rest = name;
  if (rest.starts_with(kHandlerPrefix)) rest.remove_prefix(kHandlerPrefix.size());
  if (is_workflow_name(rest)) return {};  // they are named alike
  return fail(Code::kUsage, fmt::format("'{}' is no name of a consumer", name.substr(0, kMaxName)),
              "use letters, digits, '.', '_' and '-', at most 64 of them");
}

Result<std::optional<Consumer>> consumer(const View& view, const std::string& name) {
  return view.tables().first(consumer_of, fmt::format("{} WHERE c.name = ?", kSelectConsumer),
                             name);
}

Result<std::vector<Consumer>> consumers(const View& view) {
  return view.tables().all(consumer_of, fmt::format("{} ORDER BY c.name", kSelectConsumer));
}

Result<Pending> pending(const View& view, const Consumer& consumer) {
  Pending waiting;
  const LogStart start = TRY(load_log_start(view.tables()));
  const Seq after = std::max(consumer.position, start.pruned);
  if (consumer.types.empty()) {
    const Seq head = TRY(view.head());
    waiting.events = std::max<Seq>(0, head - after);
    waiting.oldest = waiting.events > 0 ? after + 1 : 0;
  }
  for (const std::string& type : consumer.types) {
    db::Statement query = TRY(view.tables().statement(
        "SELECT count(*), min(seq) FROM events WHERE type = ? AND seq > ?", type, after));
    if (!TRY(query.step()) || query.integer(0) == 0) continue;
    waiting.events += query.integer(0);
    const Seq oldest = query.integer(1);
    waiting.oldest = waiting.oldest == 0 ? oldest : std::min(waiting.oldest, oldest);
  }
  if (waiting.oldest == 0) return waiting;
  const auto time = TRY(
      view.tables().first(db::text_of, "SELECT time FROM events WHERE seq = ?", waiting.oldest));
  waiting.oldest_ms = parse_utc(time.value_or("")).value_or(0);
  return waiting;
}

Result<Consumer> register_consumer(Store& store, const Registration& registration) {
  TRY(check_consumer_name(registration.name));
  const bool ephemeral = registration.kind == ConsumerKind::kEphemeral;
  if (ephemeral != (registration.ttl_ms > 0)) {
    return fail(Code::kUsage, "a consumer is durable, or has a time to live of more than 0");
  }
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const std::optional<Consumer> there = TRY(consumer(view, registration.name));
    const std::int64_t now_ms = TRY(view.now_ms());
    if (there && !has_ended(*there, now_ms)) {
      if (same(*there, registration)) return std::vector<NewEvent>{};
      return fail(Code::kExists,
                  fmt::format("consumer '{}' is registered already, as {}", registration.name,
                              consumer_kind_name(there->kind)),
                  fmt::format("take another name, or: git txn events consumer remove {}",
                              registration.name));
    }
    if (!there && TRY(consumers(view)).size() >= kMaxConsumers) {
      return fail(Code::kRefused, fmt::format("there are {} consumers already", kMaxConsumers),
                  "remove those that nobody uses: git txn events consumer list");
    }
    Consumer fresh;
    fresh.name = registration.name;
    fresh.kind = registration.kind;
    fresh.ttl_ms = registration.ttl_ms;
    fresh.types = registration.types;
    fresh.position = TRY(position_of(view, registration));
    return std::vector<NewEvent>{events::consumer_registered(fresh)};
  };
  TRY(store.decide(decision));
  return usable_consumer(store, registration.name);
}

Status remove_consumer(Store& store, const std::string& name, const std::string& why) {
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const std::optional<Consumer> there = TRY(consumer(view, name));
    if (!there) return std::unexpected(usable_consumer(view, name).error());
    return std::vector<NewEvent>{events::consumer_removed(*there, why)};
  };
  TRY(store.decide(decision));
  return {};
}

Result<Consumer> usable_consumer(const View& view, const std::string& name) {
  std::optional<Consumer> there = TRY(consumer(view, name));
  if (!there) {
    return fail(Code::kUsage, fmt::format("there is no consumer '{}'", name.substr(0, kMaxName)),
                "git txn events consumer list names them; register NAME makes one");
  }
  const std::int64_t now_ms = TRY(view.now_ms());
  if (!has_ended(*there, now_ms)) return *std::move(there);
  return fail(
      Code::kStale,
      fmt::format("consumer '{}' has ended: it was at event {} and was not moved for {}", name,
                  there->position, format_duration(there->ttl_ms)),
      fmt::format("begin anew where it was with: git txn events consumer register {} --ttl {}ms "
                  "--from {}",
                  name, there->ttl_ms, there->position + 1));
}

Status acknowledge(Store& store, const std::string& name, Seq seq) {
  const auto move = [&](db::Database& database) -> Result<Then> {
    const Consumer there = TRY(usable_consumer(store, name));
    const Seq head = TRY(store.head());
    if (seq > head || seq < 0) {
      return fail(Code::kUsage, fmt::format("there is no event {}", seq),
                  fmt::format("the last one is {}", head));
    }
    if (seq < there.position) {
      return fail(Code::kStale,
                  fmt::format("consumer '{}' is at event {} already", name, there.position),
                  "a position only moves forward; remove and register it to read again");
    }
    if (seq == there.position && there.kind == ConsumerKind::kDurable) return Then::kRollBack;
    TRY(save_row(database, "positions", "consumer", "registration, acked, moved_ms", name,
                 there.registered, seq, *store.state().now_ms));
    return Then::kCommit;
  };
  TRY(write(store.state(), move));
  return fp_acknowledged.hit();
}

Result<std::vector<std::string>> raise_stale(Store& store, std::int64_t threshold_ms) {
  std::vector<std::string> names;
  const std::vector<Stall> seen = TRY(stalls(store, threshold_ms));
  if (seen.empty()) return names;
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    std::vector<NewEvent> raised;
    for (const Stall& stall : TRY(stalls(view, threshold_ms))) {
      raised.push_back(events::consumer_stale(stall.consumer, stall.oldest));
      names.push_back(stall.consumer.name);
    }
    return raised;
  };
  TRY(store.decide(decision));
  return names;
}

}  // namespace gittxn::store
