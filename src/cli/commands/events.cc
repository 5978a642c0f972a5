// events: tail, consumer, prune.
#include "api/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/duration.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

std::unexpected<Error> misused(const std::string& what) {
  return fail(Code::kUsage, what, "git txn events --help shows how");
}

// A number of an event: digits alone.
Result<Seq> seq_of(std::string_view what, const std::string& text) {
  Seq seq = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seq);
  if (error == std::errc() && at == end && seq >= 0 && text[0] != '-') return seq;
  return misused(fmt::format("{}: '{}' is not the number of an event", what, text.substr(0, 64)));
}

std::vector<std::string> types_of(const Session& session) {
  const std::string text = session.text_of("--type");
  const auto types = pieces_of(text, ',');
  const std::set<std::string> sorted(types.begin(), types.end());
  return {sorted.begin(), sorted.end()};
}

Result<int> events_tail(Session& session) {
  api::TailRequest request;
  if (const auto from = session.flag("--from")) request.from = TRY(seq_of("--from", *from));
  request.types = types_of(session);
  request.subject = session.text_of("--subject");
  request.limit = session.args.number("--limit", 0);
  request.follow = session.args.has("--follow");
  request.consumer = session.text_of("--consumer");
  request.acknowledge = session.args.has("--ack");
  if (request.acknowledge && request.consumer.empty()) {
    return misused("--ack is of a consumer: name it with --consumer NAME");
  }
  if (!request.consumer.empty() && request.from) {
    return misused("--consumer goes on where that consumer is, so --from says nothing");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  Printer& out = *session.out;
  const auto take = [&out](std::string_view lines) -> Result<api::Go> {
    out.text(lines);
    return out.gone() ? api::Go::kStop : api::Go::kOn;
  };
  TRY(api::tail_events(kernel, request, take, session.progress()));
  return kExitDone;
}

// With what failed of its handler, where that was not passed over.
using Consumer = std::pair<api::ConsumerLine, std::optional<api::HandlerFailure>>;

std::vector<Consumer> with_failures(const std::vector<api::ConsumerLine>& lines,
                                    const std::vector<api::HandlerFailure>& failures) {
  std::vector<Consumer> all;
  for (const api::ConsumerLine& line : lines) {
    const auto found = std::ranges::find(
        failures, line.name, [](const api::HandlerFailure& one) { return "on/" + one.name; });
    all.emplace_back(line, found == failures.end() ? std::nullopt : std::optional(*found));
  }
  return all;
}

constexpr Printed<Consumer> kConsumerJson{
    "consumer", "One consumer of events, how far it has read, and what it holds back.",
    [](FieldIo& io, const Consumer& consumer) {
      const auto& [line, failure] = consumer;
      io.text("name", line.name);
      io.choice("kind", line.kind, store::consumer_kind_name);
      io.integer("ttl_ms", line.ttl_ms, kNotNegative);
      io.texts("types", line.types);
      io.each_count({{"position", line.position},
                     {"behind", line.behind},
                     {"oldest", line.oldest},
                     {"oldest_age_ms", line.oldest_age_ms},
                     {"idle_ms", line.idle_ms},
                     {"holds_back", line.holds_back}});
      io.boolean("stale", line.stale);
      io.boolean("ended", line.ended);
      using enum store::HandlerState;
      const store::HandlerRow last = line.handler.value_or(store::HandlerRow{});
      // A failure that was passed over says nothing of where the handler is now.
      const bool passed_over = !failure && (last.state == kFailing || last.state == kStopped);
      if (!io.maybe("handler", line.handler && !passed_over)) return;
      io.group("handler", [&](FieldIo& handler) {
        handler.choice("state", last.state, store::handler_state_name);
        handler.integer("event", last.event, kNotNegative);
        handler.integer("exit", last.exit);
        handler.boolean("timed_out", consumer.second && consumer.second->timed_out);
      });
    }};

constexpr Printed<std::string> kConsumerRemovedJson{"consumer-removed",
                                                    "A consumer that was removed.", removed_fields};

constexpr Printed<std::string> kHandlerRetriedJson{
    "handler-retried", "A handler that is tried again.", [](FieldIo& io, const std::string& name) {
      io.text("name", name);
      io.yes("retried");
    }};

std::string consumer_text(const Consumer& consumer) {
  const auto& [line, failure] = consumer;
  std::string state = line.behind == 0 ? "up to date" : counted(line.behind, "event") + " behind";
  if (line.ended) {
    state = "ended";
  } else if (failure) {
    state = fmt::format("{} on event {}, {}", failure->stopped() ? "stopped" : "failing",
                        failure->event, failure->why);
  } else if (line.stale) {
    state = "stale";
  }
  return fmt::format("{}  {}  at {}  {}\n", padded(clean(line.name), 16),
                     padded(store::consumer_kind_name(line.kind), 9), line.position, state);
}

std::string lag_text(const Consumer& consumer) {
  const api::ConsumerLine& line = consumer.first;
  std::string out = consumer_text(consumer);
  if (line.behind > 0) {
    out += fmt::format("    {} for it, the oldest is {} of {} ago\n", counted(line.behind, "event"),
                       line.oldest, format_duration(line.oldest_age_ms));
  }
  out += fmt::format("    moved {} ago; holds back {} from pruning\n",
                     format_duration(line.idle_ms), counted(line.holds_back, "event"));
  return out;
}

Result<int> tell(Session& session, api::Kernel& kernel, const api::ConsumerLine& line,
                 const std::string& sentence) {
  std::vector<api::HandlerFailure> failures;
  if (session.json()) failures = TRY(api::handler_failures(kernel));
  return session.done(kConsumerJson(with_failures({line}, failures)[0]), sentence + "\n");
}

Result<int> consumer_register(Session& session, api::Kernel& kernel) {
  const auto ttl = session.args.duration_ms("--ttl");
  if (session.args.has("--durable") == ttl.has_value()) {
    return misused("git txn events consumer register needs --durable, or --ttl D");
  }
  if (ttl && *ttl <= 0) return misused("--ttl must be more than 0");
  using From = store::Registration::From;
  store::Registration request;
  request.name = session.id();
  request.ttl_ms = ttl.value_or(0);
  request.types = types_of(session);
  const std::string from = session.flag("--from").value_or("now");
  if (from != "now") request.from = from == "start" ? From::kStart : From::kSeq;
  if (request.from == From::kSeq) request.seq = TRY(seq_of("--from", from));
  const api::ConsumerLine line = TRY(api::register_consumer(kernel, request));
  return tell(session, kernel, line,
              fmt::format("{} consumer {} goes on after event {}",
                          store::consumer_kind_name(line.kind), line.name, line.position));
}

Result<int> consumer_ack(Session& session, api::Kernel& kernel) {
  const Seq seq = TRY(seq_of("consumer ack", session.args.operands[1]));
  const api::ConsumerLine line = TRY(api::acknowledge(kernel, session.id(), seq));
  return tell(session, kernel, line,
              fmt::format("consumer {} is at event {}, {} behind", clean(line.name), line.position,
                          counted(line.behind, "event")));
}

Result<int> consumer_list(Session& session, api::Kernel& kernel) {
  const auto lines = TRY(api::list_consumers(kernel));
  return session.list(with_failures(lines, TRY(api::handler_failures(kernel))), kConsumerJson,
                      session.args.has("--lag") ? lag_text : consumer_text,
                      session.quiet() ? "" : "no consumers\n");
}

Result<int> consumer_remove(Session& session, api::Kernel& kernel) {
  const std::string& name = session.id();
  TRY(api::remove_consumer(kernel, name));
  return session.done(kConsumerRemovedJson(name),
                      fmt::format("consumer {} is removed\n", clean(name)));
}

Result<int> consumer_retry(Session& session, api::Kernel& kernel) {
  const std::string& name = session.id();
  TRY(api::retry_handler(kernel, name));
  return session.done(kHandlerRetriedJson(name),
                      fmt::format("handler {} is tried again\n", clean(name)));
}

constexpr Printed<store::PrunePlan> kPrunedJson{
    "pruned", "What was pruned of the log, or would be, and who holds back more.",
    [](FieldIo& io, const store::PrunePlan& plan) {
      io.each_count({{"pruned", std::max<Seq>(plan.last - plan.first + 1, 0)},
                     {"first", plan.first},
                     {"last", plan.last},
                     {"asked", plan.asked}});
      io.list_of("held", plan.holds, [](FieldIo& each, const store::PruneHold& hold) {
        each.text("by", hold.what);
        each.integer("from", hold.from, kNotNegative);
      });
    }};

Result<int> events_prune(Session& session) {
  const bool dry_run = session.args.has("--dry-run");
  store::PruneRequest request;
  request.older_than_ms = session.args.duration_ms("--older-than");
  if (session.args.has("--before")) request.before = session.args.number("--before", 0);
  if (request.before && request.older_than_ms) {
    return misused("give either --before or --older-than");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const store::PrunePlan line =
      TRY(api::prune_events(kernel, request, dry_run ? api::Prune::kOnlyTell : api::Prune::kNow));
  std::string text;
  for (const store::PruneHold& hold : line.holds) {
    text += fmt::format("held     from event {} on, by {}\n", hold.from, clean(hold.what));
  }
  text += line.last < line.first
              ? "nothing to prune\n"
              : fmt::format("{} events {} to {}\n", dry_run ? "would prune" : "pruned", line.first,
                            line.last);
  return session.done(kPrunedJson(line), text);
}

constexpr FlagSpec kEventsType{"--type", "TYPE[,TYPE]", "only events of this type"};
constexpr FlagSpec kPruneDryRun{.name = "--dry-run",
                                .label = {},
                                .help = "only say what would go, and what is held back",
                                .effect = Effect::kReads};
constexpr OperandSpec kConsumerName{
    "NAME", Value::kText, 1, 1, "the NAME of a consumer", "events consumer list"};

const CommandSpec kConsumerCommand{
    .name = "events consumer",
    .summary = "register, list and move those who read the log as a stream",
    .subcommands = {
        {.name = "events consumer register",
         .summary = "make a consumer",
         .effect = Effect::kWritesInside,
         .handler = consumer_register,
         .operands = {{"NAME", Value::kText, 1, 1, "the NAME of the consumer"}},
         .flags = {{"--from", "SEQ",
                    "after which event it begins: SEQ, start or now (default: now)"},
                   kEventsType,
                   {"--durable", "", "until it is removed"},
                   {"--ttl", "D", "until it has not moved for this long", Value::kDuration}},
         .examples = {{"git txn events consumer register audit --durable",
                       "nothing is lost on it from now on"}},
         .outputs = {{kConsumerJson}}},
        {.name = "events consumer ack",
         .summary = "say that everything up to SEQ was dealt with",
         .effect = Effect::kWritesInside,
         .handler = consumer_ack,
         .operands = {kConsumerName, {"SEQ", Value::kText, 1, 1, "the SEQ of an event"}},
         .examples = {{"git txn events consumer ack audit 4711", "event 4711 and all before it"}},
         .outputs = {{kConsumerJson}}},
        {.name = "events consumer list",
         .summary = "list the consumers",
         .handler = consumer_list,
         .flags = {{"--lag", "", "how far each is behind, and what it holds back"}},
         .examples = {{"git txn events consumer list --lag",
                       "who is behind, and what that holds back"}},
         .outputs = {{kConsumerJson, "", Lines::kMany}}},
        {.name = "events consumer remove",
         .summary = "end a consumer",
         .effect = Effect::kWritesInside,
         .handler = consumer_remove,
         .operands = {kConsumerName},
         .examples = {{"git txn events consumer remove audit", "it holds nothing back any more"}},
         .outputs = {{kConsumerRemovedJson}}},
        {.name = "events consumer retry",
         .summary = "try a handler again that failed",
         .effect = Effect::kWritesInside,
         .handler = consumer_retry,
         .operands = {kConsumerName},
         .examples = {{"git txn events consumer retry on/tell",
                       "when what it failed of is mended"}},
         .outputs = {{kHandlerRetriedJson}}}}};

const CommandSpec kEventsCommand{
    .name = "events",
    .summary = "read the event log as it grows, and prune it",
    .description =
        "tail prints events as CloudEvents 1.0, one JSON object a line, in the order in which they "
        "happened. With --consumer it goes on after what that consumer has acknowledged: each "
        "event is delivered at least once, again when the consumer died before it "
        "acknowledged.\n\nconsumer register makes a consumer: --durable never ends by itself and "
        "keeps events from being pruned; --ttl D ends when it was not moved for that long. ack "
        "NAME SEQ says that everything up to SEQ was dealt with. list names them, remove ends one. "
        "Handlers of the policy are consumers too, called on/NAME; retry NAME tries one again that "
        "failed.\n\nprune forgets old events: never one that a durable consumer has not "
        "acknowledged, or that a transaction that has not ended needs. The state stays, and what "
        "is left still proves itself (git txn verify). txn.retention says how long events are "
        "kept; git txn gc prunes by it.",
    .group = Group::kLook,
    .subcommands = {
        {.name = "events tail",
         .summary = "print events, one JSON object a line",
         .handler = events_tail,
         .flags = {{"--from", "SEQ", "the first event"},
                   kEventsType,
                   {"--subject", "TEXT", "only events about this transaction, branch or name"},
                   {"--limit", "N", "at most so many, the oldest first (default 0: all)",
                    Value::kNumber, "-n"},
                   {.name = "--follow",
                    .label = {},
                    .help = "wait for more, until interrupted",
                    .letter = "-f"},
                   {"--consumer", "NAME", "what this consumer has not acknowledged"},
                   {"--ack", "", "acknowledge what was printed, after it was"}},
         .examples = {{"git txn events tail --type transaction.landed --follow",
                       "each landing, as it happens"},
                      {"git txn events tail --consumer audit --ack | tee -a audit.log",
                       "what it has not seen yet"}},
         .outputs = {{"event", "", Lines::kMany}}},
        kConsumerCommand,
        {.name = "events prune",
         .summary = "forget old events that nobody needs",
         .effect = Effect::kWritesInside,
         .handler = events_prune,
         .flags = {{"--before", "SEQ", "the events below this number", Value::kNumber},
                   {"--older-than", "D", "the events older than this (default: txn.retention)",
                    Value::kDuration},
                   kPruneDryRun},
         .examples = {{"git txn events prune --older-than 90d --dry-run", "what would go"}},
         .outputs = {{kPrunedJson}}}}};

}  // namespace

std::vector<CommandSpec> event_commands() {
  return {kEventsCommand};
}

}  // namespace gittxn::cli
