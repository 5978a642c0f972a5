// events: tail, consumer, prune.
#include "api/work.h"
#include "base/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/duration.h"
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
  std::vector<std::string> types;
  const std::string text = session.flag("--type").value_or("");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    types.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(types);
  const auto repeats = std::ranges::unique(types);
  types.erase(repeats.begin(), repeats.end());
  return types;
}

// Flags of another verb would be passed over.
Status only_flags(const Session& session, std::string_view verb,
                  std::initializer_list<std::string_view> known) {
  for (const FlagSpec& flag : session.args.command->flags) {
    if (!session.args.has(std::string(flag.name))) continue;
    if (std::ranges::find(known, flag.name) != known.end()) continue;
    return misused(fmt::format("git txn events {} does not take {}", verb, flag.name));
  }
  return {};
}

// `takes`: the words behind the verb, as in "NAME SEQ"; "": none.
Status operands_of(const Session& session, std::string_view verb, std::string_view takes) {
  const auto words = [](std::string_view text) {
    return text.empty() ? 0 : std::ranges::count(text, ' ') + 1;
  };
  const auto wanted = static_cast<std::size_t>(words(verb) + words(takes));
  const std::vector<std::string>& given = session.args.operands;
  if (given.size() == wanted) return {};
  if (given.size() < wanted) return misused(fmt::format("git txn events {} needs {}", verb, takes));
  return misused(fmt::format("git txn events {} takes no '{}'", verb, clean(given[wanted])));
}

Result<int> tail(Session& session) {
  TRY(operands_of(session, "tail", ""));
  TRY(only_flags(session, "tail",
                 {"--from", "--type", "--subject", "--limit", "--follow", "--consumer", "--ack"}));
  api::TailRequest request;
  if (const auto from = session.flag("--from")) request.from = TRY(seq_of("--from", *from));
  request.types = types_of(session);
  request.subject = session.flag("--subject").value_or("");
  request.limit = session.args.number("--limit", 0);
  request.follow = session.args.has("--follow");
  request.consumer = session.flag("--consumer").value_or("");
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
  TRY(api::tail_events(kernel, request, take, session.reporter->progress()));
  return kExitDone;
}

using Failures = std::vector<api::HandlerFailure>;

const api::HandlerFailure* failure_of(const Failures& failures, const api::ConsumerLine& line) {
  const auto found = std::ranges::find(
      failures, line.name, [](const api::HandlerFailure& one) { return "on/" + one.name; });
  return found == failures.end() ? nullptr : &*found;
}

Json line_json(const api::ConsumerLine& line, const Failures& failures) {
  Json json{{"name", line.name},         {"kind", line.kind},
            {"ttl_ms", line.ttl_ms},     {"types", line.types},
            {"position", line.position}, {"behind", line.behind},
            {"oldest", line.oldest},     {"oldest_age_ms", line.oldest_age_ms},
            {"idle_ms", line.idle_ms},   {"holds_back", line.holds_back},
            {"stale", line.stale},       {"ended", line.ended}};
  const bool failed = line.handler == "failing" || line.handler == "stopped";
  const api::HandlerFailure* failure = failure_of(failures, line);
  // A failure that was passed over says nothing of where the handler is now.
  if (line.handler.empty() || (failed && failure == nullptr)) return json;
  json["handler"] = {{"state", line.handler},
                     {"event", line.handler_event},
                     {"exit", line.handler_exit},
                     {"timed_out", failure != nullptr && failure->timed_out}};
  return json;
}

std::string state_text(const api::ConsumerLine& line, const Failures& failures) {
  if (line.ended) return "ended";
  if (const api::HandlerFailure* failure = failure_of(failures, line)) {
    return fmt::format("{} on event {}, {}", failure->stopped ? "stopped" : "failing",
                       failure->event, failure->why);
  }
  if (line.stale) return "stale";
  return line.behind == 0 ? "up to date" : counted(line.behind, "event") + " behind";
}

std::string line_text(const api::ConsumerLine& line, const Failures& failures) {
  return fmt::format("{}  {}  at {}  {}\n", padded(clean(line.name), 16), padded(line.kind, 9),
                     line.position, state_text(line, failures));
}

std::string lag_text(const api::ConsumerLine& line, const Failures& failures) {
  std::string out = line_text(line, failures);
  if (line.behind > 0) {
    out += fmt::format("    {} for it, the oldest is {} of {} ago\n", counted(line.behind, "event"),
                       line.oldest, format_duration(line.oldest_age_ms));
  }
  out += fmt::format("    moved {} ago; holds back {} from pruning\n",
                     format_duration(line.idle_ms), counted(line.holds_back, "event"));
  return out;
}

Status tell(Session& session, api::Kernel& kernel, const api::ConsumerLine& line,
            const std::string& sentence) {
  if (session.json()) {
    session.out->json(line_json(line, TRY(api::handler_failures(kernel))));
  } else if (!session.quiet()) {
    session.out->text(sentence + "\n");
  }
  return {};
}

Result<int> register_one(Session& session, api::Kernel& kernel) {
  TRY(operands_of(session, "consumer register", "NAME"));
  TRY(only_flags(session, "consumer register", {"--durable", "--ttl", "--from", "--type"}));
  const auto ttl = session.args.duration_ms("--ttl");
  if (session.args.has("--durable") == ttl.has_value()) {
    return misused("git txn events consumer register needs --durable, or --ttl D");
  }
  if (ttl && *ttl <= 0) return misused("--ttl must be more than 0");
  api::ConsumerRequest request;
  request.name = session.args.operands[2];
  request.ttl_ms = ttl.value_or(0);
  request.types = types_of(session);
  const std::string from = session.flag("--from").value_or("now");
  if (from != "now" && from != "start") request.from = TRY(seq_of("--from", from));
  request.from_start = from == "start";
  const api::ConsumerLine line = TRY(api::register_consumer(kernel, request));
  TRY(tell(
      session, kernel, line,
      fmt::format("{} consumer {} goes on after event {}", line.kind, line.name, line.position)));
  return kExitDone;
}

Result<int> ack(Session& session, api::Kernel& kernel) {
  TRY(operands_of(session, "consumer ack", "NAME SEQ"));
  TRY(only_flags(session, "consumer ack", {}));
  const Seq seq = TRY(seq_of("consumer ack", session.args.operands[3]));
  const api::ConsumerLine line = TRY(api::acknowledge(kernel, session.args.operands[2], seq));
  TRY(tell(session, kernel, line,
           fmt::format("consumer {} is at event {}, {} behind", clean(line.name), line.position,
                       counted(line.behind, "event"))));
  return kExitDone;
}

Result<int> list_consumers(Session& session, api::Kernel& kernel) {
  TRY(operands_of(session, "consumer list", ""));
  TRY(only_flags(session, "consumer list", {"--lag"}));
  const auto lines = TRY(api::list_consumers(kernel));
  const Failures failures = TRY(api::handler_failures(kernel));
  for (const api::ConsumerLine& line : lines) {
    if (session.json()) {
      session.out->json(line_json(line, failures));
    } else {
      session.out->text(session.args.has("--lag") ? lag_text(line, failures)
                                                  : line_text(line, failures));
    }
  }
  if (lines.empty() && !session.json() && !session.quiet()) session.out->text("no consumers\n");
  return kExitDone;
}

Result<int> remove_consumer(Session& session, api::Kernel& kernel) {
  TRY(operands_of(session, "consumer remove", "NAME"));
  TRY(only_flags(session, "consumer remove", {}));
  const std::string& name = session.args.operands[2];
  TRY(api::check_not_in_policy(kernel, name));
  TRY(api::remove_consumer(kernel, name));
  if (session.json()) {
    session.out->json({{"name", name}, {"removed", true}});
  } else if (!session.quiet()) {
    session.out->text(fmt::format("consumer {} is removed\n", clean(name)));
  }
  return kExitDone;
}

Result<int> retry(Session& session, api::Kernel& kernel) {
  TRY(operands_of(session, "consumer retry", "NAME"));
  TRY(only_flags(session, "consumer retry", {}));
  const std::string& name = session.args.operands[2];
  TRY(api::retry_handler(kernel, name));
  if (session.json()) {
    session.out->json({{"name", name}, {"retried", true}});
  } else if (!session.quiet()) {
    session.out->text(fmt::format("handler {} is tried again\n", clean(name)));
  }
  return kExitDone;
}

Result<int> consumer(Session& session) {
  const auto& words = session.args.operands;
  const std::string verb = words.size() > 1 ? words[1] : "";
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (verb == "register") return register_one(session, kernel);
  if (verb == "ack") return ack(session, kernel);
  if (verb == "list") return list_consumers(session, kernel);
  if (verb == "remove") return remove_consumer(session, kernel);
  if (verb == "retry") return retry(session, kernel);
  return misused("git txn events consumer needs register, ack, list, remove or retry");
}

Json prune_json(const api::PruneLine& line) {
  Json held = Json::array();
  for (std::size_t i = 0; i < line.holds.size(); ++i) {
    held.push_back({{"by", encode_path(line.holds[i])}, {"from", line.held_from[i]}});
  }
  const bool any = line.last >= line.first;
  return Json{{"pruned", any ? line.last - line.first + 1 : 0},
              {"first", line.first},
              {"last", line.last},
              {"asked", line.asked},
              {"held", std::move(held)}};
}

Result<int> prune(Session& session) {
  TRY(operands_of(session, "prune", ""));
  TRY(only_flags(session, "prune", {"--before", "--older-than", "--dry-run"}));
  api::PruneOptions options;
  options.dry_run = session.args.has("--dry-run");
  options.older_than_ms = session.args.duration_ms("--older-than");
  if (session.args.has("--before")) options.before = session.args.number("--before", 0);
  if (options.before && options.older_than_ms) {
    return misused("give either --before or --older-than");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::PruneLine line = TRY(api::prune_events(kernel, options));
  if (session.json()) {
    session.out->json(prune_json(line));
    return kExitDone;
  }
  if (session.quiet()) return kExitDone;
  for (std::size_t i = 0; i < line.holds.size(); ++i) {
    session.out->text(
        fmt::format("held     from event {} on, by {}\n", line.held_from[i], clean(line.holds[i])));
  }
  const std::string what = fmt::format("events {} to {}", line.first, line.last);
  if (line.last < line.first) {
    session.out->text("nothing to prune\n");
  } else {
    session.out->text(options.dry_run ? "would prune " + what + "\n" : "pruned " + what + "\n");
  }
  return kExitDone;
}

}  // namespace

Result<int> events_command(Session& session) {
  const std::string& verb = session.args.operands.at(0);
  if (verb == "tail") return tail(session);
  if (verb == "consumer") return consumer(session);
  return prune(session);
}

}  // namespace gittxn::cli
