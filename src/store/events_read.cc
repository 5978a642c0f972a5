// Reading payloads back: what recovery, `why` and `log` need of an event beyond the projections.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/codec.h"
#include "store/events.h"

namespace gittxn::store::events {
namespace {

std::string text_of(const Json& payload, const char* key) {
  const auto found = payload.find(key);
  return found != payload.end() && found->is_string()
             ? decode_path(found->get_ref<const std::string&>())
             : std::string();
}

std::string brief(std::string_view oid) {
  return std::string(oid.substr(0, 7));
}

std::string colon(std::string_view text) {
  return text.empty() ? std::string() : fmt::format(": {}", text);
}

std::string argv_of(const Json& payload) {
  std::string out;
  const auto argv = payload.find("argv");
  if (argv == payload.end() || !argv->is_array()) return out;
  for (const Json& word : *argv) {
    if (!word.is_string()) continue;
    if (!out.empty()) out += ' ';
    out += decode_path(word.get_ref<const std::string&>());
  }
  return out;
}

std::string number_of(const Json& payload, const char* key) {
  const auto found = payload.find(key);
  return found != payload.end() && found->is_number_integer() ? found->dump() : std::string("?");
}

std::string describe_conflicts(const Json& payload) {
  const auto list = payload.find("conflicts");
  if (list == payload.end() || !list->is_array() || list->empty()) return {};
  std::string out;
  for (std::size_t i = 0; i < list->size() && i < 3; ++i) {
    const Json& conflict = (*list)[i];
    if (!conflict.is_object()) continue;
    out += fmt::format("{}{} {}", i == 0 ? ": " : ", ", text_of(conflict, "kind"),
                       text_of(conflict, "subject"));
  }
  if (list->size() > 3) out += fmt::format(" and {} more", list->size() - 3);
  return out;
}

std::string first_texts(const Json& payload, const char* key) {
  const auto list = payload.find(key);
  if (list == payload.end() || !list->is_array()) return {};
  std::string out;
  for (std::size_t i = 0; i < list->size() && i < 3; ++i) {
    if (!(*list)[i].is_string()) continue;
    out += (out.empty() ? "" : ", ") + decode_path((*list)[i].get<std::string>());
  }
  if (list->size() > 3) out += fmt::format(" and {} more", list->size() - 3);
  return out;
}

std::string describe_txn(std::string_view type, const Json& p) {
  if (type == event_type::kTxnBegun) {
    return fmt::format("begun by {} on {}", text_of(p, "owner"), text_of(p, "target"));
  }
  if (type == event_type::kAttemptStarted) {
    return fmt::format("attempt {} from {}", number_of(p, "number"), brief(text_of(p, "base")));
  }
  if (type == event_type::kCommandStarted) return "command started" + colon(argv_of(p));
  if (type == event_type::kCommandEnded) return "command ended, exit " + number_of(p, "exit");
  if (type == event_type::kExtended) {
    return fmt::format("its {} reads until then hold at {}", number_of(p, "reads"),
                       brief(text_of(p, "head")));
  }
  if (type == event_type::kTold) {
    return fmt::format("stale at {}, and its agent is told{}", brief(text_of(p, "head")),
                       colon(first_texts(p, "subjects")));
  }
  if (type == event_type::kChild) {
    return fmt::format("the worktree of {}: {}", text_of(p, "name"), text_of(p, "phase"));
  }
  if (type == event_type::kTaken) {
    return fmt::format("work kept as {}{}", brief(text_of(p, "kept")),
                       colon(text_of(p, "unknown_reason")));
  }
  if (type == event_type::kPrepared) return "asked to land";
  if (type == event_type::kRepairing) {
    return fmt::format("repairing ({}){}", text_of(p, "rung"), colon(text_of(p, "why")));
  }
  if (type == event_type::kWaiting) {
    const std::string reason = text_of(p, "reason");
    return reason.empty() ? "wait is over"
                          : fmt::format("waiting: {}{}", reason, colon(text_of(p, "subject")));
  }
  if (type == event_type::kConflicted) return "conflict" + describe_conflicts(p);
  if (type == event_type::kRejected) return "rejected" + describe_conflicts(p);
  if (type == event_type::kQuarantined) return "quarantined" + colon(text_of(p, "why"));
  if (type == event_type::kAborted) {
    return fmt::format("aborted by {}{}", text_of(p, "actor"), colon(text_of(p, "why")));
  }
  if (type == event_type::kNothing) return "nothing to land" + colon(text_of(p, "why"));
  if (type == event_type::kReopened) return "reopened by " + text_of(p, "owner");
  if (type == event_type::kOwnerLost) return "its owner is gone";
  if (type == event_type::kWorktreeRemoved) {
    return "worktree of attempt " + number_of(p, "attempt") + " removed";
  }
  return std::string(type);
}

}  // namespace

Result<LandingDetails> landing_details(const std::string& payload) {
  const Json json = TRY(parse_json(payload));
  LandingDetails details;
  if (!json.is_object()) return fail(Code::kCorrupt, "landing.prepared: not a JSON object");
  details.patch = Digest(text_of(json, "patch"));
  details.reads = Digest(text_of(json, "reads"));
  details.writes = Digest(text_of(json, "writes"));
  return details;
}

Result<Json> landing_checkout(const std::string& payload) {
  const Json json = TRY(parse_json(payload));
  const auto found = json.find("checkout");
  if (!json.is_object() || found == json.end() || !found->is_array()) {
    return fail(Code::kCorrupt, "landing.prepared: field 'checkout': not an array");
  }
  return Json(*found);
}

Result<std::optional<Child>> child_of(const Event& event) {
  if (event.type != event_type::kChild) return std::nullopt;
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  Child child;
  Fields fields(json, event.type);
  fields.integer("attempt", child.attempt);
  fields.integer("number", child.number);
  fields.text("name", child.name);
  fields.text("phase", child.phase);
  fields.oid("tree", child.tree);
  TRY(fields.done());
  return child;
}

Result<std::vector<Conflict>> conflicts_of(const Event& event) {
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  std::vector<Conflict> conflicts;
  const auto list = json.find("conflicts");
  if (!json.is_object() || list == json.end()) return conflicts;
  for (const Json& conflict : *list) {
    conflicts.push_back(TRY_IN(event.type, conflict_from_json(conflict)));
  }
  return conflicts;
}

std::string describe(const Event& event) {
  const Result<Json> parsed = parse_json(event.payload);
  if (!parsed || !parsed->is_object()) return event.type + " (unreadable)";
  const Json& p = *parsed;
  const std::string_view type = event.type;
  const auto move = [&] {
    return fmt::format("{} -> {}", brief(text_of(p, "old")), brief(text_of(p, "new")));
  };
  if (type == event_type::kLandingPrepared) return "landing prepared, " + move();
  if (type == event_type::kLandingLost) return "landing lost" + colon(text_of(p, "why"));
  if (type == event_type::kTransactionLanded) return "landed, " + move();
  if (type == event_type::kOutsideMove) {
    return fmt::format("moved outside, {}{}", move(), colon(text_of(p, "who")));
  }
  if (type == event_type::kDurableHead) return "durable head " + brief(text_of(p, "head"));
  if (type == event_type::kCheckoutPending) {
    return "files left to the person in " + text_of(p, "worktree");
  }
  if (type == event_type::kGateEvaluated) {
    const bool passed = p.value("passed", Json(false)) == Json(true);
    return fmt::format("gate {} {}", text_of(p, "gate"), passed ? "passed" : "failed");
  }
  if (type == event_type::kTrusted) return "commands trusted by " + text_of(p, "actor");
  if (type == event_type::kTicketTaken) return "ticket " + number_of(p, "number") + " taken";
  if (type == event_type::kTicketDone) {
    return "ticket " + number_of(p, "number") + " done" + colon(text_of(p, "why"));
  }
  if (type == event_type::kSummaryAdded) {
    return "summary '" + text_of(p, "name") + "' stored";
  }
  if (type == event_type::kSlotReserved) return "slot reserved";
  return describe_txn(type, p);
}

}  // namespace gittxn::store::events
