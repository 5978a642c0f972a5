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

Status ticket_taken(db::Database& database, const Event& event, const Ticket& ticket) {
  const Status inserted =
      insert_row(database, "tickets", "number, branch, txn, priority, owner", ticket.number,
                 event.subject, ticket.txn, ticket.priority, encode_path(ticket.owner));
  if (!inserted && inserted.error().code == Code::kExists) {
    return stale(event, fmt::format("ticket {} is taken", ticket.number));
  }
  return inserted;
}

Status ticket_done(db::Database& database, const Event& event, const TicketDone& done) {
  const bool removed =
      TRY(database.has_row("DELETE FROM tickets WHERE number = ? AND branch = ? RETURNING number",
                           done.ticket.number, event.subject));
  if (!removed) return stale(event, fmt::format("ticket {} is not waiting", done.ticket.number));
  return {};
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
     accepts<ticket_taken>,
     "ticket {number} taken"},
    {event_type::kTicketDone,
     {"The place is given up.", "the branch", "number is waiting"},
     accepts<ticket_done>,
     "ticket {number} done{:why}"},
    {event_type::kSlotReserved,
     {"Its sequence number is one that nobody else has.", "", "", "",
      "nothing: an owner's slot or a ticket is its `seq`"},
     accepts<only_told<SlotReserved>>,
     "slot reserved"},
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
