// The queue for the turn of a branch, and the numbers of slots.
#include <fmt/format.h>

#include "base/json_value.h"
#include "model/codec.h"
#include "store/area.h"
#include "store/store.h"

namespace gittxn::store {
namespace {

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

Status slot_reserved(db::Database&, const Event& event, const Json& json) {
  return Fields(json, event.type).done();
}

std::string tell_ticket_taken(const Json& payload) {
  return "ticket " + telling::number(payload, "number") + " taken";
}
std::string tell_ticket_done(const Json& payload) {
  return "ticket " + telling::number(payload, "number") + " done" +
         telling::after_colon(telling::text(payload, "why"));
}
std::string tell_slot_reserved(const Json&) {
  return "slot reserved";
}

constexpr std::string_view kTurnSql = R"sql(
CREATE TABLE tickets (
  number   INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  priority INTEGER NOT NULL,
  owner    TEXT    NOT NULL
) STRICT;
CREATE INDEX tickets_by_branch ON tickets (branch, number);
)sql";

constexpr ProjectionTable kTurnTables[] = {{"tickets", "number"}};

constexpr EventRule kTurnRules[] = {
    {event_type::kTicketTaken, ticket_taken, tell_ticket_taken},
    {event_type::kTicketDone, ticket_done, tell_ticket_done},
    {event_type::kSlotReserved, slot_reserved, tell_slot_reserved},
};

}  // namespace

const Area kTurns{kTurnSql, kTurnTables, kTurnRules};

}  // namespace gittxn::store
