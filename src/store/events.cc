#include "store/events.h"

#include <fmt/format.h>

#include "base/json_value.h"
#include "model/codec.h"

namespace gittxn::store::events {
namespace {

Json conflicts_to_json(const std::vector<Conflict>& conflicts) {
  Json list = Json::array();
  for (const Conflict& conflict : conflicts) list.push_back(to_json(conflict));
  return list;
}

// "source:id:action:version". The same key is the same fact, told twice.
std::string key(std::string_view source, std::string_view id, std::string_view action,
                std::string_view version) {
  return fmt::format("{}:{}:{}:{}", source, encode_path(id), action, encode_path(version));
}

Json landing_to_json(const PreparedLanding& landing) {
  return Json{{"txn", encode_path(landing.txn.str())},
              {"branch", encode_path(landing.branch.str())},
              {"old", landing.old_head.str()},
              {"new", landing.new_head.str()}};
}

}  // namespace

NewEvent txn_begun(const Txn& txn) {
  return new_event(event_type::kTxnBegun, txn.id.str(), to_json(txn),
                   key("txn", txn.id.str(), "begun", "1"));
}

NewEvent attempt_started(const TxnId& id, const Attempt& attempt) {
  return new_event(event_type::kAttemptStarted, id.str(), to_json(attempt),
                   key("txn", id.str(), "attempt", std::to_string(attempt.number)));
}

NewEvent command_started(const TxnId& id, int attempt, const std::string& trace,
                         const std::vector<std::string>& argv, const std::string& confine) {
  Json json{{"attempt", attempt}, {"trace", encode_path(trace)}, {"argv", texts_to_json(argv)}};
  if (!confine.empty()) json["confine"] = confine;
  return new_event(event_type::kCommandStarted, id.str(), json);
}

NewEvent command_ended(const TxnId& id, int attempt, int exit_status) {
  return new_event(event_type::kCommandEnded, id.str(),
                   Json{{"attempt", attempt}, {"exit", exit_status}});
}

NewEvent extended(const TxnId& id, int attempt, const Oid& head, std::size_t reads) {
  return new_event(event_type::kExtended, id.str(),
                   Json{{"attempt", attempt}, {"head", head.str()}, {"reads", reads}});
}

NewEvent told(const TxnId& id, int attempt, const Oid& head, int number,
              const std::vector<std::string>& subjects) {
  return new_event(event_type::kTold, id.str(),
                   Json{{"attempt", attempt},
                        {"head", head.str()},
                        {"number", number},
                        {"subjects", texts_to_json(subjects)}});
}

NewEvent child(const TxnId& id, const Child& child) {
  return new_event(event_type::kChild, id.str(),
                   Json{{"attempt", child.attempt},
                        {"number", child.number},
                        {"name", encode_path(child.name)},
                        {"phase", child.phase},
                        {"tree", child.tree.str()}});
}

NewEvent worktree_removed(const TxnId& id, int attempt) {
  return new_event(event_type::kWorktreeRemoved, id.str(), Json{{"attempt", attempt}},
                   key("txn", id.str(), "worktree-removed", std::to_string(attempt)));
}

NewEvent taken(const TxnId& id, const Taken& taken) {
  return new_event(event_type::kTaken, id.str(),
                   Json{{"attempt", taken.attempt},
                        {"base", taken.base.str()},
                        {"kept", taken.kept.str()},
                        {"reads", encode_path(taken.reads.str())},
                        {"reads_complete", taken.reads_complete},
                        {"unknown_reason", encode_path(taken.unknown_reason)},
                        {"writes", encode_path(taken.writes.str())},
                        {"tool_env", encode_path(taken.tool_env.str())}});
}

NewEvent prepared(const TxnId& id, int attempt, const std::optional<Identity>& committer) {
  Json payload{{"attempt", attempt}, {"committer", nullptr}};
  if (committer) payload["committer"] = to_json(*committer);
  return new_event(event_type::kPrepared, id.str(), payload);
}

NewEvent repairing(const TxnId& id, const std::string& rung, const std::string& why) {
  return new_event(event_type::kRepairing, id.str(),
                   Json{{"rung", encode_path(rung)}, {"why", encode_path(why)}});
}

NewEvent rejected(const TxnId& id, int attempt, const std::vector<Conflict>& conflicts) {
  return new_event(event_type::kRejected, id.str(),
                   Json{{"attempt", attempt}, {"conflicts", conflicts_to_json(conflicts)}});
}

NewEvent quarantined(const TxnId& id, const std::string& why,
                     const std::vector<Conflict>& conflicts) {
  return new_event(event_type::kQuarantined, id.str(),
                   Json{{"why", encode_path(why)}, {"conflicts", conflicts_to_json(conflicts)}});
}

NewEvent aborted(const TxnId& id, const std::string& why, const std::string& actor) {
  return new_event(event_type::kAborted, id.str(),
                   Json{{"why", encode_path(why)}, {"actor", encode_path(actor)}});
}

NewEvent nothing(const TxnId& id, const std::string& why, const Oid& merged) {
  Json payload{{"why", encode_path(why)}};
  if (!merged.empty()) payload["merged"] = merged.str();
  return new_event(event_type::kNothing, id.str(), payload);
}

NewEvent reopened(const TxnId& id, const Reopened& reopened) {
  return new_event(event_type::kReopened, id.str(),
                   Json{{"owner", encode_path(reopened.owner)},
                        {"slot", reopened.slot},
                        {"attached", reopened.attached}});
}

NewEvent waiting(const TxnId& id, const std::string& reason, const std::string& subject) {
  return new_event(event_type::kWaiting, id.str(),
                   Json{{"reason", encode_path(reason)}, {"subject", encode_path(subject)}});
}

NewEvent conflicted(const TxnId& id, int attempt, const std::vector<Conflict>& conflicts) {
  return new_event(event_type::kConflicted, id.str(),
                   Json{{"attempt", attempt}, {"conflicts", conflicts_to_json(conflicts)}});
}

NewEvent owner_lost(const TxnId& id, std::int64_t slot) {
  return new_event(event_type::kOwnerLost, id.str(), Json{{"slot", slot}},
                   key("txn", id.str(), "owner-lost", std::to_string(slot)));
}

NewEvent landing_prepared(const PreparedLanding& landing, const LandingDetails& details,
                          const Json& checkout) {
  Json payload = landing_to_json(landing);
  payload["tree"] = landing.tree.str();
  payload["patch"] = encode_path(details.patch.str());
  payload["reads"] = encode_path(details.reads.str());
  payload["writes"] = encode_path(details.writes.str());
  payload["checkout"] = checkout;
  if (!landing.fence.empty()) {
    payload["fence_before"] = landing.fence_before.str();
    payload["fence"] = landing.fence.str();
  }
  return new_event(event_type::kLandingPrepared, landing.txn.str(), payload);
}

NewEvent landing_lost(const PreparedLanding& landing, const std::string& why, const Oid& fence) {
  Json payload = landing_to_json(landing);
  payload["prepared"] = landing.seq;
  payload["why"] = encode_path(why);
  if (!fence.empty()) payload["fence"] = fence.str();
  return new_event(event_type::kLandingLost, landing.txn.str(), payload,
                   key("landing", std::to_string(landing.seq), "lost", "1"));
}

NewEvent transaction_landed(const PreparedLanding& landing,
                            const std::vector<std::string>& left_to_person, const Oid& fence) {
  Json payload = landing_to_json(landing);
  payload["prepared"] = landing.seq;
  payload["left_to_person"] = texts_to_json(left_to_person);
  if (!fence.empty()) payload["fence"] = fence.str();
  return new_event(event_type::kTransactionLanded, landing.txn.str(), payload,
                   key("landing", std::to_string(landing.seq), "landed", "1"));
}

NewEvent outside_move(const RefName& branch, const Oid& old_head, const Oid& new_head,
                      const std::string& who) {
  return new_event(
      event_type::kOutsideMove, branch.str(),
      Json{{"old", old_head.str()}, {"new", new_head.str()}, {"who", encode_path(who)}});
}

NewEvent durable_head(const RefName& branch, const Oid& head) {
  return new_event(event_type::kDurableHead, branch.str(), Json{{"head", head.str()}});
}

NewEvent checkout_pending(const TxnId& id, const std::string& worktree,
                          const std::vector<std::string>& paths) {
  return new_event(event_type::kCheckoutPending, id.str(),
                   Json{{"worktree", encode_path(worktree)}, {"paths", texts_to_json(paths)}});
}

NewEvent gate_evaluated(const Certificate& certificate) {
  const std::string subject =
      certificate.txn.empty() ? certificate.gate.str() : certificate.txn.str();
  return new_event(event_type::kGateEvaluated, subject, to_json(certificate));
}

NewEvent trusted(const Digest& trust_hash, const std::string& actor) {
  return new_event(event_type::kTrusted, trust_hash.str(),
                   Json{{"hash", encode_path(trust_hash.str())}, {"actor", encode_path(actor)}},
                   key("policy", trust_hash.str(), "trusted", actor));
}

NewEvent summary_added(const SummaryAdded& added) {
  const std::string version = added.manifest.str() + "/" + added.txn.str();
  return new_event(event_type::kSummaryAdded, std::string(kSummaries),
                   Json{{"name", encode_path(added.name)},
                        {"manifest", encode_path(added.manifest.str())},
                        {"txn", encode_path(added.txn.str())}},
                   added.txn.empty() ? "" : key("summary", added.name, "added", version));
}

NewEvent ticket_taken(const Ticket& ticket) {
  return new_event(event_type::kTicketTaken, ticket.branch.str(),
                   Json{{"number", ticket.number},
                        {"txn", encode_path(ticket.txn.str())},
                        {"priority", ticket.priority},
                        {"owner", encode_path(ticket.owner)}},
                   key("turn", std::to_string(ticket.number), "taken", "1"));
}

NewEvent ticket_done(const Ticket& ticket, const std::string& why) {
  return new_event(event_type::kTicketDone, ticket.branch.str(),
                   Json{{"number", ticket.number},
                        {"txn", encode_path(ticket.txn.str())},
                        {"why", encode_path(why)}},
                   key("turn", std::to_string(ticket.number), "done", "1"));
}

NewEvent slot_reserved() {
  return new_event(event_type::kSlotReserved, "", Json::object());
}

}  // namespace gittxn::store::events
