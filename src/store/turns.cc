// The queue for the turn of a branch, and the numbers of slots.
#include <fmt/format.h>

#include "store/area.h"
#include "store/events.h"
#include "store/rows.h"

namespace gittxn::store {

static void fields(FieldIo& io, Ticket& ticket) {
  io.integer("number", ticket.number, kNotNegative);
  io.name("txn", ticket.txn);
  io.integer("priority", ticket.priority);
  io.text("owner", ticket.owner);
}

namespace {

struct TicketDone {
  Ticket ticket;
  std::string why;
};
void fields(FieldIo& io, TicketDone& done) {
  io.integer("number", done.ticket.number, kNotNegative);
  io.name("txn", done.ticket.txn);
  io.text("why", done.why);
}
struct SlotReserved {};
void fields(FieldIo& /*io*/, SlotReserved& /*none*/) {}

Status ticket_taken(db::Database& database, const Event& event, const Json& json) {
  const Ticket ticket = TRY(read_fields<Ticket>(json, event.type));
  const Status inserted =
      insert_row(database, "tickets", "number, branch, txn, priority, owner", ticket.number,
                 event.subject, ticket.txn, ticket.priority, encode_path(ticket.owner));
  if (!inserted && inserted.error().code == Code::kExists) {
    return stale(event, fmt::format("ticket {} is taken", ticket.number));
  }
  return inserted;
}

Status ticket_done(db::Database& database, const Event& event, const Json& json) {
  const Ticket ticket = TRY(read_fields<TicketDone>(json, event.type)).ticket;
  const bool removed =
      TRY(database.has_row("DELETE FROM tickets WHERE number = ? AND branch = ? RETURNING number",
                           ticket.number, event.subject));
  if (!removed) return stale(event, fmt::format("ticket {} is not waiting", ticket.number));
  return {};
}

Status slot_reserved(db::Database&, const Event& event, const Json& json) {
  TRY(read_fields<SlotReserved>(json, event.type));
  return {};
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
    {event_type::kTicketTaken,
     {"A place in the queue for a branch.", "the branch", "number not taken"},
     payload_of<Ticket>,
     ticket_taken,
     tell_ticket_taken},
    {event_type::kTicketDone,
     {"The place is given up.", "the branch", "number is waiting"},
     payload_of<TicketDone>,
     ticket_done,
     tell_ticket_done},
    {event_type::kSlotReserved,
     {"Its sequence number is one that nobody else has.", "", "", "",
      "nothing: an owner's slot or a ticket is its `seq`"},
     payload_of<SlotReserved>,
     slot_reserved,
     tell_slot_reserved},
};

}  // namespace

const Area kTurns{kTurnSql, kTurnTables, kTurnRules};

namespace events {

NewEvent ticket_taken(const Ticket& ticket) {
  return event_with(event_type::kTicketTaken, ticket.branch.str(), ticket,
                    event_key("turn", std::to_string(ticket.number), "taken", "1"));
}

NewEvent ticket_done(const Ticket& ticket, const std::string& why) {
  return event_with(event_type::kTicketDone, ticket.branch.str(), TicketDone{ticket, why},
                    event_key("turn", std::to_string(ticket.number), "done", "1"));
}

NewEvent slot_reserved() {
  return event_with(event_type::kSlotReserved, "", SlotReserved{});
}

}  // namespace events

}  // namespace gittxn::store
