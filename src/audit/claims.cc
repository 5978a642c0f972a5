// What the events say about landings, moves and artifacts, read without the projections.
#include <fmt/format.h>

#include "audit/checks.h"
#include "base/json.h"

namespace gittxn::audit {
namespace {

constexpr int kEventsAtOnce = 1000;

std::string text_of(const Json& payload, const char* key) {
  return decode_path(payload[key].text_or(""));
}

Seq seq_of(const Json& payload, const char* key) {
  return payload[key].integer_or(0);
}

// What of an event's payload names an artifact.
constexpr std::pair<std::string_view, const char*> kArtifacts[] = {
    {event_type::kTaken, "reads"},
    {event_type::kTaken, "writes"},
    {event_type::kGateEvaluated, "output"},
    {event_type::kHandlerEnded, "output"}};

void claim_landed(const Event& event, const Json& payload, Claims& claims, Report& report) {
  const auto prepared = claims.landings.find(seq_of(payload, "prepared"));
  if (prepared == claims.landings.end()) {
    // Landings that are not resolved keep their events, so this is no effect of pruning.
    report.problems.push_back(
        fmt::format("event {}: {} landed without having been prepared", event.seq, event.subject));
    return;
  }
  Claims::Landing& landing = prepared->second;
  landing.landed = true;
  claims.moves[landing.branch.str()].push_back(
      {event.seq, landing.branch, landing.txn, landing.old_head, landing.new_head});
}

void claim(const Event& event, const Json& payload, Claims& claims, Report& report) {
  if (event.type == event_type::kLandingPrepared) {
    claims.landings[event.seq] = {event.seq,
                                  TxnId(event.subject),
                                  RefName(text_of(payload, "branch")),
                                  Oid(text_of(payload, "old")),
                                  Oid(text_of(payload, "new")),
                                  Oid(text_of(payload, "tree")),
                                  false};
  } else if (event.type == event_type::kTransactionLanded) {
    claim_landed(event, payload, claims, report);
  } else if (event.type == event_type::kOutsideMove) {
    const RefName branch(event.subject);
    claims.moves[branch.str()].push_back(
        {event.seq, branch, TxnId(), Oid(text_of(payload, "old")), Oid(text_of(payload, "new"))});
  }
  if (event.type == event_type::kLandingPrepared || event.type == event_type::kLandingLost ||
      event.type == event_type::kTransactionLanded) {
    claims.fences.insert(text_of(payload, "fence"));  // "" where there is no hub
  }
  if (event.type == event_type::kCheckpoint) claims.pruned = seq_of(payload, "seq");
  for (const auto& [type, key] : kArtifacts) {
    if (event.type != type) continue;
    const std::string digest = text_of(payload, key);
    if (!digest.empty()) claims.artifacts.emplace(digest, event.seq);
  }
}

}  // namespace

Status read_claims(const store::Store& store, Claims& claims, Report& report) {
  Seq next = 1;
  while (true) {
    const std::vector<Event> events = TRY(store.events(next, kEventsAtOnce));
    if (events.empty()) return {};
    for (const Event& event : events) {
      const Result<Json> payload = parse_json(event.payload);
      if (!payload || !payload->is_object()) {
        report.problems.push_back(fmt::format("event {}: its payload is not JSON", event.seq));
        continue;
      }
      claim(event, *payload, claims, report);
    }
    next = events.back().seq + 1;
  }
}

}  // namespace gittxn::audit
