#include "store/projection.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/codec.h"
#include "store/events.h"
#include "store/projection_txn.h"
#include "store/rows.h"
#include "store/schema.h"

namespace gittxn::store {
namespace {

using Handler = Status (*)(db::Database&, const Event&, const Json&);

std::unexpected<Error> stale(const Event& event, const std::string& why) {
  return fail(Code::kStale, fmt::format("{} of {}: {}", event.type, event.subject, why));
}

// Branches

Result<BranchState> branch_or_new(const db::Database& database, const RefName& name,
                                  const Oid& head) {
  std::optional<BranchState> branch = TRY(load_branch(database, name));
  if (branch) return *std::move(branch);
  BranchState fresh;
  fresh.branch = name;
  fresh.head = head;
  return fresh;
}

Status insert_landed(db::Database& database, const LandedRow& row) {
  db::Statement insert = TRY(database.statement(
      "INSERT INTO landed (seq, branch, txn, old_head, new_head) VALUES (?, ?, ?, ?, ?)"));
  insert.bind_all(row.seq, row.branch.str(), row.txn.str(), row.old_head.str(), row.new_head.str());
  return insert.run();
}

Status outside_move(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Oid old_head;
  Oid new_head;
  std::string who;
  fields.oid("old", old_head);
  fields.oid("new", new_head);
  fields.text("who", who);
  TRY(fields.done());
  const RefName name{event.subject};
  BranchState branch = TRY(branch_or_new(database, name, old_head));
  if (branch.prepared) return stale(event, "a landing on it is not resolved yet");
  if (branch.head != old_head) return stale(event, "its head in the log is " + branch.head.str());
  branch.head = new_head;
  TRY(insert_landed(database, LandedRow{event.seq, name, TxnId(), old_head, new_head}));
  return save_branch(database, branch);
}

Status durable_head(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Oid head;
  fields.oid("head", head);
  TRY(fields.done());
  BranchState branch = TRY(branch_or_new(database, RefName(event.subject), head));
  branch.durable_head = head;
  return save_branch(database, branch);
}

// Landings

Status landing_prepared(db::Database& database, const Event& event, const Json&) {
  PreparedLanding landing = TRY(landing_from_payload(event.payload, event.seq));
  if (landing.txn.str() != event.subject) return stale(event, "its payload names another");
  Txn txn = TRY(known_txn(database, event));
  if (txn.target != landing.branch) return stale(event, "its target is " + txn.target.str());
  BranchState branch = TRY(branch_or_new(database, landing.branch, landing.old_head));
  if (branch.prepared) {
    return stale(event, "the landing of " + branch.prepared->txn.str() + " is not resolved yet");
  }
  if (branch.head != landing.old_head) {
    return stale(event, "the branch's head in the log is " + branch.head.str());
  }
  TRY(move_txn(txn, TxnState::kLanding, event));
  TRY(update_txn(database, txn));
  branch.prepared = std::move(landing);
  return save_branch(database, branch);
}

// The end of a landing: checks that it is the unresolved one of its branch, and takes it off.
struct Resolved {
  BranchState branch;
  PreparedLanding landing;
};
Result<Resolved> resolve(const db::Database& database, const Event& event, Fields& fields) {
  PreparedLanding told;
  fields.name("txn", told.txn);
  fields.name("branch", told.branch);
  fields.oid("old", told.old_head);
  fields.oid("new", told.new_head);
  fields.integer("prepared", told.seq);
  TRY(fields.done());
  std::optional<BranchState> branch = TRY(load_branch(database, told.branch));
  if (!branch || !branch->prepared || branch->prepared->seq != told.seq) {
    return stale(event, fmt::format("landing {} is not unresolved", told.seq));
  }
  const PreparedLanding& known = *branch->prepared;
  if (known.txn != told.txn || event.subject != told.txn.str() || known.old_head != told.old_head ||
      known.new_head != told.new_head) {
    return stale(event, fmt::format("landing {} is another one", told.seq));
  }
  Resolved resolved{*branch, known};
  resolved.branch.prepared.reset();
  return resolved;
}

Status landing_lost(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string why;
  fields.text("why", why);
  const Resolved resolved = TRY(resolve(database, event, fields));
  Txn txn = TRY(known_txn(database, event));
  TRY(move_txn(txn, TxnState::kPrepared, event));
  TRY(update_txn(database, txn));
  return save_branch(database, resolved.branch);
}

Status transaction_landed(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::vector<std::string> left;
  fields.texts("left_to_person", left);
  Resolved resolved = TRY(resolve(database, event, fields));
  const PreparedLanding& landing = resolved.landing;
  Txn txn = TRY(known_txn(database, event));
  TRY(move_txn(txn, TxnState::kLanded, event));
  txn.landed_commit = landing.new_head;
  TRY(update_txn(database, txn));
  TRY(insert_landed(database, LandedRow{event.seq, landing.branch, landing.txn, landing.old_head,
                                        landing.new_head}));
  resolved.branch.head = landing.new_head;
  resolved.branch.durable_head = landing.new_head;
  return save_branch(database, resolved.branch);
}

// Gates, trust, queue

Status gate_evaluated(db::Database& database, const Event& event, const Json& json) {
  const Certificate certificate = TRY_IN(event.type, certificate_from_json(json));
  db::Statement insert =
      TRY(database.statement("INSERT INTO certificates (seq, tree, body) VALUES (?, ?, ?)"));
  insert.bind_all(event.seq, certificate.tree.str(), event.payload);
  return insert.run();
}

Status trusted(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Digest hash;
  std::string actor;
  fields.name("hash", hash);
  fields.text("actor", actor);
  TRY(fields.done());
  db::Statement insert = TRY(database.statement(
      "INSERT INTO trust (hash, actor, seq) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING"));
  insert.bind_all(hash.str(), encode_path(actor), event.seq);
  return insert.run();
}

Status ticket_taken(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Ticket ticket;
  fields.integer("number", ticket.number);
  fields.name("txn", ticket.txn);
  fields.integer("priority", ticket.priority);
  fields.text("owner", ticket.owner);
  TRY(fields.done());
  db::Statement insert = TRY(database.statement(
      "INSERT INTO tickets (number, branch, txn, priority, owner) VALUES (?, ?, ?, ?, ?)"));
  insert.bind_all(ticket.number, event.subject, ticket.txn.str(), std::int64_t{ticket.priority},
                  encode_path(ticket.owner));
  const Status inserted = insert.run();
  if (!inserted && inserted.error().code == Code::kExists) {
    return stale(event, fmt::format("ticket {} is taken", ticket.number));
  }
  return inserted;
}

Status ticket_done(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Ticket ticket;
  std::string why;
  fields.integer("number", ticket.number);
  fields.name("txn", ticket.txn);
  fields.text("why", why);
  TRY(fields.done());
  db::Statement remove = TRY(
      database.statement("DELETE FROM tickets WHERE number = ? AND branch = ? RETURNING number"));
  remove.bind_all(ticket.number, event.subject);
  const bool removed = TRY(remove.step());
  if (!removed) return stale(event, fmt::format("ticket {} is not waiting", ticket.number));
  return remove.run();
}

Status checkout_pending(db::Database&, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string worktree;
  std::vector<std::string> paths;
  fields.text("worktree", worktree);
  fields.texts("paths", paths);
  return fields.done();
}

// The log itself answers which summaries there are; here it is only made sure that it can.
Status summary_added(db::Database&, const Event& event, const Json&) {
  TRY(events::summary_of(event));
  return {};
}

Status slot_reserved(db::Database&, const Event& event, const Json& json) {
  return Fields(json, event.type).done();
}

struct Entry {
  std::string_view type;
  Handler handler;
};
constexpr Entry kHandlers[] = {
    {event_type::kLandingPrepared, landing_prepared},
    {event_type::kLandingLost, landing_lost},
    {event_type::kTransactionLanded, transaction_landed},
    {event_type::kOutsideMove, outside_move},
    {event_type::kDurableHead, durable_head},
    {event_type::kCheckoutPending, checkout_pending},
    {event_type::kGateEvaluated, gate_evaluated},
    {event_type::kTrusted, trusted},
    {event_type::kTicketTaken, ticket_taken},
    {event_type::kTicketDone, ticket_done},
    {event_type::kSummaryAdded, summary_added},
    {event_type::kSlotReserved, slot_reserved},
};

Status dispatch(db::Database& database, const Event& event, const Json& json) {
  for (const Entry& entry : kHandlers) {
    if (entry.type == event.type) return entry.handler(database, event, json);
  }
  if (event.type.starts_with("txn.")) return project_txn(database, event, json);
  return fail(Code::kCorrupt, fmt::format("unknown event type '{}'", event.type));
}

}  // namespace

Status project(db::Database& database, const Event& event) {
  if (event.schema_version != 1) {
    return fail(Code::kCorrupt,
                fmt::format("{}: unknown schema version {}", event.type, event.schema_version));
  }
  const Json json = TRY_IN(event.type, parse_json(event.payload));
  TRY(dispatch(database, event, json));
  return save_progress(database, Progress{event.seq, event.hash.str()});
}

Status replay(const db::Database& log, db::Database& target, Seq up_to) {
  static const std::string kSql =
      fmt::format("SELECT {} FROM events WHERE ?1 = 0 OR seq <= ?1 ORDER BY seq", kEventColumns);
  db::Statement query = TRY(log.statement(kSql));
  query.bind_all(up_to);
  while (TRY(query.step())) {
    const Event event = event_of(query);
    TRY_IN(fmt::format("event {}", event.seq), project(target, event));
  }
  return {};
}

Result<std::vector<std::string>> projection_lines(const db::Database& database) {
  std::vector<std::string> lines;
  for (const ProjectionTable& table : projection_tables()) {
    db::Statement query = TRY(
        database.statement(fmt::format("SELECT * FROM {} ORDER BY {}", table.name, table.order)));
    while (TRY(query.step())) {
      std::string line{table.name};
      for (int column = 0; column < query.columns(); ++column) {
        const std::string text = query.text(column);
        line += fmt::format(" {}={}:{}", query.column_name(column), text.size(), text);
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

Result<Json> projection_json(const db::Database& database) {
  Json out = Json::object();
  for (const ProjectionTable& table : projection_tables()) {
    Json rows = Json::array();
    db::Statement query = TRY(
        database.statement(fmt::format("SELECT * FROM {} ORDER BY {}", table.name, table.order)));
    while (TRY(query.step())) {
      Json row = Json::object();
      for (int column = 0; column < query.columns(); ++column) {
        const std::string name = query.column_name(column);
        const std::string text = query.text(column);
        const bool nested = (name == "body" || name == "prepared") && !text.empty();
        const bool number = name == "seq" || name.ends_with("_seq") || name == "number" ||
                            name == "priority" || name == "one";
        if (nested) {
          row[name] = TRY_IN(table.name, parse_json(text));
        } else if (number) {
          row[name] = query.integer(column);
        } else {
          row[name] = text;
        }
      }
      rows.push_back(table.name == "txns" ? row["body"] : std::move(row));
    }
    out[std::string(table.name)] = std::move(rows);
  }
  return out;
}

}  // namespace gittxn::store
