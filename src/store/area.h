// What the kernel knows is made of areas: transactions, branches, gates, and so on. An area owns
// its event types, the tables that follow from them, how an event changes these, and how it is told
// to a person. Its file has all of it; areas.cc lists them. Internal to store/.
//
// SQL here is what SQLite and PostgreSQL both take. Tables are derived from the log alone, so each
// can be dropped and filled again; a column that holds JSON is called `body`.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/fields.h"
#include "base/result.h"
#include "db/database.h"
#include "model/event.h"
#include "model/txn.h"

namespace gittxn::store {

// What is said of a type in docs/formats/events.md and share/schemas/events, beside its fields.
struct EventText {
  const char* about;
  const char* subject = "";  // what it is, where it is not the transaction
  const char* when = "";     // it is accepted; for moves of a transaction its states say it
  const char* then = "";
  const char* fields = "";  // instead of the list, where that is told elsewhere
};

// How an event is told to a person: a text with fields of the payload in it, or a function of it.
//
//   {actor}               a text, a number, the first of a list; "?" when it is not there
//   {:why}                ": " and that, or nothing
//   {~head}               the first 7 digits of it
//   {merged?merged:none}  the first where it is there, true and not empty, else the second; '*' in
//                         the first is the value
struct Telling {
  constexpr Telling(const char* its_text) : text(its_text) {}
  constexpr Telling(std::string (*its_function)(const Json&)) : function(its_function) {}
  const char* text = "";
  std::string (*function)(const Json& payload) = nullptr;  // an object, as the log has it
};

// How an event is accepted.
struct Accepting {
  // A payload of its type, which each of them is told the fields of in turn.
  void (*payload)(std::initializer_list<FieldIo*>);
  // kStale: the state does not allow it; kCorrupt: the payload is malformed. It reads nothing but
  // the event and the tables, so that replaying gives the same bytes.
  Status (*project)(db::Database& database, const Event& event, const Json& payload);
};

struct EventRule {
  std::string_view type;
  EventText text;
  Accepting accepting;
  Telling telling;
  // Of a transaction: in which states it is accepted (bits), and which follows; none: it stays.
  unsigned states = 0;
  std::optional<TxnState> then = {};
};

template <typename T>
void payload_of(std::initializer_list<FieldIo*> told) {
  T value{};
  for (FieldIo* io : told) fields(*io, value);
}

template <auto kRule, typename T>
constexpr Accepting accepting(Status (*)(db::Database&, const Event&, const T&)) {
  return {payload_of<T>,
          [](db::Database& database, const Event& event, const Json& payload) -> Status {
            return kRule(database, event, TRY(read_fields<T>(payload, event.type)));
          }};
}
// By a function of the event and its payload, whose type is the payload's.
template <auto kRule>
inline constexpr Accepting accepts = accepting<kRule>(kRule);

// A fact that changes nothing of what is known.
template <typename T>
Status only_told(db::Database&, const Event&, const T&) {
  return {};
}

// An event whose payload this is.
template <typename T>
NewEvent event_with(std::string_view type, std::string subject, const T& payload,
                    std::string dedup_key = {}) {
  return NewEvent{std::string(type), std::move(subject), canonical_text(field_list(payload)),
                  std::move(dedup_key)};
}

// "source:id:action:version". The same key is the same fact, told twice.
std::string event_key(std::string_view source, std::string_view id, std::string_view action,
                      std::string_view version);

struct ProjectionTable {
  std::string_view name;
  std::string_view order;  // columns that make the order of its rows unique
};

struct Area {
  std::string_view sql;  // makes its tables and indexes
  std::span<const ProjectionTable> tables;
  std::span<const EventRule> rules;
};

extern const Area kTransactions;   // transactions.cc
extern const Area kBranches;       // branches.cc: heads, landings, what landed
extern const Area kGates;          // gates.cc: certificates, trust, summaries
extern const Area kTurns;          // turns.cc: the queue for a branch, slots
extern const Area kWorkflows;      // workflows.cc: phases, their gates, who belongs to them
extern const Area kCompensations;  // compensations.cc
extern const Area kBudgets;        // budgets.cc: what was used, and how much may be
extern const Area kLeases;         // leases.cc: who has what, and who waits for it
extern const Area kConsumers;      // consumers.cc
extern const Area kHandlers;       // handlers.cc: what came of deliveries to commands
extern const Area kProposals;      // proposals.cc
extern const Area kPortfolio;      // portfolio.cc: repositories that belong together
extern const Area kClones;         // clones.cc: whose the name of a clone is
extern const Area kPruning;        // pruning.cc: where the log begins

std::span<const Area* const> areas();
const EventRule* rule_of(std::string_view type);  // nullptr: no such type

std::unexpected<Error> stale(const Event& event, const std::string& why);

// Of a payload, for a person: these never fail, whatever is there.
std::string text_in(const Json& payload, const char* key);  // "" when it is no text, or not there
std::string filled_in(std::string_view text, const Json& payload);  // a text of a Telling

}  // namespace gittxn::store
